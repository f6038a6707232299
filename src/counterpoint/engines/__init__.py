"""Verification methods, one per file; each module exposes ENGINE; none imports another."""

from __future__ import annotations

import importlib
import pkgutil

from counterpoint.core.errors import UnusableInput
from counterpoint.engines.protocol import Engine


def names() -> tuple[str, ...]:
    """Names of the engine modules, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "protocol"))


def get(name: str) -> Engine:
    """The engine of that name; raises UnusableInput with the known ones."""
    if name not in names():
        raise UnusableInput(f"unknown engine '{name}'; there are: {', '.join(names())}")
    engine: Engine = importlib.import_module(f"counterpoint.engines.{name}").ENGINE
    return engine
