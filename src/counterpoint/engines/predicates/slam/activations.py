"""Error traces of Boolean programs as traces of the program: abstract states, and activations inside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge
from counterpoint.engines.predicates.slam.layers import Trace
from counterpoint.engines.predicates.slam.program import BooleanProgram
from counterpoint.engines.predicates.slam.relations import Values
from counterpoint.engines.predicates.traces.activations import Abstract, Activation
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import V


def activation_of(program: BooleanProgram, trace: Trace) -> Activation:
    """The trace with the runs of callees inside. Callees in which the error is belong to the whole run's activation, as
    in engines/predicates/calls.py; a call that the trace leaves out is not entered."""
    back = _returning(trace)
    names = iter(range(1, len(trace.edges) + 1))
    frames = [_Frame("", abstract=[_abstract(program, START, ())])]
    for number, edge in enumerate(trace.edges):
        here, there = frames[-1], _behind(program, trace, number)
        if number in back:
            frames.append(_Frame(f"{next(names)}.", edge.call, abstract=[there]))
            continue
        here.follow(edge, there)
        if edge.target[1] == EXIT:
            frames.pop()
            frames[-1].over[here.call] = here.activation()
    (whole,) = frames
    return whole.activation()


def nothing_else(callee: str, limit: float) -> V:
    """Calls that are not entered are not made: of `formula_of`."""
    return 0


@dataclass(slots=True)
class _Frame:
    """An activation that grows; `over` are the calls that the next edge goes over."""

    name: str
    call: int = NO_CALL
    edges: list[Edge] = field(default_factory=list)
    abstract: list[Abstract] = field(default_factory=list)
    entered: dict[tuple[int, int], Activation] = field(default_factory=dict)
    over: dict[int, Activation] = field(default_factory=dict)

    def follow(self, edge: Edge, there: Abstract) -> None:
        for call, inner in self.over.items():
            self.entered[len(self.edges), call] = inner
        self.over.clear()
        self.edges.append(edge)
        self.abstract.append(there)

    def activation(self) -> Activation:
        limits = (math.inf,) * len(self.edges)
        return Activation(self.name, tuple(self.edges), limits, tuple(self.abstract), self.entered)


def _returning(trace: Trace) -> set[int]:
    """The numbers of edges into callees that come back."""
    entered: list[int] = []
    found: set[int] = set()
    for number, edge in enumerate(trace.edges):
        if edge.call != NO_CALL:
            entered.append(number)
        if edge.target[1] == EXIT:
            found.add(entered.pop())
    return found


def _behind(program: BooleanProgram, trace: Trace, number: int) -> Abstract:
    return _abstract(program, trace.edges[number].target, trace.states[number])


def _abstract(program: BooleanProgram, place: Place, values: Values) -> Abstract:
    tracked: Sequence[V] = [t.predicate for t in program.tracked.get(place, ())] if values else []
    literals = (p if value else build.not_(p) for p, value in zip(tracked, values, strict=True))
    return Abstract(build.conjunction(literals), tuple(tracked))
