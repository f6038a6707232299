"""Newton's method backwards: weakest preconditions along the core."""

from __future__ import annotations

from typing import Final

from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.methods.newton import Weakest

METHOD: Final = Checked(Weakest())
