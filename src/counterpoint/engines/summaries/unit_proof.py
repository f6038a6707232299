"""modelcheck({pre} f {post}): proofs of one function alone, for all callers and without a bound.

A function without loops is one region from its entry to its EXIT, and a pair one question about it; a model is an
input of the function on which the pair may be false. For a function with loops (or with calls of such) Houdini looks
for loop invariants, guarded by the precondition; what it does not keep is refuted by no input.

Source: [div, algorithm 1, lines 13 and 21]; the bound there is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.closure import reached
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Tools
from counterpoint.engines.summaries.summary import CallMade, State, Summary
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.unit import Interface
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.region_solver import RegionSolver
from counterpoint.program.graph import callees
from counterpoint.regions.cut_graph import CutGraph, Region, Way
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Model, Sat, Unsat
from counterpoint.term import build
from counterpoint.term.term import Term, V

QUESTION_SECONDS = 5.0
"""Limit of one question about a region."""

LOOP_SECONDS = 2.0
"""Limit of looking for the loop invariants of one pair."""

FIRST_STAGES = 2
"""Stages of candidates that unit proofs try."""

MOST_GUARDED = 300


@dataclass(frozen=True, slots=True)
class Proved:
    """The pair holds for all callers."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """The pair is false for these inputs, as far as is known of the summarised functions that are called there:
    `calls` are what the model says of these."""

    given: State
    calls: tuple[CallMade, ...] = ()


@dataclass(frozen=True, slots=True)
class Open:
    """Nothing is known of the pair."""


Answer: TypeAlias = Proved | Refuted | Open


@dataclass(slots=True)
class UnitProof:
    """Of one function, over its regions in the graph, where what `summaries` say of the functions that it calls is
    used. `proved` are loop invariants that proofs needed; `questions` counts what was asked."""

    graph: CutGraph
    faced: Interface
    summaries: Mapping[str, Summary]
    snapshots: Snapshots
    tools: Tools
    proved: list[Fact] = field(default_factory=list)
    questions: int = 0
    _solver: RegionSolver | None = None
    _below: CutGraph = field(init=False)
    _invariants: list[Fact] | None = None

    def __post_init__(self) -> None:
        self.move(self.graph)

    def move(self, graph: CutGraph) -> None:
        """To the graph of the same program in which other functions go by contract."""
        self.close()
        self.graph = graph
        program = graph.program
        names = reached(self.faced.function.name, lambda name: callees(program.functions[name]))
        regions = tuple(region for region in graph.regions if region.start[0] in names)
        cuts = {place: cut for place, cut in graph.cuts.items() if place[0] in names}
        self._below = replace(graph, regions=regions, cuts=cuts)
        self._invariants = None

    @property
    def name(self) -> str:
        return self.faced.function.name

    @property
    def straight(self) -> bool:
        """The function is one region, in which nothing is called by contract but summarised functions."""
        others = {region.start[0] for region in self._below.regions} - {self.name}
        own = [region for region in self._below.regions if region.start[0] == self.name]
        return len(own) == 1 and others <= self.summaries.keys()

    def _used(self) -> list[Fact]:
        """What the summaries say of the functions below."""
        names = dict.fromkeys(place[0] for place in self._below.cuts if place[0] != self.name)
        return [fact for name in names if name in self.summaries for fact in self.summaries[name].facts()]

    def check(self, pre: V, post: V) -> Answer:
        """Whether the function leaves `post` wherever `pre` held when it was called. Raises OutOfBudget."""
        self.tools.budget.spend()
        self.questions += 1
        fact = Fact(self.name, EXIT, build.implies(pre, post))
        if fact.formula == 1:
            return Proved()
        if self.straight:
            (region,) = self._below.regions_from((self.name, 0))
            return self._of_region(region, fact)
        return self._with_loops(pre, fact)

    # ------------------------------------------------------------ one region

    def _of_region(self, region: Region, fact: Fact) -> Answer:
        if self._solver is None:
            self._solver = RegionSolver(region, self._below, self.tools.observe, self.tools.seed)
        ways = [way for way in region.ways if way.target == fact.place]
        if not all(way.values.covers(fact.formula) for way in ways):
            return Open()
        seconds = min(QUESTION_SECONDS, self.tools.budget.remaining())
        match self._solver.violates([(way, fact) for way in ways], self._used(), seconds) if ways else Unsat():
            case Unsat():
                return Proved()
            case Sat(model):
                taken = next((way for way in ways if self._false_in(model, way, fact)), None)
                if taken is not None:
                    return Refuted(self._inputs(model, taken), tuple(self._calls(model, region)))
        return Open()

    def _false_in(self, model: Model, way: Way, fact: Fact) -> bool:
        return model.value(way.formula) == 1 and model.value(way.values.of(fact.formula)) == 0

    def _inputs(self, model: Model, way: Way) -> State:
        return _values(model, way.values.values, self.faced.inputs)

    def _calls(self, model: Model, region: Region) -> Iterator[CallMade]:
        for way in region.ways:
            if not way.leaves and way.returned is not None and model.value(way.formula) == 1:
                faced = self.summaries[way.target[0]].faced
                state = _values(model, way.returned.values, (*faced.inputs, *faced.outputs))
                yield CallMade(way.target[0], state)

    # ------------------------------------------------------------ loops

    def _with_loops(self, pre: V, fact: Fact) -> Answer:
        budget = Budget(min(LOOP_SECONDS, self.tools.budget.remaining()))
        houdini = Houdini(self._below, budget, self.tools.observe, self.tools.seed)
        try:
            houdini.extend([*self.proved, *self._used()])
            guarded = self._guarded(pre, self._guessed(budget))
            kept = houdini.extend([fact, *self._guessed(budget), *guarded])
        except OutOfBudget:
            return Open()
        finally:
            houdini.close()
        if fact not in kept:
            return Open()
        self.proved += [one for one in kept if one is not fact]
        return Proved()

    def _guessed(self, budget: Budget) -> list[Fact]:
        """Candidates at loop heads, and at the EXITs of what the function calls, for all callers."""
        if self._invariants is None:
            context = Context(self._below, self.snapshots, budget, self.tools.seed)
            found: dict[Fact, None] = {}
            for source in guesses.sources():
                if source.stage < FIRST_STAGES:
                    found.update(dict.fromkeys(source.candidates(context)))
            self._invariants = [f for f in surviving(found, self.snapshots) if f.block != 0]
        return self._invariants

    def _guarded(self, pre: V, facts: Iterable[Fact]) -> list[Fact]:
        """What may hold in the function's loops where its precondition did."""
        mine = [fact for fact in facts if fact.function == self.name and fact.block != EXIT]
        heads = dict.fromkeys(fact.block for fact in mine)
        found = [replace(fact, formula=build.implies(pre, fact.formula)) for fact in mine[:MOST_GUARDED]]
        return found if pre != 1 and heads else []

    def close(self) -> None:
        if self._solver is not None:
            self._solver.close()
            self._solver = None


def _values(model: Model, known: Mapping[Term, V], wanted: Iterable[Term]) -> State:
    """Of the components that have a value there."""
    found = [v for v in wanted if v in known]
    return dict(zip(found, model.values([known[v] for v in found]), strict=True))
