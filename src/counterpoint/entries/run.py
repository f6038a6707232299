"""All functions of the files from arbitrary callers: one run of the front end, then a process for each function."""

from __future__ import annotations

import select
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from counterpoint.contracts.declarations import Declarations, Function, declarations
from counterpoint.contracts.views import NoDriver
from counterpoint.core.errors import CompilationFailed, CounterpointError, InternalError, UnusableInput
from counterpoint.core.printable import shown
from counterpoint.entries.checking import Unit, checked
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.findings import Entries, Entry, Finding, Grade
from counterpoint.entries.request import EntryEach
from counterpoint.frontend.c.clang import Compiled, compile_file
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send, keep, spawn
from counterpoint.portfolio.request import source_task
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.run import run as run_check
from counterpoint.property import named

GRACE: Final = 2.0
"""Seconds after its limit at which a function's process is killed."""

SHARE: Final = 2.0
"""Of an equal part of the time that is left, what one function may take: most take less."""

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
class _Refused:
    message: str
    diagnostics: str = ""


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


def run(asked: EntryEach, tell: Tell) -> Entries:
    """What is known of the functions; `tell` is called with each as it is finished. Within the time and memory that
    were given, in processes that end with this call. Raises UnusableInput and CompilationFailed."""
    began = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="counterpoint-")
    worker = None
    try:
        worker = keep(partial(_work, asked, began, scratch), scratch)
        found = _attend(worker.child, worker.resident, asked, began, tell)
    finally:
        if worker is not None:
            worker.close()
        shutil.rmtree(scratch, ignore_errors=True)
    return replace(found, seconds=round(time.monotonic() - began, 2))


def _attend(worker: Child, resident: Callable[[], int], asked: EntryEach, began: float, tell: Tell) -> Entries:
    """Takes what arrives until the worker ends or is late."""
    listed: _Listed | None = None
    found: dict[tuple[str, str], Entry] = {}
    from_main: tuple[Finding, ...] = ()
    why = "no time was left for it: give more with --timeout"
    deadline = began + asked.request.timeout + 3 * GRACE
    while True:
        for message in worker.receive():
            match message:
                case _Refused(text, diagnostics):
                    raise CompilationFailed(text, diagnostics) if diagnostics else UnusableInput(text)
                case Crashed(details):
                    raise InternalError(details.strip())
                case MemoryError():
                    why = "the memory limit was reached"
                case _Listed() as listed:
                    pass
                case _FromMain(from_main):
                    pass
                case Entry() as entry:
                    found[entry.file, entry.function] = entry
                    tell(entry)
        if worker.ended or time.monotonic() >= deadline:
            break
        if resident() > asked.request.memory:
            why = f"the memory limit of {asked.request.memory >> 20} MiB was reached"
            break
        select.select([worker.reader], [], [], 0.1)
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


def _work(asked: EntryEach, began: float, scratch: str, send: Send) -> None:
    tempfile.tempdir = scratch
    deadline = began + asked.request.timeout
    try:
        task = _task(asked)
        jobs = _jobs(asked, task)
        compiled = _compiled(task, jobs)
    except CompilationFailed as error:
        send(_Refused(str(error), error.diagnostics))
        return
    except UnusableInput as error:
        send(_Refused(str(error)))
        return
    send(_Listed(task, tuple(job.nothing("") for job in jobs)))
    if any(MAIN in job.declared.functions for job in jobs):
        send(_FromMain(_from_main(asked, task, deadline)))
    _Pool(asked, task, jobs, compiled, deadline, send).run()


def _task(asked: EntryEach) -> SourceTask:
    """Raises UnusableInput."""
    request = asked.request
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
    for file in task.files:
        compile_file(task, file)
        declared = declarations(task, file)
        for function in declared.functions.values():
            if function.file not in ("", str(file)) or function.name == MAIN:
                continue
            known.append(function.name)
            if asked.matches(function.name):
                found.append(_job(declared, function))
    if not known:
        raise UnusableInput(f"{task.files[0]}: defines no function but main: leave out --entry-each")
    for part in asked.unmatched(known) if found else (asked.pattern,):
        raise UnusableInput(f"--entry-each={part}: matches no function; there is {', '.join(known[:8])}")
    return found


def _job(declared: Declarations, function: Function) -> _Job:
    try:
        return _Job(declared, function, environment(declared, function))
    except NoDriver as why:
        return _Job(declared, function, None, str(why))


def _compiled(task: SourceTask, jobs: list[_Job]) -> dict[Path, Compiled]:
    """Each file once, with the callers of all its functions behind it. A caller that is no C takes its function out."""
    found: dict[Path, Compiled] = {}
    for file in task.files:
        mine = [job for job in jobs if job.declared.file == file and job.environment is not None]
        try:
            found[file] = _with_callers(task, file, mine)
        except CompilationFailed:
            good = [job for job in mine if not _refused(task, file, job, jobs)]
            found[file] = _with_callers(task, file, good)
    return found


def _refused(task: SourceTask, file: Path, job: _Job, jobs: list[_Job]) -> bool:
    """Whether the function's caller by itself does not compile; its job says so then."""
    try:
        _with_callers(task, file, [job])
    except CompilationFailed as error:
        why = f"its caller is no C that compiles: {str(error).rpartition(': ')[2]}"
        jobs[jobs.index(job)] = replace(job, environment=None, why=why)
        return True
    return False


def _with_callers(task: SourceTask, file: Path, jobs: Sequence[_Job]) -> Compiled:
    callers = [job.environment.text() for job in jobs if job.environment is not None]
    if not callers:
        return compile_file(task, file)
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        path = Path(folder) / CALLER
        path.write_text(header(str(file.absolute())) + "\n".join(callers), "utf-8")
        return compile_file(replace(task, files=(path,)), path)


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


@dataclass(slots=True)
class _Running:
    child: Child
    job: _Job
    until: float


@dataclass(slots=True)
class _Pool:
    """Functions in processes, a few at a time."""

    asked: EntryEach
    task: SourceTask
    waiting: list[_Job]
    compiled: dict[Path, Compiled]
    deadline: float
    send: Send
    running: list[_Running] = field(default_factory=list)

    def run(self) -> None:
        jobs = self.asked.request.jobs
        while self.running or (self.waiting and time.monotonic() < self.deadline):
            while self.waiting and len(self.running) < jobs and time.monotonic() < self.deadline:
                self.start(self.waiting.pop(0))
            if self.running:
                select.select([one.child.reader for one in self.running], [], [], 0.1)
            self.running = [one for one in self.running if not self.finished(one)]

    def start(self, job: _Job) -> None:
        if job.environment is None:
            self.send(job.nothing(job.why))
            return
        request = self.asked.request
        left = self.deadline - time.monotonic()
        equal = left * request.jobs / (len(self.waiting) + 1 + len(self.running))
        seconds = min(left, MOST, max(LEAST, SHARE * equal))
        memory = request.memory // request.jobs
        code = tuple(self.compiled[file] for file in self.task.files)
        unit = Unit(replace(request, memory=memory), self.task, job.declared.file, job.declared, job.environment, code)
        child = spawn(lambda send: send(checked(unit, seconds)))
        self.running.append(_Running(child, job, time.monotonic() + seconds + GRACE))

    def finished(self, one: _Running) -> bool:
        """Whether the function's process is done with, or was ended."""
        found: Entry | None = None
        for message in one.child.receive():
            match message:
                case Entry():
                    found = message
                case MemoryError():
                    found = one.job.nothing("the memory limit was reached")
                case Crashed(details):
                    report = write_crash_report(f"the check of {one.job.function.name} failed", details)
                    found = replace(one.job.nothing("an internal error"), crash_reports=(report,))
        late = time.monotonic() >= one.until
        if found is None and (late or one.child.ended):
            found = one.job.nothing("its time was used up" if late else "its process ended without an answer")
        if found is None:
            return False
        one.child.kill()
        self.send(found)
        return True
