"""What a language of annotations gives: conditions, and what is none."""

from __future__ import annotations

from dataclasses import dataclass

from counterpoint.program.annotations import Says


@dataclass(frozen=True, slots=True)
class Said:
    """A condition in front of the code that begins at `line`; `assumes` as in Annotation."""

    says: Says
    line: int
    text: str
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A clause at `line` that is not understood: how it is written, and why."""

    line: int
    text: str
    why: str
