"""What of an array is as at the entry: all of it, or all but a[i], or all outside of lo <= k < hi.

Objects made since may be left out of it. Limits are integers at the place plus a number, or numbers; of arrays over
addresses, pointers divided by an element's bytes, plus an integer and a number. The upper one may be the lower one plus
an integer. The tightest are proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.records import dataclass
from counterpoint.inference.columns import Role
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import signed
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import addresses, element_of
from counterpoint.inference.vectors import at_entries
from counterpoint.inference.view import View
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Term, V

FARTHEST = 64
"""Elements between an integer or pointer and what changes."""

TRIED = 3
"""Lower limits and upper ones, the tightest, that are combined; and ranges, the tightest of these."""


@dataclass(frozen=True, slots=True)
class _Limit:
    """A term for an index, its values on the rows where something changed, how far away from what changed it is, and by
    how much it was `moved`; in other than `plain` ones there are results."""

    term: V
    values: NDArray[np.int64]
    slack: int = 0
    plain: bool = True
    moved: int = 0

    def plus(self, other: _Limit, bits: int) -> _Limit:
        term = build.add(self.term, other.term, bits)
        return _Limit(term, self.values + other.values, 0, self.plain and other.plain)

    @property
    def rank(self) -> tuple[int, bool, int]:
        return self.slack, not self.plain, self.moved


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
        young = list(_young(view, new, sort.index))
        kept: list[V] = [same]
        if changes is not None:
            kept = [build.or_(inside, same) for inside in _ranges(view, new, sort.index, changes)]
        for formula in kept:
            yield Hypothesis(formula, fitted=0 if changes is None else 1)
            for made_later in young:
                yield Hypothesis(build.or_(made_later, formula), fitted=0 if changes is None else 1)


def _young(view: View, new: int, bits: int) -> Iterator[V]:
    """The ghost is in an object made later: what such objects were before means nothing."""
    granule = view.column(new).granule
    if granule is not None and granule & (granule - 1) == 0:
        address = build.shl(ghost(0, bits), granule.bit_length() - 1, bits)
        for border in view.borders():
            if view.column(border).role is Role.INPUT and view.width(border) == bits:
                yield build.ule(view.variable(border), address, bits)


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
    integers = list(_integers(view, new, bits, changes))
    starts = [base.plus(i, bits) for base in _bases(view, new, changes) for i in [_zero(changes), *integers]]
    if (changes.first == changes.last).all():
        exact = [limit for limit in _lower(starts, changes, bits) if limit.slack == 0 and isinstance(limit.term, Term)]
        if exact:
            yield from (build.eq(g, limit.term, bits) for limit in exact[:TRIED])
            return
    found: list[tuple[tuple[int, bool], V]] = []
    for low in _lower(starts, changes, bits)[:TRIED]:
        ends = starts + [low.plus(i, bits) for i in integers]
        for high in _upper(ends, changes, bits)[:TRIED]:
            inside = build.and_(build.ule(low.term, g, bits), build.ult(g, high.term, bits))
            found.append(((low.slack + high.slack, not (low.plain and high.plain)), inside))
    found.sort(key=lambda pair: pair[0])
    for _, inside in found[:TRIED]:
        truth, known = at_entries(inside, view.sample, new)
        if not (truth != 0)[known].all():  # else it allows everything to change
            yield inside


def _zero(changes: _Changes) -> _Limit:
    return _Limit(0, np.zeros(len(changes.rows), dtype=np.int64))


def _bases(view: View, new: int, changes: _Changes) -> Iterator[_Limit]:
    """Where indices start: at 0, or of arrays over addresses, at pointers."""
    granule = view.column(new).granule
    if granule is None:
        yield _zero(changes)
        return
    for k in addresses(view, new):
        numbers = signed(view.numbers(k)[changes.rows] // np.uint64(granule), 64)
        yield _Limit(element_of(view, k, granule), numbers, 0, _plain(view, k))


def _integers(view: View, new: int, bits: int, changes: _Changes) -> Iterator[_Limit]:
    for k, column in enumerate(view.table.columns):
        if column.is_array or column.is_bool or column.pointer or not 1 < column.width <= bits:
            continue
        if view.related((k, new)) and view.statistics(k).constant is None:
            numbers = signed(view.numbers(k)[changes.rows], column.width)
            yield _Limit(build.sext(column.variable, column.width, bits), numbers, 0, _plain(view, k))


def _plain(view: View, position: int) -> bool:
    return view.column(position).role is not Role.OUTPUT


def _lower(starts: Sequence[_Limit], changes: _Changes, bits: int) -> list[_Limit]:
    """Moved so that they are never behind the first change, the tightest first."""
    return _moved(starts, [int((changes.first - start.values).min()) for start in starts], changes.first, bits)


def _upper(starts: Sequence[_Limit], changes: _Changes, bits: int) -> list[_Limit]:
    """Moved so that they are always behind the last change, the tightest first."""
    return _moved(starts, [int((changes.last + 1 - start.values).max()) for start in starts], changes.last + 1, bits)


def _moved(starts: Sequence[_Limit], offsets: Sequence[int], ends: NDArray[np.int64], bits: int) -> list[_Limit]:
    found = []
    for start, offset in zip(starts, offsets, strict=True):
        if isinstance(start.term, Term) and abs(offset) > FARTHEST:  # objects are beside each other by chance
            continue
        moved = start.values + offset
        term = build.add(start.term, offset & ((1 << bits) - 1), bits)
        found.append(_Limit(term, moved, int(np.abs(ends - moved).sum()), start.plain, abs(offset)))
    return sorted(found, key=lambda limit: limit.rank)


TEMPLATE = Template("frame", 7, 1, "new[k] == old[k] outside of a range", _hypotheses)
