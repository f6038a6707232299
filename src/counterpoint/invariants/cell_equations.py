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
