"""Questions of a benchmark, and jobs, on other machines: what travels, and workers that are lost. Ray is a stand-in."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from counterpoint.benchmarking.on_cluster import asked_there
from counterpoint.benchmarking.rows import Kind, Row
from counterpoint.benchmarking.shipped import shipped
from counterpoint.benchmarking.tasks import BenchTask, collect
from counterpoint.benchmarking.tools import Tool
from counterpoint.cluster.workers import Workers
from counterpoint.core.errors import UnusableInput
from counterpoint.portfolio.afar import afar
from counterpoint.portfolio.side_by_side import Limits
from counterpoint.portfolio.side_by_side import Lost as LostJob

SOURCE = "extern void reach_error(void);\nint main(void) { return 0; }\n"
PROPERTY = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
DEFINITION = """format_version: '2.0'
input_files: 'sources/a.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
"""


class Lost(Exception):
    """What Ray raises for a worker that died."""


def ray(monkeypatch: pytest.MonkeyPatch, lost: int = 0, cpus: int = 4) -> SimpleNamespace:
    """A stand-in that works at once; the first `lost` questions are those of workers that died."""
    asked: list[object] = []

    def remote(**options: object) -> Callable[[Callable[..., Any]], SimpleNamespace]:
        def start(work: Callable[..., Any], *arguments: Any) -> Any:
            asked.extend(arguments[1:2])
            future: Future[Any] = Future()
            try:
                if len(asked) in range(1, lost + 1):
                    raise Lost
                future.set_result(work(*arguments))
            except Exception as error:
                future.set_exception(error if isinstance(error, Lost) else Lost(repr(error)))
            return SimpleNamespace(future=lambda: future)

        return lambda work: SimpleNamespace(remote=lambda *arguments: start(work, *arguments))

    module = SimpleNamespace(
        init=lambda **_: None, is_initialized=lambda: True, shutdown=lambda: closed.append(1), remote=remote,
        get=lambda reference: reference.future().result(), cluster_resources=lambda: {"CPU": cpus}, asked=asked,
        exceptions=SimpleNamespace(RayError=Lost), cancel=lambda job, force: None,
    )  # fmt: skip
    closed: list[int] = []
    module.closed = closed
    monkeypatch.setitem(sys.modules, "ray", module)
    return module


@pytest.fixture
def task(tmp_path: Path) -> BenchTask:
    for name, text in (
        ("family/a.yml", DEFINITION), ("family/sources/a.c", SOURCE), ("properties/unreach-call.prp", PROPERTY),
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (found,) = collect([tmp_path / "family" / "a.yml"])
    return found


def maker() -> Tool:
    def answer(task: BenchTask, stop: Event) -> Row:
        assert not stop.is_set()
        text = "".join(path.read_text() for path in task.files) + str(task.definition.is_file())
        head = ("tool", task.name, task.family, task.property, task.expected, "")
        return Row(*head, verdict=text, kind=Kind.CORRECT, seconds=0.0, status=0)

    return answer


def test_a_task_is_made_where_its_files_are_not(task: BenchTask, tmp_path: Path) -> None:
    parcel = shipped(task)
    assert parcel.arrived(tmp_path / "there") == task  # the same files are there
    task.files[0].write_text("changed")
    arrived = parcel.arrived(tmp_path / "there")
    assert arrived.files[0].read_text() == SOURCE and arrived.files[0].is_relative_to(tmp_path / "there")
    (again,) = collect([arrived.definition])
    assert (again.name, again.property, again.expected) == (task.name, task.property, task.expected)


def test_a_file_that_cannot_be_read_is_refused(task: BenchTask) -> None:
    task.files[0].unlink()
    with pytest.raises(UnusableInput, match=r"a\.c: cannot be read"):
        shipped(task)


@pytest.mark.parametrize("lost", [0, 1])
def test_each_question_has_one_row(task: BenchTask, monkeypatch: pytest.MonkeyPatch, lost: int) -> None:
    module = ray(monkeypatch, lost)
    workers = Workers("local", None, 2, 4)
    row = asked_there(maker, workers)(task, Event())
    assert row.verdict == SOURCE + "True" and workers.number == 2
    assert len(module.asked) == 1
    workers.close()
    assert module.closed


def test_jobs_limit_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    ray(monkeypatch, cpus=8)
    assert Workers("local", 3, 1, 2).number == 3
    assert Workers("local", None, 1, 2).number == 8
    assert Workers("local", 20, 1, 2).number == 8


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ray(monkeypatch)
    monkeypatch.setattr("counterpoint.cluster.workers._version", lambda: "0.0.1")
    with pytest.raises(UnusableInput, match=r"have version 0\.0\.1"):
        Workers("local", None, 1, 2)
    assert module.closed


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UnusableInput, match=r"--cluster: Ray is not installed.*counterpoint\[cluster\]"):
        Workers("local", None, 1, 2)


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    ray(monkeypatch)
    with pytest.raises(UnusableInput, match=r"no workers at `127\.0\.0\.1:1`"):
        Workers("127.0.0.1:1", None, 1, 2)


# ---------------------------------------------------------------- jobs


@pytest.mark.parametrize("there", ["answered", "lost", "another text"])
def test_each_job_is_answered_wherever(monkeypatch: pytest.MonkeyPatch, there: str) -> None:
    ray(monkeypatch, lost=2 if there == "lost" else 0)
    told: dict[float, float | LostJob] = {}
    about = abs if there != "another text" else id  # which says something else in another process
    workers = Workers("local", None, 1, 2)
    limits = Limits(workers.number, math.inf, 30.0, 30.0, 1.0)
    left = afar([31.0, 65.0], math.fmod, limits, told.__setitem__, workers, about)
    assert left == (0 if there == "answered" else 2)
    assert told == {31.0: pytest.approx(1.0, abs=0.1), 65.0: pytest.approx(5.0, abs=0.1)}


def test_a_job_that_breaks_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    ray(monkeypatch)
    told: dict[float, float | LostJob] = {}
    limits = Limits(1, math.inf, 30.0, 30.0, 1.0)
    afar([math.inf], math.fmod, limits, told.__setitem__, Workers("local", 1, 1, 1), abs)
    found = told[math.inf]
    assert isinstance(found, LostJob) and "math domain error" in found.traceback
