"""States at a place by what pointers point to: in which single objects, or in none.

What a pointer leads to is a column where that is in one object, or in a summary, in all rows; and what a function does
is often another thing where two of its pointers are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoint.execute.snapshots import Snapshot
from counterpoint.inference.columns import Column
from counterpoint.inference.places import complete_snapshots, place_table
from counterpoint.inference.table import Table
from counterpoint.semantics.cutpoint import CutPoint
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST = 6
"""Ways in which pointers point."""

FEWEST = 3
"""Snapshots of one."""

Target = Term | None


def place_tables(
    cut: CutPoint, granules: Mapping[str, int], snapshots: Sequence[Snapshot]
) -> Iterator[tuple[V, Table]]:
    """The table of all snapshots under 1; and where pointers point into different objects, one for each way in which
    they do, under a condition that says so. Beside each, one of those in which all is known that pointers lead to."""
    whole = place_table(cut, granules, snapshots)
    yield 1, whole
    yield from _complete(cut, granules, snapshots, 1)
    bases = [column for column in whole.columns if column.pointer and column.size is not None]
    pointers = [column for column in whole.columns if column.pointer and column.size is None and column.term is None]
    ways: dict[tuple[Target, ...], list[Snapshot]] = {}
    for snapshot in snapshots:
        ways.setdefault(tuple(_target(p, bases, snapshot) for p in pointers), []).append(snapshot)
    if not 1 < len(ways) <= MOST:
        return
    for way, some in ways.items():
        if len(some) >= FEWEST:
            others = [other for other in ways if other != way]
            condition = _condition(pointers, bases, way, others)
            yield condition, place_table(cut, granules, some)
            yield from _complete(cut, granules, some, condition)


def _complete(
    cut: CutPoint, granules: Mapping[str, int], snapshots: Sequence[Snapshot], condition: V
) -> Iterator[tuple[V, Table]]:
    some = complete_snapshots(cut, granules, snapshots)
    if FEWEST <= len(some) < len(snapshots):
        yield condition, place_table(cut, granules, some)


def _target(pointer: Column, bases: Sequence[Column], snapshot: Snapshot) -> Target:
    """The start of the object that it points into, of those with a size."""
    for base in bases:
        if _inside(snapshot, pointer, base):
            return base.variable
    return None


def _inside(snapshot: Snapshot, pointer: Column, base: Column) -> bool:
    at, start = snapshot.values.get(pointer.variable), snapshot.values.get(base.variable)
    size = base.size if isinstance(base.size, int) else snapshot.values.get(base.size) if base.size else None
    known = isinstance(at, int) and isinstance(start, int) and isinstance(size, int)
    return known and 0 <= at - start < size  # type: ignore[operator]


def _condition(
    pointers: Sequence[Column], bases: Sequence[Column], way: Sequence[Target], others: Sequence[Sequence[Target]]
) -> V:
    """What tells this way from the others: into which object each pointer points that does not always do so."""
    found: list[V] = []
    for k, pointer in enumerate(pointers):
        elsewhere = dict.fromkeys(other[k] for other in others if other[k] is not way[k])
        if not elsewhere:
            continue
        here = next((base for base in bases if base.variable is way[k]), None)
        if here is not None:
            found.append(_points_into(pointer, here))
        else:
            found += [build.not_(_points_into(pointer, base)) for base in bases if base.variable in elsewhere]
    return build.conjunction(found)


def _points_into(pointer: Column, base: Column) -> V:
    assert base.size is not None
    return build.ult(build.sub(pointer.variable, base.variable, pointer.width), base.size, pointer.width)
