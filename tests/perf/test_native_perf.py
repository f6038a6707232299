"""How fast native programs are built and run: `pytest tests/perf --benchmark-only`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from counterpoint.execute.native.build import Executable, Outcome, SearchEnd, build
from counterpoint.frontend.prepare import PreparedModule, prepare
from counterpoint.frontend.task import SourceTask

PROGRAM = """
extern int __VERIFIER_nondet_int(void); void reach_error(void) {}
int main(void) {
    int a[16], sum = 0;
    for (int i = 0; i < 16; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 16; i++) sum += a[i];
    if (sum == 0x12345678 && a[3] * a[3] == 0x7654321) reach_error();
}
"""
LOOP = """
void reach_error(void) {}
int main(void) {
    unsigned x = 1, n = 0;
    while (n < 30000000) { x = x * 1664525 + 1013904223; n++; }
    if (x == 5) reach_error();
}
"""
RUNS = 20_000


def prepared(folder: Path, source: str) -> PreparedModule:
    file = folder / "program.c"
    file.write_text(source)
    return prepare(SourceTask((file,)), "flat")


@pytest.fixture
def program(tmp_path: Path) -> PreparedModule:
    module = prepared(tmp_path, PROGRAM)
    build(module).close()
    return module


@pytest.fixture
def executable(program: PreparedModule) -> Iterator[Executable]:
    with build(program) as made:
        yield made


def test_build(benchmark: BenchmarkFixture, program: PreparedModule) -> None:
    benchmark(lambda: build(program).close())


def test_runs(benchmark: BenchmarkFixture, executable: Executable) -> None:
    """Each round makes RUNS runs of 16 inputs."""

    def search() -> SearchEnd:
        end = list(executable.search(runs=RUNS, seconds=60))[-1]
        assert isinstance(end, SearchEnd)
        return end

    end = benchmark(search)
    assert end.state.runs == RUNS
    benchmark.extra_info["runs"] = RUNS


def test_steps(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Each round takes 30 million loop iterations."""
    with build(prepared(tmp_path, LOOP)) as executable:
        run = benchmark.pedantic(executable.replay, args=((),), rounds=3)
    assert run.outcome is Outcome.FINISHED
    benchmark.extra_info["steps"] = run.steps
