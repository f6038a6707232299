"""What is said of quotients and remainders is true of all numbers, and enough for what programs do with them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build
from counterpoint.term.division_laws import DivisionLaws, division_laws
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

DIVISIONS = (build.udiv, build.urem, build.sdiv, build.srem)


def pair(width: int) -> tuple[Term, Term]:
    return build.variable("a", BitVec(width)), build.variable("b", BitVec(width))


def divided(a: V, b: V, width: int) -> list[Term]:
    """All divisions, and the quotients' multiples."""
    results = [divide(a, b, width) for divide in DIVISIONS]
    multiples = [build.mul(results[0], b, width), build.mul(results[2], b, width)]
    return [term for term in (*results, *multiples) if isinstance(term, Term)]


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_laws_hold_for_all_numbers(width: int) -> None:
    a, b = pair(width)
    laws = division_laws(divided(a, b, width))
    assert len(laws) >= 11
    for numbers in product(range(1 << width), repeat=2):
        given = dict(zip((a, b), numbers, strict=True))
        assert [law for law in laws if evaluate(law, given) != 1] == [], numbers


@pytest.mark.parametrize("divisor", [3, 5, 6, 7])
def test_laws_of_constant_divisors_hold_for_all_numbers(divisor: int) -> None:
    a, _ = pair(4)
    laws = division_laws(divided(a, divisor, 4))
    assert laws
    assert all(evaluate(law, {a: number}) == 1 for law in laws for number in range(16))


def test_each_law_is_said_once_and_none_makes_another_division() -> None:
    a, b = pair(8)
    laws, terms = DivisionLaws(), divided(a, b, 8)
    said = [*laws.of(terms[:1]), *laws.of(terms[1:])]
    assert len(said) == len(set(said)) and set(said) == set(division_laws(terms))
    made = {term for term in reachable(said) if term.op in (Op.UDIV, Op.UREM, Op.SDIV, Op.SREM)}
    assert made <= set(terms)
    assert not [law for law in division_laws([terms[0], terms[2]]) if Op.MUL in {t.op for t in reachable([law])}]


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
@pytest.mark.parametrize(
    "claim",
    [
        lambda a, b: build.ult(build.urem(a, b, 32), b, 32),
        lambda a, b: build.ule(build.mul(build.udiv(a, b, 32), b, 32), a, 32),
        lambda a, b: build.ult(build.sub(a, build.mul(build.udiv(a, b, 32), b, 32), 32), b, 32),
        lambda a, b: build.eq(
            build.add(build.mul(build.udiv(a, b, 32), b, 32), build.urem(a, b, 32), 32), a, 32
        ),
        lambda a, b: build.eq(
            build.add(build.mul(build.sdiv(a, b, 32), b, 32), build.srem(a, b, 32), 32), a, 32
        ),
        lambda a, b: build.implies(
            build.and_(build.sle(0, a, 32), build.slt(0, b, 32)),
            build.and_(build.sle(0, build.srem(a, b, 32), 32), build.slt(build.srem(a, b, 32), b, 32)),
        ),
    ],
)  # fmt: skip
def test_solvers_find_what_they_would_not_divide_for(name: str, claim: Callable[[V, V], V]) -> None:
    a, b = pair(32)
    solver = backend(name).connect(Settings())
    try:
        solver.add(build.ne(b, 0, 32))
        with solver.scope():
            assert isinstance(solver.check([build.not_(claim(a, b))], 5.0), Unsat)
        assert isinstance(solver.check([build.not_(claim(a, b))], 5.0), Unsat)  # laws are not lost with the scope
    finally:
        solver.close()
