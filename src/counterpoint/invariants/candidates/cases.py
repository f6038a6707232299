"""Facts that hold in one case of a test: what a loop does before and after it changes its behaviour.

For each test of the loop that was seen both true and false, the visits are divided, and equalities and bounds are
learned from either part: `x <= 500000 -> y == 0`, `x > 500000 -> y == x - 500000`.

Source: disjunctive invariants from traces, as Daikon's splitting. `conditional` divides by constants and by
comparisons of columns instead, whatever the loop tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import fit, formula, holds, monomials
from counterpoint.invariants.samples import Column, Table, equation, once, tables
from counterpoint.logic.atoms import atoms, relaxed
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.evaluate import Value, evaluate
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

MOST = 200
"""Facts per place."""

MOST_TESTS = 12
"""Tests per place that divide the visits."""

MOST_COLUMNS = 8

FEWEST = 3
"""Visits of a case from which equalities are learned."""


@dataclass(frozen=True, slots=True)
class Cases:
    """See the module's docstring."""

    name: str = "cases"
    stage: int = 4
    summary: str = "Equalities and bounds that hold on one side of a test, from traces (Daikon's splitting)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context, MOST_COLUMNS):
            if context.budget.remaining() <= 0:
                return
            yield from once(_of_place(context, table), MOST)


def _of_place(context: Context, table: Table) -> Iterator[Fact]:
    for test in _tests(context, table):
        seen = _truths(test, table)
        for case in (1, 0):
            rows = [row for row, value in enumerate(seen) if value == case]
            if FEWEST <= len(rows) < len(seen):
                condition = test if case else build.not_(test)
                facts = _of_case(table, [column.at_visits(rows) for column in table.columns])
                yield from (table.fact(build.implies(when, fact)) for fact in facts for when in relaxed(condition))


def _tests(context: Context, table: Table) -> list[Term]:
    """Conditions over the place's components that branches ask there."""
    found: dict[Term, None] = {}
    for region in context.graph.regions_from(table.place):
        values = [value for way in region.ways if way.leaves for value in way.values.values.values()]
        asked = atoms([*(way.formula for way in region.ways), *values, *(f.formula for f in region.failures)])
        for fact in region.start_values.back_all(asked):
            if isinstance(fact, Term):
                found[fact] = None
    return list(found)[:MOST_TESTS]


def _truths(test: Term, table: Table) -> list[Value | None]:
    """The test's value at each visit; None where a variable has none."""
    needed = variables(test)
    found: list[Value | None] = []
    for visit in table.snapshots:
        values = {str(v.payload): visit.values[v] for v in needed if v in visit.values}
        found.append(evaluate(test, values) if len(values) == len(needed) else None)
    return found


def _of_case(table: Table, columns: Sequence[Column]) -> Iterator[V]:
    for column in columns:
        if column.constant:
            yield equation([(1, column.variable)], column.signed[0], column.width)
    moving = [column for column in columns if not column.constant]
    products = monomials(2, 1)
    for pair in combinations(moving, 2):
        if pair[0].width != pair[1].width:
            continue
        for vector in fit(pair, products):
            if holds(pair, products, vector, pair[0].width, unsigned=False):
                yield formula(pair, products, vector, pair[0].width, unsigned=False)
    for column in moving:
        low, high = min(column.signed), max(column.signed)
        mask = (1 << column.width) - 1
        if low in table.numbers:
            yield build.sle(low & mask, column.variable, column.width)
        if high in table.numbers:
            yield build.sle(column.variable, high & mask, column.width)
        for stride in (2, 3, 4):
            rests = {number % stride for number in column.unsigned}
            if len(rests) == 1:
                yield build.eq(build.urem(column.variable, stride, column.width), rests.pop(), column.width)


SOURCE = Cases()
