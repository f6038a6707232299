"""Addresses as numbers in encodings with a past, where objects begin at multiples of 16, one behind another."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.program import model as m
from counterpoint.semantics.addresses import base_of, may_be_apart
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.semantics.objects import BeyondModel, World, sort_of
from counterpoint.semantics.pointers import Resolver, hiding, mentioned_objects
from counterpoint.static.low_bits import looks
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import V


def seen(i: m.Compute, values: Sequence[V], world: World) -> Sequence[V]:
    """The operands as the instruction may know them: arbitrary numbers for addresses, where its result hangs on where
    their objects lie.

    Raises BeyondModel where it may tell how an object is aligned, and C does not promise it.
    """
    past = world.past
    if past is None or past.points is None:
        return values
    found = looks(past.points)
    needed = found.low.get(id(i), 1)
    if needed > 1 and any(_alignment(world, index) < needed for value in values for index in mentioned_objects(value)):
        raise BeyondModel("the low bits of an address, of which C promises nothing")
    if id(i) not in found.placed:
        return values
    return [_anywhere(value, operand, world) for value, operand in zip(values, i.operands, strict=True)]


def _anywhere(value: V, operand: m.Value, world: World) -> V:
    """One arbitrary number for each that is made of an address."""
    mentioned = mentioned_objects(value)
    if not mentioned:
        return value
    if value not in world.anywhere:
        world.fresh += 1
        world.anywhere[value] = build.variable(hiding(f"placed!{world.fresh}", mentioned), sort_of(operand.type))
    return world.anywhere[value]


def any_order(i: m.Compute, values: Sequence[V], result: V, resolver: Resolver) -> V:
    """The result of a comparison: arbitrary where both sides are made of addresses that may be of different objects.

    Of which object a number is, is only seen of one that is an address. Two that are not may be equal, and come in
    another order as signed ones, so that no comparison tells anything of another.
    """
    world = resolver.world
    past, (left, right) = world.past, values
    if past is None or past.points is None or id(i) not in looks(past.points).ordered:
        return result
    if not may_be_apart(world, left, right):
        return result
    key = (i.operation, left, right)
    if key not in world.orders:
        world.orders[key] = world.unknown(BOOL, "order")
    in_one: V = 0
    if sort_of(i.operands[0].type) == BitVec(bits := world.pointer_bits):
        base = base_of(resolver, left)
        in_one = build.and_(build.ne(base, 0, bits), build.eq(base, base_of(resolver, right), bits))
    return build.ite(in_one, result, world.orders[key], BOOL)


def any_distance(i: m.Compute, values: Sequence[V], result: V, resolver: Resolver) -> V:
    """The result of a difference: arbitrary where both sides are made of addresses of different objects, although
    encodings with a past make them one behind another. Of which object a number is, is only seen of an address."""
    world = resolver.world
    past, (left, right) = world.past, values
    if past is None or past.points is None or id(i) not in looks(past.points).distances:
        return result
    ones, twos = mentioned_objects(left), mentioned_objects(right)
    if not ones or not twos:
        return result
    bits = i.result.type.bits
    if ones.isdisjoint(twos):
        return _distance(left, right, bits, world)
    if bits != world.pointer_bits or not may_be_apart(world, left, right):
        return result
    one, two = base_of(resolver, left), base_of(resolver, right)
    apart = [build.ne(one, 0, bits), build.ne(two, 0, bits), build.ne(one, two, bits)]
    return build.ite(build.conjunction(apart), _distance(left, right, bits, world), result, BitVec(bits))


def _distance(left: V, right: V, bits: int, world: World) -> V:
    distances = world.distances
    if (left, right) not in distances:
        world.fresh += 1
        name = hiding(f"distance!{world.fresh}", mentioned_objects(left) | mentioned_objects(right))
        distances[left, right] = build.variable(name, BitVec(bits))
        distances[right, left] = build.neg(distances[left, right], bits)
    return distances[left, right]


def _alignment(world: World, index: int) -> int:
    """What divides the object's base whatever compiler placed it; of a summary, the least of its objects'."""
    thing, past = world.objects[index], world.past
    assert past is not None and past.points is not None
    whole = thing.block_of if thing.block_of >= 0 else index if thing.summary else None
    if whole is None:
        return thing.alignment
    objects = past.points.objects
    made = [objects[number].allocation for number, place in past.places.items() if place == whole]
    return min((OBJECT_ALIGNMENT if a is None else a.alignment for a in made), default=OBJECT_ALIGNMENT)
