"""Calls in the region graph: summaries of functions, refined by tests and by search inside the callee.

A function's summary is its EXIT regions; they speak of parameters, results and global objects. Edges pass a call by
contract: the callee comes back in some EXIT region that may be assumed. That is one which a run has visited, and none
else: the others are *closed*, and the search wants to know of each whether it can be reached, as it does of ERROR.
What was shown of edges meanwhile holds if no run gets to closed regions, so nothing is proved before no edges lead
there. When a run gets to one after all, it is opened, and what does not hold any more gets its edges back.

If a step is possible by contract only, the callee's EXIT region is split by what its result has to be for the step;
one half is closed. Recursive calls are no exception: by induction on the run, a function that is called inside itself
has come back in one of its EXIT regions. So summaries get inductive, and no depth of recursion is a bound.

Source: Beckman, Nori, Rajamani, Simmons, "Proofs from Tests" (ISSTA 2008), section 4 (entry condition, callee, exit
condition; the answer is a test or a refined summary). Deviations: summaries are shared by all callers; there is one
search with many goals in place of recursive ones, over runs of the whole program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit
from counterpoint.engines.dash.frontier import QUERY_SECONDS, Questions
from counterpoint.engines.dash.region_graph import Region
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import Locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.solver.answers import Unsat
from counterpoint.term import build
from counterpoint.term.term import V

Side: TypeAlias = tuple[Place, tuple[V, ...]]
"""States at a place with these literals."""


@dataclass(frozen=True, slots=True)
class Claim:
    """No step over calls leads from states of the one side to states of the other."""

    before: Side
    after: Side


@dataclass(slots=True)
class Calls:
    """Which EXIT regions may be assumed of callees, and what was shown with that.

    `closed` are the unvisited EXIT leaves that are assumed to be out of reach; `granted` counts those that were opened
    without a visit. `facts_used`: claims may rest on facts, where the step begins or at
    a callee's EXIT.
    """

    where: Locations
    explored: Explored
    closed: list[Region[Visit]] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    granted: int = 0
    facts_used: bool = False

    def begin(self) -> None:
        """At first no function is known to return."""
        roots = self.explored.forest.roots
        self.closed = [roots[f, EXIT] for f in sorted(self.where.contracts) if (f, EXIT) in roots]

    def allowed(self, place: Place) -> V:
        """The states at a callee's EXIT that may be assumed after a call; none of a function that has no return."""
        if place not in self.explored.forest.roots:
            return 0
        closed = set(self.closed)
        inside: dict[Region[Visit], V] = {}
        waiting = [self.explored.forest.roots[place]]
        while waiting:
            region = waiting[-1]
            if region.split_by is None:
                inside[waiting.pop()] = int(region not in closed)
                continue
            assert region.holds is not None and region.fails is not None
            if region.fails not in inside:
                waiting += [region.fails, region.holds]
                continue
            yes, no = inside[region.holds], inside[region.fails]
            one, other = build.and_(region.split_by, yes), build.and_(build.not_(region.split_by), no)
            inside[waiting.pop()] = yes if yes == no else build.or_(one, other)
        return inside[self.explored.forest.roots[place]]

    @property
    def untouched(self) -> bool:
        """All functions may return, and nothing more is assumed of how they do."""
        roots = self.explored.forest.roots.items()
        return not self.closed and all(region.is_leaf for place, region in roots if place[1] == EXIT)

    def goals(self) -> list[Region[Visit]]:
        """The closed regions to which edges lead."""
        return [region for region in self.closed if region.before]

    # ------------------------------------------------------------ splitting, opening

    def split(self, region: Region[Visit], predicate: V) -> None:
        """Splits an EXIT leaf that is not closed; the half where the predicate holds, which has no visits, is."""
        holds, _ = self.explored.split(region, predicate)
        assert not holds.visits
        self.closed.append(holds)

    def visited(self) -> bool:
        """Opens closed regions that runs have visited since; whether there were some."""
        count = len(self.closed)
        self.closed = [region for region in self.closed if not region.visits]
        return len(self.closed) < count

    def grant(self, regions: Iterable[Region[Visit]]) -> None:
        """Opens regions of which it is not known whether runs get there."""
        opened = set(regions)
        self.granted += len(opened)
        self.closed = [region for region in self.closed if region not in opened]

    def check_again(self, questions: Questions) -> bool:
        """After closed regions were opened: edges come back of which cannot be shown any more that no step takes them;
        whether there were some. A query for each claim over calls."""
        kept: list[Claim] = []
        lost: list[Claim] = []
        for claim in self.claims:
            (kept if self._holds(claim, questions) else lost).append(claim)
        self.claims = kept
        forest = self.explored.forest
        for claim in lost:
            for source in self._leaves(claim.before):
                for target in self._leaves(claim.after):
                    forest.connect(source, target)
        again = {(claim.before[0], claim.after[0]) for claim in lost}
        for claim in kept:
            if (claim.before[0], claim.after[0]) in again:
                forest.disconnect_all(claim.before, claim.after)
        return bool(lost)

    def _leaves(self, side: Side) -> list[Region[Visit]]:
        return [leaf for leaf in self.explored.forest.leaves(side[0]) if leaf.fulfils(side[1])]

    def _holds(self, claim: Claim, questions: Questions) -> bool:
        (place, before), (target, after) = claim.before, claim.after
        crossing = questions.preimages.crossing(place, target, after)
        facts = questions.facts.get(place, ())
        formulas = [crossing.formula, *crossing.literals, *before, *facts]
        holds = isinstance(questions.paths.queries.check(formulas, (), QUERY_SECONDS, "claim"), Unsat)
        known = facts or any(questions.facts.get((f, EXIT)) for f in self.where.contracts)
        self.facts_used = self.facts_used or (holds and bool(known))
        return holds

    def claim(self, before: tuple[Place, Iterable[V]], after: tuple[Place, Iterable[V]], questions: Questions) -> None:
        """Removes the edges between these sides, of which it was shown that no step takes them."""
        sides = (before[0], tuple(before[1])), (after[0], tuple(after[1]))
        self.explored.forest.disconnect_all(*sides)
        if questions.passes_calls(before[0], after[0]):
            self.claims.append(Claim(*sides))
            self.facts_used = self.facts_used or any(questions.facts.get((f, EXIT)) for f in self.where.contracts)
