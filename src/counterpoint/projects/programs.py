"""The programs of a project: each file with a `main`, and the files that define what it needs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatch
from itertools import accumulate
from pathlib import Path
from typing import Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.compilation_database import Database
from counterpoint.portfolio.request import Request, recorded
from counterpoint.projects.changes import Changes
from counterpoint.projects.configuration import Configuration
from counterpoint.projects.names import Names, Unread, names_of, offered_before

MOST_LOOKED_AT: Final = 20_000
"""Files of the project's folder among which harnesses are looked for."""


@dataclass(frozen=True, slots=True)
class Program:
    """`files`: the one with the entry function first. `unchanged`: nothing that it depends on has changed since the
    revision that was asked about; `unread`: why nothing is known of the program but its name."""

    name: str
    files: tuple[Path, ...]
    unchanged: bool = False
    unread: str = ""


def programs_of(
    database: Database,
    request: Request,
    configuration: Configuration,
    folder: Path,
    jobs: int = 1,
    changes: Changes | None = None,
) -> tuple[Program, ...]:
    """Those of the database, and harnesses in `folder` that it does not mention, by name; `changes` say which of them
    are unchanged. `request` says how they are compiled but for the database; `jobs` files are looked through at a time.
    Raises UnusableInput where there is no program."""
    recorded_files = [file for file in database.files() if not _excluded(file, folder, configuration)]
    if not recorded_files:
        raise UnusableInput(f"{database.path}: has no file in C that is not excluded: nothing to check")
    harnesses = [file for file in _harnesses(configuration, folder) if not database.mentions(file)]
    tasks, found = _tasks(recorded_files, harnesses, database, request)
    found |= names_of(tasks, jobs, changes is not None)
    if found and not any(isinstance(names, Names) for names in found.values()):
        raise UnusableInput(next(names.why for names in found.values() if isinstance(names, Unread)))
    files = _Files({file: names for file, names in found.items() if isinstance(names, Names)}, request.entry)
    gone = offered_before(changes.before, tasks, jobs) if changes is not None else None
    programs: list[Program] = []
    for file, names in found.items():
        if isinstance(names, Unread):
            programs.append(Program(seen_from(folder, file), (file,), unread=names.why))
        elif request.entry in names.functions:
            needed, mentions = files.needed(file)
            known = gone is not None and gone.isdisjoint(mentions)
            same = known and changes is not None and files.same(needed, changes)
            programs.append(Program(seen_from(folder, file), needed, same))
    if not programs:
        nothing = f"no file of the project defines {request.entry}"
        listed = " or ".join(configuration.harnesses)
        raise UnusableInput(f"{database.path.parent}: {nothing}, and no harness is called {listed}")
    return tuple(sorted(programs, key=lambda program: program.name))


def seen_from(folder: Path, file: Path | str) -> str:
    """The file's path from the folder where it is below, else as it is."""
    below = os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep)
    return os.path.relpath(file, folder) if below else str(file)


def _tasks(
    files: Iterable[Path], harnesses: Iterable[Path], database: Database, request: Request
) -> tuple[list[SourceTask], dict[Path, Names | Unread]]:
    """Each file by itself, as it is compiled; a harness as all of the project's files are. And those that are not."""
    plain = SourceTask(
        (), request.assumed_data_model(), request.target, request.include, request.defines, request.std, cc=request.cc
    )
    tasks: list[SourceTask] = []
    broken: dict[Path, Names | Unread] = {}
    for file in files:
        try:
            tasks.append(recorded(replace(plain, files=(file,)), database, request).alone(file))
        except UnusableInput as error:
            broken[file] = Unread(str(error))
    options = tuple(dict.fromkeys(word for task in tasks for word in task.extra))
    like = tasks[0] if tasks else plain
    return [*tasks, *(replace(like, files=(file,), extra=options) for file in harnesses)], broken


# ---------------------------------------------------------------- harnesses


def _harnesses(configuration: Configuration, folder: Path) -> list[Path]:
    found: list[Path] = []
    looked = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            looked += 1
            if any(fnmatch(name, pattern) for pattern in configuration.harnesses):
                file = Path(here) / name
                if not _excluded(file, folder, configuration):
                    found.append(file)
        if looked > MOST_LOOKED_AT:
            raise UnusableInput(f"{folder}: has more than {MOST_LOOKED_AT:,} files: begin in the project's own folder")
    return found


def _excluded(file: Path, folder: Path, configuration: Configuration) -> bool:
    name = seen_from(folder, file)
    return any(fnmatch(name, pattern) or fnmatch(file.name, pattern) for pattern in configuration.exclude)


# ---------------------------------------------------------------- what a program needs


@dataclass(frozen=True, slots=True)
class _Files:
    """The files that were looked through; `where` a name is defined that other files may speak of."""

    names: Mapping[Path, Names]
    entry: str
    where: dict[str, list[Path]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file, names in self.names.items():
            for name in names.offered():
                self.where.setdefault(name, []).append(file)

    def same(self, files: Sequence[Path], changes: Changes) -> bool:
        """Whether neither these files nor what they include, which is known, has changed."""
        known = [one for file in files if (one := self.names[file].includes) is not None]
        return len(known) == len(files) and not changes.touch(files, frozenset[str]().union(*known))

    def needed(self, start: Path) -> tuple[tuple[Path, ...], set[str]]:
        """The files with definitions that the entry function of the first may get to, by the names that each body
        speaks of; and these names."""
        files = {start}
        mentions: set[str] = set()
        seen: set[tuple[Path, str]] = set()
        waiting: list[tuple[Path, str]] = [(start, self.entry)]
        while waiting:
            file, name = waiting.pop()
            body = self.names[file].definition(name)
            if (file, name) in seen or body is None:
                continue
            seen.add((file, name))
            mentions |= body.mentions
            for other in sorted(body.mentions):
                here = self.names[file].definition(other) is not None
                target = file if here else self.definition(other, start, files)
                if target is not None:
                    files.add(target)
                    waiting.append((target, other))
        return (start, *(file for file in self.names if file in files and file != start)), mentions

    def definition(self, name: str, start: Path, files: set[Path]) -> Path | None:
        """Where the program that begins in `start` and has these files has the name from: one of these, or else the one
        that is nearest in the tree of folders, and none that is another program's beginning."""
        known = self.where.get(name, ())
        offering = (one for one in known if one == start or self.entry not in self.names[one].functions)
        return max(offering, key=lambda one: (one in files, _in_common(start, one)), default=None)


def _in_common(one: Path, other: Path) -> int:
    """Folders that both are in."""
    here, there = Path(os.path.realpath(one)).parent.parts, Path(os.path.realpath(other)).parent.parts
    return sum(accumulate((left == right for left, right in zip(here, there, strict=False)), min))
