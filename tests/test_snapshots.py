"""States at cut points of concrete runs, and the formulas that they refute."""

from __future__ import annotations

import time
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

import c_programs
from counterpoint.core.budget import Budget
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.snapshots import RecordingLimits, Snapshot, Snapshots, record
from counterpoint.invariants.filtering import refuted, surviving
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue, Value, array_value, evaluate
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V

COUNT = "int main(void) { int n = any(), i = 0; %s while (i < n) i++; check(i >= n); }"
A, B = (build.variable(name, BitVec(8)) for name in "ab")
ARRAY = build.variable("t", ArraySort(64, 8))


def graph_of(text: str) -> CutGraph:
    return cut_graph(c_programs.program(text), Budget(90))


def recorded(text: str, **limits: int) -> Snapshots:
    graph = graph_of(text)
    return record(graph.program, graph.cuts, graph.granules, limits=RecordingLimits(seconds=20, **limits))


def rows(snapshots: Snapshots, place: tuple[str, int]) -> list[list[Value]]:
    return [[v for variable, v in s.values.items() if variable.payload != "counter"] for s in snapshots.at[place]]


def test_visits_of_a_loop_head_have_its_registers() -> None:
    graph = graph_of(COUNT % "")
    ((place, visits),) = record(graph.program, graph.cuts).at.items()
    assert 50 < len(visits) <= 300
    pairs = rows(Snapshots({place: visits}), place)
    assert all(len(pair) == 2 for pair in pairs)
    assert any(a == b != 0 for a, b in pairs), "how a loop ends is among the visits"


def test_the_end_of_a_long_loop_is_seen() -> None:
    snapshots = recorded("int main(void) { unsigned i = 0, n = 20000; while (i < n) i++; check(i == n); }")
    (visits,) = snapshots.at.values()
    assert [0] in rows(snapshots, next(iter(snapshots.at)))
    assert [20000] in rows(snapshots, next(iter(snapshots.at)))
    assert len(visits) < 200


def test_recording_is_deterministic() -> None:
    graph = graph_of(COUNT % "n = n + any();")
    one, two = (record(graph.program, graph.cuts, limits=RecordingLimits(seconds=20)) for _ in range(2))
    assert one == two
    assert one.at != record(graph.program, graph.cuts, seed=1, limits=RecordingLimits(seconds=20)).at


def test_a_violation_on_the_way_is_reported_and_replays() -> None:
    graph = graph_of("int main(void) { int n = any(), i = 0; while (i < n) i++; check(i != 7); }")
    found = record(graph.program, graph.cuts).violation
    assert found is not None
    assert isinstance(run(graph.program, ReplayInputs(found)).outcome, Violated)


def test_exits_of_recursive_functions_have_parameters_and_results() -> None:
    text = """int f(int n) { if (n <= 0) return 0; return f(n - 1) + 2; }
    int main(void) { int n = any(); if (n < 100) check(f(n) != 1); }"""
    snapshots = recorded(text)
    ends = rows(snapshots, ("f", EXIT))
    assert len(ends) > 20
    signed = [n - (1 << 32) if n >> 31 else n for n, _ in ends if isinstance(n, int)]
    assert all(result == 2 * max(n, 0) for n, (_, result) in zip(signed, ends, strict=True))
    assert snapshots.at["f", 0]


def test_arrays_are_noted_in_part() -> None:
    text = """int main(void) { int a[1000]; for (int i = 0; i < 1000; i++) a[i] = i + 5;
    for (int i = 0; i < 1000; i++) check(a[i] > 4); }"""
    snapshots = recorded(text)
    for place, visits in snapshots.at.items():
        for visit in visits:
            arrays = [v for v in visit.values.values() if isinstance(v, ArrayValue)]
            assert arrays and all(1 < len(array.entries) < 60 for array in arrays), place
    last = list(snapshots.at.values())[1][-1]
    (array,) = (v for v in last.values.values() if isinstance(v, ArrayValue))
    assert dict(array.entries)[999] == 1004


# ---------------------------------------------------------------- filtering


def at_place(*values: Mapping[Term, Value]) -> Snapshots:
    return Snapshots({("f", 1): tuple(Snapshot(v) for v in values)})


WIDE = st.sampled_from([A, B]) | st.integers(0, 255)


def grown(inner: st.SearchStrategy[V]) -> st.SearchStrategy[V]:
    operators = [
        build.add, build.sub, build.mul, build.udiv, build.urem, build.sdiv, build.srem, build.bvand, build.bvor,
        build.bvxor, build.shl, build.lshr, build.ashr,
    ]  # fmt: skip
    two = st.builds(lambda f, a, b: f(a, b, 8), st.sampled_from(operators), inner, inner)
    one = st.builds(lambda f, a: f(a, 8), st.sampled_from([build.neg, build.bvnot]), inner)
    cut = st.builds(lambda a: build.sext(build.extract(4, 1, a, 8), 4, 8), inner)
    long = st.builds(lambda a: build.concat(build.extract(3, 0, a, 8), 4, 5, 4), inner)
    choice = st.builds(lambda a, b: build.ite(build.ult(a, b, 8), b, a, BitVec(8)), inner, inner)
    return two | one | cut | long | choice


COMPARED = st.builds(
    lambda f, a, b: f(a, b, 8),
    st.sampled_from([build.eq, build.ult, build.slt, build.ule, build.sle]),
    st.recursive(WIDE, grown, max_leaves=6),
    st.recursive(WIDE, grown, max_leaves=6),
)
FORMULAS = st.recursive(
    COMPARED,
    lambda inner: st.builds(
        lambda f, a, b: f(a, build.not_(b)), st.sampled_from([build.and_, build.or_, build.xor_]), inner, inner
    ),
    max_leaves=3,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(FORMULAS, min_size=1, max_size=4), st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255))))
def test_refuted_agrees_with_evaluate(formulas: list[V], values: list[tuple[int, int]]) -> None:
    facts = [Fact("f", 1, formula) for formula in formulas]
    out = refuted(facts, at_place(*({A: a, B: b} for a, b in values)))
    for fact in facts:
        false = any(not evaluate(fact.formula, {"a": a, "b": b}) for a, b in values)
        assert (fact in out) == false


def test_what_is_not_known_refutes_nothing() -> None:
    index = ghost(0, 64)
    element = build.select(ARRAY, index)
    zeros = Fact("f", 1, build.implies(build.ult(index, 9, 64), build.eq(element, 0, 8)))
    assert not refuted([zeros], at_place({ARRAY: array_value({0: 0, 3: 0, 20: 7})}))
    assert not refuted([zeros], at_place({A: 3}))
    assert refuted([zeros], at_place({ARRAY: array_value({0: 0, 3: 1})}))
    fixed = Fact("f", 1, build.eq(build.select(ARRAY, 5), 1, 8))
    assert not refuted([fixed], at_place({ARRAY: array_value({4: 0})}))
    assert refuted([fixed], at_place({ARRAY: array_value({4: 0})}, {ARRAY: array_value({5: 0})}))


def test_filtering_is_fast() -> None:
    snapshots = at_place(*({A: k % 100, B: k % 7} for k in range(300)))
    facts = [
        Fact("f", 1, build.ule(build.zext(A, 8, 16), build.add(build.zext(B, 8, 16), 100 + k, 16), 16))
        for k in range(500)
    ]
    start = time.monotonic()
    assert surviving(facts, snapshots) == facts
    assert time.monotonic() - start < 2


def test_values_are_plain_numbers() -> None:
    """The interpreter's code has truth values for comparisons, which terms are not made of."""
    text = "int f(int x) { return x == 0 ? 1 : f(x > 5 ? x - 5 : 0) > 3; } int main(void) { check(f(any()) + f(any() > 7) < 9); }"
    seen = recorded(text)
    values = [value for place in seen.at for snapshot in seen.at[place] for value in snapshot.values.values()]
    assert {type(value) for value in values} <= {int, ArrayValue}
    assert seen.at["f", EXIT]
