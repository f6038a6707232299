"""Multiples of extended sums: what is written for them is equivalent, also where the sums wrap around."""

from __future__ import annotations

from itertools import product

import pytest

from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.scaled_sums import by_rows_of_sums
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable

EXTENSIONS = {"zext": build.zext, "sext": build.sext}


def extended_sums(formula: V) -> list[Term]:
    return [
        term
        for term in reachable((formula,))
        if term.op in (Op.ZEXT, Op.SEXT) and isinstance(term.args[0], Term) and term.args[0].op is Op.ADD
    ]


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize(("number", "factor"), list(product((1, 2, 3, 5, 7), (3, 5, 12))))
def test_the_formula_means_the_same(extension: str, number: int, factor: int) -> None:
    x, y = build.variable("x", BitVec(3)), build.variable("y", BitVec(6))
    wide = EXTENSIONS[extension](build.add(x, number, 3), 3, 6)
    formula = build.ult(y, build.mul(wide, factor, 6), 6)
    new = by_rows_of_sums(formula)
    assert extended_sums(formula) and new is not formula
    for u, v in product(range(8), range(64)):
        given = {"x": u, "y": v}
        assert evaluate(new, given) == evaluate(formula, given), given


def test_where_nothing_wraps_around_no_sum_is_extended() -> None:
    x, y = build.variable("x", BitVec(32)), build.variable("y", BitVec(64))
    formula = build.ult(y, build.mul(build.sext(build.add(x, 1, 32), 32, 64), 120, 64), 64)
    fits = build.sle(x, (1 << 31) - 2, 32)
    (first,) = [part for part in cases(by_rows_of_sums(formula)) if fits in reachable((part,)) and not extended_sums(part)]
    assert first is not formula


def cases(formula: V) -> list[V]:
    """The parts of a disjunction, which is the negation of a conjunction of negations."""
    return [build.not_(part) for part in conjuncts(build.not_(formula))]


def test_other_formulas_stay_as_they_are() -> None:
    x, y = build.variable("x", BitVec(8)), build.variable("y", BitVec(8))
    wide = build.zext(x, 8, 16)
    for formula in (
        build.ult(x, y, 8),
        build.ult(build.mul(wide, 3, 16), build.zext(y, 8, 16), 16),
        build.ult(build.mul(build.zext(build.add(x, y, 8), 8, 16), 3, 16), 9, 16),
        1,
    ):
        assert by_rows_of_sums(formula) is formula
