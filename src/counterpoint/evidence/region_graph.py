"""Re-checks graphs of regions: a run that is in a reachable region is in one of its successors at the next place.

From the start and from each place with a reachable region, one step is walked, shared by all regions there. Of every
reachable region at its beginning is shown that the step's claims are impossible and that, wherever it ends or calls a
function by contract, the run is in one of those regions there to which an edge leads. By induction on the run, it is
always in a reachable region at its place, and never violates a claim. Behind a call, one of the reachable regions
at the callee's EXIT may be assumed, but only for what comes later on the run.

Only edges that are there say anything, so regions need neither cover the states nor exclude each other. An edge to a
place that the step does not get to says nothing. Source: the region graphs of SYNERGY and DASH, in which each
missing edge is infeasible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import ClassVar

from counterpoint.core.budget import Budget
from counterpoint.core.closure import reached
from counterpoint.core.errors import EvidenceRejected
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.evidence.induction import Setting, claimed, joint, over_setting
from counterpoint.evidence.places import START, Place, Statement, checked_granules, chosen, places_of, statements
from counterpoint.evidence.regions import Region, Values, own_unknowns, region
from counterpoint.evidence.runs import Claims, StaysInGraph
from counterpoint.program.model import Program
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.encodings import FACTS, GRANULES, NAMES, Encodings, pairs_of
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.covering import union
from counterpoint.term.term import Term, V
from counterpoint.term.walk import reachable, substitute_all, variables

BEGIN = -1
"""The number of the start of the run, as the source of edges."""

WHERE = "the steps of its regions"

NODES_TOGETHER = 10_000
"""Steps are asked about together until their formulas have this many nodes: a solver's start costs 0.2 s."""


@dataclass(frozen=True, slots=True)
class RegionGraph(Certificate):
    """`regions` are formulas without ghosts at their places (a block, or the EXIT of a function that is called by
    contract); a region's number is its position. `edges` are pairs (from, to) of numbers, where -1 as `from` is the
    start of the run. An edge that is not there claims that no run takes it; regions need not exclude each other."""

    preparation: str
    regions: tuple[Fact, ...]
    edges: tuple[tuple[int, int], ...]
    granules: tuple[tuple[str, int], ...] = ()
    contracts: tuple[str, ...] = ()

    kinds: ClassVar[tuple[str, ...]] = ("region-graph",)
    encodings: ClassVar[Encodings] = {
        "granules": GRANULES, "regions": FACTS, "edges": pairs_of("regions"), "contracts": NAMES,
    }  # fmt: skip
    alternatives: ClassVar[bool] = True

    def described(self) -> tuple[str, str]:
        return "graph of regions", f"{len(self.regions):,} regions, {len(self.edges):,} edges"

    def said(self) -> tuple[Fact, ...]:
        """The regions to which edges lead from the start."""
        successors: dict[int, list[int]] = {}
        for source, target in self.edges:
            successors.setdefault(source, []).append(target)
        numbers = reached(BEGIN, lambda number: successors.get(number, ()))
        return tuple(self.regions[number] for number in sorted(numbers - {BEGIN}))

    def conditions(self, program: Program, budget: Budget, apart: bool) -> Conditions:
        """Raises as those of InductiveInvariants do; EvidenceRejected for edges between anything but regions and
        regions without a meaning."""
        successors = _successors(self.regions, self.edges)
        places = tuple(fact.place for fact in self.regions)

        def build_all(setting: Setting) -> Conditions:
            graph = _Graph(setting, _numbered(setting, self.regions), places, successors)
            graph.explore()
            asked = [(r, *graph.obligations(r)) for r in graph.steps.values()]
            return joint(_together(setting, asked), graph.steps.values())

        program, also = chosen(program, self.contracts), tuple(dict.fromkeys(places))
        return over_setting(program, self.regions, self.granules, budget, build_all, also)

    def claims(self, program: Program) -> Claims:
        places = places_of(chosen(program, self.contracts), dict.fromkeys(region.place for region in self.regions))
        said = statements(places, self.regions, checked_granules(self.granules))
        at_place = {place: iter(there) for place, there in said.items()}
        return StaysInGraph(places, [(r.place, next(at_place[r.place])) for r in self.regions], self.edges)


CERTIFICATE = RegionGraph


def _successors(regions: Sequence[Fact], edges: Iterable[tuple[int, int]]) -> dict[int, dict[Place, list[int]]]:
    """For each region and BEGIN the regions to which edges lead, by place."""
    found: dict[int, dict[Place, list[int]]] = {}
    seen: set[tuple[int, int]] = set()
    for source, target in edges:
        if not (BEGIN <= source < len(regions) and 0 <= target < len(regions)):
            raise EvidenceRejected(f"the proof has an edge {source} -> {target} between {len(regions)} regions")
        if (source, target) in seen:
            raise EvidenceRejected(f"the proof has the edge {source} -> {target} twice")
        seen.add((source, target))
        found.setdefault(source, {}).setdefault(regions[target].place, []).append(target)
    return found


def _numbered(setting: Setting, regions: Sequence[Fact]) -> tuple[Statement, ...]:
    """The regions' statements in the certificate's order."""
    at_place = {place: iter(there) for place, there in setting.facts.items()}
    found = tuple(next(at_place[fact.place]) for fact in regions)
    for number, statement in enumerate(found):
        if statement.ghosts:
            where = setting.places.name(regions[number].place)
            raise EvidenceRejected(f"region {number} of the proof, at {where}, mentions {statement.ghosts[0].payload}")
    return found


@dataclass(slots=True)
class _Graph:
    """The certificate's regions by number, what is reachable of them, and the steps from there."""

    setting: Setting
    said: tuple[Statement, ...]
    places: tuple[Place, ...]
    successors: Mapping[int, Mapping[Place, Sequence[int]]]
    steps: dict[Place, Region] = field(default_factory=dict)
    reached: dict[Place, list[int]] = field(default_factory=dict)
    components: dict[Place, dict[Term, Component]] = field(default_factory=dict)
    unions: dict[tuple[int, ...], Statement] = field(default_factory=dict)
    beginnings: dict[tuple[int, ...], V] = field(default_factory=dict)

    # ------------------------------------------------------------ reachability

    def explore(self) -> None:
        """Walks the step of every place with a reachable region, once."""
        seen = {BEGIN}
        waiting = [BEGIN]
        while waiting:
            number = waiting.pop()
            place = START if number == BEGIN else self.places[number]
            self.reached.setdefault(place, []).append(number)
            if place[1] == EXIT:
                continue
            for end in self._ends(place):
                new = [to for to in self.successors.get(number, {}).get(end, ()) if to not in seen]
                seen.update(new)
                waiting += new
        for numbers in self.reached.values():
            numbers.sort()

    def _ends(self, place: Place) -> Iterable[Place]:
        """Where the step gets to, and what it calls."""
        if place not in self.steps:
            setting = self.setting
            self.steps[place] = region(setting.places, place, self._wanted, setting.granules, setting.budget)
        r = self.steps[place]
        ends = [arrival.target for arrival in r.arrivals if arrival.guard != 0]
        return dict.fromkeys([*ends, *((call.callee, 0) for call in r.calls if call.guard != 0)])

    def _wanted(self, place: Place) -> dict[Term, Component]:
        if place not in self.components:
            self.components[place] = self.setting.needed(place)
        return self.components[place]

    # ------------------------------------------------------------ one step

    def obligations(self, r: Region) -> tuple[list[Goal], bool]:
        """What must not happen in the step, and whether it is said exactly."""
        after, exact = self._after(r)
        goals: list[Goal] = []
        for arrival in r.arrivals:
            goals += self._leaving(r, arrival.target, build.and_(arrival.guard, after[arrival.earlier]), arrival.values)
        for number, call in enumerate(r.calls):
            goals += self._leaving(r, (call.callee, 0), build.and_(call.guard, after[number]), call.before)
        within = self._within(self.reached[r.start], r)
        name = self.setting.places.name(r.start)
        for claim in claimed(r, after):
            goals.append(Goal(f"{claim.what}, on the way from {name},", build.and_(within, claim.violated)))
        begun = [self.said[number] for number in self.reached[r.start] if number != BEGIN]
        return goals, exact and all(statement.covered(r.begin) for statement in begun)

    def _after(self, r: Region) -> tuple[list[V], bool]:
        """What is known when 0, 1, 2, ... calls are over: each returned in a reachable region at its EXIT."""
        after: list[V] = [1]
        exact = True
        for call in r.calls:
            left = self._union(tuple(self.reached.get((call.callee, EXIT), ())))
            known = left.covered(call.after)
            exact = exact and known
            said = build.implies(call.guard, left.of(call.after)) if known else 1
            after.append(build.and_(after[-1], said))
        return after, exact

    def _leaving(self, r: Region, target: Place, guard: V, values: Values) -> Iterator[Goal]:
        """The runs that get to the target outside of all successors, by the regions with the same ones."""
        sources: dict[tuple[int, ...], list[int]] = {}
        for number in self.reached[r.start]:
            following = self.successors.get(number, {}).get(target, ())
            sayable = tuple(sorted(to for to in following if self.said[to].covered(values)))
            sources.setdefault(sayable, []).append(number)
        unions = [self._union(numbers).formula for numbers in sources]
        for inside, numbers in zip(substitute_all(unions, values), sources.values(), strict=True):
            self.setting.budget.spend()
            outside = build.and_(guard, build.not_(inside))
            if outside != 0:
                outside = build.and_(outside, self._within(numbers, r))
            there = self.setting.places.name(target)
            name = self._names(r.start, numbers)
            yield Goal(f"the claim that {name} leads to nothing but its successors at {there}", outside)

    def _within(self, numbers: Sequence[int], r: Region) -> V:
        """The run begins the step in one of these regions, as far as that can be said."""
        if numbers == [BEGIN]:
            return 1
        key = tuple(numbers)
        if key not in self.beginnings:
            here = self._union(key)
            self.beginnings[key] = here.of(r.begin) if here.covered(r.begin) else 1
        return self.beginnings[key]

    def _union(self, numbers: tuple[int, ...]) -> Statement:
        if numbers not in self.unions:
            formula = union([self.said[number].formula for number in numbers])
            needs = {v: c for number in numbers for v, c in self.said[number].needs.items()}
            self.unions[numbers] = Statement(formula, {v: needs[v] for v in variables(formula)}, ())
        return self.unions[numbers]

    def _names(self, place: Place, numbers: Sequence[int]) -> str:
        name = self.setting.places.name(place)
        if numbers == [BEGIN]:
            return name
        listed = ", ".join(map(str, numbers[:4])) + (", ..." if len(numbers) > 4 else "")
        return f"region{'s' * (len(numbers) > 1)} {listed} at {name}"


# ---------------------------------------------------------------- questions


def _together(setting: Setting, asked: Iterable[tuple[Region, list[Goal], bool]]) -> Iterator[Question]:
    """Questions about several steps at once. Each step has unknowns of its own, and its axioms help only its goals."""
    goals: list[Goal] = []
    nodes, all_exact = 0, True
    for number, (r, of_step, exact) in enumerate(asked):
        setting.budget.spend()
        violated = [goal.violated for goal in of_step]
        axioms = build.conjunction(r.axioms(violated)) if any(v != 0 for v in violated) else 1
        formulas = [build.and_(v, axioms) for v in violated]
        renamed = substitute_all(formulas, own_unknowns(reachable(formulas), f"#{number}"))
        more = len(reachable(renamed))
        if nodes and nodes + more > NODES_TOGETHER:
            yield Question(WHERE, (), tuple(goals), all_exact)
            goals, nodes, all_exact = [], 0, True
        goals += [Goal(goal.what, v) for goal, v in zip(of_step, renamed, strict=True)]
        nodes, all_exact = nodes + more, all_exact and exact
    yield Question(WHERE, (), tuple(goals), all_exact)
