"""States that runs reached, as examples: which conditions none of them fulfils together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from random import Random
from typing import Any

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.filtering import column_of
from counterpoint.regions.cut_graph import Place, Region, Way
from counterpoint.solver.answers import Model
from counterpoint.term.evaluate import Evaluation, Given, Value
from counterpoint.term.partial import PartialEvaluation
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, variables

MOST_CONDITIONS = 90
"""Conditions of one counterexample that are looked at, the first ones; triples of them are tried."""

EXPECTED = 3.0
"""Examples that two conditions would have in common if they had nothing to do with each other, from which on it tells
something that they have none."""

USUAL, FROM_PROGRAM = 0.8, 0.5
"""Of inputs by chance, how many are numbers that are likely to matter, and how many of these the program compares with
something."""


@dataclass(frozen=True, slots=True)
class Separation:
    """No example fulfils all `conditions`. `expected`: how many would if one of them was independent of the others."""

    conditions: tuple[V, ...]
    expected: float


@dataclass(slots=True)
class Examples:
    """The states that are known to be reached at one place. Sets of them are ints with a bit for each."""

    states: list[Snapshot]
    _fulfilling: dict[V, int] = field(default_factory=dict)
    _seen: set[frozenset[tuple[Term, Value]]] = field(default_factory=set)
    _columns: dict[Term, Callable[[Sequence[Snapshot]], list[Any]]] = field(default_factory=dict)

    @property
    def all(self) -> int:
        """The set of all."""
        return (1 << len(self.states)) - 1

    def fulfilling(self, condition: V) -> int:
        """Those in which the condition holds, or may: what an example does not know excludes nothing."""
        known = self._fulfilling.get(condition)
        if known is None:
            known = self._fulfilling[condition] = self._among(condition, self.states, 0)
        return known

    def is_new(self, state: Snapshot) -> bool:
        """Whether none of the states is like this one."""
        if len(self._seen) < len(self.states):
            self._seen |= {_key(known) for known in self.states}
        return _key(state) not in self._seen

    def fulfils(self, state: Snapshot, condition: V) -> bool:
        """Whether the condition holds in this state of the place, or may."""
        return self._among(condition, (state,), 0) == 1

    def add(self, state: Snapshot) -> None:
        """One more example."""
        for condition, known in self._fulfilling.items():
            self._fulfilling[condition] = known | self._among(condition, (state,), len(self.states))
        self.states.append(state)
        self._seen.add(_key(state))

    def separating(self, conditions: Sequence[V]) -> Separation | Snapshot:
        """Few of the conditions that no example fulfils together; or an example that fulfils all of them.

        One or two conditions, or else three, of which that is most surprising; if there are none, by greedy choice.
        """
        sets = {one: self.fulfilling(one) for one in conditions[:MOST_CONDITIONS]}
        together = self.all
        for fulfilling in sets.values():
            together &= fulfilling
        if together:
            return self.states[(together & -together).bit_length() - 1]
        telling = list({known: one for one, known in sets.items() if known != self.all}.items())
        single = next((one for known, one in telling if not known), None)
        if single is not None or not telling:
            return Separation(() if single is None else (single,), len(self.states))
        best = self._best_pair(telling)
        if best is None or best.expected < EXPECTED:
            best = self._best_triple(telling, best)
        return best or self._greedy(telling)

    def _best_pair(self, telling: Sequence[tuple[int, V]]) -> Separation | None:
        best: Separation | None = None
        for (a, one), (b, two) in combinations(telling, 2):
            if not a & b:
                expected = a.bit_count() * b.bit_count() / len(self.states)
                if best is None or expected > best.expected:
                    best = Separation((one, two), expected)
        return best

    def _best_triple(self, telling: Sequence[tuple[int, V]], best: Separation | None) -> Separation | None:
        for number, one in enumerate(telling):
            for second in range(number):
                least = 0.0 if best is None else best.expected
                best = self._with_third(one, telling[second], telling[:second], least) or best
        return best

    def _with_third(
        self, one: tuple[int, V], two: tuple[int, V], others: Sequence[tuple[int, V]], least: float
    ) -> Separation | None:
        """The most surprising triple of these two and another, of those that more are expected of than `least`."""
        (a, first), (b, second) = one, two
        together, every = (a & b).bit_count(), len(self.states)
        best: Separation | None = None
        if together > least:
            for c, third in others:
                if not a & b & c:
                    counts = (together * c.bit_count(), (a & c).bit_count() * b.bit_count())
                    expected = min(*counts, (b & c).bit_count() * a.bit_count()) / every
                    if expected > least:
                        best, least = Separation((first, second, third), expected), expected
        return best

    def _greedy(self, telling: Sequence[tuple[int, V]]) -> Separation:
        left, chosen = self.all, list[tuple[int, V]]()
        while left:
            chosen.append(min(telling, key=lambda entry: (left & entry[0]).bit_count()))
            left &= chosen[-1][0]
        for entry in tuple(chosen):
            rest = self.all
            for known, _ in (other for other in chosen if other is not entry):
                rest &= known
            if not rest:
                chosen.remove(entry)
        return Separation(tuple(one for _, one in chosen), 0.0)

    def _among(self, condition: V, states: Sequence[Snapshot], first: int) -> int:
        """Those of the states, whose numbers begin with `first`, in which the condition holds or may."""
        if isinstance(condition, int):
            return ((1 << len(states)) - 1) << first if condition else 0
        column = self._columns.get(condition)
        if column is None:
            column = self._columns[condition] = column_of(condition)
        found = 0
        for number, value in enumerate(column(states)):
            truth = PartialEvaluation(states[number].values).truth(condition) if value is None else bool(value)
            if truth is not False:
                found |= 1 << (first + number)
        return found


def _key(state: Snapshot) -> frozenset[tuple[Term, Value]]:
    return frozenset(state.values.items())


def successor(region: Region, way: Way, state: Snapshot, model: Model) -> Snapshot | None:
    """Where the way leads from the state with the model's inputs; None if it is not taken. Where a state does not say
    all (contents of arrays) the successor is likely at most."""
    known = _at_start(region, state)
    evaluation = Evaluation(_leaves(known, model))
    if evaluation.one(way.formula) != 1:
        return None
    return Snapshot({v: evaluation.one(value) for v, value in way.values.values.items() if _has_value(value, known)})


def chance_step(
    region: Region, state: Snapshot, numbers: Sequence[int], random: Random
) -> tuple[Place, Snapshot] | None:
    """Where the region leads from the state with inputs by chance: truth values, these numbers, or any; None where its
    run ends, or is none."""
    known = _at_start(region, state)

    def leaf(term: Term) -> Given | None:
        if term in known or isinstance(term.sort, ArraySort):
            return known.get(term)
        usual = numbers if numbers and random.random() < FROM_PROGRAM else (0, 1)
        return random.choice(usual) if random.random() < USUAL else random.getrandbits(64)

    run = Evaluation(leaf)
    way = next((way for way in region.ways if way.leaves and run.one(way.formula) == 1), None)
    if way is None or any(run.one(assumed) != 1 for assumed in region.assumed):
        return None
    values = way.values.values.items()
    return way.target, Snapshot({v: run.one(value) for v, value in values if _has_value(value, known)})


def compared(region: Region) -> Sequence[int]:
    """Numbers that something is compared with in the region, and those behind them, in the order of their terms."""
    values = (value for way in region.ways for value in (way.formula, *way.values.values.values()))
    found: dict[int, None] = {}
    for term in reachable([*values, region.failing]):
        if term.op in (Op.EQ, Op.ULT, Op.SLT):
            found |= {number + more: None for number in term.args if isinstance(number, int) for more in (0, 1)}
    return list(found)


def _at_start(region: Region, state: Snapshot) -> dict[Term, Value]:
    known: dict[Term, Value] = {}
    for component, value in state.values.items():
        start = region.start_values.values.get(component)
        if isinstance(start, Term) and start.op in (Op.VARIABLE, Op.ADDRESS):
            known[start] = value
    return known


def _has_value(value: V, known: Mapping[Term, Value]) -> bool:
    """It is no array of which the state says nothing."""
    return not (isinstance(value, Term) and isinstance(value.sort, ArraySort)) or all(
        variable in known for variable in variables(value) if isinstance(variable.sort, ArraySort)
    )


def _leaves(known: Mapping[Term, Value], model: Model) -> Callable[[Term], Given | None]:
    return lambda leaf: known[leaf] if leaf in known else model.source.value(leaf)
