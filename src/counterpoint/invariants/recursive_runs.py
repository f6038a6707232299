"""States of recursive functions that no run of limited length gets to: each call on the same arguments is made once.

Runs of a recursive function take time exponential in its arguments (Fibonacci, Ackermann, Hanoi), so that recorded
runs show its results for few arguments, and learners of contracts have little to learn from. Here regions are evaluated
one after the other, and what a call returned is remembered by what it was entered with: then Fibonacci of 46 takes 47
activations. States are evaluated, not proved to be reached: they serve to guess from.

Source: Michie, "Memo functions and machine learning" (Nature 218, 1968).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot, Snapshots, constants
from counterpoint.program.graph import recursive_functions
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.evaluate import Evaluation, Given, Value
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term
from counterpoint.term.walk import addresses

RUNS = 60
"""Runs of the whole program."""

CALLS = 4_000
"""Activations of one run."""

DEPTH = 3_000
"""Activations at work at a time."""

STEPS = 500
"""Regions of one activation."""

KEPT = 400
"""States of one place that are handed on."""

FEW = 6
"""Values of a component by which the states of a place are grouped."""

SMALL = 10
"""Inputs of short runs are at most this."""

State = Mapping[Term, Value]
Call = tuple[str, State]
Key = tuple[str, tuple[tuple[Term, Value], ...]]
Activation = Generator[Call, State | None, State | None]
"""Asks for the results of calls, and returns the state at the function's EXIT; None if it does not get there."""


def with_recursion(graph: CutGraph, snapshots: Snapshots, budget: Budget, seed: int) -> Snapshots:
    """The snapshots, and states at the places of recursive functions on further arguments. Stops when the budget
    ends; the same for the same seed if it does not."""
    recursive = recursive_functions(graph.program) & set(graph.contracts)
    if not recursive or any(_has_arrays(graph, name) for name in graph.contracts):
        return snapshots
    runs = Activations(graph, budget)
    with suppress(OutOfBudget):
        choose, pool = random.Random(seed), constants(graph.program)
        for number in range(RUNS):
            if not runs.whole(partial(_input, choose, pool if number % 2 else ())):
                break
    found = {place: list(visits) for place, visits in snapshots.at.items()}
    for place, states in runs.seen.items():
        if place[0] in recursive:
            found.setdefault(place, []).extend(Snapshot(state) for state in _some(states))
    return Snapshots(found, snapshots.violation, snapshots.runs, snapshots.steps)


def _has_arrays(graph: CutGraph, function: str) -> bool:
    bits = graph.program.layout.pointer_bits
    places = (place for place in graph.cuts if place[0] == function)
    return any(isinstance(c.sort(bits), ArraySort) for place in places for c in graph.components(place))


def _input(choose: random.Random, pool: Sequence[int], term: Term) -> int:
    """Small, or next to a number of the pool."""
    width = term.sort.width if isinstance(term.sort, BitVec) else 1
    if not pool or choose.random() < 0.3:
        return choose.randint(0, SMALL) & ((1 << width) - 1)
    return (choose.choice(pool) + choose.choice((-1, 0, 1))) & ((1 << width) - 1)


def _some(states: Sequence[State]) -> list[State]:
    """At most KEPT of the states, as many of each group, of these the smallest numbers and some of the others."""
    values: dict[Term, set[Value]] = {}
    for state in states:
        for term, value in state.items():
            values.setdefault(term, set()).add(value)
    telling = [term for term, known in values.items() if 1 < len(known) <= FEW]
    groups: dict[tuple[Value | None, ...], list[State]] = {}
    for state in states:
        groups.setdefault(tuple(state.get(term) for term in telling), []).append(state)
    most = max(1, KEPT // max(1, len(groups)))
    return [state for group in groups.values() for state in _spread(group, most)]


def _spread(group: list[State], most: int) -> list[State]:
    group = sorted(group, key=lambda state: max((v for v in state.values() if isinstance(v, int)), default=0))
    if len(group) <= most:
        return group
    first, rest = group[: most // 2], group[most // 2 :]
    return first + rest[:: -(-len(rest) // (most - len(first)))]


# ---------------------------------------------------------------- regions as functions


@dataclass(frozen=True, slots=True)
class _Plan:
    """A region in the order of its evaluation: `entered` are its own variables by component."""

    entered: tuple[tuple[Term, Term], ...]
    calls: tuple[Way, ...]
    ends: tuple[Way, ...]


def _plan(region: Region) -> _Plan | None:
    """None if what the region does hangs on addresses, or on more than the components at its start."""
    if addresses(*(way.formula for way in region.ways)):
        return None
    entered = tuple(
        (component, value)
        for component, value in region.start_values.values.items()
        if isinstance(value, Term) and value.op is Op.VARIABLE
    )
    calls = tuple(way for way in region.ways if not way.leaves)
    return _Plan(entered, calls, tuple(way for way in region.ways if way.leaves))


@dataclass(slots=True)
class Activations:
    """Calls that were made, with what they returned; `seen` are the states at places, in the order of the runs."""

    graph: CutGraph
    budget: Budget
    seen: dict[Place, list[State]] = field(default_factory=dict)
    _results: dict[Key, State | None] = field(default_factory=dict)
    _plans: dict[Place, _Plan | None] = field(default_factory=dict)
    _left: int = 0

    def whole(self, value: Callable[[Term], int]) -> bool:
        """A run of the program whose inputs have these values; False if nothing can be evaluated. Raises
        OutOfBudget."""
        self._left = CALLS
        if self._planned(START) is None:
            return False
        self._finish(self._walk(START, {}, value))
        return True

    def _finish(self, first: Activation) -> None:
        """Runs the activation with all that it calls, on a stack of our own."""
        stack: list[tuple[Activation, Key | None]] = [(first, None)]
        working: set[Key] = set()
        answer: State | None = None
        while stack:
            activation, key = stack[-1]
            try:
                called = activation.send(answer)
            except StopIteration as done:
                stack.pop()
                answer = done.value
                if key is not None:
                    working.discard(key)
                    self._results[key] = answer
                continue
            function, state = called
            asked = function, tuple(state.items())
            answer = self._results.get(asked)
            if asked in self._results:
                continue
            if asked in working or self._left <= 0 or len(stack) > DEPTH:
                return  # it does not end, or takes too long
            self._left -= 1
            working.add(asked)
            self._note((function, 0), state)
            stack.append((self._walk((function, 0), state, lambda _: 0), asked))

    def _walk(self, place: Place, state: State, value: Callable[[Term], int]) -> Activation:
        """From the place to the function's EXIT; what is arbitrary on the way has the values."""
        for _ in range(STEPS):
            self.budget.spend()
            plan = self._planned(place)
            if plan is None:
                return None
            way = yield from self._region(plan, state, value)
            if way is None:
                return None
            place, state = way
            self._note(place, state)
            if place[1] == EXIT:
                return state
        return None

    def _region(
        self, plan: _Plan, state: State, value: Callable[[Term], int]
    ) -> Generator[Call, State | None, tuple[Place, State] | None]:
        given: dict[Term, Given] = {own: state[component] for component, own in plan.entered if component in state}

        def leaf(term: Term) -> Given | None:
            if term not in given and not isinstance(term.sort, ArraySort):
                given[term] = value(term)
            return given.get(term)

        evaluation = Evaluation(leaf)
        for way in plan.calls:
            if evaluation.one(way.formula) == 1:
                result = yield way.target[0], _reached(way, evaluation)
                if result is None or way.returned is None:
                    return None
                for component, own in way.returned.values.items():
                    if isinstance(own, Term) and own.op is Op.VARIABLE and component in result:
                        given.setdefault(own, result[component])
        for way in plan.ends:
            if evaluation.one(way.formula) == 1:
                return way.target, _reached(way, evaluation)
        return None

    def _planned(self, place: Place) -> _Plan | None:
        if place not in self._plans:
            region = next(iter(self.graph.regions_from(place)), None)
            self._plans[place] = None if region is None else _plan(region)
        return self._plans[place]

    def _note(self, place: Place, state: State) -> None:
        if place != START:
            self.seen.setdefault(place, []).append(state)


def _reached(way: Way, evaluation: Evaluation) -> State:
    """The components that are numbers, and no addresses."""
    wanted = [(v, value) for v, value in way.values.values.items() if not isinstance(v.sort, ArraySort)]
    return {v: evaluation.one(value) for v, value in wanted if not addresses(value)}
