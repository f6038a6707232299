"""Objects that may touch: one past the last byte of one, another may begin. In all encodings they lie apart; so such a
pointer and one to the other's start compare as equal or not, whichever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.semantics.addresses import base_of, may_be_apart
from counterpoint.semantics.objects import RAW, Target, World
from counterpoint.semantics.pointers import Resolver, mentioned_objects
from counterpoint.static.ends import comparisons_at_ends, number_uses
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V

COMPARISONS: Final = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})

_TRUE_OF_EQUALS: Final = frozenset({"eq", "ule", "sle"})

_MAX_PAIRS: Final = 64
"""Pairs of targets that are looked at one by one."""


def or_touching(i: m.Compute, values: Sequence[V], result: V, resolver: Resolver) -> V:
    """The result of a comparison of pointers, or of numbers as wide as these, one of COMPARISONS."""
    left, right = values
    if isinstance(left, int) or isinstance(right, int) or left is right:
        return result
    if not mentioned_objects(left) or not mentioned_objects(right) or not _asked(i, resolver.world):
        return result
    numbers = not isinstance(i.operands[0].type, PointerType)
    touching = _touching(left, right, resolver, numbers)
    if touching == 0:
        return result
    if i.operation in _TRUE_OF_EQUALS:
        return build.or_(result, touching)
    return build.and_(result, build.not_(touching))


def touching_distance(i: m.Compute, values: Sequence[V], result: V, resolver: Resolver) -> V:
    """The difference of two numbers as wide as pointers, also where their objects touch, if nothing but comparisons
    sees it. Encodings with a past know no distance of different objects anyway (low_bits.any_distance)."""
    world, (left, right) = resolver.world, values
    bits = world.pointer_bits
    if id(i) not in number_uses(world.program).compared:
        return result
    if world.past is not None or i.result.type.bits != bits or isinstance(left, int) or isinstance(right, int):
        return result
    if not mentioned_objects(left) or not mentioned_objects(right):
        return result
    ones, twos = resolver.targets(left), resolver.targets(right)
    if len(ones) * len(twos) > _MAX_PAIRS:
        in_one = build.eq(base_of(resolver, left), base_of(resolver, right), bits)
        return build.ite(in_one, result, world.unknown(BitVec(bits), "distance"), BitVec(bits))
    for one in ones:
        for two in twos:
            if one[1] == two[1] or not _is_object(one, world) or not _is_object(two, world):
                continue
            behind, before = world.unknown(BOOL, "touching"), world.unknown(BOOL, "touching")
            between = build.sub(one[2], two[2], bits)
            after = build.sub(between, world.objects[one[1]].size, bits)
            further = build.add(between, world.objects[two[1]].size, bits)
            here = build.and_(one[0], two[0])
            result = build.ite(build.and_(here, behind), further, result, BitVec(bits))
            result = build.ite(build.and_(here, before), after, result, BitVec(bits))
    return result


def _asked(i: m.Compute, world: World) -> bool:
    """In encodings with a past pointers that never come to an end of an object are told by the text. Numbers that may
    become pointers would have to become ones into the object that they touch."""
    type_ = i.operands[0].type
    if not isinstance(type_, PointerType):
        return (type_.bits == world.pointer_bits or world.past is not None) and not number_uses(world.program).made
    past = world.past
    return past is None or past.points is None or id(i) in comparisons_at_ends(past.points)


def _touching(left: V, right: V, resolver: Resolver, numbers: bool) -> V:
    """One is at the end of an object, the other at the start of another, and these touch. Numbers meet there too when
    one is as far from the end as the other from the start, and those of which the structure does not show how far that
    is may be anything: without a past the objects themselves may touch then (addresses.py)."""
    world = resolver.world
    if numbers and world.past is not None and not (_is_followed(left, resolver) and _is_followed(right, resolver)):
        meeting: V = 1 if may_be_apart(world, left, right) else 0
    else:
        ones, twos = resolver.targets(left), resolver.targets(right)
        few = len(ones) * len(twos) <= _MAX_PAIRS
        meeting = _pairwise(ones, twos, world, numbers) if few else 1 if numbers else _somewhere(ones, twos, world)
    if meeting == 0:
        return 0
    if (left, right) not in world.touching:
        world.touching[left, right] = world.touching[right, left] = world.unknown(BOOL, "touching")
    return build.and_(meeting, world.touching[left, right])


def _is_followed(number: V, resolver: Resolver) -> bool:
    """Whether it is as wide as a pointer and each of its cases is so far from the start of one object."""
    if not isinstance(number, Term) or number.sort != BitVec(resolver.world.pointer_bits):
        return False
    followed: list[V] = [number]
    while followed:
        term = followed.pop()
        if not isinstance(term, Term) or not mentioned_objects(term) or term.op in (Op.ADDRESS, Op.OWNED):
            continue
        if term.op is Op.ITE:
            followed += term.args[1:]
        elif term.op in (Op.ADD, Op.SUB) and sum(bool(mentioned_objects(arg)) for arg in term.args) == 1:
            if term.op is Op.SUB and not mentioned_objects(term.args[0]):
                return False
            followed += [arg for arg in term.args if mentioned_objects(arg)]
        else:
            return False
    return True


def _pairwise(ones: Sequence[Target], twos: Sequence[Target], world: World, numbers: bool) -> V:
    meets_at = _are_where_these_meet if numbers else _meets
    found: V = 0
    for one in ones:
        for two in twos:
            if _is_object(one, world) and _is_object(two, world):
                meets = build.or_(meets_at(one, two, world), meets_at(two, one, world))
                apart = 0 if meets == 0 else _are_different(one[1], two[1], world)
                found = build.or_(found, build.conjunction([one[0], two[0], apart, meets]))
    return found


def _somewhere(ones: Sequence[Target], twos: Sequence[Target], world: World) -> V:
    """As well of one object: more than can be."""
    ends = [build.disjunction([_at_end(target, world) for target in some]) for some in (ones, twos)]
    starts = [build.disjunction([_at_start(target, world) for target in some]) for some in (ones, twos)]
    return build.or_(build.and_(ends[0], starts[1]), build.and_(ends[1], starts[0]))


def _are_where_these_meet(one: Target, two: Target, world: World) -> V:
    """As far from the end of the one as from the start of the other."""
    end, bits = world.objects[one[1]], world.pointer_bits
    some = build.ne(end.size, 0, bits) if end.heap else 1
    return build.and_(some, build.eq(build.sub(one[2], end.size, bits), two[2], bits))


def _meets(one: Target, two: Target, world: World) -> V:
    end = _at_end((1, *one[1:]), world)
    return end if end == 0 else build.and_(end, _at_start((1, *two[1:]), world))


def _at_end(target: Target, world: World) -> V:
    """Blocks of the heap lie apart even if they are empty."""
    guard, index, offset = target
    if not _is_object(target, world):
        return 0
    thing, bits = world.objects[index], world.pointer_bits
    some = build.ne(thing.size, 0, bits) if thing.heap else 1
    return build.conjunction([guard, build.eq(offset, thing.size, bits), some])


def _at_start(target: Target, world: World) -> V:
    guard, _, offset = target
    return build.and_(guard, build.eq(offset, 0, world.pointer_bits)) if _is_object(target, world) else 0


def _is_object(target: Target, world: World) -> bool:
    return target[1] != RAW and not world.objects[target[1]].code


def _are_different(one: int, two: int, world: World) -> V:
    """Entries for blocks of a summary may be the same block."""
    if one == two:
        return 0
    if world.objects[one].block_of < 0 or world.objects[two].block_of < 0:
        return 1
    return build.ne(world.base(one), world.base(two), world.pointer_bits)
