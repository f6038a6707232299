"""Order of the noted cells of an array, with two ghosts: any two cells of a range, or those of a range and all cells in
front of it or behind it, as sorting makes them cell by cell; least and greatest ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from counterpoint.invariants.cells import Array, Numbers, Ranges, Scene, Truth, ends, lower, upper
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import substitute

RANGES = 4
"""Ranges on which neighbours are in order."""

SIDES = 2
"""Ranges that are in order with all in front of them or behind them."""

MOST_FLAGS = 2
"""Variables that are 0 or 1, for each of which what is said of cells is said by its value, too."""

_Order: TypeAlias = Callable[[V, V], V]


def ordered(seen: Scene) -> Iterator[V]:
    """What is said of order in the scene's arrays, and for each value of a flag where it has that value."""
    for array in seen.arrays:
        yield from _of_array(seen, array)
    for is_so, _, part in by_flags(seen):
        for array in part.arrays:
            yield from (build.implies(is_so, formula) for formula in _of_array(part, array))


def by_flags(seen: Scene) -> Iterator[tuple[V, Truth, Scene]]:
    """For each value of a variable that is 0 or 1: that it is so, at which visits, and the scene with their cells."""
    for flag in [column for column in seen.table.columns if set(column.signed) == {0, 1}][:MOST_FLAGS]:
        for value in (0, 1):
            here = np.array(flag.signed, dtype=np.int64) == value
            arrays = [array.where(here[array.visit]) for array in seen.arrays]
            part = replace(seen, arrays=tuple(array for array in arrays if array is not None))
            yield build.eq(flag.variable, value, flag.width), here, part


def _of_array(seen: Scene, array: Array) -> Iterator[V]:
    if (array.value == array.value[0]).all():
        return
    ranges = Ranges.of(array, lower(seen, array), upper(seen, array))
    yield from _in_order(seen, array, ranges)
    yield from _beside_others(seen, array, ranges)
    yield from _to_one(seen, array, ranges)


def _in_order(seen: Scene, array: Array, ranges: Ranges) -> Iterator[V]:
    """Of any two cells of a range the first is not above the second, or the other way round."""
    following, values = array.at(array.visit, array.index + 1)
    if following.sum() < 4:
        return
    rising, falling = _orders(array.width)
    second = ghost(1, seen.bits)
    one, two = (build.select(array.variable, g) for g in (seen.cell, second))
    for holds, order in ((array.value <= values, rising), (array.value >= values, falling)):
        for guard, inside in ranges.true_on(holds, following, RANGES):
            if (array.value[inside] == values[inside]).all():
                continue
            for last in (build.sub(second, 1, seen.bits), second):  # the range's last cell may be the array's
                far = substitute(guard, {seen.cell: last})
                both = build.conjunction([guard, far, build.slt(seen.cell, second, seen.bits)])
                yield build.implies(both, order(one, two))


def _beside_others(seen: Scene, array: Array, ranges: Ranges) -> Iterator[V]:
    """The cells of a range are in order with all cells behind them, up to the array's end; or with all in front."""
    bits, second = seen.bits, ghost(1, seen.bits)
    behind = [build.slt(second, end.term, bits) for end in ends(seen, array)]
    between = build.slt(seen.cell, second, bits)
    one, two = (build.select(array.variable, g) for g in (seen.cell, second))
    for sign, order in zip((1, -1), _orders(array.width), strict=True):
        known, least = _least_behind(array, sign * array.value)
        if (sign * array.value <= least)[known].all():
            continue  # all cells are in order
        for guard, inside in ranges.true_on(sign * array.value <= least, known, SIDES) if behind else ():
            if not (array.value[inside] == sign * least[inside]).all():
                for end in behind:
                    yield build.implies(build.conjunction([guard, between, end]), order(one, two))
        known, most = _most_in_front(array, sign * array.value)
        for guard, inside in ranges.true_on(most <= sign * array.value, known, SIDES):
            if not (array.value[inside] == sign * most[inside]).all():
                there = substitute(guard, {seen.cell: second})
                start = build.sle(0, seen.cell, bits)
                yield build.implies(build.conjunction([there, between, start]), order(one, two))


def _to_one(seen: Scene, array: Array, ranges: Ranges) -> Iterator[V]:
    """The cells of a range are not above or below the one at an index that is a variable."""
    element = build.select(array.variable, seen.cell)
    for value in seen.indices:
        known, cells = array.at(array.visit, value.at[array.visit])
        one = build.select(array.variable, value.term)
        for sign, order in zip((1, -1), _orders(array.width), strict=True):
            for guard, inside in ranges.true_on(sign * array.value <= sign * cells, known, 1):
                if not (array.value[inside] == cells[inside]).all():
                    yield build.implies(guard, order(element, one))


def _orders(width: int) -> tuple[_Order, _Order]:
    """Rising and falling."""
    return (lambda a, b: build.sle(a, b, width)), (lambda a, b: build.sle(b, a, width))


def _least_behind(array: Array, values: Numbers) -> tuple[Truth, Numbers]:
    """For each cell, whether there are noted ones behind it at its visit, and the least of them."""
    known, least = np.zeros(len(values), dtype=np.bool_), np.zeros(len(values), dtype=np.int64)
    for start, stop in _visits(array):
        known[start : stop - 1] = True
        least[start : stop - 1] = np.minimum.accumulate(values[start + 1 : stop][::-1])[::-1]
    return known, least


def _most_in_front(array: Array, values: Numbers) -> tuple[Truth, Numbers]:
    known, most = np.zeros(len(values), dtype=np.bool_), np.zeros(len(values), dtype=np.int64)
    for start, stop in _visits(array):
        known[start + 1 : stop] = True
        most[start + 1 : stop] = np.maximum.accumulate(values[start : stop - 1])
    return known, most


def _visits(array: Array) -> Iterator[tuple[int, int]]:
    """The points of each visit, from a place up to another, by rising index."""
    starts = np.flatnonzero(np.diff(array.visit, prepend=-1)).tolist()
    yield from zip(starts, [*starts[1:], len(array.visit)], strict=True)
