"""Dynamic symbolic execution: paths, order, verdicts."""

from __future__ import annotations

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import ignore
from counterpoint.engines import task
from counterpoint.engines.dse import ENGINE, settings
from counterpoint.engines.dse.branch_distance import FAR, BranchDistance
from counterpoint.engines.dse.exploration import Settings, conditional_edges, explore
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.program.inline import inline
from counterpoint.regions.tests import End, Test

DIAMONDS = """
int main(void) {
    int lock = 1, x = 0, y = 0;
    int *p = &y;
    if (any()) x = x + 1; else *p = *p + 1;
    if (any()) x = x + 1; else *p = *p + 1;
    if (any()) x = x + 1; else *p = *p + 1;
    if (any()) x = x + 1; else *p = *p + 1;
    if (any()) x = x + 1; else *p = *p + 1;
    check(lock == 1);
}
"""
"""Figure 5.2 of the thesis."""

RUNNING = """
int main(void) {
    int x = any();
    if (x == 13) {
        if (x < 10) reach_error();
        int y = any();
        x = x + y;
        if (x < 0) reach_error();
    }
}
"""
"""Figure 2.1 of the thesis."""


def verdict(text: str, **options: str) -> Verdict:
    return ENGINE.verify(task("dse", subject(text), options), Tools(Budget(90.0)))


def proved(text: str, answer: Verdict) -> bool:
    assert isinstance(answer, Safe) and isinstance(answer.certificate, CompleteUnrolling)
    check_proof(subject(text).program(answer.certificate.preparation), answer.certificate, Budget(90.0))
    return True


def test_table_5_3() -> None:
    answer = verdict(DIAMONDS, prepare="none")
    counts = ENGINE.statistics()
    assert (counts["tests"], counts["queries"], counts["solver_calls"], counts["unsat"]) == (32, 31, 31, 0)
    assert proved(DIAMONDS, answer)


def test_figure_2_1() -> None:
    answer = verdict(RUNNING)
    assert isinstance(answer, Unsafe)
    outcome = run(subject(RUNNING).program("none"), ReplayInputs(answer.violation.inputs)).outcome
    assert isinstance(outcome, Violated)
    assert subject(RUNNING).program("none").checks[outcome.check].at.line == 16


LOOP = """
int main(void) {
    unsigned char n = __VERIFIER_nondet_uchar();
    int sum = 0;
    if (n > 6) return 0;
    for (int i = 0; i < n; i++) sum += i;
    check(sum <= 15);
}
"""


def test_all_paths_of_a_bounded_loop_are_a_proof() -> None:
    assert proved(LOOP, verdict(LOOP))


def test_violation_in_a_bounded_loop() -> None:
    answer = verdict(LOOP.replace("sum <= 15", "sum != 15"))
    assert isinstance(answer, Unsafe)
    (given,) = answer.violation.inputs
    assert given.value == 6  # type: ignore[union-attr]


RECURSION = """
int down(int n) { if (n <= 0) return 0; return 1 + down(n - 1); }
int main(void) { int n = any(); if (n > 4) return 0; check(down(n) <= 4); }
"""


def test_recursion() -> None:
    assert proved(RECURSION, verdict(RECURSION))
    assert isinstance(verdict(RECURSION.replace("<= 4)", "<= 3)")), Unsafe)


def test_an_endless_path_stops_and_others_go_on() -> None:
    text = "int main(void) { int x = 0; while (1) { if (any() == 77) x++; check(x < 3); } }"
    assert isinstance(verdict(text), Unsafe)
    never = text.replace("x < 3", "x >= 0 || x == 1").replace("x++", "x = 1")
    answer = verdict(never, **{"dse.depth": "30"})
    assert isinstance(answer, Unknown) and answer.reason is Reason.BOUND_REACHED


def test_an_array_with_an_arbitrary_index() -> None:
    text = """
    int main(void) {
        int a[8] = {3, 1, 4, 1, 5, 9, 2, 6};
        unsigned i = any();
        if (i < 8 && a[i] == 9) { a[i - 1] = 0; check(a[4] != 0); }
    }
    """
    assert isinstance(verdict(text), Unsafe)


def test_what_has_no_meaning_is_no_proof() -> None:
    text = "extern int setjmp(void *); char b[200]; int main(void) { if (any() == 4321) setjmp(b); return 0; }"
    answer = verdict(text)
    assert isinstance(answer, Unknown) and answer.reason is Reason.UNSUPPORTED


def test_calls_have_paths_of_their_own() -> None:
    text = "static int f(int x) { if (x > 5) return 1; return 2; } int main(void) { check(f(any()) + f(any()) < 9); }"
    verdict(text, prepare="none")
    assert ENGINE.statistics()["tests"] == 4


def test_the_same_seed_gives_the_same_tests() -> None:
    def inputs() -> list[object]:
        found = inline(program(LOOP, preparation="none"))
        chosen = Settings(Budget(90.0), ignore, seed=3)
        seen: list[object] = []
        explore(found, chosen, conditional_edges(found), lambda e, t: seen.append(t.inputs(e.tree)) is not None)
        return seen

    first = inputs()
    assert first == inputs() and len(first) == 8


def test_the_nearest_uncovered_branch_comes_first() -> None:
    """Four magic numbers, before a loop with a thousand ways off each path."""
    answer = verdict("""
    int main(void) {
        if (any() == 11) if (any() == 22) if (any() == 33) if (any() == 44) reach_error();
        for (int i = 0; i < 1000; i++) if (any() == i) { i += 2; }
        return 0;
    }
    """)
    assert isinstance(answer, Unsafe) and ENGINE.statistics()["tests"] <= 8


def test_distances() -> None:
    found = program("int main(void) { if (any()) { if (any()) return 1; } return 0; }", preparation="none")
    edges = conditional_edges(found)
    assert len(edges) == 4
    last = max(edge for edge in edges)
    distance = BranchDistance(found, {last})
    assert distance.of(last) == 0
    assert all(distance.of(edge) > 0 for edge in edges - {last})
    assert distance.drop([last]) and not distance.drop([last])
    assert all(distance.of(edge) == FAR for edge in edges)


def test_runs_that_assumptions_exclude_are_no_violations() -> None:
    text = "int main(void) { int x = any(); __VERIFIER_assume(x > 3 && x < 5); check(x == 4); }"
    assert proved(text, verdict(text))


@pytest.mark.parametrize("option", ["dse.depth=0", "dse.tests=-1", "dse.depth=many"])
def test_options(option: str) -> None:
    name, value = option.split("=")
    with pytest.raises(UnusableInput, match=name):
        settings({name: value}, Tools(Budget(1.0)))


def test_a_test_stopped_at_the_depth_is_kept() -> None:
    found = inline(program("int main(void) { while (1) { if (any() == 1) any(); } }", preparation="none"))
    tests: list[Test] = []
    explore(found, Settings(Budget(90.0), ignore, depth=20, most=5), set(), lambda _, t: tests.append(t) is not None)
    assert len(tests) == 5 and all(test.end is End.STOPPED for test in tests)
