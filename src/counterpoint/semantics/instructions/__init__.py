"""Families of operations, one file each, found by name.

A family exposes `OPERATIONS: Mapping[str, Definition]`: the operations that `Compute` may name. A new
operation is one more entry, a new family one more file.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from counterpoint.core.errors import InternalError
from counterpoint.semantics.algebra import Definition


@cache
def all_operations() -> Mapping[str, Definition]:
    """Every operation by name. Raises InternalError if two families define the same one."""
    found: dict[str, Definition] = {}
    for family in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        operations: Mapping[str, Definition] = import_module(f"{__name__}.{family}").OPERATIONS
        for name, definition in operations.items():
            if name in found:
                raise InternalError(f"the operation {name} is defined twice, once in {family}")
            found[name] = definition
    return found


def definition(name: str) -> Definition:
    """What the operation computes. Raises InternalError if there is none of that name."""
    try:
        return all_operations()[name]
    except KeyError:
        raise InternalError(f"no operation is called {name} (see semantics/instructions/)") from None
