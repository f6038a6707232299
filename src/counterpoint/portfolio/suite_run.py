"""Makes a test suite, in processes of its own.

The parent keeps every test that has arrived, so that a limit on time or memory ends the search and not the suite.
"""

from __future__ import annotations

import time
from dataclasses import replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, InternalError, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.portfolio.attending import Refused, Stop, Waiting, attended, kept
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.run import GRACE, ShowProgress
from counterpoint.portfolio.suite import Ended, SuiteTest, TestSuite
from counterpoint.property import DEFAULT

MARGIN = 0.2
"""Seconds kept for ending the processes and writing the suite."""


# ---------------------------------------------------------------- the parent


def make_suite(request: Request, show: ShowProgress | None = None) -> TestSuite:
    """Searches tests for the request's program, within its time and memory, in processes of its own.

    Raises UnusableInput (or CompilationFailed) for what cannot be compiled, InternalError for a crash before the
    first test. What signal handlers raise passes through after all processes are gone.
    """
    started = time.monotonic()
    with kept(lambda send: _work(request, started, send)) as worker:
        suite = _attend(worker, request, started, show or (lambda progress: None))
    return replace(suite, seconds=round(time.monotonic() - started, 3))


def _attend(worker: Child, request: Request, started: float, show: ShowProgress) -> TestSuite:
    suite = TestSuite(tuple(map(str, request.files)), request.property or DEFAULT, request.entry, 32, ())
    for message in attended(worker, started + request.timeout + GRACE, int(request.memory * 1.1)):
        match message:
            case Waiting():
                show(None)
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
            case MemoryError() | Stop.FULL:
                return replace(suite, ended="the memory limit was reached")
            case Crashed(details):
                return _crashed(suite, details)
            case Stop.ENDED:
                return _crashed(suite, "the worker ended without a word")
    return replace(suite, ended="the time was used up")


def _crashed(suite: TestSuite, details: str) -> TestSuite:
    report = write_crash_report("internal error in the search for tests", details)
    if not suite.tests:
        raise InternalError(f"the search for tests failed: see {report}")
    return replace(suite, ended=f"an internal error ended the search: see {report}")


# ---------------------------------------------------------------- the worker


def _work(request: Request, started: float, send: Send) -> None:
    budget = Budget(max(0.1, request.timeout - MARGIN), started=started)
    try:
        from counterpoint.portfolio.suite_search import search  # only here: the parent does without the engines

        search(source_task(request), request, budget, send)
    except UnusableInput as error:
        send(Refused.by(error))
    except CounterpointError as error:
        send(Ended(str(error), {}))
