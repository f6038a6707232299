"""Candidate invariants from the program text: the expected one is among those found; intervals hold in all runs."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import c_programs
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.invariants.candidates import (
    array_prefix,
    assertion_variables,
    checks,
    entered,
    guards,
    hints,
    induction_variables,
    intervals,
    modified_constants,
    modified_used,
    parity,
    sources,
    states,
    unchanged,
)
from counterpoint.invariants.candidates.protocol import CandidateSource, Context
from counterpoint.invariants.filtering import refuted
from counterpoint.invariants.houdini import Houdini
from counterpoint.logic import ranges as r
from counterpoint.regions.cut_graph import START, cut_graph
from counterpoint.semantics.facts import ghosts
from counterpoint.term import build
from counterpoint.term.display import rendered
from counterpoint.term.sorts import BitVec
from counterpoint.term.walk import variables

HEAD = "extern void __counterpoint_candidate(int); int main(void) { "
COUNT = HEAD + "int n = any(), i = 0; while (i < n) i++; check(i <= n || n < 0); }"
TWO = HEAD + "int n = any(), i = 0, s = 5; while (i < n) { i++; s += 3; } check(s >= n); }"
MACHINE = (
    HEAD + "int s = 5, f = 0; while (any()) { switch (s) { case 5: s = 6; f = 1; break; case 6: s = 7; f = 2; break;"
    " case 7: if (any()) s = 5; break; } check(s != 7 || f == 2); } }"
)
FILL = (
    HEAD
    + "int a[1000]; for (int i = 0; i < 1000; i++) a[i] = i + 7; int k = any(); check(k < 0 || k > 999 || a[k] == k + 7); }"
)

CUBE = (
    HEAD + "static int a[50][40][30]; for (int i = 0; i < 50; i++) for (int j = 0; j < 40; j++) for (int k = 0; k < 30; k++)"
    " a[i][j][k] = 7; int p = any(); check(p < 0 || p >= 50 || a[p][p / 2][p / 2] == 7); }"
)


def context_of(text: str) -> Context:
    return Context(cut_graph(c_programs.program(text), Budget(90)), Snapshots(), Budget(90))


def texts(source: CandidateSource, text: str) -> list[str]:
    """The formulas, with registers as `%`."""
    facts = list(source.candidates(context_of(text)))
    assert len(facts) == len(set(facts))
    return [re.sub(r"__cp_main%\d+", "%", rendered(fact.formula)) for fact in facts]


FILLED = (
    r"\((\(forall\.0\[31:0\] == \(.*\[forall\.0\] \+ -7\)\)|\(\(.*\[forall\.0\] \+ -7\) == forall\.0\[31:0\]\)"
    r"|\(.*\[forall\.0\] == \(forall\.0\[31:0\] \+ 7\)\)|\(\(forall\.0\[31:0\] \+ 7\) == .*\[forall\.0\]\))"
    r" \|\| \(zext64\(sext62\(%\)\) <=u forall\.0\)\)"
)
"""Which side of an equation stands first, and which has the constant, depends on what terms were made before."""


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        (hints.SOURCE, HEAD + "int i = any(); while (any()) { __counterpoint_candidate(i < 77); i++; } check(i != 9); }", r"\(% < 77\)"),
        (checks.SOURCE, HEAD + "int x = any(), i = 0; while (i < 9) i++; check(x < 12); }", r"\(% < 12\)"),
        (guards.SOURCE, COUNT, r"\(% <= %\)"),
        (induction_variables.SOURCE, COUNT, r"\(0 <= %\)"),
        (induction_variables.SOURCE, TWO, r"\(\(% - \(% \* 3\)\) == 5\)|\(% == \(\(% \* 3\) \+ 5\)\)|.*% \* 3.* 5\).*"),
        (unchanged.SOURCE, HEAD + "int n = any(), m = n, i = 0; while (i < n) { i++; m--; } check(m == n - i); }", r"\(% == %\)"),
        (modified_used.SOURCE, COUNT, r"\(% <= %\)"),
        (modified_constants.SOURCE, HEAD + "int i = any(); while (i > 41) i--; check(i <= 41); }", r"\(% <= 41\)"),
        (assertion_variables.SOURCE, TWO, r"\(% <= %\)"),
        (parity.SOURCE, COUNT, r"\(%\[0:0\] == 0\)"),
        (intervals.SOURCE, HEAD + "int i = 0; while (i < 50) i += 2; check(i < 60); }", r"\(% <= 51\)"),
        (states.SOURCE, MACHINE, r"\(\(% == 2\) \|\| \(% != 7\)\)|\(\(% != 7\) \|\| \(% == 2\)\)"),
        (array_prefix.SOURCE, FILL, FILLED),
    ],
)  # fmt: skip
def test_the_expected_candidate_is_found(source: CandidateSource, text: str, expected: str) -> None:
    known = texts(source, text)
    assert any(re.fullmatch(expected, one) for one in known), "\n".join(known)


def test_behind_a_loop_that_was_not_entered_all_is_as_before() -> None:
    text = HEAD + "int n = any(), k = any(), i = 0, y = 7; while (i <= n) { i++; y += k; } check(y == 7 + i * k); }"
    found = texts(entered.SOURCE, text)
    assert len(found) == 2 and all("||" in one and "+ -1) <= %" in one for one in found)
    assert any("== 7" in one for one in found) and any("== 0" in one for one in found)
    assert texts(entered.SOURCE, TWO) == []


def test_all_loops_around_know_their_cells_and_their_bounds() -> None:
    context = context_of(CUBE)
    places = sorted(context.graph.cuts)
    assert len(places) == 3
    prefixes = [str(fact.formula) for fact in array_prefix.SOURCE.candidates(context) if fact.place == places[0]]
    assert any("[forall.0] == 7) || (zext64((sext64(" in one and "* 4800)[63:2]) <=u forall.0)" in one for one in prefixes)
    bounds = [fact for fact in induction_variables.SOURCE.candidates(context) if fact.place == places[2]]
    assert len({str(f.formula) for f in bounds if re.fullmatch(r"\(0 <= [^ ]*\)", str(f.formula))}) == 3


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        MACHINE,
        FILL,
        HEAD + "int a[9000], b[9000]; for (int i = 0; i < 9000; i++) a[i] = 42; for (int i = 0; i < 9000; i++) b[i] = a[i];"
        " for (int i = 0; i < 9000; i++) check(b[i] == 42); }",
        HEAD + "int a[500], m = 0; for (int i = 0; i < 500; i++) a[i] = any(); for (int i = 0; i < 500; i++)"
        " if (a[i] < m) m = a[i]; for (int i = 0; i < 500; i++) check(a[i] >= m); }",
        HEAD + "int a[500]; for (int i = 499; i >= 0; i--) a[i] = 3; for (int i = 0; i < 500; i++) check(a[i] == 3); }",
        HEAD + "int n = any(), l = any(); if (!(l > 0 && l < 1000 && n < 1000)) return 0; for (int k = 1; k < n; k++) {"
        " for (int i = l; i < n; i++) check(1 <= i); if (any()) l++; } }",
        HEAD + "unsigned n = any(), i = 0, s = 0; if (n > 1000) return 0; while (i < n) { i++; s += i; }"
        " check(2 * s == n * (n + 1)); }",
        HEAD + "unsigned n = any() & 255, i = 0, s = 0; while (i < n) { i++; s += any() & 15; } check(s <= 3825); }",
        HEAD + "int n = any(), m = any(), k = 0; if (n < -999 || n > 999 || m < -999 || m > 999) return 0;"
        " for (int i = 0; i < n; i++) k++; for (int i = 0; i < m; i++) k++; for (int i = 0; i < n + m; i++)"
        " { check(k > 0); k--; } }",
    ],
)  # fmt: skip
def test_what_is_found_suffices_for_a_proof(text: str) -> None:
    context = context_of(text)
    houdini = Houdini(context.graph, Budget(60))
    for stage in range(4):
        if houdini.open_regions():
            houdini.extend(f for s in sources() if s.stage == stage for f in s.candidates(context))
    still_open = houdini.open_regions()
    houdini.close()
    assert not still_open


def test_a_formula_with_inputs_in_it_is_no_fact() -> None:
    graph = context_of(HEAD + "int i = 0; while (any()) i += any(); check(i != 5); }").graph
    (region,) = (region for region in graph.regions if region.start != START)
    (component,) = (v for v in region.start_values.values if v.payload != "counter")
    start = region.start_values.values[component]
    back = next(way for way in region.ways if way.target == region.start)
    assert region.start_values.back(build.eq(start, 3, 32)) == build.eq(component, 3, 32)
    assert region.start_values.back(build.eq(back.values.values[component], 3, 32)) is None
    assert back.values.back(back.values.values[component]) is None or variables(component)


def test_a_candidate_speaks_of_components_of_its_place() -> None:
    context = context_of(FILL)
    for source in sources():
        for fact in source.candidates(context):
            region = next(region for region in context.graph.regions if region.start == fact.place)
            known = {*region.start_values.values, *ghosts(fact.formula)}
            assert set(variables(fact.formula)) <= known, f"{source.name}: {fact}"


# ---------------------------------------------------------------- ranges and intervals


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.randoms())
def test_operations_on_ranges_contain_all_results(a: int, b: int, c: int, d: int, choose: random.Random) -> None:
    left, right = r.join(r.exactly(a, 8), r.exactly(b, 8)), r.join(r.exactly(c, 8), r.exactly(d, 8))
    assert left is not None and right is not None
    x, y, by = choose.choice((a, b)), choose.choice((c, d)), c % 9
    assert x in left and y in right
    both = [
        (r.add, build.add), (r.sub, build.sub), (r.mul, build.mul), (r.udiv, build.udiv), (r.urem, build.urem),
        (r.sdiv, build.sdiv), (r.srem, build.srem),
    ]  # fmt: skip
    for on_ranges, on_values in both:
        found = on_ranges(left, right)
        assert found is not None and int(on_values(x, y, 8)) in found, on_ranges.__name__  # type: ignore[call-overload]
    for name, value in (("and", x & y), ("or", x | y), ("xor", x ^ y)):
        assert (found := r.bitwise(left, right, name)) is not None and value in found
    for on_ranges, value in (
        (r.shift_left, x << by & 255),
        (r.shift_right, x >> by),
        (r.shift_right_signed, r.signed_of(x, 8) >> by & 255),
    ):
        assert (found := on_ranges(left, by)) is not None and value in found
    assert (found := r.concat(left, right)) is not None and x << 8 | y in found
    low, width = a % 8, 1 + b % (8 - a % 8)
    assert (found := r.extract(left, low, width)) is not None and (x >> low & (1 << width) - 1) in found
    assert (found := r.extended(left, 16, by_sign=True)) is not None and r.signed_of(x, 8) & 0xFFFF in found
    assert (found := r.extended(left, 16, by_sign=False)) is not None and x in found
    assert x in r.widened(r.exactly(x, 8), left, (0, 7, 100)) and y in (r.meet(right, r.top(8)) or ())


PIECES = (
    "i++;", "i += 3;", "i = i * 2;", "i &= 12;", "j = i - 4;", "j ^= 5;", "j = (signed char)i;", "if (i > j) j++; else i--;",
    "if (i < 20) i = 20;", "j = i >> 2;", "i = -j;", "j = (unsigned)j / 3;", "if (j == 7) j = i % 10;", "a[j & 3] = i & 7;",
    "i = a[i & 3];",
)  # fmt: skip


@settings(max_examples=5, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), st.sampled_from(("i < 40", "j != 9", "any()", "i <= j"))
)
def test_intervals_hold_in_runs(pieces: list[str], condition: str) -> None:
    text = f"{HEAD} int i = any() & 63, j = 1, a[4] = {{0}}; while ({condition}) {{ {' '.join(pieces)} }} check(i != 123456); }}"
    graph = cut_graph(c_programs.program(text), Budget(90))
    snapshots = record(
        graph.program, graph.cuts, graph.granules, limits=RecordingLimits(runs=20, steps=20000, seconds=20)
    )
    facts = list(intervals.SOURCE.candidates(Context(graph, snapshots, Budget(90))))
    assert not refuted(facts, snapshots)


def test_a_register_of_another_width_is_compared_extended() -> None:
    known = texts(modified_used.SOURCE, HEAD + "long n = any(); int i = 0; while (i < n) i++; check(i >= n); }")
    assert any("sext64(%)" in one for one in known)
    assert BitVec(64) != BitVec(32)
