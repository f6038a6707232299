"""What programmers say of their code in comments and clauses: for each language of annotations a module with `read`."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.frontend.c.compiler_warnings import CompilerWarning
from counterpoint.frontend.task import SourceTask, read_source
from counterpoint.program.annotations import Annotation, Says

GROUP: Final = "annotation"
"""What warnings of annotations are about, where clang's have an option's name."""

LARGEST: Final = 4 << 20
"""Bytes of a file that is looked through."""

MOST: Final = 2_000
"""Conditions of a program that are kept."""


_MARKS: Final = (b"/*@", b"//@", b"__CPROVER_")
"""One of which is in every file that says something."""


def _languages() -> Iterator[Callable[[str], Iterable[Said | Broken]]]:
    for module in sorted(iter_modules(__path__), key=lambda one: one.name):
        language = getattr(import_module(f"{__name__}.{module.name}"), "read", None)
        if language is not None:
            yield language


def annotations_of(task: SourceTask) -> tuple[tuple[Annotation, ...], tuple[CompilerWarning, ...]]:
    """What the task's C files say, headers apart, and a warning for each clause that is not understood."""
    said: list[Annotation] = []
    broken: list[CompilerWarning] = []
    if task.is_translated:
        return (), ()
    for file in task.files:
        content = read_source(file)
        if len(content) > LARGEST or not any(mark in content for mark in _MARKS):
            continue
        text = content.decode("utf-8", "replace")
        marks = _marks(_called(file), text)
        for one in (one for language in _languages() for one in language(text)):
            name, line = _presumed(marks, one.line)
            match one:
                case Said(says=Says.ASSERT):
                    continue
                case Said(says, _, condition, assumes):
                    said.append(Annotation(says, name, line, condition, assumes))
                case Broken(_, clause, why):
                    told = clause if len(clause) <= 80 else f"{clause[:78]}..."
                    broken.append(CompilerWarning(SourceLocation(name, line), f"{told} is not used: {why}", GROUP))
    return tuple(said[:MOST]), tuple(broken[:MOST])


_LINE: Final = regex(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d{1,9})(?:[ \t]+"([^"\\\n]*)")?', re.MULTILINE)


def _marks(name: str, text: str) -> list[tuple[int, str, int]]:
    """From which line of the text on lines are called otherwise: of which file, and by how much more."""
    found, seen, at = [(0, name, 0)], 1, 0
    for mark in _LINE.finditer(text):
        seen, at = seen + text.count("\n", at, mark.start()), mark.start()
        file = _called(Path(mark[2])) if mark[2] else found[-1][1]
        found.append((seen, file, int(mark[1]) - seen - 1))
    return found


def _presumed(marks: list[tuple[int, str, int]], line: int) -> tuple[str, int]:
    """File and line as `#line` says."""
    _, name, more = marks[bisect.bisect_left(marks, line, key=lambda mark: mark[0]) - 1]
    return name, line + more


def _called(file: Path) -> str:
    """The file's name as in locations of the program."""
    here = f"{Path.cwd()}/"
    return str(Path(here, file)).removeprefix(here)
