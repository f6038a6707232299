"""An edge in a solver: its guard and the predicates at both ends have names there, so that each question is a few
assumptions over what was translated once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from counterpoint.core.events import Observer, SolverCall, ignore
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.solver.answers import Answer, SolverUnknown
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.solver.selectors import Selectors
from counterpoint.term.term import Term, V

QUERY_SECONDS = 5.0
"""Limit of one question; without an answer, the abstraction says less."""

MOST_OPEN = 200
"""Circuits kept open at a time; the ones that were used least recently are closed."""


@dataclass(slots=True)
class Counts:
    """`asked` solver calls, the `seconds` in them, and how many were `unknown`."""

    asked: int = 0
    unknown: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Circuit:
    """The edge's guard is asserted; `before` and `after` name what a predicate says at either end."""

    solver: Solver
    edge: Edge
    formulas: EdgeFormulas
    counts: Counts
    observe: Observer
    _before: Selectors[V] = field(init=False)
    _after: Selectors[V] = field(init=False)

    def __post_init__(self) -> None:
        self._before, self._after = Selectors(self.solver, "before"), Selectors(self.solver, "after")

    def before(self, predicate: V) -> V:
        """Its name at the source."""
        return self._before.define(predicate, predicate)

    def after(self, predicate: V) -> V:
        """Its name at the target; 0 or 1 where the edge settles it."""
        said = self.formulas.said(self.edge, predicate)
        if predicate not in self._after:
            for axiom in said.axioms:
                self.solver.add(axiom)
        return self._after.define(predicate, said.formula)

    def check(self, assumptions: Sequence[V], seconds: float = QUERY_SECONDS) -> Answer:
        """Is there a run over the edge on which these hold?"""
        started = time.monotonic()
        answer = self.solver.check([a for a in assumptions if a != 1], seconds)
        took = time.monotonic() - started
        self.counts.asked += 1
        self.counts.seconds += took
        self.counts.unknown += isinstance(answer, SolverUnknown)
        self.observe(SolverCall("abstraction", type(answer).__name__, took))
        return answer

    @contextmanager
    def scope(self) -> Iterator[Callable[[V], None]]:
        """What is added inside is about names that exist already, and is taken back."""
        with self.solver.scope():
            yield self.solver.add


@dataclass(slots=True)
class Circuits:
    """The circuits of all edges, opened when they are needed."""

    formulas: EdgeFormulas
    solver: str
    seed: int = 0
    observe: Observer = ignore
    counts: Counts = field(default_factory=Counts)
    _open: dict[tuple[Edge, tuple[V, ...]], Circuit] = field(default_factory=dict)

    def of(self, edge: Edge) -> Circuit:
        """The edge's, as callees return now."""
        key = edge, self.formulas.assumed(edge)
        circuit = self._open.pop(key, None)
        if circuit is None:
            solver = backend(self.solver).connect(Settings(self.seed))
            solver.add(self.formulas.guard(edge))
            circuit = Circuit(solver, edge, self.formulas, self.counts, self.observe)
        self._open[key] = circuit
        if len(self._open) > MOST_OPEN:
            self._open.pop(next(iter(self._open))).solver.close()
        return circuit

    def close(self) -> None:
        """Frees the solvers."""
        for circuit in self._open.values():
            circuit.solver.close()
        self._open.clear()


def is_name(value: V) -> bool:
    """Not settled by the edge."""
    return isinstance(value, Term)
