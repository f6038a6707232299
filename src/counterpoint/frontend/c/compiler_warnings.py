"""What clang warns of in the user's files, for the user: most of it is a mistake that a verdict would be about.

It is what clang says while it compiles anyway. Nothing is told of headers of the system, of library models, and of C
that was translated from another language. A function that is called without a declaration, and is defined nowhere, is
told of in our words, as it gives any value here.

Not told: formats that do not go with their arguments, of which clang knows only where it takes `printf` for its own.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.c import implicit_declarations, typeof_unqual

MOST = 1_000
"""Warnings of a program that are kept."""

UNDECLARED = "-Wimplicit-function-declaration"

FLAGS = (
    "-Wincompatible-pointer-types",
    "-Wno-incompatible-pointer-types-discards-qualifiers",
    "-Wint-conversion",
    "-Wreturn-type",
    "-Wuninitialized",
    "-Wsometimes-uninitialized",
    "-Wreturn-stack-address",
    "-Warray-bounds",
    "-Wdivision-by-zero",
    "-Wsizeof-pointer-memaccess",
    "-Wsizeof-pointer-div",
    "-Wsizeof-array-argument",
    "-Wmemset-transposed-args",
    "-Wconstant-conversion",
    "-Wliteral-conversion",
    "-Wtautological-compare",
    "-Wlogical-not-parentheses",
    "-Wstring-compare",
    "-Wstring-plus-int",
    "-Wparentheses",
    "-Wno-parentheses-equality",
    "-Wempty-body",
    "-Wself-assign",
)
"""clang's arguments, the gravest first. None of these warnings is an error by itself, or clang is told so."""

_GRAVITY = {group: rank for rank, group in enumerate((UNDECLARED, *FLAGS))}
_SILENT = frozenset({"-Wgnu-folding-constant", "-W#pragma-messages"})  # asked for by others, and of no use here
_WARNING = regex(
    r"^(?P<file>[^ \n].*?):(?P<line>\d+):(?P<column>\d+): warning: (?P<text>.*) \[(?P<group>-W[^\],\n]*)[^\]\n]*\]$",
    re.MULTILINE,
)
_CALLED = regex(r"call to undeclared (?:library )?function '(\w+)'")
_TO_THE_CHECKER = regex(r"call to undeclared function '__counterpoint_")
_OF_THE_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_ALIKE = 0.75
"""How much of a name has to be the same for a suggestion, as difflib counts."""


@dataclass(frozen=True, slots=True)
class CompilerWarning:
    """What clang warns of, where, and the option that is about it (`-Wreturn-type`)."""

    at: SourceLocation
    text: str
    group: str


def warnings(
    said: Iterable[str], headers: Path, undefined: Collection[str], known: Collection[str]
) -> tuple[CompilerWarning, ...]:
    """The warnings in what clang said of each file, each once, the gravest first.

    `headers`: where the compiler's own are; `undefined`: the functions that are called and have no meaning here,
    `known`: those that have one.
    """
    theirs = (*_OF_THE_SYSTEM, f"{headers.resolve()}/")
    every = (warning for text in said for warning in _read(text, theirs))
    found = dict.fromkeys(islice(every, MOST))
    told = [_of_undeclared(warning, undefined, known) for warning in found if not _TO_THE_CHECKER.match(warning.text)]
    return tuple(sorted(told, key=lambda warning: _GRAVITY.get(warning.group, len(_GRAVITY))))


def _read(said: str, theirs: tuple[str, ...]) -> Iterator[CompilerWarning]:
    for match in _WARNING.finditer(said):
        own = match["group"] not in _SILENT and not match["text"].startswith(typeof_unqual.MESSAGE)
        if own and not os.path.realpath(match["file"]).startswith(theirs):
            at = SourceLocation(match["file"], int(match["line"]), int(match["column"]))
            yield CompilerWarning(at, match["text"], match["group"])


def _of_undeclared(warning: CompilerWarning, undefined: Collection[str], known: Collection[str]) -> CompilerWarning:
    """In words that say what the call means here."""
    called = _CALLED.match(warning.text) if warning.group == UNDECLARED else None
    if called is None or called[1] not in undefined:
        return warning
    names = sorted({*known, *implicit_declarations.NAMES} - {called[1]})
    near = difflib.get_close_matches(called[1], names, 1, _ALIKE)
    meant = f" (did you mean `{near[0]}`?)" if near else ""
    return replace(warning, text=f"`{called[1]}` is called but defined nowhere: its result is any value{meant}")
