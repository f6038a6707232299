"""All functions of the files from arbitrary callers: one run of the front end, then a process for each function."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from counterpoint import engines
from counterpoint.core.errors import CounterpointError, InternalError, UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.entries.checking import Unit, checked
from counterpoint.entries.compiling import GRACE, MAIN, FrontEnd, Job, compiled
from counterpoint.entries.findings import Entries, Entry, Finding, Grade
from counterpoint.entries.request import EntryEach
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.attending import Refused, Stop, attended, kept
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send
from counterpoint.portfolio.request import source_task
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.result_key import product
from counterpoint.portfolio.run import run as run_check
from counterpoint.portfolio.schedule import is_automatic
from counterpoint.portfolio.side_by_side import Limits, Lost, telling
from counterpoint.property import named

LEAST: Final = 5.0
MOST: Final = 120.0
"""Seconds of one function."""

MAIN_SHARE: Final = 0.2
MAIN_MOST: Final = 20.0
"""Of the time, for runs from main; seconds, at most, as all functions wait for them."""

ANY_TEXT: Final = 400
"""Bytes of text that every function counts for, beside its own: what has more to check has more time."""

PROPERTY: Final = "memory-safety"
"""What is checked where nothing is named: of a function by itself there is nothing that it reaches."""

Tell: TypeAlias = Callable[[Entry], None]


@dataclass(frozen=True, slots=True)
class _Listed:
    """All functions, in the order of the text, with nothing known of them."""

    task: SourceTask
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class _FromMain:
    findings: tuple[Finding, ...]


def run(asked: EntryEach, tell: Tell) -> Entries:
    """What is known of the functions; `tell` is called with each as it is finished. Within the time and memory that
    were given, in processes that end with this call. Raises UnusableInput and CompilationFailed."""
    began = time.monotonic()
    with kept(partial(_work, asked, began)) as worker:
        found = _attend(worker, asked, began, tell)
    return replace(found, seconds=round(time.monotonic() - began, 2))


def _attend(worker: Child, asked: EntryEach, began: float, tell: Tell) -> Entries:
    """Takes what arrives until the worker ends or is late."""
    listed: _Listed | None = None
    found: dict[tuple[str, str], Entry] = {}
    from_main: tuple[Finding, ...] = ()
    why = "no time was left for it: give more with --timeout"
    for message in attended(worker, began + asked.request.timeout + 3 * GRACE, asked.request.memory):
        match message:
            case Crashed(details):
                raise InternalError(details.strip())
            case MemoryError():
                why = "the memory limit was reached"
            case Stop.FULL:
                why = f"the memory limit of {asked.request.memory >> 20} MiB was reached"
            case _Listed() as listed:
                pass
            case _FromMain(from_main):
                pass
            case Entry() as entry:
                found[entry.file, entry.function] = entry
                tell(entry)
    if listed is None:
        raise UnusableInput("the files were not compiled within the time: give more with --timeout")
    for entry in listed.entries:
        if (entry.file, entry.function) not in found:
            late = replace(entry, missing=why)
            found[entry.file, entry.function] = late
            tell(late)
    ordered = tuple(found[entry.file, entry.function] for entry in listed.entries)
    return Entries(listed.task.property, tuple(map(str, listed.task.files)), ordered, from_main)


# ---------------------------------------------------------------- the worker


def _work(asked: EntryEach, began: float, send: Send) -> None:
    deadline = began + asked.request.timeout
    try:
        task = _task(asked)
        made = compiled(asked, task, deadline)
    except UnusableInput as error:
        send(Refused.by(error))
        return
    if made is None:
        return
    jobs = made.jobs
    send(_Listed(task, tuple(job.nothing("") for job in jobs)))
    if any(MAIN in job.declared.functions for job in jobs):
        send(_FromMain(_from_main(asked, task, deadline)))
    for job in jobs:
        if job.environment is None:
            send(job.nothing(job.why))
    limits = Limits(asked.request.jobs, deadline, LEAST, MOST, GRACE)
    _one_by_one(asked, task, made, limits, send)


def _texts(jobs: Sequence[Job]) -> dict[tuple[Path, str], int]:
    """How long the text of each function is, in bytes, by file and name."""
    own: dict[tuple[Path, str], int] = {}
    for declared in {job.declared.file: job.declared for job in jobs}.values():
        starts = sorted(one.offset for one in declared.functions.values() if one.file in ("", str(declared.file)))
        ends = dict(zip(starts, (*starts[1:], declared.file.stat().st_size), strict=True))
        for name, one in declared.functions.items():
            own[declared.file, name] = max(0, ends.get(one.offset, 0) - one.offset)
    return own


def _small_first(jobs: Sequence[Job], texts: Mapping[tuple[Path, str], int]) -> list[Job]:
    """By the text of the function and of those below it: small ones need little of their parts of the time, and leave
    the rest for the others."""

    def size(job: Job) -> int:
        return sum(texts[job.declared.file, one.name] for one in job.declared.below(job.function.name))

    return sorted(jobs, key=size)


def _task(asked: EntryEach) -> SourceTask:
    """Raises UnusableInput."""
    request = asked.request
    is_automatic(request.engines)  # raises for what is none
    engines.check_options(request.options)
    task = source_task(replace(request, property=request.property or PROPERTY))
    if task.is_translated:
        raise UnusableInput(f"{task.files[0]}: is no C program: --entry-each checks C functions")
    for file in task.files:
        name = str(file.absolute())
        if shown(name) != name or any(character in name for character in '"\\'):
            raise UnusableInput(f"{file}: has a name that no #include can say: rename it")
    named(task.property)
    return task


def _from_main(asked: EntryEach, task: SourceTask, deadline: float) -> tuple[Finding, ...]:
    """What the whole program's runs violate."""
    seconds = min(MAIN_MOST, max(1.0, MAIN_SHARE * (deadline - time.monotonic())))
    request = replace(asked.request, property=task.property, timeout=seconds, findings="more")
    try:
        result: CheckResult = run_check(request)
    except CounterpointError:
        return ()
    first = (result.counterexample,) if result.counterexample is not None else ()
    return tuple(Finding(Grade.RUN, one, "a run from main") for one in result.findings or first)


def _one_by_one(
    asked: EntryEach,
    task: SourceTask,
    made: FrontEnd,
    limits: Limits,
    send: Send,
) -> None:
    """Sends what is known of each of the functions, each from a process of its own."""
    request = replace(asked.request, memory=asked.request.memory // asked.request.jobs)
    jobs = [job for job in made.jobs if job.environment is not None]
    texts = _texts(jobs)
    hurried = len(jobs) > limits.at_once
    share = asked.request.timeout * asked.request.jobs / max(1, len(jobs))
    if asked.request.reuse is not None:
        product()  # read once, for all processes

    def entry(job: Job, seconds: float, so_far: Tell) -> Entry:
        assert job.environment is not None
        file, code = job.declared.file, made.slices.reached(job.environment.entry)
        others = tuple(one for one in made.declared if one is not job.declared)
        unit = Unit(
            request, task, file, job.declared, job.environment, code, made.files[file].path, hurried, others, share
        )
        return checked(unit, seconds, so_far)

    def tell(job: Job, found: Entry | Lost) -> None:
        if isinstance(found, Lost):
            reports: tuple[str, ...] = ()
            if found.traceback:
                reports = (write_crash_report(f"the check of {job.function.name} failed", found.traceback),)
            found = replace(job.nothing(found.why), crash_reports=reports)
        send(found)

    def weight(job: Job) -> float:
        return ANY_TEXT + texts[job.declared.file, job.function.name]

    telling(_small_first(jobs, texts), entry, limits, tell, weight)
