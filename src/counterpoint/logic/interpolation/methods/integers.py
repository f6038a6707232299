"""z3's Spacer on the integer view: its formulas generalise better than those over bits, and have to be checked."""

from __future__ import annotations

from typing import Final

from counterpoint.logic.interpolation.methods.spacer import Spacer

METHOD: Final = Spacer("integers", "int-wrap")
