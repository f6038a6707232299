"""What programmers say of their code in comments and clauses: for each language of annotations a module with `read`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from counterpoint.core.source import SourceLocation
from counterpoint.frontend.annotations.protocol import Broken, Said
from counterpoint.frontend.c.compiler_warnings import CompilerWarning
from counterpoint.frontend.task import SourceTask, read_source
from counterpoint.program.annotations import Annotation

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
        name, text = _called(file), content.decode("utf-8", "replace")
        for one in (one for language in _languages() for one in language(text)):
            match one:
                case Said(says, line, condition, assumes):
                    said.append(Annotation(says, name, line, condition, assumes))
                case Broken(line, clause, why):
                    told = clause if len(clause) <= 80 else f"{clause[:78]}..."
                    broken.append(CompilerWarning(SourceLocation(name, line), f"{told} is not used: {why}", GROUP))
    return tuple(said[:MOST]), tuple(broken[:MOST])


def _called(file: Path) -> str:
    """The file's name as in locations of the program."""
    here = f"{Path.cwd()}/"
    return str(Path(here, file)).removeprefix(here)
