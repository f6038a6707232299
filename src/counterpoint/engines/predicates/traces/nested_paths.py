"""One path out of a trace with calls inside (segments.py does that for traces without).

A model of everything but the activations that were entered last, whose abstract states stand for them, decides the
path there. Then each of them is cut into segments; they agree with that model on the predicates at entry and EXIT. So
the path is one of the abstract program.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.engines.predicates.traces.nested import Activation, NestedFormula
from counterpoint.engines.predicates.traces.path_choice import Named, narrowed, path_through
from counterpoint.solver.answers import Model, Sat
from counterpoint.solver.layers import decide, standard_solver
from counterpoint.term import build
from counterpoint.term.term import V

QUERY_SECONDS = 5.0
"""Limit of the question for the path outside."""


def narrow(trace: NestedFormula, last: Sequence[Activation]) -> None:
    """The formula becomes that of one path; as it was where the abstract states allow none, or there is no answer."""
    fresh = [part for part in trace.inside() if part.activation in last]
    if not fresh:
        return
    for part in fresh:
        part.summary = build.conjunction([part.abstract(0)[0], part.abstract(len(part.groups))[0]])
    answer = decide(trace.pieces(), QUERY_SECONDS)
    for part in fresh:
        part.summary = None
    if not isinstance(answer, Sat):
        return
    for part in (trace, *trace.inside()):
        if part not in fresh:
            part.groups = [[_narrowed(item, answer.model) for item in group] for group in part.groups]
    for part in fresh:
        _narrow_fresh(part, answer.model)


def _narrow_fresh(part: NestedFormula, outside: Model) -> None:
    states = [part.abstract(cut) for cut in range(len(part.groups) + 1)]
    before, behind = (_as_in(states[end][1], outside) for end in (0, -1))
    named = Named(standard_solver())
    try:
        parts = [before, *part.parts(), behind]
        abstract = [1, *(formula for formula, _ in states)]
        found = path_through(parts, abstract, [(), *(tracked for _, tracked in states)], named)
    finally:
        named.close()
    if found is not None:
        part.groups = [[formula] for formula in found[1:-1]]


def _narrowed(item: V | NestedFormula, model: Model) -> V | NestedFormula:
    return item if isinstance(item, NestedFormula) else narrowed(item, model)


def _as_in(predicates: Sequence[V], model: Model) -> V:
    """They have the values that they have in the model."""
    return build.conjunction([p if model.value(p) else build.not_(p) for p in predicates])
