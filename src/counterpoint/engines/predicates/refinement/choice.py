"""Which of several reasons why a trace has no run: one that speaks of what is tracked already.

Each component that predicates speak of for the first time may double the abstract states, while another predicate
about one that is tracked only divides some of them. So, once much is tracked, conjuncts about components that are not
are left out as long as the rest is contradictory, all together first, then one component after the other. What is left
out makes the trace's formula weaker: what refutes it refutes the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, variables

QUERY_SECONDS = 2.0
"""Limit of one question."""

MUCH = 24
"""Predicates tracked at one place from which on that is done: before, new components are cheap, and often better."""

MOST_STRANGERS = 16
"""Components that are left out one by one."""


def simplest(trace: TraceFormula, solver: Solver) -> TraceFormula:
    """The trace with only those conjuncts that such a reason needs; as it is if little is tracked, if it has a run, or
    without an answer."""
    if max(map(len, trace.tracked), default=0) < MUCH:
        return trace
    pieces = list(dict.fromkeys(piece for part in trace.parts for piece in conjuncts(part)))
    about = {piece: frozenset(variables(piece)) for piece in pieces}
    core = _refuted(pieces, solver)
    if core is None:
        return trace
    strangers = _strangers(trace)
    familiar = [piece for piece in pieces if strangers.isdisjoint(about[piece])]
    found = _refuted(familiar, solver) if len(familiar) < len(pieces) else None
    if found is None:
        found = core
        left = pieces
        for stranger in [v for v in variables(*core) if v in strangers][:MOST_STRANGERS]:
            without = [piece for piece in left if stranger not in about[piece]]
            fewer = _refuted(without, solver)
            if fewer is not None:
                left, found = without, fewer
    kept = frozenset(found)
    parts = tuple(build.conjunction([p for p in conjuncts(part) if p in kept]) for part in trace.parts)
    return replace(trace, parts=parts)


def window(trace: TraceFormula, solver: Solver) -> TraceFormula:
    """The trace with only the parts between the latest beginning and the earliest end that are contradictory: there
    are the fewest cuts at which a predicate is needed. As it is if it has a run, or without an answer. One question per
    part, at most twice."""
    first = _contradictory(list(reversed(trace.parts)), solver)
    if first is None:
        return trace
    begin = len(trace.parts) - first
    length = _contradictory(trace.parts[begin:], solver)
    end = len(trace.parts) if length is None else begin + length
    parts = tuple(part if begin <= number < end else 1 for number, part in enumerate(trace.parts))
    return replace(trace, parts=parts)


def _contradictory(parts: Sequence[V], solver: Solver) -> int | None:
    """How many of the first parts have no run together."""
    with solver.scope():
        for count, part in enumerate(parts, 1):
            solver.add(part)
            answer = solver.check((), QUERY_SECONDS)
            if isinstance(answer, Unsat):
                return count
            if not isinstance(answer, Sat):
                return None
    return None


def _refuted(pieces: Sequence[V], solver: Solver) -> Sequence[V] | None:
    """Those that contradict each other; None if they have a model, or there is no answer."""
    if 0 in pieces:
        return (0,)
    answer = solver.check(pieces, QUERY_SECONDS)
    return answer.core if isinstance(answer, Unsat) else None


def _strangers(trace: TraceFormula) -> set[Term]:
    """The variables of components that no tracked predicate of the trace speaks of."""
    known = {variable for there in trace.tracked for variable in variables(*there)}
    values = [value for here in trace.instances for value in here.values.values()]
    return {variable for variable in variables(*values) if variable not in known}
