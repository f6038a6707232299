"""Blocks as the visits of a place show them: which pointers are the start of one, how large it is, how far others are
behind it.

A block is a global, a local or an allocation. Where only one of its kind exists at a place, its address is a component;
of the others it is what a pointer holds, so that the pointer itself stands for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import values_of
from counterpoint.invariants.samples import Column, column_of, numeric
from counterpoint.program import model as m
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.pointees import pointers
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Elements,
    Live,
    Size,
    SummaryElements,
    SummaryLive,
    SummarySizes,
    variable_of,
)
from counterpoint.semantics.layout import NULL_PAGE
from counterpoint.semantics.summary import LIVE
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

Single: TypeAlias = int
"""The number of an object that exists one by one."""

ADDRESSES = 1 << 40
"""Numbers above are hardly lengths or counts."""

MOST_INTEGERS = 10
MOST_ANCHORS = 8
MOST_POINTERS = 14
"""Of one place, the first ones."""

OUTSIDE = 64
"""Bytes by which a pointer may lie before its block or behind it at a visit."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A block at a visit; `kind` is a single object's number, or "summary N"."""

    start: int
    size: int
    kind: Single | str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A term that was the start of a block at all visits, but for those where it was null or there was none.

    `exists`: it is the start of a live block of the kinds that were seen; `given`: what says that there is one (1:
    always). `starts` and `sizes` are None at the other visits. `array`: the block's elements are those of this array,
    of so many bytes, and the first one has the index `first`.
    """

    start: Term
    size: V
    exists: V
    given: V
    starts: tuple[int | None, ...]
    sizes: tuple[int | None, ...]
    arrays: tuple[tuple[Term, int, V], ...]

    def distances(self, values: Sequence[int | None]) -> tuple[int | None, ...] | None:
        """How far addresses are behind the start; None if one is not in the block or near it."""
        found: list[int | None] = []
        for value, start, size in zip(values, self.starts, self.sizes, strict=True):
            if value is None or start is None or size is None:
                found.append(None)
            elif -OUTSIDE <= value - start <= size + OUTSIDE:
                found.append(value - start)
            else:
                return None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer of a place and its values at the visits; None where it has none."""

    term: Term
    values: tuple[int | None, ...]


class Blocks:
    """What the visits of one place show. `pointers` without those that are fixed; `bases` of single objects."""

    def __init__(self, context: Context, place: Place, visits: Sequence[Snapshot]) -> None:
        graph = context.graph
        self.place, self.visits, self.graph = place, visits, graph
        self.bits = graph.program.layout.pointer_bits
        self._objects = graph.points.objects
        self._variables: Mapping[Component, Term] = {c: variable_of(c, self.bits) for c in graph.components(place)}
        self.bases = {c.thing: v for c, v in self._variables.items() if isinstance(c, Base)}
        self._sizes = {c.thing: v for c, v in self._variables.items() if isinstance(c, Size)}
        self._lives = {c.thing: v for c, v in self._variables.items() if isinstance(c, Live)}
        self._live_of = {c.summary: v for c, v in self._variables.items() if isinstance(c, SummaryLive)}
        self._size_of = {c.summary: v for c, v in self._variables.items() if isinstance(c, SummarySizes)}
        self.seen = [list(self._seen(visit)) for visit in visits]
        self.pointers = self._pointers()
        self.anchors = self._anchors()

    # ------------------------------------------------------------ what is there

    def _seen(self, visit: Snapshot) -> Iterator[Seen]:
        for number, base in self.bases.items():
            start, size = visit.values.get(base), self.size(number, visit)
            if isinstance(start, int) and isinstance(size, int):
                yield Seen(start, size, number)
        for summary, variable in self._live_of.items():
            sizes = visit.values.get(self._size_of[summary]) if summary in self._size_of else None
            live = visit.values.get(variable)
            if isinstance(live, ArrayValue) and isinstance(sizes, ArrayValue):
                for start, is_live in live.entries.items():
                    if is_live == LIVE and start in sizes.entries:
                        yield Seen(start, sizes.entries[start], f"summary {summary}")

    def size(self, number: Single, visit: Snapshot | None = None) -> V | None:
        """Of a single object: at a visit, or as a term."""
        thing = self._objects[number]
        if thing.item is not None:
            return None if thing.item.code else thing.item.size
        if thing.allocation is not None and isinstance(thing.allocation.size, m.Constant):
            return thing.allocation.size.bits
        variable = self._sizes.get(number)
        if visit is None or variable is None:
            return variable
        size = visit.values.get(variable)
        return size if isinstance(size, int) else None

    def _pointers(self) -> list[Pointer]:
        """Registers, cells that held addresses of blocks or null at all visits, and pointees that were no others of
        these at all visits."""
        found: dict[Term, None] = dict.fromkeys(pointers(self.graph, self.place))
        for component, variable in self._variables.items():
            if isinstance(component, Cell) and 8 * component.size == self.bits and self._may_point(variable):
                found[variable] = None
        result: list[Pointer] = []
        known: set[tuple[int | None, ...]] = set()
        for term in sorted(found, key=lambda term: term.op is not Op.VARIABLE):
            values = tuple(value if isinstance(value, int) else None for value in values_of(term, self.visits))
            if term.op is not Op.VARIABLE and values in known:
                continue
            if any(value is not None and value >= NULL_PAGE for value in values) and len(result) < MOST_POINTERS:
                known.add(values)
                result.append(Pointer(term, values))
        return result

    def _may_point(self, variable: Term) -> bool:
        """No visit shows anything but null and addresses at blocks."""
        for visit, blocks in zip(self.visits, self.seen, strict=True):
            value = visit.values.get(variable)
            if isinstance(value, int) and value and not any(0 <= value - b.start <= b.size for b in blocks):
                return False
        return True

    # ------------------------------------------------------------ anchors

    def _anchors(self) -> list[Anchor]:
        """Single objects, then pointers that are starts of other blocks; each block once."""
        found: dict[tuple[int | None, ...], Anchor] = {}
        for number, base in self.bases.items():
            anchor = self._single(number, base)
            if anchor is not None:
                found.setdefault(anchor.starts, anchor)
        for pointer in self.pointers:
            if len(found) >= MOST_ANCHORS:
                break
            anchor = self._pointed(pointer)
            if anchor is not None and anchor.starts not in found:
                found[anchor.starts] = anchor
        return list(found.values())

    def _single(self, number: Single, base: Term) -> Anchor | None:
        size, live = self.size(number), self._lives.get(number, 1)
        if size is None:
            return None
        seen = [next((b for b in blocks if b.kind == number), None) for blocks in self.seen]
        if not any(seen):
            return None
        given = 1 if all(seen) else live
        return Anchor(base, size, live, given, *_columns(seen), tuple(self._elements(number)))

    def _elements(self, number: Single) -> Iterator[tuple[Term, int, V]]:
        for component, variable in self._variables.items():
            if isinstance(component, Elements) and component.thing == number:
                yield variable, component.granule, 0

    def _pointed(self, pointer: Pointer) -> Anchor | None:
        """The pointer as the start of a block of a summary, or, at some visits, of a single one."""
        seen: list[Seen | None] = []
        for value, blocks in zip(pointer.values, self.seen, strict=True):
            at = None if value is None else next((b for b in blocks if b.start == value), None)
            if at is None and value not in (None, 0):
                return None
            seen.append(at)
        kinds = sorted({block.kind for block in seen if block is not None}, key=str)
        if all(isinstance(kind, int) for kind in kinds) and len(kinds) < 2:
            return None
        p = pointer.term
        sizes, exists = self._of_kinds(p, kinds)
        if sizes is None:
            return None
        given = 1 if all(seen) else build.ne(p, 0, self.bits)
        return Anchor(p, sizes, exists, given, *_columns(seen), tuple(self._memory(p, kinds)))

    def _of_kinds(self, p: Term, kinds: Sequence[Single | str]) -> tuple[V | None, V]:
        """(bytes of the block that p is the start of, that it is one)."""
        size: V | None = None
        exists: list[V] = []
        for summary in self._live_of:
            if f"summary {summary}" in kinds:
                new = build.select(self._size_of[summary], p)
                here = build.eq(build.select(self._live_of[summary], p), LIVE, 8)
                size = new if size is None else build.ite(here, new, size, BitVec(self.bits))
                exists.append(here)
        for number in (kind for kind in kinds if isinstance(kind, int)):
            bytes_ = self.size(number)
            if bytes_ is None:
                return None, 0
            here = build.eq(p, self.bases[number], self.bits)
            size = bytes_ if size is None else build.ite(here, bytes_, size, BitVec(self.bits))
            exists.append(build.and_(here, self._lives.get(number, 1)))
        return size, build.disjunction(exists)

    def _memory(self, p: Term, kinds: Sequence[Single | str]) -> Iterator[tuple[Term, int, V]]:
        if len(kinds) == 1:
            for component, variable in self._variables.items():
                if isinstance(component, SummaryElements) and kinds[0] == f"summary {component.summary}":
                    first = build.lshr(p, component.granule.bit_length() - 1, self.bits)
                    yield variable, component.granule, first


def _columns(seen: Sequence[Seen | None]) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    starts = tuple(None if block is None else block.start for block in seen)
    return starts, tuple(None if block is None else block.size for block in seen)


def integers(context: Context, place: Place, visits: Sequence[Snapshot]) -> list[Column]:
    """What distances and sizes are compared with: registers, and cells, also of objects that are accessed at any offset
    as well."""
    bits = context.graph.program.layout.pointer_bits
    found = {variable_of(c, bits): width for c, width in numeric(context, place)}
    for component in context.graph.components(place):
        if isinstance(component, Cell) and component.size in (2, 4, 8):
            found.setdefault(variable_of(component, bits), 8 * component.size)
    columns = [column_of(term, width, visits) for term, width in found.items() if width <= bits]
    small = [c for c in columns if c is not None and max(c.unsigned) < ADDRESSES]
    return small[:MOST_INTEGERS]
