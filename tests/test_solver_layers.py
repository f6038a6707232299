"""The layers around a backend, and the race of processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import (
    Caching,
    ContradictingAnswer,
    Layer,
    Recording,
    Validating,
    is_satisfiable,
    is_valid,
    standard_factory,
    standard_solver,
)
from counterpoint.solver.protocol import Settings, SolverError
from counterpoint.solver.race import Satisfiable, Unsatisfiable, check_in_processes
from counterpoint.term import BOOL, FLOAT64, ArraySort, BitVec
from counterpoint.term import build as b
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.smtlib_parser import parse_smtlib
from counterpoint.term.term import V

X, Y = b.variable("x", BitVec(32)), b.variable("y", BitVec(32))


class Counting(Layer):
    """Counts the questions that reach the solver below."""

    checks = 0

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        self.checks += 1
        return super().check(assumptions, seconds)


class Lying(Layer):
    """Answers as told."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(backend("bitwuzla").connect(Settings()))
        self.answer = answer

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        return self.answer


def test_a_question_is_asked_once() -> None:
    counting = Counting(backend("bitwuzla").connect(Settings()))
    solver = Caching(counting)
    solver.add(b.ult(X, 10, 32))
    impossible = [b.ult(Y, 3, 32), b.ult(20, X, 32)]
    with solver.scope():
        solver.add(b.eq(Y, 2, 32))
        first = solver.check()
        second = solver.check([b.eq(Y, 2, 32)])
    assert isinstance(first, Sat) and first == second and counting.checks == 1
    answer = solver.check(impossible)
    assert solver.check(list(reversed(impossible))) == answer == Unsat((impossible[1],))
    assert counting.checks == 2 and solver.hits == 2
    assert solver.check([0]) == Unsat((0,))
    assert isinstance(solver.check(), Sat)
    assert counting.checks == 3


def test_a_remembered_core_names_what_was_asserted_then_and_is_assumed_now() -> None:
    solver = Caching(standard_solver("bitwuzla"))
    small, large = b.ult(X, 5, 32), b.ult(9, X, 32)
    with solver.scope():
        solver.add(small)
        solver.add(large)
        assert isinstance(solver.check(), Unsat)
    solver.add(small)
    answer = solver.check([large])
    assert isinstance(answer, Unsat)
    assert answer.core == (large,)


def test_a_cached_model_stays_valid() -> None:
    solver = standard_solver("bitwuzla")
    wanted = b.eq(b.mul(X, X, 32), 49, 32)
    kept = solver.check([wanted, b.ult(X, 100, 32)])
    solver.add(b.eq(X, 3, 32))
    assert isinstance(solver.check(), Sat)
    assert isinstance(kept, Sat)
    assert kept.model.value(wanted) == 1


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_recorded_queries_replay(tmp_path: Path, name: str) -> None:
    solver = Recording(backend(name).connect(Settings(addresses={1: 4096})), tmp_path, {1: 4096})
    solver.add(b.eq(b.address(1, 32), X, 32))
    assert isinstance(solver.check(), Sat)
    assert isinstance(solver.check([b.ult(X, 4096, 32)]), Unsat)
    first, second = sorted(tmp_path.iterdir())
    assert isinstance(check_in_processes(first.read_text(), 20), Satisfiable)
    assert isinstance(check_in_processes(second.read_text(), 20), Unsatisfiable)
    assert second.read_text().startswith(f"; {name}: unsat, core of 1\n")


def test_wrong_answers_are_noticed() -> None:
    right = backend("bitwuzla").connect(Settings())
    right.add(b.eq(X, 1, 32))
    model = right.check()
    liar = Validating(Lying(model))
    liar.add(b.eq(X, 2, 32))
    with pytest.raises(ContradictingAnswer, match="model does not satisfy"):
        liar.check()
    liar = Validating(Lying(Unsat(())), lambda: backend("z3").connect(Settings()))
    liar.add(b.eq(X, 2, 32))
    with pytest.raises(ContradictingAnswer, match="z3 has a model"):
        liar.check()


def test_right_answers_pass_validation() -> None:
    solver = standard_solver("z3", validate=True, addresses={3: b.add(X, 4, 32)})
    solver.add(b.eq(b.address(3, 32), Y, 32))
    assert isinstance(solver.check([b.eq(X, 5, 32)]), Sat)
    assert isinstance(solver.check([b.eq(X, 5, 32), b.eq(Y, 5, 32)]), Unsat)


def test_questions_with_yes_or_no() -> None:
    solver = standard_factory("bitwuzla")()
    solver.add(b.ult(X, Y, 32))
    assert is_valid(b.ne(Y, 0, 32), solver)
    assert not is_valid(b.ne(X, 0, 32), solver)
    assert is_satisfiable(b.eq(X, 0, 32), solver)
    with pytest.raises(SolverError, match="timeout"):
        is_satisfiable(b.eq(X, 7, 32), solver, seconds=0)


def all_kinds() -> list[V]:
    """Formulas with every sort and many operators."""
    memory = b.variable("memory", ArraySort(32, 8))
    f = b.variable("odd name", FLOAT64)
    p = b.variable("p", BOOL)
    stored = b.store(memory, b.add(X, 4, 32), b.extract(7, 0, Y, 32))
    total = b.add(b.mul(X, Y, 32), b.address(4, 32), 32)
    return [
        b.eq(total, 7, 32),
        b.or_(p, b.slt(total, X, 32)),
        b.ult(b.select(b.ite(p, stored, memory, memory.sort), Y), 5, 8),
        b.fp_lt(b.fp_add(f, 0x3FF0000000000000, FLOAT64), b.fp_from_signed(X, 32, FLOAT64), FLOAT64),
        b.slt(b.bits_from_fp(b.fp_neg(f, FLOAT64), FLOAT64), 0, 64),
        b.eq(b.fp_to_signed(f, FLOAT64, 32), b.sext(b.extract(15, 0, Y, 32), 16, 32), 32),
        b.eq(b.select(b.constant_array(ArraySort(32, 8), b.extract(7, 0, X, 32)), Y), 0, 8),
        b.eq(b.udiv(X, Y, 32), b.srem(Y, X, 32), 32),
    ]


def test_scripts_are_read_back_as_they_were() -> None:
    formulas = all_kinds()
    script = to_smtlib(formulas, "two\nlines")
    read = parse_smtlib(script)
    assert all(got is want for got, want in zip(read.assertions, formulas, strict=True))
    assert to_smtlib(read.assertions, "two\nlines") == script


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_scripts_are_understood_by_the_solvers_own_parsers(name: str) -> None:
    assert check_in_processes(to_smtlib(all_kinds()[:3]), 20, [name]) == Satisfiable(name)
    contradiction = [*all_kinds(), b.ult(X, 1, 32), b.ult(1, X, 32)]
    assert check_in_processes(to_smtlib(contradiction), 20, [name]) == Unsatisfiable(name)


def test_a_race_ends_in_time_and_leaves_no_process() -> None:
    p, q = b.variable("p64", BitVec(64)), b.variable("q64", BitVec(64))
    quotient = b.udiv(b.mul(b.udiv(b.mul(p, q, 64), b.add(p, q, 64), 64), q, 64), b.sub(p, q, 64), 64)
    hard = [b.eq(quotient, 12345, 64), b.ult(3, p, 64), b.eq(b.mul(p, q, 64), 0xDEADBEEFDEADBEE1, 64)]
    started = time.monotonic()
    assert isinstance(check_in_processes(to_smtlib(hard), 1.0), SolverUnknown)
    assert time.monotonic() - started < 3
    assert worker_processes(os.getpid()) == []


def worker_processes(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent_of_it = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if parent_of_it == str(parent) and b"solver/worker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def test_ctrl_c_leaves_no_process() -> None:
    program = (
        "from counterpoint.solver.race import check_in_processes\n"
        "print('ready', flush=True)\n"
        "a = '(declare-const x (_ BitVec 200))(declare-const y (_ BitVec 200))'\n"
        "n = (2**107 - 1) * (2**89 - 1)\n"
        "a += f'(assert (= ((_ zero_extend 200) (_ bv{n} 200)) (bvmul ((_ zero_extend 200) x) ((_ zero_extend 200) y))))'\n"
        "a += '(assert (bvult (_ bv1 200) x))(assert (bvult x y))'\n"
        "check_in_processes(a + '(check-sat)', 60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 10
    while not worker_processes(child.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert worker_processes(child.pid)
    time.sleep(0.3)
    workers = worker_processes(child.pid)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=10)
    assert workers
    for pid in workers:
        assert not Path(f"/proc/{pid}").exists()


def test_memory_limit_of_a_race() -> None:
    outcome = check_in_processes(to_smtlib(all_kinds()), 20, memory_megabytes=25)
    assert isinstance(outcome, SolverUnknown)


def test_a_broken_script_is_unknown_with_each_solvers_words() -> None:
    outcome = check_in_processes("(assert nonsense)", 20)
    assert isinstance(outcome, SolverUnknown)
    assert "bitwuzla: bitwuzla: " in outcome.reason and "z3: z3: " in outcome.reason
