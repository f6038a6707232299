"""Re-checks proofs by k-induction, over regions between cut points as steps.

The facts are shown to be inductive by themselves. Then, in each activation of a function, the first k + 1
regions contain no failing check, and neither does the last of k + 1 consecutive ones that begin in any state at a
cut point: together that is every region of every run. Facts may be assumed at each cut point on the way.

A chain of regions is one formula. Each region instance (step, place) has variables and object addresses of its
own, but for the addresses of globals; the components at its start are what they are in the arrivals of the step
before, chosen by the ways taken. What is no component is arbitrary at each step, which is sound.

With `simple_path` the last k + 1 regions are only looked at if they begin in pairwise different states: places with the
values of all components that regions know there (evidence/carried.py lets them know fewer); docs/certificates.md says
why that is enough. It needs that base case and step case use the same regions, and that **every component that is
carried is compared**. Arrays and floats, which are not, are refused where claims depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import chain, combinations
from typing import ClassVar

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.core.records import dataclass
from counterpoint.evidence.carried import comparable
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.evidence.induction import (
    InductiveInvariants,
    Setting,
    assumed,
    claimed,
    joint,
    over_setting,
    region_question,
)
from counterpoint.evidence.places import START, Place, chosen
from counterpoint.evidence.regions import Region, Values, is_unknown, own_unknowns, region
from counterpoint.evidence.runs import Claims
from counterpoint.program.model import Program
from counterpoint.semantics.encodings import COUNT, FACTS, GRANULES, NAMES, TRUTH, Encodings, counted
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BitVec, Bool, Sort
from counterpoint.term.term import Term, V
from counterpoint.term.walk import reachable, substitute_all


@dataclass(frozen=True, slots=True)
class KInductive(Certificate):
    """`facts` are inductive by themselves. No check fails in the first k + 1 regions of a run, nor in the last of k + 1
    consecutive ones (k >= 1) that begin in any state at a cut point where the facts hold; with `simple_path`, where no
    two of these begin at the same place in the same state."""

    preparation: str
    k: int
    facts: tuple[Fact, ...] = ()
    granules: tuple[tuple[str, int], ...] = ()
    simple_path: bool = False
    contracts: tuple[str, ...] = ()

    kinds: ClassVar[tuple[str, ...]] = ("k-induction",)
    encodings: ClassVar[Encodings] = {
        "k": COUNT, "simple_path": TRUTH, "granules": GRANULES, "facts": FACTS, "contracts": NAMES,
    }  # fmt: skip

    def described(self) -> tuple[str, str]:
        return f"{self.k}-induction{' on simple paths' if self.simple_path else ''}", counted(self.facts)

    def said(self) -> tuple[Fact, ...]:
        return self.facts

    def conditions(self, program: Program, budget: Budget, apart: bool) -> Conditions:
        """Raises as those of InductiveInvariants do; EvidenceRejected for k < 1; Unsupported where a simple path would
        have to compare arrays or floats."""
        if self.k < 1:
            raise EvidenceRejected(f"the proof is by induction over {self.k} steps; at least 1 is needed")

        def build_all(setting: Setting) -> Conditions:
            places, granules = setting.places, setting.granules
            everything = partial(places.known, granules=granules)
            regions = {start: region(places, start, everything, granules, budget) for start in places.starts}
            questions = [region_question(setting, r, claims=False) for r in regions.values()]
            linked = comparable(setting, regions) if self.simple_path else regions
            for start in places.starts:
                entered = start == START or (start[1] == 0 and start[0] in places.contracts)
                steps = _Chain(setting, linked, start, simple=self.simple_path and not entered)
                questions.append(steps.question(self.k, every=entered))
            return joint(questions, regions.values())

        return over_setting(chosen(program, self.contracts), self.facts, self.granules, budget, build_all)

    def claims(self, program: Program) -> Claims:
        return InductiveInvariants(self.preparation, self.facts, self.granules, self.contracts).claims(program)


CERTIFICATE = KInductive


@dataclass(slots=True)
class _Chain:
    """All sequences of regions that begin at `start`, as one formula; if `simple`, in pairwise different states."""

    setting: Setting
    regions: Mapping[Place, Region]
    start: Place
    simple: bool
    states: dict[Place, list[tuple[V, Values]]] = field(default_factory=dict)
    hypotheses: list[V] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    exact: bool = True

    def question(self, k: int, *, every: bool) -> Question:
        """No claim of the last of k + 1 regions is violated; with `every`, none of the earlier ones'."""
        telling = self._telling(k, every)
        arrived: dict[Place, tuple[V, Values]] = {self.start: (1, {})} if self.start in telling[0] else {}
        for depth in range(k + 1):
            following: dict[Place, list[tuple[V, Values]]] = {}
            for place, (guard, values) in sorted(arrived.items()):
                self.setting.budget.spend()
                show = every or depth == k
                for target, taken, there in self._step(depth, place, guard, values, show, telling[depth + 1]):
                    following.setdefault(target, []).append((taken, there))
            arrived = {target: _merged(ways) for target, ways in following.items()}
        if self.simple:
            self._keep_apart()
        name = f"{k + 1} regions from {self.setting.places.name(self.start)}"
        return Question(name, tuple(v for v in self.hypotheses if v != 1), tuple(self.goals), self.exact)

    def _keep_apart(self) -> None:
        """Two regions of a run that begin at the same place begin in different states."""
        for entered in self.states.values():
            for (one, here), (two, there) in combinations(entered, 2):
                self.setting.budget.spend()
                differ = [_different(here[v], there[v], v.sort) for v in here]
                self.hypotheses.append(build.implies(build.and_(one, two), build.disjunction(differ)))

    def _telling(self, k: int, every: bool) -> list[frozenset[Place]]:
        """By step, the places from which a claim that is to be shown can still be met; none behind the last."""
        claiming = {place for place, r in self.regions.items() if any(claim.formula != 0 for claim in r.claims)}
        sets = [frozenset[Place](), frozenset(claiming)]
        for _ in range(k):
            self.setting.budget.spend()
            reaching = {p for p, r in self.regions.items() if any(a.target in sets[-1] for a in r.arrivals)}
            sets.append(frozenset(reaching | claiming if every else reaching))
        return sets[::-1]

    def _step(
        self, depth: int, place: Place, guard: V, values: Values, show: bool, telling: frozenset[Place]
    ) -> list[tuple[Place, V, Values]]:
        """Adds the region at the place, entered where `guard` holds with these values of components; returns how it
        gets to the telling ones."""
        r, setting = self.regions[place], self.setting
        hypotheses, after, exact = assumed(setting, r, r.begin)
        self.exact = self.exact and exact
        goals = claimed(r, after) if show else []
        arrivals = [arrival for arrival in r.arrivals if arrival.target in telling]
        said = [*hypotheses, after[-1], *(goal.violated for goal in goals)]
        said += chain.from_iterable((a.guard, *a.values.values()) for a in arrivals)
        linked = [(r.begin[v], value, v.sort) for v, value in values.items() if v in r.begin]
        if self.simple:
            said += r.begin.values()
        facts = [*r.axioms([*said, *(begin for begin, _, _ in linked)]), *hypotheses]
        if arrivals:
            facts.append(after[-1])
        renamed = _Renaming(f"#{depth}.{place[0]}.{place[1]}", len(setting.places.program.globals))
        renamed.link(linked)
        renamed.all([*facts, *said, *(begin for begin, _, _ in linked)])
        self.hypotheses += [build.implies(guard, renamed(fact)) for fact in facts]
        for begin, value, sort in linked:
            self.hypotheses.append(build.implies(guard, _same(renamed(begin), value, sort)))
        if self.simple:
            state = {v: renamed(begin) for v, begin in r.begin.items()}
            self.states.setdefault(place, []).append((guard, state))
        where = f"step {depth + 1}, "
        self.goals += [Goal(where + goal.what, build.and_(guard, renamed(goal.violated))) for goal in goals]
        return [
            (a.target, build.and_(guard, renamed(a.guard)), {v: renamed(value) for v, value in a.values.items()})
            for a in arrivals
        ]


def _merged(ways: Sequence[tuple[V, Values]]) -> tuple[V, Values]:
    """One arrival for several ways, which exclude each other; components that all of them know."""
    arrived, values = ways[0]
    for taken, there in ways[1:]:
        values = {v: build.ite(taken, there[v], old, v.sort) for v, old in values.items() if v in there}
        arrived = build.or_(arrived, taken)
    return arrived, values


def _same(one: V, two: V, sort: Sort) -> V:
    """That they are equal, where that can be said: leaving it out admits more runs."""
    if isinstance(sort, Bool):
        return build.iff(one, two)
    if isinstance(sort, BitVec):
        return build.eq(one, two, sort.width)
    return 1


def _different(one: V, two: V, sort: Sort) -> V:
    """That they are different, or nothing where that cannot be said: leaving it out admits more runs."""
    return build.not_(_same(one, two, sort)) if isinstance(sort, Bool | BitVec) else 1


class _Renaming:
    """The unknowns of one region instance under names of its own, or replaced by what they are at its start."""

    def __init__(self, suffix: str, globals_: int) -> None:
        self.suffix = suffix
        self.globals = globals_
        self.mapping: dict[Term, V] = {}
        self.done: dict[Term, V] = {}

    def link(self, linked: Iterable[tuple[V, V, Sort]]) -> None:
        """Replaces the start's variables by the values there: solvers do not like equations between arrays."""
        for begin, value, _ in linked:
            if isinstance(begin, Term) and is_unknown(begin, self.globals):
                self.mapping.setdefault(begin, value)

    def all(self, formulas: Sequence[V]) -> None:
        """Prepares the renaming of these formulas."""
        self.mapping = own_unknowns(reachable(formulas), self.suffix, self.globals) | self.mapping
        terms = [formula for formula in formulas if isinstance(formula, Term)]
        self.done = dict(zip(terms, substitute_all(terms, self.mapping), strict=True))

    def __call__(self, formula: V) -> V:
        return formula if isinstance(formula, int) else self.done[formula]
