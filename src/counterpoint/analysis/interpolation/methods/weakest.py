"""Newton's method backwards: weakest preconditions along the core."""

from __future__ import annotations

from typing import Final

from counterpoint.analysis.interpolation.checked import Checked
from counterpoint.analysis.interpolation.methods.newton import Weakest

METHOD: Final = Checked(Weakest())
