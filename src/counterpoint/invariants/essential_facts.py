"""Which facts of an inductive set are enough: those that the goals need and, in turn, those that these need.

    for each goal, then for each fact wanted so far, on each way to its place:
        nothing more where it follows from what is wanted already
        else the solver's core, without each part that can be left out

Cores alone are far from minimal where hundreds of facts say nearly the same, and a proof's re-check grows with what it
says of whom. What is wanted already costs nothing, so that goals agree on one way to say it. Source: deletion-based
minimal unsatisfiable subsets (Dershowitz, Hanna, Nadel, SAT 2006), over facts instead of clauses, as inductive subsets
are found in IC3's generalisation (Bradley, Manna, FMCAD 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.invariants.region_solver import Claim, RegionSolver, by_horizon
from counterpoint.regions.cut_graph import Region
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.solver.answers import Answer, Unsat
from counterpoint.term.walk import size

ASKED_SECONDS = 0.5
"""Limit of one question whether something can be left out; without an answer it stays."""

LEFT_OUT_SHARE = 0.6
"""Of the time, for leaving out parts of cores."""

Ask = Callable[[Sequence[Fact], float], Answer]


@dataclass(slots=True)
class EssentialFacts:
    """`solver` gives a region's, `assumed` those of the facts that a region may assume. Past LEFT_OUT_SHARE of the
    budget nothing more is left out of cores."""

    regions: Sequence[Region]
    solver: Callable[[Region], RegionSolver]
    assumed: Callable[[Region, Sequence[Fact]], list[Fact]]
    budget: Budget
    wanted: dict[Fact, None] = field(default_factory=dict)

    def of(self, roots: Iterable[Fact], facts: Sequence[Fact], *, failing: bool) -> list[Fact]:
        """Some of the `facts`, which are inductive together: the roots, with `failing` enough to exclude all failing
        checks, and enough for all of these to be inductive. Raises OutOfBudget, also where an answer that there was
        before does not come again."""
        self.wanted = dict.fromkeys(roots)
        for region in self.regions if failing else ():
            if region.failing != 0:
                self._want(region, (self.solver(region).fails,), facts)
        done = 0
        while done < len(self.wanted):
            batch = list(self.wanted)[done:]
            done += len(batch)
            for region in self.regions:
                self._keep(region, batch, facts)
        return list(self.wanted)

    def _keep(self, region: Region, batch: Sequence[Fact], facts: Sequence[Fact]) -> None:
        """Wants what the region needs to keep the facts of the batch."""
        solver = self.solver(region)
        claims = [(way, fact) for way in region.ways for fact in batch if fact.place == way.target]
        easy = [claim for claim in claims if not solver.is_hard(claim)]
        for group in by_horizon(solver, easy):
            known = self.assumed(region, list(self.wanted))
            if not isinstance(solver.violates(group, known, self._seconds()), Unsat):
                for claim in group:
                    self._want(region, (_violates(solver, claim), _violates(solver, claim, thorough=True)), facts)
        for claim in claims:
            if claim not in easy:
                self._want(region, (_violates(solver, claim, thorough=True),), facts)

    def _want(self, region: Region, ways_to_ask: Sequence[Ask], facts: Sequence[Fact]) -> None:
        """Wants facts with which the answer is Unsat, asked in the first way in which it is with all of them."""
        usable = self.assumed(region, facts)
        known = [fact for fact in usable if fact in self.wanted]
        more = sorted((fact for fact in usable if fact not in self.wanted), key=_dearness)
        for ask in ways_to_ask:
            if isinstance(ask(known, self._seconds()), Unsat):
                return
            answer = ask([*known, *more], self.budget.remaining())
            if isinstance(answer, Unsat):
                core = set(self.solver(region).core_in([*known, *more], answer))
                needed = self._without_parts(region, ask, known, [fact for fact in more if fact in core])
                self.wanted.update(dict.fromkeys(needed))
                return
        raise OutOfBudget("what was proved with all facts is not proved again")

    def _without_parts(self, region: Region, ask: Ask, known: list[Fact], more: list[Fact]) -> list[Fact]:
        """Less of `more` that is enough beside what is known: without halves, quarters, and so on to single facts, from
        the end on."""
        size = max(1, len(more) // 2)
        while size:
            end = len(more)
            while end and self.budget.elapsed() < LEFT_OUT_SHARE * self.budget.seconds:
                before, behind = more[: max(0, end - size)], more[end:]
                answer = ask([*known, *before, *behind], self._seconds())
                if isinstance(answer, Unsat):
                    core = set(self.solver(region).core_in([*known, *before, *behind], answer))
                    before, behind = ([fact for fact in part if fact in core] for part in (before, behind))
                    more = [*before, *behind]
                end = len(before)
            size //= 2
        return more

    def _seconds(self) -> float:
        self.budget.spend()
        return min(ASKED_SECONDS, self.budget.remaining())


def _violates(solver: RegionSolver, claim: Claim, *, thorough: bool = False) -> Ask:
    return lambda facts, seconds: solver.violates([claim], facts, seconds, thorough=thorough)


def _dearness(fact: Fact) -> tuple[int, int]:
    """What is to be left out rather: what quantifies, what is long."""
    return len(ghosts(fact.formula)), size(fact.formula)
