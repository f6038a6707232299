"""Tests of a large program before anything else is done with it: natively, as it was compiled.

What the program is like is found out meanwhile. Of small programs that takes less time than a native build.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.engine_process import Assignment, engine_work
from counterpoint.portfolio.processes import spawn
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.schedule import EARLY

LARGE = 400_000
"""Characters of a module from which preparing it takes more than half a second."""

ROOM = 2 << 30
"""Bytes of address space beyond the memory of the check, for what is mapped and not used."""


def early_tests(subject: Subject, request: Request, budget: Budget) -> Running | None:
    """A process that tests the program for a moment, if it is large; it is killed after its share of the check's
    `budget`."""
    left_out = EARLY.engine not in engines.names() or f"-{EARLY.engine}" in request.engines
    if left_out or len(subject.defined.text) < LARGE:
        return None
    with suppress(CounterpointError):
        subject.module(UNPREPARED)
        options = {"prepare": request.prepare, **dict(request.options), **dict(EARLY.options)}
        limit = (EARLY.share or 1.0) * budget.remaining()
        given = Assignment(EARLY.engine, limit, request.seed, options, Path("/dev/null"), False)
        child = spawn(engine_work(subject, given), request.memory + ROOM)
        return Running(EARLY, child, time.monotonic() + limit, begun=budget.elapsed(), focus=subject.focus)
    return None
