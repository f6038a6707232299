"""Linear equalities between integers that held at all visits of a place.

Source: equalities a*x + b*y = c from traces, as Daikon's linear invariants; more columns by elimination.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import linear
from counterpoint.invariants.samples import Table, once, tables
from counterpoint.semantics.facts import Fact

MOST = 200
"""Facts per place."""


@dataclass(frozen=True, slots=True)
class LinearEqualities:
    """See the module's docstring."""

    name: str = "equalities"
    stage: int = 0
    summary: str = "Linear equalities over all columns, pairs and triples, by elimination on traces (Daikon)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context):
            if context.budget.remaining() <= 0:
                return
            yield from once(_of_place(table), MOST)


def _of_place(table: Table) -> Iterator[Fact]:
    return (table.fact(formula) for formula in linear(table.columns))


SOURCE = LinearEqualities()
