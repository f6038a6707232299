"""What a language of annotations gives: conditions, and what is none."""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.program.annotations import Says


@dataclass(frozen=True, slots=True)
class Said:
    """A condition in front of the code that begins at `line`, `offset` characters into the text; it stands in a comment
    that begins in line `comment` (-1: these are not told). `assumes` as in Annotation."""

    says: Says
    line: int
    text: str
    assumes: str = ""
    offset: int = -1
    comment: int = -1


@dataclass(frozen=True, slots=True)
class Broken:
    """A clause at `line` that is not understood: how it is written, and why; `comment` as of what is Said."""

    line: int
    text: str
    why: str
    comment: int = -1
