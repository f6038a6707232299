"""Templates of invariants, one per file: each module exposes TEMPLATE."""

from __future__ import annotations

import importlib
import pkgutil

from counterpoint.inference.protocol import Template


def templates() -> tuple[Template, ...]:
    """All templates, by stage, then by strength and name."""
    found: list[Template] = []
    for module in pkgutil.iter_modules(__path__):
        found.append(importlib.import_module(f"{__name__}.{module.name}").TEMPLATE)
    return tuple(sorted(found, key=lambda template: (template.stage, template.strength, template.name)))
