"""Clauses that exclude what goes wrong and agree with all examples, until they are inductive.

A *counterexample* is a run of one region that fails a check, or that violates a clause at its end, from a state that
the clauses allow. Its path's conditions say what of that state mattered. Conditions that no example fulfils together
make a clause, which excludes the state and many others. Where an example fulfils all of them, its successor on that
path is an example as well: it refutes the clause that was violated.

Each clause is there for others, or for a check: those that are needed no more go with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from random import Random
from typing import assert_never

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.clauses.differences import stronger
from counterpoint.invariants.clauses.examples import Examples, Separation, chance_step, compared, successor
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.region_solver import Claim, by_horizon
from counterpoint.regions.cut_graph import Place, Region, Way
from counterpoint.regions.instance import Instance
from counterpoint.regions.specialise import Specialiser
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

TOGETHER = 12
"""Claims of one question, the newest ones."""

GROUP_SECONDS = 2.0
QUERY_SECONDS = 10.0
"""Limits of a question about several claims, and about one."""

FOLLOWED = 8
"""Steps by chance from an example that refuted a clause: where one was unknown, more are, and each costs a fifth of the
counterexample that would find it."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run of the region on which `formula` holds: it violates the claim, or fails a check (None)."""

    region: Region
    claim: Claim | None
    formula: V
    model: Model


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Why there is no proof."""

    why: str


@dataclass(slots=True)
class Learning:
    """How many clauses were learned and dropped, counterexamples met, examples found beside those of runs."""

    learned: int = 0
    dropped: int = 0
    counterexamples: int = 0
    examples: int = 0


@dataclass(slots=True)
class Learner:
    """`houdini` has what is known; its solvers answer. `examples` are of all places, of START one without values."""

    houdini: Houdini
    examples: dict[Place, Examples]
    random: Random = field(default_factory=lambda: Random(0))
    clauses: dict[Place, list[Fact]] = field(default_factory=dict)
    statistics: Learning = field(default_factory=Learning)
    _numbers: dict[Place, Sequence[int]] = field(default_factory=dict)
    _wanted_by: dict[Fact, Fact | None] = field(default_factory=dict)
    _waiting: dict[tuple[Place, int, Fact], None] = field(default_factory=dict)
    _shown: dict[tuple[Place, int, Fact], frozenset[Fact]] = field(default_factory=dict)
    _safe: dict[Place, frozenset[Fact]] = field(default_factory=dict)
    _refused: set[Fact] = field(default_factory=set)

    def learn(self) -> GaveUp | None:
        """None: no check fails where the clauses hold, which are inductive with what is known. Raises OutOfBudget."""
        while True:
            self.houdini.budget.spend()
            found = self._failing() or self._violating()
            if found is None:
                return None
            if isinstance(found, GaveUp):
                return found
            self.statistics.counterexamples += 1
            outcome = self._exclude(found)
            del found  # its model with it, which the solver would copy as a whole before it goes on
            if outcome is not None:
                return outcome

    def needed(self) -> list[Fact]:
        """The clauses and known facts that the proof uses, once `learn` has one."""
        wanted: dict[Fact, None] = {}
        pending = [fact for core in self._safe.values() for fact in core]
        while pending:
            fact = pending.pop()
            if fact not in wanted:
                wanted[fact] = None
                pending += (other for key, core in self._shown.items() if key[2] == fact for other in core)
        known = [fact for fact in wanted if fact not in self._wanted_by]
        return list(dict.fromkeys((*wanted, *self.houdini.support(known))))

    # ------------------------------------------------------------ questions

    def _failing(self) -> Counterexample | GaveUp | None:
        for region in self.houdini.graph.regions:
            if region.start in self._safe or region.failing == 0:
                continue
            solver, known = self.houdini.solver(region), self.houdini.hypotheses(region, self.clauses)
            match solver.fails(known, self._seconds(QUERY_SECONDS)):
                case Sat(model):
                    formulas = [*(f.formula for f in region.failures), *(b.formula for b in region.blocks)]
                    return Counterexample(region, None, next(f for f in formulas if model.value(f) == 1), model)
                case SolverUnknown(reason):
                    return GaveUp(f"whether a check fails has no answer: {reason}")
                case Unsat() as answer:
                    self._safe[region.start] = frozenset(solver.core_in(known, answer))
                case other:
                    assert_never(other)
        return None

    def _violating(self) -> Counterexample | None:
        """A counterexample to a claim that waits. A clause is dropped if nobody can say whether it is violated."""
        regions = {region.start: region for region in self.houdini.graph.regions}
        while self._waiting:
            region = regions[next(reversed(self._waiting))[0]]
            waiting = (key for key in reversed(self._waiting) if key[0] == region.start)
            claims = [(region.ways[way], fact) for _, way, fact in waiting]
            group = by_horizon(self.houdini.solver(region), claims)[0][:TOGETHER]
            found = self._violated(region, group, GROUP_SECONDS)
            if isinstance(found, SolverUnknown):
                found = self._violated_alone(region, group)
            if found is not None:
                return found
        return None

    def _violated_alone(self, region: Region, claims: Sequence[Claim]) -> Counterexample | None:
        """The same, claim by claim."""
        for claim in claims:
            found = self._violated(region, [claim], QUERY_SECONDS)
            if isinstance(found, Counterexample):
                return found
            if found is not None:
                self._refused.add(claim[1])
                self._drop(claim[1])
                return None
        return None

    def _violated(
        self, region: Region, claims: Sequence[Claim], seconds: float
    ) -> Counterexample | SolverUnknown | None:
        """A run that violates one of the claims; if there is none, that is remembered."""
        self.houdini.budget.spend()
        solver, known = self.houdini.solver(region), self.houdini.hypotheses(region, self.clauses)
        match solver.violates(claims, known, self._seconds(seconds)):
            case Sat(model):
                for way, fact in claims:
                    formula = build.and_(way.formula, build.not_(solver.claimed((way, fact))))
                    if model.value(formula) == 1:
                        return Counterexample(region, (way, fact), formula, model)
                return SolverUnknown("a model without a violation")
            case Unsat() as answer:
                core = frozenset(solver.core_in(known, answer))
                for way, fact in claims:
                    key = region.start, _number(region, way), fact
                    self._shown[key] = core
                    self._waiting.pop(key, None)
                return None
            case SolverUnknown() as unknown:
                return unknown
            case other:
                assert_never(other)

    def _seconds(self, most: float) -> float:
        return min(most, self.houdini.budget.remaining())

    # ------------------------------------------------------------ answers

    def _exclude(self, met: Counterexample) -> GaveUp | None:
        """Learns a clause against it; or an example, and drops what that refutes."""
        found: list[tuple[float, Place, Separation, list[V]]] = []
        example = None
        for place, every in self._conditions(met):
            separation = self.examples.setdefault(place, Examples([])).separating(every)
            if isinstance(separation, Separation):
                found.append((separation.expected, place, separation, every))
            elif place == met.region.start:
                example = separation
        for _, place, separation, every in sorted(found, key=lambda entry: -entry[0]):
            for conditions in (*stronger(separation.conditions, every, self.examples[place]), separation.conditions):
                fact = Fact(*place, build.not_(build.conjunction(conditions)))
                if fact not in self._refused and fact not in self.clauses.get(place, ()):
                    self._learn(fact, None if met.claim is None else met.claim[1])
                    return None
        if met.claim is None:
            return GaveUp("no clause that agrees with all runs excludes the error")
        way, fact = met.claim
        state = None if example is None or not way.leaves else successor(met.region, way, example, met.model)
        if state is None or not self._add(way.target, state, fact):
            self._refused.add(fact)
            self._drop(fact)
        return None

    def _conditions(self, met: Counterexample) -> Iterator[tuple[Place, list[V]]]:
        """What mattered of the states that the run had arbitrary, at its start and behind calls by contract."""
        model = met.model
        literals = Specialiser(lambda formula: bool(model.value(formula))).literals(met.formula)
        yield met.region.start, _back(met.region.start_values, literals)
        last = None if met.claim is None or met.claim[0].leaves else met.claim[0]
        for way in met.region.ways:
            if way is last:
                return
            if way.returned is not None and model.value(way.formula) == 1:
                yield (way.target[0], EXIT), _back(way.returned, literals)

    def _learn(self, fact: Fact, parent: Fact | None) -> None:
        self.statistics.learned += 1
        self.clauses.setdefault(fact.place, []).append(fact)
        self._wanted_by[fact] = parent
        for region in self.houdini.graph.regions:
            for number, way in enumerate(region.ways):
                if way.target == fact.place:
                    self._waiting[region.start, number, fact] = None

    def _add(self, place: Place, state: Snapshot, refuted: Fact) -> bool:
        """Takes an example if it refutes the clause, and drops all clauses that it refutes."""
        examples = self.examples.setdefault(place, Examples([]))
        if examples.fulfils(state, refuted.formula):
            return False
        self._take(place, state)
        self._follow(place, state)
        return True

    def _take(self, place: Place, state: Snapshot) -> None:
        """One more example; what it refutes is dropped."""
        self.statistics.examples += 1
        examples = self.examples.setdefault(place, Examples([]))
        examples.add(state)
        for fact in tuple(self.clauses.get(place, ())):
            if fact in self._wanted_by and not examples.fulfils(state, fact.formula):
                self._drop(fact)

    def _follow(self, place: Place, state: Snapshot) -> None:
        """Takes states that runs by chance reach from the new example, as far as no example was there."""
        here = place, state
        for _ in range(FOLLOWED):
            there = self._chance_step(*here)
            if there is not None and self.examples.setdefault(there[0], Examples([])).is_new(there[1]):
                self._take(*there)
                here = there
            else:
                here = place, state

    def _chance_step(self, place: Place, state: Snapshot) -> tuple[Place, Snapshot] | None:
        region = next((region for region in self.houdini.graph.regions if region.start == place), None)
        if region is None:
            return None
        if place not in self._numbers:
            self._numbers[place] = compared(region)
        return chance_step(region, state, self._numbers[place], self.random)

    def _drop(self, fact: Fact) -> None:
        """Without the fact, and what was learned for it and serves nothing else; what rested on these is open again."""
        gone = self._gone_with(fact)
        for other in gone:
            del self._wanted_by[other]
            self.clauses[other.place].remove(other)
        self.statistics.dropped += len(gone)
        self._waiting = {key: None for key in self._waiting if key[2] not in gone}
        open_ = [key for key, core in self._shown.items() if key[2] in gone or not core.isdisjoint(gone)]
        for key in open_:
            del self._shown[key]
            if key[2] not in gone:
                self._waiting[key] = None
        self._safe = {place: core for place, core in self._safe.items() if core.isdisjoint(gone)}

    def _gone_with(self, fact: Fact) -> set[Fact]:
        gone = {fact}
        while True:
            used = [core for key, core in self._shown.items() if key[2] not in gone]
            serving = frozenset[Fact]().union(*used, *self._safe.values())
            more = {f for f, wanted_by in self._wanted_by.items() if wanted_by in gone and f not in serving} - gone
            if not more:
                return gone
            gone |= more


def _back(values: Instance, literals: Sequence[V]) -> list[V]:
    return [said for said in values.back_all(literals) if said is not None]


def _number(region: Region, way: Way) -> int:
    return next(number for number, other in enumerate(region.ways) if other is way)
