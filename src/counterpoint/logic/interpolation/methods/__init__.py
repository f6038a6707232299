"""One module per method of interpolation, found by name, each with a `METHOD`. Solvers are imported when used."""

from __future__ import annotations

import importlib
import pkgutil

from counterpoint.core.errors import UnusableInput
from counterpoint.solver.interpolation import Interpolator


def method_names() -> list[str]:
    """The names of all methods, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def method(name: str) -> Interpolator:
    """The method of that name. Raises UnusableInput if there is none."""
    names = method_names()
    if name not in names:
        raise UnusableInput(f"there is no interpolation by {name!r}; there are {', '.join(names)}")
    found: Interpolator = importlib.import_module(f"{__name__}.{name}").METHOD
    return found
