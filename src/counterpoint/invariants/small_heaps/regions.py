"""A region's questions in a small heap, answered by one incremental solver.

Facts are assumed for all blocks of the heap, and claimed for all that there are at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import product

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.invariants.small_heaps.states import SmallState
from counterpoint.invariants.small_heaps.values import Evaluation, Value
from counterpoint.regions.cut_graph import CutGraph, Region, Way
from counterpoint.regions.instance import Instance
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.solver.answers import Answer
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.term import Term, V


@dataclass(slots=True)
class SmallRegion:
    """One region, with facts behind switches. `failing`: how a run of it may fail, part by part."""

    region: Region
    graph: CutGraph
    budget: Budget
    seed: int = 0
    failing: list[V] = field(init=False)
    _state: SmallState = field(init=False)
    _values: Evaluation = field(init=False)
    _selectors: Selectors[tuple[str, object]] = field(init=False)
    _violated: dict[tuple[int, V], V] = field(default_factory=dict)
    _components: dict[int, dict[Term, Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        region = self.region
        self._state = SmallState(region, self.graph.points, self.graph.program.layout.pointer_bits)
        self._values = Evaluation(self._state.leaf)
        self._selectors = Selectors(backend("bitwuzla").connect(Settings(self.seed)), "small")
        for axiom in (*region.assumed, *region.world.axioms):
            self._selectors.solver.add(self._values.truth(axiom))
        parts = [*(failure.formula for failure in region.failures), *(block.formula for block in region.blocks)]
        self.failing = [value for part in parts if (value := self._values.truth(part)) != 0]

    def _said(self, where: Instance, formula: V, blocks: Sequence[int]) -> Iterator[V]:
        """What a fact says of this state, for each choice of its ghosts among the blocks."""
        self.budget.spend()
        known = self._components.setdefault(id(where), {})
        quantified = ghosts(formula)
        for chosen in product(blocks, repeat=len(quantified)):
            given = dict(zip(quantified, chosen, strict=True))

            def leaf(term: Term, given: dict[Term, int] = given) -> Value:
                if term in given:
                    return given[term]
                if term not in known:
                    known[term] = self._values.of(where.meaning(term))
                return known[term]

            yield Evaluation(leaf).truth(formula)

    def _assumed(self, fact: Fact) -> V:
        """A switch for the fact at the start."""
        key = "fact", fact
        if key in self._selectors:
            return self._selectors.switch(key)
        return self._selectors.switch(key, self._said(self.region.start_values, fact.formula, self._state.starts))

    def violated(self, way: Way, fact: Fact) -> V:
        """The way is taken, and the fact is false at its end."""
        key = id(way), fact.formula
        found = self._violated.get(key)
        if found is None:
            blocks = [*self._state.starts, *self._state.made]
            said = build.conjunction(list(self._said(way.values, fact.formula, blocks)))
            found = self._violated[key] = build.and_(self._values.truth(way.formula), build.not_(said))
        return found

    def ask(self, hypotheses: Sequence[Fact], goal: V, seconds: float) -> Answer:
        """Whether the goal is possible where the facts hold at the start. Raises OutOfBudget."""
        self.budget.spend()
        name = self._selectors.define(("goal", goal), goal)
        limit = min(seconds, self.budget.remaining())
        return self._selectors.solver.check([*(self._assumed(fact) for fact in hypotheses), name], limit)

    def core(self, hypotheses: Sequence[Fact], core: Sequence[V]) -> list[Fact]:
        """Those of the facts whose switches are in an unsat core."""
        needed = set(core)
        return [fact for fact in hypotheses if self._assumed(fact) in needed]

    def close(self) -> None:
        """Frees the solver."""
        self._selectors.solver.close()
