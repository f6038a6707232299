"""Division of extended values is done at their own width: exhaustively against the meaning of the operators."""

from __future__ import annotations

from itertools import product

import pytest

from counterpoint.term import build, meaning
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op
from counterpoint.term.walk import reachable

WIDTH = 4
EXTENSIONS = {"zext": build.zext, "sext": build.sext}
OPERATORS = {
    "udiv": (build.udiv, lambda a, b: meaning.udiv(a, b, WIDTH)),
    "urem": (build.urem, meaning.urem),
    "sdiv": (build.sdiv, lambda a, b: meaning.sdiv(a, b, WIDTH)),
    "srem": (build.srem, lambda a, b: meaning.srem(a, b, WIDTH)),
}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(("left", "right"), list(product(EXTENSIONS, EXTENSIONS)))
@pytest.mark.parametrize(("one", "two"), [(2, 2), (2, 3), (3, 1)])
def test_of_extended_values(operator: str, left: str, right: str, one: int, two: int) -> None:
    make, means = OPERATORS[operator]
    x, y = build.variable("x", BitVec(one)), build.variable("y", BitVec(two))
    a, b = EXTENSIONS[left](x, one, WIDTH), EXTENSIONS[right](y, two, WIDTH)
    term = make(a, b, WIDTH)
    for given in ({"x": u, "y": v} for u in range(1 << one) for v in range(1 << two)):
        assert evaluate(term, given) == means(evaluate(a, given), evaluate(b, given))


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_of_an_extended_value_and_a_constant(operator: str, extension: str) -> None:
    make, means = OPERATORS[operator]
    x = build.variable("x", BitVec(2))
    a = EXTENSIONS[extension](x, 2, WIDTH)
    for constant in range(1 << WIDTH):
        by, of = make(a, constant, WIDTH), make(constant, a, WIDTH)
        for value in range(4):
            known = evaluate(a, {"x": value})
            assert evaluate(by, {"x": value}) == means(known, constant)
            assert evaluate(of, {"x": value}) == means(constant, known)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(("left", "right"), list(product(EXTENSIONS, EXTENSIONS)))
def test_by_what_is_chosen_where_zero_is_told_apart(operator: str, left: str, right: str) -> None:
    make, means = OPERATORS[operator]
    x, y = build.variable("x", BitVec(2)), build.variable("y", BitVec(2))
    a, b = EXTENSIONS[left](x, 2, WIDTH), EXTENSIONS[right](y, 2, WIDTH)
    chosen = build.ite(build.eq(y, 0, 2), 1, b, WIDTH)
    term, turned = make(a, chosen, WIDTH), make(chosen, a, WIDTH)
    for given in ({"x": u, "y": v} for u in range(4) for v in range(4)):
        assert evaluate(term, given) == means(evaluate(a, given), evaluate(chosen, given))
        assert evaluate(turned, given) == means(evaluate(chosen, given), evaluate(a, given))


def test_a_chosen_divisor_keeps_a_division_narrow() -> None:
    x, y = build.variable("x", BitVec(8)), build.variable("y", BitVec(8))
    divisor = build.ite(build.eq(y, 0, 8), 1, build.sext(y, 8, 32), 32)
    rest = build.srem(build.sext(x, 8, 32), divisor, 32)
    assert {term.sort for term in reachable([rest]) if term.op is Op.SREM} == {BitVec(8)}
