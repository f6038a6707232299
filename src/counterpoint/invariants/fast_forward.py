"""States far along a run, without the run: what repeats with constant steps is skipped by extrapolation.

Loops of millions of iterations change their behaviour late (`if (x < 500000)`), where runs of limited length never
get. Here regions are evaluated one after the other from a visited state; when a loop has gone through the same
ways twice with the same differences, it jumps ahead as far as that goes on, found by doubling and then halving.
What is skipped is tested at a few points only, so a state may be one that no run reaches: the states serve
to guess from, never to prove.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot, Snapshots
from counterpoint.logic.atoms import atoms
from counterpoint.program.order import weak_topological_order
from counterpoint.regions.cut_graph import CutGraph, Place, Region, Way
from counterpoint.term.evaluate import Value, evaluate_all
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import addresses, variables

STARTS = 4
"""Visited states of each place that are gone on from."""

STEPS = 1500
"""Regions evaluated from each start."""

KEPT = 200
"""States of each place that are handed on, spread over those that were reached."""

FARTHEST = 40
"""Jumps are at most 2**FARTHEST rounds."""

PERIODS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)
"""Visits after which a loop may repeat itself."""

State = dict[Term, Value]
Signature = tuple[object, ...]


def fast_forwarded(graph: CutGraph, snapshots: Snapshots, budget: Budget) -> Snapshots:
    """The snapshots and states further along, by place. Stops early when the budget ends."""
    runner = Runner(graph, budget)
    try:
        for place, visits in snapshots.at.items():
            if graph.regions_from(place) and not _needs_memory(graph, place):
                for visit in _spread(visits):
                    runner.run(place, {v: value for v, value in visit.values.items() if isinstance(value, int)})
    except OutOfBudget:
        pass
    found = {place: list(visits) for place, visits in snapshots.at.items()}
    for place, states in runner.seen.items():
        step = -(-len(states) // KEPT)
        found.setdefault(place, []).extend(Snapshot(state) for state in states[::-step])
    return Snapshots(found, snapshots.violation, snapshots.runs, snapshots.steps)


def _needs_memory(graph: CutGraph, place: Place) -> bool:
    """The place is in a function that goes by contract and reads memory through pointers: arrays, which states here do
    not have."""
    bits = graph.program.layout.pointer_bits
    return graph.cuts[place].by_contract and any(
        isinstance(component.sort(bits), ArraySort) for component in graph.components(place)
    )


def _spread(visits: Sequence[Snapshot]) -> Sequence[Snapshot]:
    step = max(1, len(visits) // STARTS)
    return visits[::step][:STARTS]


@dataclass(slots=True)
class _Visit:
    """A state at a place, and what was done since the last visit there."""

    state: State
    since: Signature = ()


@dataclass(slots=True)
class Runner:
    """Follows runs over regions. `seen` collects states by place; `failed` is the check that a followed run fails."""

    graph: CutGraph
    budget: Budget
    seen: dict[Place, list[State]] = field(default_factory=dict)
    left: int = 0
    failed: int | None = None
    _probing: bool = False

    def follow(self, start: Region, given: Mapping[str, Value], steps: int) -> int | None:
        """The check that fails on the run in which the region's variables have these values (others 0), if that
        is seen within so many regions."""
        self.failed = None
        self.left = steps
        following = self._through(start, dict(given))
        if following is not None and self.failed is None:
            self.run(following[0], following[1], steps)
        return self.failed

    def run(self, place: Place, state: State, steps: int = STEPS) -> None:
        """Goes on from the state for so many regions, or until a check fails."""
        self.left = steps
        history: dict[Place, list[_Visit]] = {}
        since: dict[Place, list[Signature]] = {}
        while self.left > 0:
            following = self._onward(place, state, history, since)
            if following is None or self.failed is not None:
                return
            place, state = following
            self.seen.setdefault(place, []).append(state)

    def _onward(
        self, place: Place, state: State, history: dict[Place, list[_Visit]], since: dict[Place, list[Signature]]
    ) -> tuple[Place, State] | None:
        """One region, after a jump where the place repeats itself; loops inside the place's begin anew."""
        for inner in [other for other in history if other != place and self._is_inside(other, place)]:
            del history[inner], since[inner]
        state = self._jumped(place, state, history.setdefault(place, []), tuple(since.get(place, ())))
        since[place] = []
        following = self._step(place, state)
        if following is None:
            return None
        for steps in since.values():
            steps.append(following[2])
        return following[0], following[1]

    def _is_inside(self, inner: Place, outer: Place) -> bool:
        """The loop at `inner` is part of that at `outer`."""
        if inner[0] != outer[0] or outer[1] < 0 or inner[1] < 0:
            return False
        return outer[1] in weak_topological_order(self.graph.program.functions[inner[0]]).heads[inner[1]]

    def _step(self, place: Place, state: State) -> tuple[Place, State, Signature] | None:
        """One region: where it leads, the state there, and which tests were true on the way."""
        self.budget.spend()
        self.left -= 1
        for region in self.graph.regions_from(place):
            given = _assignment(region, state)
            if given is not None:
                return self._through(region, given)
        return None

    def _through(self, region: Region, given: dict[str, Value]) -> tuple[Place, State, Signature] | None:
        ways = [way for way in region.ways if way.leaves]
        if len(ways) < len(region.ways):  # what a call by contract returns is not known here
            return None
        tests = _tests(region)
        values = evaluate_all([*(way.formula for way in ways), *tests], given)
        for number, way in enumerate(ways):
            if values[number] == 1:
                known = _evaluable(region, way, given)
                reached = evaluate_all([way.values.values[variable] for variable in known], given)
                signature = (region.start, number, tuple(values[len(ways) :]))
                return way.target, dict(zip(known, reached, strict=True)), signature
        if not self._probing:
            failing = evaluate_all([failure.formula for failure in region.failures], given)
            self.failed = next((f.check for f, v in zip(region.failures, failing, strict=True) if v == 1), None)
        return None

    def _jumped(self, place: Place, state: State, visits: list[_Visit], since: Signature) -> State:
        """The state, or one far ahead if the last visits repeat themselves."""
        visits.append(_Visit(state, since))
        for period in PERIODS:
            if len(visits) > 2 * period:
                older, old, new = visits[-1 - 2 * period], visits[-1 - period], visits[-1]
                step = _difference(old.state, new.state)
                did = [visit.since for visit in visits[-period:]]
                before = [visit.since for visit in visits[-2 * period : -period]]
                if step and did == before and step == _difference(older.state, old.state):
                    outermost, self._probing = not self._probing, True
                    ahead = self._ahead(place, state, step, did)
                    self._probing = not outermost
                    if ahead is not None:
                        visits.clear()
                        self.seen.setdefault(place, []).append(ahead)
                        return ahead
        return state

    def _ahead(self, place: Place, state: State, step: Mapping[Term, int], did: list[Signature]) -> State | None:
        """The last state on the line through `state` from which the same is done once more."""
        rounds = 1
        while rounds < 1 << FARTHEST and self.left > 0:
            if not self._goes_on(place, _moved(state, step, 2 * rounds), step, did):
                break
            rounds *= 2
        if rounds == 1:
            return None
        low, high = rounds, 2 * rounds
        while high - low > 1 and self.left > 0:
            middle = (low + high) // 2
            if self._goes_on(place, _moved(state, step, middle), step, did):
                low = middle
            else:
                high = middle
        self.seen.setdefault(place, []).append(_moved(state, step, low // 2))
        return _moved(state, step, low)

    def _goes_on(self, place: Place, state: State, step: Mapping[Term, int], did: list[Signature]) -> bool:
        """From this state, too, the same ways and tests lead back to the place with the same differences."""
        now = state
        for signature in did:
            back = self._round(place, now)
            if back is None or back[1] != signature:
                return False
            now = back[0]
        return _difference(state, now) == step

    def _round(self, place: Place, state: State) -> tuple[State, Signature] | None:
        """Once around the place's loop, inner loops included."""
        first = self._step(place, state)
        if first is None:
            return None
        here, now = first[0], first[1]
        history: dict[Place, list[_Visit]] = {}
        since: dict[Place, list[Signature]] = {place: [first[2]]}
        while here != place:
            if self.left <= 0 or not self._is_inside(here, place):
                return None
            following = self._onward(here, now, history, since)
            if following is None:
                return None
            here, now = following
        return now, tuple(since[place])


def _difference(old: State, new: State) -> dict[Term, int] | None:
    """By how much each number moved, modulo its width; None if nothing moved, or an array did."""
    step: dict[Term, int] = {}
    for variable, value in new.items():
        before = old.get(variable)
        if isinstance(value, int) and isinstance(before, int):
            if value != before and isinstance(variable.sort, BitVec):
                step[variable] = (value - before) & ((1 << variable.sort.width) - 1)
            elif value != before:
                return None
    return step or None


def _moved(state: State, step: Mapping[Term, int], rounds: int) -> State:
    moved = dict(state)
    for variable, distance in step.items():
        value = moved[variable]
        assert isinstance(value, int) and isinstance(variable.sort, BitVec)
        moved[variable] = (value + rounds * distance) & ((1 << variable.sort.width) - 1)
    return moved


# ---------------------------------------------------------------- regions as functions


@lru_cache(maxsize=256)
def _tests_of(formulas: tuple[V, ...]) -> tuple[Term, ...]:
    return tuple(atoms(formulas))


def _tests(region: Region) -> tuple[Term, ...]:
    return _tests_of(tuple(way.formula for way in region.ways) + tuple(f.formula for f in region.failures))


def _evaluable(region: Region, way: Way, given: Mapping[str, Value]) -> list[Term]:
    """Components that are numbers here and do not depend on memory that is not known, or on addresses.

    Recorded arrays have a few noted elements only, so what is read from them, or an array that a loop has filled,
    would be made up: a filter by such states would drop what is true.
    """
    missing = {str(v.payload) for v in _own(region)} - given.keys()
    return [
        component
        for component, value in way.values.values.items()
        if not isinstance(component.sort, ArraySort)
        and not addresses(value)
        and not any(str(v.payload) in missing for v in variables(value))
    ]


def _own(region: Region) -> set[Term]:
    """The variables that the region's state at its start consists of."""
    return {v for value in region.start_values.values.values() for v in variables(value)}


def _assignment(region: Region, state: State) -> dict[str, Value] | None:
    """Values of the region's own variables for the components' ones; arbitrary values of the region are 0."""
    given: dict[str, Value] = {}
    for variable, value in region.start_values.values.items():
        known = state.get(variable)
        if known is None or not isinstance(value, Term):
            continue
        if value.op is Op.VARIABLE:
            given[str(value.payload)] = known
        elif value.op is Op.CONCAT and value.args[1] == 0 and isinstance(value.payload, int):
            high = value.args[0]
            if isinstance(high, Term) and high.op is Op.VARIABLE and isinstance(known, int):
                given[str(high.payload)] = known >> value.payload
    needed = {v for way in region.ways for v in variables(way.formula)}
    if any(str(v.payload) not in given for v in needed & _own(region)):
        return None
    return None if addresses(*(way.formula for way in region.ways)) else given
