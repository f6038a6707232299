"""solver.domains: what is said by values is what formulas mean, and puzzles are decided."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.domains.question import by_values
from counterpoint.solver.domains.values import domains
from counterpoint.solver.layers import AT_ONCE, FewValues, Layer, standard_solver
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, FLOAT32, ArraySort, BitVec
from counterpoint.term.term import Term, V, address, variable

WIDTH = 8
X, Y, Z = (variable(name, BitVec(WIDTH)) for name in ("x", "y", "z"))
B = variable("b", BOOL)

BINARY: tuple[Callable[[V, V, int], V], ...] = (
    build.add, build.sub, build.mul, build.bvand, build.bvxor, build.udiv, build.srem, build.shl,
)  # fmt: skip
COMPARISONS: tuple[Callable[[V, V, int], V], ...] = (build.eq, build.ult, build.slt)

words = st.recursive(
    st.one_of(st.sampled_from((X, Y, Z)), st.integers(0, 255)),
    lambda inner: st.builds(lambda f, a, b: f(a, b, WIDTH), st.sampled_from(BINARY), inner, inner),
    max_leaves=4,
)
atoms = st.one_of(st.just(B), st.builds(lambda f, a, b: f(a, b, WIDTH), st.sampled_from(COMPARISONS), words, words))
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(build.not_, inner),
        st.builds(build.and_, inner, inner),
        st.builds(build.xor_, inner, inner),
        st.builds(lambda c, a, b: build.eq(build.ite(c, a, b, WIDTH), X, WIDTH), inner, words, words),
    ),
    max_leaves=4,
)


def between(name: Term, least: int, most: int, signed: bool = False) -> list[V]:
    width = name.sort.width if isinstance(name.sort, BitVec) else 0
    less = build.slt if signed else build.ult
    mask = (1 << width) - 1
    return [build.not_(less(name, least & mask, width)), build.not_(less(most & mask, name, width))]


@settings(max_examples=300, deadline=None)
@given(st.lists(formulas, min_size=1, max_size=3), st.integers(-3, 2), st.booleans())
def test_values_say_what_formulas_mean(facts: list[V], least: int, signed: bool) -> None:
    least = least if signed else abs(least)
    question = [bound for name in (X, Y, Z) for bound in between(name, least, least + 3, signed)] + facts
    ranges = [range(least, least + 4)] * 3
    wanted = any(
        all(evaluate(f, {"x": x & 255, "y": y & 255, "z": z & 255, "b": b}) == 1 for f in facts)
        for x, y, z in itertools.product(*ranges)
        for b in (0, 1)
    )
    answer = by_values(question, 10.0)
    assert isinstance(answer, Sat if wanted else Unsat)


def test_bounds_are_found_in_all_their_forms() -> None:
    shifted = build.ult(build.add(X, 3, WIDTH), 7, WIDTH)  # -3 <= x < 4
    known = domains([shifted, build.not_(build.eq(X, 0, WIDTH)), build.slt(X, 3, WIDTH), build.eq(X, Z, WIDTH)])
    assert known is not None and known.values[X] == (1, 2, 253, 254, 255)


def test_addresses_arrays_and_floats_are_left_to_others() -> None:
    """Whatever is built on them: nothing of it has few values."""
    cells = variable("cells", ArraySort(32, 8))
    number = build.fp_from_bits(variable("bits", BitVec(32)), FLOAT32)
    for question in (
        build.ult(address(3, 32), 7, 32),
        build.eq(build.select(cells, variable("index", BitVec(32))), 1, 8),
        build.fp_lt(number, build.fp_from_bits(variable("more", BitVec(32)), FLOAT32), FLOAT32),
        build.eq(build.extract(7, 0, build.add(address(3, 32), 1, 32), 32), 1, 8),
    ):
        assert by_values([question], 10.0) is None


def test_wide_words_without_bounds_are_left_to_others() -> None:
    word = variable("word", BitVec(32))
    assert by_values([build.ult(word, variable("other", BitVec(32)), 32)], 10.0) is None


def costas(order: int) -> list[V]:
    """Permutations whose differences at each distance differ."""
    marks = [variable(f"mark{number}", BitVec(32)) for number in range(order)]
    question = [bound for mark in marks for bound in between(mark, 1, order, signed=True)]
    question += [build.not_(build.eq(a, b, 32)) for a, b in itertools.combinations(marks, 2)]
    for distance in range(1, order - 1):
        steps = [build.sub(a, b, 32) for a, b in zip(marks, marks[distance:], strict=False)]
        question += [build.not_(build.eq(a, b, 32)) for a, b in itertools.combinations(steps, 2)]
    return question


def test_a_costas_array_of_order_13() -> None:
    question = costas(13)
    answer = by_values(question, 60.0)
    assert isinstance(answer, Sat) and answer.model.values(question) == [1] * len(question)


def test_more_pigeons_than_holes() -> None:
    pigeons = [variable(f"pigeon{number}", BitVec(32)) for number in range(12)]
    question = [bound for pigeon in pigeons for bound in between(pigeon, 0, 10)]
    question += [build.not_(build.eq(a, b, 32)) for a, b in itertools.combinations(pigeons, 2)]
    assert isinstance(by_values(question, 60.0), Unsat)


class Asleep(Layer):
    """A solver that never answers in time."""

    asked: list[float | None]

    def check(self, assumptions: object = (), seconds: float | None = None) -> Answer:
        self.asked.append(seconds)
        return SolverUnknown("timeout")


@pytest.mark.parametrize("wrong", [False, True])
def test_the_layer_asks_by_values_behind_the_solver_within(wrong: bool) -> None:
    inner = Asleep(standard_solver())
    inner.asked = []
    solver = FewValues(inner)
    for formula in costas(5):
        solver.add(formula)
    assumption = build.eq(variable("mark0", BitVec(32)), 9 if wrong else 2, 32)
    answer = solver.check([assumption], 20.0)
    assert inner.asked == [AT_ONCE]
    if wrong:
        assert answer == Unsat((assumption,))
    else:
        assert isinstance(answer, Sat) and answer.model.value(assumption) == 1


def test_the_layer_hands_on_what_has_too_many_values() -> None:
    inner = Asleep(standard_solver())
    inner.asked = []
    solver = FewValues(inner)
    solver.add(build.ult(variable("word", BitVec(32)), variable("other", BitVec(32)), 32))
    assert isinstance(solver.check([], 20.0), SolverUnknown) and len(inner.asked) == 2
    assert isinstance(solver.check([], 0.5), SolverUnknown) and inner.asked[2:] == [0.5]
