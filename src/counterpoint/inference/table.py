"""Tables of samples: one vector of numbers per column, of arrays the elements that are known.

`distinct` puts the rows into an order of their own, by hashes of their contents: whatever is found in that table, by
samples or in a certain order, does not hang on the order in which rows were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.inference.columns import Column
from counterpoint.inference.numbers import Numbers, Rows, Truth, mask_of, mixed
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Term


@dataclass(frozen=True, eq=False)
class Entries:
    """The known elements of an array in each row: those of row r are at starts[r] to starts[r + 1] - 1, by index."""

    starts: Rows
    indices: Numbers
    values: Numbers

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Rows:
        """The row of each element."""
        return np.repeat(np.arange(self.count, dtype=np.int64), np.diff(self.starts))

    @cached_property
    def _index_numbers(self) -> tuple[Numbers, Numbers]:
        """All indices that occur, and for each element a key that rises with row and index."""
        different, numbers = np.unique(self.indices, return_inverse=True)
        return different, self.owners.astype(np.uint64) * np.uint64(len(different)) + numbers.astype(np.uint64)

    def take(self, rows: Rows) -> Entries:
        """The rows of these numbers."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        places = np.arange(starts[-1], dtype=np.int64) + np.repeat(self.starts[:-1][rows] - starts[:-1], lengths)
        return Entries(starts, self.indices[places], self.values[places])

    def find(self, rows: Rows, indices: Numbers) -> tuple[Numbers, Truth]:
        """Elements by row and index, and which of them are known (0 for the others)."""
        different, keys = self._index_numbers
        if not len(keys):
            return np.zeros(len(rows), dtype=np.uint64), np.zeros(len(rows), dtype=np.bool_)
        number = np.minimum(np.searchsorted(different, indices), len(different) - 1)
        wanted = rows.astype(np.uint64) * np.uint64(len(different)) + number.astype(np.uint64)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        known = (different[number] == indices) & (keys[place] == wanted)
        return np.where(known, self.values[place], np.uint64(0)), known

    @property
    def hashes(self) -> Numbers:
        """One number per row."""
        each = mixed(self.indices ^ mixed(self.values))
        sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(each, dtype=np.uint64)))
        return sums[self.starts[1:]] - sums[self.starts[:-1]]

    def same_as_before(self) -> Truth:
        """For each row from the second on: it is equal to the one before it."""
        lengths = np.diff(self.starts)
        same: Truth = lengths[1:] == lengths[:-1]
        owners = self.owners
        inner = owners > 0
        before = np.clip(np.arange(len(owners)) - lengths[np.maximum(owners - 1, 0)], 0, None)
        equal = (self.indices == self.indices[before]) & (self.values == self.values[before])
        different = owners[inner & ~equal]
        same[different - 1] = False
        return same


Values: TypeAlias = Numbers | Entries


@dataclass(frozen=True, eq=False)
class Table:
    """For each column one vector (uint64, Bools 0 or 1) or the entries of an array, all of the same number of rows.

    `sites`: a label per row, as of the branch or the return that the run took. `conditions`: formulas that hold just on
    the rows of a label, where they are known. `weights`: how often each row was seen; once, if that is None.
    Raises InternalError if lengths or widths do not fit.
    """

    columns: tuple[Column, ...]
    rows: tuple[Values, ...]
    sites: Numbers | None = None
    conditions: Mapping[int, Term] = field(default_factory=dict)
    weights: Numbers | None = None

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.rows):
            raise InternalError(f"{len(self.columns)} columns with {len(self.rows)} vectors")
        for column, values in zip(self.columns, self.rows, strict=True):
            numbers = values.values if isinstance(values, Entries) else values
            if isinstance(values, Entries) != column.is_array or numbers.dtype != np.uint64:
                raise InternalError(f"{column.variable} needs another kind of vector")
            if (values.count if isinstance(values, Entries) else len(values)) != self.count:
                raise InternalError(f"{column.variable} has not the same number of rows as the columns before it")

    @property
    def count(self) -> int:
        """Rows."""
        first = self.rows[0] if self.rows else ()
        return first.count if isinstance(first, Entries) else len(first)

    @cached_property
    def position(self) -> Mapping[Term, int]:
        """Where the column of a variable is."""
        return {column.variable: k for k, column in enumerate(self.columns)}

    @property
    def support(self) -> int:
        """Rows, each as often as it was seen."""
        return self.count if self.weights is None else int(self.weights.sum())

    def numbers(self, position: int) -> Numbers:
        """The vector of a column that is no array."""
        values = self.rows[position]
        assert not isinstance(values, Entries)
        return values

    def entries(self, position: int) -> Entries:
        """The elements of an array's column."""
        values = self.rows[position]
        assert isinstance(values, Entries)
        return values

    def take(self, rows: Rows) -> Table:
        """The rows of these numbers."""
        taken = tuple(v.take(rows) if isinstance(v, Entries) else v[rows] for v in self.rows)
        sites = None if self.sites is None else self.sites[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, rows=taken, sites=sites, weights=weights)

    def part(self, start: int, end: int) -> Table:
        """The rows from `start` to before `end`, without copies of numbers."""
        rows = np.arange(start, min(end, self.count), dtype=np.int64)
        taken = tuple(v.take(rows) if isinstance(v, Entries) else v[start:end] for v in self.rows)
        return replace(self, rows=taken, sites=None, weights=None)

    def distinct(self) -> Table:
        """Each different row once, with its weight, in an order that their contents give."""
        hashes = np.zeros(self.count, dtype=np.uint64)
        vectors: Iterator[Numbers] = (v.hashes if isinstance(v, Entries) else v for v in self.rows)
        for vector in (*vectors, *(() if self.sites is None else (self.sites,))):
            hashes = mixed(hashes + vector)
        order = np.argsort(hashes, kind="stable")
        sorted_ = self.take(order)
        first = np.ones(self.count, dtype=np.bool_)
        first[1:] = hashes[order][1:] != hashes[order][:-1]
        for values in (*sorted_.rows, *(() if sorted_.sites is None else (sorted_.sites,))):
            same = values.same_as_before() if isinstance(values, Entries) else values[1:] == values[:-1]
            first[1:] |= ~same
        if sorted_.weights is None and first.all():
            return sorted_
        seen = np.ones(self.count, dtype=np.uint64) if sorted_.weights is None else sorted_.weights
        starts = np.flatnonzero(first).astype(np.int64)
        weights = np.add.reduceat(seen, starts) if self.count else seen
        return replace(sorted_.take(starts), weights=weights)


# ---------------------------------------------------------------- from Python's numbers


def vector(numbers: Sequence[int], width: int) -> Numbers:
    """Numbers, signed or unsigned, modulo 2**width."""
    mask = mask_of(width)
    return np.array([number & mask for number in numbers], dtype=np.uint64)


def entries(rows: Iterable[Mapping[int, int] | ArrayValue], index_width: int, width: int) -> Entries:
    """The entries of mappings, or of arrays as term.evaluate has them (other indices are unknown)."""
    starts, indices, values = [0], [], []
    for row in rows:
        known = row.entries if isinstance(row, ArrayValue) else row
        for index, value in sorted(known.items()):
            indices.append(index)
            values.append(value)
        starts.append(len(indices))
    return Entries(np.array(starts, dtype=np.int64), vector(indices, index_width), vector(values, width))


def from_rows(
    columns: Sequence[Column],
    rows: Sequence[Sequence[int | Mapping[int, int] | ArrayValue]],
    sites: Sequence[int] | None,
    conditions: Mapping[int, Term],
) -> Table:
    """See inference/__init__.py: table_of."""
    vectors: list[Values] = []
    for k, column in enumerate(columns):
        values = [row[k] for row in rows]
        sort = column.variable.sort
        if isinstance(sort, ArraySort):
            vectors.append(entries([v for v in values if not isinstance(v, int)], sort.index, sort.element))
        else:
            vectors.append(vector([v for v in values if isinstance(v, int)], column.width))
    labels = None if sites is None else np.array(sites, dtype=np.uint64)
    return Table(tuple(columns), tuple(vectors), labels, conditions)
