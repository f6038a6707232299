"""What is to be checked: source files, how they are compiled, the property; and the bytes of the files."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput
from counterpoint.core.files import read_given
from counterpoint.core.records import dataclass
from counterpoint.frontend import languages

DATA_MODELS = ("ILP32", "LP64")
PLAIN_DATA_MODEL = "LP64"
"""Of files that are given by themselves, in any language: the host's, so that they mean what they mean there."""
TASK_DATA_MODEL = "ILP32"
"""Of a task definition that states none, as in SV-COMP."""
BEFORE_RETURN = "before-return"
CALLBACKS = ("unsupported", BEFORE_RETURN)
"""What a call of an undefined function that is handed functions means; see docs/decisions/callbacks.md."""
OUTPUTS_ONLY = "outputs-only"
ASSEMBLY = ("unsupported", OUTPUTS_ONLY)
"""What inline assembly means; see frontend/definition/assembly.py."""
ARBITRARY = "arbitrary"
VOLATILE = ("ordinary", ARBITRARY)
"""What a read of volatile memory gives; see frontend/definition/volatile.py."""
REUSED = "reused"
ADDRESSES = ("fresh", REUSED)
"""Where new objects may lie: only where none lay before, or also where dead ones did;
see frontend/definition/address_reuse.py."""
CHECKS = "checks"
ANNOTATIONS = ("candidates", CHECKS)
"""What assertions and loop invariants of comments are; see frontend/editing/obligations.py."""
LARGEST_SOURCE = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class SourceTask:
    """A program and the property to check, before compilation.

    `target` is an LLVM triple that overrides `data_model`; `property` a name that
    `counterpoint.property.named` knows; `cc` another clang than the one that comes along; `language` one of
    `languages.names()`; `callbacks` one of CALLBACKS, `asm` of ASSEMBLY, `volatile` of VOLATILE, `addresses` of
    ADDRESSES, `annotations` of ANNOTATIONS;
    `malloc_may_fail`: any allocation may give null; `malloc_limit`: one of more than PTRDIFF_MAX bytes does.
    `assumed_functions`: functions may be called that are defined nowhere.
    `extra`: clang's options for all files, behind those of `include`, `defines` and `std`; `own`: for single ones.
    A program in another language than C is one file; preprocessor options and `std` do not concern it.
    """

    files: tuple[Path, ...]
    data_model: str = PLAIN_DATA_MODEL
    target: str | None = None
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    extra: tuple[str, ...] = ()
    entry: str = "main"
    property: str = properties.DEFAULT
    cc: str | None = None
    language: str = languages.C
    callbacks: str = "unsupported"
    asm: str = "unsupported"
    volatile: str = "ordinary"
    addresses: str = "fresh"
    annotations: str = "candidates"
    malloc_may_fail: bool = False
    malloc_limit: bool = False
    assumed_functions: bool = True
    own: tuple[tuple[Path, tuple[str, ...]], ...] = ()

    def options(self, file: Path) -> tuple[str, ...]:
        """`extra`, and what is the file's own."""
        return (*self.extra, *(word for path, words in self.own if path == file for word in words))

    def alone(self, file: Path) -> SourceTask:
        """The task of this file by itself: what is its own goes for whatever is compiled for it."""
        return replace(self, files=(file,), extra=self.options(file), own=())

    def instead(self, others: Mapping[Path, Path]) -> SourceTask:
        """The task with other files for some of its own, compiled as those."""
        own = tuple((others.get(file, file), words) for file, words in self.own)
        return replace(self, files=tuple(others.get(file, file) for file in self.files), own=own)

    @builtins.property
    def is_translated(self) -> bool:
        """Whether the compiler sees a translation instead of the task's file."""
        return self.language != languages.C


def check_source(path: Path) -> None:
    """Raises UnusableInput unless `path` can be a C source file: there, regular, readable, text, not empty."""
    content = read_source(path)
    if not content[:65536].strip():
        raise UnusableInput(f"{path}: is empty: expected a C program")
    if b"\0" in content[:65536]:
        raise UnusableInput(f"{path}: is a binary file: expected C source text")


def read_source(path: Path) -> bytes:
    """The bytes of a source file. Raises UnusableInput."""
    return read_given(path, "C file", LARGEST_SOURCE)


def digest(path: Path) -> str:
    """The SHA-256 of a source file. Raises UnusableInput."""
    return hashlib.sha256(read_source(path)).hexdigest()
