"""Languages that are translated to C: packages of `frontend` with a module `language` that exposes LANGUAGE.

A program in one of them is one file; preprocessor options and `-std` do not concern it. Its C text names its own lines
by `#line`, so that everything behind the translation speaks of the file that was given.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import counterpoint.frontend as frontend
from counterpoint.core.records import dataclass

C = "C"
_DECLARED = "language"


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its `name` in task definitions, how its files end, and its translator.

    `title` is what a file of it is called ("block graph"). `translate` gives the C text of a file; it raises
    UnusableInput with file, line and column. `properties` are all that programs in it may be asked about, () for any,
    and `limit` says why.
    """

    name: str
    suffix: str
    title: str
    translate: Callable[[Path], str]
    properties: tuple[str, ...] = ()
    limit: str = ""


@cache
def languages() -> tuple[Language, ...]:
    """Every LANGUAGE, by name."""
    found: list[Language] = []
    for package in pkgutil.iter_modules(frontend.__path__):
        declared = [Path(folder, package.name, f"{_DECLARED}.py") for folder in frontend.__path__]
        if package.ispkg and any(file.is_file() for file in declared):
            found.append(importlib.import_module(f"{frontend.__name__}.{package.name}.{_DECLARED}").LANGUAGE)
    return tuple(sorted(found, key=lambda language: language.name))


def names() -> tuple[str, ...]:
    """What a task definition may say."""
    return (C, *(language.name for language in languages()))


def language(name: str) -> Language | None:
    """The one that is translated to C, None for C itself."""
    return next((one for one in languages() if one.name == name), None)
