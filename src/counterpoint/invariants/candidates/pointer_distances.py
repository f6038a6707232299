"""How far pointers are behind the starts of their blocks, as visits show it: strides, bounds by sizes, by each other
and by integers, equal distances in two blocks; how large blocks are by integers and by each other; which pointers are
starts of live blocks.

Source: the base and offset of pointers of CSSV (Dor, Rodeh, Sagiv, PLDI 2003), and differences between them as in
Daikon's linear templates; what is fitted here to visits, is there a polyhedral analysis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import gcd

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.blocks import Anchor, Blocks, integers
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.fitting import fit, formula, holds, monomials
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import Column, to_signed
from counterpoint.regions.cut_graph import Place
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_DISTANCES = 10

LIKELY_LIMITS = {32: (1 << 20, 1 << 24), 64: (1 << 20, 1 << 32, 1 << 36)}
"""Of blocks' sizes, by the bits of addresses: where they lie is only known of blocks that are not huge."""

NARROW = 16
"""Bits in which remainders of small distances are computed, where the stride is no power of two."""


@dataclass(frozen=True, slots=True)
class _Distance:
    """A pointer's distance from an anchor, in bytes: `values` at the visits where there is one."""

    term: V
    anchor: Anchor
    values: tuple[int | None, ...]

    @property
    def known(self) -> list[int]:
        return [value for value in self.values if value is not None]


@dataclass(frozen=True, slots=True)
class _Length:
    """Something that distances are compared with: a size, another distance, an integer times the size of elements."""

    term: V
    given: V
    values: tuple[int | None, ...]


def _guesses(context: Context) -> Iterator[Guess]:
    for place in context.graph.cuts:
        visits = context.snapshots.at.get(place, ())
        if visits:
            for fact in _Place(context, place, visits).formulas():
                yield place, fact


class _Place:
    """What the visits of one place tell."""

    def __init__(self, context: Context, place: Place, visits: Sequence[Snapshot]) -> None:
        self.visits = visits
        self.blocks = Blocks(context, place, visits)
        self.bits = self.blocks.bits
        self.numbers = integers(context, place, visits)
        self.distances = list(self._distances())[:MOST_DISTANCES]

    def formulas(self) -> Iterator[V]:
        """The likeliest first."""
        yield from self._starts()
        yield from self._sizes()
        for distance in self.distances:
            yield from self._bounds(distance)
        for distance in self.distances:
            yield from self._stride(distance)
        yield from self._related()
        for distance in self.distances:
            yield from self._equations(distance.term, distance.anchor, distance.values)
        yield from self._orders()
        if self.blocks.anchors:
            yield from self._lengths()

    # ------------------------------------------------------------ distances

    def _distances(self) -> Iterator[_Distance]:
        """Each pointer behind the first anchor that it is near to at all visits, where it is not always its start."""
        for pointer in self.blocks.pointers:
            for anchor in self.blocks.anchors:
                values = anchor.distances(pointer.values)
                if values is not None and pointer.values == anchor.starts:
                    break
                if values is not None and any(values):
                    term = build.sub(pointer.term, anchor.start, self.bits)
                    if isinstance(term, Term):
                        yield _Distance(term, anchor, values)
                    break

    def _starts(self) -> Iterator[V]:
        """Anchors are starts of live blocks; pointers that were always the same are equal."""
        for anchor in self.blocks.anchors:
            if anchor.exists != 1:
                yield _given(anchor.given, anchor.exists)
        pointers = [(pointer.term, pointer.values) for pointer in self.blocks.pointers]
        starts = [(anchor.start, anchor.starts) for anchor in self.blocks.anchors]
        for (one, values), (two, others) in combinations([*starts, *pointers], 2):
            if one is not two and values == others and None not in values:
                yield build.eq(one, two, self.bits)

    def _sizes(self) -> Iterator[V]:
        """Sizes by integers, and at least what was seen."""
        for anchor in self.blocks.anchors:
            if isinstance(anchor.size, Term):
                yield from self._equations(anchor.size, anchor, anchor.sizes)
                known = [size for size in anchor.sizes if size is not None]
                for bound in (*LIKELY_LIMITS[self.bits], _rounded(max(known))):
                    yield _given(anchor.given, build.ule(anchor.size, bound, self.bits))
                yield _given(anchor.given, build.ule(min(known), anchor.size, self.bits))
                yield from self._orders_of(_Length(anchor.size, anchor.given, anchor.sizes), upwards=False)
        for one, two in permutations(self.blocks.anchors, 2):
            if isinstance(one.size, Term) and isinstance(two.size, Term):
                yield from self._sizes_related(one, two)

    def _sizes_related(self, one: Anchor, two: Anchor) -> Iterator[V]:
        """The first block is as large as the second, or smaller by what it always was at least."""
        both = [(a, b) for a, b in zip(one.sizes, two.sizes, strict=True) if a is not None and b is not None]
        if not both or min(b - a for a, b in both) < 0:
            return
        given, least = build.and_(one.given, two.given), min(b - a for a, b in both)
        if all(b - a == least for a, b in both):
            yield _given(given, build.eq(build.add(one.size, least, self.bits), two.size, self.bits))
        else:
            yield _given(given, build.ule(one.size, two.size, self.bits))

    def _bounds(self, distance: _Distance) -> Iterator[V]:
        """At most the size, less what was always left; at least what was always there."""
        anchor, term, known = distance.anchor, distance.term, distance.known
        room = [s - d for s, d in zip(anchor.sizes, distance.values, strict=True) if s is not None and d is not None]
        for less in dict.fromkeys((0, min(room), _power(min(room)))):
            yield self._within(distance, less)
        if 0 < min(known) < 1 << 16:
            yield _given(anchor.given, build.ule(min(known), term, self.bits))

    def _within(self, distance: _Distance, less: int) -> V:
        """distance + less <= size, none of which wraps; a pointer `less` < 0 bytes behind the block's end, or before
        its start, is so in all."""
        anchor, bits = distance.anchor, self.bits
        if isinstance(anchor.size, int):
            bound: V = build.ule(distance.term, max(anchor.size - less, 0), bits)
        elif less > 0:
            fits = build.ule(less, anchor.size, bits)
            bound = build.and_(fits, build.ule(distance.term, build.sub(anchor.size, less, bits), bits))
        else:
            bound = build.ule(distance.term, build.add(anchor.size, -less, bits), bits)
        if min(distance.known) < 0:
            before = -min(distance.known)
            bound = build.ule(build.add(distance.term, before, bits), build.add(anchor.size, before, bits), bits)
        return _given(anchor.given, bound)

    def _stride(self, distance: _Distance) -> Iterator[V]:
        known = distance.known
        stride = gcd(*(value - known[0] for value in known))
        if stride < 2 or len(set(known)) < 3:
            return
        powers = (stride & -stride).bit_length() - 1
        if powers:
            low = build.extract(powers - 1, 0, distance.term, self.bits)
            yield build.eq(low, known[0] & ((1 << powers) - 1), powers)
        if stride >> powers > 1 and stride < 1 << NARROW - 1 and min(known) >= 0:
            if isinstance(distance.anchor.size, int) and distance.anchor.size < 1 << NARROW - 1:
                low = build.extract(NARROW - 1, 0, distance.term, self.bits)
                yield build.eq(build.urem(low, stride, NARROW), known[0] % stride, NARROW)
            yield build.eq(build.urem(distance.term, stride, self.bits), known[0] % stride, self.bits)

    # ------------------------------------------------------------ two of them

    def _related(self) -> Iterator[V]:
        """Equal distances, and ordered ones: in one block with the least distance between them."""
        for one, two in permutations(self.distances, 2):
            both = [(a, b) for a, b in zip(one.values, two.values, strict=True) if a is not None and b is not None]
            if not both or min(b - a for a, b in both) < 0:
                continue
            given, least = build.and_(one.anchor.given, two.anchor.given), min(b - a for a, b in both)
            if least == max(b - a for a, b in both):
                yield _given(given, build.eq(build.add(one.term, least, self.bits), two.term, self.bits))
                continue
            if min(a for a, _ in both) < 0:
                yield _given(given, build.sle(one.term, two.term, self.bits))
            yield _given(given, build.ule(one.term, two.term, self.bits))
            if least > 0 and one.anchor is two.anchor:
                yield _given(given, build.ule(build.add(one.term, least, self.bits), two.term, self.bits))

    def _equations(self, term: V, anchor: Anchor, values: Sequence[int | None]) -> Iterator[V]:
        """term == a * n + b for an integer n of the place."""
        if not isinstance(term, Term):
            return
        rows = [row for row, value in enumerate(values) if value is not None]
        numbers = tuple(to_signed(value, self.bits) for value in values if value is not None)
        mine = Column(term, self.bits, tuple(n % (1 << self.bits) for n in numbers), numbers)
        if mine.constant:
            yield _given(anchor.given, build.eq(term, mine.unsigned[0], self.bits))
            return
        products = monomials(2, 1)
        for number in self.numbers:
            pair = (number.at_visits(rows), mine)
            for vector in fit(pair, products):
                for unsigned in (True, False) if number.width < self.bits else (False,):
                    if vector[2] and holds(pair, products, vector, self.bits, unsigned=unsigned):
                        yield _given(anchor.given, formula(pair, products, vector, self.bits, unsigned=unsigned))

    def _lengths(self) -> Iterator[V]:
        """One integer at most another, where that is tight: lengths and capacities."""
        for one, two in permutations(self.numbers, 2):
            least = min(b - a for a, b in zip(one.unsigned, two.unsigned, strict=True))
            if least in (0, 1) and one.width <= two.width and not (one.constant and two.constant):
                wide = build.zext(one.variable, one.width, two.width)
                yield (build.ult if least else build.ule)(wide, two.variable, two.width)

    def _orders(self) -> Iterator[V]:
        """Distances against integers."""
        for distance in self.distances:
            yield from self._orders_of(_Length(distance.term, distance.anchor.given, distance.values), upwards=True)

    def _orders_of(self, length: _Length, *, upwards: bool) -> Iterator[V]:
        """length >= scale * n, and, `upwards`, length <= scale * n, for integers n of the place and likely scales."""
        known = [value for value in length.values if value is not None]
        scales = dict.fromkeys((1, _power(gcd(*known)) if any(known) else 1))
        changing = [number for number in self.numbers if not number.constant]
        for number, scale in product(changing, scales):
            rows = zip(number.unsigned, length.values, strict=True)
            pairs = [(scale * n, value) for n, value in rows if value is not None]
            scaled = build.mul(scale, build.zext(number.variable, number.width, self.bits), self.bits)
            if all(n <= value for n, value in pairs):
                yield _given(length.given, build.ule(scaled, length.term, self.bits))
                if all(n < value for n, value in pairs):
                    yield _given(length.given, build.ult(scaled, length.term, self.bits))
            if upwards and all(value <= n for n, value in pairs):
                yield _given(length.given, build.ule(length.term, scaled, self.bits))


def _power(number: int) -> int:
    """The largest power of two that divides it, at most 16; of 0, 1."""
    return min(number & -number, 16) if number > 0 else 1


def _rounded(number: int) -> int:
    """The next power of two."""
    return 1 << max(number - 1, 0).bit_length()


def _given(condition: V, fact: V) -> V:
    return build.implies(condition, fact)


SOURCE = GuessSource(
    "pointer_distances", 0, "distances of pointers from the starts of their blocks, sizes by integers", _guesses, 160
)
