"""Likely invariants of tables: each template finds what was planted, and not what a single row refutes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from counterpoint.core.budget import Budget
from counterpoint.inference import Column, Likely, Options, Role, infer, table_of
from counterpoint.inference.templates import templates
from counterpoint.semantics.facts import ghost
from counterpoint.term import build, meaning
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

Row = tuple[Any, ...]
IN, OUT = Role.INPUT, Role.OUTPUT
ROWS = 60


def v(name: str, width: int = 32) -> Term:
    return build.variable(name, BitVec(width))


def array(name: str) -> Term:
    return build.variable(name, ArraySort(64, 32))


x, y, z, w, i, n = (v(name) for name in "xyzwin")
b, c = v("b", 8), v("c", 8)
p, q, base = v("p", 64), v("q", 64), v("base", 64)
s, t = build.variable("s", BOOL), build.variable("t", BOOL)
a, old, k = array("a"), array("old(a)"), ghost(0, 64)
g = build.select(a, k)
LONG = 1 << 32


def small(random: Random) -> int:
    return random.randint(-40, 40)


def word(random: Random) -> int:
    return random.getrandbits(32)


def elements(numbers: Sequence[int]) -> Mapping[int, int]:
    return dict(enumerate(numbers))


def below(index: Term) -> V:
    """The ghost is below an index of 32 bits."""
    return build.and_(build.sle(0, k, 64), build.slt(k, build.sext(index, 32, 64), 64))


@dataclass(frozen=True)
class Planted:
    """`formula` holds on the rows that `row` makes, but not on `broken`."""

    columns: tuple[Column, ...]
    row: Callable[[Random], Row]
    formula: V
    broken: Row
    options: Options = field(default_factory=Options)

    def rows(self) -> list[Row]:
        random = Random(7)
        return [self.row(random) for _ in range(ROWS)]


def of(*columns: Column | Term) -> tuple[Column, ...]:
    return tuple(column if isinstance(column, Column) else Column(column) for column in columns)


def pointer(variable: Term, size: V | None = None) -> Column:
    return Column(variable, pointer=True, size=size)


def rising(random: Random) -> Row:
    numbers = sorted(random.sample(range(-90, 90), 6))
    return (elements(numbers),)


def one_changed(random: Random) -> Row:
    before, index = [small(random) for _ in range(6)], random.randrange(6)
    after = [*before[:index], before[index] + 1, *before[index + 1 :]]
    return elements(before), index, elements(after)


def range_changed(random: Random) -> Row:
    before, low, high = [small(random) for _ in range(9)], random.randrange(4), random.randint(5, 8)
    after = [number + 1 if low <= index < high else number for index, number in enumerate(before)]
    return elements(before), low, high, elements(after)


def inside(random: Random) -> Row:
    start, size = random.randrange(1 << 20) * 16, random.randint(20, 60)
    return start, size, start + random.randrange(size)


def filled(random: Random) -> Row:
    count = random.randint(0, 6)
    return elements([5] * count + [small(random) for _ in range(6 - count)]), count


def lexical(random: Random) -> Row:
    one, two = sorted([random.randrange(3) for _ in range(3)] for _ in range(2))
    return elements(one), elements(two)


def eq(left: V, right: V, width: int = 32) -> V:
    return build.eq(left, right, width)


def plus(left: V, right: V, width: int = 32) -> V:
    return build.add(left, right & ((1 << width) - 1) if isinstance(right, int) else right, width)


def times(factor: int, value: V, width: int = 32) -> V:
    return build.mul(factor & ((1 << width) - 1), value, width)


IS_5_BELOW = build.implies(below(i), eq(g, 5))
SORTED = build.implies(
    build.and_(build.ult(k, 6, 64), build.ult(plus(k, 1, 64), 6, 64)), build.slt(g, build.select(a, plus(k, 1, 64)), 32)
)
SAME = eq(g, build.select(old, k))
LEXICAL = build.or_(
    build.slt(build.select(a, 0), build.select(old, 0), 32),
    build.and_(
        eq(build.select(a, 0), build.select(old, 0)),
        build.or_(
            build.slt(build.select(a, 1), build.select(old, 1), 32),
            build.and_(
                eq(build.select(a, 1), build.select(old, 1)),
                build.sle(build.select(a, 2), build.select(old, 2), 32),
            ),
        ),
    ),
)

PLANTED: dict[str, Planted] = {
    "constant": Planted(of(x, y), lambda r: (-7, small(r)), eq(x, LONG - 7), (7, 0)),
    "constant Bool": Planted(of(s, y), lambda r: (1, small(r)), s, (0, 0)),
    "one of": Planted(
        of(x, y),
        lambda r: (r.choice((3, -9)), small(r)),
        build.or_(eq(x, LONG - 9), eq(x, 3)),
        (4, 4),
    ),
    "one of neighbours": Planted(
        of(x, y),
        lambda r: (r.choice((-1, 0, 1)), small(r)),
        build.and_(build.sle(LONG - 1, x, 32), build.sle(x, 1, 32)),
        (2, 4),
    ),
    "non-zero": Planted(
        of(b, y), lambda r: (r.choice((-3, -2, -1, 1, 2, 3)), small(r)), build.ne(b, 0, 8), (0, 0)
    ),
    "sign": Planted(of(x), lambda r: (r.randint(1, 1 << 30),), build.slt(0, x, 32), (-5,)),
    "sign below": Planted(of(x), lambda r: (-r.randint(0, 9),), build.sle(x, 0, 32), (5,)),
    "interval by repetition": Planted(
        of(x, y), lambda r: (r.randint(-3, 7), small(r)), build.sle(LONG - 3, x, 32), (-4, 0)
    ),
    "interval by a number": Planted(
        of(x), lambda r: (r.choice((r.randint(0, 1 << 20), 1 << 20)),), build.ule(x, 1 << 20, 32), (1 << 21,),
        Options(numbers=frozenset({1 << 20})),
    ),
    "unsigned interval": Planted(
        of(b, x), lambda r: (r.choice((20, r.randint(20, 200))), word(r)), build.ule(20, b, 8), (19, 0)
    ),
    "modulus": Planted(of(x), lambda r: (r.randint(0, 900) * 6 + 5,), eq(build.urem(x, 6, 32), 5), (6,)),
    "parity": Planted(of(x), lambda r: (small(r) * 2 + 1,), eq(build.extract(0, 0, x, 32), 1, 1), (2,)),
    "bits": Planted(of(x), lambda r: (word(r) & ~0xF0 | 0x50,), eq(build.bvand(x, 0xF0, 32), 0x50), (0x60,)),
    "equality": Planted(of(x, y), lambda r: (word(r),) * 2, eq(x, y), (1, 2)),
    "equality of Bools": Planted(of(s, t, x), lambda r: (*[r.getrandbits(1)] * 2, word(r)), build.iff(s, t), (1, 0, 3)),
    "linear": Planted(of(x, y), lambda r: (m := word(r), 3 * m - 9), eq(y, plus(times(3, x), -9)), (1, 2)),
    "linear, even": Planted(of(x, y), lambda r: (m := word(r), 12 * m + 1), eq(y, plus(times(12, x), 1)), (1, 2)),
    "linear, even steps": Planted(
        of(b, c, x), lambda r: (m := 4 * r.getrandbits(6), 3 * m + 1, word(r)), eq(c, plus(times(3, b, 8), 1, 8), 8), (4, 14, 0)
    ),
    "extended": Planted(of(b, y), lambda r: (m := r.randint(-99, 99), m), eq(y, build.sext(b, 8, 32)), (1, 2)),
    "cut": Planted(of(x, b), lambda r: (m := word(r), m), eq(b, build.extract(7, 0, x, 32), 8), (1, 2)),
    "order": Planted(of(x, y), lambda r: (m := small(r), m + r.randint(0, 20)), build.sle(x, y, 32), (1, 0)),
    "strict order": Planted(of(x, y), lambda r: (m := small(r), m + r.randint(1, 20)), build.slt(x, y, 32), (1, 1)),
    "unsigned order": Planted(
        of(x, y), lambda r: (m := word(r), r.choice((m, r.randint(m, LONG - 1)))), build.ule(x, y, 32), (-1, 1)
    ),
    "different": Planted(
        of(b, c), lambda r: (m := r.randint(-2, 2), (m + 2 + r.randint(1, 4)) % 5 - 2), build.ne(b, c, 8), (1, 1)
    ),
    "divides": Planted(
        of(x, y), lambda r: (m := r.randint(1, 30), m * r.randint(0, 30)), eq(build.urem(y, x, 32), 0), (3, 4)
    ),
    "change": Planted(
        of(Column(x, IN), Column(y, OUT, old=x)),
        lambda r: (m := word(r), m + r.choice((0, 2))),
        build.or_(eq(y, x), eq(build.sub(y, x, 32), 2)),
        (3, 4),
    ),
    "change between limits": Planted(
        of(Column(x, IN), Column(y, OUT, old=x)),
        lambda r: (m := word(r), m + r.randint(0, 9)),
        build.sle(build.sub(y, x, 32), 9, 32),
        (3, 23),
    ),
    "subset": Planted(of(x, y), lambda r: (m := word(r), m & word(r)), eq(build.bvand(x, y, 32), y), (1, 2)),
    "disjoint": Planted(of(x, y), lambda r: (m := word(r), ~m & word(r)), eq(build.bvand(x, y, 32), 0), (3, 2)),
    "masked": Planted(of(x, y), lambda r: (m := word(r), m & 0xFF0), eq(y, build.bvand(x, 0xFF0, 32)), (16, 0)),
    "flipped": Planted(of(x, y), lambda r: (m := word(r), m ^ 0xFF0), eq(y, build.bvxor(x, 0xFF0, 32)), (16, 16)),
    "one of inputs": Planted(
        of(Column(x, IN), Column(y, IN), Column(z, OUT)),
        lambda r: (m := small(r), l := small(r), max(m, l)),
        build.or_(eq(z, x), eq(z, y)),
        (1, 2, 3),
    ),
    "input or number": Planted(
        of(Column(x, IN), Column(z, OUT)),
        lambda r: (m := small(r), max(m, 0)),
        build.or_(eq(z, x), eq(z, 0)),
        (1, 2),
    ),
    "linear of three": Planted(
        of(x, y, z), lambda r: (m := word(r), l := word(r), 2 * m - 5 * l + 1),
        eq(z, plus(plus(times(2, x), times(-5, y)), 1)), (1, 2, 3),
    ),
    "Gauss": Planted(
        of(x, y), lambda r: (m := r.randint(0, 300), m * (m + 1) // 2), eq(times(2, y), plus(x, build.mul(x, x, 32))), (4, 11)
    ),
    "product": Planted(of(x, y, z), lambda r: (m := word(r), l := word(r), m * l), eq(z, build.mul(x, y, 32)), (3, 4, 13)),
    "cube": Planted(
        of(x, y), lambda r: (m := word(r), m**3 - m), eq(y, plus(times(-1, x), build.mul(build.mul(x, x, 32), x, 32))), (1, 7)
    ),
    "power of two": Planted(of(x, y), lambda r: (m := r.randrange(31), (1 << m) - 1), eq(y, plus(build.shl(1, x, 32), -1)), (3, 8)),
    **{
        f"{name} of two": Planted(
            of(x, y, z),
            lambda r, number=number, guard=guard: (m := word(r), l := word(r) % guard + 1, number(m, l)),
            eq(z, operation(x, y, 32)),
            wrong,
        )
        for name, number, operation, guard, wrong in (
            ("quotient", lambda m, l: m // l, build.udiv, 1000, (17, 5, 4)),
            ("rest", lambda m, l: m % l, build.urem, 1000, (17, 5, 3)),
            ("signed quotient", lambda m, l: meaning.sdiv(m, l, 32), build.sdiv, 1000, (17, 5, 4)),
            ("signed rest", lambda m, l: meaning.srem(m, l, 32), build.srem, 1000, (17, 5, 3)),
            ("bits", lambda m, l: m & l, build.bvand, 1 << 32, (12, 10, 9)),
            ("difference", lambda m, l: m ^ l, build.bvxor, 1 << 32, (12, 10, 7)),
            ("left", lambda m, l: m << l & 0xFFFFFFFF, build.shl, 30, (12, 1, 25)),
            ("right", lambda m, l: m >> l, build.lshr, 30, (12, 1, 7)),
            ("signed right", lambda m, l: meaning.ashr(m, l, 32), build.ashr, 30, (12, 1, 7)),
        )
    },
    "implication": Planted(
        of(s, t, x), lambda r: (m := r.getrandbits(1), m and r.getrandbits(1), word(r)), build.implies(t, s), (0, 1, 2)
    ),
    "null": Planted(of(pointer(p), x), lambda r: (0, word(r)), eq(p, 0, 64), (8, 8)),
    "not null": Planted(of(pointer(p)), lambda r: (r.randint(1, 1 << 40),), build.ne(p, 0, 64), (0,)),
    "equal pointers": Planted(of(pointer(p), pointer(q)), lambda r: (word(r),) * 2, eq(p, q, 64), (8, 16)),
    "pointers apart": Planted(
        of(pointer(p), pointer(q)), lambda r: (m := word(r), m + 24), eq(q, plus(p, 24, 64), 64), (8, 16)
    ),
    "different pointers": Planted(
        of(pointer(p), pointer(q)),
        lambda r: (m := r.randrange(9) * 8, (m + r.randint(1, 8) * 8) % 72), build.ne(p, q, 64), (8, 8),
    ),
    "valid": Planted(
        of(pointer(base, v("size", 64)), v("size", 64), pointer(p)), inside, build.ult(build.sub(p, base, 64), v("size", 64), 64), (64, 8, 72)
    ),
    "elements": Planted(of(Column(a, size=6), i), filled, IS_5_BELOW, (elements([5, 4, 5, 5, 5, 5]), 4)),
    "index of elements": Planted(
        of(Column(a, size=6)),
        lambda r: (elements([7 * index + 2 for index in range(6)]),),
        build.implies(build.ult(k, 6, 64), eq(g, plus(times(7, build.extract(31, 0, k, 64)), 2))),
        (elements([2, 9, 16, 23, 30, 36]),),
    ),
    "elements and integers": Planted(
        of(Column(a, size=4), x),
        lambda r: (elements(numbers := [small(r) for _ in range(4)]), max(numbers)),
        build.implies(build.ult(k, 4, 64), build.sle(g, x, 32)),
        (elements([1, 2, 3, 4]), 3),
    ),
    "two arrays": Planted(
        of(Column(old, size=4), Column(a, size=4)),
        lambda r: (elements(m := [small(r) for _ in range(4)]), elements([l + r.randrange(3) for l in m])),
        build.implies(build.ult(k, 4, 64), build.sle(build.select(old, k), g, 32)),
        (elements([1, 2, 3, 4]), elements([1, 2, 2, 4])),
    ),
    "sorted": Planted(of(Column(a, size=6)), rising, SORTED, (elements([1, 2, 4, 3, 5, 6]),)),
    "all equal": Planted(
        of(Column(a, size=6)), lambda r: (elements([small(r)] * 6),),
        build.implies(
            build.and_(build.ult(k, 6, 64), build.ult(plus(k, 1, 64), 6, 64)), eq(g, build.select(a, plus(k, 1, 64)))
        ),
        (elements([1, 2, 4, 3, 5, 6]),),
    ),
    "member": Planted(
        of(Column(a, size=3), x),
        lambda r: (elements(m := [small(r) for _ in range(3)]), r.choice(m)),
        build.disjunction(eq(x, build.select(a, index)) for index in range(3)),
        (elements([1, 2, 3]), 4),
    ),
    "element at an index": Planted(
        of(Column(a, size=6), i, x),
        lambda r: (elements(m := [small(r) for _ in range(6)]), l := r.randrange(6), m[l]),
        eq(x, build.select(a, build.sext(i, 32, 64))),
        (elements([1, 2, 3, 4, 5, 6]), 2, 4),
    ),
    "size": Planted(
        of(Column(a, size=6), i), lambda r: (elements([small(r) for _ in range(6)]), r.randrange(6)), build.ult(i, 6, 32),
        (elements([0] * 6), 6),
    ),
    "lexical": Planted(
        of(Column(a, size=3), Column(old, size=3)), lexical, LEXICAL, (elements([1, 2, 3]), elements([1, 2, 2]))
    ),
    "nothing changed": Planted(
        of(Column(old, IN), Column(a, OUT, old=old)), lambda r: (elements(m := [small(r) for _ in range(9)]), elements(m)),
        SAME, (elements([1, 2]), elements([1, 3])),
    ),
    "one element changed": Planted(
        of(Column(old, IN), Column(i, IN), Column(a, OUT, old=old)), one_changed,
        build.or_(eq(k, build.sext(i, 32, 64), 64), SAME), (elements([1, 2, 3]), 1, elements([1, 2, 4])),
    ),
    "range changed": Planted(
        of(Column(old, IN), Column(i, IN), Column(n, IN), Column(a, OUT, old=old)), range_changed,
        build.or_(
            build.and_(build.ule(build.sext(i, 32, 64), k, 64), build.ult(k, build.sext(n, 32, 64), 64)), SAME
        ),
        (elements([1, 2, 3]), 0, 1, elements([1, 3, 3])),
    ),
}  # fmt: skip


def formulas(found: Sequence[Likely]) -> list[Term]:
    return [likely.formula for likely in found]


@pytest.mark.parametrize("name", PLANTED)
def test_planted(name: str) -> None:
    plan = PLANTED[name]
    found = infer(table_of(plan.columns, plan.rows()), replace(plan.options, conditions=False))
    assert plan.formula in formulas(found), [str(likely.formula) for likely in found]
    broken = infer(table_of(plan.columns, [*plan.rows(), plan.broken]), replace(plan.options, conditions=False))
    assert plan.formula not in formulas(broken)


def test_every_template_is_planted() -> None:
    """So that one which finds nothing is seen."""
    found = {
        likely.template
        for plan in PLANTED.values()
        for likely in infer(table_of(plan.columns, plan.rows()), replace(plan.options, conditions=False))
    }
    assert found == {template.name for template in templates()}


# ---------------------------------------------------------------- the paper's figures


def compare(one: int, two: int) -> int:
    """Figure 2(a) of the dynamic inference paper, on integers; what has no sign has that of negative numbers."""
    if (one > 0) == (two > 0):
        return one if abs(one) > abs(two) else two
    return max(one, two)


COMPARE = of(Column(x, IN), Column(y, IN), Column(z, OUT))
ARGUMENTS = of(Column(x, IN), Column(y, IN))


def test_figure_3() -> None:
    """From one run a > b and ret == a; with the counterexample's, ret == a || ret == b."""
    first, second = (4, -4, compare(4, -4)), (-1, -4, compare(-1, -4))
    assert build.slt(y, x, 32) in formulas(infer(table_of(ARGUMENTS, [first[:2]])))
    assert eq(z, x) in formulas(infer(table_of(COMPARE, [first])))
    assert build.slt(y, x, 32) in formulas(infer(table_of(ARGUMENTS, [first[:2], second[:2]])))
    both = formulas(infer(table_of(COMPARE, [first, second])))
    assert build.or_(eq(z, x), eq(z, y)) in both and eq(z, x) not in both


def test_figure_4() -> None:
    """Many runs give pairs like those of figure 4(b): for any arguments, a condition under which the result is one."""
    random = Random(3)
    pairs = [(small(random), small(random)) for _ in range(400)]
    found = infer(table_of(COMPARE, [(m, l, compare(m, l)) for m, l in pairs]))
    assert found[0].formula is build.or_(eq(z, x), eq(z, y))
    sides = [f for f in found if f.condition is not None and f.formula in (equal_to(f.condition, x), equal_to(f.condition, y))]
    for one, two in pairs:
        values = {"x": one % LONG, "y": two % LONG, "z": compare(one, two) % LONG}
        assert all(evaluate(side.formula, values) for side in sides)
        assert any(side.condition is not None and evaluate(side.condition, values) for side in sides)


def equal_to(condition: Term, value: Term) -> V:
    return build.implies(condition, eq(z, value))


# ---------------------------------------------------------------- conditions


def test_conditions_of_the_caller() -> None:
    """With a formula as it is, without one learned from the labels."""
    random = Random(5)
    rows = [(m := small(random), m + 3 if m > 9 else 0) for _ in range(300)]
    columns = of(Column(x, IN), Column(y, OUT))
    large = build.slt(9, x, 32)
    sites = [int(m > 9) for m, _ in rows]
    given = formulas(infer(table_of(columns, rows, sites, {1: large, 0: build.not_(large)})))
    assert build.implies(large, eq(y, plus(x, 3))) in given
    assert build.implies(build.not_(large), eq(y, 0)) in given
    learned = formulas(infer(table_of(columns, rows, sites), Options(numbers=frozenset({9}))))
    assert build.implies(large, eq(y, plus(x, 3))) in learned


def test_condition_of_a_bool() -> None:
    random = Random(5)
    rows = [(m := random.getrandbits(1), l := small(random), -l if m else l) for _ in range(99)]
    found = infer(table_of(of(Column(s, IN), Column(x, IN), Column(y, OUT)), rows))
    assert build.implies(s, eq(y, times(-1, x))) in formulas(found)
    assert build.implies(build.not_(s), eq(y, x)) in formulas(found)
    assert {likely.condition for likely in found} >= {s, build.not_(s)}


def test_support_and_weights() -> None:
    rows = [(1, 5), (1, 5), (2, 5), (3, 5), (4, 5), (-1, 7), (-2, 7), (-3, 7), (-3, 7)]
    found = {str(f.formula): f for f in infer(table_of(of(Column(x, IN), Column(y, OUT)), rows), Options(confidence=0))}
    assert found["((y == 5) || (y == 7))"].support == 9
    assert found["((x < 0) || (y == 5))"].support == 5


# ---------------------------------------------------------------- what is left out


def test_what_follows_is_left_out() -> None:
    """A constant has no limits, an equal column no facts of its own, x <= y <= z no x <= z."""
    random = Random(5)
    rows = [(7, m := small(random), m, m + 2 + random.randrange(9), m + 20 + random.randrange(9)) for _ in range(99)]
    columns = of(w, x, y, z, v("last"))
    found = formulas(infer(table_of(columns, rows), Options(conditions=False)))
    assert found[0] is eq(w, 7) and found[1] is eq(x, y)
    names = [{str(part.payload) for part in variables(formula)} for formula in found[2:]]
    assert not any({"w", "y"} & some for some in names)
    assert build.slt(x, z, 32) in found and build.slt(x, v("last"), 32) not in found
    everything = formulas(infer(table_of(columns, rows), Options(conditions=False, implied=True)))
    assert set(found) <= set(everything) and build.slt(x, v("last"), 32) in everything


def test_what_is_left_alone_is_told_of_each() -> None:
    """Though all were 0 in all rows: that is no reason to forget what they were."""
    one, two, three, four = (v(name) for name in ("old(g)", "old(h)", "g", "h"))
    columns = of(Column(one, IN), Column(two, IN), Column(x, IN), Column(three, OUT, old=one), Column(four, OUT, old=two))
    random = Random(5)
    found = formulas(infer(table_of(columns, [(0, 0, small(random), 0, 0) for _ in range(40)])))
    assert {eq(three, one), eq(four, two), eq(three, 0), eq(four, 0)} <= set(found)
    assert eq(three, two) not in found


def test_unrelated_columns_are_not_compared() -> None:
    one, two = frozenset({"one"}), frozenset({"two"})
    columns = (Column(x, groups=one), Column(y, groups=two), Column(z, groups=one | two))
    random = Random(5)
    rows = [((m := small(random)), m, m) for _ in range(50)]
    found = formulas(infer(table_of(columns, rows)))
    assert eq(x, y) not in found and eq(x, z) in found


def test_nothing_about_inputs_at_an_exit() -> None:
    random = Random(5)
    rows = [(m := random.randint(0, 40), 2 * m, m + 1) for _ in range(50)]
    found = infer(table_of(of(Column(x, IN), Column(y, IN), Column(z, OUT)), rows))
    assert found and all(z in variables(likely.formula) for likely in found)


def test_nothing_among_what_changes_at_an_entry() -> None:
    random = Random(5)
    rows = [(m := random.randint(0, 40), 2 * m, m + 1) for _ in range(50)]
    columns = of(Column(x, IN, assigned=True), Column(y, IN, assigned=True), Column(z, IN))
    found = infer(table_of(columns, rows), Options(conditions=False))
    assert found and all(
        set(variables(likely.formula)) in ({x}, {y}, {z}) or z in variables(likely.formula) for likely in found
    )


def test_noise_is_not_reported() -> None:
    """Nothing is said of random words, but of few rows something may be."""
    random = Random(11)
    columns = of(*(v(f"n{number}") for number in range(8)))
    assert infer(table_of(columns, [tuple(word(random) for _ in columns) for _ in range(300)])) == []


def test_pointers_are_no_numbers() -> None:
    random = Random(5)
    rows = [(4096 + 16 * (m := random.randrange(20)), m) for _ in range(50)]
    found = infer(table_of((pointer(p), Column(build.variable("m", BitVec(64)))), rows))
    assert all(list(variables(likely.formula)) != [p] or likely.template == "pointers" for likely in found)
    assert not any({p, v("m", 64)} <= set(variables(likely.formula)) for likely in found)


# ---------------------------------------------------------------- the rest


def test_no_rows_and_one_row() -> None:
    assert infer(table_of(of(x, y), [])) == []
    assert infer(table_of((), [])) == []
    assert infer(table_of(of(Column(a, size=3), pointer(p), s), [({}, 0, 1)])) != []


def test_used_up() -> None:
    """What was found until then: nothing, if there was no time."""
    plan = PLANTED["linear"]
    assert infer(table_of(plan.columns, plan.rows()), budget=Budget(0.0)) == []


def test_numpy_is_loaded_when_something_is_learned() -> None:
    code = "import sys; from counterpoint.inference import infer; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.filterwarnings("error")
def test_nothing_is_warned_of() -> None:
    """Sizes of 0, and numbers at the ends of their range."""
    columns = of(Column(a, size=n), n, Column(x, IN), Column(y, OUT, old=x), pointer(base, 0), pointer(p))
    ends = (0, 1, -1, 1 << 31, (1 << 31) - 1)
    rows = [({}, 0, ends[m % 5], ends[m // 5], 0, (1 << 64) - 1 - m) for m in range(25)]
    assert infer(table_of(columns, rows), Options(confidence=0.0, numbers=frozenset({1 << 64, -(1 << 70), 7})))


def test_the_page_names_every_template() -> None:
    page = (Path(__file__).parent.parent / "docs" / "inference.md").read_text()
    for template in templates():
        assert f"| {template.name} | " + template.summary.replace("|", "\\|") in page
