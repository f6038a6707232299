"""Integer relations among columns of numbers: the nullspace of a matrix, with small coefficients.

Elimination is done modulo a prime; its vectors become rationals again by the extended Euclidean algorithm, and what
is returned was checked on all rows. Source: polynomial equalities from traces after Nguyen, Kapur, Weimer,
Forrest: Using dynamic analysis to discover polynomial and array invariants (ICSE 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

PRIME = (1 << 61) - 1


def nullspace(rows: Sequence[Sequence[int]], largest: int) -> list[tuple[int, ...]]:
    """A basis of the vectors v with row * v = 0 for all rows, as integers without a common divisor.

    Each expresses one column by columns before it that are independent of one another; order the columns accordingly.
    Vectors that need a coefficient above `largest` are left out, but the first one, meant for the column of ones, may
    have 30 bits. Rows times columns squared, at most.
    """
    if not rows:
        return []
    width = len(rows[0])
    pivots = _echelon(rows, width)
    found: list[tuple[int, ...]] = []
    for free in range(width):
        if free in pivots:
            continue
        solution = [0] * width
        solution[free] = 1
        for pivot, row in pivots.items():
            solution[pivot] = -row[free] % PRIME
        vector = _small(solution, largest)
        if vector is not None and all(_product(row, vector) == 0 for row in rows):
            found.append(vector)
    return found


def independent_columns(rows: Sequence[Sequence[int]]) -> bool:
    """The nullspace is certainly empty."""
    return bool(rows) and len(_forward(rows, len(rows[0]))) == len(rows[0])


def _forward(rows: Sequence[Sequence[int]], width: int) -> dict[int, list[int]]:
    """Row echelon form modulo PRIME: by pivot column, in which the row has 1, and 0 in all before it."""
    pivots: dict[int, list[int]] = {}
    idle = 0
    for given in rows:
        row = [value % PRIME for value in given]
        for lead in range(width):
            factor = row[lead]
            if not factor:
                continue
            known = pivots.get(lead)
            if known is None:
                inverse = pow(factor, -1, PRIME)
                pivots[lead] = [value * inverse % PRIME for value in row]
                idle = 0
                break
            row = [(a - factor * b) % PRIME for a, b in zip(row, known, strict=True)]
        else:
            idle += 1
        if len(pivots) == width or idle > 3 * width:  # what later rows add is seen when vectors are checked
            break
    return pivots


def _echelon(rows: Sequence[Sequence[int]], width: int) -> dict[int, list[int]]:
    """The same with zeros in the other pivots' columns."""
    pivots = _forward(rows, width)
    if len(pivots) < width:
        for lead in sorted(pivots):
            below = pivots[lead]
            for other in pivots:
                factor = pivots[other][lead]
                if other < lead and factor:
                    row = pivots[other]
                    pivots[other] = [(a - factor * b) % PRIME for a, b in zip(row, below, strict=True)]
    return pivots


def _small(solution: Sequence[int], largest: int) -> tuple[int, ...] | None:
    """`small_integers`, if only the first exceeds `largest`."""
    vector = small_integers(solution)
    return vector if vector is not None and max(map(abs, vector[1:]), default=0) <= largest else None


def small_integers(solution: Sequence[int]) -> tuple[int, ...] | None:
    """The integer vector that is this one modulo PRIME up to a factor; None if its rationals are not small."""
    bound = 1 << 30
    common = 1
    for value in solution:
        _, below = _rational(value * common % PRIME, bound)
        common *= below
        if common > bound:
            return None
    whole = [_signed(value * common % PRIME) for value in solution]
    divisor = gcd(*whole)
    if divisor == 0:
        return None
    return tuple(value // divisor for value in whole)


def _signed(value: int) -> int:
    return value - PRIME if value > PRIME // 2 else value


def _rational(value: int, bound: int) -> tuple[int, int]:
    """(a, b) with a = b * value modulo PRIME, b > 0, and |a| at most `bound`."""
    a, b = (PRIME, 0), (value, 1)
    while b[0] > bound:
        quotient = a[0] // b[0]
        a, b = b, (a[0] - quotient * b[0], a[1] - quotient * b[1])
    return (b[0], b[1]) if b[1] > 0 else (-b[0], -b[1])


def _product(row: Sequence[int], vector: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(row, vector, strict=True) if b)
