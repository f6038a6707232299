"""A check of each program of a project, some at a time, with the same options."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.preprocessed import texts
from counterpoint.portfolio.asked import asked_for
from counterpoint.portfolio.compilation_database import compilation_database
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.kept_results import check
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult
from counterpoint.portfolio.run import unanswered
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side
from counterpoint.projects.changes import changes_since
from counterpoint.projects.configuration import Configuration
from counterpoint.projects.programs import Program, programs_of

if TYPE_CHECKING:
    from counterpoint.cluster.workers import Workers

LATE: Final = 30.0
"""Seconds beyond its time at which a check is ended that did not end by itself, as all do."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a program cannot be checked."""

    why: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """Nothing that the program depends on has changed since the revision."""

    since: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A program, and what came of it."""

    program: Program
    answer: CheckResult | Refusal | NotRun

    @property
    def result(self) -> CheckResult | None:
        """None where it was not checked."""
        return self.answer if isinstance(self.answer, CheckResult) else None

    @property
    def verdict(self) -> str:
        """Of the result, or UNUSABLE, or NOT RUN."""
        match self.answer:
            case CheckResult() as result:
                return result.verdict
            case Refusal():
                return "UNUSABLE"
            case NotRun():
                return "NOT RUN"


Tell = Callable[[Checked], None]
Ask = Callable[[Request], CheckResult]


def check_project(
    request: Request,
    configuration: Configuration,
    folder: Path,
    tell: Tell,
    jobs: int = 1,
    ask: Ask = check,
    workers: Workers | None = None,
) -> tuple[Checked, ...]:
    """The programs of the database that the request names, by name, `jobs` at a time; `tell` is called with each, in
    that order, when it and all before it are done.

    `ask` gives the result of one program; it is called in a process of its own, on the `workers` if there are any, as
    many at a time as these are. A program that cannot be checked is told of as such. Raises UnusableInput where there
    is no program.
    """
    assert request.compilation_database is not None
    if request.property is not None:
        asked_for(request.property, "C")
    changes = changes_since(configuration.changed_since, folder) if configuration.changed_since is not None else None
    database = compilation_database(request.compilation_database)
    programs = programs_of(database, request, configuration, folder, jobs, changes)
    found: dict[str, Checked] = {}
    told: list[Checked] = []

    def put(program: Program, answer: CheckResult | Refusal | NotRun) -> None:
        found[program.name] = Checked(program, answer)
        while len(told) < len(programs) and (one := found.get(programs[len(told)].name)) is not None:
            told.append(one)
            tell(one)

    def done(program: Program, given: CheckResult | Refusal | Lost) -> None:
        put(program, _crashed(request, program, given) if isinstance(given, Lost) else given)

    waiting: list[Program] = []
    for program in programs:
        if program.unread:
            put(program, Refusal(program.unread))
        elif program.unchanged and changes is not None:
            put(program, NotRun(changes.revision))
        else:
            waiting.append(program)
    answer = partial(_answer, request, ask)
    limits = Limits(workers.number if workers else jobs, math.inf, request.timeout, request.timeout, LATE)
    if workers is None:
        side_by_side(waiting, answer, limits, done)
    else:
        from counterpoint.portfolio.afar import afar

        afar(waiting, answer, limits, done, workers, partial(_about, request))
    return tuple(told)


def _about(request: Request, program: Program) -> tuple[str, ...] | None:
    """What the compiler sees of the program."""
    try:
        return texts(source_task(replace(request, files=program.files)), LATE)
    except UnusableInput:
        return None


def _answer(request: Request, ask: Ask, program: Program, seconds: float) -> CheckResult | Refusal:
    """`seconds` are those of the request."""
    try:
        return ask(replace(request, files=program.files))
    except UnusableInput as error:
        return Refusal(str(error))


def _crashed(request: Request, program: Program, lost: Lost) -> CheckResult:
    """The row of a program whose check broke."""
    report = write_crash_report(f"the check of {program.name} failed", lost.traceback or lost.why)
    detail = lost.traceback.strip().rpartition("\n")[2] or lost.why
    nothing = unanswered(replace(request, files=program.files), INTERNAL_ERROR, detail)
    return replace(nothing, crash_reports=(report,))
