"""What the variables of a region's formulas are in a small heap.

Each class of blocks has a few at fixed addresses, live or dead; pointers from before are null or point to one of these
blocks, at a distance at which pointers are kept, or to an object that exists one by one. The region may begin in each
state of such a heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.invariants.small_heaps.values import Choice, Scalar, Table, Value, choice
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.regions.cut_graph import Region
from counterpoint.semantics.components import RegisterValue, variable_of
from counterpoint.semantics.pointers import hidden_objects
from counterpoint.semantics.summary import LIVE
from counterpoint.static.pointer_slots import Distances, distances_of, pointed_at, pointer_slots
from counterpoint.static.points_to import PointsTo
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V

BLOCKS: Final = 3
"""Of each class."""

LARGEST: Final = 1 << 10
"""Bytes of a block with elements of its own; and what lies between blocks."""

FIRST: Final = 1 << 16
"""The address of the first object."""

MOST_DISTANCES: Final = 3

EXTERNAL: Final = "external memory"
"""In the names of arrays: what lies outside of all objects."""


@dataclass(slots=True)
class SmallState:
    """The state in which a region begins: what its variables and addresses are."""

    region: Region
    points: PointsTo
    bits: int
    blocks: dict[int, list[int]] = field(default_factory=dict)
    addresses: dict[int, int] = field(default_factory=dict)
    made: list[int] = field(default_factory=list)
    _end: int = FIRST
    _known: dict[Term, Value] = field(default_factory=dict)
    _near: Mapping[Term, Mapping[int, Distances]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        world = self.region.world
        past = world.past
        assert past is not None
        self._near = _near(self.region, self.points, self.bits)
        for index in past.earlier:
            self.addresses[index] = self._place(world.objects[index].size)
        at_start = all(live.op is Op.CONSTANT_ARRAY for versions in past.live.values() for live, _ in versions)
        for summary in past.live:
            self.blocks[summary] = [] if at_start else [self._place(LARGEST) for _ in range(BLOCKS)]
        if isinstance(past.counter, Term):
            self._known[past.counter] = self._end
        elif isinstance(past.counter, int):
            self._end = max(self._end, past.counter)
        for index in world.made:
            self.addresses[index] = self._place(world.objects[index].size)
            self.made.append(self.addresses[index])
        for versions in past.live.items():
            self._arrays(*versions)

    @property
    def starts(self) -> list[int]:
        """Of all blocks that there may be at the start."""
        return [start for blocks in self.blocks.values() for start in blocks]

    def _place(self, size: V) -> int:
        """The address of the next object."""
        here = self._end
        room = size if isinstance(size, int) else LARGEST
        self._end = (here + max(room, 1) + LARGEST) // LARGEST * LARGEST
        return here

    # ------------------------------------------------------------ variables

    def leaf(self, term: Term) -> Value:
        """What a variable or an address is."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._value(term)
        return found

    def _value(self, term: Term) -> Value:
        name = str(term.payload)
        if term.op is Op.ADDRESS:
            assert isinstance(term.payload, int)
            return self.addresses[term.payload] if term.payload in self.addresses else self._later(term.payload)
        if isinstance(term.sort, ArraySort):
            return self._array(name, BitVec(term.sort.element))
        if isinstance(term.sort, BitVec):
            if name.startswith(("block!", "any block!", "invalid-read!")):
                return self._one_of(name, [0, *self.starts], term.sort.width)
            hidden = hidden_objects(name)
            if hidden and term.sort.width > self.bits // 2:
                return self._one_of(name, [0, *self._targets(hidden, self._near.get(term))], term.sort.width)
        return term

    def _array(self, name: str, element: BitVec) -> Table:
        """Of an object that exists one by one, or of what lies outside of all: nobody keeps pointers there that a fact
        could be about, and bytes that are put together are many cases."""
        if EXTERNAL in name:
            return Table({}, lambda _: 0, element)
        hidden = hidden_objects(name) if element.width == self.bits else frozenset()
        targets = [0, *self._targets(hidden)] if hidden else []
        if not targets:
            return Table({}, lambda index: build.variable(f"{name}[{index}]", element), element)
        return Table({}, lambda index: self._one_of(f"{name}[{index}]", targets, element.width), element)

    def _later(self, index: int) -> int:
        self.addresses[index] = self._place(self.region.world.objects[index].size)
        return self.addresses[index]

    def _one_of(self, name: str, values: Sequence[int], width: int) -> Scalar:
        """One of these addresses, by truth values of its own; of a narrower one, the high bits."""
        low = max(0, self.bits - width)
        wanted = list(dict.fromkeys(value >> low for value in values if value % (1 << low) == 0))
        number = max(1, (len(wanted) - 1).bit_length())
        digits = [build.variable(f"{name} bit {k}", BOOL) for k in range(number)]
        found: list[tuple[V, V]] = []
        for code in range(1 << number):
            where = build.conjunction([d if code >> k & 1 else build.not_(d) for k, d in enumerate(digits)])
            found.append((wanted[min(code, len(wanted) - 1)], where))
        return choice(found)

    def _targets(self, hidden: Iterable[int], near: Mapping[int, Distances] | None = None) -> Iterator[int]:
        """The addresses at which a pointer may point into these objects, where it is known to be `near` some at others
        than the stored ones, too."""
        for index in sorted(hidden):
            distances = self._distances(index, near or {})
            starts = self.blocks[index] if index in self.blocks else [self.addresses.get(index, 0)]
            yield from (start + distance for start in starts if start for distance in distances)

    def _distances(self, index: int, near: Mapping[int, Distances]) -> list[int]:
        into = pointed_at(self.points)
        found = {0}
        for number in self._numbers(index):
            found |= {d for d in (*(into.get(number) or ()), *(near.get(number) or ())) if d < LARGEST}
        return sorted(found)[:MOST_DISTANCES]

    def _numbers(self, index: int) -> list[int]:
        """The objects of the points-to analysis behind one of the world."""
        past = self.region.world.past
        assert past is not None
        return [number for number, place in past.places.items() if place == index]

    # ------------------------------------------------------------ arrays of classes

    def _arrays(self, summary: int, versions: Sequence[tuple[Term, V]]) -> None:
        past, starts = self.region.world.past, self.blocks[summary]
        assert past is not None
        for live, _ in versions:
            if live.op is Op.VARIABLE:
                alive = [build.variable(f"{live.payload} {start}", BOOL) for start in starts]
                entries: dict[int, Scalar] = {
                    start: Choice({LIVE: one, 0: build.not_(one)}) for start, one in zip(starts, alive, strict=True)
                }
                self._known[live] = Table(entries, lambda _: 0, BitVec(8))
        sizes = past.sizes[summary]
        usual = self._sizes(summary)
        self._known[sizes] = Table(
            {start: self._size(f"{sizes.payload} {start}", usual) for start in starts}, lambda _: 0, BitVec(self.bits)
        )
        for variable in self._contents(summary):
            self._known[variable] = self._elements(variable, summary, max(usual, default=LARGEST))

    def _size(self, name: str, usual: Sequence[int]) -> Scalar:
        if not usual:
            return build.bvand(build.variable(name, BitVec(self.bits)), LARGEST - 1, self.bits)
        return self._one_of(name, usual, self.bits)

    def _sizes(self, summary: int) -> list[int]:
        """The bytes of blocks of the class, where all of them are known."""
        made = [self.points.objects[number].allocation for number in self._numbers(summary)]
        known = {a.size.bits for a in made if a is not None and isinstance(a.size, m.Constant)}
        every = all(a is not None and isinstance(a.size, m.Constant) for a in made)
        return sorted(size for size in known if size < LARGEST) if every else []

    def _contents(self, summary: int) -> Iterator[Term]:
        """The variable that stands for the bytes of the class."""
        name = f".summary {self._number(summary)}.array"
        for value in self.region.start_values.values.values():
            if isinstance(value, Term) and value.op is Op.VARIABLE and name in str(value.payload):
                yield value

    def _number(self, summary: int) -> str:
        return self.region.world.objects[summary].origin.removeprefix("summary ")

    def _elements(self, variable: Term, summary: int, size: int) -> Table:
        assert isinstance(variable.sort, ArraySort)
        width, name = variable.sort.element, str(variable.payload)
        granule = width // 8
        targets = list(self._targets(hidden_objects(name)))
        known = pointer_slots(self.points)
        slots = {offset for n in self._numbers(summary) if n in known for offset in known[n].offsets}
        entries: dict[int, Scalar] = {}
        for start in self.blocks[summary]:
            for offset in range(0, min(size, LARGEST), granule):
                index = (start + offset) // granule
                label = f"{name}[{index}]"
                if width == self.bits and offset in slots:
                    entries[index] = self._one_of(label, [0, *targets], width)
                else:
                    entries[index] = build.variable(label, BitVec(width))
        others = [0, *targets] if width == self.bits else []

        def other(index: int) -> Scalar:
            label = f"{name}[{index}]"
            return self._one_of(label, others, width) if others else build.variable(label, BitVec(width))

        return Table(entries, other, BitVec(width))


def _near(region: Region, points: PointsTo, bits: int) -> dict[Term, Mapping[int, Distances]]:
    """For each pointer in a register at the start of the region: at which distances from which objects it is."""
    found: dict[Term, Mapping[int, Distances]] = {}
    function = region.cut.function
    for register in region.cut.registers:
        value = region.start_values.values.get(variable_of(RegisterValue(function.name, register), bits))
        if isinstance(value, Term) and isinstance(register.type, PointerType):
            found[value] = distances_of(points, function.name, register)
    return found
