"""Unions of abstract states in words: equivalent to the union, short, and exactly what users are to read."""

from __future__ import annotations

import random

import pytest

from counterpoint.explain.clauses import MOST_ATOMS, MOST_CLAUSES, Readable, readable
from counterpoint.explain.comparisons import possible
from counterpoint.explain.conditions import said
from counterpoint.explain.names import Names
from counterpoint.program import model as m
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

X, Y, Z = (build.variable(name, BitVec(4)) for name in "xyz")


def eq(variable: V, constant: int) -> V:
    return build.eq(variable, constant, 4)


def words(formula: V) -> list[str]:
    function = m.Function("f", (), (), (), 0)
    return said(Names(function, [formula]), formula)


def meaning(found: Readable) -> V:
    cases = build.disjunction(map(build.conjunction, found.cases)) if found.cases else 1
    return build.conjunction([*found.facts, *map(build.disjunction, found.clauses), cases])


def values() -> list[dict[str, int]]:
    return [{"x": x, "y": y, "z": z} for x in range(16) for y in range(16) for z in (0, 3, 8)]


def random_formula(choose: random.Random) -> V:
    """A union of cubes of comparisons of three variables of four bits."""
    compare = (build.eq, build.ult, build.slt)
    atoms = [choose.choice(compare)(choose.choice((X, Y)), choose.choice((Y, Z, 1, 7, 8, 9)), 4) for _ in range(7)]
    cubes = [[atom if choose.random() < 0.5 else build.not_(atom) for atom in choose.sample(atoms, 4)] for _ in range(4)]
    return build.disjunction(map(build.conjunction, cubes))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_read_is_what_was_said(seed: int) -> None:
    """No value of the variables tells the readable form from the formula."""
    formula = random_formula(random.Random(seed))
    found = readable(formula)
    if found is None:
        assert not any(evaluate(formula, value) for value in values())
        return
    assert found.whole
    other = meaning(found)
    assert [evaluate(formula, value) for value in values()] == [evaluate(other, value) for value in values()]


@pytest.mark.parametrize("seed", range(6))
def test_all_combinations_of_comparisons_are_known(seed: int) -> None:
    """Each group has the combinations that some values have, and no others."""
    choose = random.Random(seed)
    compare = (build.eq, build.ult, build.slt)
    pairs = [(choose.choice((X, Y)), choose.choice((X, Y, 0, 7, 8, 15))) for _ in range(9)]
    made = [choose.choice(compare)(left, right, 4) for left, right in pairs]
    for group in possible([*dict.fromkeys(atom for atom in made if isinstance(atom, Term))]):
        held = {tuple(bool(evaluate(atom, value)) for atom in group[0]) for value in values()}
        assert {tuple(cube.values()) for cube in group} == held


def test_what_others_imply_is_not_said() -> None:
    formula = build.conjunction([eq(X, 3), build.not_(eq(X, 4)), build.ult(X, 9, 4), build.not_(eq(Y, 1))])
    assert words(formula) == ["x == 3", "y != 1"]


def test_values_of_one_variable_are_listed() -> None:
    machine = build.disjunction([eq(X, 1), eq(X, 3), eq(X, 15)])
    assert words(build.and_(machine, eq(Y, 0))) == ["y == 0", "x is one of -1, 1, 3"]
    assert words(build.conjunction([build.not_(eq(X, value)) for value in (2, 5, 7)])) == ["x is none of 2, 5, 7"]


def test_cases_where_they_are_shorter() -> None:
    first, second = build.and_(eq(X, 1), eq(Y, 0)), build.and_(eq(X, 2), eq(Y, 1))
    assert words(build.and_(build.or_(first, second), eq(Z, 7))) == [
        "z == 7",
        "(x == 1 && y == 0) || (x == 2 && y == 1)",
    ]


def test_clauses_where_they_are() -> None:
    """Three implications have many cases."""
    facts = [build.implies(eq(X, value), eq(Y, value)) for value in (1, 2, 3)]
    assert words(build.conjunction(facts)) == ["x != 1 || y == 1", "x != 2 || y == 2", "x != 3 || y == 3"]


def test_large_formulas_are_said_in_part() -> None:
    """The parity of 24 long conditions has no short cover; what short ones say apart from it is said all the same."""
    parity: V = 0
    for number in range(24):
        left, right = (build.variable(f"{name}{number}", BitVec(4)) for name in "ab")
        parity = build.xor_(parity, build.ult(build.mul(left, right, 4), 5, 4))
    assert words(build.conjunction([parity, eq(Z, 1), build.or_(eq(X, 1), eq(Y, 2))])) == ["z == 1", "x == 1 || y == 2", ".."]


def test_bounds() -> None:
    """Parity needs exponentially many clauses: what is given still holds, and it says that there is more."""
    bits = [build.variable(f"b{number}", BOOL) for number in range(MOST_ATOMS + 1)]
    parity: V = 0
    for bit in bits[:6]:
        parity = build.xor_(parity, bit)
    found = readable(parity)
    assert found is not None and not found.whole and len(found.clauses) == MOST_CLAUSES
    assert words(parity)[-1] == ".." and len(words(parity)) == MOST_CLAUSES + 1
    assert readable(build.conjunction(bits)) is None and len(words(build.conjunction(bits))) == len(bits)


def test_bits_that_are_no_type_are_a_mask() -> None:
    high = build.extract(31, 1, build.variable("x", BitVec(32)), 32)
    assert words(build.eq(high, 4328, 31)) == ["(x & -2) == 8656"]
    assert words(build.not_(build.eq(high, 4328, 31))) == ["(x & -2) != 8656"]


def test_the_counter_of_allocations_is_not_said() -> None:
    counter = build.eq(build.variable("counter", BitVec(4)), 1, 4)
    assert words(build.and_(counter, eq(X, 1))) == ["x == 1"] and words(counter) == ["counter == 1"]
