"""What templates look at: a table's different rows, a sample of them, and what is reported already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from itertools import combinations

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.columns import Column, Options, Role
from counterpoint.inference.confidence import Determined, Effect, Few, Fixed, Hypothesis, Same, confidence
from counterpoint.inference.numbers import Numbers, Rows, mask_of, signed_number
from counterpoint.inference.statistics import Statistics
from counterpoint.inference.table import Entries, Table
from counterpoint.term import build
from counterpoint.term.term import Term, V

SAMPLE = 1000
"""Rows on which templates try what they may propose."""

SAMPLE_OF_PART = 300
"""The same of rows under a condition."""

HEAD = 8
"""Rows that are enough to refuse most equations."""

COMMON_LIMITS = frozenset({-1, 0, 1})


@dataclass(slots=True)
class View:
    """A table whose rows are all different, `sample` of it, and what is known: positions of columns whose numbers are
    `fixed` or `few`, that are `same` as another, or `determined` by one. `part`: of a table, under a condition. `spend`
    is called in all loops over two columns or more."""

    table: Table
    options: Options
    sample: Table
    chosen: list[int]
    spend: Callable[[], None]
    part: bool = False
    fixed: set[int] = field(default_factory=set)
    few: set[int] = field(default_factory=set)
    same: dict[int, int] = field(default_factory=dict)
    determined: dict[int, int] = field(default_factory=dict)
    _statistics: dict[int, Statistics] = field(default_factory=dict)
    _heads: dict[int, list[int]] = field(default_factory=dict)
    _varied: dict[int, int] = field(default_factory=dict)

    @staticmethod
    def of(table: Table, options: Options, spend: Callable[[], None], *, part: bool = False) -> View:
        """The first rows are the sample: a table of `distinct` rows is in no order that means anything."""
        chosen = list(range(min(SAMPLE_OF_PART if part else SAMPLE, table.count)))
        return View(table, options, table.take(np.array(chosen, dtype=np.int64)), chosen, spend, part)

    def below(self, rows: Rows) -> View:
        """The same of these rows only; what is reported of all holds there, too."""
        part = View.of(self.table.take(rows), self.options, self.spend, part=True)
        part.fixed, part.few = set(self.fixed), set(self.few)
        part.same, part.determined = dict(self.same), dict(self.determined)
        return part

    def add_to_sample(self, rows: Iterable[int]) -> bool:
        """Whether any of the rows was new there."""
        new = sorted(set(rows) - set(self.chosen))
        self.chosen += new
        if new:
            self._varied.clear()
            self.sample = self.table.take(np.array(self.chosen, dtype=np.int64))
        return bool(new)

    def apply(self, effect: Effect | None) -> None:
        """Something is reported; with `options.implied` that makes nothing else superfluous."""
        if self.options.implied:
            return
        match effect:
            case Fixed(position):
                self.fixed.add(position)
                self.few.add(position)
            case Few(position):
                self.few.add(position)
            case Same(position, other):
                self.same[position] = other
            case Determined(position, by):
                self.determined[position] = by
            case None:
                pass

    def confidence(self, hypothesis: Hypothesis) -> float:
        """One minus the probability that it holds on all rows by chance."""
        return confidence(hypothesis, self.sample, self.table.count)

    def replaces(self, hypothesis: Hypothesis) -> bool:
        """It is sure enough to be reported, and makes others superfluous."""
        return not self.options.implied and self.confidence(hypothesis) >= self.options.confidence

    # ------------------------------------------------------------ columns

    def column(self, position: int) -> Column:
        return self.table.columns[position]

    def variable(self, position: int) -> Term:
        return self.table.columns[position].variable

    def width(self, position: int) -> int:
        return self.table.columns[position].width

    def numbers(self, position: int) -> Numbers:
        """On the sample."""
        return self.sample.numbers(position)

    def head(self, position: int) -> list[int]:
        """The first numbers of the sample."""
        if position not in self._heads:
            found: list[int] = self.numbers(position)[:HEAD].tolist()
            self._heads[position] = found
        return self._heads[position]

    def entries(self, position: int) -> Entries:
        """On the sample."""
        return self.sample.entries(position)

    def statistics(self, position: int) -> Statistics:
        """Of all rows."""
        if position not in self._statistics:
            self._statistics[position] = Statistics(self.table.numbers(position), self.width(position))
        return self._statistics[position]

    def varied(self, position: int) -> int:
        """How many different numbers the sample has, at least 2: a number agrees with a random one of these by chance
        once in so many rows."""
        if position not in self._varied:
            self._varied[position] = max(2, len(np.unique(self.numbers(position))))
        return self._varied[position]

    def active(self, position: int) -> bool:
        """Nothing that is reported says all about it."""
        return position not in self.fixed and position not in self.same

    def plain(self, *, pointers: bool = False) -> list[int]:
        """Active columns of integers; or of pointers."""
        return [
            k
            for k, column in enumerate(self.table.columns)
            if not column.is_array and not column.is_bool and column.pointer is pointers and not column.border
            if self.active(k)
        ]

    def borders(self) -> list[int]:
        """Addresses between objects made earlier and later."""
        return [k for k, column in enumerate(self.table.columns) if column.border]

    def bools(self) -> list[int]:
        return [k for k, column in enumerate(self.table.columns) if column.is_bool and self.active(k)]

    def arrays(self) -> list[int]:
        return [k for k, column in enumerate(self.table.columns) if column.is_array]

    def related(self, positions: Iterable[int]) -> bool:
        """Each with each, as far as is known."""
        self.spend()
        return all(self.column(a).related(self.column(b)) for a, b in combinations(positions, 2))

    def inputs(self) -> list[int]:
        """Columns of inputs that are no arrays, active or not."""
        columns = enumerate(self.table.columns)
        return [k for k, column in columns if column.role is Role.INPUT and not column.is_array and not column.border]

    def alike(self, a: int, b: int) -> bool:
        """Both are pointers, both Bools, or none is."""
        one, two = self.column(a), self.column(b)
        return one.pointer is two.pointer and one.is_bool is two.is_bool

    def pairs(self, *, pointers: bool = False, tied: bool = False) -> Iterator[tuple[int, int]]:
        """Related active columns of one width; unless `tied`, none determined by the other."""
        for a, b in combinations(self.plain(pointers=pointers), 2):
            if self.width(a) == self.width(b) and self.related((a, b)) and (tied or not self.tied(a, b)):
                yield a, b

    def tied(self, a: int, b: int) -> bool:
        """An equation between the two is reported."""
        return self.determined.get(a) == b or self.determined.get(b) == a

    def later(self, position: int) -> tuple[bool, int]:
        """The key by which of several columns the last is expressed by the others: results before inputs."""
        return self.column(position).role is Role.OUTPUT, position

    # ------------------------------------------------------------ numbers

    def limit(self, number: int, width: int) -> bool:
        """A likely limit: of a narrower type, or next to a number of the program."""
        if number in COMMON_LIMITS or any(number + k in self.options.numbers for k in (-1, 0, 1)):
            return True
        return any(number in (mask_of(w), mask_of(w - 1), -1 << (w - 1)) for w in (8, 16, 32) if w < width)

    def sure_limit(self, position: int, number: int) -> float:
        """How likely the column ends at the number, its least or greatest one, on purpose: numbers there were seen more
        than once, or it is a likely limit. Not at all if there is just one number."""
        known = self.statistics(position)
        if known.constant is not None:
            return 0.0
        rows = self.table.count if self.limit(number, self.width(position)) else known.times(number) - 1
        return 1.0 - 0.5**rows

    def signed(self, number: int, width: int) -> int:
        return signed_number(number, width)


def equal(a: V, b: V, width: int, *, bools: bool = False) -> V:
    return build.iff(a, b) if bools else build.eq(a, b, width)
