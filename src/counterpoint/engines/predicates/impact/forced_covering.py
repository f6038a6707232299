"""The runs along a part of a path that begin with one formula and miss another: what forced covering interpolates.

The last edge and the missing formula are together like an edge to an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.encoded_steps import Finished
from counterpoint.term import build
from counterpoint.term.term import Term, V

OUTSIDE: Final[Place] = ("", -3)
"""Where runs get to that miss it."""


def missing_formula(formulas: EdgeFormulas, edges: Sequence[Edge], before: V, wanted: V) -> TraceFormula:
    """Of the runs along the edges from a state with `before` to one without `wanted`, over components at either end.
    Raises OutOfBudget and GranuleConflict."""
    *others, last = edges
    view = _WithOutside(formulas.encoded, formulas.returned_at, inner=formulas, last=last, wanted=wanted)
    trace = trace_formula(view, [*others, Edge(last.source, OUTSIDE, last.call)])
    return replace(trace, parts=(build.and_(before, trace.parts[0]), *trace.parts[1:]))


@dataclass(slots=True, kw_only=True)
class _WithOutside(EdgeFormulas):
    """The edges, and one more to OUTSIDE: over `last`, where it ends without `wanted`."""

    inner: EdgeFormulas
    last: Edge
    wanted: V

    def guard(self, edge: Edge, returned: Sequence[V] | None = None) -> V:
        if edge.target != OUTSIDE:
            return self.inner.guard(edge, returned)
        said = self.inner.said(self.last, build.not_(self.wanted))
        return build.conjunction([self.inner.guard(self.last, returned), said.formula, *said.axioms])

    def value(self, edge: Edge, variable: Term) -> Finished | None:
        return self.inner.value(edge, variable)
