"""Verification methods, one per file; each module exposes ENGINE; none imports another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

from counterpoint.core.errors import UnusableInput
from counterpoint.engines.protocol import Engine, Option


def names() -> tuple[str, ...]:
    """Names of the engine modules, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "protocol"))


def get(name: str) -> Engine:
    """The engine of that name; raises UnusableInput with the known ones."""
    if name not in names():
        raise UnusableInput(f"unknown engine '{name}'; there are: {', '.join(names())}")
    engine: Engine = importlib.import_module(f"counterpoint.engines.{name}").ENGINE
    return engine


def options(name: str) -> tuple[Option, ...]:
    """What can be set for the engine of that name; raises UnusableInput as `get`."""
    get(name)
    found: tuple[Option, ...] = getattr(importlib.import_module(f"counterpoint.engines.{name}"), "OPTIONS", ())
    return found


def check_options(given: Iterable[tuple[str, str]]) -> None:
    """Raises UnusableInput for the first name that is no option of an engine."""
    for name, _ in given:
        engine = name.partition(".")[0]
        if engine not in names() or "." not in name:
            raise UnusableInput(f"option {name}: expected ENGINE.OPTION, the engine one of {', '.join(names())}")
        known = [option.name for option in options(engine)]
        if name not in known:
            raise UnusableInput(f"option {name}: {engine} has {', '.join(known) or 'no options'}")
