"""What functions leave alone: all memory but what lies where their pointers pointed to, and blocks that they make.

Frames as facts with a ghost: `forall k: k is assigned || memory[k] == old(memory[k])`. Which words are assigned, is
read off the visits: those at addresses of pointees, and ranges behind a pointer whose ends are numbers of the place.

Source: dynamic frames (Kassios, FM 2006), as postconditions; which words change, by comparing states, as Daikon does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import values_of
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import numeric
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.pointees import pointees
from counterpoint.semantics.components import (
    Counter,
    Elements,
    Old,
    RegisterValue,
    SummaryElements,
    SummaryLive,
    variable_of,
)
from counterpoint.semantics.facts import ghost
from counterpoint.semantics.summary import LIVE
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.term import Term, V

MOST_RANGES = 6
"""Ranges of one array that are tried, the shortest first."""

MOST_ENDS = 6
"""Numbers of a place that may be the ends of a range."""

MOST_BASES = 6


def _guesses(context: Context) -> Iterator[Guess]:
    for place, cut in context.graph.cuts.items():
        if cut.by_contract and cut.block != 0:
            visits = context.snapshots.at.get(place, ())
            for formula in _Frames(context, place, visits).formulas():
                yield place, formula


@dataclass(slots=True)
class _Frames:
    """What is changed and kept at one place."""

    context: Context
    place: Place
    visits: Sequence[Snapshot]

    @property
    def bits(self) -> int:
        return self.context.graph.program.layout.pointer_bits

    def formulas(self) -> Iterator[V]:
        for component in self.context.graph.components(self.place):
            match component:
                case Old(SummaryElements(granule=granule) as of) | Old(Elements(granule=granule) as of):
                    arrays = (variable_of(of, self.bits), variable_of(component, self.bits))
                    yield from self._contents(*arrays, granule, isinstance(of, SummaryElements))
                case Old(SummaryLive() as live) if live in self.context.graph.components(self.place):
                    yield from self._liveness(variable_of(live, self.bits), variable_of(component, self.bits))

    # ------------------------------------------------------------ contents

    def _contents(self, now: Term, old: Term, granule: int, summary: bool) -> Iterator[V]:
        """Frames of one array, the strongest first; each also without the blocks that were made."""
        cell = ghost(0, self.bits)
        width = 8 * granule
        same = build.eq(build.select(now, cell), build.select(old, cell), width)
        shift = granule.bit_length() - 1
        made = build.ule(build.lshr(variable_of(Old(Counter()), self.bits), shift, self.bits), cell, self.bits)
        for assigned in self._assigned(now, old, granule, summary):
            yield build.or_(assigned, same)
            if summary and self._effects.makes:
                yield build.disjunction([made, assigned, same])

    def _assigned(self, now: Term, old: Term, granule: int, summary: bool) -> Iterator[V]:
        """Sets of elements, as conditions on the ghost, that contain all that were seen changed."""
        cell = ghost(0, self.bits)
        changed = [_changed(visit, now, old) for visit in self.visits]
        if not any(changed):
            yield 0
        words = self._words(granule) if summary else {}
        values = {word: values_of(word, self.visits) for word in words}
        left = [set(some) for some in changed]
        used: list[Term] = []
        for word, at in values.items():
            if any(isinstance(value, int) and value in some for value, some in zip(at, left, strict=True)):
                used.append(word)
                left = [some - {value} for value, some in zip(at, left, strict=True)]
        explained: V = build.disjunction(build.eq(cell, word, self.bits) for word in used)
        if not any(left):
            if used:
                yield explained
            if words:
                yield build.disjunction(build.eq(cell, word, self.bits) for word in words)
            return
        for within in self._ranges(left, granule, summary):
            yield build.or_(explained, within)

    def _words(self, granule: int) -> dict[Term, None]:
        """The indices of the elements where pointees lie that may be written, at the entry's addresses."""
        found: dict[Term, None] = {}
        for pointee in pointees(self.context.graph, self.place):
            if pointee.path.written and pointee.old_address is not None:
                first = build.lshr(pointee.old_address, granule.bit_length() - 1, self.bits)
                for k in range(max(1, pointee.bits // 8 // granule)):
                    word = build.add(first, k, self.bits)
                    if isinstance(word, Term):
                        found[word] = None
        return found

    def _ranges(self, left: Sequence[set[int]], granule: int, summary: bool) -> list[V]:
        """Ranges between numbers of the place, from a pointer on, with all these elements at all visits."""
        cell, bits = ghost(0, self.bits), self.bits
        found: list[tuple[int, int, V]] = []
        bases: list[V] = [*self._bases(granule)] if summary else [0]
        ends = self._ends()
        for base in bases:
            starts = self._values(base)
            lowest: list[V] = [0, *ends]
            for low in lowest:
                lows = self._values(low)
                for high in ends:
                    if high is low:
                        continue
                    room = _room(left, starts, lows, self._values(high))
                    if room is not None:
                        away = build.sub(cell, base, bits)
                        both = build.and_(build.ule(low, away, bits), build.ult(away, high, bits))
                        found.append((room, len(found), both))
        return [formula for *_, formula in sorted(found, key=lambda one: one[:2])][:MOST_RANGES]

    def _values(self, term: V) -> list[int | None]:
        return [term] * len(self.visits) if isinstance(term, int) else values_of(term, self.visits)

    def _bases(self, granule: int) -> list[Term]:
        found: list[Term] = []
        for component in self.context.graph.components(self.place):
            if isinstance(component, RegisterValue) and isinstance(component.register.type, PointerType):
                index = build.lshr(variable_of(component, self.bits), granule.bit_length() - 1, self.bits)
                if isinstance(index, Term):
                    found.append(index)
        return found[:MOST_BASES]

    def _ends(self) -> list[Term]:
        """Numbers as wide as a pointer."""
        found: list[Term] = []
        for component, width in numeric(self.context, self.place):
            variable = variable_of(component, self.bits)
            extended = build.zext(variable, width, self.bits) if width < self.bits else variable
            if width <= self.bits and isinstance(extended, Term):
                found.append(extended)
        return found[:MOST_ENDS]

    # ------------------------------------------------------------ liveness

    def _liveness(self, now: Term, old: Term) -> Iterator[V]:
        """Nothing is made or freed; only made; only one block is freed."""
        cell, bits = ghost(0, self.bits), self.bits
        is_live = build.eq(build.select(now, cell), LIVE, 8)
        was_live = build.eq(build.select(old, cell), LIVE, 8)
        above = build.ule(variable_of(Old(Counter()), bits), cell, bits)
        yield build.eq(build.select(now, cell), build.select(old, cell), 8)
        if self._effects.makes:
            yield build.implies(was_live, is_live)
        if self._effects.makes or self._effects.frees:
            yield build.implies(is_live, build.or_(was_live, above))
        freed = self._may_be_freed() if self._effects.frees else []
        for pointer in freed:
            yield build.disjunction([build.eq(cell, pointer, bits), above, build.iff(was_live, is_live)])
            yield build.or_(build.eq(cell, pointer, bits), build.implies(was_live, is_live))

    def _may_be_freed(self) -> list[Term]:
        """The pointers that the function was given, and those that lay where they point to."""
        known = pointees(self.context.graph, self.place)
        found = [pointee.old for pointee in known if pointee.pointer and pointee.old is not None]
        for parameter in self.context.graph.cuts[self.place].function.parameters:
            if isinstance(parameter.type, PointerType):
                found.append(variable_of(RegisterValue(self.place[0], parameter), self.bits))
        return found

    @property
    def _effects(self) -> _Lives:
        graph, name = self.context.graph, self.place[0]
        return graph.points.remember("lives", name, lambda: _lives(graph.program, name))


@dataclass(frozen=True, slots=True)
class _Lives:
    """Whether a function, or one that it calls, makes objects, and whether it frees blocks."""

    makes: bool
    frees: bool


def _lives(program: m.Program, function: str) -> _Lives:
    waiting, seen = [function], {function}
    makes = frees = False
    while waiting:
        for instruction in (i for block in program.functions[waiting.pop()].blocks for i in block.instructions):
            makes = makes or isinstance(instruction, m.Allocate)
            frees = frees or isinstance(instruction, m.Free)
            if isinstance(instruction, m.Call) and instruction.callee not in seen:
                seen.add(instruction.callee)
                waiting.append(instruction.callee)
    return _Lives(makes, frees)


def _changed(visit: Snapshot, now: Term, old: Term) -> set[int]:
    """The indices at which the arrays are known to differ."""
    after, before = visit.values.get(now), visit.values.get(old)
    if not isinstance(after, ArrayValue) or not isinstance(before, ArrayValue):
        return set()
    known: Mapping[int, int] = before.entries
    return {index for index, value in after.entries.items() if index in known and known[index] != value}


def _room(
    left: Sequence[set[int]],
    starts: Sequence[int | None],
    lows: Sequence[int | None],
    highs: Sequence[int | None],
) -> int | None:
    """How many elements the ranges have in all; None if one leaves out a changed element."""
    total = 0
    for some, start, low, high in zip(left, starts, lows, highs, strict=True):
        if start is None or low is None or high is None:
            return None
        if any(not low <= index - start < high for index in some):
            return None
        total += max(0, high - low)
    return total


SOURCE = GuessSource("frames", 0, "what functions leave alone: memory but for what pointers pointed to", _guesses, 80)
