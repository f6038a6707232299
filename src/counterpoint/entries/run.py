"""All functions of the files from arbitrary callers: one run of the front end, then a process for each function."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from counterpoint import engines
from counterpoint.contracts.declarations import Declarations, Function, declarations
from counterpoint.contracts.views import NoDriver
from counterpoint.core.errors import CompilationFailed, CounterpointError, InternalError, UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.entries.checking import Unit, checked
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.findings import Entries, Entry, Finding, Grade
from counterpoint.entries.request import EntryEach
from counterpoint.frontend.c.clang import Compiled, compile_file
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.attending import Refused, Stop, attended, kept
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send
from counterpoint.portfolio.request import source_task
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.run import run as run_check
from counterpoint.portfolio.schedule import is_automatic
from counterpoint.portfolio.side_by_side import Limits, Lost, telling
from counterpoint.property import named

GRACE: Final = 2.0
"""Seconds after its limit at which a function's process is killed."""

LEAST: Final = 5.0
MOST: Final = 120.0
"""Seconds of one function."""

MAIN: Final = "main"
MAIN_SHARE: Final = 0.2
"""Of the time, for runs from main."""

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


@dataclass(frozen=True, slots=True)
class _Job:
    """A function that is to be checked; `declared` are its file's declarations."""

    declared: Declarations
    function: Function
    environment: Environment | None
    why: str = ""

    def nothing(self, why: str) -> Entry:
        file = self.function.file or str(self.declared.file)
        return Entry(self.function.name, file, self.function.line, missing=why)


@dataclass(frozen=True, slots=True)
class _WithCallers:
    """A file with the callers of its functions, as it stands there."""

    code: Compiled
    path: Path


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
        jobs = _jobs(asked, task)
        compiled = {file: _compiled(task, file, jobs) for file in task.files}
    except UnusableInput as error:
        send(Refused.by(error))
        return
    send(_Listed(task, tuple(job.nothing("") for job in jobs)))
    if any(MAIN in job.declared.functions for job in jobs):
        send(_FromMain(_from_main(asked, task, deadline)))
    for job in jobs:
        if job.environment is None:
            send(job.nothing(job.why))
    limits = Limits(asked.request.jobs, deadline, LEAST, MOST, GRACE)
    _one_by_one(asked, task, _small_first([job for job in jobs if job.environment is not None]), compiled, limits, send)


def _small_first(jobs: Sequence[_Job]) -> list[_Job]:
    """By the text of the function and of those below it: small ones need little of their parts of the time, and leave
    the rest for the others."""
    own: dict[tuple[Path, str], int] = {}
    for declared in {job.declared.file: job.declared for job in jobs}.values():
        starts = sorted(one.offset for one in declared.functions.values() if one.file in ("", str(declared.file)))
        ends = dict(zip(starts, (*starts[1:], declared.file.stat().st_size), strict=True))
        own |= {(declared.file, n): ends.get(one.offset, 0) - one.offset for n, one in declared.functions.items()}

    def size(job: _Job) -> int:
        below = job.declared.below(job.function.name)
        return sum(max(0, own[job.declared.file, one.name]) for one in below)

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


def _jobs(asked: EntryEach, task: SourceTask) -> list[_Job]:
    """The functions that were asked for, of those that the files define outside of headers. Raises UnusableInput."""
    known: list[str] = []
    found: list[_Job] = []
    read: list[Declarations] = []
    for file in task.files:
        compile_file(task, file)
        read.append(declarations(task, file))
    for declared in read:
        for function in declared.functions.values():
            if function.file not in ("", str(declared.file)) or function.name == MAIN:
                continue
            known.append(function.name)
            if asked.matches(function.name):
                number = sum(one.function.name == function.name for one in found)
                found.append(_job(declared, function, number, read))
    if not known:
        raise UnusableInput(f"{task.files[0]}: defines no function but main: leave out --entry-each")
    for part in asked.unmatched(known) if found else (asked.pattern,):
        raise UnusableInput(f"--entry-each={part}: matches no function; there is {', '.join(known[:8])}")
    return found


def _job(declared: Declarations, function: Function, number: int, read: Sequence[Declarations]) -> _Job:
    others = [one for one in read if one is not declared]
    try:
        return _Job(declared, function, environment(declared, function, number, others))
    except NoDriver as why:
        return _Job(declared, function, None, str(why))


def _compiled(task: SourceTask, file: Path, jobs: list[_Job]) -> _WithCallers:
    """With the callers of all the file's functions behind it. A caller that is no C takes its function out."""
    mine = [job for job in jobs if job.declared.file == file and job.environment is not None]
    try:
        return _with_callers(task, file, mine)
    except CompilationFailed:
        good = [job for job in mine if not _refused(task, file, job, jobs)]
        return _with_callers(task, file, good)


def _refused(task: SourceTask, file: Path, job: _Job, jobs: list[_Job]) -> bool:
    """Whether the function's caller by itself does not compile; its job says so then."""
    try:
        _with_callers(task, file, [job])
    except CompilationFailed as error:
        why = f"its caller is no C that compiles: {str(error).rpartition(': ')[2]}"
        jobs[jobs.index(job)] = replace(job, environment=None, why=why)
        return True
    return False


def _with_callers(task: SourceTask, file: Path, jobs: Sequence[_Job]) -> _WithCallers:
    callers = [job.environment.text() for job in jobs if job.environment is not None]
    if not callers:
        return _WithCallers(compile_file(task, file), file)
    path = Path(tempfile.mkdtemp(prefix="counterpoint-")) / CALLER  # in the folder that ends with the command
    path.write_text(header(str(file.absolute())) + "\n".join(callers), "utf-8")
    return _WithCallers(compile_file(task.alone(file).instead({file: path}), path), path)


def _from_main(asked: EntryEach, task: SourceTask, deadline: float) -> tuple[Finding, ...]:
    """What the whole program's runs violate."""
    seconds = max(1.0, MAIN_SHARE * (deadline - time.monotonic()))
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
    jobs: Sequence[_Job],
    compiled: Mapping[Path, _WithCallers],
    limits: Limits,
    send: Send,
) -> None:
    """Sends what is known of each of the functions, each from a process of its own."""
    request = replace(asked.request, memory=asked.request.memory // asked.request.jobs)
    code = tuple(compiled[file].code for file in task.files)
    hurried = len(jobs) > limits.at_once

    def entry(job: _Job, seconds: float, so_far: Tell) -> Entry:
        assert job.environment is not None
        file = job.declared.file
        unit = Unit(request, task, file, job.declared, job.environment, code, compiled[file].path, hurried)
        return checked(unit, seconds, so_far)

    def tell(job: _Job, found: Entry | Lost) -> None:
        if isinstance(found, Lost):
            reports: tuple[str, ...] = ()
            if found.traceback:
                reports = (write_crash_report(f"the check of {job.function.name} failed", found.traceback),)
            found = replace(job.nothing(found.why), crash_reports=reports)
        send(found)

    telling(jobs, entry, limits, tell)
