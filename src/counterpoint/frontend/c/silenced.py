"""What clang would have remarked on, had no pragma kept it from that, and pragmas that it does not follow.

What it says is read for what it means (diagnostics.py, implicit_declarations.py, typeof_unqual.py), and `#pragma
GCC diagnostic` may silence each of these warnings. So a file in which one, as macros make it, names a group of theirs
is looked at once more: preprocessed, and without such pragmas. Lines are the same then, columns are not.

Two pragmas change what a program means, and clang passes over them: that of the order of bytes in structures (gcc), and
that of the mode of rounding (C23).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from counterpoint.core.patterns import regex
from counterpoint.frontend.c.untested import SPLICE

_GROUPS = (
    "everything|all|extra|most|pedantic|attributes|unknown-attributes|ignored-attributes|integer-overflow|overflow|"
    "shift-[a-z-]+|unsequenced|sequence-point|gnu|gnu-folding-constant|constant-[a-z-]+|implicit[a-z-]*|"
    "user-defined-warnings|#pragma-messages"
)
_PRAGMA = regex(rb"^[ \t]*#[ \t]*pragma[ \t]+(?:clang|GCC)[ \t]+diagnostic\b[^\n]*$", re.MULTILINE)
_SILENCING = regex(
    rb"^[ \t]*#[ \t]*pragma[ \t]+(?:clang|GCC)[ \t]+diagnostic[ \t]+ignored[ \t]+\"-W(?:no-)?(?:"
    + _GROUPS.encode() + rb")\"", re.MULTILINE
)
"""As the preprocessor writes it, with comments, continued lines and pieces of strings put together."""

_PASSED_OVER = regex(
    rb"^[ \t]*#[ \t]*pragma[ \t]+(scalar_storage_order[ \t]+(?:big|little)-endian"
    rb"|STDC[ \t]+FENV_ROUND[ \t]+(?!FE_TONEAREST\b|FE_DYNAMIC\b)\w+)", re.MULTILINE
)
PASSED_OVER = regex(r"clang does not follow the pragma `([^`]*)`")
_LARGEST = 64 << 20
"""Bytes of a preprocessed file from which on it is not looked at once more."""

Run = Callable[[list[str], BinaryIO | None], tuple[int, str]]
"""Runs the compiler with these arguments: its exit status, and what it says; its output goes to the file."""


NOTE_INCLUDES = "-H"
"""clang's argument that makes it say which files it includes."""
_INCLUDED = regex(r"^\.+ (.*)\n", re.MULTILINE)


def without_includes(said: str) -> tuple[list[str], str]:
    """The files that clang included, and what else it said."""
    return _INCLUDED.findall(said), _INCLUDED.sub("", said)


def silenced(run: Run, options: list[str], operand: str, included: list[str], folder: str) -> str:
    """What the compiler says of a file without the pragmas; "" if neither it nor what it includes has one. And, as a
    remark, which pragma it passes over."""
    if not any(_has_pragmas(Path(name)) for name in (operand, *included)):
        return ""
    expanded = Path(folder) / "expanded.c"
    with expanded.open("wb") as output:
        status, _ = run([*options, "-E", operand], output)
    if status != 0 or expanded.stat().st_size > _LARGEST:
        return ""
    text = expanded.read_bytes()
    passed = _PASSED_OVER.search(text)
    remark = f"{operand}:1:1: warning: clang does not follow the pragma `{passed[1].decode()}`\n" if passed else ""
    if _SILENCING.search(text) is None:
        return remark
    expanded.write_bytes(_PRAGMA.sub(b"", text))
    once = [word for word in options if not word.startswith("-include")]
    _, said = run([*once, "-c", "-emit-llvm", str(expanded), "-o", str(expanded.with_suffix(".bc"))], None)
    return remark + said


def _has_pragmas(file: Path) -> bool:
    """Whether it may have any: a macro may put the rest of one together."""
    try:
        return file.is_file() and b"ragma" in SPLICE.sub(b"", file.read_bytes())
    except OSError:
        return False
