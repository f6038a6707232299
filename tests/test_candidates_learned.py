"""Candidate invariants learned from traces: the expected one is among those found."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import c_programs
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import RecordingLimits, record
from counterpoint.invariants.candidates import (
    arrays_learned,
    conditional,
    equalities,
    moduli,
    octagons,
    polynomials,
    powers,
)
from counterpoint.invariants.candidates.protocol import CandidateSource, Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.nullspace import nullspace
from counterpoint.invariants.samples import tables
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghosts
from counterpoint.term.display import rendered
from counterpoint.term.term import Op, Term
from counterpoint.term.walk import variables


def context_of(text: str) -> Context:
    graph = cut_graph(c_programs.program(text), Budget(90))
    snapshots = record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(seconds=20))
    return Context(graph, snapshots, Budget(90))


def found(source: CandidateSource, context: Context) -> list[Fact]:
    facts = list(source.candidates(context))
    assert len(facts) == len(set(facts))
    assert not refuted(facts, context.snapshots), "a candidate is false in a state that it was learned from"
    return facts


def texts(source: CandidateSource, text: str) -> list[str]:
    """The formulas with `%1` for registers."""
    return [rendered(fact.formula).replace("__cp_main%", "%") for fact in found(source, context_of(text))]


LINEAR = """int main(void) { int n = any(), i = 0, x = 7, y = 0;
while (i < n) { i++; x += 3; y -= 2; if (any()) { y--; x++; } } check(x + y == i + 7); }"""


def test_linear_equality_of_three() -> None:
    context = context_of(LINEAR)
    formulas = [fact.formula for fact in found(equalities.SOURCE, context)]
    (place,) = context.graph.cuts
    names = [str(v.payload) for fact in formulas for v in variables(fact)]
    assert len(set(names)) == 3 and place == context.graph.regions[1].start
    assert any(len(list(variables(formula))) == 3 for formula in formulas)


def test_a_cube_is_found() -> None:
    text = """int main(void) { int a = any(), n = 0, x = 0, y = 1, z = 6;
    while (n <= a) { n++; x += y; y += z; z += 6; } check(x == n * n * n); }"""
    assert any(t.count("*") == 2 and "3" not in t.replace("%3", "") for t in texts(polynomials.SOURCE, text))


def test_powers_of_two_and_what_they_divide() -> None:
    text = (
        "int main(void) { unsigned n = any(), p = 0, q = 1, r; if (n > 999) return 0; while (q <= n) q *= 4; r = n;"
        " while (q != 1) { q /= 4; p /= 2; if (r >= p + q) { r -= p + q; p += q; } } check(p <= n); }"
    )
    found = texts(powers.SOURCE, text)
    assert any("& (" in one and "+ -1)) == 0" in one for one in found)  # q has one bit
    assert any("[1:0] == 0" in one and "== 1)" in one for one in found)  # a quarter of it is exact, if it is not 1
    assert any("0xaaaaaaaa" in one for one in found)  # it is a power of 4
    assert texts(powers.SOURCE, "int main(void) { unsigned n = any(), i = 0; while (i < n) i++; check(i == n); }") == []


def test_division_by_subtraction() -> None:
    text = """int main(void) { int x = any(), y = any(), q = 0, r = x;
    if (x < 0 || y <= 0) return 0;
    while (r >= y) { r -= y; q++; } check(q * y + r == x); }"""
    assert any(t.count("*") == 1 and t.count("%") == 4 for t in texts(polynomials.SOURCE, text))


def test_bounds_and_differences() -> None:
    text = "int main(void) { int n = any(), i = 0; if (n < 0) return 0; while (i < n) i++; check(i == n); }"
    formulas = texts(octagons.SOURCE, text)
    assert any(re.fullmatch(r"\(%[1-9] <= %0\)", formula) for formula in formulas)
    assert any(re.fullmatch(r"\(0 <= %[1-9]\)", formula) for formula in formulas)


SCALED = """int main(void) { int n = any(), i, s; if (n <= 0 || n > 100000) return 0;
for (i = 0; i < n; i++) { if (i == 0) s = 0; else s += i % 5; } check(s <= 4 * n); return 0; }"""


def test_a_sum_is_at_most_a_multiple_of_its_rounds() -> None:
    """Behind the first one, where the sum begins."""
    found = texts(octagons.SOURCE, SCALED)
    assert any("<< 2)) || (" in one and "== 0)" in one for one in found), "\n".join(found)
    begun = SCALED.replace("i, s;", "i, s = 0;").replace("if (i == 0) s = 0; else ", "")
    assert any(one.endswith("<< 2))") and " <= " in one for one in texts(octagons.SOURCE, begun))


@pytest.mark.parametrize(("stride", "remainder"), [(2, 1), (3, 0), (8, 5)])
def test_strides(stride: int, remainder: int) -> None:
    text = f"""int main(void) {{ unsigned n = any(), i = {remainder};
    while (any()) i += {stride}; check(i % {stride} == {remainder} || i < {stride}); }}"""
    context = context_of(text)
    (place,) = context.graph.cuts
    facts = found(moduli.SOURCE, context)
    wanted = stride & -stride
    assert facts and any(_admits(fact.formula, remainder, stride) for fact in facts), (place, wanted)


def _admits(formula: object, remainder: int, stride: int) -> bool:
    from counterpoint.term.evaluate import evaluate

    assert isinstance(formula, Term)
    (variable,) = variables(formula)
    name = str(variable.payload)
    small = range(4 * stride)
    return all(bool(evaluate(formula, {name: k})) == (k % stride == remainder) for k in small)


def test_filled_prefix_of_an_array() -> None:
    text = """int main(void) { int a[20]; int n = any(); if (n > 20) n = 20;
    for (int i = 0; i < n; i++) a[i] = 42; for (int i = 0; i < n; i++) check(a[i] == 42); }"""
    facts = found(arrays_learned.SOURCE, context_of(text))
    assert any(ghosts(fact.formula) and "== 42" in str(fact) for fact in facts)
    assert len({fact.place for fact in facts if "== 42" in str(fact)}) == 2, "in both loops"


def test_elements_that_are_linear_in_their_index() -> None:
    text = """int main(void) { int a[30]; for (int i = 0; i < 30; i++) a[i] = 3 * i + 1; check(a[4] == 13); }"""
    assert any("* 3) + 1" in str(fact) for fact in found(arrays_learned.SOURCE, context_of(text)))


def test_postconditions_of_recursive_functions() -> None:
    text = """int f(int n) { if (n <= 0) return 0; return f(n - 1) + 2; }
    int g(int m) { if (m == 0) return 5; return g(m - 1); }
    int main(void) { int n = any(); if (n < 0 || n > 50) return 0; check(f(n) == 2 * n); check(g(n) == 5); }"""
    context = context_of(text)
    ends = {str(fact) for fact in found(equalities.SOURCE, context) if fact.block == EXIT}
    assert "g:exit: (g.result0 == 5)" in ends
    assert any("f.result0" in end and "f%0" in end for end in ends)


def test_results_that_depend_on_a_condition() -> None:
    text = """int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }
    int main(void) { int n = any(); if (n < 0) return 0; int r = f(n); check(n > 100 || r == 91); }"""
    facts = {str(fact) for fact in found(conditional.SOURCE, context_of(text))}
    assert "f:exit: ((100 < f%0) || (f.result0 == 91))" in facts


def test_results_of_single_arguments() -> None:
    text = """int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }
    int main(void) { check(f(7) == 13); }"""
    facts = {str(fact) for fact in found(conditional.SOURCE, context_of(text))}
    assert "f:exit: ((f%0 != 7) || (f.result0 == 13))" in facts


def test_quotients_of_the_program_are_columns() -> None:
    text = "int main(void) { unsigned n = any(), i = 0; while (i < n && any()) i++; check(i <= n || i == n / 3); }"
    context = context_of(text)
    computed = [
        column for table in tables(context) for column in table.columns if column.variable.op is not Op.VARIABLE
    ]
    assert computed and all(len(column.signed) > 2 for column in computed)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=4), st.integers(-50, 50), st.integers(0, 1000))
def test_a_planted_relation_is_in_the_nullspace(factors: list[int], constant: int, seed: int) -> None:
    rows, choose = [], random.Random(seed)
    for _ in range(20):
        values = [choose.randrange(-30, 30) for _ in factors]
        rows.append((1, *values, constant + sum(a * b for a, b in zip(factors, values, strict=True))))
    vectors = nullspace(rows, 100)
    assert all(sum(a * b for a, b in zip(row, v, strict=True)) == 0 for row in rows for v in vectors)
    assert (-constant, *(-a for a in factors), 1) in vectors
