"""Products as variables with lemmas: every lemma holds for true products, and refutations agree with brute force."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.solver.answers import Sat, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import decide
from counterpoint.solver.polynomial.intervals import VIEWS, Contradiction, Intervals, as_integer
from counterpoint.solver.polynomial.products import Abstraction, Product, abstracted
from counterpoint.solver.polynomial.refinement import Refuted, by_abstraction
from counterpoint.solver.polynomial.ring import Steps
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.solver.race import POLYNOMIALS, Unsatisfiable, check_in_processes
from counterpoint.term import BitVec, evaluate
from counterpoint.term import build as b
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term, V, variable
from counterpoint.term.walk import conjuncts, reachable

W = 4
NAMES = ("x", "y", "z")
ALL = [dict(zip(NAMES, values, strict=True)) for values in itertools.product(range(1 << W), repeat=len(NAMES))]


def word(r: random.Random, depth: int) -> V:
    if depth == 0:
        return r.getrandbits(W) if r.random() < 0.2 else variable(r.choice(NAMES), BitVec(W))
    one, other = word(r, depth - 1), word(r, depth - 1)
    low = r.randrange(1, W)
    part = b.extract(low - 1, 0, one, W)
    high = b.extract(W - 1, W - low, other, W)
    constant = r.getrandbits(W)
    return r.choice(
        (
            lambda: b.mul(one, other, W), lambda: b.mul(one, other, W), lambda: b.mul(one, one, W),
            lambda: b.add(one, other, W), lambda: b.sub(one, other, W), lambda: b.add(one, constant, W),
            lambda: b.neg(one, W), lambda: b.bvnot(one, W), lambda: b.shl(one, low, W), lambda: b.mul(one, constant, W),
            lambda: b.udiv(one, r.choice((other, constant)), W), lambda: b.urem(one, r.choice((other, constant)), W),
            lambda: b.sdiv(one, r.choice((other, constant)), W), lambda: b.srem(one, r.choice((other, constant)), W),
            lambda: b.zext(part, low, W), lambda: b.sext(part, low, W), lambda: b.zext(high, low, W),
            lambda: b.sext(high, low, W), lambda: b.lshr(one, low, W), lambda: b.ashr(one, low, W),
            lambda: b.bvand(one, other, W), lambda: b.bvor(one, other, W), lambda: b.bvxor(one, other, W),
            lambda: b.concat(b.extract(W - low - 1, 0, one, W), W - low, part, low),
            lambda: b.ite(formula(r, 0), one, other, W), lambda: one,
        )
    )()  # fmt: skip


def formula(r: random.Random, depth: int) -> V:
    compare = r.choice((b.eq, b.ult, b.slt, b.ule, b.sle, b.slt, b.sle))
    other = r.getrandbits(W) if r.random() < 0.6 else word(r, depth)
    sides = [word(r, depth), other]
    r.shuffle(sides)
    found = compare(*sides, W)
    if r.random() < 0.2:
        found = b.or_(found, formula(r, 0))
    return b.not_(found) if r.random() < 0.3 else found


def conjunction(seed: int) -> list[V]:
    r = random.Random(seed)
    return [part for _ in range(r.randrange(1, 6)) for part in conjuncts(formula(r, r.choice((0, 0, 1, 2))))]


def models(formulas: list[V]) -> list[dict[str, int]]:
    return [model for model in ALL if all(evaluate(part, model) == 1 for part in formulas)]


def connect() -> Solver:
    return backend("bitwuzla").connect(Settings())


def extended(abstraction: Abstraction, model: dict[str, int]) -> dict[str, int]:
    """The model with the true products."""
    values = dict(model)
    for product in abstraction.products:
        left, right = evaluate(product.left, values), evaluate(product.right, values)
        assert isinstance(left, int) and isinstance(right, int) and isinstance(product.value.payload, str)
        values[product.value.payload] = left * right % (1 << product.width)
    return values


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 1 << 40))
def test_intervals_contain_the_values_of_all_models(seed: int) -> None:
    formulas = conjunction(seed)
    holding = models(formulas)[:200]
    try:
        intervals = Intervals(formulas, Steps(100_000))
    except Contradiction:
        assert not holding
        return
    for term in reachable(formulas):
        if isinstance(term.sort, BitVec):
            width = term.sort.width
            for model in holding:
                value = evaluate(term, model)
                assert isinstance(value, int)
                for signed in VIEWS:
                    low, high = intervals.of(term, width, signed)
                    assert low <= as_integer(value, width, signed) <= high, (term, formulas)
        elif holding and intervals.truth(term) is not None:
            assert all(evaluate(term, model) == intervals.truth(term) for model in holding)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 40))
def test_lemmas_hold_for_true_products(seed: int) -> None:
    formulas = conjunction(seed)
    r = random.Random(seed)
    try:
        abstraction = abstracted(formulas, Intervals(formulas, Steps(100_000)))
    except Contradiction:
        return
    lemmas: dict[V, None] = dict.fromkeys(abstraction.formulas)
    for _ in range(20):
        wrong: dict[Term, int] = {}

        def value(term: V, wrong: dict[Term, int] = wrong) -> int:
            names = [leaf for leaf in reachable((term,)) if not leaf.args]
            for leaf in names:
                assert isinstance(leaf.sort, BitVec)
                wrong.setdefault(leaf, r.getrandbits(leaf.sort.width))
            found = evaluate(term, {str(leaf.payload): wrong[leaf] for leaf in names})
            assert isinstance(found, int)
            return found

        new = abstraction.violated(value)
        right = all(value(p.value) == value(p.left) * value(p.right) % (1 << p.width) for p in abstraction.products)
        assert bool(new) != right
        assert not right or not new
        lemmas.update(dict.fromkeys(new))
        assert not new or any(value(lemma) == 0 for lemma in new)
    for model in models(formulas)[:100]:
        values = extended(abstraction, model)
        for lemma in lemmas:
            assert evaluate(lemma, values) == 1, (lemma, formulas)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 40))
def test_answers_agree_with_brute_force(seed: int) -> None:
    formulas = conjunction(seed)
    answer = by_abstraction(formulas, connect, 5.0)
    holding = models(formulas)
    if isinstance(answer, Refuted):
        assert not holding
    elif isinstance(answer, Sat):
        assert holding and all(answer.model.value(part) == 1 for part in formulas)
    assert isinstance(decide(formulas, 5.0), Sat if holding else Unsat)


def at_most(width: int, bound: int, *terms: V) -> list[V]:
    return [part for t in terms for part in (b.sle(0, t, width), b.sle(t, bound, width))]


def half(a: V, c: V, width: int) -> V:
    return b.sdiv(b.mul(a, c, width), 2, width)


def sum_formula() -> list[V]:
    """(i - 1) * i / 2 + i = i * (i + 1) / 2, refuted."""
    i = variable("i", BitVec(32))
    step = b.add(half(b.sub(i, 1, 32), i, 32), i, 32)
    return [*at_most(32, 40000, i), b.not_(b.eq(step, half(i, b.add(i, 1, 32), 32), 32))]


def index_formula() -> list[V]:
    """i, j < n imply i * n + j < n * n."""
    i, j, n = (variable(name, BitVec(32)) for name in "ijn")
    index = b.add(b.mul(i, n, 32), j, 32)
    bounds = [b.slt(i, n, 32), b.slt(j, n, 32), *at_most(32, 40000, i, j, n)]
    return [*bounds, b.not_(b.slt(index, b.mul(n, n, 32), 32))]


def squares_formula() -> list[V]:
    """i * i + j * j >= 2 * i * j."""
    i, j = (b.sext(variable(name, BitVec(32)), 32, 64) for name in "ij")
    squares = b.add(b.mul(i, i, 64), b.mul(j, j, 64), 64)
    small = [part for t in (i, j) for part in (b.slt(t, 1 << 20, 64), b.slt(-(1 << 20) % (1 << 64), t, 64))]
    return [*small, b.slt(squares, b.shl(b.mul(i, j, 64), 1, 64), 64)]


@pytest.mark.parametrize(
    "formulas", [sum_formula(), index_formula(), squares_formula()], ids=["sum", "index", "squares"]
)
def test_refuted_where_bit_blasting_is_slow(formulas: list[V]) -> None:
    assert isinstance(by_abstraction(formulas, connect, 10.0), Refuted)
    assert isinstance(decide(formulas, 30.0), Unsat)


def test_the_race_has_it() -> None:
    assert check_in_processes(to_smtlib(sum_formula()), 15.0, (POLYNOMIALS,)) == Unsatisfiable(POLYNOMIALS)


def test_a_wrong_claim_stays_open() -> None:
    i = variable("i", BitVec(32))
    wrong = [*at_most(32, 70000, i), b.slt(b.mul(i, i, 32), 0, 32)]
    assert isinstance(decide(wrong, 30.0), Sat)


def test_products_are_shared() -> None:
    x, y = (variable(name, BitVec(8)) for name in "xy")
    found = abstracted([b.ult(b.mul(x, y, 8), b.mul(b.mul(y, x, 8), x, 8), 8)], Intervals([], Steps(10)))
    assert [type(product) for product in found.products] == [Product, Product]
    assert found.products[0].value in (found.products[1].left, found.products[1].right)
