"""Polynomial reasoning modulo 2^w: exact normal forms, equisatisfiable simplification, invariants of loops."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.layers import decide, standard_solver
from counterpoint.solver.polynomial import Case, normal_form, simplify, to_term
from counterpoint.solver.race import POLYNOMIALS, Satisfiable, Unsatisfiable, check_in_processes
from counterpoint.term import BOOL, FLOAT32, BitVec, evaluate
from counterpoint.term import build as b
from counterpoint.term.evaluate import Evaluation
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term, V, variable


@dataclass(frozen=True)
class Word:
    """A bit-vector with Python's operators."""

    v: V
    w: int

    def lift(self, other: Word | int) -> Word:
        return other if isinstance(other, Word) else Word(other % (1 << self.w), self.w)

    def __add__(self, other: Word | int) -> Word:
        return Word(b.add(self.v, self.lift(other).v, self.w), self.w)

    def __sub__(self, other: Word | int) -> Word:
        return Word(b.sub(self.v, self.lift(other).v, self.w), self.w)

    def __mul__(self, other: Word | int) -> Word:
        return Word(b.mul(self.v, self.lift(other).v, self.w), self.w)

    def __pow__(self, power: int) -> Word:
        return self if power == 1 else self * self ** (power - 1)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: int) -> Word:
        return self.lift(other) - self

    def is_(self, other: Word | int) -> V:
        return b.eq(self.v, self.lift(other).v, self.w)

    def half(self) -> Word:
        return Word(b.udiv(self.v, 2, self.w), self.w)

    def odd(self) -> V:
        return b.eq(b.urem(self.v, 2, self.w), 1, self.w)


def words(names: str, width: int) -> list[Word]:
    return [Word(variable(name, BitVec(width)), width) for name in names.split()]


BINARY = (b.add, b.sub, b.mul, b.mul, b.udiv, b.urem, b.sdiv, b.srem, b.bvand, b.bvxor)


class Random:
    """Random terms from a seed, over few variables."""

    def __init__(self, seed: int, width: int, names: str = "xyz") -> None:
        self.random = random.Random(seed)
        self.width = width
        self.names = names

    def word(self, depth: int) -> V:
        r, w = self.random, self.width
        if depth == 0:
            return r.getrandbits(w) if r.random() < 0.25 else variable(r.choice(self.names), BitVec(w))
        match r.randrange(11):
            case 0:
                return b.neg(self.word(depth - 1), w)
            case 1:
                return b.bvnot(self.word(depth - 1), w)
            case 2:
                return b.shl(self.word(depth - 1), r.randrange(w), w)
            case 3:
                low = r.randrange(1, w)
                part = b.extract(low - 1, 0, self.word(depth - 1), w)
                return r.choice((b.zext, b.sext))(part, low, w)
            case 4 if r.random() < 0.5 and w > 2:
                low, middle = sorted(r.sample(range(1, w), 2)) if w > 3 else (1, 2)
                extend = r.choice((b.zext, b.sext))
                parts = [r.choice((b.zext, b.sext))(b.extract(low - 1, 0, self.word(depth - 1), w), low, middle)]
                parts += [r.getrandbits(middle), b.zext(b.extract(0, 0, self.word(depth - 1), w), 1, middle)]
                r.shuffle(parts)
                total = r.choice((b.mul, b.add, b.sub))(parts[0], parts[1], middle)
                return extend(r.choice((b.mul, b.add))(total, parts[2], middle), middle, w)
            case 4:
                low = r.randrange(1, w)
                return b.concat(b.extract(w - low - 1, 0, self.word(depth - 1), w), w - low, 0, low)
            case 5:
                low = r.randrange(1, w)
                wide = b.mul(
                    b.sext(self.word(depth - 1), w, w + low), b.zext(self.word(depth - 1), w, w + low), w + low
                )
                return b.extract(w - 1, 0, wide, w + low)
            case 6:
                return b.ite(self.formula(depth - 1), self.word(depth - 1), self.word(depth - 1), w)
            case 7:
                divide = r.choice((b.udiv, b.sdiv, b.urem, b.srem))
                return divide(self.word(depth - 1), 1 << r.randrange(1, w), w)
            case _:
                return r.choice(BINARY)(self.word(depth - 1), self.word(depth - 1), w)

    def formula(self, depth: int) -> V:
        r, w = self.random, self.width
        if depth and r.random() < 0.1:
            return b.sle(0, self.word(0), w)
        if depth == 0:
            return variable("b", BOOL)
        match r.randrange(8):
            case 0:
                return b.not_(self.formula(depth - 1))
            case 1:
                return b.and_(self.formula(depth - 1), self.formula(depth - 1))
            case 2:
                return b.xor_(self.formula(depth - 1), self.formula(depth - 1))
            case 3:
                return r.choice((b.ult, b.slt))(self.word(depth - 1), self.word(depth - 1), w)
            case 4:
                low = r.randrange(1, w)
                return b.eq(b.extract(low - 1, 0, self.word(depth - 1), w), r.getrandbits(low), low)
            case _:
                return b.eq(self.word(depth - 1), self.word(depth - 1), w)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from((8, 32, 64)))
def test_normal_form_has_the_same_value(seed: int, width: int) -> None:
    make = Random(seed, width)
    term = make.word(4)
    normal = to_term(normal_form(term, width))
    for _ in range(5):
        assignment = {name: make.random.getrandbits(width) for name in "xyzb"}
        assert evaluate(normal, assignment) == evaluate(term, assignment)


def test_equal_polynomials_are_the_identical_term() -> None:
    x, y = words("x y", 32)
    left, right = (x + y) * (x - y) * (x + 3), (x * x - y * y) * x + 3 * x**2 - (3 * y) * y
    assert left.v is not right.v
    assert to_term(normal_form(left.v, 32)) is to_term(normal_form(right.v, 32))
    wide = b.mul(b.sext(x.v, 32, 64), b.sext(y.v, 32, 64), 64)
    assert to_term(normal_form(b.extract(31, 0, wide, 64), 32)) is to_term(normal_form((y * x).v, 32))


def test_large_products_are_atoms() -> None:
    names = [f"v{i}" for i in range(30)]
    total = words(names[0], 32)[0]
    for name in names[1:]:
        total = total + words(name, 32)[0]
    form = normal_form((total**9).v, 32)
    assert len(form.terms) <= 2_000
    assignment = {name: 7 * i + 1 for i, name in enumerate(names)}
    assert evaluate(to_term(form), assignment) == evaluate((total**9).v, assignment)


def has_model(formulas: tuple[V, ...], width: int) -> dict[Term, int] | None:
    leaves = [variable(name, BitVec(width)) for name in "xyz"]
    boolean = variable("b", BOOL)
    whole = b.conjunction(formulas)
    for *values, flag in itertools.product(*[range(1 << width)] * 3, range(2)):
        assignment = dict(zip("xyz", values, strict=True))
        if evaluate(whole, assignment | {"b": flag}) == 1:
            return dict(zip(leaves, values, strict=True)) | {boolean: flag}
    return None


def check_simplification(formulas: list[V], width: int) -> str:
    simplified = simplify(formulas)
    expected = has_model(tuple(formulas), width)
    found: tuple[Case, dict[Term, int]] | None = None
    for case in simplified.cases:
        model = has_model(case.formulas, width)
        if model is not None:
            found = (case, model)
    assert (found is None) == (expected is None)
    if found is None:
        return "closed" if not simplified.cases else "unsat"
    case, model = found
    values = dict(model) | case.defined(Evaluation(model.get))
    assert Evaluation(values.get).of(formulas) == [1] * len(formulas)
    return "sat"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from((2, 3)))
def test_simplification_preserves_models(seed: int, width: int) -> None:
    make = Random(seed, width)
    check_simplification([make.formula(make.random.randrange(1, 5)) for _ in range(make.random.randrange(1, 6))], width)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 3))
def test_reduction_by_nonlinear_equations_preserves_models(seed: int, width: int) -> None:
    make = Random(seed, width)
    r = make.random
    x, y, z = words("x y z", width)

    def polynomial() -> Word:
        total = x.lift(r.getrandbits(width))
        for _ in range(r.randrange(1, 4)):
            total = total + r.getrandbits(width) * r.choice((x, y, z, x * y, y * y, x * z, x * y * z))
        return total

    formulas = [polynomial().is_(0) for _ in range(r.randrange(1, 4))]
    condition = r.choice((polynomial().is_(0), b.ult(x.v, y.v, width), make.formula(2)))
    chosen = Word(b.ite(condition, polynomial().v, polynomial().v, width), width)
    formulas.append(b.not_(b.conjunction([(chosen * polynomial()).is_(polynomial()), polynomial().is_(0)])))
    check_simplification(formulas, width)


Inductive = tuple[list[V], list[V]]
"""What holds before a step of a loop, and what must hold after it."""


def cohencu(w: int) -> Inductive:
    n, x, y, z = words("n x y z", w)

    def holds(n: Word, x: Word, y: Word, z: Word) -> list[V]:
        return [x.is_(n**3), y.is_(3 * n * n + 3 * n + 1), z.is_(6 * n + 6)]

    return holds(n, x, y, z), holds(n + 1, x + y, y + z, z + 6)


def power_sum(w: int, power: int, factor: int, *coefficients: int) -> Inductive:
    """ps2 to ps6: factor * (1^p + .. + y^p) as a polynomial in y, without constant."""
    x, y = words("x y", w)

    def holds(x: Word, y: Word) -> list[V]:
        total = y.lift(0)
        for i, coefficient in enumerate(coefficients):
            total = total + coefficient * y ** (i + 1)
        return [(factor * x).is_(total)]

    return holds(x, y), holds(x + (y + 1) ** power, y + 1)


def freire1(w: int) -> Inductive:
    a, r, x = words("a r x", w)

    def holds(x: Word, r: Word) -> list[V]:
        return [a.is_(2 * x + r * r - r)]

    return holds(x, r), holds(x - r, r + 1)


def freire2(w: int) -> Inductive:
    """In quarters: x and s are multiples of 1/4 in the program."""
    a, r, x, s = words("a r x s", w)

    def holds(x: Word, r: Word, s: Word) -> list[V]:
        return [(4 * r**3 - 6 * r**2 + 3 * r + x - 4 * a).is_(1), (s - 12 * r**2).is_(1)]

    return holds(x, r, s), holds(x - s, r + 1, s + 24 * r + 12)


def geo1(w: int) -> Inductive:
    x, y, z = words("x y z", w)
    return [(x * z - x - y + 1).is_(0)], [((x * z + 1) * z - (x * z + 1) - y * z + 1).is_(0)]


def geo3(w: int) -> Inductive:
    x, y, z, a = words("x y z a", w)

    def holds(x: Word, y: Word) -> list[V]:
        return [(z * x - x + a).is_(a * z * y)]

    return holds(x, y), holds(x * z + a, y * z)


def mannadiv(w: int) -> Inductive:
    x1, x2, y1, y2, y3 = words("x1 x2 y1 y2 y3", w)

    def holds(y1: Word, y2: Word, y3: Word) -> list[V]:
        return [(y1 * x2 + y2 + y3).is_(x1)]

    full = (y2 + 1).is_(x2)
    new = [b.ite(full, p.v, q.v, w) for p, q in ((y1 + 1, y1), (y2.lift(0), y2 + 1))]
    return holds(y1, y2, y3), holds(Word(new[0], w), Word(new[1], w), y3 - 1)


def hard(w: int) -> Inductive:
    a, dd, d, r, p, q = words("a B d r p q", w)

    def holds(r: Word, d: Word, p: Word, q: Word) -> list[V]:
        return [a.is_(q * dd + r), d.is_(dd * p)]

    even_p, even_d = b.not_(p.odd()), b.not_(d.odd())
    half = [d.half().is_(dd * p.half())]
    take = b.ule(d.half().v, r.v, w)
    new_r = Word(b.ite(take, (r - d.half()).v, r.v, w), w)
    new_q = Word(b.ite(take, (q + p.half()).v, q.v, w), w)
    return [*holds(r, d, p, q), even_p, even_d, *half], holds(new_r, d.half(), p.half(), new_q)


def prodbin(w: int) -> Inductive:
    a, bb, x, y, z = words("a b x y z", w)

    def holds(x: Word, y: Word, z: Word) -> list[V]:
        return [(z + x * y).is_(a * bb)]

    odd = y.odd()
    new_z = Word(b.ite(odd, (z + x).v, z.v, w), w)
    even_y = Word(b.ite(odd, (y - 1).v, y.v, w), w)
    return holds(x, y, z), holds(2 * x, even_y.half(), new_z)


def egcd(w: int) -> Inductive:
    x, y, a, bb, p, q, r, s = words("x y a b p q r s", w)

    def holds(a: Word, bb: Word, p: Word, q: Word, r: Word, s: Word) -> list[V]:
        return [(p * s - r * q).is_(1), a.is_(y * r + x * p), bb.is_(x * q + y * s)]

    larger = b.ult(bb.v, a.v, w)

    def either(first: Word, second: Word) -> Word:
        return Word(b.ite(larger, first.v, second.v, w), w)

    left = (either(a - bb, a), either(bb, bb - a), either(p - q, p), either(q, q - p))
    return holds(a, bb, p, q, r, s), holds(*left, either(r - s, r), either(s, s - r))


def lcm(w: int) -> Inductive:
    a, bb, x, y, u, v = words("a b x y u v", w)
    larger = b.ult(y.v, x.v, w)

    def either(first: Word, second: Word) -> Word:
        return Word(b.ite(larger, first.v, second.v, w), w)

    new = either(x - y, x) * either(u, u + v) + either(y, y - x) * either(v + u, v)
    return [(x * u + y * v).is_(2 * a * bb)], [new.is_(2 * a * bb)]


def cohendiv(w: int) -> Inductive:
    x, y, q, a, bb, r = words("x y q a b r", w)
    outer = [bb.is_(y * a), x.is_(q * y + r)]
    doubled = (2 * bb).is_(y * (2 * a))
    return outer, [doubled, x.is_((q + a) * y + (r - bb))]


def dijkstra(w: int) -> Inductive:
    n, p, q, r, h = words("n p q r h", w)

    def holds(p: Word, q: Word, r: Word) -> list[V]:
        return [(p * p + r * q).is_(n * q)]

    # p is a multiple of q and q of 4 while q != 1: with quotients instead of divisions
    k, small = words("k small", w)
    half = 2 * k * small
    take = b.ule((2 * half + small).v, r.v, w)
    new_p = Word(b.ite(take, (half + small).v, half.v, w), w)
    new_r = Word(b.ite(take, (r - 2 * half - small).v, r.v, w), w)
    given_ = [(4 * k * k * small + r).is_(n), p.is_(4 * k * small), q.is_(4 * small)]
    return [*given_, h.is_(p + q)], holds(new_p, small, new_r)


INVARIANTS = {
    "cohencu": cohencu,
    "ps2": lambda w: power_sum(w, 1, 2, 1, 1),
    "ps3": lambda w: power_sum(w, 2, 6, 1, 3, 2),
    "ps4": lambda w: power_sum(w, 3, 4, 0, 1, 2, 1),
    "ps5": lambda w: power_sum(w, 4, 30, -1, 0, 10, 15, 6),
    "ps6": lambda w: power_sum(w, 5, 12, 0, -1, 0, 5, 6, 2),
    "freire1": freire1,
    "freire2": freire2,
    "geo1": geo1,
    "geo3": geo3,
    "mannadiv": mannadiv,
    "hard": hard,
    "prodbin": prodbin,
    "egcd": egcd,
    "lcm": lcm,
    "cohendiv": cohendiv,
    "dijkstra": dijkstra,
}


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("name", INVARIANTS)
def test_invariants_of_nonlinear_loops_are_inductive(name: str, width: int) -> None:
    before, after = INVARIANTS[name](width)
    assert simplify([*before, b.not_(b.conjunction(after))]).cases == ()
    assert simplify(before).cases != ()


def test_a_wrong_invariant_stays_open() -> None:
    before, after = cohencu(32)
    (n,) = words("n", 32)
    assert simplify([*before, b.not_(after[0]), n.is_(5)]).cases == ()
    assert simplify([before[0], before[1], b.not_(after[1])]).cases != ()


def test_a_layer_answers_without_the_solver_or_extends_its_model() -> None:
    before, after = cohencu(64)
    solver = standard_solver("bitwuzla", polynomials=True)
    for formula in before:
        solver.add(formula)
    wrong = b.not_(b.conjunction(after))
    (n,) = words("n", 64)
    assert solver.check([n.is_(7), wrong], 20) == Unsat((n.is_(7), wrong))
    with solver.scope():
        solver.add(b.not_((n * n).is_(49)))
        answer = solver.check([b.ult(5, n.v, 64), b.ult(n.v, 9, 64)], 20)
    assert isinstance(answer, Sat)
    assert answer.model.values(before) == [1, 1, 1]
    assert answer.model.value(n.v) in (6, 8)


def test_models_give_addresses_their_meaning() -> None:
    x, y = words("x y", 32)
    place = b.address(3, 32)
    solver = standard_solver("bitwuzla", {3: b.add(x.v, 4, 32)}, polynomials=True)
    formulas = [x.is_(y * y), b.ult(b.mul(place, y.v, 32), 1000, 32), y.is_(3)]
    answer = solver.check(formulas, 20)
    assert isinstance(answer, Sat)
    assert answer.model.values([*formulas, place]) == [1, 1, 1, 13]


def test_the_race_has_polynomials_where_something_is_multiplied() -> None:
    before, after = lcm(64)
    script = to_smtlib([*before, b.not_(b.conjunction(after))])
    assert check_in_processes(script, 20) == Unsatisfiable(POLYNOMIALS)
    assert isinstance(check_in_processes(to_smtlib(before), 20, [POLYNOMIALS]), Satisfiable)
    (x,) = words("x", 64)
    unknown = check_in_processes(to_smtlib([x.is_(3)]), 20, [POLYNOMIALS])
    assert isinstance(unknown, SolverUnknown) and "no product" in unknown.reason


def test_numbers_that_are_no_numbers_keep_their_own_bits() -> None:
    """Two NaNs may differ in their bits: nothing below the conversion may be replaced by what equals it."""
    x, y = words("x y", 32)
    left = b.bits_from_fp(b.fp_sqrt(b.fp_from_bits(x.v, FLOAT32), FLOAT32), FLOAT32)
    right = b.bits_from_fp(b.fp_sqrt(b.fp_from_bits((y * y).v, FLOAT32), FLOAT32), FLOAT32)
    formulas = [x.is_(y * y), b.ne(left, right, 32)]
    assert isinstance(decide(formulas, 20), Sat)
    assert isinstance(
        decide([*formulas, x.is_(9), y.is_(3)], 20), type(standard_answer([*formulas, x.is_(9), y.is_(3)]))
    )


def standard_answer(formulas: list[V]) -> Answer:
    solver = standard_solver("bitwuzla")
    for formula in formulas:
        solver.add(formula)
    return solver.check((), 20)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_divisions_under_facts_about_their_dividends_preserve_models(seed: int) -> None:
    r, w = random.Random(seed), 3
    x, y, z = words("x y z", w)
    dividend = r.choice((x, x + 1, x * y, x - y))
    power = r.choice((1, 1, 2))
    low = r.getrandbits(power)
    divisor = 1 << power
    divide, rest = r.choice(((b.sdiv, b.srem), (b.udiv, b.urem)))
    known = (
        b.eq(b.extract(power - 1, 0, dividend.v, w), low, power),
        b.eq(rest(dividend.v, divisor, w), r.choice((low, -low % 8)), w),
        b.slt(r.getrandbits(w), dividend.v, w),
        b.sle(r.getrandbits(w), dividend.v, w),
        b.sle(dividend.v, r.getrandbits(w), w),
    )
    quotient = Word(divide(dividend.v, r.choice((divisor, divisor, 3)), w), w)
    formulas = r.sample(known, r.randrange(1, 4))
    formulas.append(b.not_((r.choice((2, divisor)) * quotient * z).is_((dividend - r.getrandbits(1) * low) * z)))
    formulas.append(r.choice((y.is_(1), z.is_(1), b.eq(rest(dividend.v, divisor, w), z.v, w))))
    check_simplification(formulas, w)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 3))
def test_orders_that_close_to_equations_preserve_models(seed: int, width: int) -> None:
    r = random.Random(seed)
    x, y, z = words("x y z", width)
    pool = [x, y, x + 1, y + 1, x - 1, y - 1, x * z, x * z + 1, x * z - 1, x.lift(1), x.lift(r.getrandbits(width))]
    formulas: list[V] = []
    for _ in range(r.randrange(2, 6)):
        left, right = r.choice(pool), r.choice(pool)
        less = r.choice((b.ult, b.slt))(left.v, right.v, width)
        formulas.append(less if r.random() < 0.4 else b.not_(less))
    formulas.append((x * z).is_(y) if r.random() < 0.5 else b.not_((x * y).is_(z * y)))
    check_simplification(formulas, width)


def test_what_holds_at_the_exit_of_a_counting_loop() -> None:
    a, n, x, y, z = words("a n x y z", 32)
    inside = [x.is_(n**3), y.is_(3 * n * n + 3 * n + 1), z.is_(6 * n + 6), b.sle(n.v, (a + 1).v, 32)]
    left = b.not_(b.sle(n.v, a.v, 32))
    goals = [(6 * a * x - x * z + 12 * x).is_(0), (a * z - 6 * a - 2 * y + 2 * z - 10).is_(0)]
    assert simplify([*inside, left, b.not_(b.conjunction(goals))]).cases == ()
    assert simplify([*inside, b.not_(b.conjunction(goals))]).cases != ()


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("less", [b.ult, b.slt])
def test_what_is_above_something_is_one_more_at_most(less: Callable[[V, V, int], V], width: int) -> None:
    p, q, z = words("p q z", width)
    for step in range(1 << width):
        close = [less(p.v, q.v, width), b.not_(less(p.v, (q - step).v, width)), b.not_((q * z).is_(z))]
        check_simplification(close, width)
        check_simplification([*close, b.not_(((p + step) * z).is_(q * z))], width)


def test_what_holds_where_a_counter_that_may_have_stood_still_leaves_the_loop() -> None:
    a, n, x, y, z = words("a n x y z", 32)
    inside = [x.is_(n**3), y.is_(3 * n * n + 3 * n + 1), z.is_(6 * n + 6)]
    inside += [b.or_(n.is_(0), b.sle((n - 1).v, a.v, 32)), b.slt(a.v, n.v, 32)]
    assert simplify([*inside, b.not_((6 * a * x - x * z + 12 * x).is_(0))]).cases == ()
    assert simplify([*inside, b.not_((6 * a * x - x * z + 11 * x).is_(0))]).cases != ()


def test_extensions_go_through_what_cannot_overflow() -> None:
    short = variable("short", BitVec(16))
    wide, narrow = Word(b.sext(short, 16, 64), 64), Word(b.sext(short, 16, 32), 32)
    assert to_term(normal_form(b.sext((6 * narrow + 7).v, 32, 64), 64)) is to_term(normal_form((6 * wide + 7).v, 64))
    large = b.sext((narrow * narrow * 4).v, 32, 64)
    assert to_term(normal_form(large, 64)) is not to_term(normal_form((wide * wide * 4).v, 64))
