"""Linear equalities between integers that held at all visits of a place.

Source: equalities a*x + b*y = c from traces, as Daikon's linear invariants; more columns by elimination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from counterpoint.analysis.candidates.protocol import Context
from counterpoint.analysis.nullspace import nullspace
from counterpoint.analysis.samples import Column, Table, at_width, equation, once, tables
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import V

MOST = 200
"""Facts per place."""

COEFFICIENT = 100
"""The largest coefficient of a variable."""

SMALL = 1 << 24
"""Rows of numbers below this are learned from: in larger ones something may have wrapped around."""

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
        for vector in relations(group):
            yield from (table.fact(formula) for formula in _equalities(group, vector))


def relations(columns: Sequence[Column]) -> list[tuple[int, ...]]:
    """(c, a1, a2, ...) with c + a1*x1 + a2*x2 + ... = 0 at the visits where all numbers are small."""
    rows = list(dict.fromkeys(zip(*(column.signed for column in columns), strict=True)))
    small = [(1, *row) for row in rows if all(abs(value) < SMALL for value in row)]
    return nullspace(small, COEFFICIENT) if len(small) > 2 else []


def _equalities(columns: Sequence[Column], vector: tuple[int, ...]) -> Iterator[V]:
    """The equality in the width of the widest column (signed and unsigned), and in that of the narrowest."""
    constant, *coefficients = vector
    used = [(a, column) for a, column in zip(coefficients, columns, strict=True) if a]
    widths = sorted({column.width for _, column in used})
    ways = [(widths[-1], False), *(((widths[-1], True), (widths[0], False)) if len(widths) > 1 else ())]
    for width, unsigned in ways:
        if _holds(used, constant, width, unsigned):
            terms = [(a, at_width(column, width, unsigned=unsigned)) for a, column in used]
            yield equation(terms, -constant, width)


def _holds(used: Sequence[tuple[int, Column]], constant: int, width: int, unsigned: bool) -> bool:
    """Modulo 2**width, at all visits."""
    mask = (1 << width) - 1
    values = (column.unsigned if unsigned else column.signed for _, column in used)
    factors = [a for a, _ in used]
    return all(
        (constant + sum(a * b for a, b in zip(factors, row, strict=True))) & mask == 0
        for row in zip(*values, strict=True)
    )


SOURCE = LinearEqualities()
