"""What of an array is as at the entry: all of it, or all but a[i], or all outside of lo <= k < hi.

Limits are numbers, integers at the place plus a number, and of arrays over addresses, pointers divided by an element's
bytes; the upper one may be the lower one plus an integer. The tightest limits are proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Numbers, signed
from counterpoint.inference.protocol import Template
from counterpoint.inference.vectors import at_entries
from counterpoint.inference.view import View
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Term, V

TRIED = 3
"""Lower limits and upper ones, the tightest, that are combined; and ranges, the tightest of these."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """A term for an index, its values on the rows where something changed, and how far away from what changed it is."""

    term: V
    values: NDArray[np.int64]
    slack: int


@dataclass(frozen=True, slots=True)
class _Changes:
    """Of an array: rows in which some known element changed, and the first and last of these."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for new in view.arrays():
        old = view.column(new).old
        if old is None or old not in view.table.position:
            continue
        sort = view.variable(new).sort
        assert isinstance(sort, ArraySort)
        before = build.select(old, ghost(0, sort.index))
        same = build.eq(build.select(view.variable(new), ghost(0, sort.index)), before, sort.element)
        changes = _changes(view, new, before)
        if changes is None:
            yield Hypothesis(same)
            continue
        for inside in _ranges(view, new, sort.index, changes):
            yield Hypothesis(build.or_(inside, same), fitted=1)


def _changes(view: View, new: int, before: V) -> _Changes | None:
    entries = view.entries(new)
    values, known = at_entries(before, view.sample, new)
    changed = known & (values != entries.values)
    if not changed.any():
        return None
    owners, indices = entries.owners[changed], signed(entries.indices[changed], 64)
    starts = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
    return _Changes(owners[starts], np.minimum.reduceat(indices, starts), np.maximum.reduceat(indices, starts))


def _ranges(view: View, new: int, bits: int, changes: _Changes) -> Iterator[V]:
    """Formulas over the ghost, that it is where something may have changed."""
    g = ghost(0, bits)
    starts = list(_starts(view, new, bits, changes))
    if (changes.first == changes.last).all():
        exact = [limit for limit in _lower(starts, changes, bits) if limit.slack == 0 and isinstance(limit.term, Term)]
        if exact:
            yield from (build.eq(g, limit.term, bits) for limit in exact[:TRIED])
            return
    found: list[tuple[int, V]] = []
    for low in _lower(starts, changes, bits)[:TRIED]:
        ends = starts + [_Limit(build.add(low.term, s.term, bits), low.values + s.values, 0) for s in starts]
        for high in _upper(ends, changes, bits)[:TRIED]:
            inside = build.and_(build.ule(low.term, g, bits), build.ult(g, high.term, bits))
            found.append((low.slack + high.slack, inside))
    found.sort(key=lambda pair: pair[0])
    for _, inside in found[:TRIED]:
        truth, known = at_entries(inside, view.sample, new)
        if not (truth != 0)[known].all():  # else it allows everything to change
            yield inside


def _starts(view: View, new: int, bits: int, changes: _Changes) -> Iterator[_Limit]:
    """0, and what an index may be computed from."""
    yield _Limit(0, np.zeros(len(changes.rows), dtype=np.int64), 0)
    granule = view.column(new).granule
    for k, column in enumerate(view.table.columns):
        if column.is_array or column.is_bool or column.width > bits or not view.related((k, new)):
            continue
        numbers: Numbers = view.numbers(k)[changes.rows]
        if column.pointer:
            if granule is not None and column.width == bits and granule & (granule - 1) == 0:
                term = build.lshr(column.variable, granule.bit_length() - 1, bits)
                yield _Limit(term, signed(numbers // np.uint64(granule), 64), 0)
        elif column.width > 1:
            yield _Limit(build.sext(column.variable, column.width, bits), signed(numbers, column.width), 0)


def _lower(starts: Sequence[_Limit], changes: _Changes, bits: int) -> list[_Limit]:
    """Moved so that they are never behind the first change, the tightest first."""
    found = []
    for start in starts:
        offset = int((changes.first - start.values).min())
        moved = start.values + offset
        term = build.add(start.term, offset & ((1 << bits) - 1), bits)
        found.append(_Limit(term, moved, int((changes.first - moved).sum())))
    return sorted(found, key=lambda limit: limit.slack)


def _upper(starts: Sequence[_Limit], changes: _Changes, bits: int) -> list[_Limit]:
    """Moved so that they are always behind the last change, the tightest first."""
    found = []
    for start in starts:
        offset = int((changes.last + 1 - start.values).max())
        moved = start.values + offset
        term = build.add(start.term, offset & ((1 << bits) - 1), bits)
        found.append(_Limit(term, moved, int((moved - changes.last - 1).sum())))
    return sorted(found, key=lambda limit: limit.slack)


TEMPLATE = Template("frame", 7, 1, "new[k] == old[k] outside of a range", _hypotheses)
