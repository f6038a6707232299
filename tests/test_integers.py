"""Equations as integers: what follows from bounds beside equations modulo 2^w, and goals that are looked at apart."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.houdini.batches import batches
from counterpoint.execute.snapshots import record
from counterpoint.invariants import candidates
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.facts import Fact
from counterpoint.solver.polynomial import simplify
from counterpoint.solver.polynomial.apart import left_open, without_products
from counterpoint.solver.polynomial.integers import consequences
from counterpoint.solver.polynomial.ring import Steps
from counterpoint.term import BitVec, evaluate
from counterpoint.term import build as b
from counterpoint.term.term import Term, V, variable

NAMES = "xyz"


def hold(formulas: Sequence[V], width: int) -> list[dict[str, int]]:
    """All values of the variables under which the formulas hold."""
    whole = b.conjunction(formulas)
    rows = (dict(zip(NAMES, row, strict=True)) for row in itertools.product(range(1 << width), repeat=len(NAMES)))
    return [row for row in rows if evaluate(whole, row) == 1]


class Equations:
    """Random conjunctions: bounds, low bits, and equations between extensions of sums, quotients and variables."""

    def __init__(self, seed: int, width: int) -> None:
        self.random = random.Random(seed)
        self.width = width

    def number(self) -> V:
        r, w = self.random, self.width
        x, y = (variable(r.choice(NAMES), BitVec(w)) for _ in range(2))
        part = b.sdiv(x, 2, w) if r.random() < 0.5 else b.zext(b.extract(w - 1, 1, x, w), w - 1, w)
        return r.choice((x, x, part, b.add(part, y, w), b.sub(x, y, w), b.shl(x, 1, w)))

    def wide(self) -> V:
        r, w = self.random, 2 * self.width
        value = r.choice((b.zext, b.sext))(self.number(), self.width, w)
        if r.random() < 0.5:
            value = b.mul(value, r.choice((b.zext, b.sext))(self.number(), self.width, w), w)
        return b.mul(value, r.choice((1, 2, 4, (1 << w) - 2)), w)

    def formula(self) -> V:
        r, w = self.random, self.width
        x = variable(r.choice(NAMES), BitVec(w))
        match r.randrange(5):
            case 0:
                return b.eq(b.extract(0, 0, x, w), r.getrandbits(1), 1)
            case 1:
                return r.choice((b.ule, b.sle))(x, r.getrandbits(w - 1), w)
            case 2:
                return b.sle(0, x, w)
            case 3:
                return b.eq(b.mul(2, self.number(), w), b.mul(4, self.number(), w), w)
            case _:
                return b.eq(b.add(self.wide(), self.wide(), 2 * w), self.wide(), 2 * w)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from((3, 4)))
def test_consequences_hold_in_all_models(seed: int, width: int) -> None:
    make = Equations(seed, width)
    formulas = [make.formula() for _ in range(make.random.randrange(2, 7))]
    formulas = [formula for formula in formulas if isinstance(formula, Term)]
    found = b.conjunction(consequences(formulas, Steps(100_000)))
    for row in hold(formulas, width):
        assert evaluate(found, row) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_simplification_with_consequences_preserves_models(seed: int) -> None:
    make = Equations(seed, 3)
    formulas = [make.formula() for _ in range(make.random.randrange(2, 7))]
    assert bool(hold(formulas, 3)) == any(hold(case.formulas, 3) for case in simplify(formulas).cases)


def test_consequences_are_found() -> None:
    """Not only the empty set is true of all models."""
    found = 0
    for seed in range(200):
        make = Equations(seed, 4)
        found += bool(consequences([make.formula() for _ in range(5)], Steps(100_000)))
    assert found > 100


P, Q, N, R = (variable(name, BitVec(32)) for name in "pqnr")
WIDE = 64


def wide(value: V) -> V:
    return b.sext(value, 32, WIDE)


def squares(p: V, q: V, r: V) -> V:
    """p * p + r * q == n * q, in 64 bits."""
    left = b.add(b.mul(wide(p), wide(p), WIDE), b.mul(wide(r), wide(q), WIDE), WIDE)
    return b.eq(left, b.mul(wide(N), wide(q), WIDE), WIDE)


def step(bounded: bool) -> list[V]:
    """One digit of a square root keeps p * p + r * q == n * q where nothing overflows; that it does not."""
    q, half = b.sdiv(Q, 4, 32), b.sdiv(P, 2, 32)
    bit = b.add(P, q, 32)
    known = [
        squares(P, Q, R), b.eq(b.extract(1, 0, Q, 32), 0, 2), b.eq(b.extract(0, 0, P, 32), 0, 1), b.sle(bit, R, 32),
    ]  # fmt: skip
    if bounded:
        known += [b.sle(0, Q, 32), b.sle(0, P, 32), b.sle(P, 0x4FFFFFFE, 32)]
    return [*known, b.not_(squares(b.add(half, q, 32), q, b.sub(R, bit, 32)))]


def test_what_is_divided_on_both_sides_stays_equal_where_it_fits() -> None:
    assert simplify(step(True)).cases == ()
    assert simplify(step(False)).cases != ()


def test_an_equation_of_extensions_says_the_same_of_what_is_extended() -> None:
    narrow = b.eq(b.add(b.mul(P, P, 32), b.mul(R, Q, 32), 32), b.mul(N, Q, 32), 32)
    even = b.sdiv(P, 2, 32), b.eq(b.extract(0, 0, P, 32), 0, 1)
    assert simplify([squares(P, Q, R), even[1], b.ult(even[0], 9, 32), b.not_(narrow)]).cases == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_goals_that_are_left_out_are_impossible(seed: int, clever: bool) -> None:
    make = Equations(seed, 3)
    r = make.random
    shared = [make.formula() for _ in range(2)]
    goals = [b.conjunction([*shared[: r.randrange(3)], make.formula(), make.formula()]) for _ in range(r.randrange(2, 9))]
    formulas = [b.disjunction(goals), *(make.formula() for _ in range(r.randrange(3)))]
    left = left_open(formulas, 20_000, lambda some: clever and not hold(some, 3))
    assert hold(formulas, 3) == hold(left, 3)


def test_goals_are_looked_at_one_by_one() -> None:
    """Equations by polynomials; what has no products of its own at once, without the products."""
    asked: list[Sequence[V]] = []

    def refutes(some: Sequence[V]) -> bool:
        asked.append(some)
        return True

    square, mixed = b.mul(P, P, 32), b.mul(b.mul(2, P, 32), Q, 32)
    ends = b.add(square, b.mul(Q, Q, 32), 32)
    sum_, difference = b.add(P, Q, 32), b.sub(P, Q, 32)
    first = b.ne(b.mul(sum_, sum_, 32), b.add(ends, mixed, 32), 32)
    second = b.ne(b.mul(difference, difference, 32), b.sub(ends, mixed, 32), 32)
    taken, linear, possible = b.ult(N, R, 32), b.eq(N, R, 32), b.eq(square, 4, 32)
    known = [b.eq(square, b.mul(Q, R, 32), 32), b.ult(P, 5, 32)]
    goals = b.disjunction([b.and_(taken, goal) for goal in (first, second, linear)])
    assert left_open([goals, *known], 20_000, refutes) == [0, *known]
    assert len(asked) == 1 and list(asked[0][1:]) == [known[1]] == without_products(known)
    goals = b.disjunction([b.and_(taken, goal) for goal in (first, second, possible)])
    assert left_open([goals, *known], 20_000, refutes)[0] is b.and_(taken, possible)


ROOT = """int main(void) { int n = any(), p = 0, q = 1, r = n; while (q <= n) q = 4 * q;
    while (1) { check(p * p + r * q == n * q); if (q == 1) break;
    q = q / 4; int h = p + q; p = p / 2; if (r >= h) { p = p + q; r = r - %s; } } check(p * p == n - r); return 0; }"""


def guessed(text: str) -> tuple[Houdini, list[Fact]]:
    graph = cut_graph(program(text), Budget(90))
    snapshots = record(graph.program, graph.cuts, graph.granules, seed=0)
    context = Context(graph, snapshots, Budget(90))
    found = [fact for source in candidates.sources() if source.stage == 0 for fact in source.candidates(context)]
    first, _ = batches(dict.fromkeys(found))
    wrong = refuted(first, snapshots)
    return Houdini(graph, Budget(90)), [fact for fact in first if fact not in wrong]


@pytest.mark.parametrize(("taken", "safe"), [("h", True), ("(h + 1)", False)])
def test_a_square_root_digit_by_digit(taken: str, safe: bool) -> None:
    """Its equation is inductive only as one of integers: a quarter of both sides is equal if they did not wrap around."""
    houdini, found = guessed(ROOT % taken)
    try:
        kept = houdini.extend(found)
        assert any("sext" in str(fact.formula) for fact in kept) or not safe
        assert (not houdini.open_regions()) is safe
    finally:
        houdini.close()
