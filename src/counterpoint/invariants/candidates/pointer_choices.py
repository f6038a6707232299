"""Pointers that are in one of several objects: in which part of each they were seen, and that two of them are in the
same one.

A pointer that was in one object at all visits has a distance from its start (pointer_distances); one that a branch
chose has none, so that each object is a case.

Source: points-to sets as disjunctions, with the offsets of CSSV (Dor, Rodeh, Sagiv, PLDI 2003) in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.invariants.blocks import Blocks, Pointer
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_OBJECTS = 4
"""Of one pointer."""

MOST_POINTERS = 6
"""Of one place, the first ones."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A pointer and where it was at the visits: the number of an object, -1 for null, None where it has no value;
    `spans`: the least and the largest distance from the start of each object."""

    pointer: Term
    kinds: tuple[int | None, ...]
    spans: Mapping[int, tuple[int, int]]


NULL = -1

_Case: TypeAlias = Callable[[_Choice, int], V]
"""That the pointer is in this object."""


def _guesses(context: Context) -> Iterator[Guess]:
    for place in context.graph.cuts:
        visits = context.snapshots.at.get(place, ())
        if visits:
            for formula in _Place(Blocks(context, place, visits)).formulas():
                yield place, formula


class _Place:
    """What the visits of one place tell."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.bits = blocks.bits
        found = [choice for pointer in blocks.pointers if (choice := self._choice(pointer)) is not None]
        self.choices = found[:MOST_POINTERS]

    def _choice(self, pointer: Pointer) -> _Choice | None:
        """None if it was elsewhere, or always in one object."""
        kinds: list[int | None] = []
        spans: dict[int, tuple[int, int]] = {}
        for value, blocks in zip(pointer.values, self.blocks.seen, strict=True):
            kind: int | None = None
            if value == 0:
                kind, spans[NULL] = NULL, (0, 0)
            elif value is not None:
                at = next((b for b in blocks if isinstance(b.kind, int) and 0 <= value - b.start <= b.size), None)
                if at is None or not isinstance(at.kind, int):
                    return None
                kind, distance = at.kind, value - at.start
                low, high = spans.get(kind, (distance, distance))
                spans[kind] = (min(low, distance), max(high, distance))
            kinds.append(kind)
        several = 2 <= len(spans) <= MOST_OBJECTS
        return _Choice(pointer.term, tuple(kinds), spans) if several else None

    def formulas(self) -> Iterator[V]:
        """The likeliest first."""
        for choice in self.choices:
            yield self._any(choice, self._inside)
            yield self._any(choice, self._within)
        for one, two in combinations(self.choices, 2):
            yield from self._together(one, two)

    def _any(self, choice: _Choice, case: _Case) -> V:
        return build.disjunction([case(choice, kind) for kind in sorted(choice.spans)])

    def _within(self, choice: _Choice, kind: int) -> V:
        """In the part of the object where it was seen."""
        if kind == NULL:
            return build.eq(choice.pointer, 0, self.bits)
        low, high = choice.spans[kind]
        start = build.add(self.blocks.bases[kind], low, self.bits)
        return build.ule(build.sub(choice.pointer, start, self.bits), high - low, self.bits)

    def _inside(self, choice: _Choice, kind: int) -> V:
        """Anywhere in it, and in front of its end if it never was there."""
        size = 0 if kind == NULL else self.blocks.size(kind)
        if not isinstance(size, int) or not size:
            return self._within(choice, kind)
        last = size if choice.spans[kind][1] == size else size - 1
        return build.ule(build.sub(choice.pointer, self.blocks.bases[kind], self.bits), last, self.bits)

    def _together(self, one: _Choice, two: _Choice) -> Iterator[V]:
        """Where one is tells where the other is."""
        seen = zip(one.kinds, two.kinds, strict=True)
        pairs = sorted({(a, b) for a, b in seen if a is not None and b is not None})
        if 2 <= len(pairs) <= MOST_OBJECTS and len(pairs) < len(one.spans) * len(two.spans):
            for case in (self._inside, self._within):
                yield build.disjunction([build.and_(case(one, a), case(two, b)) for a, b in pairs])


SOURCE = GuessSource(
    "pointer_choices", 0, "in which part of one of several objects a pointer is, and two together", _guesses, 40
)
