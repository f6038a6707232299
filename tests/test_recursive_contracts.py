"""Contracts of recursive functions, learned from calls that are made once."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterpoint
from counterpoint.core.budget import Budget
from counterpoint.execute.snapshots import Snapshots
from counterpoint.execute.subject import FLAT, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.invariants.recursive_runs import KEPT, with_recursion
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.cutpoint import EXIT

TEXT = "extern int __VERIFIER_nondet_int(void); void reach_error(void);"

FIBONACCI = "int f(int n) { if (n < 1) return 0; if (n == 1) return 1; return f(n - 1) + f(n - 2); }"

ACKERMANN = """
int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1); return a(m - 1, a(m, n - 1)); }
int main(void) {
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 0 || m > LAST || n < 0 || n > 23) return 0;
    if (WRONG) reach_error();
}
"""


def graph_of(tmp_path: Path, text: str) -> CutGraph:
    file = tmp_path / "a.c"
    file.write_text(TEXT + text)
    return cut_graph(compile_subject(SourceTask((file,))).program(FLAT), Budget(60))


def test_results_that_no_run_gets_to(tmp_path: Path) -> None:
    text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 46) return 0; if (f(x) < x - 1) reach_error(); }"
    graph = graph_of(tmp_path, FIBONACCI + text)
    one, two = (with_recursion(graph, Snapshots(), Budget(30), 0) for _ in range(2))
    results = {tuple(state.values.values())[:2] for state in one.at["f", EXIT]}
    assert {(45, 1134903170), (46, 1836311903)} <= results
    assert len(one.at["f", EXIT]) <= KEPT and one.at == two.at


def test_what_does_not_return_is_left_out(tmp_path: Path) -> None:
    text = "int f(int n) { return n == 5 ? f(n) : n > 5 ? f(n + 1) : n; } int main(void) { f(__VERIFIER_nondet_int()); }"
    seen = with_recursion(graph_of(tmp_path, text), Snapshots(), Budget(30), 0).at
    assert all(value <= 4 or value >> 31 for state in seen["f", EXIT] for value in tuple(state.values.values())[:1])


def test_the_end_of_the_budget_ends_it(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, FIBONACCI + "int main(void) { f(__VERIFIER_nondet_int()); }")
    budget = Budget(30)
    budget.cancel()
    assert not any(with_recursion(graph, Snapshots(), budget, 0).at.values())


@pytest.mark.parametrize(
    ("last", "wrong"),
    [pytest.param(2, "a(m, n) < n + 1 + m", marks=pytest.mark.long), (1, "a(m, n) != n + m + 1")],
)
def test_cases_of_an_argument(tmp_path: Path, last: int, wrong: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(TEXT + ACKERMANN.replace("LAST", str(last)).replace("WRONG", wrong))
    assert counterpoint.check(file, engines=("houdini",)).verdict == "TRUE"
