"""Linear equations over the integers modulo 2**width, also where no coefficient is odd.

An entry divides all those that have no lower power of two in them, so that elimination with such pivots is exact. A
coefficient that the equations give modulo a smaller power of two only is the one of least absolute value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterpoint.inference.numbers import Numbers, mask_of, signed_number, twos

FIRST_ROWS = 24
"""Equations that are solved at first; few random ones have a solution."""


def contradictory(points: Sequence[Sequence[int]], width: int) -> bool:
    """No affine equation between the last number of each point and the others holds at all points: with one more point
    than numbers, by a determinant that is not 0. Of few points only, so that most are refused at the cost of a look."""
    first = points[0]
    rows = [[a - b for a, b in zip(point, first, strict=True)] for point in points[1:]]
    if len(rows) != len(first):
        return False
    return _determinant(rows) & mask_of(width) != 0


def _determinant(rows: list[list[int]]) -> int:
    """Of integers, by elimination without fractions (Bareiss)."""
    size, sign, before = len(rows), 1, 1
    for step in range(size - 1):
        pivot = next((k for k in range(step, size) if rows[k][step]), None)
        if pivot is None:
            return 0
        if pivot != step:
            rows[step], rows[pivot], sign = rows[pivot], rows[step], -sign
        above = rows[step]
        for k in range(step + 1, size):
            row, lead = rows[k], rows[k][step]
            rows[k] = [(a * above[step] - lead * b) // before for a, b in zip(row, above, strict=True)]
        before = above[step]
    return sign * rows[-1][-1]


def solved(left: Numbers, right: Numbers, width: int) -> tuple[int, ...] | None:
    """Numbers x, signed, with left * x == right in all rows modulo 2**width; None if there are none.

    Rows times columns squared, at most; `left` has as many rows as `right` has entries, a row per equation.
    """
    if len(right) > FIRST_ROWS and _solved(left[:FIRST_ROWS], right[:FIRST_ROWS], width) is None:
        return None
    return _solved(left, right, width)


def _solved(left: Numbers, right: Numbers, width: int) -> tuple[int, ...] | None:
    mask = np.uint64(mask_of(width))
    columns = left.shape[1]
    matrix = np.concatenate([left, right[:, None]], axis=1) & mask
    order: list[int] = []
    for step in range(min(columns, len(matrix))):
        free = [k for k in range(columns) if k not in order]
        powers = twos(matrix[step:, free]) - np.uint64(1)  # 0 becomes the largest number
        place = int(np.argmin(powers))
        row, column = step + place // len(free), free[place % len(free)]
        pivot = int(matrix[row, column])
        if pivot == 0:
            break
        if row != step:
            matrix[[step, row]] = matrix[[row, step]]
        shift = (pivot & -pivot).bit_length() - 1
        unit = np.uint64(pow(pivot >> shift, -1, 1 << width))
        matrix[step] = (matrix[step] * unit) & mask
        factors = matrix[step + 1 :, column] >> np.uint64(shift)
        matrix[step + 1 :] = (matrix[step + 1 :] - factors[:, None] * matrix[step]) & mask
        order.append(column)
    if matrix[len(order) :, columns].any():
        return None
    return _back(matrix, order, columns, width)


def _back(matrix: Numbers, order: list[int], columns: int, width: int) -> tuple[int, ...] | None:
    """Values from the echelon form, the last one first; those without a pivot are 0."""
    found = [0] * columns
    for step in reversed(range(len(order))):
        row = [int(number) for number in matrix[step]]
        pivot = row[order[step]]
        rest = row[columns] - sum(row[k] * found[k] for k in range(columns) if k != order[step])
        rest &= mask_of(width)
        shift = pivot.bit_length() - 1  # it is a power of two
        if rest & (pivot - 1):
            return None
        smaller = width - shift
        found[order[step]] = signed_number(rest >> shift & mask_of(smaller), smaller)
    return tuple(found)
