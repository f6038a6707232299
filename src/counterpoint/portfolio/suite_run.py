"""A test suite for a program: its tests, the branches that they reach, and the run in processes that makes one.

The parent keeps every test that has arrived, so that a limit on time or memory ends the search and not the suite.
"""

from __future__ import annotations

import builtins
import select
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CompilationFailed, CounterpointError, InternalError, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.core.source import CheckSite
from counterpoint.portfolio.processes import Crashed, Kept, Send, keep
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import InputValue
from counterpoint.portfolio.run import GRACE, ShowProgress
from counterpoint.property import DEFAULT

if TYPE_CHECKING:
    from counterpoint.execute.coverage import Direction

MARGIN = 0.2
"""Seconds kept for ending the processes and writing the suite."""


class Ending(StrEnum):
    """How a test's run ends. Violations count where the property asks for the check that fails."""

    FINISHES = "finishes"
    VIOLATES = "violates"
    STOPPED = "goes on beyond the limit"
    UNSUPPORTED = "meets what has no meaning here"


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """One run of the unprepared program. `origin` made it: "zeros", "random" or an engine.

    `inputs` are all arbitrary values that it consumed, in order; `reached` numbers of directions. `check` is the one
    that fails, if it violates the property; `confirmed` then names the ways in which that was seen, and `harness` is
    a C file that repeats it ("" where it could not be replayed in time).
    """

    origin: str
    inputs: tuple[InputValue, ...]
    ending: Ending
    reached: frozenset[int]
    check: CheckSite | None = None
    confirmed: tuple[str, ...] = ()
    harness: str = ""


@dataclass(frozen=True, slots=True)
class TestSuite:
    """The tests in the order in which they were found: each reaches a new direction or fails a new check.

    `directions` are all ways out of the source's branches, whether a run can take them or not. `bits` is the width of
    a pointer. `ended` says why the search stopped; `statistics` counts runs and what the engine counts.
    """

    __test__ = False

    files: tuple[str, ...]
    property: str
    entry: str
    bits: int
    directions: tuple[Direction, ...]
    tests: tuple[SuiteTest, ...] = ()
    ended: str = ""
    seconds: float = 0.0
    statistics: Mapping[str, int | float | str] = field(default_factory=dict)

    @builtins.property
    def reached(self) -> frozenset[int]:
        """Numbers of the directions that some test takes."""
        return frozenset().union(*(test.reached for test in self.tests))


# ---------------------------------------------------------------- messages of the worker


@dataclass(frozen=True, slots=True)
class Ended:
    """The search is over; in its end, or so far (`why` is "")."""

    why: str
    statistics: Mapping[str, int | float | str]


@dataclass(frozen=True, slots=True)
class _Refused:
    message: str
    diagnostics: str


# ---------------------------------------------------------------- the parent


def make_suite(request: Request, show: ShowProgress | None = None) -> TestSuite:
    """Searches tests for the request's program, within its time and memory, in processes of its own.

    Raises UnusableInput (or CompilationFailed) for what cannot be compiled, InternalError for a crash before the
    first test. What signal handlers raise passes through after all processes are gone.
    """
    started = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="counterpoint-")
    worker: Kept | None = None
    try:
        worker = keep(lambda send: _work(request, started, scratch, send), scratch)
        suite = _attend(worker, request, started, show or (lambda progress: None))
    finally:
        if worker is not None:
            worker.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return replace(suite, seconds=round(time.monotonic() - started, 3))


def _attend(worker: Kept, request: Request, started: float, show: ShowProgress) -> TestSuite:
    deadline = started + request.timeout + GRACE
    suite = TestSuite(tuple(map(str, request.files)), request.property or DEFAULT, request.entry, 32, ())
    while True:
        for message in worker.child.receive():
            match message:
                case Progress():
                    show(message)
                case TestSuite():
                    suite = message
                case SuiteTest():
                    suite = replace(suite, tests=(*suite.tests, message))
                case Ended(why, statistics):
                    suite = replace(suite, ended=why, statistics=statistics)
                    if why:
                        return suite
                case _Refused(text, diagnostics):
                    raise CompilationFailed(text, diagnostics) if diagnostics else UnusableInput(text)
                case MemoryError():
                    return replace(suite, ended="the memory limit was reached")
                case Crashed(details):
                    return _crashed(suite, details)
        if worker.child.ended:
            return _crashed(suite, "the worker ended without a word")
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return replace(suite, ended="the time was used up")
        if worker.resident() > request.memory * 1.1:
            return replace(suite, ended="the memory limit was reached")
        show(None)
        select.select([worker.child.reader], [], [], min(remaining, 0.1))


def _crashed(suite: TestSuite, details: str) -> TestSuite:
    from counterpoint.portfolio.crash import write_crash_report

    report = write_crash_report("internal error in the search for tests", details)
    if not suite.tests:
        raise InternalError(f"the search for tests failed: see {report}")
    return replace(suite, ended=f"an internal error ended the search: see {report}")


# ---------------------------------------------------------------- the worker


def _work(request: Request, started: float, scratch: str, send: Send) -> None:
    import os

    tempfile.tempdir = scratch
    os.environ["TMPDIR"] = scratch
    budget = Budget(max(0.1, request.timeout - MARGIN), started=started)
    try:
        from counterpoint.portfolio.suite_search import search

        search(source_task(request), request, budget, send)
    except UnusableInput as error:
        send(_Refused(str(error), getattr(error, "diagnostics", "")))
    except CounterpointError as error:
        send(Ended(str(error), {}))
