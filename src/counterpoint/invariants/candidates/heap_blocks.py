"""Facts about all blocks of a class, by a ghost block g: what its pointers are, who points to whom, how large it is.

A pointer in a slot of a live block is null or points to a live block; no two slots have one target; nobody points to
what a variable points to; what the next one points back to, and whether it has other pointers; whether addresses rise
or fall. Lists and trees of any length are described by such facts about one or two arbitrary blocks, which loops keep
by changing a few.

Source: the shapes that predicates about single nodes can tell (McPeak and Necula: Data structure specifications via
local equality axioms, CAV 2005); slots from static/pointer_slots.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import product
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Counter,
    Live,
    RegisterValue,
    SummaryElements,
    SummaryLive,
    SummarySizes,
    variable_of,
)
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.semantics.summary import LIVE
from counterpoint.static.pointer_slots import Distances, distances_of, heap_objects, pointed_at, pointer_slots
from counterpoint.static.points_to import PointsTo
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_ROOTS = 8
MOST_SLOTS = 6
MOST_DISTANCES = 3
PER_PLACE = 260


_Near: TypeAlias = Mapping[int, Distances]
"""At which distances from the start of objects a pointer is, by object."""

NOWHERE: Final[_Near] = {}
"""Nothing is known of one pointer by itself."""


@dataclass(frozen=True, slots=True)
class _Class:
    """A summary of heap blocks at a place: its arrays, the distances at which pointers point into its blocks, and
    how many bytes these have, rising: nothing where that varies."""

    members: int
    live: Term
    sizes: Term
    elements: Term
    granule: int
    slots: tuple[int, ...]
    distances: tuple[int, ...]
    known: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Root:
    """A pointer at a place; `targets` are the objects it may point into, and `near` at which distances, where that is
    known of it by itself."""

    value: Term
    targets: int
    near: _Near = field(default_factory=dict, compare=False)


def _guesses(context: Context) -> Iterator[Guess]:
    for place in context.graph.cuts:
        shape = _Shape.of(context.graph, place)
        if shape.classes:
            for formula in shape.facts():
                yield place, formula


def basics(graph: CutGraph) -> Iterator[tuple[Fact, tuple[Fact, ...], tuple[Fact, ...]]]:
    """For each pointer at each place: that it points to a live block if to anything, that it points to none that is
    made later, and what else is worth knowing of one that may point to dead ones. What sizes are."""
    for place in graph.cuts:
        shape = _Shape.of(graph, place)
        for closed, *more in shape.basics() if shape.classes else ():
            earlier, others = (tuple(Fact(*place, one) for one in some) for some in more)
            yield Fact(*place, closed), earlier, others


@dataclass(slots=True)
class _Shape:
    """What facts about the heap at one place are made of."""

    points: PointsTo
    bits: int
    classes: list[_Class] = field(default_factory=list)
    roots: list[_Root] = field(default_factory=list)
    singles: dict[int, tuple[Term, V]] = field(default_factory=dict)
    counter: Term | None = None

    @staticmethod
    def of(graph: CutGraph, place: Place) -> _Shape:
        points, bits = graph.points, graph.program.layout.pointer_bits
        shape, here = _Shape(points, bits), graph.components(place)
        known = {component: variable_of(component, bits) for component in here}
        heap, cut = heap_objects(points), graph.cuts[place]
        shape._find_classes(known, {group.number: group.members for group in cut.summaries})
        shape._find_singles(known)
        shape.counter = known.get(Counter())
        for component, variable in known.items():
            targets, near = 0, dict[int, Distances]()
            match component:
                case RegisterValue(function, register) if isinstance(register.type, PointerType):
                    targets = points.registers.get((function, register.index), 0)
                    near = dict(distances_of(points, function, register))
                case Cell(number, _, _, size) if 8 * size == bits:
                    targets = points.contents[number]
            if targets & heap and len(shape.roots) < MOST_ROOTS:
                shape.roots.append(_Root(variable, targets, near))
        return shape

    def _find_classes(self, known: dict[Component, Term], groups: dict[int, tuple[int, ...]]) -> None:
        objects, slots, into = self.points.objects, pointer_slots(self.points), pointed_at(self.points)
        for component, variable in known.items():
            if not isinstance(component, SummaryElements):
                continue
            members = groups[component.summary]
            live = known.get(SummaryLive(component.summary))
            sizes = known.get(SummarySizes(component.summary))
            if not objects[members[0]].heap or live is None or sizes is None or 8 * component.granule != self.bits:
                continue
            offsets = dict.fromkeys(o for number in members if number in slots for o in slots[number].offsets)
            distances = {d for number in members for d in into.get(number) or () if d < 1 << (self.bits - 1)}
            constants = [a.size for n in members if (a := objects[n].allocation) is not None]
            bytes_ = {size.bits for size in constants if isinstance(size, m.Constant)}
            every = all(isinstance(size, m.Constant) for size in constants)
            self.classes.append(
                _Class(
                    sum(1 << number for number in members), live, sizes, variable, component.granule,
                    tuple(offsets)[:MOST_SLOTS], tuple(sorted(distances or {0}))[:MOST_DISTANCES],
                    tuple(sorted(bytes_)) if every else (),
                )
            )  # fmt: skip

    def _find_singles(self, known: dict[Component, Term]) -> None:
        """Single objects that pointers may point to: address, and whether they are live."""
        for component, variable in known.items():
            if isinstance(component, Base):
                live = known.get(Live(component.thing, component.label), 1)
                self.singles[component.thing] = variable, live

    # ------------------------------------------------------------ formulas

    def facts(self) -> Iterator[V]:
        g = ghost(0, self.bits)
        for one in self.classes:
            yield from self._sizes(one, g)
        for root in self.roots:
            yield from (*self._earlier(root.value, 1), *self._tidy(root.value, root.targets, 1, root.near))
            yield from self._about(root.value, root.targets, 1, root.near)
        for one in self.classes:
            for offset in one.slots:
                targets = self._contents(one)
                slot, live = self._slot(one, offset, g), self._holds(one, offset, g)
                yield from (*self._earlier(slot, live), *self._tidy(slot, targets, live))
                yield from self._about(slot, targets, live)
                yield from self._but_at_a_root(one, offset, g)
        for one in self.classes:
            for offset in one.slots:
                yield from self._unshared(one, offset)
                yield from self._back(one, offset, g)
                yield from self._back_by_any(one, offset, g)
        for root in self.roots:
            yield from self._at_root(root)
            yield from self._together(root)
        for one in self.classes:
            for offset in one.slots:
                yield from self._ends(one, offset, g)

    def _sizes(self, one: _Class, g: Term) -> Iterator[V]:
        if len(one.known) > 1:
            enough = build.ule(one.known[0], build.select(one.sizes, g), self.bits)
            yield build.implies(self._live(one, g), enough)

    def basics(self) -> Iterator[tuple[V, tuple[V, ...], tuple[V, ...]]]:
        """For each pointer: that it is null or points to a live block; that it points to no block that is made later;
        what else should be known of it otherwise."""
        g = ghost(0, self.bits)
        pointers: list[tuple[V, int, V, _Near]] = [(root.value, root.targets, 1, root.near) for root in self.roots]
        for one in self.classes:
            pointers += [(self._slot(one, o, g), self._contents(one), self._holds(one, o, g), {}) for o in one.slots]
            yield from ((size, (), ()) for size in self._sizes(one, g))
        for pointer, targets, where, near in pointers:
            valid = build.disjunction([*self._valid(pointer, targets, near)])
            closed = build.implies(where, build.or_(build.eq(pointer, 0, self.bits), valid))
            yield closed, self._earlier(pointer, where), tuple(self._tidy(pointer, targets, where, near))

    def _earlier(self, pointer: V, where: V) -> tuple[V, ...]:
        """It points to no block that is made later, as far as that can be said."""
        return () if self.counter is None else (build.implies(where, build.ult(pointer, self.counter, self.bits)),)

    def _tidy(self, pointer: V, targets: int, where: V, near: _Near = NOWHERE) -> Iterator[V]:
        """It points to no block but its start (or where else pointers do), even when the block is dead."""
        null = build.eq(pointer, 0, self.bits)
        among = [one for one in self.classes if one.members & targets]
        distances = {d % OBJECT_ALIGNMENT for one in among for d in self._away(one, near)}
        if len(distances) == 1:
            low = build.bvand(pointer, OBJECT_ALIGNMENT - 1, self.bits)
            yield build.implies(where, build.or_(null, build.eq(low, distances.pop(), self.bits)))
        h = ghost(1, self.bits)
        for one in among:
            if not one.known or one.known[-1] >= OBJECT_ALIGNMENT:
                away = build.sub(pointer, h, self.bits)
                places = [build.eq(away, d, self.bits) for d in self._away(one, near)]
                size = build.select(one.sizes, h) if len(one.known) != 1 else one.known[0]
                outside = build.ult(size, away, self.bits)
                yield build.implies(build.and_(where, self._live(one, h)), build.disjunction([null, outside, *places]))

    def _about(self, pointer: V, targets: int, where: V, near: _Near = NOWHERE) -> Iterator[V]:
        """What a pointer is, which exists on some condition: null, live, one of the variables, or none of them."""
        null = build.eq(pointer, 0, self.bits)
        valid = build.disjunction([*self._valid(pointer, targets, near)])
        yield build.implies(where, null)
        yield from self._large(pointer, targets, where)
        if valid != 0:
            yield build.implies(where, build.or_(null, valid))
            yield build.implies(where, valid)
        yield build.implies(where, build.not_(null))
        for other in self.roots:
            if other.targets & targets and other.value is not pointer:
                same = build.eq(pointer, self._as_stored(other, targets), self.bits)
                yield build.implies(where, build.or_(null, build.not_(same)))
                yield build.implies(where, build.not_(same))
                yield build.implies(where, same)
            elif other.value is not pointer and self._alike(other.targets) & targets:
                yield build.implies(where, build.ne(pointer, other.value, self.bits))

    def _but_at_a_root(self, one: _Class, offset: int, g: Term) -> Iterator[V]:
        """The slot is null or points to a live block in all blocks but the one that a variable points to."""
        pointer = self._slot(one, offset, g)
        valid = build.disjunction([*self._valid(pointer, self._contents(one))])
        null = build.eq(pointer, 0, self.bits)
        for root in self.roots if valid != 0 else ():
            if root.targets & one.members:
                start = self._less(self._as_stored(root, one.members), one.distances[0])
                where = build.and_(self._holds(one, offset, g), build.ne(g, start, self.bits))
                yield build.implies(where, build.or_(null, valid))
                yield build.implies(where, valid)

    def _away(self, one: _Class, near: _Near) -> tuple[int, ...]:
        """How far a pointer is from the start of a block of the class: as the stored ones, or as it is itself."""
        own = {d for number, known in near.items() if one.members >> number & 1 for d in known or ()}
        if not own or None in near.values() or own <= set(one.distances):
            return one.distances
        return tuple(sorted(d for d in own if d < 1 << (self.bits - 1)))[:MOST_DISTANCES] or one.distances

    def _as_stored(self, root: _Root, targets: int) -> V:
        """Where a stored pointer to the block would point, into which the root points at a distance of its own."""
        for one in self.classes:
            away = self._away(one, root.near)
            if one.members & targets & root.targets and away != one.distances and len(away) == 1:
                return self._less(root.value, away[0] - one.distances[0])
        return root.value

    def _valid(self, pointer: V, targets: int, near: _Near = NOWHERE) -> Iterator[V]:
        for one in self.classes:
            if one.members & targets:
                yield from (self._live(one, self._less(pointer, d)) for d in self._away(one, near))
        for number, (base, live) in self.singles.items():
            if targets >> number & 1:
                distances = near.get(number) or pointed_at(self.points).get(number) or frozenset((0,))
                for d in sorted(distances)[:MOST_DISTANCES]:
                    yield build.and_(live, build.eq(pointer, build.add(base, d, self.bits), self.bits))

    def _unshared(self, one: _Class, offset: int) -> Iterator[V]:
        """No other slot has the same target."""
        g, h = ghost(0, self.bits), ghost(1, self.bits)
        mine = self._slot(one, offset, g)
        for other in self.classes[self.classes.index(one) :]:
            if not self._contents(one) & self._contents(other):
                continue
            for there in other.slots:
                if one is other and there < offset:
                    continue
                theirs = self._slot(other, there, h)
                both = build.and_(self._holds(one, offset, g), self._holds(other, there, h))
                apart = build.ne(g, h, self.bits) if one is other and offset == there else 1
                differ = build.ne(mine, theirs, self.bits)
                yield build.implies(build.conjunction([both, apart, build.ne(mine, 0, self.bits)]), differ)

    def _back(self, one: _Class, offset: int, g: Term) -> Iterator[V]:
        """What the target points back to, and whether it was made later or earlier."""
        mine, alive = self._slot(one, offset, g), self._holds(one, offset, g)
        null = build.eq(mine, 0, self.bits)
        for below in (build.ult(mine, g, self.bits), build.ult(g, mine, self.bits)):
            yield build.implies(alive, build.or_(null, below))
        for other in self.classes:
            if not other.members & self._contents(one):
                continue
            for there, d, e in product(other.slots, other.distances, one.distances):
                if other is one and there == offset:
                    continue
                target = self._less(mine, d)
                same = build.eq(self._slot(other, there, target), build.add(g, e, self.bits), self.bits)
                yield build.implies(alive, build.or_(null, same))
                there_live = self._live(other, target)
                yield build.implies(build.and_(alive, there_live), same)

    def _ends(self, one: _Class, offset: int, g: Term) -> Iterator[V]:
        """Another slot of the target is null: what branches off is a list without branches, or no list at all."""
        mine, alive = self._slot(one, offset, g), self._holds(one, offset, g)
        for other in self.classes:
            for there in other.slots if other.members & self._contents(one) else ():
                if other is not one or there != offset:
                    target = self._less(mine, other.distances[0])
                    nothing = build.eq(self._slot(other, there, target), 0, self.bits)
                    yield build.implies(build.and_(alive, self._holds(other, there, target)), nothing)

    def _back_by_any(self, one: _Class, offset: int, g: Term) -> Iterator[V]:
        """Some slot of the target points back: a node is a child of its parent."""
        mine, alive = self._slot(one, offset, g), self._holds(one, offset, g)
        null = build.eq(mine, 0, self.bits)
        for other in self.classes:
            if not other.members & self._contents(one) or len(other.slots) <= 2:
                continue
            target = self._less(mine, other.distances[0])
            others = [s for s in other.slots if other is not one or s != offset]
            back = [build.eq(self._slot(other, s, target), g, self.bits) for s in others]
            yield build.implies(alive, build.disjunction([null, *back]))
            yield build.implies(build.and_(alive, self._live(other, target)), build.disjunction([null, *back]))

    def _at_root(self, root: _Root) -> Iterator[V]:
        """What lies in the block that a variable points to."""
        null = build.eq(root.value, 0, self.bits)
        for one in self.classes:
            if not one.members & root.targets:
                continue
            start = self._less(self._as_stored(root, one.members), one.distances[0])
            for offset in one.slots:
                pointer = self._slot(one, offset, start)
                yield build.or_(null, build.eq(pointer, 0, self.bits))
                for other in self.roots:
                    if other is not root and other.targets & self._contents(one):
                        yield build.or_(null, build.eq(pointer, other.value, self.bits))
                yield from self._gone(root, pointer, self._contents(one))
            for other in self.roots if len(one.slots) > 1 else ():
                if other is not root and other.targets & self._contents(one):
                    some = [build.eq(self._slot(one, s, start), other.value, self.bits) for s in one.slots]
                    yield build.disjunction([null, *some])
            yield build.not_(self._live(one, start))

    def _gone(self, root: _Root, pointer: V, targets: int) -> Iterator[V]:
        """The block that a pointer points to, which lies in the one at the root, is dead, or where another variable
        points to."""
        null = build.eq(root.value, 0, self.bits)
        others = [one for one in self.roots if one is not root and one.targets & targets]
        same = [build.eq(pointer, one.value, self.bits) for one in others]
        for valid in self._valid(pointer, targets):
            yield build.not_(valid)
            yield from (build.disjunction([null, build.not_(valid), other]) for other in (0, *same))

    def _together(self, root: _Root) -> Iterator[V]:
        """What another variable is where this one is null."""
        null = build.eq(root.value, 0, self.bits)
        for other in self.roots:
            if other is not root:
                yield build.implies(null, build.eq(other.value, 0, self.bits))
            for third in self.roots if other is not root else ():
                if third.value.index > other.value.index and third is not root and third.targets & other.targets:
                    yield build.implies(null, build.eq(other.value, third.value, self.bits))

    # ------------------------------------------------------------ parts

    def _contents(self, one: _Class) -> int:
        found = 0
        for thing in self.points.objects:
            if one.members >> thing.number & 1:
                found |= self.points.contents[thing.number]
        return found

    def _alike(self, targets: int) -> int:
        """All blocks of the classes of these: of one at an address it is not known which of them it is."""
        found = targets
        for one in self.classes:
            found |= one.members if one.members & targets else 0
        return found

    def _live(self, one: _Class, start: V) -> V:
        return build.eq(build.select(one.live, start), LIVE, 8)

    def _holds(self, one: _Class, offset: int, start: V) -> V:
        """The block is live, and large enough to have that slot, where blocks of its class have several sizes."""
        end = offset + self.bits // 8
        if one.known and one.known[0] >= end:
            return self._live(one, start)
        large = build.ule(end, build.select(one.sizes, start), self.bits)
        return build.and_(self._live(one, start), large)

    def _large(self, pointer: V, targets: int, where: V) -> Iterator[V]:
        """It points to none of the smaller blocks of a class, or to none of the larger ones."""
        null = build.eq(pointer, 0, self.bits)
        for one in self.classes if where != 0 else ():
            for d in one.distances if one.members & targets else ():
                size = build.select(one.sizes, self._less(pointer, d))
                some = [build.ule(least, size, self.bits) for least in one.known[1:]]
                some += [build.ule(size, most, self.bits) for most in one.known[:-1]]
                yield from (build.implies(where, build.or_(null, said)) for said in some)

    def _less(self, pointer: V, distance: int) -> V:
        return build.sub(pointer, distance, self.bits)

    def _slot(self, one: _Class, offset: int, start: V) -> V:
        address = build.add(start, offset, self.bits)
        return build.select(one.elements, build.lshr(address, one.granule.bit_length() - 1, self.bits))


SOURCE = GuessSource("heap_blocks", 0, "what the pointers of all blocks of a class are", _guesses, PER_PLACE)
