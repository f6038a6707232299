"""Runs as the bits of numbers, in their order: what is asked of all runs at once is one operation on numbers.

    bits of a literal    the runs whose callers' choices fulfil it; each run is looked at once
    bits of a clause     those of one of its literals; of a precondition: those of all its clauses
    ways                 how often a direction was taken among some runs: bits that two numbers share
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field
from typing import Generic, Protocol, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.entries.literals import COMPARISONS, Clause, Literal, State


class Row(Protocol):
    """A run."""

    @property
    def state(self) -> State: ...

    @property
    def failed(self) -> int | None: ...

    @property
    def reached(self) -> Set[int]: ...

    @property
    def everywhere(self) -> Set[int]: ...


R = TypeVar("R", bound=Row)


@dataclass(slots=True)
class Table(Generic[R]):
    """Of `rows`, to whose end others may be put at any time; none changes. Bit n of a number is about rows[n]."""

    rows: Sequence[R]
    _known: int = 0
    _columns: dict[str, dict[int, int]] = field(default_factory=dict)
    _given: dict[str, int] = field(default_factory=dict)
    _nonzero: dict[str, int] = field(default_factory=dict)
    _failed: dict[int | None, int] = field(default_factory=dict)
    _reached: dict[int, int] = field(default_factory=dict)
    _everywhere: dict[int, int] = field(default_factory=dict)
    _compared: dict[Literal, tuple[int, int]] = field(default_factory=dict)

    def read(self) -> None:
        """Looks at the rows that are new."""
        for number in range(self._known, len(self.rows)):
            row, bit = self.rows[number], 1 << number
            for source, value in row.state.items():
                self._columns.setdefault(source, {})[number] = value
                self._given[source] = self._given.get(source, 0) | bit
                if value:
                    self._nonzero[source] = self._nonzero.get(source, 0) | bit
            self._failed[row.failed] = self._failed.get(row.failed, 0) | bit
            for ways, taken in ((self._reached, row.reached), (self._everywhere, row.everywhere)):
                for way in taken:
                    ways[way] = ways.get(way, 0) | bit
        self._known = len(self.rows)

    @property
    def all(self) -> int:
        self.read()
        return (1 << self._known) - 1

    @property
    def passed(self) -> int:
        return self.failing(None)

    def failing(self, check: int | None) -> int:
        """The runs that fail in this check; None: those that pass."""
        self.read()
        return self._failed.get(check, 0)

    def failing_in(self, checks: Iterable[int]) -> int:
        found = 0
        for check in checks:
            found |= self.failing(check)
        return found

    def among(self, bits: int) -> list[R]:
        """These rows."""
        return [row for row, bit in zip(self.rows, f"{bits:b}"[::-1], strict=False) if bit == "1"]

    # ------------------------------------------------------------ what callers chose

    def nonzero(self, source: str) -> int:
        self.read()
        return self._nonzero.get(source, 0)

    def given(self, source: str) -> int:
        """The runs in which something was chosen for it."""
        self.read()
        return self._given.get(source, 0)

    def holding(self, literal: Literal) -> int:
        """As Literal.holds."""
        return self.all & ~(self._spoken_of(literal) & ~self._comparing(literal))

    def meeting(self, literal: Literal) -> int:
        """As Literal.is_met."""
        found = self.holding(literal) & self.given(literal.left)
        for source in literal.needs:
            found &= self.nonzero(source)
        return found

    def keeping(self, clause: Clause) -> int:
        """The runs whose callers fulfil it."""
        found = 0
        for literal in clause:
            found |= self.holding(literal)
        return found

    def keeping_all(self, clauses: Iterable[Clause]) -> int:
        found = self.all
        for clause in clauses:
            found &= self.keeping(clause)
        return found

    def _spoken_of(self, literal: Literal) -> int:
        """Where both sides of it are known, and no pointer on the way is null."""
        found = self.given(literal.left)
        if isinstance(literal.right, str):
            found &= self.given(literal.right)
        for source in literal.needs:
            found &= self.nonzero(source)
        return found

    def _comparing(self, literal: Literal) -> int:
        """Where the comparison is true, of rows in which both sides are known."""
        known, bits = self._compared.get(literal, (0, 0))
        if known < self._known:
            left, times, right = self._columns.get(literal.left, {}), literal.times, literal.right
            others = self._columns.get(right, {}) if isinstance(right, str) else None
            is_true = COMPARISONS[literal.operator]
            for number in range(known, self._known):
                value = left.get(number)
                other = right if isinstance(right, int) else (others or {}).get(number)
                if value is not None and other is not None and is_true(value * times, other):
                    bits |= 1 << number
            self._compared[literal] = self._known, bits
        return bits

    # ------------------------------------------------------------ where runs went

    def taken(self, bits: int, near: Set[int] = frozenset()) -> dict[int, int]:
        """How many of these runs took each direction in the function, and each that is `near`, of those that some
        took."""
        self.read()
        others = {way: taken for way, taken in self._everywhere.items() if way in near}
        return _counted({**self._reached, **others}, bits)

    def taken_anywhere(self, bits: int) -> dict[int, int]:
        """The same of directions in all code."""
        self.read()
        return _counted(self._everywhere, bits)

    def taken_below(self, bits: int) -> frozenset[int]:
        """The directions that one of these runs took, in code that the function calls."""
        self.read()
        ways = self._everywhere.items()
        return frozenset(way for way, taken in ways if taken & ~self._reached.get(way, 0) & bits)


def _counted(ways: Mapping[int, int], bits: int) -> dict[int, int]:
    counts = ((way, (taken & bits).bit_count()) for way, taken in ways.items())
    return {way: count for way, count in counts if count}
