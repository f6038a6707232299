"""Which back edges and calls one round of unrolling follows, and the solver that it asks."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from math import inf

from counterpoint.core.events import SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Tools
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import BackEdge, Ends
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.objects import World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.solver.answers import Answer, Unsat
from counterpoint.solver.protocol import Solver
from counterpoint.term.term import V

PRUNE_SECONDS = 1.0
"""Limit of one feasibility query while unrolling."""

FRUITLESS = 2
"""So many feasibility queries about a back edge in a row whose runs exist, after which only some are asked."""


@dataclass(slots=True)
class Bounded(Ends):
    """Follows back edges up to `bound` undecided iterations and `steps` instructions in all.

    A run that nothing but constants decided so far, and that may not have failed yet, is all there is: it goes on,
    because stopping there would tell nothing and a later round would have to begin anew.
    It asks the solver whether a run gets there at all: at undecided iterations 4, 8, 16, ..., at every deeper
    recursion, and, `often` and as long as that is worth it, at each undecided iteration: loops that scan, skip or
    decode unroll into few runs and many that do not exist (`fruitless` counts, over all rounds, where it was not).
    With `every` all iterations count, decided or not, and steps do not.
    """

    bound: int
    steps: int
    context: SolverContext
    fruitless: Counter[str] = field(default_factory=Counter)
    every: bool = False
    often: bool = True
    hit_bound: bool = False
    hit_steps: bool = False

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        if self.every:
            return edge.repeated <= self.bound
        if edge.path == 1 and not so_far.failures:
            return True
        if so_far.steps > self.steps and (edge.repeated > self.bound or so_far.steps > 4 * self.steps):
            self.hit_steps = True
            return False
        if edge.undecided > self.bound:
            self.hit_bound = True
            return False
        if not self._worth_asking(edge):
            return True
        feasible = self.context.feasible(edge.path, so_far.world)
        here = _without_iterations(edge.name)
        self.fruitless[here] = self.fruitless[here] + 1 if feasible else 0
        return feasible

    def _worth_asking(self, edge: BackEdge) -> bool:
        count = edge.undecided
        if edge.recursion:
            return count >= 2
        often = self.often and self.fruitless[_without_iterations(edge.name)] < FRUITLESS
        return often or (count >= 4 and count & (count - 1) == 0 and edge.repeated == count)


def _without_iterations(name: str) -> str:
    """What all instances of one edge share: the name of `program.instances` without its numbers in brackets."""
    return re.sub(r"\[[^]]*\]", "", name)


@dataclass(slots=True)
class SolverContext:
    """One solver that is told the axioms of a world as they come up."""

    solver: Solver
    tools: Tools
    told: int = 0
    placed: set[int] = field(default_factory=set)

    def ask(self, purpose: str, question: V, world: World, seconds: float = inf) -> Answer:
        """Whether a run satisfies `question`; at most `seconds`, and what is left of the time."""
        if question == 0:
            return Unsat(())
        self._tell(question, world)
        before = self.tools.budget.elapsed()
        with self.solver.scope():
            self.solver.add(question)
            answer = self.solver.check(seconds=min(seconds, self.tools.budget.remaining()))
        spent = self.tools.budget.elapsed() - before
        self.tools.observe(SolverCall(purpose, type(answer).__name__.lower(), spent))
        return answer

    def feasible(self, path: V, world: World) -> bool:
        """False only if no run has this path."""
        if isinstance(path, int):
            return path == 1
        return not isinstance(self.ask("prune", path, world, PRUNE_SECONDS), Unsat)

    def _tell(self, question: V, world: World) -> None:
        new = world.axioms[self.told :]
        self.told = len(world.axioms)
        indices = set(mentioned_objects(question))
        for axiom in new:
            indices |= mentioned_objects(axiom)
            self.solver.add(axiom)
        if not indices <= self.placed:
            everything = self.placed | indices
            for axiom in address_axioms(world, everything, self.placed):
                self.solver.add(axiom)
            self.placed = everything
