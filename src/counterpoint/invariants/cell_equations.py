"""Equations of noted cells with their index and numbers of the place: `a[g] == n + 1`, `a[g] == n * n - g`.

Loops in sequence that go through the same cells leave in each a polynomial of its index and of sizes and sums that were
complete when the loop began. Equations are found on the cells in front of a number of the place, those from it on, and
all, each with at most one number beside the index. Source: Nguyen, Kapur, Weimer, Forrest (ICSE 2012): polynomial
relations of cells from traces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from counterpoint.invariants.cells import Array, Numbers, Scene, Truth
from counterpoint.invariants.fitting import Monomial, fit, formula, monomials
from counterpoint.invariants.samples import Column
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_NUMBERS = 5
"""Numbers of a place that equations are looked for with."""

POINTS = 120
"""Cells that equations are found on, spread over those of a part."""

FEWEST = 12
"""Cells of a part."""

SURPLUS = 3
"""Different points beyond the number of products."""

FACTOR = 2
"""The largest coefficient of the cell itself."""


SMALL_STRIDE = 4
"""Of which each remainder is a range of its own."""

STEEPEST = 1 << 16
"""The largest coefficient of a row or a column."""

_Numbered: TypeAlias = tuple[Column, Numbers]
"""A column without values, and its value at each point of the array."""


def equations(seen: Scene, array: Array, degree: int) -> Iterator[tuple[V, Truth]]:
    """Each equation of at most that degree, and the points of the array on which it holds, modulo its width."""
    found: dict[V, None] = {}
    numbers = _numbers(seen, array)
    for part in _parts(seen, array):
        known = np.flatnonzero(part)
        if len(known) < FEWEST or (array.value[known] == array.value[known[0]]).all():
            continue
        chosen = known[:: -(-len(known) // POINTS)]
        for columns in _sets(numbers):
            for vector, products in _fitted(columns, chosen, degree):
                one = formula([column for column, _ in columns], products, vector, array.width)
                if isinstance(one, Term) and one not in found:
                    found[one] = None
                    yield one, _holds(columns, products, vector, array.width)


def planes(seen: Scene, array: Array) -> list[tuple[V, Truth]]:
    """`a[g] == p * (g / c) + q * (g % c) + d`, for cells of a matrix with rows of c cells, and on which points: the one
    that most are on."""
    return sorted(_planes(seen, array), key=lambda plane: -int(plane[1].sum()))[:1]


def _planes(seen: Scene, array: Array) -> Iterator[tuple[V, Truth]]:
    width, bits, g, mask = array.width, seen.bits, seen.cell, (1 << array.width) - 1
    together = np.diff(array.visit) == 0
    for stride in (n for n in seen.strides if n > SMALL_STRIDE):
        row, column = array.index // stride, array.index % stride
        across = _slope(array.value, column, together & (np.diff(row) == 0))
        if across is None:
            continue
        rest = array.value - across * column
        down = _slope(rest, row, together & (np.diff(row) > 0))
        if down is None or down == across * stride or max(abs(across), abs(down)) > STEEPEST:
            continue  # else it is a line over the index, or over one of the two
        start = _most_frequent(rest - down * row)
        quotient = build.udiv(g, stride, bits)
        parts = (quotient, build.sub(g, build.mul(quotient, stride, bits), bits))
        total: V = (start or 0) & mask
        for slope, part in zip((down, across), parts, strict=True):
            narrow = build.extract(width - 1, 0, part, bits) if width < bits else part
            total = build.add(total, build.mul(slope & mask, narrow, width), width)
        yield build.eq(build.select(array.variable, g), total, width), rest - down * row == start


def _slope(values: Numbers, numbers: Numbers, here: Truth) -> int | None:
    """By how much values grow with numbers, most often, from one point to the next: cells that are not filled yet are
    often the same."""
    up, steps = np.diff(values)[here], np.diff(numbers)[here]
    whole = (up % steps == 0) & (up != 0)
    return _most_frequent(up[whole] // steps[whole])


def _most_frequent(numbers: Numbers) -> int | None:
    values, counts = np.unique(numbers, return_counts=True)
    return int(values[np.argmax(counts)]) if len(values) else None


def _parts(seen: Scene, array: Array) -> Iterator[Truth]:
    for value in seen.indices:
        at = value.at[array.visit]
        yield array.index < at
        yield array.index >= at
    yield array.index >= 0


def _numbers(seen: Scene, array: Array) -> list[_Numbered]:
    """The index, and numbers of the place that change, as wide as a cell; last the cell itself."""
    bits, width, g = seen.bits, array.width, seen.cell
    narrow = build.extract(width - 1, 0, g, bits) if width < bits else g
    found = [(narrow, array.index)]
    for column in [c for c in seen.table.columns if c.width == width and not c.constant][:MOST_NUMBERS]:
        found.append((column.variable, np.array(column.signed, dtype=np.int64)[array.visit]))
    found.append((build.select(array.variable, g), array.value))
    return [(Column(term, width, (), ()), at) for term, at in found if isinstance(term, Term)]


def _sets(numbers: Sequence[_Numbered]) -> Iterator[list[_Numbered]]:
    """Which numbers an equation of the cell may have: each by itself, and together with the index."""
    index, *others, cell = numbers
    yield [index, cell]
    for other in others:
        yield [other, cell]
    for other in others:
        yield [index, other, cell]


def _fitted(
    columns: Sequence[_Numbered], chosen: Numbers, degree: int
) -> Iterator[tuple[tuple[int, ...], list[Monomial]]]:
    """Vectors of equations in which the cell occurs once, by itself; of the least degree that has any."""
    given = [Column(column.variable, column.width, (), tuple(at[chosen].tolist())) for column, at in columns]
    cell = len(columns) - 1
    for highest in range(1, degree + 1):
        products = [*monomials(cell, highest), (cell,)]
        vectors = [vector for vector in fit(given, products, SURPLUS) if 0 < abs(vector[-1]) <= FACTOR]
        if vectors:
            yield from ((vector, products) for vector in vectors)
            return


def _holds(columns: Sequence[_Numbered], products: Sequence[Monomial], vector: Sequence[int], width: int) -> Truth:
    """On which points; sums and products are modulo 2^64 and what is compared modulo 2^width."""
    total = np.zeros(len(columns[0][1]), dtype=np.int64)
    for product, coefficient in zip(products, vector, strict=True):
        part = np.full(len(total), coefficient, dtype=np.int64)
        for k in product if coefficient else ():
            part = part * columns[k][1]
        total = total + part
    return total == 0 if width == 64 else total & ((1 << width) - 1) == 0
