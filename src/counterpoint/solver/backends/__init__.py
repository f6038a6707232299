"""One module per solver program, found by name, each with a `BACKEND`. `connect` imports the solver."""

from __future__ import annotations

import importlib
import pkgutil

from counterpoint.core.errors import UnusableInput
from counterpoint.solver.protocol import Backend


def backend_names() -> list[str]:
    """The names of all backends, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def backend(name: str) -> Backend:
    """The backend of that name. Raises UnusableInput if there is none."""
    names = backend_names()
    if name not in names:
        raise UnusableInput(f"there is no solver named {name!r}; there are {', '.join(names)}")
    found: Backend = importlib.import_module(f"{__name__}.{name}").BACKEND
    return found
