"""Houdini: the strongest inductive conjunction of given candidates, over all loops and functions at once.

Source: [srtool, section VII]; Flanagan and Leino, Houdini (FME 2001). All candidates are assumed where a region
starts and claimed where it ends. A model of a region's run that violates some claims refutes all candidates that
are false in it, not just one. What is left when no region has such a run is inductive together.

Deviations: regions between cut points instead of single loops (nested loops and recursive functions take part
alike); candidates of a later stage are tried on top of what is already proved, so each stage is a smaller
problem; a candidate whose query the solver gives up on is dropped, never kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Observer, ignore
from counterpoint.core.records import dataclass
from counterpoint.invariants.essential_facts import EssentialFacts
from counterpoint.invariants.plainly import possible
from counterpoint.invariants.region_solver import Claim, RegionSolver, by_horizon
from counterpoint.program.cutting import behind
from counterpoint.regions.cut_graph import CutGraph, Place, Region, Way
from counterpoint.regions.summary import Block
from counterpoint.semantics.facts import Fact, is_about_blocks
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat

QUERY_SECONDS = 4.0
"""Limit of one query about many claims."""

PLAIN_SECONDS = 1.0
"""Of one region, for what cannot fail there by its own formula."""

REDUCING_SHARE = 0.2
"""Of the time left, for finding out which facts a proof needs."""

FEWER_SECONDS = 1.0
FEWER_SHARE = 0.3
"""At most, for leaving out those that it does not need although cores have them: seconds, and a part of the time that
proving took."""

CONTRACT_PATIENCE = 4
"""How much longer that is in functions that go by contract."""

BLOCK_PATIENCE = 3
"""How much longer a query may take that is about facts about blocks, of which each may hang on all others."""

SMALLEST_GROUP = 8
"""Candidates that are not halved when their time is over."""

SMALLEST_PART = 4
"""Claims that are not halved when the solver is silent about them."""

CLAIM_SECONDS = 1.0
"""Limit of one query about a part of the claims, after the common one got no answer; less after each silence."""


FIRST_SHARE = 0.4
UNMET_SHARE = 0.5
"""Of the time for telling which checks hold, for those in front of all that has no meaning; of what is left then, for
what of that is met."""


@dataclass(slots=True)
class HoudiniStatistics:
    """`decided` candidates by the solver, of which `kept`; `gave_up` were dropped for want of an answer."""

    decided: int = 0
    kept: int = 0
    gave_up: int = 0
    queries: int = 0
    rounds: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class InFront:
    """Checks that `facts` exclude where no run goes on behind what has no meaning and was `met`."""

    checks: frozenset[int]
    facts: list[Fact]
    met: tuple[Block, ...]


@dataclass(slots=True)
class Houdini:
    """Proved facts of a program, growing stage by stage. `facts` are inductive together at any time; `unsettled` are
    candidates that were left when a solver was silent about one of them, or time was over: no model says that those
    that are not proved are wrong."""

    graph: CutGraph
    budget: Budget
    observe: Observer = ignore
    seed: int = 0
    normalize: bool = True
    facts: dict[Place, list[Fact]] = field(default_factory=dict)
    statistics: HoudiniStatistics = field(default_factory=HoudiniStatistics)
    supported: list[Fact] = field(default_factory=list)
    unsettled: dict[Fact, None] = field(default_factory=dict)
    _solvers: dict[Place, RegionSolver] = field(default_factory=dict)
    _safe: set[Place] = field(default_factory=set)
    _until: float = float("inf")
    _silent: int = 0
    _thorough: bool = False
    _patience: float = 1.0
    _doubts: bool = False

    # ------------------------------------------------------------ the fixpoint

    def extend(
        self,
        candidates: Iterable[Fact],
        seconds: float | None = None,
        *,
        thorough: bool = False,
        patience: float = 1.0,
    ) -> list[Fact]:
        """Adds those of the candidates that are inductive on top of what is proved; returns them.

        `thorough`: each claim by itself, with proved facts that multiply unknowns as well; else these only serve
        claims of their kind. `patience`: how many times as long queries may take.
        Candidates about components that have no value somewhere are dropped. What is not settled in half of the
        `seconds` is tried in halves, the first candidates first; what is not settled then proves nothing. Raises
        OutOfBudget; what was proved before stays proved.
        """
        began = self.budget.elapsed()
        until = began + min(self.budget.remaining(), self.budget.seconds if seconds is None else seconds)
        self._silent = 0
        self._thorough = thorough
        self._patience = patience
        waiting, kept = [list(candidates)], list[Fact]()
        while waiting and self.budget.elapsed() < until:
            group = waiting.pop()
            active = self._usable(group)
            self.statistics.decided += sum(map(len, active.values()))
            left = until - self.budget.elapsed()
            halves = len(group) > SMALLEST_GROUP
            self._until = self.budget.elapsed() + (left / 2 if halves else left)
            if self._fixpoint(active):
                found = [fact for facts in active.values() for fact in facts]
                for fact in found:
                    self.facts.setdefault(fact.place, []).append(fact)
                    self.unsettled.pop(fact, None)
                kept += found
                continue
            self._note(active)
            if halves:
                alive = {fact for facts in active.values() for fact in facts}
                rest = [fact for fact in dict.fromkeys(group) if fact in alive]
                waiting += [rest[len(rest) // 2 :], rest[: len(rest) // 2]]
        self._until = float("inf")
        self._patience = 1.0
        self.statistics.kept += len(kept)
        self.statistics.seconds += self.budget.elapsed() - began
        return kept

    def _fixpoint(self, active: dict[Place, list[Fact]]) -> bool:
        """Drops candidates until the others are inductive; False if time was over before."""
        waiting = deque(self.graph.regions)
        while waiting and any(active.values()):
            self.budget.spend()
            changed = self._settle(waiting.popleft(), active)
            if self.budget.elapsed() >= self._until:
                return False
            waiting.extend(r for r in self.graph.regions if r not in waiting and self._depends(r, changed))
        return True

    def _note(self, active: Mapping[Place, Sequence[Fact]]) -> None:
        """These are unsettled."""
        self.unsettled.update((fact, None) for facts in active.values() for fact in facts)

    def _usable(self, candidates: Iterable[Fact]) -> dict[Place, list[Fact]]:
        """By place, without repetitions, trivial ones, and those that some region cannot express."""
        known = {(fact.place, fact.formula) for facts in self.facts.values() for fact in facts}
        active: dict[Place, list[Fact]] = {place: [] for place in self.graph.cuts}
        for fact in candidates:
            key = (fact.place, fact.formula)
            if fact.place not in active or fact.formula == 1 or key in known:
                continue
            if self.graph.is_of_use(fact.place, fact.formula) and self._expressible(fact):
                known.add(key)
                active[fact.place].append(fact)
        return active

    def _expressible(self, fact: Fact) -> bool:
        for region in self.graph.regions:
            if region.start == fact.place and not region.start_values.covers(fact.formula):
                return False
            for way in region.ways:
                if way.target == fact.place and not way.values.covers(fact.formula):
                    return False
                if _returns(way) == fact.place and way.returned and not way.returned.covers(fact.formula):
                    return False
        return True

    @staticmethod
    def _depends(region: Region, changed: set[Place]) -> bool:
        """The region assumes something at one of the places."""
        return region.start in changed or any(_returns(way) in changed for way in region.ways)

    def _settle(self, region: Region, active: dict[Place, list[Fact]]) -> set[Place]:
        """Drops candidates until the region keeps all that are left; returns the places that lost some."""
        solver = self.solver(region)
        changed: set[Place] = set()
        while True:
            claims = [(way, fact) for way in region.ways for fact in active.get(way.target, ())]
            if not claims:
                return changed
            self.statistics.rounds += 1
            self._doubts = False
            refuted = self._refuted(solver, claims, self.hypotheses(region, active))
            if self._doubts:
                self._note(active)
            if not refuted or self.budget.elapsed() >= self._until:
                return changed
            for fact in refuted:
                active[fact.place].remove(fact)
                changed.add(fact.place)

    def hypotheses(self, region: Region, active: Mapping[Place, Sequence[Fact]]) -> list[Fact]:
        """What is proved, or active, at the start of the region and behind its calls by contract."""
        return [fact for p in _places(region) for fact in (*self.facts.get(p, ()), *active.get(p, ()))]

    def _refuted(self, solver: RegionSolver, claims: Sequence[Claim], hypotheses: Sequence[Fact]) -> list[Fact]:
        """Facts to drop because of one model, or because of silence; none if all claims are shown."""
        hard = [claim for claim in claims if self._thorough or solver.is_hard(claim)]
        easy = [] if self._thorough else [claim for claim in claims if not solver.is_hard(claim)]
        for group in by_horizon(solver, easy):
            slow = any(is_about_blocks(fact.formula) for _, fact in group)
            match solver.violates(group, hypotheses, self._limit(QUERY_SECONDS * (BLOCK_PATIENCE if slow else 1))):
                case Sat(model):
                    found = _false_in(model, group, solver) or self._one_by_one(solver, group, hypotheses)
                case SolverUnknown():
                    found = self._in_halves(solver, group, hypotheses)
                case Unsat():
                    found = []
                case other:
                    assert_never(other)
            if found:
                return found
        return self._one_by_one(solver, hard, hypotheses)

    def _in_halves(self, solver: RegionSolver, claims: Sequence[Claim], hypotheses: Sequence[Fact]) -> list[Fact]:
        """Of claims that got no answer together: a few of them are hard, the others are shown without these."""
        if len(claims) <= SMALLEST_PART or self.budget.elapsed() >= self._until:
            return self._one_by_one(solver, claims, hypotheses)
        found: list[Fact] = []
        middle = len(claims) // 2
        for half in (claims[:middle], claims[middle:]):
            match solver.violates(half, hypotheses, self._limit(CLAIM_SECONDS / (1 + self._silent))):
                case Sat(model):
                    found += _false_in(model, claims, solver) or self._one_by_one(solver, half, hypotheses)
                case SolverUnknown():
                    found += self._in_halves(solver, half, hypotheses)
                case Unsat():
                    pass
                case other:
                    assert_never(other)
        return list(dict.fromkeys(found))

    def _one_by_one(self, solver: RegionSolver, claims: Sequence[Claim], hypotheses: Sequence[Fact]) -> list[Fact]:
        dropped: dict[Fact, None] = {}
        for claim in claims:
            if claim[1] in dropped:
                continue
            self.budget.spend()
            if self.budget.elapsed() >= self._until:
                break
            patience = CONTRACT_PATIENCE if solver.cases_by_facts else 1
            patience *= BLOCK_PATIENCE if is_about_blocks(claim[1].formula) else 1
            limit = self._limit(patience * CLAIM_SECONDS / (1 + self._silent))
            match solver.violates([claim], hypotheses, limit, thorough=self._thorough):
                case Sat(model):
                    alike = [other for other in claims if solver.horizon(other[0]) == solver.horizon(claim[0])]
                    dropped.update(dict.fromkeys([claim[1], *_false_in(model, alike, solver)]))
                case SolverUnknown():
                    self.statistics.gave_up += 1
                    self._silent += 1
                    self._doubts = True
                    dropped[claim[1]] = None
                case Unsat():
                    pass
                case other:
                    assert_never(other)
        return list(dropped)

    def _limit(self, seconds: float) -> float:
        """Of a query; the time of the stage counts as well while it runs."""
        seconds *= self._patience
        return max(
            0.05, min(seconds, self.budget.remaining(), max(0.0, self._until - self.budget.elapsed()) or seconds)
        )

    def solver(self, region: Region) -> RegionSolver:
        """The region's solver, which `close` closes."""
        found = self._solvers.get(region.start)
        if found is None:
            left = possible(region, self._limit(PLAIN_SECONDS), self.seed)
            found = RegionSolver(left, self.graph, self.observe, self.seed, self.normalize)
            self._solvers[region.start] = found
        return found

    # ------------------------------------------------------------ what follows

    def open_regions(self, seconds: float = QUERY_SECONDS) -> list[Region]:
        """The regions in which the facts do not exclude a failing check; none: the program is safe."""
        open_: list[Region] = []
        for region in self.graph.regions:
            if region.start in self._safe or region.failing == 0:
                continue
            solver = self.solver(region)
            patience = CONTRACT_PATIENCE if solver.cases_by_facts else 1
            answer = solver.fails(self.hypotheses(region, {}), self._limit(patience * seconds))
            if isinstance(answer, Unsat):
                self._safe.add(region.start)
            else:
                open_.append(region)
        return open_

    def excluded(self, wanted: frozenset[int], seconds: float) -> tuple[frozenset[int], list[Fact]]:
        """Those of the checks that the facts exclude wherever they stand, and facts that suffice for it; nothing where
        a run may meet what has no meaning. What is not known after so many seconds is not excluded."""
        until = self.budget.elapsed() + seconds
        met, facts = self._met(until)
        return (frozenset(), []) if met else self._unfailing(wanted, frozenset(), facts, until)

    def in_front(self, wanted: frozenset[int], seconds: float) -> InFront:
        """The same of the checks to which no run gets from what has no meaning and may be met, as far as is known.
        Those that are behind none of it come first: what may be met takes long to tell."""
        began, every = self.budget.elapsed(), [b for one in self._failing() for b in one.blocks if b.formula != 0]
        first, facts, later = frozenset[int](), list[Fact](), self._behind(every)
        if later is not None:
            first, facts = self._unfailing(wanted, later, (), began + (FIRST_SHARE * seconds if every else seconds))
        if not every or first == wanted:
            return InFront(first, facts, tuple(every))
        met, needed = self._met(began + seconds)
        after = self._behind(met)
        if after is None:  # it is not known where
            return InFront(frozenset(), [], tuple(met))
        if after == later:
            return InFront(first, facts, tuple(met))
        rest, more = self._unfailing(wanted - first, after | first, needed, began + seconds)
        return InFront(first | rest, list(dict.fromkeys((*facts, *more))), tuple(met))

    def _behind(self, met: Sequence[Block]) -> frozenset[int] | None:
        """The checks behind what is met, if it is known where that is."""
        spots = {block.spot for block in met if block.spot is not None}
        return behind(self.graph.program, spots) if all(block.spot is not None for block in met) else None

    def _failing(self) -> list[Region]:
        return [region for region in self.graph.regions if region.failing != 0]

    def _met(self, until: float) -> tuple[list[Block], dict[Fact, None]]:
        """What has no meaning and may be met, as far as is known in a part of the time, and facts that exclude the
        rest of it."""
        met, facts, failing = list[Block](), dict[Fact, None](), self._failing()
        for number, region in enumerate(failing):
            left = min(UNMET_SHARE * (until - self.budget.elapsed()), self.budget.remaining())
            if left <= 0 and region.start not in self._solvers:  # to make one takes long in large regions
                met += (block for block in region.blocks if block.formula != 0)
                continue
            unmet = self.solver(region).unmet(self.hypotheses(region, {}), max(0.0, left / (len(failing) - number)))
            met += unmet[0]
            facts.update(dict.fromkeys(unmet[1]))
        return met, facts

    def _unfailing(
        self, wanted: frozenset[int], later: frozenset[int], facts: Iterable[Fact], until: float
    ) -> tuple[frozenset[int], list[Fact]]:
        """Those of the checks, but of the `later` ones, that fail nowhere, and what suffices for it and for `facts`."""
        wanted, used, failing = wanted - later, dict.fromkeys(facts), self._failing()
        for number, region in enumerate(failing):
            if not wanted:
                return frozenset(), []
            left = min(until - self.budget.elapsed(), self.budget.remaining())
            if wanted.isdisjoint(failure.check for failure in region.failures if failure.formula != 0):
                continue
            if left <= 0 and region.start not in self._solvers:
                wanted -= {failure.check for failure in region.failures if failure.formula != 0}
                continue
            share = max(left / 2, left / (len(failing) - number))
            told = self.solver(region).may_fail(self.hypotheses(region, {}), max(0.0, share), later)
            wanted -= told[0]
            used.update(dict.fromkeys(told[1]))
        return wanted, self.support(used) if wanted else []

    def needed(self) -> list[Fact]:
        """Facts that suffice for all checks, once no region is open, as few as are found in time; `supported` are those
        that unsat cores alone lead to."""
        roots: list[Fact] = []
        for region in self.graph.regions:
            if region.failing != 0:
                hypotheses = self.hypotheses(region, {})
                roots += self.solver(region).core_of_failing(hypotheses, self._limit(QUERY_SECONDS))
        return self._fewer(roots, failing=True)

    def support(self, facts: Iterable[Fact]) -> list[Fact]:
        """These proved facts, and others that together with them are inductive, as few as are found in time."""
        return self._fewer(list(facts), failing=False)

    def _fewer(self, roots: Sequence[Fact], *, failing: bool) -> list[Fact]:
        began = self.budget.elapsed()
        until = began + REDUCING_SHARE * self.budget.remaining()
        self.supported = self._supported(roots, until)
        took = self.budget.elapsed() - began
        left = min(until - self.budget.elapsed(), FEWER_SECONDS + FEWER_SHARE * began)
        if took > left:  # which takes more questions than that
            return self.supported
        limit = Budget(left, self.budget.clock(), self.budget.until, clock=self.budget.clock)
        essential = EssentialFacts(self.graph.regions, self.solver, _assumed, limit)
        try:
            return essential.of(() if failing else roots, self.supported, failing=failing)
        except OutOfBudget:
            return self.supported

    def _supported(self, facts: Iterable[Fact], until: float) -> list[Fact]:
        """These facts, and others that together with them are inductive: those that unsat cores lead to."""
        wanted: dict[Fact, None] = {}
        pending: list[Fact] = []

        def want(core: Iterable[Fact]) -> None:
            for fact in core:
                if fact not in wanted:
                    wanted[fact] = None
                    pending.append(fact)

        want(facts)
        while pending:
            batch, pending[:] = list(pending), []
            for region in self.graph.regions:
                claims = [(way, fact) for way in region.ways for fact in batch if fact.place == way.target]
                solver, hypotheses = self.solver(region), self.hypotheses(region, {})
                for group in by_horizon(solver, claims):
                    left = until - self.budget.elapsed()
                    if left > 0:
                        want(solver.core_of_claims(group, hypotheses, min(QUERY_SECONDS, left)))
                    else:
                        want(hypotheses)
        return list(wanted)

    def close(self) -> None:
        """Frees the solvers."""
        for solver in self._solvers.values():
            self.statistics.queries += solver.queries
            solver.close()
        self._solvers.clear()


def _places(region: Region) -> list[Place]:
    """Where facts hold that the region may assume."""
    return list(dict.fromkeys([region.start, *(p for way in region.ways if (p := _returns(way)) is not None)]))


def _assumed(region: Region, facts: Iterable[Fact]) -> list[Fact]:
    places = _places(region)
    return [fact for fact in facts if fact.place in places]


def _returns(way: Way) -> Place | None:
    """Where facts hold of what a call by contract leaves, or a framed loop."""
    return way.behind


def _false_in(model: Model, claims: Sequence[Claim], solver: RegionSolver) -> list[Fact]:
    """All claimed facts that the model's run violates."""
    taken: dict[int, bool] = {}
    found: dict[Fact, None] = {}
    for way, fact in claims:
        if id(way) not in taken:
            taken[id(way)] = model.value(way.formula) == 1
        if taken[id(way)] and fact not in found and model.value(solver.claimed((way, fact))) == 0:
            found[fact] = None
    return list(found)
