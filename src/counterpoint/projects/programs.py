"""The programs of a project: each file with a `main`, and the files that define what it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Declarations, declarations
from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.compilation_database import recorded_files, recorded_flags
from counterpoint.projects.configuration import Configuration

MOST_LOOKED_AT: Final = 20_000
"""Files of the project's folder among which harnesses are looked for."""


@dataclass(frozen=True, slots=True)
class Program:
    """`files`: the one with the entry function first."""

    name: str
    files: tuple[Path, ...]


def programs_of(build: Path, task: SourceTask, configuration: Configuration, folder: Path) -> tuple[Program, ...]:
    """Those of the compilation database in `build`, and harnesses in `folder` that it does not mention. `task` says how
    they are compiled but for the database. Raises UnusableInput where there is none."""
    recorded = [file for file in recorded_files(build) if not _excluded(file, folder, configuration)]
    if not recorded:
        raise UnusableInput(f"{build}/compile_commands.json: has no file in C that is not excluded: nothing to check")
    known = {os.path.realpath(file) for file in recorded}
    harnesses = [file for file in _harnesses(configuration, folder) if os.path.realpath(file) not in known]
    everything = (*recorded, *harnesses)
    declared: dict[Path, Declarations] = {}
    for file in everything:
        flags = recorded_flags((file,) if file in recorded else everything, build)
        declared[file] = declarations(replace(task, files=(file,), extra=flags), file)
    programs = [
        Program(_named(file, folder), _needed(file, declared, task.entry))
        for file in everything
        if task.entry in declared[file].functions
    ]
    if not programs:
        listed = " or ".join(configuration.harnesses)
        raise UnusableInput(f"{build}: no file of the project defines {task.entry}, and no harness is called {listed}")
    return tuple(sorted(programs, key=lambda program: program.name))


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
    name = _named(file, folder)
    return any(fnmatch(name, pattern) or fnmatch(file.name, pattern) for pattern in configuration.exclude)


def _named(file: Path, folder: Path) -> str:
    """As seen from the folder, where it is below."""
    return os.path.relpath(file, folder) if _is_below(file, folder) else str(file)


def _is_below(file: Path, folder: Path) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep)


def _needed(start: Path, declared: Mapping[Path, Declarations], entry: str) -> tuple[Path, ...]:
    """The files with definitions that the entry function may get to, by the names that each function speaks of."""
    where: dict[str, Path] = {}
    for file, one in declared.items():
        if file != start and entry in one.functions:
            continue  # another program
        for name, function in one.functions.items():
            if not function.static:
                where.setdefault(name, file)
        for name, variable in one.variables.items():
            if variable.defined and not variable.static:
                where.setdefault(name, file)
    files: dict[Path, None] = {start: None}
    seen: set[tuple[Path, str]] = set()
    waiting: list[tuple[Path, str]] = [(start, entry)]
    while waiting:
        file, name = waiting.pop()
        body = declared[file].functions.get(name)
        if (file, name) in seen or body is None:
            continue
        seen.add((file, name))
        for other in sorted(body.calls | body.uses):
            target = file if _defines(declared[file], other) else where.get(other)
            if target is not None:
                files[target] = None
                waiting.append((target, other))
    return _in_order(start, files, declared)


def _defines(one: Declarations, name: str) -> bool:
    variable = one.variables.get(name)
    return name in one.functions or (variable is not None and variable.defined)


def _in_order(start: Path, files: Mapping[Path, None], declared: Mapping[Path, Declarations]) -> tuple[Path, ...]:
    rest: Sequence[Path] = [file for file in declared if file in files and file != start]
    return (start, *rest)
