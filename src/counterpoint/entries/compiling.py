"""The files with the arbitrary callers of their functions, compiled side by side: one run of the front end for all.

    syntax tree -> declarations                            (a process for each file)
    callers -> the file with them, compiled, and its parts (a process for each file)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from counterpoint.contracts.declarations import Declarations, Function, declarations
from counterpoint.contracts.views import NoDriver
from counterpoint.core.errors import CompilationFailed, InternalError, UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.entries.environment import CALLER, Environment, environment, header
from counterpoint.entries.findings import Entry
from counterpoint.entries.request import EntryEach
from counterpoint.frontend.c.clang import Compiled, compile_file
from counterpoint.frontend.c.slices import Part, Slices, part
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.attending import Refused
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side

MAIN: Final = "main"
GRACE: Final = 2.0
"""Seconds after its limit at which the process of a function, or a file, is killed."""

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Job:
    """A function that is to be checked; `declared` are its file's declarations."""

    declared: Declarations
    function: Function
    environment: Environment | None
    why: str = ""

    def nothing(self, why: str) -> Entry:
        file = self.function.file or str(self.declared.file)
        return Entry(self.function.name, file, self.function.line, missing=why)


@dataclass(frozen=True, slots=True)
class WithCallers:
    """A file with the callers of its functions, as it stands there."""

    code: Compiled
    path: Path


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """All that the checks of functions begin with: `files` in the order of the task's."""

    jobs: tuple[Job, ...]
    files: Mapping[Path, WithCallers]
    slices: Slices
    declared: tuple[Declarations, ...]


_Caller: TypeAlias = Environment | str
"""A function's, or why it has none."""


def compiled(asked: EntryEach, task: SourceTask, deadline: float) -> FrontEnd | None:
    """None where the time (of the monotonic clock) ends before. Raises UnusableInput, CompilationFailed and
    InternalError."""
    told = _for_each(task.files, lambda file: _declared(task, file), asked.request.jobs, deadline)
    if told is None:
        return None
    wanted = _wanted(asked, task, told)

    def work(file: Path) -> tuple[list[_Caller], WithCallers, Part | None]:
        others = [one for one in told.values() if one is not told[file]]
        callers = [_caller(told[file], function, number, others) for function, number in wanted[file]]
        with_callers = _compiled(task, file, callers)
        return callers, with_callers, part(with_callers.code)

    made = _for_each(task.files, work, asked.request.jobs, deadline)
    if made is None:
        return None
    jobs: list[Job] = []
    for file, (callers, _, _) in made.items():
        for (function, _), caller in zip(wanted[file], callers, strict=True):
            missing = (None, caller) if isinstance(caller, str) else (caller, "")
            jobs.append(Job(told[file], function, *missing))
    parts = [(with_callers.code, one) for _, with_callers, one in made.values()]
    files = {file: one for file, (_, one, _) in made.items()}
    return FrontEnd(tuple(jobs), files, Slices.of(parts), tuple(told.values()))


def _for_each(
    files: Sequence[Path], work: Callable[[Path], Found], at_once: int, deadline: float
) -> dict[Path, Found] | None:
    """What the work gives for each file, in processes of their own (what syntax trees hold is gone with them); None
    where time ends."""
    found: dict[Path, Found] = {}
    refused: dict[Path, Refused] = {}

    def tried(file: Path, seconds: float) -> Found | Refused:
        try:
            return work(file)
        except UnusableInput as error:
            return Refused.by(error)

    def tell(file: Path, answer: Found | Refused | Lost) -> None:
        if isinstance(answer, Lost):
            if answer.traceback:
                raise InternalError(answer.traceback.strip())
            refused[file] = Refused(f"{file}: {answer.why} while it was compiled")
        elif isinstance(answer, Refused):
            refused[file] = answer
        else:
            found[file] = answer

    forever = float("inf")
    side_by_side(files, tried, Limits(at_once, deadline, forever, forever, GRACE), tell)
    for file in files:
        if file in refused:
            raise refused[file].error()
    return {file: found[file] for file in files} if len(found) == len(set(files)) else None


def _declared(task: SourceTask, file: Path) -> Declarations:
    try:
        return declarations(task, file)
    except UnusableInput:
        compile_file(task, file)  # what is wrong with the file is said first
        raise


def _wanted(
    asked: EntryEach, task: SourceTask, told: Mapping[Path, Declarations]
) -> dict[Path, list[tuple[Function, int]]]:
    """The functions that were asked for, of those that the files define outside of headers, with a number that tells
    those of one name apart. Raises UnusableInput."""
    known: list[str] = []
    found: dict[Path, list[tuple[Function, int]]] = {file: [] for file in task.files}
    numbers: dict[str, int] = {}
    for file, declared in told.items():
        for function in declared.functions.values():
            if function.file not in ("", str(file)) or function.name == MAIN:
                continue
            known.append(function.name)
            if asked.matches(function.name):
                numbers[function.name] = number = numbers.get(function.name, -1) + 1
                found[file].append((function, number))
    if not known:
        raise UnusableInput(f"{task.files[0]}: defines no function but main: leave out --entry-each")
    for one in asked.unmatched(known) if numbers else (asked.pattern,):
        raise UnusableInput(f"--entry-each={one}: matches no function; there is {', '.join(known[:8])}")
    return found


def _caller(declared: Declarations, function: Function, number: int, others: Sequence[Declarations]) -> _Caller:
    try:
        return environment(declared, function, number, others)
    except NoDriver as why:
        return str(why)


def _compiled(task: SourceTask, file: Path, callers: list[_Caller]) -> WithCallers:
    """With the callers of all the file's functions behind it. A caller that is no C gives way to the reason."""
    try:
        return _with_callers(task, file, callers)
    except CompilationFailed:
        compile_file(task, file)  # raises if the file is no C by itself
        _take_out(task, file, callers, list(range(len(callers))))
        return _with_callers(task, file, callers)


def _take_out(task: SourceTask, file: Path, callers: list[_Caller], suspects: list[int]) -> None:
    """Those of the suspects that do not compile: halves of what does not compile are looked at."""
    try:
        _with_callers(task, file, [callers[one] for one in suspects])
    except CompilationFailed as error:
        if len(suspects) == 1:
            callers[suspects[0]] = f"its caller is no C that compiles: {str(error).rpartition(': ')[2]}"
            return
        half = len(suspects) // 2
        _take_out(task, file, callers, suspects[:half])
        _take_out(task, file, callers, suspects[half:])


def _with_callers(task: SourceTask, file: Path, callers: Sequence[_Caller]) -> WithCallers:
    texts = [one.text() for one in callers if not isinstance(one, str)]
    if not texts:
        return WithCallers(compile_file(task, file), file)
    path = Path(tempfile.mkdtemp(prefix="counterpoint-")) / CALLER  # in the folder that ends with the command
    path.write_text(header(str(file.absolute())) + "\n".join(texts), "utf-8")
    return WithCallers(compile_file(task.alone(file).instead({file: path}), path), path)
