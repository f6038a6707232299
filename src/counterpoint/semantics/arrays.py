"""Accesses of any width to bytes that are an SMT array from element number to element.

Elements have `granule` bytes, a power of two. An access that no whole number of elements, and no part of one,
covers raises GranuleConflict: the encoding is then made again with single bytes. Reading defines the arrays that copies
of unknown size have made (copied.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.semantics.copied import Copied
from counterpoint.semantics.granules import GranuleConflict
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import hiding, mentioned_objects
from counterpoint.semantics.stored import as_bits, join_bytes, known_alignment, part_of
from counterpoint.semantics.summary import liveness_of
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, array_sort
from counterpoint.term.walk import reachable

MAX_NESTED = 5
"""So many copies may be behind one another: reading what the last wrote takes two reads of the one before."""


def array_read(array: Term, granule: int, offset: V, size: int, origin: str, world: World) -> V:
    index, inside = _locate(granule, offset, size, origin, world)
    bits = world.pointer_bits
    if size <= granule:
        word = element(array, index, world)
        if size == granule:
            return word
        shift = _bit_shift(inside, granule, size, world)
        shifted = build.lshr(word, shift, 8 * granule)
        return build.extract(8 * size - 1, 0, shifted, 8 * granule)
    count = size // granule
    parts = [(granule, element(array, build.add(index, k, bits), world)) for k in range(count)]
    return join_bytes(parts, world.big_endian)


def array_write(
    array: Term, granule: int, offset: V, size: int, value: V, origin: str, world: World
) -> Term:
    index, inside = _locate(granule, offset, size, origin, world)
    bits = world.pointer_bits
    value = as_bits(value)
    if size <= granule:
        if size < granule:
            shift = _bit_shift(inside, granule, size, world)
            word = element(array, index, world)
            wide = 8 * granule
            hole = build.bvnot(build.shl((1 << 8 * size) - 1, shift, wide), wide)
            put = build.shl(build.zext(value, 8 * size, wide), shift, wide)
            value = build.bvor(build.bvand(word, hole, wide), put, wide)
        return build.store(array, index, value)
    for k in range(size // granule):
        part = part_of(value, size, k * granule, granule, world.big_endian)
        array = build.store(array, build.add(index, k, bits), part)
    return array


def _locate(granule: int, offset: V, size: int, origin: str, world: World) -> tuple[V, V]:
    """(element number, byte inside the element) of an access; raises GranuleConflict if it straddles."""
    bits = world.pointer_bits
    if isinstance(offset, int):
        if offset % granule + size > granule and (offset % granule or size % granule):
            conflict(origin, world)
        return offset // granule, offset % granule
    aligned = known_alignment(offset, world.base_alignment)
    if aligned < min(size, granule) or (size > granule and size % granule) or size & (size - 1):
        if granule > 1:
            conflict(origin, world)
        return offset, 0
    shift = granule.bit_length() - 1
    index = build.lshr(offset, shift, bits)
    return index, build.bvand(offset, granule - 1, bits)


def conflict(origin: str, world: World) -> None:
    world.granules[origin] = 1
    raise GranuleConflict(origin)


def _bit_shift(inside: V, granule: int, size: int, world: World) -> V:
    """Bits to shift so that the accessed bytes come to the low end; `inside` is at most granule - size."""
    wide, bits = 8 * granule, world.pointer_bits
    if world.big_endian:
        inside = build.sub(granule - size, inside, bits)
    scaled = build.shl(inside, 3, bits)
    return build.extract(wide - 1, 0, scaled, bits) if wide < bits else build.zext(scaled, bits, wide)


def array_ite(condition: V, yes: Term, no: Term) -> Term:
    """ite over arrays of one sort."""
    chosen = build.ite(condition, yes, no, yes.sort)
    assert isinstance(chosen, Term)
    return chosen


def any_array(world: World, like: Term) -> Term:
    """An arbitrary array; it may hide every object."""
    liveness = {liveness_of(index) for index in world.past.live} if world.past is not None else set()
    everything = [thing.index for thing in world.objects if thing.block_of < 0 and thing.index not in liveness]
    made = world.unknown(like.sort, "forgotten")
    assert isinstance(made.payload, str)
    return build.variable(hiding(made.payload, everything), like.sort)


# ---------------------------------------------------------------- arrays that are defined where they are read


def copied_array(world: World, copied: Copied) -> Term:
    """The array with this definition. Raises BeyondModel where too many are made from one another."""
    nested = 1 + max((world.copied[name][1] for array in copied.arrays() for name in _inside(array, world)), default=0)
    if nested > MAX_NESTED:
        raise BeyondModel(f"a copy of unknown size behind {MAX_NESTED} others")
    world.fresh += 1
    hides = mentioned_objects(copied.byte).union(*(mentioned_objects(array) for array in copied.arrays()))
    after = build.variable(hiding(f"copied!{world.fresh}", hides), copied.before.sort)
    world.copied[after] = copied, nested
    return after


def element(array: Term, index: V, world: World) -> V:
    """The element at an index, of an array with elements of any size. The copied arrays in it are defined there.

    At most (1 + sources)^MAX_NESTED axioms for each, said again each time: where a tree of paths shares a world,
    each path has the axioms of what it reads.
    """
    for after in _inside(array, world) if world.copied else ():
        copied, _ = world.copied[after]
        distance = build.sub(index, copied.start, world.pointer_bits)
        here = build.and_(copied.condition, build.ult(distance, copied.size, world.pointer_bits))
        value = element(copied.before, index, world)
        width = array_sort(after).element
        if here != 0:
            value = build.ite(here, _new(copied, distance, world), value, BitVec(width))
        world.axiom(build.eq(build.select(after, index), value, width))
    return build.select(array, index)


def definitions(world: World, formulas: Iterable[V]) -> list[V]:
    """Axioms, which hold on every run: what the formulas read of arrays that are defined where they are read."""
    if not world.copied:
        return []
    known = len(world.axioms)
    for term in reachable(formulas):
        if term.op is Op.SELECT and isinstance(term.args[0], Term):
            element(term.args[0], term.args[1], world)
    found = world.axioms[known:]
    del world.axioms[known:]
    return list(dict.fromkeys(found))


def _new(copied: Copied, distance: V, world: World) -> V:
    """The byte at a distance from the first."""
    value = copied.byte
    for number, (guard, array, first) in enumerate(copied.sources):
        there = element(array, build.add(first, distance, world.pointer_bits), world)
        value = there if number == 0 else build.ite(guard, there, value, BitVec(array_sort(array).element))
    return value


def _inside(array: Term, world: World) -> tuple[Term, ...]:
    """The copied arrays that the array is made from by stores and choices. Linear in its new nodes; memoised."""
    known = world.copied_inside
    stack = [array]
    while stack:
        term = stack[-1]
        parts = term.args[:1] if term.op is Op.STORE else term.args[1:] if term.op is Op.ITE else ()
        waiting = [part for part in parts if isinstance(part, Term) and part not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        below = [name for part in parts if isinstance(part, Term) for name in known[part]]
        known[term] = (term,) if term in world.copied else tuple(dict.fromkeys(below))
    return known[array]
