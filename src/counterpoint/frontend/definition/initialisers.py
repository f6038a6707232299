"""What the source says of the locals of functions: their constant parts, and which text initialises them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.program.model import Ranges

Location = tuple[int, int]
"""Line and column."""


@dataclass(frozen=True, slots=True)
class Span:
    """The text from one location to another, both included."""

    first: Location
    last: Location

    def __contains__(self, location: Location) -> bool:
        return self.first <= location <= self.last

    def is_inside(self, other: Span) -> bool:
        return self.first in other and self.last in other


@dataclass(frozen=True, slots=True)
class Definition:
    """What a definition says of an alloca: its constant parts, whether these are all of it, and the text that
    initialises it, None if nothing does."""

    constant: Ranges
    whole: bool
    initialiser: Span | None


@dataclass(frozen=True, slots=True)
class Definitions:
    """By function and alloca. Of the allocas in `untold` it could not be found out; `statics_known`: of all static
    objects it could."""

    known: Mapping[str, Mapping[str, Definition]]
    untold: Mapping[str, frozenset[str]]
    statics_known: bool = True


NONE: Final = Definitions({}, {})
