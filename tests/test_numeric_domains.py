"""Numeric domains as interpolators: the slides' local abstractions, what each domain refutes and how weak it then is;
answers are checked by enumeration or by a solver, apart from the library's own check."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.logic.interpolation import domains
from counterpoint.logic.interpolation.best_abstraction import BestAbstraction
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.cuts import Clock
from counterpoint.logic.interpolation.domains import ByDomain, landmarks_of
from counterpoint.logic.interpolation.methods import method
from counterpoint.logic.interpolation.methods.constants import Constants
from counterpoint.logic.interpolation.methods.intervals import Intervals
from counterpoint.logic.interpolation.methods.parity import Parity
from counterpoint.logic.interpolation.methods.signs import Signs
from counterpoint.logic.interpolation.standard import DOMAINS_FIRST, standard_interpolator, unchecked
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.solver.interpolation import Consistent, Interpolants, Interpolation
from counterpoint.solver.layers import decide, standard_solver
from counterpoint.term import build as b
from counterpoint.term.evaluate import evaluate
from counterpoint.term.meaning import signed
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

DOMAINS = ("signs", "parity", "constants", "intervals")
LEAST, GREATEST = 1 << 31, (1 << 31) - 1
NOT_THERE = SolverUnknown("not in the domain")


def word(name: str, width: int = 32) -> Term:
    return b.variable(name, BitVec(width))


def equal(one: V, other: V) -> V:
    return b.eq(one, other, 32)


X, Y, Z, W = map(word, "xyzw")
Z_IS_5, X_IS_Z = equal(Z, 5), equal(X, Z)
NEGATED = b.and_(b.ne(Y, LEAST, 32), equal(X, b.neg(Y, 32)))
"""x = -y where that does not overflow."""

FAILS = b.sle(X, 0, 32)
"""assert x > 0 fails."""

Y_POSITIVE, Y_NEGATIVE = b.slt(0, Y, 32), b.slt(Y, 0, 32)


def valid_by_solver(formula: V) -> bool:
    return isinstance(decide([b.not_(formula)], 20), Unsat)


def valid_by_enumeration(formula: V) -> bool:
    free = variables(formula)
    ranges = [range(v.sort.mask + 1) for v in free]  # type: ignore[union-attr]
    names = [str(v.payload) for v in free]
    return all(evaluate(formula, dict(zip(names, values, strict=True))) for values in product(*ranges))


def assert_interpolants(parts: Sequence[V], answer: Interpolation, valid: object = valid_by_solver) -> None:
    """The definition, without the library's help: implications, and the vocabulary of both sides."""
    assert callable(valid) and isinstance(answer, Interpolants)
    formulas = answer.formulas
    assert len(formulas) == len(parts) - 1
    for part, before, after in zip(parts, (1, *formulas), (*formulas, 0), strict=True):
        assert valid(b.implies(b.and_(before, part), after))
    for cut, formula in enumerate(formulas):
        assert set(variables(formula)) <= set(variables(*parts[: cut + 1])) & set(variables(*parts[cut + 1 :]))


def explained(name: str, parts: Sequence[V]) -> tuple[V, ...]:
    answer = method(name).interpolate(parts, 20)
    assert_interpolants(parts, answer)
    assert isinstance(answer, Interpolants)
    return answer.formulas


# ---------------------------------------------------------------- the slides


def test_the_slides_local_abstractions_where_y_is_positive() -> None:
    """Slide 12 also keeps y's sign on this side; it is not needed."""
    formulas = explained("signs", [Z_IS_5, Y_POSITIVE, X_IS_Z, FAILS])
    assert formulas == (b.slt(0, Z, 32), b.slt(0, Z, 32), b.slt(0, X, 32))


def test_the_slides_local_abstractions_where_y_is_negative() -> None:
    """Of y <= 0, as the program has it, y == 0 fails the assertion; what is infeasible is y < 0."""
    assert explained("signs", [Z_IS_5, Y_NEGATIVE, NEGATED, FAILS]) == (1, Y_NEGATIVE, b.slt(0, X, 32))
    zero = method("signs").interpolate([Z_IS_5, b.sle(Y, 0, 32), NEGATED, FAILS], 5)
    assert isinstance(zero, Consistent)


def test_the_slides_local_abstractions_where_the_branches_join() -> None:
    either = b.or_(b.and_(Y_POSITIVE, X_IS_Z), b.and_(Y_NEGATIVE, NEGATED))
    assert explained("signs", [Z_IS_5, either, FAILS]) == (b.slt(0, Z, 32), b.slt(0, X, 32))


def test_negation_may_overflow_bit_by_bit() -> None:
    """-INT_MIN is INT_MIN: the signs alone do not know that it was excluded before; bounds do."""
    wraps = [Y_NEGATIVE, equal(X, b.neg(Y, 32)), FAILS]
    assert isinstance(method("signs").interpolate(wraps, 5), Consistent)
    excluded = [b.and_(b.slt(LEAST, Y, 32), Y_NEGATIVE), *wraps[1:]]
    assert method("signs").interpolate(excluded, 5) == NOT_THERE
    assert explained("intervals", excluded)[1] == b.sle(1, X, 32)


# ---------------------------------------------------------------- each domain


def test_parity() -> None:
    """x = 4; x = x + 2 * y; x != 7: only the low bit tells."""
    parts = [equal(X, 4), equal(W, b.add(X, b.mul(2, Y, 32), 32)), equal(W, 7)]
    low = [b.eq(b.extract(0, 0, v, 32), 0, 1) for v in (X, W)]
    assert explained("parity", parts) == tuple(low)
    for name in ("signs", "constants", "intervals"):
        assert method(name).interpolate(parts, 10) == NOT_THERE


def test_constants() -> None:
    """x = 5; flag = x == 5; flag: z = x * x; z != 25. Signs and parity do not know 25; the flag is a constant too."""
    flag = b.variable("flag", BOOL)
    square = b.and_(b.implies(flag, equal(Z, b.mul(X, X, 32))), b.implies(b.not_(flag), equal(Z, 25)))
    parts = [equal(X, 5), b.iff(flag, b.ult(X, 6, 32)), square, b.ne(Z, 25, 32)]
    formulas = explained("constants", parts)
    assert formulas == (equal(X, 5), b.and_(flag, equal(X, 5)), equal(Z, 25))
    assert method("parity").interpolate(parts, 10) == NOT_THERE


def counting(steps: int) -> list[V]:
    c = [word(f"c{k}") for k in range(steps + 1)]
    moves = [b.and_(b.slt(c[k], 10, 32), equal(c[k + 1], b.add(c[k], 1, 32))) for k in range(steps)]
    return [equal(c[0], 0), *moves, b.slt(10, c[steps], 32)]


def test_a_counting_loop_has_bounds() -> None:
    parts = counting(5)
    formulas = explained("intervals", parts)
    assert valid_by_solver(b.implies(b.sle(word("c5"), 9, 32), formulas[-1]))  # no point: weaker than c5 == 5
    assert method("signs").interpolate(parts, 5) == NOT_THERE
    guarded = [b.and_(b.sle(0, W, 32), b.slt(W, 10, 32)), equal(X, b.add(W, 1, 32)), b.slt(10, X, 32)]
    assert explained("intervals", guarded)[1] == b.sle(X, 10, 32)


def test_bounds_are_widened_to_what_still_refutes() -> None:
    """From x == 0 only 0 <= x is kept, and that x + 1 does not wrap."""
    parts = [equal(X, 0), equal(Y, b.add(X, 1, 32)), b.slt(Y, 0, 32)]
    first, last = explained("intervals", parts)
    assert last == b.sle(0, Y, 32)
    assert valid_by_solver(b.iff(first, b.and_(b.sle(0, X, 32), b.ne(X, GREATEST, 32))))
    assert explained("signs", parts) == (equal(X, 0), b.sle(0, Y, 32))


def test_signs_are_widened() -> None:
    """x = 5; x < 0 fails: x >= 0 is kept, not x > 0; x == 0 fails: x != 0."""
    assert explained("signs", [equal(X, 5), b.slt(X, 0, 32)]) == (b.sle(0, X, 32),)
    assert explained("signs", [equal(X, 5), equal(X, 0)]) == (b.ne(X, 0, 32),)


def test_unsigned_bounds_where_signed_ones_do_not_do() -> None:
    parts = [b.ult(X, 3_000_000_000, 32), b.ult(3_500_000_000, X, 32)]
    (formula,) = explained("intervals", parts)
    assert formula == b.ule(X, 3_500_000_000, 32)


def test_bounds_that_are_no_constants_of_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Gray codes of 16, 17 and 18 are at most 27, which neither the parts nor interval arithmetic say: it is found
    by halving, and not without."""
    gray = equal(X, b.bvxor(Y, b.lshr(Y, 1, 32), 32))
    parts = [b.and_(b.ule(16, Y, 32), b.ule(Y, 18, 32)), gray, equal(W, b.add(X, 7, 32)), b.ult(34, W, 32)]
    explained("intervals", parts)
    monkeypatch.setattr(domains, "FINER", 0)
    assert method("intervals").interpolate(parts, 20) == NOT_THERE


def test_a_trace_that_no_domain_refutes() -> None:
    """A relation between two symbols is needed: x == y, then x + 1 == y."""
    parts = [equal(X, Y), equal(W, b.add(X, 1, 32)), equal(W, Y)]
    for name in DOMAINS:
        assert method(name).interpolate(parts, 10) == NOT_THERE
    assert_interpolants(parts, standard_interpolator(DOMAINS_FIRST).interpolate(parts, 30))


def test_a_contradiction_before_the_last_part() -> None:
    """The method alone, which has not been handed a core."""
    parts = [equal(X, 4), b.slt(X, 0, 32), equal(Z, X)]
    assert unchecked(method("signs")).interpolate(parts, 5) == Interpolants((b.sle(0, X, 32), 0))


def test_floats_and_arrays_are_forgotten() -> None:
    double, array = Float(11, 53), b.variable("a", ArraySort(32, 32))
    f, g = b.variable("f", double), b.variable("g", double)
    parts = [b.fp_lt(f, g, double), b.fp_lt(g, f, double)]
    assert method("intervals").interpolate(parts, 10) == NOT_THERE
    parts = [equal(b.select(array, 3), 5), b.and_(equal(b.select(array, 3), 4), equal(X, 4))]
    assert method("constants").interpolate(parts, 10) == NOT_THERE


# ---------------------------------------------------------------- the strongest facts


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=5, unique=True), st.sampled_from([0, 1, 2, 3]))
def test_the_strongest_facts_of_a_set_of_values(values: list[int], number: int) -> None:
    """For a formula whose models are just these, each domain finds its best description; the intervals' are exact
    because all values are landmarks."""
    domain = (Signs(), Parity(), Constants(), Intervals())[number]
    x = word("x", 4)
    formula = b.disjunction([b.eq(x, value, 4) for value in values])
    solver = standard_solver()
    solver.add(formula)
    best = BestAbstraction(domain, solver, (), Clock(None), {x: sorted(range(-9, 17))}, {x: values[:1]})
    best.grow()
    found = {v for v in range(16) if all(evaluate(f.formula, {"x": v}) for f in best.facts())}
    numbers = [signed(v, 4) for v in values]
    described = {
        "signs": {v for v in range(16) if (signed(v, 4) > 0) - (signed(v, 4) < 0) in {(n > 0) - (n < 0) for n in numbers}},
        "parity": {v for v in range(16) if v & 1 in {value & 1 for value in values}},
        "constants": set(values) if len(values) == 1 else set(range(16)),
        "intervals": {
            v for v in range(16) if min(numbers) <= signed(v, 4) <= max(numbers) and min(values) <= v <= max(values)
        },
    }
    assert found == described[domain.name]
    solver.close()


def test_landmarks_are_what_is_compared_with() -> None:
    """c < x draws a line behind c, x < c before it; what is added draws none."""
    assert landmarks_of([b.slt(X, 10, 32)]) == {10}
    assert landmarks_of([b.slt(10, X, 32)]) == {11}
    assert landmarks_of([equal(Y, b.add(X, 77, 32))]) == set()
    assert {-3, -2} <= landmarks_of([equal(X, (1 << 32) - 3)])


# ---------------------------------------------------------------- random traces


@st.composite
def traces(draw: st.DrawFn) -> list[V]:
    """Steps of a machine with a small word, a flag and something that never changes; mostly contradictory."""
    width = draw(st.integers(2, 3))
    count = draw(st.integers(2, 4))
    fixed = word("fixed", width)
    x = [word(f"x{k}", width) for k in range(count + 1)]
    flag = [b.variable(f"flag{k}", BOOL) for k in range(count + 1)]
    compare = st.sampled_from([b.ult, b.ule, b.slt, b.sle, b.eq, b.ne])
    constant = st.integers(0, (1 << width) - 1)
    parts: list[V] = [draw(compare)(x[0], draw(constant), width)]
    for k in range(count):
        right = draw(st.one_of(constant, st.just(fixed)))
        operation = draw(st.sampled_from([b.add, b.sub, b.bvand, b.mul, b.udiv]))
        update = b.eq(x[k + 1], operation(x[k], right, width), width)
        guard = draw(compare)(x[k], draw(st.one_of(constant, st.just(fixed))), width)
        kept = b.iff(flag[k + 1], draw(st.sampled_from([flag[k], b.ult(x[k], draw(constant), width)])))
        parts.append(b.conjunction([update, *draw(st.lists(st.sampled_from([guard, kept]), unique=True))]))
    parts.append(b.and_(draw(compare)(x[count], draw(constant), width), draw(st.sampled_from([1, flag[count]]))))
    return parts


@settings(max_examples=60, deadline=None)
@given(traces(), st.sampled_from(DOMAINS))
def test_answers_are_interpolants(parts: list[V], name: str) -> None:
    answer = method(name).interpolate(parts, 20)
    if isinstance(answer, Consistent):
        assert all(answer.model.value(part) == 1 for part in parts)
    elif answer != NOT_THERE:
        assert_interpolants(parts, answer, valid_by_enumeration)


@settings(max_examples=40, deadline=None)
@given(traces(), st.sampled_from([Signs(), Parity(), Constants(), Intervals()]))
def test_answers_need_no_check(parts: list[V], domain: Signs) -> None:
    """Without core and check the forward and backward passes are right by themselves."""
    answer = ByDomain(domain).interpolate(parts)
    if answer != NOT_THERE:
        assert_interpolants(parts, answer, valid_by_enumeration)


@settings(max_examples=15, deadline=None)
@given(traces())
def test_the_combination_refutes_what_is_contradictory(parts: list[V]) -> None:
    answer = standard_interpolator(DOMAINS_FIRST).interpolate(parts, 20)
    assert isinstance(answer, Consistent | Interpolants)
    if isinstance(answer, Interpolants):
        assert_interpolants(parts, answer, valid_by_enumeration)


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize("name", DOMAINS)
def test_limits_are_kept(name: str) -> None:
    """2**127 - 1 is prime, which takes solvers long to see."""
    a, c, d = (word(name, 128) for name in "acd")
    hard = [
        b.eq(b.mul(a, c, 128), d, 128), b.eq(d, 2**127 - 1, 128), b.ult(1, a, 128), b.ult(a, c, 128), b.ult(c, 2**64, 128),
    ]  # fmt: skip
    started = time.monotonic()
    answer = unchecked(method(name)).interpolate(hard, 0.3)
    assert isinstance(answer, SolverUnknown)
    assert time.monotonic() - started < 2.0
    assert isinstance(method(name).interpolate(counting(3), 0.0), SolverUnknown)


def test_the_same_answer_twice() -> None:
    for name in DOMAINS:
        one, two = (method(name).interpolate(counting(3)) for _ in range(2))
        assert one == two


def test_checked_and_in_the_standard_order() -> None:
    assert [name for name, _ in DOMAINS_FIRST][:4] == list(DOMAINS)
    assert all(isinstance(method(name), Checked) for name in DOMAINS)
