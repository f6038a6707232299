"""What is asked of `check --entry-each`."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from counterpoint.core.records import dataclass
from counterpoint.portfolio.request import Request

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class EntryEach:
    """`pattern`: names of functions, with `*` and `?`, several with commas between them. The request's entry and
    engines are those of each check, its time and memory those of all; its jobs are functions side by side."""

    request: Request
    pattern: str = EVERYTHING

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, self.pattern.split(","))))

    def matches(self, name: str) -> bool:
        """Whether the function is one of those."""
        return any(fnmatchcase(name, part) for part in self.parts)

    def unmatched(self, names: Sequence[str]) -> tuple[str, ...]:
        """What is asked for, and none of these is called."""
        return tuple(part for part in self.parts if not any(fnmatchcase(name, part) for name in names))
