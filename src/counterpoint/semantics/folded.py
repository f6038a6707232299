"""Objects that the encoding has one by one, put into a summary as a cut point or a called function sees them, and back.

A summary is three arrays: bytes over the full address, liveness and sizes over base addresses. Bytes of an object that
nothing has touched need no move into a summary that is new, or if the object is: the summary's array is arbitrary at
addresses at which nothing ever lay. Of a single object from before the start, facts may have said what the summary has
at its address: what called functions saw there.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.records import dataclass
from counterpoint.semantics import contents as store_
from counterpoint.semantics.arrays import any_array, array_read, copied_array
from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells, Initial
from counterpoint.semantics.copied import Copied
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import ArbitraryBytes, BeyondModel, World
from counterpoint.semantics.summary import LIVE, liveness_of
from counterpoint.static.points_to import PointsTo
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V

MAX_FOLDED = 512
"""Bytes of a zeroed object that move one by one; the contents of larger ones are forgotten."""

MAX_ELEMENTS = 64
"""Elements of an array of a known size that move one by one; of larger ones the contents are forgotten, but where
they come out of a summary: they are copied (semantics/copied.py)."""


@dataclass(frozen=True, slots=True)
class Summarised:
    """A summary holds the instances of `members`, numbers of abstract objects; `number` names it. Summaries of two cut
    points have one number if they are of one points-to class, and both of heap blocks, or both of locals. Its elements
    have `granule` bytes if nothing else is known."""

    number: int
    members: tuple[int, ...]
    granule: int


@dataclass(frozen=True, slots=True)
class Arrays:
    """A summary's contents in elements of `granule` bytes, liveness, and sizes in bytes."""

    bytes: Term
    granule: int
    live: Term
    sizes: Term

    @property
    def contents(self) -> ArrayContents:
        return ArrayContents(self.bytes, self.granule)


def held_by(points: PointsTo, group: Summarised, memory: Memory) -> tuple[int | None, list[int]]:
    """What of the encoding is in the summary: its own summary, if it has one of these objects, and single ones.

    Raises BeyondModel where several summaries of the encoding are one here.
    """
    world = memory.shared.world
    past = world.past
    assert past is not None
    found = dict.fromkeys(past.places[number] for number in group.members if number in past.places)
    wholes = [index for index in found if world.objects[index].summary]
    if len(wholes) > 1:
        raise BeyondModel("several summaries of objects are one in the function called")
    singles = [index for index in found if not world.objects[index].summary]
    members = frozenset(group.members)
    made = [i for i, (a, _) in world.made.items() if i in memory.contents and points.of_allocation(a).number in members]
    return (wholes[0] if wholes else None), singles + made


def folded(points: PointsTo, group: Summarised, memory: Memory) -> Arrays:
    """The summary, once all objects that the encoding has of it one by one are in it. Raises as `held_by`."""
    whole, singles = held_by(points, group, memory)
    world = memory.shared.world
    bits = world.pointer_bits
    arrays = _nothing(group, world) if whole is None else _own(whole, memory)
    for index in singles:
        alive = memory.live(index)
        if alive == 0:
            continue
        base = base_of(index, world)
        live = build.store(arrays.live, base, build.ite(alive, LIVE, build.select(arrays.live, base), BitVec(8)))
        size = build.ite(alive, world.objects[index].size, build.select(arrays.sizes, base), BitVec(bits))
        sizes = build.store(arrays.sizes, base, size)
        known = whole is not None and index not in world.made
        bytes_ = _moved(memory, index, base, alive, arrays.contents, f"summary {group.number}", known)
        arrays = Arrays(bytes_, arrays.granule, live, sizes)
    return arrays


def base_of(index: int, world: World) -> V:
    """The base address as an index: aligned, as all are (layout.py)."""
    bits = world.pointer_bits
    return build.bvand(world.base(index), -OBJECT_ALIGNMENT & ((1 << bits) - 1), bits)


def _own(whole: int, memory: Memory) -> Arrays:
    past = memory.shared.world.past
    assert past is not None
    bytes_, live = memory.contents[whole], memory.contents[liveness_of(whole)]
    assert isinstance(bytes_, ArrayContents) and isinstance(live, ArrayContents)
    return Arrays(bytes_.term, bytes_.granule, live.term, past.sizes[whole])


def _nothing(group: Summarised, world: World) -> Arrays:
    """The summary without an object: its bytes and sizes are arbitrary."""
    bits = world.pointer_bits
    granule = world.granules.get(f"summary {group.number}", group.granule)
    made = world.unknown(ArraySort(bits, 8 * granule), f"summary {group.number}.array")
    return Arrays(
        made, granule, build.constant_array(ArraySort(bits, 8), 0),
        world.unknown(ArraySort(bits, bits), f"summary {group.number}.sizes"),
    )  # fmt: skip


# ---------------------------------------------------------------- contents into a summary


def _moved(memory: Memory, index: int, base: V, alive: V, into: ArrayContents, origin: str, known: bool) -> Term:
    """The summary's bytes with those of the object; arbitrary if that takes too many writes. `known`: something may be
    known of the summary's bytes at the object's address, so that all of them have to be replaced."""
    world = memory.shared.world
    thing, contents, granule = world.objects[index], memory.contents[index], into.granule
    places = _elements_touched(contents, thing.size, granule, known)
    if places is None:
        return _copied_into(memory, index, base, alive, into)
    result: store_.Contents = into
    for place in places:
        value = store_.read(contents, place * granule, granule, thing.size, thing.origin, world, False)
        address = build.add(base, place * granule, world.pointer_bits)
        result = store_.write(result, address, granule, value, alive, thing.size, origin, world)
    assert isinstance(result, ArrayContents)
    return result.term


def _elements_touched(contents: store_.Contents, size: V, granule: int, every: bool) -> list[int] | None:
    """The elements of the object of which something is known, or with `every` all; None if they cannot be listed, or
    are too many."""
    whole = -(-size // granule) if isinstance(size, int) else MAX_FOLDED + 1
    if isinstance(contents, ArrayContents) or not isinstance(contents.initial, Initial):
        return list(range(whole)) if whole <= MAX_ELEMENTS else None
    touched = {byte for offset, (length, _) in contents.map.items() for byte in range(offset, offset + length)}
    initial = contents.initial
    if initial.name is None:
        if whole * granule > MAX_FOLDED + granule:
            return None
        return sorted({byte // granule for byte in touched} | set(range(whole)))
    if every or initial.seen.whole is not None:
        return list(range(whole)) if whole <= MAX_ELEMENTS else None
    for offset, (length, _) in initial.seen.given.items():
        touched.update(range(offset, offset + length))
    return sorted({byte // granule for byte in touched})


def _copied_into(memory: Memory, index: int, base: V, alive: V, into: ArrayContents) -> Term:
    """The summary's elements with those of an object of many, defined where they are read; all become arbitrary where
    the object is divided in another way."""
    world, granule = memory.shared.world, into.granule
    contents, size = memory.contents[index], world.objects[index].size
    if isinstance(contents, Cells):
        initial = contents.initial
        if not isinstance(initial, Initial) or (initial.seen.whole is not None and initial.seen.granule != granule):
            return any_array(world, into.term)
        if world.granules.get(world.objects[index].origin, granule) != granule:
            return any_array(world, into.term)
        contents = contents.to_array(granule, world)
    if contents.granule != granule or contents.owners is not None:
        return any_array(world, into.term)
    first, count = _elements(base, size, granule, world)
    try:
        return copied_array(world, Copied(into.term, alive, first, count, ((1, contents.term, 0),)))
    except BeyondModel:  # too many behind one another
        return any_array(world, into.term)


def _elements(base: V, size: V, granule: int, world: World) -> tuple[V, V]:
    """The first element of an object in a summary, and how many elements its bytes are in."""
    bits, shift = world.pointer_bits, granule.bit_length() - 1
    rounded = build.add(size, granule - 1, bits)
    return build.lshr(base, shift, bits), build.lshr(rounded, shift, bits)


# ---------------------------------------------------------------- contents out of a summary


def read_back(arrays: Arrays, index: int, name: str, suffix: str, memory: Memory) -> store_.Contents:
    """What the object contains, as the summary has it. The names of unknowns begin with `name` and end with `suffix`
    (pointers.hiding)."""
    world = memory.shared.world
    thing, granule, base = world.objects[index], arrays.granule, base_of(index, world)
    if isinstance(thing.size, int) and thing.size <= granule * MAX_ELEMENTS:
        cells: dict[int, tuple[int, V]] = {}
        for offset, size in _pieces(thing.size, granule):
            address = build.add(base, offset, world.pointer_bits)
            there = array_read(arrays.bytes, granule, address, size, f"summary of {thing.origin}", world)
            value = build.variable(f"{name}.{offset}.{size}{suffix}", BitVec(8 * size))
            world.axiom(build.eq(value, there, 8 * size))
            cells[offset] = (size, value)
        return Cells(EMPTY.update(cells), Initial(world, thing.origin, name, suffix=suffix))
    if world.granules.get(thing.origin, granule) != granule:  # it is divided in another way: its bytes are arbitrary
        return Cells(EMPTY, Initial(world, thing.origin, name, suffix=suffix))
    made = build.variable(f"{name}.array{granule}{suffix}", arrays.bytes.sort)
    first, count = _elements(base, thing.size, granule, world)
    made = copied_array(world, Copied(made, 1, 0, count, ((1, arrays.bytes, first),)))
    seen = ArbitraryBytes(whole=made, granule=granule)
    return Cells(EMPTY, Initial(world, thing.origin, name, suffix=suffix, seen=seen))


def _pieces(size: int, granule: int) -> Iterator[tuple[int, int]]:
    """Offsets and sizes: whole elements, then powers of two."""
    at = 0
    while at < size:
        piece = granule
        while piece > size - at:
            piece //= 2
        yield at, piece
        at += piece
