"""What is said of a function, without its arbitrary caller."""

from __future__ import annotations

import re
from typing import Final

from counterpoint.contracts.views import PREFIX
from counterpoint.core.patterns import regex
from counterpoint.entries.environment import CALLER

_OWN: Final = rf"[^\s()]*{re.escape(CALLER)}:\d+"
_CALLED: Final = regex(rf" \(called at {_OWN}\)|, called at {_OWN}|, {_OWN}(?=\))")
_GIVEN: Final = regex(rf"(?:allocated )?at {_OWN}(?: \(in {PREFIX}entry_\w+\))?")
_NAMED: Final = regex(rf"`?{PREFIX}(?:object|block)\d+_\w+([^`\s]*)`?(?: \({_OWN}\))?| \({_OWN}\)")
"""How messages speak of the arbitrary caller, and of its variables."""


def without_caller(text: str) -> str:
    """The text without places in the arbitrary caller."""
    return _NAMED.sub(_named, _GIVEN.sub("that the caller gave", _CALLED.sub("", text)))


def _named(found: re.Match[str]) -> str:
    return "" if found[0].startswith(" ") else f"what the caller gave{found[1]}"
