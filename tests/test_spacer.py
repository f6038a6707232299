"""The engine spacer: its verdicts and proofs, the way back from z3's formulas, and the integer view's runs."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from functools import lru_cache

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.spacer import ENGINE
from counterpoint.engines.spacer.inductive import inductive
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.verdict import Safe, Unknown, Verdict
from counterpoint.invariants.pool import Alone, Told
from counterpoint.logic.horn.bitvectors import BitVectorView
from counterpoint.logic.horn.clauses import Clause, Horn, horn_clauses
from counterpoint.logic.horn.integer_answers import IntegerDecoder, Range
from counterpoint.logic.horn.integers import IntegerView
from counterpoint.logic.horn.spacer import Run
from counterpoint.logic.horn.view import Refuted, Solved, View
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term
from counterpoint.term.walk import variables
from test_term_random import SAMPLES, grow

DOWN = "int main(void) { int x = 10000; while (x > 0) x--; check(x == 0); return 0; }"
WRAPS = """int main(void) { unsigned char c = 250; unsigned n = 0;
  while (n < 6) { c++; n++; } check(c == 0); return 0; }"""
WRAPS_WRONG = """int main(void) { unsigned char c = 250; int n = 0;
  while (any()) { if (n < 7) { c++; n++; } } check(c >= 250); return 0; }"""
NESTED = """int main(void) { int n = any(), i, j, k = 0; __VERIFIER_assume(n >= 0 && n < 1000);
  for (i = 0; i < n; i++) for (j = i; j < n; j++) check(j >= i && i >= 0); return 0; }"""
ADDED = """unsigned total; void add(unsigned n) { while (n > 0) { total += 1; n--; } }
int main(void) { unsigned n = any(), m = any(); total = 5; add(n); add(m); check(total == n + m + 5); return 0; }"""
TWO = """int main(void) { unsigned a = 0, b = 0; while (any()) { a++; b++; } check(a == b); return 0; }"""
LOCKS = """int main(void) { int p = any(), q = any(), lp, lq; while (any()) { lp = 0; lq = 0;
  if (p) lp = 1; if (q) lq = 1; if (p) { check(lp == 1); lp = 0; } if (q) { check(lq == 1); lq = 0; } } return 0; }"""
STATE = """int main(void) { int s = 0, held = 0; while (any()) { switch (s) {
  case 0: held = 1; s = any() ? 1 : 2; break; case 1: check(held); held = 0; s = 3; break;
  case 2: check(held == 1); held = 0; s = 3; break; case 3: check(!held); s = 0; } } return 0; }"""
MC91 = """int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
int main(void) { int n = any(); int r = f(n); check(r == 91 || n > 101); return 0; }"""
IDENTITY = """int id(int n) { if (n == 0) return 0; int r = id(n - 1) + 1; if (r > 3) return 3; return r; }
int main(void) { int n = any(); check(id(n) != 5); return 0; }"""
LOOP_INSIDE = """int g; void f(int n) { if (n <= 0) return; int i = 0; while (i < n) i++; check(i == n); g = i; f(n - 1); }
int main(void) { f(any()); return 0; }"""
ARRAY = """int a[8]; int main(void) { int i = 0; a[3] = 7; while (any()) { if (i >= 0 && i < 3) a[i] = 1; i = any(); }
  check(a[3] == 7); return 0; }"""
NEVER_BACK = """void f(int n) { while (1) n++; }
int main(void) { int x = any(); check(x != 5); f(x); return 0; }"""
RECURSION_NEVER_BACK = """int f(int n) { return f(n) + 1; }
int main(void) { int x = any(); if (x == 5) { check(x != 5); } return f(x); }"""
UNSAFE = """int main(void) { int x = 0; while (any()) x += 3; check(x != 12); return 0; }"""
UNSAFE_CALL = (
    """int f(int n) { return n <= 0 ? 0 : f(n - 1) + 2; } int main(void) { check(f(any()) != 4); return 0; }"""
)


def _verdict(text: str, view: str = "both", seconds: float = 10.0) -> Verdict:
    return ENGINE.verify(Task(subject(text), {"spacer.view": view}), Tools(Budget(seconds)))


@lru_cache
def _horn(text: str) -> Horn:
    return horn_clauses(cut_graph(program(text), Budget(90)))


@pytest.mark.parametrize(
    ("text", "view"),
    [(DOWN, "both"), (NESTED, "int"), (TWO, "both"), (LOCKS, "bv"), (ARRAY, "bv"), (MC91, "both")],
)
def test_safe_and_checked(text: str, view: str) -> None:
    verdict = _verdict(text, view)
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, InductiveInvariants)
    assert any(fact.block == EXIT for fact in verdict.certificate.facts) == (text is MC91)
    check_proof(program(text), verdict.certificate, Budget(90))


def test_equations_of_the_analysis_may_do() -> None:
    verdict = _verdict(ADDED)
    assert isinstance(verdict, Safe)
    check_proof(program(ADDED), verdict.certificate, Budget(90))
    assert ENGINE.statistics()["proved_by"] == "what was known"
    assert isinstance(_verdict(LOCKS), Safe)
    assert ENGINE.statistics()["proved_by"] != "what was known"


@pytest.mark.parametrize("text", [WRAPS, STATE, IDENTITY, LOOP_INSIDE])
def test_bit_vector_clauses_have_a_proof(text: str) -> None:
    outcome = Run(_horn(text), BitVectorView()).solve(10)
    assert isinstance(outcome, Solved) and outcome.complete
    assert inductive(_horn(text), outcome.facts, Budget(10))


@pytest.mark.parametrize("text", [WRAPS_WRONG, UNSAFE, UNSAFE_CALL, NEVER_BACK, RECURSION_NEVER_BACK])
@pytest.mark.parametrize("view", ["bv", "int", "checked"])
def test_no_view_proves_the_unsafe(text: str, view: str) -> None:
    horn = _horn(text)
    views: dict[str, View] = {"bv": BitVectorView(), "int": IntegerView(horn), "checked": IntegerView(horn, True)}
    outcome = Run(horn, views[view]).solve(2)
    assert not isinstance(outcome, Solved)
    if view == "bv" and text is not UNSAFE_CALL:
        assert isinstance(outcome, Refuted)


def test_unsafe_is_unknown_without_inputs() -> None:
    verdict = _verdict(UNSAFE)
    assert isinstance(verdict, Unknown)
    assert "no inputs" in verdict.detail


def test_lemmas_are_told_and_time_is_kept() -> None:
    hard = (
        "int main(void) { unsigned s = 0, i = 0; while (any()) { s += 2 * i + 1; i++; } check(s == i * i); return 0; }"
    )
    tools = Tools(Budget(3.0))
    verdict = ENGINE.verify(Task(subject(hard)), tools)
    assert isinstance(verdict, Unknown)
    assert tools.budget.elapsed() < 4.5


@pytest.mark.parametrize("preparation", ["flat", "none"])
def test_what_is_proved_is_told(preparation: str) -> None:
    pool = Alone()
    verdict = ENGINE.verify(Task(subject(DOWN), preparation=preparation), Tools(Budget(60), facts=pool))
    assert isinstance(verdict, Safe) and isinstance(verdict.certificate, InductiveInvariants)
    assert set(verdict.certificate.facts) <= {told.fact for told in pool.told if told.proved}


@dataclass
class Heard(Alone):
    """A pool in which somebody has told a fact."""

    facts: list[Fact] = field(default_factory=list)

    def heard(self) -> list[Told]:
        return [Told(fact, True, "test") for fact in self.facts]


@pytest.mark.parametrize("lie", [False, True])
def test_proved_facts_of_others_are_used_and_part_of_the_proof(lie: bool) -> None:
    """What is told as proved but is not does no harm: only what is inductive is assumed."""
    text = """int main(void) { unsigned s = 0, i = 0; while (any()) { s += 2 * i + 1; i++; }
      check(s == i * i); return 0; }"""
    graph = cut_graph(program(text), Budget(10))
    (place,) = graph.cuts
    one, two = (v for v in (variable_of(c, 64) for c in graph.components(place)) if v.sort is BitVec(32))
    first = build.eq(one, build.mul(two, two, 32), 32)
    second = build.eq(two, build.mul(one, one, 32), 32)
    facts = [Fact(*place, 0)] if lie else [Fact(*place, formula) for formula in (first, second)]
    tools = Tools(Budget(3.0 if lie else 8.0), facts=Heard([], facts))
    verdict = ENGINE.verify(Task(subject(text), {"spacer.view": "bv"}), tools)
    assert isinstance(verdict, Unknown if lie else Safe)
    if isinstance(verdict, Safe):
        check_proof(program(text), verdict.certificate, Budget(90))


def test_unknown_view() -> None:
    with pytest.raises(UnusableInput, match="bv, int, both"):
        _verdict(DOWN, "float")


def test_only_what_matters_is_in_the_relations() -> None:
    text = "int main(void) { int x = 0, y = 0; while (any()) { y += 7; if (x < 9) x++; } check(x < 10); return y; }"
    assert [len(arguments) for arguments in _horn(text).relations.values()] == [1]


# ---------------------------------------------------------------- translations


def _decoded(formula: Term) -> object:
    view = BitVectorView()
    (native,) = view.clauses(Clause(None, (), formula))
    named = {str(leaf.decl().name()).rsplit(" ", 1)[0]: leaf for leaf in native.variables}
    pairs = [(named[str(v.payload)], v) for v in variables(formula)]
    return view.decode(native.formulas[0], pairs)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_bit_vectors_to_z3_and_back(seed: int) -> None:
    pool = grow(seed, (1, 4, 8), 40)
    for value, expected in pool.bools[-3:]:
        if isinstance(value, Term):
            back = _decoded(value)
            assert [evaluate(back, assignment) for assignment in pool.assignments] == list(expected)  # type: ignore[arg-type]


@given(st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_the_integer_view_leaves_no_run_out(seed: int) -> None:
    """Each assignment that fulfils a formula fulfils its view, or is a number out of range in the checked one."""
    pool = grow(seed, (1, 4, 6), 30)
    for value, expected in pool.bools[-3:]:
        if not isinstance(value, Term):
            continue
        clause = Clause(None, (), value)
        for checked in (False, True):
            view = IntegerView(Horn({}, (clause,)), checked)
            natives = view.clauses(clause)
            for k in [k for k in range(SAMPLES) if expected[k]][:2]:
                assert any(_fulfilled(native.formulas, native.variables, pool.assignments[k]) for native in natives)
    gc.collect()  # z3's contexts, of ten megabytes each, are in cycles


def _fulfilled(formulas: tuple[z3.BoolRef, ...], leaves: tuple[z3.ExprRef, ...], values: dict[str, int]) -> bool:
    solver = z3.Solver(ctx=leaves[0].ctx)
    solver.add(*formulas)
    for leaf in leaves:
        kind, name, *sort = [*str(leaf.decl().name()).split(" "), ""]
        if kind == "VARIABLE" and z3.is_bool(leaf):
            solver.add(leaf == bool(values[name]))
        elif kind == "VARIABLE":
            modulus = 1 << int(sort[0].strip("BitVec()"))
            solver.add((leaf - values[name]) % modulus == 0)
    return bool(solver.check() == z3.sat)


@given(st.lists(st.integers(-9, 9), min_size=7, max_size=7), st.integers(0, 255), st.integers(0, 255))
@settings(max_examples=40, deadline=None)
def test_integers_back_to_bit_vectors(numbers: list[int], left: int, right: int) -> None:
    a, b, c, d, e, f, g = numbers
    x, y, z = z3.Ints("x y z")
    small, large = build.variable("x", BitVec(8)), build.variable("y", BitVec(8))
    third = build.variable("z", BitVec(8))
    number = z3.If(x * a + b < y, x * c - y * d, (x + y * b) / (abs(e) + 1))
    one, two = (x, y) if c > 0 else (y, x)
    plain = z3.And(one - two * 1 < d % 3 - 1, x * (a % 3 - 1) >= b * 20, -z == g - one + (c - c))
    formula = z3.Or(z3.And(number <= f * 50, x * y > g), (x - y) % (abs(f) + 1) == abs(g), plain)
    formula = z3.And(formula, z3.Or(x - z <= 0, z > x + 1 - a % 2))
    arguments = [(x, small, Range(-128, 127)), (y, large, Range(0, 255)), (z, third, Range(-128, 127))]
    back = IntegerDecoder(z3, arguments).of(formula)
    values = [left - 256 if left > 127 else left, right, right - 256 if right > 127 else right]
    truth = z3.simplify(z3.substitute(formula, *((v, z3.IntVal(k)) for v, k in zip((x, y, z), values, strict=True))))
    assert evaluate(back, {"x": left, "y": right, "z": right}) == int(z3.is_true(truth))


def test_bools_are_arguments() -> None:
    p, n = build.variable("p", BOOL), build.variable("n", BitVec(8))
    formula = build.and_(p, build.ult(n, 3, 8))
    assert isinstance(formula, Term)
    assert _decoded(formula) is formula
