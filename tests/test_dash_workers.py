"""DASH with several workers: same verdicts, and workers that die cost nothing but time."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.engines.dash import Options, Search
from counterpoint.engines.dash.replayed import replayed
from counterpoint.engines.dash.workers.processes import Processes
from counterpoint.engines.dash.workers.server import Server
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.execute.snapshots import constants
from counterpoint.portfolio.processes import descendants
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.locations import BASIC, locations
from counterpoint.regions.tests import run_test
from counterpoint.regions.tree import ExecutionTree

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
"""

SAFE = (
    HEAD
    + """
int main(void) {
    int a = 0, b = 0, c = 0, i = 0;
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int();
    while (i < 2) {
        a = b = c = 0;
        if (p != 0) a = 1;
        if (q != 0) b = 1;
        if (r != 0) c = 1;
        if (p != 0) { if (a != 1) reach_error(); a = 0; }
        if (q != 0) { if (b != 1) reach_error(); b = 0; }
        if (r != 0) { if (c != 1) reach_error(); c = 0; }
        i++;
    }
}
"""
)

UNSAFE = SAFE.replace("c = 0; }", "c = 0; if (p == 77 && q + p == 3) reach_error(); }")

HEAP = (
    HEAD
    + """
extern void *malloc(__SIZE_TYPE__);
struct pair { int x; int y; };
int main(void) {
    struct pair *one = malloc(sizeof(struct pair)), two;
    int i = __VERIFIER_nondet_int();
    two.y = one->x;
    if (i < 0 || i > 3) return 0;
    if (one->x == 9 && one->y + two.y == 4) i = 5;
    if (one->x > 3) { if (two.y == 1234 && i == 2) reach_error(); }
    return i;
}
"""
)


@contextmanager
def search(text: str, workers: int, seconds: float = 20.0) -> Iterator[Search]:
    options = Options(block=BASIC, workers=workers)
    made = Search(program(text, preparation="flat"), "flat", options, Tools(Budget(seconds)), {})
    try:
        yield made
    finally:
        made.asker.close()


def processes(made: Search) -> list[int]:
    assert isinstance(made.asker, Server) and isinstance(made.asker.crew, Processes)
    return [worker.pid for worker in made.asker.crew.workers.values() if worker.pid is not None]


def shape(made: Search) -> dict[str, int | float]:
    return {name: value for name, value in made.statistics().items() if name != "solver_seconds"}


# ---------------------------------------------------------------- verdicts


def test_any_number_of_workers_proves_the_same() -> None:
    shapes = []
    for workers in (1, 2, 4):
        with search(SAFE, workers) as made:
            verdict = made.run()
            assert isinstance(verdict, Safe) and isinstance(verdict.certificate, RegionGraph)
            check_proof(made.program, verdict.certificate, Budget(10.0))
            shapes.append(shape(made))
    one, two, four = shapes
    assert one["critical_path"] == one["solver_calls"]
    assert two["critical_path"] < two["solver_calls"]
    assert four["critical_path"] < two["critical_path"] < one["critical_path"]
    assert one["splits"] == two["splits"] == four["splits"]


@pytest.mark.parametrize("text", [UNSAFE, HEAP])
def test_workers_find_violations(text: str) -> None:
    for workers in (1, 3):
        with search(text, workers) as made:
            verdict = made.run()
            assert isinstance(verdict, Unsafe)
            if isinstance(made.asker, Server):
                assert not made.asker.unanswered


def test_the_same_happens_again() -> None:
    found = []
    for _ in range(2):
        with search(SAFE, 3) as made:
            made.run()
            found.append(shape(made))
    assert found[0] == found[1]


# ---------------------------------------------------------------- processes


def test_dead_workers_are_done_without() -> None:
    with search(SAFE, 3) as made:
        first, second, third = processes(made)
        os.kill(first, signal.SIGKILL)
        os.kill(third, signal.SIGKILL)
        verdict = made.run()
        assert isinstance(verdict, Safe)
        assert processes(made) == [second]
        assert isinstance(made.asker, Server) and made.asker.unanswered


def test_no_process_is_left() -> None:
    with search(SAFE, 2) as made:
        mine = processes(made)
        assert set(mine) <= set(descendants(os.getpid()))
    assert not set(mine) & set(descendants(os.getpid()))


def test_a_worker_that_hangs_costs_the_time_that_there_is() -> None:
    with search(SAFE, 2, seconds=1.5) as made:
        os.kill(processes(made)[0], signal.SIGSTOP)
        started = time.monotonic()
        with pytest.raises(OutOfBudget):
            made.run()
        assert time.monotonic() - started < 4.0


@pytest.mark.parametrize("given_", [{"dash.workers": "0"}, {"dash.workers": "many"}])
def test_strange_numbers_are_refused(given_: dict[str, str]) -> None:
    with pytest.raises(UnusableInput, match=r"dash\.workers"):
        Options.of(given_)


def test_a_cluster_needs_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UnusableInput, match="pip install"):
        Search(program(SAFE, preparation="flat"), "flat", Options(cluster="local"), Tools(Budget(5.0)), {})


# ---------------------------------------------------------------- runs that travel


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1 << 16), other=st.integers(0, 1 << 16), single=st.booleans())
def test_inputs_lead_the_same_way_in_another_world(seed: int, other: int, single: bool) -> None:
    for text in (UNSAFE, HEAP):
        made = program(text, preparation="flat")
        where = locations(made, BASIC)
        here, there = (ExecutionTree(where, {}, Budget(10.0)) for _ in range(2))
        run_test(there, Assignment(there.world, other, {}, constants(made)), 1, 50, single)  # names go another way
        test = run_test(here, Assignment(here.world, seed, {}, constants(made)), 1, 50, single)
        inputs = test.inputs(here)
        again = run_test(there, replayed(there, inputs, 0, single), 2, 50, single)
        assert [node.place for node in again.nodes] == [node.place for node in test.nodes]
        assert again.end == test.end
        assert again.inputs(there) == inputs
