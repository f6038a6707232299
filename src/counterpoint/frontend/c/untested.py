"""Attributes that would leave out clang's tests: `no_sanitize("shift")`, of a function or by `#pragma clang attribute`.

clang's tests of shifts, sizes of arrays and conversions are what violations, and results that C leaves open, are made
of here. So a macro makes each such attribute speak of another sanitizer. A file that has a macro of its own by that
name is UNSUPPORTED.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from counterpoint.core.patterns import regex

_NAMES = ("no_sanitize", "__no_sanitize__")
FLAGS = tuple(f'-D{name}(...)={name}("address")' for name in _NAMES)
"""clang's arguments that disarm them."""

SPLICE = regex(rb"(?:\\|\?\?/)[ \t]*\r?\n")
"""Where a line goes on behind its end."""

_BLANK = rb"(?:[ \t\f\v]|/\*.*?\*/)*"
_OWN = regex(
    rb"^" + _BLANK + rb"(?:#|%:|\?\?=)" + _BLANK + rb"(?:define|undef)" + _BLANK
    + rb"(" + "|".join(_NAMES).encode() + rb")\b", re.MULTILINE
)  # fmt: skip
MESSAGE = regex(r"the program has a macro '(\w+)'")


def own_macros(files: Iterable[str]) -> str:
    """A remark, as clang's, on each of the files that has such a macro."""
    return "".join(f"{name}:1:1: warning: the program has a macro '{macro}'\n" for name, macro in _found(files))


def _found(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in files:
        try:
            text = Path(name).read_bytes() if Path(name).is_file() else b""
        except OSError:
            continue
        if b"no_sanitize" in text and (found := _OWN.search(SPLICE.sub(b"", text))) is not None:
            yield name, found[1].decode()
