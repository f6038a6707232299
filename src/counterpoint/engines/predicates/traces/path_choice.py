"""One path out of an error trace whose parts merge many: what BLAST would have been given to interpolate.

From the error backwards the trace is cut into segments, each as long as it is feasible by itself; a model of each
decides which path its parts take. Where two segments meet they agree on all tracked predicates, so the path is one of
the abstract program, and if all predicates of its interpolants were tracked already, it would not be: each refinement
makes progress (as long as the abstraction is exact). Where no run of the part before ends with the predicates that a
segment begins with, those that exclude each other are remembered, and the segment is chosen anew. The path has
no run if the trace has none, and its parts are plain conjunctions, which is what interpolation methods are best at.

With calls inside, a model of everything but the activations that were entered last, whose abstract states stand for
them, decides the path there. Then each of them is cut into segments; they agree with that model on the predicates at
entry and EXIT. So the path is one of the abstract program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.traces.activations import Activation
from counterpoint.engines.predicates.traces.formulas import Entered, TraceFormula
from counterpoint.regions.specialise import Specialiser
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.layers import decide, standard_solver
from counterpoint.solver.protocol import Solver
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts

QUERY_SECONDS = 5.0
"""Limit of one question."""

MOST = 30
"""Dead ends: segments that nothing leads to."""


@dataclass(slots=True)
class Named:
    """Formulas in a solver once, each behind a switch; so are their conjuncts, since the formulas of similar traces
    share most of them."""

    solver: Solver
    _switches: Selectors[V] = field(init=False)

    def __post_init__(self) -> None:
        self._switches = Selectors(self.solver, "part")

    def switch(self, formula: V) -> V:
        """Assumed, the formula holds."""
        return self._switches.switch(formula, self._parts(formula)) if isinstance(formula, Term) else formula

    def _parts(self, formula: V) -> Iterator[V]:
        parts = conjuncts(formula)
        yield from (formula,) if len(parts) < 2 else map(self.switch, parts)

    def check(self, formulas: Sequence[V], meeting: Sequence[V]) -> Answer:
        """Have they a run on which these conditions hold? The core of an Unsat is of the conditions."""
        answer = self.solver.check([*map(self.switch, formulas), *meeting], QUERY_SECONDS)
        if isinstance(answer, Unsat):
            core = frozenset(answer.core)
            return Unsat(tuple(condition for condition in meeting if condition in core))
        return answer

    def close(self) -> None:
        """Frees the solver."""
        self.solver.close()


def one_path(trace: TraceFormula, named: Named, dead_ends: int = MOST) -> TraceFormula | None:
    """The trace with each part narrowed to a path; None if the abstract states allow none, there is no answer, or
    there are more dead ends."""
    found = _path(trace.parts, trace.abstract[:-1], trace.tracked[:-1], named, dead_ends)
    return None if found is None else replace(trace, parts=tuple(found))


def _path(
    parts: Sequence[V], abstract: Sequence[V], tracked: Sequence[Sequence[V]], named: Named, dead_ends: int = MOST
) -> list[V] | None:
    """The same of parts with the abstract states at their starts, and the predicates there; None also after so many
    dead ends."""
    asked = [build.and_(part, state) for part, state in zip(parts, abstract, strict=True)]
    taken: list[_Taken] = []
    left, meeting = len(asked), list[V]()
    while left:
        found = _segment(asked[:left], meeting, named)
        if isinstance(found, _Segment):
            first, model = found.first, found.model
            taken.append(_Taken(left, meeting, [narrowed(part, model) for part in parts[first:left]]))
            meeting = [p if model.value(p) else build.not_(p) for p in tracked[first]]
            left = first
        elif isinstance(found, Unsat) and taken and dead_ends:
            dead_ends -= 1
            asked[left] = build.and_(asked[left], build.not_(build.conjunction(found.core)))
            last = taken.pop()
            left, meeting = last.end, last.meeting
        else:
            return None
    return [part for segment in reversed(taken) for part in segment.parts]


@dataclass(frozen=True, slots=True)
class _Taken:
    """A segment of the path: where it ends, under which conditions there, and its parts."""

    end: int
    meeting: list[V]
    parts: list[V]


@dataclass(frozen=True, slots=True)
class _Segment:
    """From part `first` on the parts have a run together."""

    first: int
    model: Model


def _segment(parts: Sequence[V], meeting: Sequence[V], named: Named) -> _Segment | Unsat | SolverUnknown:
    """The longest end of the parts that has a run which meets these conditions; an Unsat has a core of them. The more
    parts, the fewer runs: found by doubling, then halving."""
    count = len(parts)
    answer = named.check(parts[-1:], meeting)
    if not isinstance(answer, Sat):
        return answer
    longest, too_long, step = 1, count + 1, 1
    while too_long - longest > 1:
        tried = min(longest + step, count) if too_long > count else (longest + too_long) // 2
        del answer  # a model that is still held would be copied out of the solver
        answer = named.check(parts[count - tried :], meeting)
        if isinstance(answer, Sat):
            longest, step = tried, 2 * step
        else:
            too_long = tried
    if not isinstance(answer, Sat):
        answer = named.check(parts[count - longest :], meeting)
    return _Segment(count - longest, answer.model) if isinstance(answer, Sat) else answer


def narrowed(part: V, model: Model) -> V:
    """The path of the part that the model takes, which fulfils it."""
    return build.conjunction(Specialiser(lambda formula: bool(model.value(formula))).literals(part))


# ------------------------------------------------------------ with calls inside


def one_path_with_calls(trace: TraceFormula, last: Collection[Activation]) -> TraceFormula:
    """The trace with each part narrowed to a path, those of the activations `last` that were entered last by their
    abstract states; as it was where these allow none, or there is no answer."""
    fresh = [part for part in trace.inside() if part.trace in last]
    if not fresh:
        return trace
    answer = decide(trace.pieces({p.trace: build.and_(p.abstract[0], p.abstract[-1]) for p in fresh}), QUERY_SECONDS)
    if not isinstance(answer, Sat):
        return trace
    return _narrowed(trace, {part.trace: _fresh_path(part, answer.model) for part in fresh}, answer.model)


def _fresh_path(part: TraceFormula, outside: Model) -> tuple[V, ...]:
    """The parts of an activation with no call inside that meets the model outside."""
    before, behind = (_as_in(part.tracked[end], outside) for end in (0, -1))
    named = Named(standard_solver())
    try:
        found = _path([before, *part.parts, behind], [1, *part.abstract], [(), *part.tracked], named)
    finally:
        named.close()
    return part.parts if found is None else tuple(found[1:-1])


def _narrowed(trace: TraceFormula, paths: Mapping[Activation, tuple[V, ...]], model: Model) -> TraceFormula:
    """The path of the model, but for the activations whose path is given."""
    if trace.trace in paths:
        return replace(trace, parts=paths[trace.trace])
    entered = {
        position: Entered(narrowed(call.begin, model), _narrowed(call.formula, paths, model))
        for position, call in trace.entered.items()
    }
    return replace(trace, parts=tuple(narrowed(part, model) for part in trace.parts), entered=entered)


def _as_in(predicates: Sequence[V], model: Model) -> V:
    """They have the values that they have in the model."""
    return build.conjunction([p if model.value(p) else build.not_(p) for p in predicates])
