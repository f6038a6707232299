"""Facts from counterexamples to induction: they are false in a state from which a failure was reached.

Two ways to find them: templates that are false in the state (`against`), of which Houdini keeps the inductive
ones; and `Blocker`, which looks for an inductive clause that excludes just that state and shortens it.

Source: counterexamples to induction and inductive generalisation as in IC3 (Bradley, VMCAI 2011).
Deviations: no frames, every clause is inductive by itself relative to what is proved; the literals of a
clause are bounds and comparisons of two components instead of bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import combinations

from counterpoint.core.budget import Budget
from counterpoint.core.events import Observer
from counterpoint.core.records import dataclass
from counterpoint.engines.kinduction.chains import Reached, scalars
from counterpoint.invariants.region_solver import RegionSolver
from counterpoint.regions.cut_graph import START, CutGraph, Place
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

MAX_PAIRED = 16
"""Components of one width that are compared with one another."""

MAX_DEPTH = 6
"""How far back predecessors of a state are blocked first."""

QUERY_SECONDS = 0.5


def against(states: Iterable[Reached]) -> list[Fact]:
    """Facts each of which is false in one of the states, and so excludes the run through them; in a fixed order."""
    found: dict[Fact, None] = {}
    for state in states:
        for formula in _false_in(state):
            if formula not in (0, 1):
                found[Fact(*state.place, formula)] = None
    return list(found)


def _false_in(state: Reached) -> Iterator[V]:
    by_width: dict[int, list[Term]] = {}
    for component, value in state.values.items():
        if component.sort is BOOL:
            yield build.not_(component) if value else component
        elif isinstance(component.sort, BitVec):
            by_width.setdefault(component.sort.width, []).append(component)
            yield from _bounds(component, value, component.sort.width)
    for width, group in by_width.items():
        for one, two in combinations(group[:MAX_PAIRED], 2):
            yield from _relations(one, two, state.values[one], state.values[two], width)


def _bounds(component: Term, value: int, width: int) -> Iterator[V]:
    yield build.slt(component, value, width)
    yield build.slt(value, component, width)
    yield build.ult(component, value, width)
    yield build.ult(value, component, width)
    yield build.ne(component, value, width)


def _relations(one: Term, two: Term, left: int, right: int, width: int) -> Iterator[V]:
    sign = 1 << (width - 1)
    if left == right:
        yield build.ne(one, two, width)
        for less in (build.slt, build.ult):
            yield less(one, two, width)
            yield less(two, one, width)
        return
    yield build.eq(one, two, width)
    low, high = (one, two) if left ^ sign < right ^ sign else (two, one)
    yield build.sle(high, low, width)
    low, high = (one, two) if left < right else (two, one)
    yield build.ule(high, low, width)


# ---------------------------------------------------------------- clauses


@dataclass(slots=True)
class Blocker:
    """Finds inductive clauses that exclude states. `proved` gives what may be assumed at a place."""

    graph: CutGraph
    proved: Callable[[Place], Sequence[Fact]]
    observe: Observer
    seed: int = 0
    found: list[Fact] = field(default_factory=list)
    _solvers: dict[Place, RegionSolver] = field(default_factory=dict)

    def block(self, state: Reached, budget: Budget, depth: int = 0) -> Fact | None:
        """A clause that is false in the state and inductive relative to what is proved and `found`, to which it
        is added; None if there is none within the budget. Raises OutOfBudget.
        """
        literals = list(_literals(state))
        while True:
            budget.spend()
            before = self._predecessor(state.place, literals)
            if before is None:
                break
            if depth >= MAX_DEPTH or before.place == START or not before.values:
                return None
            if self.block(before, budget, depth + 1) is None:
                return None
        clause = Fact(*state.place, build.disjunction(self._shortened(state.place, literals, budget)))
        self.found.append(clause)
        return clause

    def _shortened(self, place: Place, literals: list[V], budget: Budget) -> list[V]:
        """Without literals that it can do without, tried in ever smaller groups."""
        step = max(1, len(literals) // 2)
        while True:
            position = 0
            while position < len(literals):
                budget.spend()
                fewer = literals[:position] + literals[position + step :]
                if fewer and self._predecessor(place, fewer) is None:
                    literals = fewer
                else:
                    position += step
            if step == 1:
                return literals
            step = max(1, step // 2)

    def _predecessor(self, place: Place, literals: Sequence[V]) -> Reached | None:
        """A state from which the clause may be lost, without values where none is known; None if there is none."""
        clause = Fact(*place, build.disjunction(list(literals)))
        for region in self.graph.regions:
            claims = [(way, clause) for way in region.ways if way.target == place]
            if not claims:
                continue
            if not all(way.values.covers(clause.formula) for way, _ in claims):
                return Reached(START, {})
            known = [*self.proved(region.start), *(fact for fact in self.found if fact.place == region.start)]
            if region.start == place:
                known.append(clause)
            match self._solver(region.start).violates(claims, known, QUERY_SECONDS):
                case Unsat():
                    continue
                case Sat(model) if region.start != START:
                    values = region.start_values.values
                    wanted = [v for v in scalars(self.graph, region.start) if v in values]
                    return Reached(region.start, {v: model.value(values[v]) for v in wanted})
                case _:
                    return Reached(START, {})
        return None

    def _solver(self, place: Place) -> RegionSolver:
        if place not in self._solvers:
            (region,) = self.graph.regions_from(place)
            self._solvers[place] = RegionSolver(region, self.graph, self.observe, self.seed)
        return self._solvers[place]

    def close(self) -> None:
        for solver in self._solvers.values():
            solver.close()


def _literals(state: Reached) -> Iterator[V]:
    """What distinguishes other states from this one; comparisons of two components come, and are dropped, first."""
    groups: dict[int, list[Term]] = {}
    for component in state.values:
        if isinstance(component.sort, BitVec):
            groups.setdefault(component.sort.width, []).append(component)
    for width, group in groups.items():
        for one, two in combinations(group[:MAX_PAIRED], 2):
            sign = 1 << (width - 1)
            left, right = state.values[one] ^ sign, state.values[two] ^ sign
            if left <= right:
                yield build.slt(two, one, width)
            if left >= right:
                yield build.slt(one, two, width)
    for component, value in state.values.items():
        if component.sort is BOOL:
            yield build.not_(component) if value else component
        elif isinstance(component.sort, BitVec):
            width = component.sort.width
            below, above = build.slt(component, value, width), build.slt(value, component, width)
            yield from (literal for literal in (below, above) if literal != 0)
