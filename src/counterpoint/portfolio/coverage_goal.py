"""Coverage goals of Test-Comp, as property files state them: all branches, or a call of the error function.

Source: Beyer, *Advances in Automatic Software Testing: Test-Comp 2022* (FASE 2022), table 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from counterpoint.core.documents import read_text
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_GOAL: Final = regex(
    r"COVER\(\s*init\(\s*(?P<entry>\w+)\(\s*\)\s*\)\s*,\s*FQL\(\s*COVER\s+EDGES\(\s*@"
    r"(?:(?P<branches>DECISIONEDGE)|CALL\(\s*(?P<called>\w+)\s*\))\s*\)\s*\)\s*\)"
)
_ERRORS: Final = ("reach_error", "__VERIFIER_error")
_PROPERTY: Final = "unreach-call"


@dataclass(frozen=True, slots=True)
class Goal:
    """`text`: what the file states, `entry`: where runs start, `property`: what tests violate that reach an error."""

    text: str
    entry: str
    property: str


def goal_of(path: Path) -> Goal | None:
    """The goal in a property file, None of one that states something else. Raises UnusableInput for another goal."""
    lines = [line.strip() for line in read_text(path, "property file").splitlines()]
    stated = " ".join(line for line in lines if line and not line.startswith(("#", "//")))
    if not stated.startswith("COVER"):
        return None
    found = _GOAL.fullmatch(stated)
    if found is None or (found["called"] or _ERRORS[0]) not in _ERRORS:
        raise UnusableInput(f"{path}: no goal that tests are made for: expected @DECISIONEDGE or @CALL(reach_error)")
    return Goal(stated, found["entry"], _PROPERTY)
