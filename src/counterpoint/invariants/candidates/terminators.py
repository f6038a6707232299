"""Elements of blocks that always were the same number when a place was visited, mostly the zero that ends a string, and
the pointers and indices that were not behind them: what ends loops that look for it.

Where the element is, is told by the block's size, an integer of the place, a constant, or another pointer.

Source: the length of a string as a variable of its own (Dor, Rodeh, Sagiv, CSSV, PLDI 2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.core.records import dataclass
from counterpoint.invariants.blocks import Anchor, Blocks, integers
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import Column
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.term import Term, V

MOST_FOUND = 8
"""Elements of one block that were always the same."""

FEW = 2
"""Visits that have to show it."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """An element of a block by its number there, as a term and at the visits."""

    index: V
    values: tuple[int | None, ...]


def _guesses(context: Context) -> Iterator[Guess]:
    for place in context.graph.cuts:
        visits = context.snapshots.at.get(place, ())
        if not visits:
            continue
        blocks = Blocks(context, place, visits)
        numbers = integers(context, place, visits)
        for anchor in blocks.anchors:
            for array, granule, first in anchor.arrays:
                for formula in _Elements(blocks, numbers, anchor, array, granule, first).formulas():
                    yield place, build.implies(anchor.given, formula)


@dataclass(frozen=True, slots=True)
class _Elements:
    """The elements of one block, of `granule` bytes each; the first is that of the array at the index `first`."""

    blocks: Blocks
    numbers: Sequence[Column]
    anchor: Anchor
    array: Term
    granule: int
    first: V

    @property
    def bits(self) -> int:
        return self.blocks.bits

    def formulas(self) -> Iterator[V]:
        found = 0
        for spot in self._spots():
            known = self._same(spot)
            if known is None or found == MOST_FOUND:
                continue
            found += 1
            at = build.add(self.first, spot.index, self.bits)
            yield build.eq(build.select(self.array, at), known, 8 * self.granule)
            yield from self._not_behind(spot)

    # ------------------------------------------------------------ where

    def _spots(self) -> Iterator[_Spot]:
        """The last element, also where another block has as many; the one at an integer, and before it; the one that
        another pointer points to."""
        shift, mask = self._shift, (1 << self.bits) - 1
        others = [other for other in self.blocks.anchors if other is not self.anchor and isinstance(other.size, Term)]
        for anchor in (self.anchor, *others):
            last = build.add(build.lshr(anchor.size, shift, self.bits), mask, self.bits)
            yield _Spot(last, tuple(None if s is None or s < self.granule else (s >> shift) - 1 for s in anchor.sizes))
        for number in self.numbers:
            wide = build.zext(number.variable, number.width, self.bits)
            yield _Spot(wide, number.unsigned)
            yield _Spot(build.add(wide, mask, self.bits), tuple(n - 1 if n > 0 else None for n in number.unsigned))
        for pointer in self.blocks.pointers:
            values = self.anchor.distances(pointer.values)
            if values is not None and pointer.term is not self.anchor.start:
                away = build.lshr(build.sub(pointer.term, self.anchor.start, self.bits), shift, self.bits)
                yield _Spot(away, tuple(None if v is None or v < 0 else v >> shift for v in values))

    @property
    def _shift(self) -> int:
        return self.granule.bit_length() - 1

    def _same(self, spot: _Spot) -> V | None:
        """What the element was at all visits that know it: 0, another number, or an integer of the place."""
        seen: list[tuple[int, int]] = []
        for row, (index, visit) in enumerate(zip(spot.values, self.blocks.visits, strict=True)):
            start, array = self.anchor.starts[row], visit.values.get(self.array)
            if index is None or start is None or not isinstance(array, ArrayValue):
                continue
            at = index + (0 if self.first == 0 else start >> self._shift)
            if at in array.entries:
                seen.append((row, array.entries[at]))
        if len(seen) < FEW:
            return None
        if len({value for _, value in seen}) == 1:
            return seen[0][1]
        for number in self.numbers:
            if number.width == 8 * self.granule and all(number.unsigned[row] == value for row, value in seen):
                return number.variable
        return None

    # ------------------------------------------------------------ what is not behind it

    def _not_behind(self, spot: _Spot) -> Iterator[V]:
        """Pointers into the block, and integers, that were at most there; that there is such an element."""
        size = build.lshr(self.anchor.size, self._shift, self.bits)
        yield build.ult(spot.index, size, self.bits)
        for pointer in self.blocks.pointers:
            values = self.anchor.distances(pointer.values)
            if values is None or pointer.term is self.anchor.start:
                continue
            elements = tuple(None if v is None else v >> self._shift for v in values)
            if _at_most(elements, spot.values):
                away = build.lshr(build.sub(pointer.term, self.anchor.start, self.bits), self._shift, self.bits)
                yield build.ule(away, spot.index, self.bits)
        for number in self.numbers:
            wide = build.zext(number.variable, number.width, self.bits)
            if wide is not spot.index and _at_most(number.unsigned, spot.values):
                yield build.ule(wide, spot.index, self.bits)


def _at_most(values: Sequence[int | None], limits: Sequence[int | None]) -> bool:
    """At the visits that know both, of which there are some."""
    both = [(a, b) for a, b in zip(values, limits, strict=True) if a is not None and b is not None]
    return bool(both) and all(0 <= a <= b for a, b in both)


SOURCE = GuessSource(
    "terminators", 0, "elements that always are zero, or a known number, and what is not behind them", _guesses, 80
)
