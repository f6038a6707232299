"""Linear equalities, and bounds of differences, that held at those visits of a place where an integer was small, or
large, or a certain number.

Results of recursive functions and loops with phases need them: n <= 100 -> result == 91. Source: Daikon's splitting
conditions, taken from the program's constants and from comparisons between columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.octagons import differences
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import linear
from counterpoint.invariants.samples import Column, Table, once, tables
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import variables

MOST = 80
"""Facts per place."""

MOST_VALUES = 32
"""Arguments of a recursive function whose results are noted one by one."""

MOST_COLUMNS = 6
"""Columns at a place that are looked at."""

MOST_CONDITIONS = 16
"""Conditions that split the visits of a place."""

FEW = 4
"""Visits on either side of a condition that it takes."""


@dataclass(frozen=True, slots=True)
class ConditionalEqualities:
    """See the module's docstring."""

    name: str = "conditional"
    stage: int = 4
    summary: str = "Linear equalities and differences under conditions over constants and pairs (Daikon's splitting)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context, MOST_COLUMNS):
            if context.budget.remaining() <= 0:
                return
            yield from once((table.fact(formula) for formula in _of_place(table)), MOST)


def _of_place(table: Table) -> Iterator[V]:
    """Single values, equalities under all conditions, then bounds of differences."""
    columns = [column for column in table.columns if not column.constant]
    yield from _values(table)
    sides: list[tuple[V, Table]] = []
    for condition, truth in _conditions(table, columns):
        for side, wanted in ((condition, True), (build.not_(condition), False)):
            rows = [row for row, value in enumerate(truth) if value is wanted]
            sides.append((side, replace(table, columns=tuple(column.at_visits(rows) for column in columns))))
    for learn in (_equalities, _bounds):
        always = set(learn(table))
        for side, here in sides:
            known = set(variables(side))
            for formula in learn(here):
                if formula not in always and not known.issuperset(variables(formula)):
                    yield build.implies(side, formula)


def _values(table: Table) -> Iterator[V]:
    """x == a -> y == b at a function's exit, where few values x were seen and each went with one y."""
    columns = [column for column in table.columns if not column.constant] if table.place[1] == EXIT else []
    for one, two in permutations(columns, 2):
        pairs = dict(zip(one.unsigned, two.unsigned, strict=True))
        if len(pairs) <= MOST_VALUES and all(pairs[a] == b for a, b in zip(one.unsigned, two.unsigned, strict=True)):
            for a, b in pairs.items():
                yield build.implies(build.eq(one.variable, a, one.width), build.eq(two.variable, b, two.width))


def _equalities(table: Table) -> Iterator[V]:
    return linear(table.columns, triples=4)


def _bounds(table: Table) -> Iterator[V]:
    return differences(table, unsigned=False)


def _conditions(table: Table, columns: Sequence[Column]) -> Iterator[tuple[V, tuple[bool, ...]]]:
    """Formulas, and whether they hold at each visit; each splits the visits in another way."""
    seen: set[tuple[bool, ...]] = set()
    count = 0
    for condition, truth in _comparisons(table, columns):
        if min(truth.count(True), truth.count(False)) < FEW or truth in seen:
            continue
        seen |= {truth, tuple(not value for value in truth)}
        yield condition, truth
        count += 1
        if count == MOST_CONDITIONS:
            return


def _comparisons(table: Table, columns: Sequence[Column]) -> Iterator[tuple[V, tuple[bool, ...]]]:
    for column in reversed(columns):  # a block's parameters come first, and change more
        x, width, mask = column.variable, column.width, (1 << column.width) - 1
        values = sorted(set(column.signed))
        if len(values) <= 5:
            for value in values:
                yield build.eq(x, value & mask, width), tuple(v == value for v in column.signed)
        for limit in sorted({number - k for number in table.numbers for k in (0, 1)}):
            if values[0] <= limit < values[-1]:
                yield build.sle(x, limit & mask, width), tuple(v <= limit for v in column.signed)
    for one, two in combinations(columns, 2):
        if one.width == two.width:
            pairs = list(zip(one.signed, two.signed, strict=True))
            yield build.sle(one.variable, two.variable, one.width), tuple(a <= b for a, b in pairs)
            yield build.slt(one.variable, two.variable, one.width), tuple(a < b for a, b in pairs)


SOURCE = ConditionalEqualities()
