"""What comments say of a program's functions and loops, and which types its variables have: guesses for whoever looks.

Nothing rests on them: a condition that does not hold is dropped like any other candidate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from counterpoint.core.records import dataclass
from counterpoint.program.source_types import SourceNames


class Says(Enum):
    """Of what a condition is said: of a function's entry, of its end, of a loop's head, of where it stands."""

    REQUIRES = "requires"
    ENSURES = "ensures"
    INVARIANT = "loop invariant"
    ASSERT = "assert"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A condition in front of the function or loop that begins at `line` of `file`; `assumes`: under which it is said,
    as of the function's entry; "" for none. Texts are expressions (frontend/annotations/expressions.py)."""

    says: Says
    file: str
    line: int
    text: str
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class Annotations:
    """All of a program. `variables`: types by function and name, "" for the function of globals, as far as one name
    means one variable in it; they are indices of `names`."""

    said: tuple[Annotation, ...] = ()
    names: SourceNames = field(default_factory=SourceNames)
    variables: Mapping[tuple[str, str], int] = field(default_factory=dict)


NONE = Annotations()
