"""Linear equalities between integers that held at all visits of a place.

Source: equalities a*x + b*y = c from traces, as Daikon's linear invariants; more columns by elimination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from counterpoint.analysis.candidates.protocol import Context
from counterpoint.analysis.fitting import fit, formula, holds, monomials
from counterpoint.analysis.samples import Column, Table, equation, once, tables
from counterpoint.semantics.facts import Fact

MOST = 200
"""Facts per place."""

TRIPLES = 10
"""Columns of which all triples are tried, so that a true equality is not lost in the sum with a guessed one."""


@dataclass(frozen=True, slots=True)
class LinearEqualities:
    """See the module's docstring."""

    name: str = "equalities"
    stage: int = 1
    summary: str = "Linear equalities over all columns, pairs and triples, by elimination on traces (Daikon)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context):
            if context.budget.remaining() <= 0:
                return
            yield from once(_of_place(table), MOST)


def _of_place(table: Table) -> Iterator[Fact]:
    for column in table.columns:
        if column.constant:
            yield table.fact(equation([(1, column.variable)], column.signed[0], column.width))
    columns = [column for column in table.columns if not column.constant]
    groups: list[Sequence[Column]] = list(combinations(columns, 2))
    if len(columns) > 3:
        groups.append(columns)
    if len(columns) <= TRIPLES:
        groups += combinations(columns, 3)
    for group in groups:
        products = monomials(len(group), 1)
        for vector in fit(group, products):
            used = [column for a, column in zip(vector[1:], group, strict=True) if a]
            for width, unsigned in _ways(sorted({column.width for column in used})):
                if holds(group, products, vector, width, unsigned=unsigned):
                    yield table.fact(formula(group, products, vector, width, unsigned=unsigned))


def _ways(widths: Sequence[int]) -> list[tuple[int, bool]]:
    """(width, whether columns are unsigned): in the widest column's width, then in that of the narrowest."""
    if len(widths) == 1:
        return [(widths[0], False)]
    return [(widths[-1], False), (widths[-1], True), (widths[0], False)]


SOURCE = LinearEqualities()
