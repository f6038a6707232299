"""Sequence interpolants: what every method answers is one, found by enumeration; checking, combination, limits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.core.errors import UnusableInput
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.cuts import shared_symbols, symbols
from counterpoint.logic.interpolation.methods import method, method_names
from counterpoint.logic.interpolation.standard import InOrder, standard_interpolator, unchecked
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.solver.interpolation import Consistent, Interpolants, Interpolation, Interpolator
from counterpoint.solver.layers import decide
from counterpoint.term import build as b
from counterpoint.term.evaluate import evaluate
from counterpoint.term.smtlib_parser import parse_smtlib
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float
from counterpoint.term.term import Term, V
from counterpoint.term.walk import size, variables

IN_PROCESS = ("bitwuzla", "newton", "weakest")
FORKING = ("spacer", "integers")


def word(name: str, width: int = 32) -> Term:
    return b.variable(name, BitVec(width))


def holds_everywhere(formula: V) -> bool:
    """By trying all values; for few small variables."""
    free = variables(formula)
    ranges = [range(v.sort.mask + 1) for v in free]  # type: ignore[union-attr]
    return all(
        evaluate(formula, dict(zip(map(str, (v.payload for v in free)), values, strict=True)))
        for values in product(*ranges)
    )


def assert_interpolants(parts: Sequence[V], formulas: Sequence[V], valid: object = holds_everywhere) -> None:
    assert callable(valid)
    assert len(formulas) == len(parts) - 1
    for part, before, after in zip(parts, (1, *formulas), (*formulas, 0), strict=True):
        assert valid(b.implies(b.and_(before, part), after))
    for formula, shared in zip(formulas, shared_symbols(parts), strict=True):
        assert set(symbols([formula])) <= set(shared)


def valid_by_solver(formula: V) -> bool:
    return isinstance(decide([b.not_(formula)], 20), Unsat)


def blast() -> list[V]:
    """The trace of the BLAST slides: x = ctr; ctr = ctr + 1; y = ctr; assume x = i; assume y != i + 1."""
    x, y, i, old, new = map(word, ("x", "y", "i", "ctr.0", "ctr.1"))
    return [
        b.eq(x, old, 32), b.eq(new, b.add(old, 1, 32), 32), b.eq(y, new, 32), b.eq(x, i, 32),
        b.ne(y, b.add(i, 1, 32), 32),
    ]  # fmt: skip


def counting(steps: int = 3) -> list[V]:
    x = [word(f"x{k}") for k in range(steps + 1)]
    rest = [b.eq(x[k + 1], b.add(x[k], 1, 32), 32) for k in range(steps)]
    return [b.ult(x[0], 10, 32), *rest, b.ult(100, x[steps], 32)]


# ---------------------------------------------------------------- methods


def test_methods_are_found_by_name() -> None:
    domains = {"signs", "parity", "constants", "intervals"}
    assert {*IN_PROCESS, *FORKING, *domains, "cvc5"} == set(method_names())
    assert all(method(name).name == name for name in method_names())
    with pytest.raises(UnusableInput, match="there is no interpolation by 'craig'"):
        method("craig")


@pytest.mark.parametrize("name", [*IN_PROCESS, *FORKING])
def test_the_trace_of_the_blast_slides(name: str) -> None:
    parts = blast()
    answer = Checked(method(name)).interpolate(parts, 20)
    assert isinstance(answer, Interpolants)
    assert_interpolants(parts, answer.formulas, valid_by_solver)
    if name in ("bitwuzla", "newton", "weakest", "spacer"):
        x, y, i, old, new = map(word, ("x", "y", "i", "ctr.0", "ctr.1"))
        expected = [b.eq(x, old, 32), b.eq(new, b.add(x, 1, 32), 32), b.eq(y, b.add(x, 1, 32), 32)]
        expected.append(b.eq(y, b.add(i, 1, 32), 32))
        for formula, meant in zip(answer.formulas, expected, strict=True):
            assert valid_by_solver(b.iff(formula, meant))
            assert size(formula) <= 5


def test_cvc5_answers_or_says_that_it_is_not_there() -> None:
    answer = Checked(method("cvc5")).interpolate(blast(), 20)
    if isinstance(answer, SolverUnknown):
        assert "pip install" in answer.reason
    else:
        assert isinstance(answer, Interpolants)
        assert_interpolants(blast(), answer.formulas, valid_by_solver)


@st.composite
def sequences(draw: st.DrawFn) -> list[V]:
    """Steps of a small machine with a word, a flag and something that never changes."""
    width = draw(st.integers(2, 3))
    count = draw(st.integers(2, 4))
    fixed = word("fixed", width)
    x = [word(f"x{k}", width) for k in range(count + 1)]
    flag = [b.variable(f"flag{k}", BOOL) for k in range(count + 1)]
    compare = st.sampled_from([b.ult, b.ule, b.slt, b.sle, b.eq, b.ne])
    constant = st.integers(0, (1 << width) - 1)
    parts: list[V] = []
    for k in range(count):
        right = draw(st.one_of(constant, st.just(fixed)))
        operation = draw(st.sampled_from([b.add, b.sub, b.bvand, b.bvxor, b.udiv, b.mul]))
        update = b.eq(x[k + 1], operation(x[k], right, width), width)
        choice = b.or_(flag[k], draw(compare)(x[k], draw(constant), width))
        guard = draw(compare)(x[k], draw(st.one_of(constant, st.just(fixed))), width)
        kept = b.iff(flag[k + 1], draw(st.sampled_from([flag[k], b.not_(flag[k]), 0])))
        conjuncts = [update, choice, guard, kept]
        parts.append(b.conjunction(draw(st.lists(st.sampled_from(conjuncts), min_size=1, unique=True))))
    parts.append(b.and_(draw(compare)(x[count], draw(constant), width), draw(st.sampled_from([1, flag[count]]))))
    return parts


def agrees(interpolator: Interpolator, parts: Sequence[V]) -> None:
    match interpolator.interpolate(parts, 10):
        case Interpolants(formulas):
            assert_interpolants(parts, formulas)
        case Consistent(model):
            assert all(model.value(part) == 1 for part in parts)
        case SolverUnknown(reason):
            assert reason in ("consistent", "floats") or "no interpolants" in reason or "z3" in reason, reason


@settings(max_examples=30, deadline=None)
@given(sequences(), st.sampled_from(IN_PROCESS))
def test_answers_are_interpolants(parts: list[V], name: str) -> None:
    agrees(Checked(unchecked(method(name))), parts)


@settings(max_examples=5, deadline=None)
@given(sequences(), st.sampled_from(FORKING))
def test_answers_of_spacer_are_interpolants(parts: list[V], name: str) -> None:
    agrees(Checked(method(name)), parts)


@settings(max_examples=10, deadline=None)
@given(sequences())
def test_bitwuzla_is_right_without_a_check(parts: list[V]) -> None:
    agrees(method("bitwuzla"), parts)


@settings(max_examples=10, deadline=None)
@given(sequences())
def test_the_combination_always_answers(parts: list[V]) -> None:
    interpolator = standard_interpolator()
    agrees(interpolator, parts)
    assert not isinstance(interpolator.interpolate(parts, 10), SolverUnknown)


def test_arrays_and_addresses() -> None:
    a = b.variable("a", ArraySort(32, 8))
    base, i, j, v = b.address(7, 32), word("i"), word("j"), word("v", 8)
    stored = b.store(a, b.add(base, i, 32), v)
    parts = [
        b.conjunction([b.eq(word("w", 8), b.select(stored, b.add(base, j, 32)), 8), b.ult(v, 4, 8)]),
        b.eq(i, j, 32),
        b.ult(9, word("w", 8), 8),
    ]
    for name in ("newton", "weakest", "bitwuzla", "spacer"):
        answer = Checked(unchecked(method(name))).interpolate(parts, 10)
        if isinstance(answer, Interpolants):
            assert_interpolants(parts, answer.formulas, valid_by_solver)
    answer = standard_interpolator().interpolate(parts, 20)
    assert isinstance(answer, Interpolants)
    assert_interpolants(parts, answer.formulas, valid_by_solver)


def test_floats() -> None:
    double = Float(11, 53)
    x, y = b.variable("x", double), b.variable("y", double)
    parts = [b.fp_lt(x, y, double), b.fp_lt(y, x, double)]
    assert method("spacer").interpolate(parts, 5) == SolverUnknown("floats")
    answer = standard_interpolator().interpolate(parts, 20)
    assert isinstance(answer, Interpolants)
    assert_interpolants(parts, answer.formulas, valid_by_solver)


# ---------------------------------------------------------------- checking


@dataclass(frozen=True)
class Says:
    """A method that always answers the same."""

    formulas: tuple[V, ...]
    name: str = "says"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        return Interpolants(self.formulas)


def test_a_wrong_answer_is_not_passed_on() -> None:
    x = word("x")
    parts = [b.ult(x, 4, 32), b.ult(9, x, 32)]
    for wrong in (b.ult(x, 2, 32), b.ult(x, 20, 32), 1, 0, b.ult(word("z"), 4, 32)):
        answer = Checked(Says((wrong,))).interpolate(parts, 5)
        assert isinstance(answer, SolverUnknown) and answer.reason.startswith("no interpolants")


def test_what_is_not_needed_is_dropped() -> None:
    x, y = word("x"), word("y")
    part = b.conjunction([b.ult(x, 4, 32), b.ult(y, 5, 32)])
    answer = Checked(Says((part,))).interpolate([part, b.and_(b.ult(9, x, 32), b.ult(y, 8, 32))], 5)
    assert answer == Interpolants((b.ult(x, 4, 32),))


def test_parts_without_a_role_are_not_seen() -> None:
    x, other = word("x"), word("other")
    quiet = b.eq(other, 3, 32)
    parts = [quiet, b.ult(x, 4, 32), quiet, b.ult(9, x, 32), quiet]
    low = b.ult(x, 4, 32)
    assert Checked(Says((low,))).interpolate(parts, 5) == Interpolants((1, low, low, 0))
    alone = [quiet, b.and_(b.ult(x, 4, 32), b.ult(9, x, 32)), quiet]
    assert Checked(Says(())).interpolate(alone, 5) == Interpolants((1, 0))
    assert Checked(Says(())).interpolate([quiet, 0, 1], 5) == Interpolants((1, 0))


def test_large_formulas_are_refused_and_the_next_method_asked() -> None:
    parts = counting()
    first, second = Checked(method("newton"), largest=1), method("newton")
    refused = first.interpolate(parts, 5)
    assert isinstance(refused, SolverUnknown) and refused.reason.startswith("large")
    wrong = Says((0, 0, 0, 0))
    answer = InOrder(((wrong, 1.0), (second, 5.0))).interpolate(parts, 10)
    assert isinstance(answer, Interpolants)
    nobody = InOrder(((wrong, 1.0), (wrong, 1.0))).interpolate(parts, 10)
    assert isinstance(nobody, SolverUnknown) and nobody.reason.count("says: no interpolants") == 2


def test_limits_are_kept() -> None:
    """2**127 - 1 is prime, which takes solvers long to see."""
    a, c, d = (word(name, 128) for name in "acd")
    hard = [
        b.eq(b.mul(a, c, 128), d, 128),
        b.eq(d, 2**127 - 1, 128),
        b.ult(1, a, 128),
        b.ult(a, c, 128),
        b.ult(c, 2**64, 128),
    ]
    for interpolator in (method("spacer"), method("bitwuzla"), standard_interpolator()):
        started = time.monotonic()
        answer = interpolator.interpolate(hard, 0.3)
        assert isinstance(answer, SolverUnknown)
        assert time.monotonic() - started < 2.0
    assert isinstance(standard_interpolator().interpolate(counting(), 0.0), SolverUnknown)


def test_the_same_answer_twice() -> None:
    for parts in (blast(), counting()):
        one, two = (standard_interpolator().interpolate(parts) for _ in range(2))
        assert one == two and isinstance(one, Interpolants)


def test_smtlib_with_let() -> None:
    text = "(declare-const a (_ BitVec 4)) (assert (let ((a (bvadd a #x1)) (c a)) (and (let ((c a)) (= c #x3)) (= c #x2))))"
    (formula,) = parse_smtlib(text).assertions
    assert [evaluate(formula, {"a": k}) for k in range(4)] == [0, 0, 1, 0]
