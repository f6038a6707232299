"""How large a number is at most, as a formula says at once."""

from __future__ import annotations

from itertools import product

import pytest

from counterpoint.semantics.limits import at_most
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import V

X = build.variable("x", BitVec(4))
Y = build.variable("y", BitVec(4))

NUMBERS = (
    X,
    build.mul(X, 3, 4),
    build.mul(X, 2, 4),
    build.shl(X, 2, 4),
    build.add(X, 5, 4),
    build.add(build.mul(X, 2, 4), 1, 4),
    build.sub(X, 1, 4),
    build.add(X, Y, 4),
    build.zext(X, 4, 4),
    build.shl(1, X, 4),
    build.ite(build.ult(Y, 5, 4), build.add(X, 1, 4), Y, 4),
    build.bvand(X, 6, 4),
    7,
)
PATHS = (
    1,
    build.ule(X, 5, 4),
    build.ult(X, 3, 4),
    build.and_(build.ule(X, 9, 4), build.ult(X, 2, 4)),
    build.and_(build.ule(Y, 1, 4), build.ne(X, 0, 4)),
    build.not_(build.ule(X, 5, 4)),
    build.disjunction([build.ule(X, 5, 4), build.ule(Y, 2, 4)]),
    build.slt(X, 3, 4),
    build.ule(5, X, 4),
)


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("path", PATHS, ids=str)
def test_no_value_is_larger(number: V, path: V) -> None:
    for x, y in product(range(16), repeat=2):
        values = {"x": x, "y": y}
        if evaluate(path, values) == 1:
            assert evaluate(number, values) <= at_most(number, path)


def test_what_conjuncts_say_is_known() -> None:
    wide = build.variable("size", BitVec(64))
    path = build.conjunction([build.ne(wide, 0, 64), build.ule(wide, 1 << 28, 64), build.variable("other", BitVec(1))])
    assert at_most(wide, path) == 1 << 28
    assert at_most(build.mul(wide, 8, 64), path) == 1 << 31
    assert at_most(build.add(build.mul(wide, 8, 64), 16, 64), path) == (1 << 31) + 16
    assert at_most(wide, 1) == (1 << 64) - 1
    assert at_most(build.mul(wide, 1 << 40, 64), path) == (1 << 64) - 1  # it may wrap around


def test_a_long_chain_is_no_deep_recursion() -> None:
    number: V = build.zext(build.variable("few", BitVec(8)), 8, 256)
    for _ in range(5000):
        number = build.add(build.ite(build.variable("b", BOOL), build.mul(number, 3, 256), number, 256), 1, 256)
    assert at_most(number) == (1 << 256) - 1
    size = build.variable("size", BitVec(64))
    for _ in range(3000):
        size = build.add(build.ite(build.eq(size, 7, 64), 9, size, 64), 1, 64)
    assert at_most(size, 1) == (1 << 64) - 1
