"""Solvers that are asked the same: who computes when, and that none stays behind or stopped."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from counterpoint.solver import race as racing
from counterpoint.solver import worker
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.processes import SolverProcess, Solvers
from counterpoint.solver.race import Satisfiable, Unsatisfiable, race

WORKER = """
import sys, time
name = sys.argv[1]
while request := sys.stdin.buffer.readline().split():
    text = sys.stdin.buffer.read(int(request[2])).decode()
    turns, answer = dict(part.split(":") for part in text.split()).get(name, "0=unknown").split("=")
    begun, used = time.monotonic(), 0.0
    while used < float(turns):
        time.sleep(0.01)  # of which at most so much counts: it does not where this process is stopped
        now = time.monotonic()
        used, begun = used + min(0.02, now - begun), now
    print(answer, flush=True)
"""
"""A backend for which a script says how many seconds it needs, and its answer."""


class Watched(Solvers):
    """`computing`: of each moment at which that changed, who did."""

    def __init__(self, folder: Path, at_once: int) -> None:
        super().__init__(at_once=at_once)
        self.file = folder / "worker.py"
        self.file.write_text(WORKER)
        self.now: set[str] = set()
        self.computing: list[frozenset[str]] = []
        self.begun: list[str] = []

    def prepare(self, backend: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("counterpoint.solver.processes.WORKER", self.file)
            super().prepare(backend)

    def ask(self, backend: str, what: object, script: str, seconds: float) -> SolverProcess:
        process = super().ask(backend, "check", script, seconds)
        stop, go_on = process.stop, process.go_on
        process.stop = lambda: (self._note(backend, False), stop())  # type: ignore[method-assign,assignment,func-returns-value]
        process.go_on = lambda: (self._note(backend, True), go_on())  # type: ignore[method-assign,assignment,func-returns-value]
        self.begun.append(backend)
        self._note(backend, True)
        return process

    def _note(self, backend: str, computes: bool) -> None:
        self.now = self.now | {backend} if computes else self.now - {backend}
        self.computing.append(frozenset(self.now))


@pytest.fixture(autouse=True)
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "HEAD_START", 0.1)
    monkeypatch.setattr(racing, "FIRST_TURN", 0.15)


def test_one_at_a_time(tmp_path: Path) -> None:
    with Watched(tmp_path, 1) as solvers:
        assert race(solvers, "a:30=unsat b:30=unsat c:0.4=sat", 20, ["a", "b", "c"]) == Satisfiable("c")
        assert solvers.begun == ["a", "b", "c"]
        assert max(map(len, solvers.computing)) == 1
        assert len(solvers.computing) > 6  # c had to stop


def test_so_many_at_once(tmp_path: Path) -> None:
    with Watched(tmp_path, 2) as solvers:
        assert race(solvers, "a:30=sat b:30=sat c:0.4=unsat", 20, ["a", "b", "c"]) == Unsatisfiable("c")
        assert max(map(len, solvers.computing)) == 2


def test_the_first_one_is_alone_for_a_moment(tmp_path: Path) -> None:
    with Watched(tmp_path, 3) as solvers:
        for _ in range(3):
            assert race(solvers, "a:0=unsat b:0=unsat", 20, ["a", "b"]) == Unsatisfiable("a")
        assert solvers.begun == ["a", "a", "a"]


def test_who_gives_up_makes_way(tmp_path: Path) -> None:
    with Watched(tmp_path, 1) as solvers:
        assert race(solvers, "a:0=unknown b:0=unknown c:0=sat", 20, ["a", "b", "c"]) == Satisfiable("c")
        outcome = race(solvers, "a:0=unknown b:0=unknown", 20, ["a", "b"])
        assert isinstance(outcome, SolverUnknown)
        assert outcome.reason.count("unknown") == 2


def test_who_won_last_is_next(tmp_path: Path) -> None:
    with Watched(tmp_path, 1) as solvers:
        race(solvers, "a:30=sat b:30=sat c:0.01=unsat", 20, ["a", "b", "c"])
        solvers.begun.clear()
        race(solvers, "a:30=sat b:30=sat c:0.01=unsat", 20, ["a", "b", "c"])
        assert solvers.begun == ["a", "c"]


@pytest.mark.parametrize("at_once", [1, 2])
def test_two_have_to_agree(tmp_path: Path, at_once: int) -> None:
    with Watched(tmp_path, at_once) as solvers:
        said = race(solvers, "a:0.5=unsat b:30=unsat c:0.3=unsat", 20, ["a", "b", "c"], agreeing=2)
        assert isinstance(said, Unsatisfiable)
        assert set(said.backend.split(" and ")) == {"a", "c"}
        against = race(solvers, "a:0.5=unsat b:0.2=sat c:30=unsat", 20, ["a", "b", "c"], agreeing=2)
        assert against == Satisfiable("b")


def test_who_answered_goes_on_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it was stopped between its answer and our reading it."""
    asked = Solvers.ask

    def late(solvers: Solvers, backend: str, what: object, script: str, seconds: float) -> SolverProcess:
        process = asked(solvers, backend, "check", script, seconds)
        time.sleep(0.3)
        process.stop()
        return process

    with Watched(tmp_path, 1) as solvers:
        with monkeypatch.context() as patch:
            patch.setattr(Solvers, "ask", late)
            patch.setattr(racing, "FIRST_TURN", 0.0)
            assert race(solvers, "a:0=unsat b:0=unsat", 20, ["a", "b"]) == Unsatisfiable("a")
        assert race(solvers, "a:0=sat b:30=unsat", 20, ["a", "b"]) == Satisfiable("a")
        assert solvers.begun[-1] == "a"


def test_nobody_is_left_and_time_is_kept(tmp_path: Path) -> None:
    with Watched(tmp_path, 1) as solvers:
        begun = time.monotonic()
        outcome = race(solvers, "a:30=sat b:30=sat", 1.0, ["a", "b"])
        assert isinstance(outcome, SolverUnknown)
        assert time.monotonic() - begun < 8
        assert not solvers._busy
    if sys.platform == "linux":
        assert all("worker.py" not in _command(pid) for pid in _children())


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@pytest.mark.parametrize("value,expected", [(3, "sat"), (7, "unsat")])
def test_a_long_script_has_its_goals_at_a_level_of_their_own_and_the_same_answer(value: int, expected: str) -> None:
    facts = "".join(f"(assert (bvult x{n} x{n + 1}))" for n in range(4))
    declared = "".join(f"(declare-const x{n} (_ BitVec 3))" for n in range(5))
    goals = f"(assert (or (= x0 (_ bv{value} 3)) (= x4 (_ bv{(value - 4) % 8} 3)) (bvult x4 x0)))"
    script = f"(set-logic QF_BV){declared}{goals}{facts}(check-sat)"
    padding = "; nothing\n" * (worker.LONG // 10 + 1)
    assert worker._bitwuzla(script, 10.0) == worker._bitwuzla(padding + script, 10.0) == expected
