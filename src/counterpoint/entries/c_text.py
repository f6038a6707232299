"""The text of C files, for what types and compiled code do not tell."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from counterpoint.contracts.declarations import Declarations, Function
from counterpoint.core.files import read_given
from counterpoint.frontend.task import LARGEST_SOURCE


def text_of(declared: Declarations, function: Function) -> str:
    """Of the file where the function stands, which may be a header."""
    return c_text(Path(function.file) if function.file else declared.file)


def c_text(file: Path) -> str:
    """As it is now, a character for each byte, so that offsets are those of bytes. Raises UnusableInput."""
    try:
        state = file.stat()
    except OSError:
        return _read(file, 0, 0)
    return _read(file, state.st_mtime_ns, state.st_size)


@cache
def _read(file: Path, changed: int, size: int) -> str:
    return read_given(file, "C file", LARGEST_SOURCE).decode("latin-1")
