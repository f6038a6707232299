"""Abstract posts against brute force: random loop bodies, all concrete states, sets of predicates from a pool.

Boolean posts must be exactly the combinations of predicates that some run leaves behind, however models are generalised
and remembered; Cartesian ones exactly the predicates that all runs agree on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates.graph import abstraction as abstractions
from counterpoint.engines.predicates.graph.abstraction import Abstraction
from counterpoint.engines.predicates.graph.circuits import Circuits
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.execute.subject import INLINED
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.regions.cut_graph import START
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import LARGE, locations
from counterpoint.regions.steps import by_variable
from counterpoint.semantics.components import RegisterValue
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Term, V

NAMES: Final = ("a", "b", "c")
VALUES: Final = range(4)
"""Of each variable at the start of a step; more at its end."""

Concrete: TypeAlias = tuple[int, int, int]
Cube: TypeAlias = Mapping[V, bool]

BODIES: Final = 8
"""Random loop bodies; each is compiled once."""


# ---------------------------------------------------------------- random loop bodies


@dataclass(frozen=True)
class Assign:
    """`target = left <operator> right`; an operand is a variable's number, a constant as text, or "?": 0 to 3."""

    target: int
    left: int
    operator: str
    right: int | str

    def c(self) -> str:
        right = NAMES[self.right] if isinstance(self.right, int) else self.right
        right = "(__VERIFIER_nondet_uchar() & 3)" if right == "?" else right
        return f"{NAMES[self.target]} = {NAMES[self.left]} {self.operator} {right};"

    def runs(self, state: Concrete) -> Iterator[Concrete]:
        rights = VALUES if self.right == "?" else (state[self.right] if isinstance(self.right, int) else int(self.right),)
        for right in rights:
            left = state[self.left]
            done = {"+": left + right, "-": left - right, "^": left ^ right, "&": left & right, "*": left * right}
            found = list(state)
            found[self.target] = done[self.operator] & 255
            yield found[0], found[1], found[2]


@dataclass(frozen=True)
class If:
    """Compares two variables, or one with a constant; or chooses."""

    condition: tuple[int, str, int | str] | None
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]

    def c(self) -> str:
        said = "__VERIFIER_nondet_uchar() & 1"
        if self.condition is not None:
            left, operator, right = self.condition
            said = f"{NAMES[left]} {operator} {NAMES[right] if isinstance(right, int) else right}"
        parts = [" ".join(statement.c() for statement in part) for part in (self.yes, self.no)]
        return f"if ({said}) {{ {parts[0]} }} else {{ {parts[1]} }}"

    def runs(self, state: Concrete) -> Iterator[Concrete]:
        ways = [self.yes, self.no]
        if self.condition is not None:
            left, operator, right = self.condition
            value = state[right] if isinstance(right, int) else int(right)
            ways = [self.yes if (state[left] < value if operator == "<" else state[left] == value) else self.no]
        for way in ways:
            yield from runs(way, state)


Statement: TypeAlias = Assign | If


def runs(statements: Sequence[Statement], state: Concrete) -> Iterator[Concrete]:
    """Where the statements may lead from the state."""
    if not statements:
        yield state
        return
    for between in statements[0].runs(state):
        yield from runs(statements[1:], between)


def random_body(choose: random.Random, depth: int = 2) -> tuple[Statement, ...]:
    return tuple(_statement(choose, depth) for _ in range(choose.choice((1, 1, 2, 3))))


def _statement(choose: random.Random, depth: int) -> Statement:
    variable = choose.randrange(3)
    other: int | str = choose.choice((0, 1, 2, "0", "1", "2", "3"))
    if depth and choose.random() < 0.5:
        condition = None if choose.random() < 0.3 else (variable, choose.choice(("<", "==")), other)
        return If(condition, random_body(choose, depth - 1), random_body(choose, depth - 1) if choose.random() < 0.6 else ())
    right = "?" if choose.random() < 0.25 else other
    return Assign(choose.randrange(3), variable, choose.choice("+-^&*"), right)


# ---------------------------------------------------------------- one edge, abstract and concrete


@dataclass
class Loop:
    """The edge from a loop head to itself over a body. `pool`: predicates over the variables."""

    number: int
    formulas: EdgeFormulas = field(init=False)
    circuits: Circuits = field(init=False)
    edge: Edge = field(init=False)
    body: tuple[Statement, ...] = field(init=False)
    variables: tuple[Term, ...] = field(init=False)
    pool: tuple[V, ...] = field(init=False)
    facts: tuple[V, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.body = random_body(random.Random(self.number))
        text = "int main(void) { unsigned char a = any(), b = any(), c = any(); while (any()) {\n"
        text += " ".join(statement.c() for statement in self.body)
        text += "\n} check(a != 1 || b != 2 || c != 3); }"
        where = locations(program(text, preparation=INLINED), LARGE)
        self.formulas = EdgeFormulas(EncodedSteps(where, {}, Budget(60)), lambda place: 1)
        self.circuits = Circuits(self.formulas, "bitwuzla")
        (first,) = [edge.target for edge in self.formulas.edges_from(START)]
        self.edge = Edge(first, first)
        components = {
            component.register.name: variable
            for variable, component in by_variable(where, first, {}).items()
            if isinstance(component, RegisterValue)
        }
        self.variables = tuple(components[name] for name in NAMES)
        self.facts = tuple(build.ult(variable, len(VALUES), 8) for variable in self.variables)
        self.pool = tuple(self._pool())

    def _pool(self) -> Iterator[V]:
        for number, one in enumerate(self.variables):
            yield from (build.eq(one, 1, 8), build.ult(one, 2, 8), build.eq(build.extract(0, 0, one, 8), 1, 1))
            other = self.variables[number - 1]
            yield from (build.eq(one, other, 8), build.ult(one, other, 8), build.ult(build.add(one, other, 8), 4, 8))

    def holds(self, predicate: V, state: Concrete) -> bool:
        names = {str(variable.payload): value for variable, value in zip(self.variables, state, strict=True)}
        return bool(evaluate(predicate, names))

    def real(self, before: Sequence[Cube], predicates: Sequence[V]) -> tuple[Cube, ...]:
        """The combinations of predicates in the union that some state has."""
        states = ((s[0], s[1], s[2]) for s in product(VALUES, repeat=3))
        inside = [s for s in states if any(all(self.holds(p, s) == value for p, value in c.items()) for c in before)]
        found = dict.fromkeys(tuple(self.holds(predicate, state) for predicate in predicates) for state in inside)
        return tuple(dict(zip(predicates, values, strict=True)) for values in found)

    def left(self, before: Sequence[Cube], predicates: Sequence[V]) -> set[tuple[bool, ...]]:
        """What all runs leave of the predicates, by going through all states in the union of cubes."""
        found: set[tuple[bool, ...]] = set()
        for state in product(VALUES, repeat=3):
            concrete = state[0], state[1], state[2]
            if any(all(self.holds(p, concrete) == value for p, value in cube.items()) for cube in before):
                for after in runs(self.body, concrete):
                    found.add(tuple(self.holds(predicate, after) for predicate in predicates))
        return found

    def abstraction(self, boolean: bool = True, most_models: int = abstractions.MOST_MODELS) -> Abstraction:
        return Abstraction(States(), self.circuits, Budget(60), boolean, most_models)


@cache
def loop(number: int) -> Loop:
    return Loop(number)


def union(states: States, cubes: Sequence[Cube]) -> Bdd:
    found = states.none
    for cube in cubes:
        found |= states.cube(cube)
    return found


def boolean(states: States, predicates: Sequence[V], left: set[tuple[bool, ...]]) -> Bdd:
    """Exactly these combinations."""
    return union(states, [dict(zip(predicates, values, strict=True)) for values in sorted(left)])


def cartesian(states: States, predicates: Sequence[V], left: set[tuple[bool, ...]]) -> Bdd:
    """What is the same in all of them."""
    if not left:
        return states.none
    common = {p: values[0] for p, *values in zip(predicates, *sorted(left), strict=True) if len(set(values)) == 1}
    return states.cube(common)


@contextmanager
def simple_models(number: int) -> Iterator[None]:
    """Models up to this one are not generalised."""
    known = abstractions.SIMPLE_MODELS
    abstractions.SIMPLE_MODELS = number
    try:
        yield
    finally:
        abstractions.SIMPLE_MODELS = known


@dataclass(frozen=True)
class Case:
    """A loop, predicates that are tracked at its head, and a union of cubes of these and of others; `real` if each of its
    states is one of the program, as in abstract states that are exact themselves."""

    loop: Loop
    predicates: tuple[V, ...]
    before: tuple[Cube, ...]


@st.composite
def cases(draw: st.DrawFn, most: int = 7, real: bool = True) -> Case:
    found = loop(draw(st.integers(0, BODIES - 1)))
    predicates = draw(st.lists(st.sampled_from(found.pool), min_size=1, max_size=most, unique=True))
    known = draw(st.lists(st.sampled_from([*predicates, *found.pool]), min_size=1, max_size=most, unique=True))
    literals = st.dictionaries(st.sampled_from(known), st.booleans(), max_size=4)
    before = tuple(draw(st.lists(literals, min_size=1, max_size=3)))
    return Case(found, tuple(predicates), found.real(before, known) if real else before)


# ---------------------------------------------------------------- the laws


@pytest.mark.parametrize("simple", [0, 8, 10_000])
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(case=cases())
def test_boolean_posts_are_exact(simple: int, case: Case) -> None:
    """With all models generalised, some, or none."""
    abstraction = case.loop.abstraction()
    states = abstraction.states
    with simple_models(simple):
        post = abstraction.post(case.loop.edge, union(states, case.before), case.predicates, case.loop.facts)
    assert post == boolean(states, case.predicates, case.loop.left(case.before, case.predicates))
    assert not abstraction.capped


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(case=cases())
def test_cartesian_posts_are_what_all_runs_agree_on(case: Case) -> None:
    abstraction = case.loop.abstraction(boolean=False)
    states = abstraction.states
    post = abstraction.post(case.loop.edge, union(states, case.before), case.predicates, case.loop.facts)
    left = case.loop.left(case.before, case.predicates)
    assert post == cartesian(states, case.predicates, left)
    assert states.contains(post, boolean(states, case.predicates, left))


@pytest.mark.parametrize("simple", [0, 10_000])
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(case=cases(most=5), order=st.randoms(use_true_random=False))
def test_what_is_remembered_changes_nothing(simple: int, case: Case, order: random.Random) -> None:
    """One abstraction is asked all questions, about more and more predicates and parts of the source: runs and claims
    that are remembered from other questions, and without facts, must not show."""
    abstraction = case.loop.abstraction()
    states, edge, facts = abstraction.states, case.loop.edge, case.loop.facts
    sources = [(), case.before, case.before[::2], case.before[1:3], case.loop.real(({},), case.predicates)]
    with simple_models(simple):
        for number in range(1, len(case.predicates) + 1):
            order.shuffle(sources)
            for before in sources:
                tracked = case.predicates[:number]
                wide = abstraction.post(edge, union(states, before), tracked, facts[:1])
                post = abstraction.post(edge, union(states, before), tracked, facts)
                assert post == boolean(states, tracked, case.loop.left(before, tracked))
                assert states.contains(wide, post)


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(case=cases(real=False), most=st.sampled_from([0, 1, 3, abstractions.MOST_MODELS]))
def test_what_is_not_exact_is_larger(case: Case, most: int) -> None:
    """Too many models, or abstract states that no state of the program has: the post is between the exact one and the
    Cartesian one."""
    abstraction = case.loop.abstraction(most_models=most)
    states = abstraction.states
    post = abstraction.post(case.loop.edge, union(states, case.before), case.predicates, case.loop.facts)
    left = case.loop.left(case.before, case.predicates)
    assert states.contains(post, boolean(states, case.predicates, left))
    assert states.contains(cartesian(states, case.predicates, left), post)


def test_facts_matter() -> None:
    """What is assumed at the source is part of the question, also where answers are remembered."""
    found = loop(0)
    abstraction = found.abstraction()
    states = abstraction.states
    one = found.pool[0]
    posts = [abstraction.post(found.edge, states.all, [one], facts) for facts in (found.facts, (), (0,), found.facts)]
    assert posts[0] == posts[3] and states.contains(posts[1], posts[0]) and posts[2] == states.none


# ---------------------------------------------------------------- sets of states

FLAGS: Final = tuple(build.variable(f"flag{number}", BOOL) for number in range(5))


def member(cubes: Sequence[Cube], flags: Mapping[V, bool]) -> bool:
    return any(all(flags[p] == value for p, value in cube.items()) for cube in cubes)


def all_flags() -> list[dict[V, bool]]:
    return [dict(zip(FLAGS, values, strict=True)) for values in product((False, True), repeat=len(FLAGS))]


sets = st.lists(st.dictionaries(st.sampled_from(FLAGS), st.booleans(), max_size=5), max_size=5)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(first=sets, second=sets, away=st.sets(st.sampled_from(FLAGS)))
def test_sets_of_states(first: list[Cube], second: list[Cube], away: set[V]) -> None:
    """All ways to look at a set say the same."""
    states = States()
    one, two = union(states, first), union(states, second)
    formula, other = states.formula(one), states.over(one, build.not_)
    cubes = list(states.cubes(one))
    without = states.formula(states.forget(one, sorted(away, key=str)))
    for flags in all_flags():
        inside = member(first, flags)
        named = {str(flag.payload): int(value) for flag, value in flags.items() if isinstance(flag, Term)}
        assert bool(evaluate(formula, named)) == inside
        assert bool(evaluate(other, {name: 1 - value for name, value in named.items()})) == inside
        assert sum(member([cube], flags) for cube in cubes) == inside
        near = (flags | dict(zip(away, values, strict=True)) for values in product((False, True), repeat=len(away)))
        assert bool(evaluate(without, named)) == any(member(first, flipped) for flipped in near)
    assert states.contains(one, two) == all(member(first, f) for f in all_flags() if member(second, f))
    assert set(states.predicates(one)) <= {flag for cube in first for flag in cube}
    assert states.formula(states.all) == 1 and states.formula(states.none) == 0
