"""Explicit-value analysis [beyer2013explicit] of one variable at a time: which constants it may be at each place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from counterpoint.logic.loop_shape import passages
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import choices

MAX_VALUES = 40
"""Constants that one variable may take."""

Values: TypeAlias = dict[Term, tuple[int, ...] | None]
"""By component variable: the constants it may be, in the order of their discovery; None: anything."""


def value_sets(graph: CutGraph) -> dict[Place, Values]:
    """For each place, the constants that bit-vector components may be there, without looking at conditions."""
    known: dict[Place, Values] = {}
    ways = passages(graph)
    changed = True
    while changed:
        changed = False
        for passage in ways:
            target = known.setdefault(passage.way.target, {})
            source = known.get(passage.region.start, {})
            origins = {start: v for v, start in passage.region.start_values.values.items()}
            for variable, value in passage.way.values.values.items():
                if not isinstance(variable.sort, BitVec) or target.get(variable, ()) is None:
                    continue
                new = _leaf_values(value, origins, source)
                joined = None if new is None else tuple(dict.fromkeys((*(target.get(variable) or ()), *new)))
                if joined is not None and len(joined) > MAX_VALUES:
                    joined = None
                if variable not in target or joined != target[variable]:
                    target[variable] = joined
                    changed = True
    return known


def _leaf_values(value: V, origins: Mapping[V, Term], source: Values) -> tuple[int, ...] | None:
    found: dict[int, None] = {}
    for leaf in choices([value]):
        if isinstance(leaf, int):
            found[leaf] = None
        else:
            values = source.get(origins[leaf], ()) if leaf in origins else None
            if values is None:
                return None
            found.update(dict.fromkeys(values))
    return tuple(found)
