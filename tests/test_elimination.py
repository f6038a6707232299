"""What elimination leaves follows from the formula, has no unwanted variable, and is exact where it says so."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.logic.elimination import Eliminated, eliminate
from counterpoint.term import BOOL, ArraySort, BitVec, Float, evaluate, variables
from counterpoint.term import build as b
from counterpoint.term.evaluate import Given
from counterpoint.term.term import Term, V, variable

WIDTH = 3
A, X, Y = (variable(name, BitVec(WIDTH)) for name in "axy")
P, Q = variable("p", BOOL), variable("q", BOOL)
R = variable("r", ArraySort(2, 2))
I, J = variable("i", BitVec(2)), variable("j", BitVec(2))
F, G = variable("f", Float(2, 3)), variable("g", Float(2, 3))


def values(term: Term) -> list[Given]:
    if isinstance(term.sort, ArraySort):
        contents = itertools.product(range(1 << term.sort.element), repeat=1 << term.sort.index)
        return [dict(enumerate(content)) for content in contents]
    return list(range(1 << term.sort.width))


def assignments(terms: list[Term]) -> Iterator[dict[str, Given]]:
    for chosen in itertools.product(*map(values, terms)):
        yield {str(term.payload): value for term, value in zip(terms, chosen, strict=True)}


def check(formula: V, unwanted: set[Term]) -> bool:
    """Compares with the definition, exhaustively; returns `exact`."""
    result = eliminate(formula, unwanted)
    present = variables(formula)
    left = variables(result.formula)
    assert not set(left) & unwanted and set(left) <= set(present)
    inner = list(assignments([term for term in present if term in unwanted]))
    for outer in assignments([term for term in present if term not in unwanted]):
        exists = any(evaluate(formula, {**outer, **more}) for more in inner)
        says = bool(evaluate(result.formula, outer))
        assert says or not exists, f"{formula} at {outer} does not give {result.formula}"
        assert not result.exact or says == exists, f"{formula} at {outer} is not {result.formula}"
    return result.exact


class Grower:
    """Random formulas over A, X, Y, P, Q."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def bits(self, depth: int) -> V:
        pick, w = self.random, WIDTH
        if depth == 0 or pick.random() < 0.2:
            return pick.choice((A, X, Y)) if pick.random() < 0.75 else pick.randrange(8)
        part = pick.randrange(1, w)
        one, other, constant = self.bits(depth - 1), self.bits(depth - 1), pick.randrange(8)
        low = b.extract(part - 1, 0, one, w)
        makers: tuple[Callable[[], V], ...] = (
            lambda: b.add(one, other, w), lambda: b.sub(one, other, w), lambda: b.mul(one, constant, w),
            lambda: b.bvxor(one, other, w), lambda: b.bvand(one, constant, w), lambda: b.bvor(one, constant, w),
            lambda: b.ite(self.truth(depth - 1), one, other, w), lambda: b.zext(low, part, w),
            lambda: b.sext(low, part, w), lambda: b.neg(one, w), lambda: b.bvnot(one, w),
            lambda: b.concat(low, part, b.extract(w - 1, part, other, w), w - part),
            lambda: b.udiv(one, constant, w), lambda: b.urem(one, constant, w), lambda: b.shl(one, constant % w, w),
        )  # fmt: skip
        return pick.choice(makers)()

    def truth(self, depth: int) -> V:
        pick, w = self.random, WIDTH
        if depth == 0:
            return pick.choice((P, Q, b.ult(pick.choice((X, Y)), A, w)))
        kind = pick.randrange(8)
        if kind < 4:
            compare = (b.eq, b.eq, b.ult, b.slt)[kind]
            return compare(self.bits(depth - 1), self.bits(depth - 1), w)
        if kind == 4:
            return b.not_(self.truth(depth - 1))
        join = (b.and_, b.or_, b.xor_)[kind - 5]
        return join(self.truth(depth - 1), self.truth(depth - 1))


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.integers(1, 3))
def test_random_formulas(source: random.Random, depth: int, parts: int) -> None:
    grower = Grower(source)
    check(b.conjunction([grower.truth(depth) for _ in range(parts)]), {X, Y, Q})


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_reads_of_an_array(source: random.Random) -> None:
    terms: list[V] = [I, J, 1, b.select(R, I)]
    for _ in range(3):
        array = b.store(R, source.choice(terms), source.choice(terms)) if source.random() < 0.4 else R
        terms.append(b.select(array, source.choice(terms)))
    compare = (b.eq, b.ne, b.ult)
    parts = [source.choice(compare)(terms[-1 - k], source.choice(terms), 2) for k in range(2)]
    check(b.conjunction(parts), {R} if source.random() < 0.5 else {R, J})


W = WIDTH
LONG = variable("z", BitVec(5))
EXACT: dict[str, V] = {
    "sum": b.and_(b.eq(b.add(X, A, W), b.mul(Y, 3, W), W), b.ult(X, A, W)),
    "parts": b.eq(b.concat(X, W, b.extract(1, 0, A, W), 2), LONG, 5),
    "zext": b.and_(b.eq(b.zext(X, W, 5), LONG, 5), b.slt(X, A, W)),
    "sext": b.and_(b.eq(b.sext(X, W, 5), LONG, 5), b.slt(X, A, W)),
    "even factor": b.and_(b.eq(b.mul(X, 6, W), A, W), b.ult(X, A, W)),
    "slices": b.conjunction([b.eq(b.extract(0, 0, X, W), b.extract(1, 1, A, W), 1), b.ult(X, A, W)]),
    "mask": b.and_(b.eq(b.bvand(X, 5, W), A, W), b.ne(X, 5, W)),
    "interval": b.conjunction([b.ult(A, X, W), b.ult(X, Y, W), b.ule(Y, b.bvxor(A, 3, W), W)]),
    "hole": b.conjunction([b.ule(A, X, W), b.ult(X, 6, W), b.ne(X, b.bvxor(A, 1, W), W)]),
    "signed": b.conjunction([b.slt(A, X, W), b.slt(X, b.add(A, 2, W), W)]),
    "below": b.or_(b.and_(P, b.ult(X, A, W)), b.and_(b.not_(P), b.ult(X, b.mul(A, 3, W), W))),
    "flag": b.eq(b.ite(b.eq(X, A, W), 1, 0, W), A, W),
    "guards": b.and_(b.or_(P, b.eq(X, 1, W)), b.and_(b.or_(b.not_(P), b.eq(X, A, W)), b.ult(X, A, W))),
    "choice": b.and_(b.ult(b.ite(b.ult(A, 3, W), X, A, W), 5, W), b.ult(A, X, W)),
    "orders": b.conjunction([b.sle(0, X, W), b.ult(X, A, W), b.ult(b.bvxor(A, 5, W), X, W)]),
    "other orders": b.conjunction([b.ult(X, 4, W), b.slt(X, A, W), b.slt(b.bvxor(A, 5, W), X, W)]),
    "remainder": b.and_(b.eq(b.urem(X, 5, W), A, W), Q),
    "reads": b.conjunction([b.eq(b.select(R, I), 1, 2), b.eq(b.select(R, J), 2, 2), b.ult(b.select(R, 0), 2, 2)]),
    "chain": b.eq(b.select(R, b.select(R, I)), b.bvnot(I, 2), 2),
    "float": b.and_(b.fp_lt(G, F, Float(2, 3)), P),
    "float above": b.and_(b.fp_le(F, G, Float(2, 3)), P),
}


@pytest.mark.parametrize("name", EXACT)
def test_exact(name: str) -> None:
    assert check(EXACT[name], {X, Y, Q, R, G})


def test_what_stays_is_short() -> None:
    wide = [variable(name, BitVec(32)) for name in ("k", "l", "m", "u", "v")]
    k, low, m, u, v = wide
    path = b.conjunction([b.eq(u, b.add(k, 1, 32), 32), b.slt(u, v, 32), b.eq(v, b.bvxor(low, m, 32), 32)])
    assert eliminate(path, {u, v}).formula is b.slt(b.add(k, 1, 32), b.bvxor(low, m, 32), 32)


def test_forgets_what_is_too_hard() -> None:
    wide = [variable(name, BitVec(32)) for name in ("k", "u", "v")]
    k, u, v = wide
    hard = b.and_(b.eq(b.mul(u, v, 32), k, 32), b.ult(b.urem(u, v, 32), k, 32))
    result = eliminate(b.and_(hard, b.ult(k, 9, 32)), {u, v})
    assert (result.formula, result.exact) == (b.ult(k, 9, 32), False)


def test_an_open_atom_is_the_same_everywhere() -> None:
    k, u = variable("k", BitVec(32)), variable("u", BitVec(32))
    square = b.eq(b.urem(b.mul(u, u, 32), k, 32), b.add(u, k, 32), 32)
    t = b.ult(k, 9, 32)
    formula = b.conjunction([b.or_(square, t), b.or_(b.not_(square), b.ult(k, 5, 32)), b.ult(u, 1000, 32)])
    result = eliminate(formula, {u})
    assert not result.exact and set(variables(result.formula)) == {k}
    assert [int(bool(evaluate(result.formula, {"k": n}))) for n in (4, 8, 9)] == [1, 1, 0]


def test_no_budget_is_sound() -> None:
    formula = b.and_(b.or_(b.eq(X, A, W), b.eq(X, 1, W)), b.and_(b.ule(X, A, W), P))
    assert eliminate(formula, {X}, most_work=0) == Eliminated(P, False)
