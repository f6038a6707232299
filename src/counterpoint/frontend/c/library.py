"""The library models: C files, each compiled once per target and compiler and kept in the user's cache folder.

A program is linked with the files that it needs, and these with the files that they need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Set
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import llvmlite.binding as llvm

from counterpoint.core.errors import CompilationFailed, InternalError
from counterpoint.core.records import dataclass
from counterpoint.frontend.c import clang
from counterpoint.frontend.c.bitcode import read
from counterpoint.frontend.cache import cache_folder
from counterpoint.frontend.task import SourceTask

LIBC = Path(__file__).parent.parent / "libc"
LIBC_NAME = "<libc>"
"""What source locations call the folder of the models, wherever it is installed."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of models as bitcode: the symbols that it has for others, and those that it leaves to others."""

    functions: frozenset[str]
    variables: frozenset[str]
    needed: frozenset[str]
    code: bytes


@dataclass(frozen=True, slots=True)
class Library:
    """All models, in the order of their files."""

    parts: tuple[Part, ...]

    @property
    def functions(self) -> frozenset[str]:
        return frozenset().union(*(part.functions for part in self.parts))

    def needed_by(self, wanted: Set[str]) -> tuple[Part, ...]:
        """The files that have these symbols, and all that these need."""
        having = {name: part for part in self.parts for name in (*part.functions, *part.variables)}
        waiting, chosen = [having[name] for name in sorted(wanted) if name in having], set()
        while waiting:
            part = waiting.pop()
            if part not in chosen:
                chosen.add(part)
                waiting += [having[name] for name in part.needed if name in having]
        return tuple(part for part in self.parts if part in chosen)

    def module(self, wanted: Set[str], uncalled: Set[str]) -> llvm.ModuleRef:
        """The models of some symbols, at least one; linked where they are mentioned, those `uncalled` in any case."""
        whole, *others = (read(part.code) for part in self.needed_by(wanted))
        for other in others:
            whole.link_in(other)
        for value in (*whole.functions, *whole.global_variables):
            if _offered(value):
                value.linkage = "weak_odr" if value.name in uncalled else "linkonce_odr"
        return whole


_WIDTHS = ("-fshort-enums", "-fshort-wchar")


def library(task: SourceTask, reads_output: bool, tells_errors: bool) -> Library:
    """The models for a task's target, from the cache if they are there; printing reads its arguments
    (and writes through `%n`), and functions that fail say why in errno, only if that is asked for."""
    own = model_task(task, reads_output, tells_errors)
    digest = hashlib.sha256(clang.fingerprint(replace(own, extra=())).encode() + _content())
    folder = cache_folder()
    kept = folder / f"models-{digest.hexdigest()[:32]}" if folder else None
    if kept is not None and (found := _kept(kept)) is not None:
        return found
    made = _compiled(own, _files())
    if kept is not None:
        _store(kept, made)
    return made


def _files() -> tuple[Path, ...]:
    return tuple(sorted(LIBC.glob("*.c")))


@cache
def _content() -> bytes:
    """A digest of all that models are made of."""
    digest = hashlib.sha256()
    for file in (*_files(), *sorted(LIBC.glob("*.h"))):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.digest()


def model_task(task: SourceTask, reads_output: bool, tells_errors: bool) -> SourceTask:
    """How models are compiled: the task's target, arithmetic that wraps, none of the user's options but those that all
    files have and that LLVM links with nothing else."""
    chosen = {
        "COUNTERPOINT_SKIP_OUTPUT": not reads_output,
        "COUNTERPOINT_ERRNO": tells_errors,
        "COUNTERPOINT_MALLOC_MAY_FAIL": task.malloc_may_fail,
        "COUNTERPOINT_MALLOC_LIMIT": task.malloc_limit,
    }
    return replace(
        task,
        files=(),
        include=(),
        defines=tuple(name for name, wanted in chosen.items() if wanted),
        std="gnu11",
        extra=("-Wno-error", f"-fdebug-prefix-map={LIBC}={LIBC_NAME}"),
        own=tuple((file, widths) for file in _files()) if (widths := _widths(task)) else (),
        property="unreach-call",
        language="C",
    )


def _widths(task: SourceTask) -> tuple[str, ...]:
    """The options about widths of types that all of the task's files have."""
    options = [task.options(file) for file in task.files]
    return tuple(one for one in _WIDTHS if options and all(one in words for words in options))


def _compiled(own: SourceTask, files: tuple[Path, ...]) -> Library:
    """Compiles all models."""
    try:
        return Library(tuple(_part(file.code) for file in clang.compile_all(replace(own, files=files))))
    except CompilationFailed as error:
        raise InternalError(f"a library model does not compile: {error}") from None


def _part(code: bytes) -> Part:
    module = read(code)
    functions, variables = list(module.functions), list(module.global_variables)
    return Part(
        frozenset(one.name for one in functions if _offered(one)),
        frozenset(one.name for one in variables if _offered(one)),
        frozenset(one.name for one in (*functions, *variables) if one.is_declaration),
        code,
    )


def _offered(value: llvm.ValueRef) -> bool:
    return not value.is_declaration and value.linkage.name == "external"


# ------------------------------------------------------------------ the cache


def _store(path: Path, made: Library) -> None:
    """Writes a cache file so that no reader sees half of it: a digest of what follows, a line about all parts, then
    their bitcode. Failures are ignored."""
    told = [(*map(sorted, (one.functions, one.variables, one.needed)), len(one.code)) for one in made.parts]
    try:
        with TemporaryDirectory(dir=path.parent) as folder:
            written = Path(folder) / "new"
            content = json.dumps(told).encode() + b"\n" + b"".join(part.code for part in made.parts)
            written.write_bytes(_digest(content) + b"\n" + content)
            written.replace(path)
    except OSError:
        return


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _kept(path: Path) -> Library | None:
    """What `_store` wrote; None where it is not that any more (a full disk, a machine that stopped, another version):
    what models mean is trusted."""
    try:
        digest, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if digest != _digest(content):
        return None
    head, _, code = content.partition(b"\n")
    parts, start = [], 0
    for functions, variables, needed, size in json.loads(head):
        names = frozenset(functions), frozenset(variables), frozenset(needed)
        parts.append(Part(*names, code[start : start + size]))
        start += size
    return Library(tuple(parts))
