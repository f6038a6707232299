"""Explicit-value analysis: the joint values of variables that only take a few constants.

Region summaries are specialised to each known combination of values; conditions on anything else may go either
way. As in explicit-value analysis [beyer2013explicit], but with whole regions as transfer functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.logic.loop_shape import Passage, passages
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import choices, reachable, substitute_all

MAX_VALUES = 40
"""Constants that one variable may take."""

MAX_STATES = 300
"""Combinations at all places together; with more, fewer variables are tracked."""

MAX_OUTCOMES = 64
"""Combinations that one way may lead to from one combination."""

TRACKED = (10, 5, 3, 2)
"""How many variables of each place are tracked, until there are few enough combinations."""

MAX_WORK = 120_000
"""Nodes of formulas that are specialised for the first choice of tracked variables; each next one has less."""

Values: TypeAlias = dict[Term, tuple[int, ...] | None]
"""By component variable: the constants it may be, in the order of their discovery; None: anything."""

Combination: TypeAlias = tuple[int, ...]


class _TooMany(Exception):
    """More combinations than are of use."""


@dataclass(slots=True)
class _Work:
    """Counts nodes of formulas, so that the limit does not depend on the machine."""

    left: int

    def spend(self, roots: Sequence[V]) -> None:
        self.left -= 50 + len(reachable(roots))
        if self.left < 0:
            raise _TooMany


def value_sets(graph: CutGraph) -> dict[Place, Values]:
    """For each place, the constants that bit-vector components may be there, without looking at conditions."""
    known: dict[Place, Values] = {}
    ways = passages(graph)
    changed = True
    while changed:
        changed = False
        for passage in ways:
            target = known.setdefault(passage.way.target, {})
            source = known.get(passage.region.start, {})
            origins = {start: v for v, start in passage.region.start_values.values.items()}
            for variable, value in passage.way.values.values.items():
                if not isinstance(variable.sort, BitVec) or target.get(variable, ()) is None:
                    continue
                new = _leaf_values(value, origins, source)
                joined = None if new is None else tuple(dict.fromkeys((*(target.get(variable) or ()), *new)))
                if joined is not None and len(joined) > MAX_VALUES:
                    joined = None
                if variable not in target or joined != target[variable]:
                    target[variable] = joined
                    changed = True
    return known


def _leaf_values(value: V, origins: Mapping[V, Term], source: Values) -> tuple[int, ...] | None:
    found: dict[int, None] = {}
    for leaf in choices([value]):
        if isinstance(leaf, int):
            found[leaf] = None
        else:
            values = source.get(origins[leaf], ()) if leaf in origins else None
            if values is None:
                return None
            found.update(dict.fromkeys(values))
    return tuple(found)


def joint_values(graph: CutGraph, budget: Budget) -> dict[Place, tuple[tuple[Term, ...], list[Combination]]]:
    """For each place: some finite variables, and all combinations of values that they may have together there.

    Variables with most values come first. Places that runs cannot get to are missing. Raises OutOfBudget.
    """
    known = value_sets(graph)
    tracked: dict[Place, tuple[Term, ...]] = {}
    for attempt, many in enumerate(TRACKED):
        before, tracked = tracked, {place: _chosen(values, many) for place, values in known.items()}
        if tracked == before:
            continue
        try:
            found = _combinations(graph, tracked, _Work(MAX_WORK >> attempt), budget)
        except _TooMany:
            continue
        return {place: (tracked[place], list(states)) for place, states in found.items() if tracked.get(place)}
    return {}


def _chosen(values: Values, many: int) -> tuple[Term, ...]:
    finite = [(variable, several) for variable, several in values.items() if several and len(several) > 1]
    finite.sort(key=lambda one: -len(one[1]))
    return tuple(variable for variable, _ in finite[:many])


def _combinations(
    graph: CutGraph, tracked: Mapping[Place, tuple[Term, ...]], work: _Work, budget: Budget
) -> dict[Place, dict[Combination, None]]:
    regions: dict[Place, list[Region]] = {}
    for region in graph.regions:
        regions.setdefault(region.start, []).append(region)
    found: dict[Place, dict[Combination, None]] = {START: {(): None}}
    waiting: list[tuple[Place, Combination]] = [(START, ())]
    while waiting:
        place, state = waiting.pop()
        for region in regions.get(place, ()):
            ways = [Passage(region, way) for way in region.ways]
            roots = [[p.way.formula, *_tracked_values(p, tracked)] for p in ways]
            given = _given(region, tracked.get(place, ()), state)
            special = substitute_all([root for one in roots for root in one], given)
            work.spend([root for one in roots for root in one])
            for passage, one in zip(ways, roots, strict=True):
                formula, values = special[0], special[1 : len(one)]
                special = special[len(one) :]
                budget.spend()
                target = passage.way.target
                outcomes = dict.fromkeys(_outcomes(formula, values, work))
                waiting += [(target, outcome) for outcome in outcomes if outcome not in found.get(target, ())]
                if outcomes:
                    found.setdefault(target, {}).update(outcomes)
            if sum(map(len, found.values())) > MAX_STATES:
                raise _TooMany
    del found[START]
    return found


def _tracked_values(passage: Passage, tracked: Mapping[Place, tuple[Term, ...]]) -> list[V]:
    values = passage.way.values.values
    return [values.get(variable, variable) for variable in tracked.get(passage.way.target, ())]


def _given(region: Region, variables: Sequence[Term], state: Combination) -> dict[Term, V]:
    given: dict[Term, V] = {}
    for variable, value in zip(variables, state, strict=True):
        start = region.start_values.values.get(variable)
        if isinstance(start, Term):
            given[start] = value
    return given


def _outcomes(formula: V, values: Sequence[V], work: _Work) -> Iterator[Combination]:
    """What the values may be together where the formula may hold; choices are split one condition at a time."""
    stack: list[tuple[V, Sequence[V]]] = [(formula, values)]
    count = 0
    while stack:
        holds, now = stack.pop()
        if holds == 0:
            continue
        choice = next((value for value in now if isinstance(value, Term)), None)
        if choice is None:
            count += 1
            yield tuple(value for value in now if isinstance(value, int))
            continue
        if choice.op is not Op.ITE or count + len(stack) > MAX_OUTCOMES:
            raise _TooMany
        condition, negated = choice.args[0], False
        if isinstance(condition, Term) and condition.op is Op.NOT:
            condition, negated = condition.args[0], True
        assert isinstance(condition, Term)
        for value in (0, 1) if not negated else (1, 0):
            work.spend([holds, *now])
            split = substitute_all([holds, *now], {condition: value})
            stack.append((split[0], split[1:]))
