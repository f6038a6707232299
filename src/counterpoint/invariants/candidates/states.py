"""Variables that are only ever assigned constants, as in state machines: their values, and what holds in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, permutations

from counterpoint.core.errors import OutOfBudget
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.explicit_values import Values, value_sets
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.reached_values import Combination, Tracked, reached_states, state_variables
from counterpoint.logic.atoms import literals
from counterpoint.logic.loop_shape import Passage, passages
from counterpoint.regions.cut_graph import Place
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

MAX_PARTS = 12
"""Parts of one condition that are looked at."""

MAX_TESTS = 40
"""Parts of all conditions on one path that are looked at."""

MAX_PATHS = 100
"""Leaves of one variable's new value that are looked at."""

MAX_PAIRS = 40
"""Pairs of such variables at one place whose values are related by what was seen."""

MAX_TUPLES = 12
"""Combinations of the other variables with one value of the first, in one formula."""

TRACKED = (10, 5, 3, 2)
"""How many variables of each place are tracked, until there are few enough combinations."""

MAX_STATES = 300
"""Combinations at all places together."""

SHARE = 0.1
"""Of the remaining time, what finding the combinations may take; nothing is guessed if that is too little."""


def _guesses(context: Context) -> Iterator[Guess]:
    graph = context.graph
    known = value_sets(graph)
    for place, variables in known.items():
        for variable, values in variables.items():
            if values and len(values) > 1:
                yield place, build.disjunction(_is(variable, value) for value in values)
    yield from _together(context)
    for passage in passages(graph):
        here = known.get(passage.way.target, {})
        yield from ((passage.way.target, formula) for formula in _entering(passage, here))
    yield from _seen(context, known)


def _is(variable: Term, value: int) -> V:
    assert isinstance(variable.sort, BitVec)
    return build.eq(variable, value, variable.sort.width)


def _together(context: Context) -> Iterator[Guess]:
    """Which values variables have together: for each value of one, those of each other and of all others."""
    tracked, found = _few_together(context)
    for place, states in found.items():
        variables = tracked[place]
        for value in dict.fromkeys(state[0] for state in states if state):
            rest = dict.fromkeys(state[1:] for state in states if state[0] == value)
            if len(variables) > 1 and len(rest) <= MAX_TUPLES:
                yield place, build.implies(_is(variables[0], value), _one_of(variables[1:], list(rest)))
        for a, b in list(permutations(range(len(variables)), 2))[:MAX_PAIRS]:
            every = dict.fromkeys(state[b] for state in states)
            for value in dict.fromkeys(state[a] for state in states):
                others = dict.fromkeys(state[b] for state in states if state[a] == value)
                if len(others) < len(every):
                    right = build.disjunction(_is(variables[b], other) for other in others)
                    yield place, build.implies(_is(variables[a], value), right)


def _few_together(context: Context) -> tuple[Tracked, Mapping[Place, Sequence[Combination]]]:
    """The variables that are tracked, and the combinations of their values."""
    every, budget = state_variables(context.graph), context.budget.share(SHARE)
    most = max(map(len, every.values()), default=0)
    try:
        for many in dict.fromkeys(min(many, most) for many in TRACKED if most > 1):
            tracked = {place: names[:many] for place, names in every.items()}
            if found := reached_states(context.graph, tracked, budget, context.seed, MAX_STATES):
                return tracked, found
    except OutOfBudget:
        pass
    return {}, {}


def _one_of(variables: Sequence[Term], tuples: Sequence[Sequence[int]]) -> V:
    """The variables' values are one of the tuples."""
    return build.disjunction(
        build.conjunction(_is(variable, value) for variable, value in zip(variables, one, strict=True))
        for one in tuples
    )


# ---------------------------------------------------------------- what holds in a state


def _entering(passage: Passage, here: Values) -> Iterator[V]:
    """`variable == constant` implies what was tested on the way to that assignment, as far as it can be said."""
    held = _tested([passage.way.formula])
    for variable, values in here.items():
        if not values or len(values) < 2 or variable not in passage.way.values.values:
            continue
        for constant, under in _paths(passage.way.values.values[variable]):
            tested = dict.fromkeys((*_tested(under), *held))
            for fact in passage.way.values.back_all(tested):
                if fact is not None:
                    yield build.implies(_is(variable, constant), fact)


def _paths(value: V) -> Iterator[tuple[int, list[V]]]:
    """The constant leaves of a value, with the conditions on the path to each, outermost first."""
    stack: list[tuple[V, list[V]]] = [(value, [])]
    count = 0
    while stack and count < MAX_PATHS:
        item, under = stack.pop()
        count += 1
        if isinstance(item, int):
            yield item, under
        elif item.op is Op.ITE:
            condition = item.args[0]
            stack.append((item.args[2], [*under, build.not_(condition)]))
            stack.append((item.args[1], [*under, condition]))


def _tested(conditions: Iterable[V]) -> list[V]:
    """Parts of the conditions, each once; of large ones only the first."""
    parts = (part for condition in conditions for part in islice(literals(condition), MAX_PARTS))
    return list(islice(dict.fromkeys(parts), MAX_TESTS))


def _seen(context: Context, known: Mapping[Place, Values]) -> Iterator[Guess]:
    """For two such variables, the values of the second that were seen with each value of the first."""
    for place, visits in context.snapshots.at.items():
        finite = [v for v, values in known.get(place, {}).items() if values and len(values) > 1]
        for first, second in list(permutations(finite, 2))[:MAX_PAIRS]:
            together: dict[int, dict[int, None]] = {}
            for visit in visits:
                a, b = visit.values.get(first), visit.values.get(second)
                if isinstance(a, int) and isinstance(b, int):
                    together.setdefault(a, {})[b] = None
            every = known[place][second] or ()
            for a, others in together.items():
                if len(others) < len(every):
                    yield place, build.implies(_is(first, a), build.disjunction(_is(second, b) for b in others))


SOURCE = GuessSource("states", 1, "values of state variables, and what holds in each state", _guesses, 400)
