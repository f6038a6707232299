"""What each file of a project defines, and what the bodies there speak of: read by clang, a few files at a time."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import declarations
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.c.preprocessed import preprocessed
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side

SECONDS: Final = 60.0
"""For one file."""


@dataclass(frozen=True, slots=True)
class Body:
    """A function or variable that is defined here, and the names in its body or initialiser."""

    static: bool
    mentions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Names:
    """What is defined here; `includes`: the files that it includes, None where that was not asked for or is not
    known."""

    functions: Mapping[str, Body]
    variables: Mapping[str, Body]
    includes: frozenset[str] | None = None

    def definition(self, name: str) -> Body | None:
        """Here, whoever may see it."""
        return self.functions.get(name) or self.variables.get(name)

    def offered(self) -> list[str]:
        """What other files may speak of."""
        return [name for name, body in (*self.functions.items(), *self.variables.items()) if not body.static]


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be looked through, and why."""

    why: str


def names_of(tasks: Sequence[SourceTask], jobs: int, includes: bool) -> dict[Path, Names | Unread]:
    """Of the file of each task. `includes`: also what it includes."""
    found: dict[Path, Names | Unread] = {}

    def look(task: SourceTask, seconds: float) -> Names | Unread:
        try:
            return _names(task, includes, seconds)
        except UnusableInput as error:
            return Unread(str(error))

    def tell(task: SourceTask, read: Names | Unread | Lost) -> None:
        (file,) = task.files
        found[file] = _lost(file, read) if isinstance(read, Lost) else read

    side_by_side(tasks, look, Limits(jobs, math.inf, SECONDS, SECONDS, 0.0), tell)
    return {task.files[0]: found[task.files[0]] for task in tasks}


def offered_before(contents: Mapping[str, bytes], tasks: Sequence[SourceTask], jobs: int) -> frozenset[str] | None:
    """What files offered to others with these contents, compiled as their tasks say or, where there is none any more,
    as the first one says; None where it is not known of all."""
    by_file = {os.path.realpath(task.files[0]): task for task in tasks}
    found: list[frozenset[str] | None] = []

    def look(name: str, seconds: float) -> frozenset[str] | None:
        task = by_file.get(name, tasks[0])
        with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
            path = Path(folder) / "before.c"
            path.write_bytes(contents[name])
            extra = (*task.extra, f"-iquote{Path(name).parent}")
            old = replace(task, files=(path,), extra=extra)
            try:
                compile_file(old, path)  # or what is read may be a part of it
                return frozenset(_names(old, False, seconds).offered())
            except UnusableInput:
                return None

    def tell(name: str, offered: frozenset[str] | Lost | None) -> None:
        found.append(None if isinstance(offered, Lost) else offered)

    side_by_side(sorted(contents), look, Limits(jobs, math.inf, SECONDS, SECONDS, 0.0), tell)
    known = [one for one in found if one is not None]
    return frozenset[str]().union(*known) if len(known) == len(contents) else None


def _lost(file: Path, lost: Lost) -> Unread:
    what = f"looking through {file} failed"
    report = f": see {write_crash_report(what, lost.traceback)}" if lost.traceback else ""
    return Unread(f"{file}: could not be looked through: {lost.why}{report}")


def _names(task: SourceTask, includes: bool, seconds: float) -> Names:
    (file,) = task.files
    told = declarations(task, file)
    return Names(
        {name: Body(function.static, function.calls | function.uses) for name, function in told.functions.items()},
        {name: Body(one.static, one.mentions) for name, one in told.variables.items() if one.defined},
        _included(task, file, seconds) if includes else None,
    )


def _included(task: SourceTask, file: Path, seconds: float) -> frozenset[str] | None:
    """The real paths of all that the file includes."""
    told = preprocessed(task, file, time.monotonic() + seconds)
    return frozenset(map(os.path.realpath, told.files)) if told is not None else None
