"""Hot loops of terms and solvers; run with `pytest tests/perf --benchmark-only`. Each round is 10,000 operations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import BOOL, FLOAT64, ArraySort, BitVec, evaluate, floating
from counterpoint.term import build as b
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.smtlib_parser import parse_smtlib
from counterpoint.term.term import Term, V

N = 10_000
X, Y = b.variable("x", BitVec(32)), b.variable("y", BitVec(32))
_fresh = count()

Benchmark = Callable[..., Any]


def mixed(steps: int) -> Term:
    """A deep term of `steps` operations over a few variables, half of them comparisons and choices."""
    memory: V = b.variable("memory", ArraySort(32, 32))
    value: V = b.variable(f"start{next(_fresh)}", BitVec(32))
    for i in range(steps // 5):
        condition = b.slt(value, b.variable(f"v{i % 50}", BitVec(32)), 32)
        other = b.add(b.mul(value, Y, 32), X, 32)
        value = b.bvxor(b.ite(condition, other, b.sub(value, i, 32), 32), Y, 32)
    assert isinstance(value, Term) and isinstance(memory, Term)
    return value


def test_interning_of_new_terms(benchmark: Benchmark) -> None:
    def grow() -> None:
        value: V = b.variable(f"new{next(_fresh)}", BitVec(32))
        for _ in range(N):
            value = b.add(value, Y, 32)

    benchmark.pedantic(grow, rounds=10)


def test_interning_of_known_terms(benchmark: Benchmark) -> None:
    def repeat() -> None:
        value: V = X
        for _ in range(N):
            value = b.add(value, Y, 32)

    repeat()
    benchmark(repeat)


def test_folding_of_ints(benchmark: Benchmark) -> None:
    def fold() -> None:
        value: V = 1
        for i in range(N):
            value = b.add(value, i, 32)

    benchmark(fold)


def test_guards_that_fork_and_join(benchmark: Benchmark) -> None:
    conditions = [b.variable(f"c{i}", BOOL) for i in range(N // 4)]

    def join() -> None:
        guard: V = b.variable("g", BOOL)
        for condition in conditions:
            taken, other = b.and_(guard, condition), b.and_(guard, b.not_(condition))
            guard = b.or_(taken, other)

    benchmark(join)


def test_evaluation(benchmark: Benchmark) -> None:
    term = mixed(N)
    benchmark(evaluate, term, {"x": 3, "y": 5, "v7": 9})


def test_float64_multiplication(benchmark: Benchmark) -> None:
    def multiply() -> None:
        value = 0x3FF0000000000000
        for _ in range(N):
            value = floating.mul(value, 0x3FF0000000000001, FLOAT64)

    benchmark(multiply)


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_translation(benchmark: Benchmark, name: str) -> None:
    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (backend(name).connect(Settings()), b.eq(mixed(N), 7, 32)), {}

    benchmark.pedantic(lambda solver, formula: solver.add(formula), setup=fresh, rounds=5)


def test_smtlib_writing(benchmark: Benchmark) -> None:
    formula = b.eq(mixed(N), 7, 32)
    benchmark(to_smtlib, [formula])


def test_smtlib_reading(benchmark: Benchmark) -> None:
    script = to_smtlib([b.eq(mixed(N), 7, 32)])
    benchmark(parse_smtlib, script)


@pytest.mark.parametrize("name", ["bitwuzla", "z3"])
def test_small_incremental_checks(benchmark: Benchmark, name: str) -> None:
    """100 questions about a formula of 20 operations."""
    solver = backend(name).connect(Settings())
    solver.add(b.ult(mixed(20), 1 << 31, 32))

    def ask() -> None:
        for i in range(100):
            solver.check([b.eq(X, i, 32), b.ult(Y, i, 32)], seconds=10)

    benchmark.pedantic(ask, rounds=3)
