"""Which values state variables have together, found by going from one combination to the next, many at once.

    reached := the combinations at the start
    for those of each place that are new, under sampled values of all else:
        the values that each way of the place's region gives, where the way can be gone: reached

Each round evaluates a region once, on vectors with an entry for each new combination and sample. Inputs are sampled at
and next to the numbers that they are compared with, which is all that a machine of events asks of them; what is no
bit-vector (floats, elements of arrays) has values by chance. So the sets are guesses, and a proof by them says more:
that nothing leads out of them.

Source: explicit-state reachability, with value analysis [beyer2013explicit] to tell which variables take few values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, Final, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.invariants.explicit_values import value_sets
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute_all

Combination: TypeAlias = tuple[int, ...]

Tracked: TypeAlias = Mapping[Place, tuple[Term, ...]]
"""The state variables at each place."""

MOST: Final = 2_000
"""Combinations at all places together; with more, nothing is said."""

MOST_NODES: Final = 300_000
"""Of a region's formulas."""

MOST_SAMPLES: Final = 64
"""Of the values of all that is not tracked, for each combination."""

MOST_ROWS: Final = 1 << 13
"""Combinations with samples that are evaluated at once."""

def state_variables(graph: CutGraph) -> dict[Place, tuple[Term, ...]]:
    """Those that get constants alone, two or more, by place; those with most of them first."""
    found: dict[Place, tuple[Term, ...]] = {}
    for place, known in value_sets(graph).items():
        several = [(len(values), v) for v, values in known.items() if values and len(values) > 1 and _is_small(v)]
        found[place] = tuple(v for _, v in sorted(several, key=lambda one: -one[0]))
    return found


def reached_values(graph: CutGraph, budget: Budget, seed: int = 0) -> Iterator[Fact]:
    """At each place with state variables, that their values are one of the combinations; nothing where there are too
    many. Raises OutOfBudget."""
    tracked = state_variables(graph)
    for place, states in reached_states(graph, tracked, budget, seed).items():
        yield Fact(*place, one_of(tracked[place], states))


def reached_states(
    graph: CutGraph, tracked: Tracked, budget: Budget, seed: int = 0, most: int = MOST
) -> dict[Place, list[Combination]]:
    """Which values the tracked variables have together at each place with some, in the order of their discovery; empty
    where these are more than `most` at all places together, or formulas are too large. Raises OutOfBudget."""
    if not any(tracked.values()):
        return {}
    found = _reached(graph, tracked, budget, Random(seed), most)
    return {place: list(states) for place, states in found.items() if tracked.get(place)}


def one_of(names: Sequence[Term], states: Sequence[Combination]) -> V:
    """The bit-vectors `names` have the values of one of the states: a diagram in which states that go on alike share
    what they go on with. Recursive in the number of names."""
    known: dict[frozenset[Combination], V] = {}

    def from_here(level: int, rest: frozenset[Combination]) -> V:
        if level == len(names):
            return 1
        if rest not in known:
            ends: dict[int, set[Combination]] = {}
            for state in rest:
                ends.setdefault(state[0], set()).add(state[1:])
            alike: dict[frozenset[Combination], list[int]] = {}
            for value in sorted(ends):
                alike.setdefault(frozenset(ends[value]), []).append(value)
            known[rest] = build.disjunction(
                build.and_(_is_any(names[level], values), from_here(level + 1, end)) for end, values in alike.items()
            )
        return known[rest]

    return from_here(0, frozenset(states))


def _is_any(name: Term, values: Sequence[int]) -> V:
    assert isinstance(name.sort, BitVec)
    return build.disjunction(build.eq(name, value, name.sort.width) for value in values)


# ---------------------------------------------------------------- rounds


def _reached(
    graph: CutGraph, tracked: Tracked, budget: Budget, chance: Random, most: int
) -> dict[Place, dict[Combination, None]]:
    steps: dict[Place, list[_Step]] = {}
    for region in graph.regions:
        step = _Step.of(region, tracked, chance)
        if step is None:
            return {}
        steps.setdefault(region.start, []).append(step)
    found: dict[Place, dict[Combination, None]] = {START: {(): None}}
    new: dict[Place, list[Combination]] = {START: [()]}
    while new:
        before, new = new, {}
        taken = ((step, states) for place, states in before.items() for step in steps.get(place, ()))
        for target, state in (one for step, states in taken for one in step.from_all(states, budget)):
            known = found.setdefault(target, {})
            if state not in known:
                known[state] = None
                new.setdefault(target, []).append(state)
        if sum(map(len, found.values())) > most:
            return {}
    del found[START]
    return found


class _Step:
    """One region as a function of the state variables at its start and samples of all else."""

    def __init__(self, region: Region, tracked: Tracked, roots: list[V], samples: Mapping[Term, Sequence[int]]) -> None:
        self.region, self.tracked = region, tracked
        self.given = [region.start_values.values.get(v) for v in tracked.get(region.start, ())]
        self.roots, self.samples = roots, samples

    @classmethod
    def of(cls, region: Region, tracked: Tracked, chance: Random) -> _Step | None:
        """None where there is too much of it."""
        roots: list[V] = []
        for way in region.ways:
            values = way.values.values
            roots += [way.formula, *(values.get(name, name) for name in tracked.get(way.target, ()))]
        terms = reachable(roots)
        if len(terms) > MOST_NODES:
            return None
        if strange := [term for term in terms if _is_small(term) and not _is_computed(term)]:
            roots = substitute_all(roots, {t: build.variable(f"?{n}", t.sort) for n, t in enumerate(strange)})
            terms = reachable(roots)
        step = cls(region, tracked, roots, {})
        free = [term for term in terms if term.op is Op.VARIABLE and term not in step.given]
        step.samples = _sampled(free, _compared(terms), chance)
        return step

    def from_all(self, states: Sequence[Combination], budget: Budget) -> Iterator[tuple[Place, Combination]]:
        """Where the states lead."""
        count = len(next(iter(self.samples.values()), (0,)))
        at_once = max(1, MOST_ROWS // count)
        for first in range(0, len(states), at_once):
            budget.spend()
            yield from self._from_some(states[first : first + at_once], count)

    def _from_some(self, states: Sequence[Combination], count: int) -> Iterator[tuple[Place, Combination]]:
        import numpy as np

        from counterpoint.inference import Column, Role
        from counterpoint.inference.table import Table
        from counterpoint.inference.vectors import values_of_all

        columns: dict[Term, Any] = {}
        for number, start in enumerate(self.given):
            if isinstance(start, Term):
                columns[start] = np.repeat(np.array([state[number] for state in states], dtype=np.uint64), count)
        for variable, values in self.samples.items():
            columns[variable] = np.tile(np.array(values, dtype=np.uint64), len(states))
        table = Table(tuple(Column(v, Role.PLACE) for v in columns), tuple(columns.values()))
        found = values_of_all(self.roots, table, len(states) * count)
        for way in self.region.ways:
            names = self.tracked.get(way.target, ())
            holds, values, found = found[0], found[1 : 1 + len(names)], found[1 + len(names) :]
            rows = np.flatnonzero(holds)
            if len(rows) and not names:
                yield way.target, ()
            elif len(rows):
                different = np.unique(np.stack([column[rows] for column in values], axis=1), axis=0)
                yield from ((way.target, tuple(map(int, state))) for state in different)


def _is_small(term: Term) -> bool:
    return term.sort is BOOL or (isinstance(term.sort, BitVec) and term.sort.width <= 64)


def _is_computed(term: Term) -> bool:
    """By an operator on Bools and bit-vectors of 64 bits at most; or it is an unknown."""
    from counterpoint.inference.vectors import are_vectors

    return are_vectors((term,)) and all(isinstance(arg, int) or _is_small(arg) for arg in term.args)


def _compared(terms: Sequence[Term]) -> dict[Term, dict[int, None]]:
    """The numbers that each variable is compared with, extended or not."""
    found: dict[Term, dict[int, None]] = {}
    for term in terms:
        if term.sort is BOOL and len(term.args) == 2:
            for one, other in (term.args, term.args[::-1]):
                while isinstance(one, Term) and one.op in (Op.ZEXT, Op.SEXT):
                    one = one.args[0]
                if isinstance(one, Term) and one.op is Op.VARIABLE and isinstance(other, int):
                    found.setdefault(one, {})[other] = None
    return found


def _sampled(
    free: Sequence[Term], compared: Mapping[Term, Mapping[int, None]], chance: Random
) -> dict[Term, list[int]]:
    """As many values of each variable as there are samples: all combinations of those at and next to the numbers that
    it is compared with where these are few, else some by chance."""
    choices: list[list[int]] = []
    for variable in free:
        width = variable.sort.width if isinstance(variable.sort, BitVec) else 1
        near = (number + more for number in compared.get(variable, {0: None}) for more in (0, 1, -1))
        choices.append(list(dict.fromkeys(number & ((1 << width) - 1) for number in near)))
    count = 1
    for some in choices:
        count *= len(some)
    if count <= MOST_SAMPLES:
        rows = list(product(*choices))
    else:
        rows = [tuple(chance.choice(some) for some in choices) for _ in range(MOST_SAMPLES)]
    return {variable: [row[number] for row in rows] for number, variable in enumerate(free)}
