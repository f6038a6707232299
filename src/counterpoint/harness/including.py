"""How a harness comes to the declarations: by the headers of the file, or by including the file itself."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from counterpoint.core.files import read_given
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.task import LARGEST_SOURCE

_DIRECTIVE: Final = regex(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
    r"""|^[ \t]*\#[ \t]*(?P<word>\w+)(?P<rest>(?:\\\r?\n|/\*.*?\*/|[^\n/]|/(?![/*]))*)""",
    re.DOTALL | re.MULTILINE,
)
_INCLUDED: Final = regex(r'\s*(<[^>\n]+>|"[^"\n]+")')


@dataclass(frozen=True, slots=True)
class Including:
    """Lines that stand first in a harness. `whole`: the file itself is included, and is no file of the command; `sure`:
    nothing in front of the headers may change what they mean."""

    lines: tuple[str, ...]
    whole: bool
    sure: bool = True


def ways(file: Path, folder: Path, static: bool) -> tuple[Including, ...]:
    """The nicest first. `static`: other files cannot call the function. Raises UnusableInput."""
    whole = Including((f'#include "{relative(file, folder)}"',), True)
    text = read_given(file, "C file", LARGEST_SOURCE).decode("utf-8", "replace")
    headers = _headers(text, file, folder)
    return (whole,) if static or headers is None else (headers, whole)


def relative(file: Path, folder: Path) -> str:
    """The path as an #include in the folder says it."""
    return os.path.relpath(file.absolute(), folder.absolute()).replace(os.sep, "/")


def _headers(text: str, file: Path, folder: Path) -> Including | None:
    """The directives of the file up to the last #include that stands under no condition; None if there is none."""
    found: list[tuple[str, str]] = []
    last, depth, conditions = 0, 0, False
    for one in _DIRECTIVE.finditer(text):
        word, rest = one["word"], (one["rest"] or "").strip()
        if word in ("if", "ifdef", "ifndef"):
            depth += 1
            conditions = True
        elif word == "endif":
            depth -= 1
        elif word == "include" and not depth and (path := _INCLUDED.match(rest)) is not None:
            found.append((word, _from(path[1], file, folder)))
            last = len(found)
        elif word in ("define", "undef") and not depth:
            found.append((word, rest.replace("\r", "")))
    if not last:
        return None
    lines = tuple(f"#{word} {rest}" for word, rest in found[:last])
    return Including(lines, False, not conditions and all(word == "include" for word, _ in found[:last]))


def _from(path: str, file: Path, folder: Path) -> str:
    """A header beside the file is named from the folder of the harness."""
    beside = file.parent / path[1:-1]
    return f'"{relative(beside, folder)}"' if path[0] == '"' and beside.exists() else path
