"""Path slices: which loops leave an error trace and which must not, and runs of slices that have a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.refinement.explanations import Explained, Feasible, Refinement
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.effects import effects_between
from counterpoint.engines.predicates.traces.loop_exits import exits_on_the_way, failing_blocks
from counterpoint.engines.predicates.traces.sliced_runs import GuidedInputs, Stretch, violating_inputs
from counterpoint.engines.predicates.traces.slicing import Slice, sliced, sliced_behind_loops
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import INLINED, STATEMENTS
from counterpoint.program.graph import loop_heads, loops
from counterpoint.program.inputs import Input, ScalarInput
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import BASIC, ERROR, LARGE, Granularity, locations
from counterpoint.solver.answers import Sat
from counterpoint.solver.layers import standard_solver
from counterpoint.term.term import V
from counterpoint.term.walk import variables

F = """
static unsigned f(unsigned i) { unsigned r = any(); if (r < i) r = r + i; return r; }
"""

LONG = F + """
int main(void) {
    int a = any(), x = any();
    unsigned c = 0, i;
    for (i = 1; i < 1000; i++) { c = c + f(i); BODY }
    if (a > 0) if (CONDITION) reach_error();
    return c;
}
"""


def long(body: str = "", condition: str = "x == 0") -> str:
    return LONG.replace("BODY", body).replace("CONDITION", condition)


def encoded(code: Program, block: Granularity = LARGE) -> EdgeFormulas:
    return EdgeFormulas(EncodedSteps(locations(code, block), {}, Budget(60)), lambda place: 1)


def edges_of(formulas: EdgeFormulas) -> dict[Place, Sequence[Edge]]:
    """All places that are reached syntactically, with their edges."""
    found: dict[Place, Sequence[Edge]] = {}
    waiting = deque([START])
    while waiting:
        place = waiting.popleft()
        if place not in found and place != ERROR:
            found[place] = formulas.edges_from(place)
            waiting.extend(edge.target for edge in found[place])
    return found


def traces(formulas: EdgeFormulas, length: int) -> list[list[Edge]]:
    """All error traces of at most so many edges, short ones first."""
    edges, found, waiting = edges_of(formulas), [], [[edge] for edge in formulas.edges_from(START)]
    while waiting:
        longer = []
        for trace in waiting:
            if trace[-1].target == ERROR:
                found.append(trace)
            elif len(trace) < length:
                longer += [[*trace, edge] for edge in edges[trace[-1].target]]
        waiting = longer
    return found


def has_model(parts: Sequence[V]) -> bool:
    solver = standard_solver()
    try:
        for part in parts:
            solver.add(part)
        return isinstance(solver.check((), 5.0), Sat)
    finally:
        solver.close()


def run_of(code: Program, formulas: EdgeFormulas, slice_: Slice, seed: int = 0) -> tuple[Input, ...] | None:
    answer = Refinement(single=False).explain(slice_.formula)
    assert isinstance(answer, Feasible)
    return violating_inputs(code, formulas, slice_, answer.model, seed, Limits(steps=200_000))


def violates(code: Program, inputs: tuple[Input, ...]) -> bool:
    return isinstance(run(code, ReplayInputs(inputs, strict=True), Limits(steps=200_000)).outcome, Violated)


# ---------------------------------------------------------------- the slides' example


@pytest.mark.parametrize("preparation", ["flat", INLINED, STATEMENTS])
@pytest.mark.parametrize("block", [LARGE, BASIC])
def test_a_loop_that_does_not_matter(preparation: str, block: Granularity) -> None:
    """Slides 74 to 76: of the loop, neither the number of its iterations nor what they sum up is in the slice, and its
    model gives a run to the error through all 999 of them."""
    code = program(long(), preparation=preparation)
    formulas = encoded(code, block)
    for trace in traces(formulas, 9)[:3]:
        slice_ = sliced(formulas, trace)
        head = (code.entry, *loop_heads(code.main))
        assert not any(edge.source == head for edge in slice_.kept.edges)
        inputs = run_of(code, formulas, slice_)
        assert inputs is not None and violates(code, inputs)
        assert len(inputs) == 2 + 999


def test_the_whole_trace_has_no_run() -> None:
    """Otherwise the tests here show nothing."""
    formulas = encoded(program(long()))
    trace = traces(formulas, 3)[0]
    assert not has_model(trace_formula(formulas, trace).parts)
    assert has_model(sliced(formulas, trace).formula.parts)


def test_no_predicates_about_the_loop() -> None:
    """A slice without a model is a proof: it names `a` alone, at the loop as well."""
    start = "for (i = 1;"
    text = long(condition="a == 9").replace(start, "if (a > 5) return 0; " + start)
    formulas = encoded(program(text, preparation=INLINED))
    trace = traces(formulas, 4)[-1]
    assert len(trace) == 4
    slice_ = sliced(formulas, trace)
    answer = Refinement(single=False).explain(slice_.formula)
    assert isinstance(answer, Explained)
    (component,) = slice_.kept.instances[-2].values
    at_head = [formula for formula in answer.formulas[1:] if formula is not None]
    assert len(at_head) == 3 and all(list(variables(formula)) == [component] for formula in at_head)


# ---------------------------------------------------------------- loops that must stay


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("if (c == 7) x = 0;", "x == 0"),  # writes what is live, on some path
        ("", "c == 5"),
        ("", "i == 2000"),
        ("if (c == 7) return 1;", "x == 0"),  # ends the run
        ("__VERIFIER_assume(c != 7);", "x == 0"),
    ],
)
@pytest.mark.parametrize("block", [LARGE, BASIC])
def test_a_loop_that_matters(body: str, condition: str, block: Granularity) -> None:
    """The loop's exit stays, with the number of its iterations: the slice without a whole run has no model."""
    code = program(long(body, condition))
    formulas = encoded(code, block)
    trace = traces(formulas, 6)[0]
    slice_ = sliced(formulas, trace)
    head = (code.entry, *loop_heads(code.main))
    assert any(edge.source == head for edge in slice_.kept.edges)
    assert not has_model(slice_.formula.parts)


def test_failing_checks_are_no_bypass() -> None:
    """Runs that end between two loops because a check fails violate the property too; runs that return there do not."""
    text = """
int main(void) {
    int x = any(), c = 0;
    for (int i = 0; i < 900; i++) c += any();
    BETWEEN
    for (int i = 0; i < 900; i++) c += any();
    if (x == 5) reach_error();
}
"""
    for text_between, kept in (("check(c != 7);", 2), ("if (c == 7) return 1;", 3)):
        formulas = encoded(program(text.replace("BETWEEN", text_between), preparation=INLINED))
        trace = next(t for t in traces(formulas, 5) if len({edge.source for edge in t}) == 3)
        assert len(sliced(formulas, trace).kept.edges) == kept


# ---------------------------------------------------------------- shapes


def test_nested_loops() -> None:
    """Both go; with a write of what is live between them, the outer one stays and the inner one goes."""
    nested = """
int main(void) {
    int x = any(), c = 0;
    for (int i = 0; i < 900; i++) {
        for (int j = 0; j < any(); j++) c += j;
        TAIL
    }
    if (x == 5) reach_error();
    return c;
}
"""
    for tail, inner_stays, outer_stays in (("c++;", False, False), ("if (i == 3) x = 4;", False, True)):
        code = program(nested.replace("TAIL", tail), preparation=INLINED)
        formulas = encoded(code)
        outer, inner = sorted(loops(code.main), key=lambda loop: -len(loop.blocks))
        trace = next(t for t in traces(formulas, 6) if len(t) == 5 and Edge(*[(code.entry, inner.head)] * 2) in t)
        kept = {edge.source for edge in sliced(formulas, trace).kept.edges}
        assert ((code.entry, inner.head) in kept) is inner_stays
        assert ((code.entry, outer.head) in kept) is outer_stays


def test_inputs_of_a_loop_and_behind_it_at_one_site() -> None:
    """What is read behind the loop is the model's, however often the loop reads at the same site."""
    code = program(
        F
        + """
int main(void) {
    unsigned c = 0, x;
    for (unsigned i = 1; i < 100; i++) c = c + f(i);
    x = f(3);
    check(x != 77);
    return c;
}
"""
    )
    formulas = encoded(code)
    slice_ = sliced(formulas, traces(formulas, 3)[0])
    inputs = run_of(code, formulas, slice_)
    assert inputs is not None and violates(code, inputs)
    assert len({replace(i, value=0) for i in inputs}) == 1 and len(inputs) == 100


def test_a_loop_that_may_not_end() -> None:
    """The slice has a model all the same; a run of small values ends the loop, or nothing is claimed."""
    text = """
int main(void) {
    int x = any(), n = 1;
    while (STAYS) n++;
    check(x != 3);
}
"""
    for stays, ends in (("any() != 2", True), ("n", False)):
        code = program(text.replace("STAYS", stays), preparation=INLINED)
        formulas = encoded(code)
        inputs = run_of(code, formulas, sliced(formulas, traces(formulas, 3)[0]))
        assert (inputs is not None) is ends


def test_memory() -> None:
    """An array is live as a whole: a loop that fills another one goes, a loop that may write this one stays."""
    text = """
int a[10], b[10];
int main(void) {
    int k = any(), m = any();
    __VERIFIER_assume(0 <= k && k < 10 && 0 <= m && m < 10);
    a[k] = m;
    for (int i = 0; i < 10; i++) WRITTEN[i] = any();
    check(a[m] != 3);
}
"""
    for written, stays in (("b", False), ("a", True), ("(m > 4 ? a : b)", True)):
        code = program(text.replace("WRITTEN", written), preparation=INLINED)
        formulas = encoded(code)
        head = (code.entry, *loop_heads(code.main))
        for trace in traces(formulas, 3):
            slice_ = sliced(formulas, trace)
            assert any(edge.source == head for edge in slice_.kept.edges) is stays
            if not stays:
                inputs = run_of(code, formulas, slice_)
                assert inputs is not None and violates(code, inputs)


@pytest.mark.parametrize(("behind", "fails"), [("x != 5", True), ("i == 900", False)])
def test_checks_in_a_loop_and_behind_it(behind: str, fails: bool) -> None:
    """One edge fails in both places, so that the loop stays; what fails behind it has a slice of its own."""
    text = """
int main(void) {
    int x = any(), c = 0, i;
    for (i = 0; i < 900; i++) { c = any(); check(c == c + i - i); }
    check(BEHIND);
}
"""
    code = program(text.replace("BEHIND", behind), preparation=INLINED)
    formulas = encoded(code)
    trace = traces(formulas, 3)[-1]
    assert not has_model(sliced(formulas, trace).formula.parts)
    slice_ = sliced_behind_loops(formulas, trace)
    assert (slice_ is not None) is fails
    if slice_ is not None:
        inputs = run_of(code, formulas, slice_)
        assert inputs is not None and violates(code, inputs) and len(inputs) == 901


CALLS = """
int total;
int walk(int n, int x) {
    int c = 0;
    for (int i = 0; i < 500; i++) c += any();
    if (n > 0) { total += walk(n - 1, x); return c; }
    check(x != 4);
    return c;
}
int main(void) {
    int x = any(), c = 0;
    for (int i = 0; i < 900; i++) c += any();
    c += walk(any(), x);
    for (int i = 0; i < 900; i++) c += any();
    check(x != 5);
    check(total > -9);
}
"""


@pytest.mark.parametrize("preparation", ["flat", "modular"])
def test_traces_into_callees(preparation: str) -> None:
    """Loops in front of calls, in callees and around calls that return: no slice of a trace goes on from a loop's head,
    and those with a model have runs, some of which fail in the callee of a callee."""
    code = program(CALLS, preparation=preparation)
    formulas = encoded(code)
    lengths = set()
    for trace in [t for t in traces(formulas, 8) if all(e.source != e.target for e in t)][:6]:
        slice_ = sliced(formulas, trace)
        heads = {(name, head) for name, function in code.functions.items() for head in loop_heads(function)}
        assert not any(edge.source in heads for edge in slice_.kept.edges)
        inputs = run_of(code, formulas, slice_)
        assert inputs is not None and violates(code, inputs)
        lengths.add(len(inputs))
    assert {1402, 1902} <= lengths


def test_returning_is_a_bypass() -> None:
    """Runs that leave the callee's loop all come to what follows it, but not all of them to the check: some return."""
    code = program(CALLS, preparation="modular")
    where = encoded(code).encoded.where
    walk = code.functions["walk"]
    (head,) = loop_heads(walk)
    checks = failing_blocks(where, walk, head)
    (behind,) = exits_on_the_way(where, walk, head, checks)
    assert not effects_between(where, "walk", head, behind).leaves
    assert all(effects_between(where, "walk", head, check).leaves for check in checks)


def test_values_of_an_edge_are_given_on_it_alone() -> None:
    """What a kept edge did not read is not read later; behind the last one all is drawn."""
    values = [ScalarInput(0, value, 32) for value in (11, 12, 13)]
    there, then = ("f", 1), ("f", 2)
    stretches = [Stretch(START, there, tuple(values[:2])), Stretch(then, ERROR, tuple(values[2:]))]
    guided = GuidedInputs(stretches, ReplayInputs(()))
    read = [guided.scalar(0, 32)]
    guided.at(there)
    read.append(guided.scalar(0, 32))
    guided.at(then)
    read += [guided.scalar(0, 32), guided.scalar(0, 32)]
    assert read == [11, 0, 13, 0] and guided.drawn == 2


def test_a_loop_that_only_fails() -> None:
    """That a loop has no other end is no reason for it to come to the failing check."""
    text = """
int main(void) {
    int state = 0;
    while (1) {
        if (state == 7) reach_error();
        state = any() ? 1 : 2;
    }
}
"""
    for block in (LARGE, BASIC):
        formulas = encoded(program(text, preparation=INLINED), block)
        assert not any(has_model(sliced(formulas, trace).formula.parts) for trace in traces(formulas, 7))


# ---------------------------------------------------------------- weaker than the trace, and a promise

MIXED = [
    LONG.replace("BODY", "").replace("CONDITION", "x * 3 == a"),
    """
int a[8], b[8];
int main(void) {
    int m = any() & 7, n = 0;
    for (int i = 0; i < 8; i++) { a[i] = any(); if (a[i] == 5) n++; }
    int x = a[m];
    for (int i = 0; i < n; i++) b[i] = x;
    check(x != 9);
    while (any() % 3) n--;
    check(x != 5 || a[m] != b[m]);
    check(n < 4 || n > 2);
}
""",
    long(condition="x == 0 && c > 3"),
    long("if (x > 7) a--;"),
    """
int main(void) {
    int n = any(), s = 0, t = 0, i = 0;
    __VERIFIER_assume(n > 0 && n < 5);
    for (; i < n; i++) { if (any()) s += 2; else t++; }
    while (t > 0) { t--; check(s != 4); if (s == 3) break; }
    check(s != 6 || i > 3);
}
""",
    """
int g(int n) { int k = 0; while (any() && k < n) k++; return k; }
int main(void) {
    int x = g(3), y = g(2), z = 0;
    for (int i = 0; i < 4; i++) { z += y; if (z == 7) return 0; }
    check(x != 3 || z != 8);
    check(x < y + 2);
}
""",
    """
int main(void) {
    int state = 0, noise = 0, n = any();
    while (1) {
        noise = any();
        switch (state) {
        case 0: state = any() ? 1 : 0; break;
        case 1: if (noise == n) state = 2; break;
        case 2: check(n != 9); state = 0; break;
        }
    }
}
""",
]


@pytest.mark.parametrize("text", MIXED)
@pytest.mark.parametrize("block", [LARGE, BASIC])
def test_weaker_than_the_trace(text: str, block: Granularity) -> None:
    """Of every trace: if it has a run, so has its slice; and what a slice without a model says of the states in between
    is true behind the edges that it leaves out."""
    formulas = encoded(program(text), block)
    for trace in traces(formulas, 5 if block == LARGE else 8)[:25]:
        slice_ = sliced(formulas, trace)
        if not has_model(slice_.formula.parts):
            assert not has_model(trace_formula(formulas, trace).parts)


@pytest.mark.parametrize("text", MIXED)
def test_a_slice_with_a_model_is_a_bug(text: str) -> None:
    """All loops here end for some inputs, so some run of every slice with a model violates the property; and every run
    that is handed out replays."""
    code = program(text)
    formulas = encoded(code)
    promised = kept = 0
    for trace in traces(formulas, 5)[:12]:
        slice_ = sliced(formulas, trace)
        if has_model(slice_.formula.parts):
            promised += 1
            inputs = run_of(code, formulas, slice_)
            assert inputs is None or violates(code, inputs)
            kept += inputs is not None
    assert kept >= promised / 2
