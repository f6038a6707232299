"""All that the result of a check depends on, as one hash.

That is what the compiler gets to see of each file, and the bytes of what that came from (comments have annotations,
reports show lines); the options; the product's own files, the versions of what it stands on, the compiler; the folder,
and what compilers and loaders read of the environment. Limits are no part of it, nor is where anything is kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import counterpoint
from counterpoint.core.errors import CounterpointError, UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import flags
from counterpoint.frontend.c.preprocessed import Preprocessed, compiler_identity, preprocessed
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.asked import asked_for
from counterpoint.portfolio.request import Request, source_task, stated_language

FORMAT: Final = 1

_ENVIRONMENT: Final = regex(
    r"(?:CCC_|CLANG|LLVM|ZIG_|NIX_|GCC_|CC_|LD_|MALLOC_|GLIBC_)\w*|\w*_INCLUDE_PATH|\w+_DEPLOYMENT_TARGET"
    r"|CPATH|LIBRARY_PATH|COMPILER_PATH|SDKROOT|SOURCE_DATE_EPOCH|TZ|_?CL_?|QA_OVERRIDE_GCC3_OPTIONS"
)
"""Variables that change what a compiler does, or which libraries are loaded."""

Stamp = tuple[str, int, int, int, int]
"""A file with device, inode, size and the time of its last change, in ns: another one where it was written to."""


@dataclass(frozen=True, slots=True)
class Key:
    """`text` is the hash. `stamps` are of the files: where two keys are equal, nothing was written in between."""

    text: str
    stamps: tuple[Stamp, ...]


def key_of(request: Request, seconds: float) -> Key | None:
    """None where it cannot be told in that time, or the request names no program that can be compiled."""
    deadline = time.monotonic() + seconds
    try:
        tasks = _tasks(request)
        seen = _seen(tasks, deadline)
        if seen is None:
            return None
        files = sorted({name for _, one in seen for name in one.files})
        stamps = tuple(map(_stamp, files))
        parts = [
            FORMAT, _asked(request), [repr(task) for task in tasks], [[given, one.digest] for given, one in seen],
            [[name, _digest(name)] for name in files], [compiler_identity(task, deadline) for task in tasks],
            str(Path.cwd()), sorted(filter(_matters, os.environ.items())), product(), installed(),
            [sys.version, sys.flags.optimize, platform.machine(), platform.system()],
        ]  # fmt: skip
        if stamps != tuple(map(_stamp, files)):
            return None
    except (CounterpointError, UnusableInput, OSError, ValueError):
        return None
    text = json.dumps(parts).encode()  # what is no text of its own is escaped
    return Key(hashlib.sha256(text).hexdigest(), stamps)


def _tasks(request: Request) -> list[SourceTask]:
    """One for each property that is asked for."""
    if request.property is None:
        return [source_task(request)]
    names = asked_for(request.property, stated_language(request.files))
    return [source_task(replace(request, property=name)) for name in names]


def properties_of(request: Request) -> tuple[str, ...]:
    """The names of the properties that are asked for. Raises UnusableInput."""
    return tuple(task.property for task in _tasks(request))


def _asked(request: Request) -> str:
    """The options, but for limits, for what a page shows besides, and for what was read from files."""
    reuse = Path() if request.reuse is not None else None
    limitless = replace(request, property=None, timeout=0.0, memory=0, jobs=0, begun=None)
    return repr(replace(limitless, recording=False, listing=False, reuse=reuse, cache=None, check_cache=False))


def _seen(tasks: Iterable[SourceTask], deadline: float) -> list[tuple[str, Preprocessed]] | None:
    """What the compiler sees of each file, with what it is told; once for what it is told alike."""
    from concurrent.futures import ThreadPoolExecutor

    single = [(task.alone(file), file) for task in tasks for file in task.files]
    wanted = {("\0".join((*flags(task), str(file))), file): (task, file) for task, file in single}
    if len(wanted) == 1:
        [((given, _), (task, file))] = wanted.items()
        one = preprocessed(task, file, deadline)
        return [(given, one)] if one is not None else None
    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as workers:
        found = list(workers.map(lambda one: preprocessed(one[0], one[1], deadline), wanted.values()))
    named = zip((given for given, _ in wanted), found, strict=True)
    return [(given, one) for given, one in named if one is not None] if None not in found else None


def _stamp(name: str) -> Stamp:
    said = Path(name).stat()
    return name, said.st_dev, said.st_ino, said.st_size, said.st_ctime_ns


def _digest(name: str) -> str:
    with open(name, "rb", buffering=0) as file:  # noqa: PTH123 (names of the compiler, as they are)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _matters(variable: tuple[str, str]) -> bool:
    return _ENVIRONMENT.fullmatch(variable[0]) is not None


# ---------------------------------------------------------------- the product


@cache
def product() -> str:
    """The SHA-256 of all files of the package: its own code, models of the library, grammars."""
    found = hashlib.sha256()
    for path in _files(str(Path(counterpoint.__file__).parent)):
        found.update(f"{path}\0{_digest(path)}\0".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as scanned:
        entries = sorted(scanned, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _files(entry.path)
        else:
            yield entry.path


@cache
def installed() -> tuple[str, ...]:
    """What is installed, with versions: `z3_solver-4.16.0.dist-info`."""
    found: set[str] = set()
    for folder in sys.path:
        with suppress(OSError), os.scandir(folder or ".") as entries:
            found.update(entry.name for entry in entries if entry.name.endswith((".dist-info", ".egg-info")))
    return tuple(sorted(found))
