"""Subspaces of vectors with named columns, over the field of PRIME elements: what Karr's analysis computes with.

A set of points is the subspace that their vectors (1, x, y, ...) span; a direction in which it is unbounded is a vector
whose first entry is 0. The join is the sum, so it is exact for affine hulls. Rows are sparse and fully reduced: a
column that a row is named after, its pivot, has the entry 1 there and none in other rows.

Source: Karr, Affine relationships among variables of a program (Acta Informatica 6, 1976); Müller-Olm and Seidl,
Precise interprocedural analysis through linear algebra (POPL 2004), from which the representation by vectors is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.invariants.nullspace import PRIME, small_integers

Row: TypeAlias = Mapping[int, int]
"""Entries by column, none of them 0, all below PRIME."""

ONE = 0
"""The column of the constant."""


@dataclass(slots=True)
class LinearSpace:
    """A subspace; it only grows, but for `cut`."""

    rows: dict[int, dict[int, int]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """No point is in it."""
        return not any(ONE in row for row in self.rows.values())

    def copy(self) -> LinearSpace:
        return LinearSpace({pivot: dict(row) for pivot, row in self.rows.items()})

    def add(self, given: Row) -> bool:
        """The space with this vector as well; whether it is larger than before."""
        row = dict(given)
        for pivot in [column for column in row if column in self.rows]:
            _subtract(row, row[pivot], self.rows[pivot])
        if not row:
            return False
        pivot = min(row)
        inverse = pow(row[pivot], -1, PRIME)
        row = {column: value * inverse % PRIME for column, value in row.items()}
        for other in self.rows.values():
            if pivot in other:
                _subtract(other, other[pivot], row)
        self.rows[pivot] = row
        return True

    def cut(self, form: Row) -> None:
        """Keeps the vectors on which the linear form is 0."""
        values = {pivot: _product(form, row) for pivot, row in self.rows.items()}
        chosen = next((pivot for pivot, value in values.items() if value), None)
        if chosen is None:
            return
        away, inverse = self.rows.pop(chosen), pow(values.pop(chosen), -1, PRIME)
        left, self.rows = self.rows, {}
        for pivot, row in left.items():
            if values[pivot]:
                _subtract(row, values[pivot] * inverse % PRIME, away)
            self.add(row)

    def annihilators(self, columns: Sequence[int], largest: int) -> list[dict[int, int]]:
        """Linear forms with integer coefficients that are 0 on the whole space; they span all that mention these
        columns only and need no coefficient above `largest` (but for the constant's). Each says what one column is
        by earlier ones: order the columns accordingly."""
        order = {column: place for place, column in enumerate(columns)}
        ordered = LinearSpace()
        for row in self.rows.values():
            ordered.add({order[column]: value for column, value in row.items() if column in order})
        found: list[dict[int, int]] = []
        for free in range(len(columns)):
            if free in ordered.rows:
                continue
            involved = [pivot for pivot, row in ordered.rows.items() if free in row]
            solution = [1, *(-ordered.rows[pivot][free] % PRIME for pivot in involved)]
            numbers = small_integers(solution)
            named = [columns[k] for k in (free, *involved)]
            if numbers is not None and all(abs(n) <= largest or c == ONE for n, c in zip(numbers, named, strict=True)):
                found.append(dict(zip(named, numbers, strict=True)))
        return found


def image(space: LinearSpace, by_column: Mapping[int, Iterable[tuple[int, int]]]) -> Iterable[dict[int, int]]:
    """What the rows become under a linear map: for each column, the (column, factor) that it adds to."""
    for row in space.rows.values():
        made: dict[int, int] = {}
        for column, value in row.items():
            for target, factor in by_column.get(column, ()):
                made[target] = (made.get(target, 0) + factor * value) % PRIME
        yield {column: value for column, value in made.items() if value}


def _subtract(row: dict[int, int], factor: int, other: Row) -> None:
    for column, value in other.items():
        new = (row.get(column, 0) - factor * value) % PRIME
        if new:
            row[column] = new
        else:
            row.pop(column, None)


def _product(form: Row, row: Row) -> int:
    return sum(factor * row.get(column, 0) for column, factor in form.items()) % PRIME
