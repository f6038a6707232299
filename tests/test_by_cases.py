"""Comparisons by cases say the same as before, and end where there are too many."""

from __future__ import annotations

import random

from counterpoint.term import build as b
from counterpoint.term.by_cases import ByCases
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, size

WIDTH = 4
FLAGS = [b.variable(f"c{k}", BOOL) for k in range(4)]
NUMBERS = [b.variable(f"x{k}", BitVec(WIDTH)) for k in range(3)]


def grown(choose: random.Random) -> Term:
    """A formula over choices, sums and comparisons of these."""
    numbers: list[V] = [*NUMBERS, choose.randrange(16)]
    conditions: list[V] = list(FLAGS)
    for _ in range(14):
        x, y = choose.choice(numbers), choose.choice(numbers)
        match choose.randrange(4):
            case 0:
                numbers.append(b.ite(choose.choice(conditions), x, y, WIDTH))
            case 1:
                numbers.append(b.add(x, choose.randrange(16), WIDTH))
            case 2:
                numbers.append(b.sub(x, y, WIDTH))
            case _:
                conditions.append(choose.choice((b.eq, b.ult, b.slt))(x, y, WIDTH))
    formula = b.conjunction([b.or_(choose.choice(conditions), one) for one in conditions[-3:]])
    return formula if isinstance(formula, Term) else grown(choose)


def test_nothing_changes_its_value() -> None:
    choose, cases = random.Random(4), ByCases()
    for _ in range(60):
        formula = grown(choose)
        other = cases.of(formula)
        for _ in range(20):
            names = {str(v.payload): choose.randrange(v.sort.mask + 1) for v in (*FLAGS, *NUMBERS)}  # type: ignore[union-attr]
            assert evaluate(other, names) == evaluate(formula, names)


def test_no_sums_are_left_where_paths_add_constants() -> None:
    x, y = (b.variable(name, BitVec(32)) for name in "xy")
    moved: V = x
    for flag in FLAGS:
        moved = b.ite(flag, b.add(moved, 1, 32), moved, 32)
    found = ByCases().of(b.eq(moved, b.add(y, 9, 32), 32))
    compared = {term for term in reachable([found]) if term.op is Op.EQ}
    assert compared == {b.eq(x, b.add(y, 9 - k, 32), 32) for k in range(5)}


def test_too_many_cases_stay_as_they_are() -> None:
    sides = [b.variable(name, BitVec(32)) for name in "xy"]
    for number in range(14):
        flag = b.variable(f"f{number}", BOOL)
        sides = [b.ite(flag, b.add(side, 1 << number, 32), side, 32) for side in sides]  # type: ignore[misc]
    formula = b.eq(sides[0], sides[1], 32)
    assert ByCases().of(formula) == formula and size(formula) < 100
