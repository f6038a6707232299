"""Accesses to a summary of blocks that hold pointers, through pointers of which no alignment is known.

Elements there are as wide as a pointer. What is accessed at a multiple of its size lies in one element, and is meant
exactly; elsewhere what is read is arbitrary, and behind a write all of the summary is: more behaviours than there are,
which facts that say where pointers point exclude (blocks begin at aligned addresses).
"""

from __future__ import annotations

from counterpoint.semantics.arrays import any_array, array_ite
from counterpoint.semantics.contents import ArrayContents, Contents
from counterpoint.semantics.objects import MemoryObject, World
from counterpoint.semantics.pointers import hiding, mentioned_objects
from counterpoint.semantics.stored import choose, known_alignment
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V


def may_straddle(thing: MemoryObject, contents: Contents, address: V, size: int, world: World) -> bool:
    """The access is one of these: it may lie in two elements of a summary that holds pointers, or in one."""
    if thing.block_of < 0 or not isinstance(contents, ArrayContents) or isinstance(address, int):
        return False
    whole = contents.granule == world.pointer_bits // 8 and size in (2, 4, 8) and size <= contents.granule
    return whole and known_alignment(address, world.base_alignment) < size and holds_pointers(thing, world)


def holds_pointers(thing: MemoryObject, world: World) -> bool:
    """Pointers to objects may be in blocks of the summary."""
    past = world.past
    assert past is not None
    points = past.points
    if points is None:
        return False
    numbers = (number for number, place in past.places.items() if place == thing.block_of)
    return any(points.contents[number] >> 1 for number in numbers)


def rounded(address: V, size: int, world: World) -> tuple[V, V]:
    """(the multiple of the size at or below the address, whether it is the address)."""
    bits, low = world.pointer_bits, size.bit_length() - 1
    down = build.bvand(address, -size & ((1 << bits) - 1), bits)
    return down, build.eq(build.extract(low - 1, 0, address, bits), 0, low)


def read_or_arbitrary(contents: ArrayContents, address: V, size: int, origin: str, world: World) -> V:
    down, aligned = rounded(address, size, world)
    there = contents.read(down, size, origin, world)
    made = world.unknown(BitVec(8 * size), "straddling")
    assert isinstance(made.payload, str)
    anything = build.variable(hiding(made.payload, mentioned_objects(contents.term)), made.sort)
    return choose(aligned, there, anything, 8 * size)


def write_or_forget(
    contents: ArrayContents, address: V, size: int, value: V, condition: V, origin: str, world: World
) -> ArrayContents:
    down, aligned = rounded(address, size, world)
    after = contents.write(down, size, value, origin, world, build.and_(condition, aligned))
    lost = build.and_(condition, build.not_(aligned))
    if lost == 0:
        return after
    return ArrayContents(array_ite(lost, any_array(world, after.term), after.term), after.granule, after.owners)
