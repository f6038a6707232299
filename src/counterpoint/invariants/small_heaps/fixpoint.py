"""Houdini in small heaps: which facts are inductive there, whether they exclude failures, and which ones that needs.

Source: Flanagan and Leino, Houdini (FME 2001), over the small scopes of Jackson (Software Abstractions, 2006): what is
no invariant mostly fails to be one in a few blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.invariants.small_heaps.regions import SmallRegion
from counterpoint.regions.cut_graph import CutGraph, Place, Region
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Sat, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

SECONDS, GROUP_SECONDS = 10.0, 5.0
"""Limits of one question, and of one about several facts, which has halves; where it has no answer, nothing is assumed
of it."""


@dataclass(slots=True)
class SmallHeaps:
    """All regions of a graph without calls by contract, in small heaps. `facts` are those that `keep` kept."""

    graph: CutGraph
    budget: Budget
    seed: int = 0
    facts: dict[Place, list[Fact]] = field(default_factory=dict)
    _regions: dict[Place, SmallRegion] = field(default_factory=dict)

    def keep(self, candidates: Iterable[Fact]) -> list[Fact]:
        """Those of the candidates that are inductive together. Raises OutOfBudget."""
        active: dict[Place, dict[Fact, None]] = {place: {} for place in self.graph.cuts}
        for fact in candidates:
            if all(_says(region, fact) for region in self.graph.regions):
                active[fact.place][fact] = None
        waiting = list(self.graph.regions)
        while waiting:
            region = waiting.pop(0)
            changed = self._settle(region, active)
            waiting += [r for r in self.graph.regions if r.start in changed and r not in waiting]
        self.facts = {place: list(facts) for place, facts in active.items()}
        return [fact for facts in self.facts.values() for fact in facts]

    def _settle(self, region: Region, active: dict[Place, dict[Fact, None]]) -> set[Place]:
        """Drops facts until the region keeps the others; the places that lost some."""
        small, changed = self._region(region), set[Place]()
        claims = [(way, fact) for way in region.ways for fact in active.get(way.target, ())]
        waiting = [claims] if claims else []
        while waiting:
            group = [(way, fact) for way, fact in waiting.pop() if fact in active[fact.place]]
            violations = [small.violated(way, fact) for way, fact in group]
            goal = build.disjunction(violations)
            if goal == 0:
                continue
            match small.ask(list(active.get(region.start, ())), goal, SECONDS if len(group) == 1 else GROUP_SECONDS):
                case Sat(model):
                    both = zip(group, violations, strict=True)
                    wrong = [fact for (_, fact), violated in both if model.value(violated) == 1]
                    waiting.append(group)
                case Unsat():
                    continue
                case _ if len(group) > 1:
                    middle = len(group) // 2
                    waiting += [group[middle:], group[:middle]]
                    continue
                case _:
                    wrong = [fact for _, fact in group]
            changed |= {fact.place for fact in wrong}
            for fact in wrong:
                active[fact.place].pop(fact, None)
        return changed

    def _region(self, region: Region) -> SmallRegion:
        found = self._regions.get(region.start)
        if found is None:
            found = self._regions[region.start] = SmallRegion(region, self.graph, self.budget, self.seed)
        return found

    # ------------------------------------------------------------ what follows

    def is_safe(self) -> bool:
        """The facts exclude all failures."""
        for region in self.graph.regions:
            small = self._region(region)
            facts = self.facts.get(region.start, ())
            if not all(isinstance(small.ask(facts, goal, SECONDS), Unsat) for goal in small.failing):
                return False
        return True

    def needed(self, basic: Iterable[Fact] = ()) -> list[Fact]:
        """Facts that exclude all failures and keep themselves; the kept ones of the `basic` ones are among them."""
        kept = {fact for facts in self.facts.values() for fact in facts}
        wanted = dict.fromkeys(fact for fact in basic if fact in kept)
        pending = dict(wanted)
        for region in self.graph.regions:
            for goal in self._region(region).failing:
                self._want(region, goal, wanted, pending)
        while pending:
            fact = next(iter(pending))
            del pending[fact]
            for region in self.graph.regions:
                goals = [self._region(region).violated(way, fact) for way in region.ways if way.target == fact.place]
                for goal in goals:
                    self._want(region, goal, wanted, pending)
        return list(wanted)

    def _want(self, region: Region, goal: V, wanted: dict[Fact, None], pending: dict[Fact, None]) -> None:
        """Adds facts that exclude the goal, as few as are found by leaving out one by one."""
        small, every = self._region(region), self.facts.get(region.start, ())
        known = [fact for fact in every if fact in wanted]
        if isinstance(small.ask(known, goal, SECONDS), Unsat):
            return
        core: Sequence[Fact] = every
        for left_out in (None, *(fact for fact in every if fact not in wanted)):
            if left_out is not None and left_out not in core:
                continue
            rest = [fact for fact in core if fact is not left_out]
            answer = small.ask(rest, goal, SECONDS)
            if isinstance(answer, Unsat):
                core = small.core(rest, answer.core)
        for fact in core:
            if fact not in wanted:
                wanted[fact] = pending[fact] = None

    def close(self) -> None:
        """Frees the solvers."""
        for region in self._regions.values():
            region.close()
        self._regions.clear()


def _says(region: Region, fact: Fact) -> bool:
    """The fact has a meaning at either end of the region."""
    if region.start == fact.place and not region.start_values.covers(fact.formula):
        return False
    return all(way.values.covers(fact.formula) for way in region.ways if way.target == fact.place)
