"""What a place's pointers point to: null, a global, the start of a live block or a fixed distance behind it.

Every kind that was seen at the visits of a place is a case. Preconditions of functions are such facts about parameters,
postconditions such facts about results and what was stored; blocks that a function makes lie above the old counter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import values_of
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.regions.pointees import pointees, pointers
from counterpoint.semantics.components import Base, Component, Counter, Old, SummaryLive, SummarySizes, variable_of
from counterpoint.semantics.layout import NULL_PAGE
from counterpoint.semantics.summary import LIVE
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.term import Term, V

MOST_KINDS = 3
"""Kinds of one pointer."""


@dataclass(frozen=True, slots=True, order=True)
class _Block:
    """So many bytes behind the start of a live block of a summary."""

    summary: int
    distance: int


@dataclass(frozen=True, slots=True, order=True)
class _Single:
    """So many bytes behind the start of a single object."""

    thing: int
    distance: int


_Kind: TypeAlias = _Block | _Single | None


def _guesses(context: Context) -> Iterator[Guess]:
    for place, cut in context.graph.cuts.items():
        visits = context.snapshots.at.get(place, ())
        if cut.by_contract and visits:
            known = _Known.of(context.graph, place)
            for pointer in pointers(context.graph, place):
                for formula in known.about(pointer, visits):
                    yield place, formula
            for formula in known.unchanged(context.graph, place):
                yield place, formula


@dataclass(frozen=True, slots=True)
class _Known:
    """The components of a place that tell what addresses are."""

    bits: int
    bases: Mapping[int, Term]
    live: Mapping[int, Term]
    sizes: Mapping[int, Term]
    counter: Term
    old_counter: Term | None
    object_sizes: Mapping[int, int]

    @staticmethod
    def of(graph: CutGraph, place: Place) -> _Known:
        bits = graph.program.layout.pointer_bits
        found: dict[Component, Term] = {c: variable_of(c, bits) for c in graph.components(place)}
        live = {c.of.summary: v for c, v in found.items() if isinstance(c, Old) and isinstance(c.of, SummaryLive)}
        live.update({c.summary: v for c, v in found.items() if isinstance(c, SummaryLive)})
        objects = graph.points.objects
        return _Known(
            bits,
            {c.thing: v for c, v in found.items() if isinstance(c, Base)},
            live,
            {c.summary: v for c, v in found.items() if isinstance(c, SummarySizes)},
            variable_of(Counter(), bits),
            found.get(Old(Counter())),
            {thing.number: thing.item.size for thing in objects if thing.item is not None},
        )

    # ------------------------------------------------------------ kinds

    def about(self, pointer: Term, visits: Sequence[Snapshot]) -> Iterator[V]:
        """Facts about one pointer: which kinds it has, how large blocks are, where they lie."""
        kinds: dict[_Kind, int] = {}
        for visit, value in zip(visits, values_of(pointer, visits), strict=True):
            if value is None or any(base not in visit.values for base in self.bases.values()):
                continue
            found = self._kind(visit, value)
            if found is None:
                return
            kind, room = found
            kinds[kind] = min(kinds.get(kind, room), room)
            if len(kinds) > MOST_KINDS:
                return
        if not kinds:
            return
        ordered = sorted(kinds, key=lambda kind: (kind is not None, repr(kind)))
        if len(ordered) > 1:
            cases = [(self._is(pointer, kind), self._roomy(pointer, kind, kinds[kind])) for kind in ordered]
            yield build.disjunction(build.and_(*case) for case in cases)
            yield build.disjunction(case for case, _ in cases)
        else:
            yield self._is(pointer, ordered[0])
            yield self._roomy(pointer, ordered[0], kinds[ordered[0]])
        if any(isinstance(kind, _Block) for kind in ordered):
            yield from self._placed(pointer, None in kinds)

    def _kind(self, visit: Snapshot, value: int) -> tuple[_Kind, int] | None:
        """(kind, bytes of the object); None where it is none of them."""
        if value < NULL_PAGE:
            return (None, 0) if value == 0 else None
        for number, variable in self.bases.items():
            base = visit.values.get(variable)
            if isinstance(base, int) and 0 <= value - base < max(1, self.object_sizes.get(number, 1)):
                return _Single(number, value - base), self.object_sizes.get(number, 1)
        for summary, variable in self.live.items():
            live, sizes = visit.values.get(variable), visit.values.get(self.sizes.get(summary, variable))
            if isinstance(live, ArrayValue) and isinstance(sizes, ArrayValue):
                for base in live.entries:
                    room = sizes.entries.get(base, 0)
                    if 0 <= value - base < max(room, 1):
                        return _Block(summary, value - base), room
        return None

    def _is(self, pointer: Term, kind: _Kind) -> V:
        match kind:
            case None:
                return build.eq(pointer, 0, self.bits)
            case _Single(thing, distance):
                return build.eq(pointer, build.add(self.bases[thing], distance, self.bits), self.bits)
            case _Block(summary, distance):
                start = build.sub(pointer, distance, self.bits)
                return build.eq(build.select(self.live[summary], start), LIVE, 8)

    def _roomy(self, pointer: Term, kind: _Kind, room: int) -> V:
        if not isinstance(kind, _Block) or kind.summary not in self.sizes:
            return 1
        size = build.select(self.sizes[kind.summary], build.sub(pointer, kind.distance, self.bits))
        return build.ule(room, size, self.bits)

    def _placed(self, pointer: Term, nullable: bool) -> Iterator[V]:
        """Below the counter; below or above the old one."""
        yield build.ult(pointer, self.counter, self.bits)
        if self.old_counter is not None:
            yield build.ult(pointer, self.old_counter, self.bits)
            above = build.ule(self.old_counter, pointer, self.bits)
            yield build.or_(build.eq(pointer, 0, self.bits), above) if nullable else above

    # ------------------------------------------------------------ what stays

    def unchanged(self, graph: CutGraph, place: Place) -> Iterator[V]:
        """Pointers in memory that are what they were; the counter, which only grows, above the null page."""
        if not graph.program.globals:  # else it follows from where they lie, where they are mentioned
            yield build.ule(NULL_PAGE, self.counter, self.bits)
        for pointee in pointees(graph, place):
            if pointee.pointer and pointee.old is not None:
                yield build.eq(pointee.now, pointee.old, self.bits)
        if self.old_counter is not None:
            yield build.ule(self.old_counter, self.counter, self.bits)
            yield build.eq(self.old_counter, self.counter, self.bits)


SOURCE = GuessSource("pointer_validity", 0, "what pointers of contract functions were seen to point to", _guesses, 120)
