"""Accesses of any width to bytes that are an SMT array from element number to element.

Elements have `granule` bytes, a power of two. An access that no whole number of elements, and no part of one,
covers raises GranuleConflict: the encoding is then made again with single bytes.
"""

from __future__ import annotations

from counterpoint.semantics.copied import element
from counterpoint.semantics.granules import GranuleConflict
from counterpoint.semantics.objects import World
from counterpoint.semantics.stored import as_bits, join_bytes, known_alignment, part_of
from counterpoint.term import build
from counterpoint.term.term import Term, V


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
