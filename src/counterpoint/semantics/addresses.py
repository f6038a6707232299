"""What is known about the addresses of objects, and comparisons that follow from it.

Bases are arbitrary, except that they are aligned, apart, off the null page and below external memory
(semantics/layout.py gives one such placement; a proof holds for all of them).
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.semantics.layout import NULL_PAGE, external_base, external_end, gap
from counterpoint.semantics.objects import RAW, MemoryObject, Target, World
from counterpoint.semantics.pointers import Resolver, may_touch, mentioned_objects
from counterpoint.semantics.summary import placement
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import V

MAX_PAIRS = 64
"""Pairs of targets that a comparison of pointers looks at one by one."""


MAX_PLACED = 64
"""Objects whose bases are kept apart; nothing is known about further ones, which is sound."""


def address_axioms(world: World, indices: Iterable[int], known: Iterable[int] = ()) -> list[V]:
    """Where the bases of these objects may lie, without what `known` already got. Quadratic.

    Only objects below a size of which MAX_PLACED surely fit into memory are placed, so the axioms can always
    be satisfied and no run is assumed away because an allocation is large. Of objects in summaries nothing is said
    here: two entries may be the same object, and a call that is over may have made it (see summary.py).
    """
    axioms: list[V] = []
    settled = [index for index in sorted(known) if _one_by_one(world.objects[index])]
    placed = [index for index in settled if _size_known_small(world, index) != 0][:MAX_PLACED]
    for index in sorted(set(indices) - set(known)):
        if not _one_by_one(world.objects[index]):
            continue
        small = _size_known_small(world, index)
        if small == 0 or len(placed) >= MAX_PLACED:
            continue
        thing = world.objects[index]
        facts = [_in_range(world, thing), *(_apart(world, thing, world.objects[other]) for other in placed)]
        axioms.append(build.implies(small, build.conjunction(facts)))
        placed.append(index)
    return axioms


def _one_by_one(thing: MemoryObject) -> bool:
    """No other entry is the same object."""
    return not thing.summary and thing.block_of < 0


def _room(world: World) -> int:
    bits = world.pointer_bits
    return external_base(bits) - gap(bits) - NULL_PAGE


def _size_known_small(world: World, index: int) -> V:
    """The object is small enough for MAX_PLACED of its kind to have room, gaps included."""
    limit = _room(world) // (4 * MAX_PLACED)
    return build.ule(world.objects[index].size, limit, world.pointer_bits)


def _in_range(world: World, thing: MemoryObject) -> V:
    """Aligned, off the null page, and ending below external memory."""
    if world.past is not None:
        return placement(world, thing.index)
    bits, base = world.pointer_bits, world.base(thing.index)
    aligned = build.eq(build.bvand(base, max(1, thing.alignment) - 1, bits), 0, bits)
    room = _room(world) - _room(world) // (4 * MAX_PLACED)
    inside = build.ule(build.sub(base, NULL_PAGE, bits), room, bits)
    return build.and_(aligned, inside)


def _apart(world: World, one: MemoryObject, two: MemoryObject) -> V:
    """No byte in common and, but where the program could see whether they touch, no one-past-the-end address; said
    where both are small."""
    bits = world.pointer_bits
    below = build.ule if may_touch(world) else build.ult

    def before(a: MemoryObject, b: MemoryObject) -> V:
        end = build.add(world.base(a.index), a.size, bits)
        return below(end, world.base(b.index), bits)

    both = build.and_(_size_known_small(world, one.index), _size_known_small(world, two.index))
    return build.implies(both, build.or_(before(one, two), before(two, one)))


def pointers_equal(resolver: Resolver, left: V, right: V) -> V:
    """left = right, using that objects lie apart wherever the offsets are known to be in bounds."""
    bits = resolver.world.pointer_bits
    if isinstance(left, int) and isinstance(right, int):
        return int(left == right)
    if not mentioned_objects(left) and not mentioned_objects(right):
        return build.eq(left, right, bits)
    ones, twos = resolver.targets(left), resolver.targets(right)
    if len(ones) * len(twos) > (MAX_PAIRS if resolver.world.past is None else 1):
        return build.eq(left, right, bits)
    result: V = 0
    for one in ones:
        for two in twos:
            both = build.and_(one[0], two[0])
            if both != 0:
                result = build.or_(result, build.and_(both, _same(resolver.world, one, two)))
    return result


def pointer_below(resolver: Resolver, left: V, right: V) -> V:
    """left < right as unsigned numbers."""
    bits = resolver.world.pointer_bits
    ones, twos = resolver.targets(left), resolver.targets(right)
    if len(ones) == len(twos) == 1 and ones[0][1] == twos[0][1] != RAW:
        size = resolver.world.objects[ones[0][1]].size
        if build.and_(build.ule(ones[0][2], size, bits), build.ule(twos[0][2], size, bits)) == 1:
            return build.ult(ones[0][2], twos[0][2], bits)
    by_address = build.ult(left, right, bits)
    if not may_be_apart(resolver.world, left, right):
        return by_address
    one, two = base_of(resolver, left), base_of(resolver, right)
    in_one = build.disjunction([build.eq(one, 0, bits), build.eq(two, 0, bits), build.eq(one, two, bits)])
    return build.ite(in_one, by_address, _any_order(resolver.world, left, right), BOOL)


def may_be_apart(world: World, left: V, right: V) -> bool:
    """Whether the order of two addresses may be that of different objects, in an encoding with a past."""
    mentioned = mentioned_objects(left) | mentioned_objects(right)
    one = len(mentioned) < 2 and all(_one_by_one(world.objects[index]) for index in mentioned)
    return world.past is not None and not one


def base_of(resolver: Resolver, pointer: V) -> V:
    """Where the pointer's object begins; 0 if there is none."""
    world = resolver.world
    base: V = 0
    for guard, index, _ in resolver.targets(pointer):
        if index != RAW:
            base = build.ite(guard, world.base(index), base, BitVec(world.pointer_bits))
    return base


def _any_order(world: World, left: V, right: V) -> V:
    """How two objects lie is arbitrary, although encodings with a past make them one behind another."""
    orders = world.orders
    if ("", left, right) not in orders:
        orders["", left, right] = world.unknown(BOOL, "order")
        orders["", right, left] = build.not_(orders["", left, right])
    return orders["", left, right]


def _same(world: World, one: Target, two: Target) -> V:
    bits = world.pointer_bits
    if one[1] == two[1]:
        return build.eq(one[2], two[2], bits)
    if _inside(world, one) and _inside(world, two):
        return 0
    return build.eq(_address(world, one), _address(world, two), bits)


def _inside(world: World, target: Target) -> bool:
    """The target lies where nothing else is: in its object (or one past), on the null page, or external."""
    _, index, offset = target
    bits = world.pointer_bits
    if index != RAW:
        return build.ule(offset, world.objects[index].size, bits) == 1
    if not isinstance(offset, int):
        return False
    return offset < NULL_PAGE or external_base(bits) <= offset < external_end(bits)


def _address(world: World, target: Target) -> V:
    _, index, offset = target
    return offset if index == RAW else build.add(world.base(index), offset, world.pointer_bits)
