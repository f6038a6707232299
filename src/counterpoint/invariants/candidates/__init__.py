"""Sources of candidate invariants, one per file: each module exposes SOURCE.

A candidate is a guess. Houdini keeps those that are inductive together; nothing is believed before.
"""

from __future__ import annotations

import importlib
import pkgutil

from counterpoint.invariants.candidates.protocol import CandidateSource


def sources() -> tuple[CandidateSource, ...]:
    """All sources, by stage, then by name."""
    found: list[CandidateSource] = []
    for module in pkgutil.iter_modules(__path__):
        if module.name != "protocol":
            found.append(importlib.import_module(f"{__name__}.{module.name}").SOURCE)
    return tuple(sorted(found, key=lambda source: (source.stage, source.name)))
