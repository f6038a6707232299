"""Questions about runs of a given number of regions, with facts that may be assumed along them.

One incremental solver serves a growing chain (regions/chain.py). Facts are behind selectors, so that a core tells
which of them were needed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from counterpoint.core.events import Observer, SolverCall
from counterpoint.core.records import dataclass
from counterpoint.program.inputs import Input
from counterpoint.regions.chain import Chain
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.region_copy import RegionCopy
from counterpoint.semantics.components import Base, Counter, variable_of
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Answer, Model, Unsat
from counterpoint.solver.protocol import Solver
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V


@dataclass(frozen=True, slots=True)
class Reached:
    """A state at a place: values of its components, as far as they are carried and no arrays or floats."""

    place: Place
    values: Mapping[Term, int]


@dataclass(slots=True)
class ChainSolver:
    """Runs through `chain`; `seconds` is the time that its queries took. It closes `solver` at the end."""

    chain: Chain
    solver: Solver
    observe: Observer
    purpose: str
    seconds: float = 0.0
    queries: int = 0
    _facts: Selectors[Fact] = field(init=False)
    _questions: Selectors[int] = field(init=False)
    _simple: Selectors[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self._facts = Selectors(self.solver, "fact")
        self._questions = Selectors(self.solver, "fails")
        self._simple = Selectors(self.solver, "simple")
        for level in self.chain.levels:
            self._add(level)

    def reach(self, depth: int) -> None:
        """Unrolls until there are copies at `depth`."""
        while len(self.chain.levels) <= depth:
            self._add(self.chain.extend())

    def assume(self, facts: Iterable[Fact]) -> None:
        """Adds proved facts, at all depths."""
        for fact in facts:
            if fact not in self._facts:
                self._facts.switch(fact)
                for level in self.chain.levels:
                    for copy in level:
                        self._mean(fact, copy)

    def fails(self, depth: int, seconds: float, *, simple: bool = False) -> Answer:
        """Is there a run on which a check fails (or something without a meaning is met) at `depth`?

        With `simple`, only runs that are not twice in the same state up to there; states have to be comparable.
        """
        self.reach(depth)
        if depth not in self._questions:
            failing = build.disjunction([copy.failing for copy in self.chain.levels[depth]])
            if failing == 0:
                return Unsat(())
            self._questions.switch(depth, [failing])
        before = time.monotonic()
        apart = [self._apart(d) for d in range(1, depth + 1)] if simple else []
        facts = [name for _, name in self._facts.named()]
        answer = self.solver.check([self._questions.switch(depth), *facts, *apart], seconds)
        spent = time.monotonic() - before
        self.seconds += spent
        self.queries += 1
        self.observe(SolverCall(self.purpose, type(answer).__name__.lower(), spent))
        return answer

    def used(self, core: Iterable[V]) -> list[Fact]:
        """The facts of an unsat core."""
        return self._facts.chosen(core)

    def repeats(self, depth: int, model: Model) -> bool:
        """The model's run is twice in the same state up to `depth`. States have to be comparable."""
        return any(model.value(formula) == 0 for d in range(depth + 1) for formula in self._pairs(d))

    def used_simple(self, core: Iterable[V]) -> bool:
        """Whether an unsat core holds for runs without repeated states only."""
        return bool(self._simple.chosen(core))

    def _apart(self, depth: int) -> V:
        """Selects runs whose state at `depth` is none of those before. Made anew when more components are carried,
        as fewer states are equal then."""
        key = (depth, self.chain.carried)
        return self._simple.switch(key, self._pairs(depth))

    def _pairs(self, depth: int) -> Iterator[V]:
        """By a copy at `depth` and one before it of its place: a run that gets to both differs there."""
        earlier = [copy for level in self.chain.levels[:depth] for copy in level]
        for new in self.chain.levels[depth]:
            yield from (self.chain.apart(old, new) for old in earlier if old.place == new.place)

    def close(self) -> None:
        self.solver.close()

    def _add(self, level: list[RegionCopy]) -> None:
        for copy in level:
            for formula in copy.constraints():
                self.solver.add(formula)
            for fact, _ in self._facts.named():
                self._mean(fact, copy)

    def _mean(self, fact: Fact, copy: RegionCopy) -> None:
        for formula in self.chain.meanings(fact, copy):
            self._facts.extend(fact, formula)


# ---------------------------------------------------------------- what a model says


def visited(chain: Chain, depth: int, model: Model) -> list[RegionCopy]:
    """The copies that the model's run goes through, up to `depth`."""
    return [i for level in chain.levels[: depth + 1] for i in level if model.value(i.arrived) == 1]


def states(chain: Chain, depth: int, model: Model) -> list[Reached]:
    """The states at the cut points of the model's run, the first first."""
    found: list[Reached] = []
    for copy in visited(chain, depth, model):
        wanted = [v for v in scalars(chain.graph, copy.place) if v in copy.entry]
        found.append(Reached(copy.place, {v: model.value(copy.entry[v]) for v in wanted}))
    return found


def scalars(graph: CutGraph, place: Place) -> list[Term]:
    """The variables of a place's components that are numbers: no arrays, floats or addresses of objects."""
    variables = [
        variable_of(component, graph.program.layout.pointer_bits)
        for component in graph.components(place)
        if not isinstance(component, Base | Counter)
    ]
    return [v for v in variables if isinstance(v.sort, BitVec) or v.sort is BOOL]


def inputs_of(chain: Chain, depth: int, model: Model) -> tuple[Input, ...]:
    """The arbitrary values that the model's run from the START consumes, in its order."""
    inputs: list[Input] = []
    for copy in visited(chain, depth, model):
        inputs += inputs_from(copy.region.world, Model(_InRegion(copy, model)))
    return tuple(inputs)


@dataclass(frozen=True, slots=True)
class _InRegion:
    """The values of a region's own variables at one depth of a chain's model."""

    copy: RegionCopy
    model: Model

    def value(self, leaf: Term) -> Given | None:
        if leaf.op not in (Op.VARIABLE, Op.ADDRESS):
            return None
        (found,) = self.model.values([self.copy.now.meaning(leaf)])
        return found
