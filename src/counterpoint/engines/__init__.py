"""Verification methods, one per module or package, found by name; each exposes ENGINE (protocol.py); none imports
another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from counterpoint.core.errors import UnusableInput

if TYPE_CHECKING:
    from counterpoint.engines.protocol import Engine, Option, Task
    from counterpoint.execute.subject import Subject

_SHARED = ("answers", "protocol")


def names() -> tuple[str, ...]:
    """Names of the engine modules, sorted."""
    return _names(tuple(__path__))


@cache
def _names(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(folders) if m.name not in _SHARED))


def _module(name: str) -> ModuleType:
    if name not in names():
        raise UnusableInput(f"unknown engine '{name}'; there are: {', '.join(names())}")
    return importlib.import_module(f"{__name__}.{name}")


def get(name: str) -> Engine:
    """The engine of that name; raises UnusableInput with the known ones."""
    engine: Engine = _module(name).ENGINE
    return engine


def options(name: str) -> tuple[Option, ...]:
    """What can be set for the engine of that name; raises UnusableInput as `get`."""
    found: tuple[Option, ...] = getattr(_module(name), "OPTIONS", ())
    return found


def turn(name: str) -> float | None:
    """The seconds of its first turn by default, if it is to have one; raises UnusableInput as `get`."""
    seconds: float | None = getattr(_module(name), "TURN", None)
    return seconds


def task(name: str, subject: Subject, given: Mapping[str, str]) -> Task:
    """What the engine of that name is asked about the program, with the options given: those of engines, and "prepare"
    ("none", "modular" or "default") and "contracts" (names, with commas between). Raises UnusableInput as `get`."""
    from counterpoint.engines.protocol import Task, usual_preparation

    prepared: Callable[[Mapping[str, str]], str] = getattr(_module(name), "preparation", usual_preparation)
    contracts = tuple(name for name in given.get("contracts", "").split(",") if name)
    return Task(subject, given, prepared(given), contracts)


def check_options(given: Iterable[tuple[str, str]]) -> None:
    """Raises UnusableInput for the first name that is no option of an engine, or one that is true or false and gets
    another value; other values are for the engine to understand."""
    for name, value in given:
        engine = name.partition(".")[0]
        if engine not in names() or "." not in name:
            raise UnusableInput(f"option {name}: expected ENGINE.OPTION, the engine one of {', '.join(names())}")
        known = {option.name: option.default for option in options(engine)}
        if name not in known:
            raise UnusableInput(f"option {name}: {engine} has {', '.join(known) or 'no options'}")
        if known[name] in ("true", "false") and value not in ("true", "false"):
            raise UnusableInput(f"option {name}: `{value}` is neither true nor false")
