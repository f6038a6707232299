"""One path out of an error trace whose parts merge many: what BLAST would have been given to interpolate.

From the error backwards the trace is cut into segments, each as long as it is feasible by itself; a model of each
decides which path its parts take. Where two segments meet they agree on all tracked predicates, so the path is one of
the abstract program, and if all predicates of its interpolants were tracked already, it would not be: each refinement
makes progress (as long as the abstraction is exact). Where no run of the part before ends with the predicates that a
segment begins with, those that exclude each other are remembered, and the search goes back to the error. The path has
no run if the trace has none, and its parts are plain conjunctions, which is what interpolation methods are best at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from counterpoint.analysis.predicates.traces import TraceFormula
from counterpoint.paths.specialise import Specialiser
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import V

QUERY_SECONDS = 5.0
"""Limit of one question."""

MOST_ATTEMPTS = 30
"""Ways back from the error that are tried."""


def one_path(trace: TraceFormula, solver: Solver) -> TraceFormula | None:
    """The trace with each part narrowed to a path; None if the abstract states allow none, or there is no
    answer."""
    found = path_through(trace.parts, trace.abstract, trace.tracked, solver)
    return None if found is None else replace(trace, parts=tuple(found))


def path_through(
    parts: Sequence[V], abstract: Sequence[V], tracked: Sequence[Sequence[V]], solver: Solver
) -> list[V] | None:
    """The same of parts with the abstract states at their starts, and the predicates there."""
    asked = [build.and_(part, state) for part, state in zip(parts, abstract, strict=True)]
    for _ in range(MOST_ATTEMPTS):
        found = _attempt(parts, asked, tracked, solver)
        match found:
            case _DeadEnd(cut, clause):
                asked[cut] = build.and_(asked[cut], clause)
            case _:
                return found
    return None


@dataclass(frozen=True, slots=True)
class _DeadEnd:
    """No run of the part before the cut ends in states there without `clause`."""

    cut: int
    clause: V


def _attempt(
    parts: Sequence[V], asked: Sequence[V], tracked: Sequence[Sequence[V]], solver: Solver
) -> list[V] | _DeadEnd | None:
    """One way back from the error. None if the last part has no run by itself, or there is no answer."""
    path: list[V] = []
    meeting: list[V] = []
    left = len(asked)
    while left:
        found = _segment(asked[:left], meeting, solver)
        if isinstance(found, Unsat) and meeting:
            return _DeadEnd(left, build.not_(build.conjunction(found.core)))
        if not isinstance(found, _Segment):
            return None
        first, model = found.first, found.model
        path = [*(narrowed(part, model) for part in parts[first:left]), *path]
        meeting = [p if model.value(p) else build.not_(p) for p in tracked[first]]
        left = first
    return path


@dataclass(frozen=True, slots=True)
class _Segment:
    """From part `first` on the parts have a run together."""

    first: int
    model: Model


def _segment(parts: Sequence[V], meeting: Sequence[V], solver: Solver) -> _Segment | Unsat | SolverUnknown:
    """The longest end of the parts that has a run which meets these conditions; an Unsat has a core of them."""
    with solver.scope():
        solver.add(parts[-1])
        answer = solver.check(meeting, QUERY_SECONDS)
        if not isinstance(answer, Sat):
            return answer
        for condition in meeting:
            solver.add(condition)
        for number in reversed(range(len(parts) - 1)):
            solver.add(parts[number])
            longer = solver.check((), QUERY_SECONDS)
            if not isinstance(longer, Sat):
                return _Segment(number + 1, answer.model)
            answer = longer
    return _Segment(0, answer.model)


def narrowed(part: V, model: Model) -> V:
    """The path of the part that the model takes, which fulfils it."""
    return build.conjunction(Specialiser(lambda formula: bool(model.value(formula))).literals(part))
