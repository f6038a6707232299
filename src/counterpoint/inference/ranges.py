"""Ranges of an array's indices that facts about its elements speak of: all of it, those below an integer, those from it
on.

The ghost 0 stands for an index in the range. Source: the distinguished-cell abstraction of array loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Numbers, Rows, Truth, signed
from counterpoint.inference.vectors import at_entries
from counterpoint.inference.view import View
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute

MOST = 8
"""Integers that cut an array into ranges."""

LONGEST = 1 << 20
"""Elements from a pointer on that an integer may mean."""

FEWEST = 2
"""Elements that were seen in a range, for it to be looked at."""


@dataclass(frozen=True)
class Elements:
    """The elements of an array in a range: `guard` says of the ghost that it is in there. On the sample's known ones:
    `inside`, with `numbers` and `rows` of those that are."""

    view: View
    position: int
    guard: V
    inside: Truth

    @property
    def sort(self) -> ArraySort:
        sort = self.view.variable(self.position).sort
        assert isinstance(sort, ArraySort)
        return sort

    @property
    def ghost(self) -> Term:
        return ghost(0, self.sort.index)

    @property
    def element(self) -> V:
        return build.select(self.view.variable(self.position), self.ghost)

    @property
    def next_element(self) -> V:
        return build.select(self.view.variable(self.position), build.add(self.ghost, 1, self.sort.index))

    @property
    def numbers(self) -> Numbers:
        return self.view.entries(self.position).values[self.inside]

    @property
    def indices(self) -> Numbers:
        return self.view.entries(self.position).indices[self.inside]

    def of_rows(self, numbers: Numbers) -> Numbers:
        """A number of each row, at each element."""
        return numbers[self.view.entries(self.position).owners[self.inside]]

    def everywhere(self, formula: V) -> V:
        """It holds for the index that the ghost is."""
        return build.implies(self.guard, formula)

    def neighbours(self, formula: V) -> V:
        """It holds for the index and the next one, which is in the range as well."""
        following: V = 1
        if isinstance(self.guard, Term):
            following = substitute(self.guard, {self.ghost: build.add(self.ghost, 1, self.sort.index)})
        return build.implies(build.and_(self.guard, following), formula)

    def hypothesis(self, formula: V, chance: float = 0.5, fitted: int = 0) -> Hypothesis:
        """It holds of each element; `chance` that it holds of one by chance."""
        sure = 1.0 - chance ** max(0, len(self.numbers) - fitted)
        return Hypothesis(self.everywhere(formula), sure=sure)


def elements(view: View, position: int) -> Iterator[Elements]:
    """All elements, those below an integer, and those from it on, where at least FEWEST were seen and no range that
    came before has the same ones."""
    seen: set[bytes] = set()
    for guard in _guards(view, position):
        truth, known = at_entries(guard, view.sample, position)
        inside = (truth != 0) & known
        if np.count_nonzero(inside) >= FEWEST and inside.tobytes() not in seen:
            seen.add(inside.tobytes())
            yield Elements(view, position, guard, inside)


def _guards(view: View, position: int) -> Iterator[V]:
    sort = view.variable(position).sort
    assert isinstance(sort, ArraySort)
    bits, g = sort.index, ghost(0, sort.index)
    if view.column(position).granule is not None:
        yield from _between_addresses(view, position, bits)
        return
    size, whole = view.column(position).size, length(view, position)
    if whole is not None and isinstance(size, int | Term):
        yield build.ult(g, _size(view, size, bits), bits)
    for k in indices(view, position):
        edge = at_width(view, k, bits)
        plain = view.width(k) == bits
        below = build.ult(g, edge, bits) if plain else build.and_(build.sle(0, g, bits), build.slt(g, edge, bits))
        yield below
        if whole is not None and isinstance(size, int | Term):
            above = build.ule(edge, g, bits) if plain else build.and_(build.sle(0, g, bits), build.sle(edge, g, bits))
            yield build.and_(above, build.ult(g, _size(view, size, bits), bits))


def _between_addresses(view: View, position: int, bits: int) -> Iterator[V]:
    """Of arrays over addresses: from a pointer on as many elements as an integer says, or between two integers."""
    g, granule, known = ghost(0, bits), view.column(position).granule, view.entries(position).indices
    if not (known[1:] == known[:-1] + np.uint64(1)).any():  # one number per object
        return
    integers = [k for k in view.plain() if 8 <= view.width(k) <= bits and view.related((k, position))]
    counts = {k: signed(view.numbers(k), view.width(k)) for k in integers}
    counts = {k: numbers for k, numbers in counts.items() if (numbers >= 0).all() and (numbers < LONGEST).all()}
    for p in addresses(view, position)[:MOST]:
        start = element_of(view, p, granule or 1)
        edges: list[tuple[V, Rows]] = [(start, np.zeros(view.sample.count, dtype=np.int64))]
        edges += [(build.add(start, at_width(view, k, bits), bits), counts[k]) for k in list(counts)[:MOST]]
        for (low, lowest), (high, highest) in permutations(edges, 2):
            if (lowest <= highest).all():
                yield build.and_(build.ule(low, g, bits), build.ult(g, high, bits))


def addresses(view: View, position: int) -> list[int]:
    """Pointers that may be into an array over addresses whose elements' bytes are a power of two."""
    sort, granule = view.variable(position).sort, view.column(position).granule
    if granule is None or granule & (granule - 1) or not isinstance(sort, ArraySort):
        return []
    pointers = (k for k, column in enumerate(view.table.columns) if column.pointer and column.width == sort.index)
    return [k for k in pointers if view.related((k, position))]


def element_of(view: View, position: int, granule: int) -> V:
    """The index of the element at an address."""
    return build.lshr(view.variable(position), granule.bit_length() - 1, view.width(position))


def length(view: View, position: int) -> Numbers | None:
    """The array's elements on each row of the sample, if they are known."""
    size = view.column(position).size
    if isinstance(size, int):
        return np.full(view.sample.count, size, dtype=np.uint64)
    known = view.table.position.get(size) if size is not None else None
    return None if known is None else view.numbers(known)


def _size(view: View, size: V, bits: int) -> V:
    return size if isinstance(size, int) else at_width(view, view.table.position[size], bits)


def indices(view: View, position: int) -> list[int]:
    """Integers, at most MOST, that are never negative nor beyond the array's end, and not always 0."""
    sort = view.variable(position).sort
    assert isinstance(sort, ArraySort)
    whole, known = length(view, position), view.entries(position)
    last = int(known.indices.max()) + 1 if len(known.indices) else 0
    found: list[int] = []
    for k, column in enumerate(view.table.columns):
        if column.is_array or column.is_bool or column.pointer or not 8 <= column.width <= sort.index:
            continue
        numbers = signed(view.numbers(k), column.width)
        most = np.full(len(numbers), last) if whole is None else signed(whole, 64)
        inside = (numbers >= 0).all() and (numbers <= most).all() and numbers.any()
        if inside and column.variable is not view.column(position).size:
            found.append(k)
    return found[:MOST]


def at_width(view: View, position: int, bits: int) -> V:
    """An index in that many bits, by its sign."""
    return build.sext(view.variable(position), view.width(position), bits)


def neighbours(some: Elements) -> tuple[Numbers, Numbers]:
    """Elements and the ones behind them, where both are known and in the range."""
    known = some.view.entries(some.position)
    inside = some.inside
    next_ = (known.owners[1:] == known.owners[:-1]) & (known.indices[1:] == known.indices[:-1] + np.uint64(1))
    both = next_ & inside[1:] & inside[:-1]
    return known.values[:-1][both], known.values[1:][both]
