"""Pointers and objects from before the start of an encoding (docs/decisions/0001-cut-points.md).

An encoding that starts in the middle of a run (`World.past`) knows some objects one by one; all others are in
*summaries*: one array of contents over the full address, one of liveness over base addresses, one of sizes.
A pointer from before is a variable that hides objects (pointers.hiding). It belongs to the object whose
bytes, or one past them, it points at; where it points at none, to any one that it hides, or to none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from counterpoint.program.model import Constant
from counterpoint.semantics.layout import (
    NULL_PAGE,
    OBJECT_ALIGNMENT,
    external_base,
    external_end,
    largest_object,
    objects_end,
)
from counterpoint.semantics.objects import RAW, MemoryObject, Target, World
from counterpoint.static.pointer_slots import pointed_at
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

MAX_APART = 24
MANY_BLOCKS, FEW_APART = 96, 4
"""Blocks of summaries that are said to lie apart, fewer for each where there are many; nothing is said about further
ones, which is sound."""

MOST_DISTANCES, MAX_DISTANCE = 3, 1 << 16
"""Bytes between the start of an object and where pointers point into it, that are looked at."""

LIVE = 1
"""The element of a liveness array (8 bits) at the base address of a live object; 0 everywhere else."""


def liveness_of(summary: int) -> int:
    """The object number under which Memory.contents keeps the liveness array of a summary."""
    return summary + 1


def earlier_targets(world: World, term: Term, hidden: Sequence[int]) -> tuple[Target, ...]:
    """The targets (objects.Target) of a pointer of which only the objects that it hides are known."""
    bits = world.pointer_bits
    places: list[tuple[int, V, V]] = []
    for index in hidden:
        thing = world.objects[index]
        if thing.summary:
            index = _block(world, term, index, hidden)
            thing = world.objects[index]
        offset = build.sub(term, world.base(index), bits)
        inside = build.ule(offset, thing.size, bits)
        if thing.block_of >= 0:
            inside = build.and_(was_live(world, thing.block_of, thing.start), inside)
        places.append((index, offset, inside))
    low, high = external_base(bits), external_end(bits)
    outside = build.ult(build.sub(term, low, bits), high - low, bits)
    raw = build.or_(build.ult(term, NULL_PAGE, bits), outside)
    left = build.not_(raw)
    guards: list[V] = []
    for _, _, inside in places:
        guards.append(build.and_(left, inside))
        left = build.and_(left, build.not_(inside))
    for number in range(len(places)):
        mine = world.unknown(BOOL, "owner")
        guards[number] = build.or_(guards[number], build.and_(left, mine))
        left = build.and_(left, build.not_(mine))
    found = [(guard, index, offset) for guard, (index, offset, _) in zip(guards, places, strict=True)]
    return (*(target for target in found if target[0] != 0), (build.or_(raw, left), RAW, term))


def was_live(world: World, summary: int, start: V) -> V:
    """A live object of the summary has begun there at the start of the encoding or behind a call by contract. Addresses
    are not used twice, so that it is the same object whenever that was."""
    assert world.past is not None
    return build.disjunction([build.eq(build.select(live, start), LIVE, 8) for live, _ in world.past.live[summary]])


def counter_now(world: World, made: bool = True) -> V:
    """An address above every object made so far: past.counter, then what objects made and calls say, each on its
    path; without `made`, as far as calls say. On the path of a run these come in the order of the run."""
    past, bits = world.past, world.pointer_bits
    assert past is not None
    counter, following = past.counter, 0
    objects = list(world.made.items()) if made else []
    for before, path, later in [*past.calls, (len(objects), 0, past.counter)]:
        for index, (_, on) in objects[following:before]:
            end = build.add(world.base(index), world.objects[index].size, bits)
            counter = build.ite(on, build.add(end, 1, bits), counter, BitVec(bits))
        following = before
        counter = build.ite(path, later, counter, BitVec(bits))
    return counter


def call_returned(world: World, path: V, name: str) -> None:
    """A call by contract that may have made objects is over: those made from now on lie above them."""
    past, bits = world.past, world.pointer_bits
    assert past is not None
    later = build.variable(name, BitVec(bits))
    world.axiom(build.ule(counter_now(world), later, bits))
    world.axiom(build.ule(later, objects_end(bits) + 1, bits))
    past.calls.append((len(world.made), path, later))


def block_at(world: World, start: Term, summary: int) -> int:
    """The entry for the object of the summary that begins there, if one does; else for an arbitrary one."""
    return _block(world, start, summary, ())


def _block(world: World, term: Term, summary: int, hidden: Sequence[int]) -> int:
    """The entry for the object of the summary that `term` points into.

    Its base is `term` if a live object starts there, or lies one of the usual distances below if one starts there that
    is so large, else arbitrary, so that the right one is among the choices; bases are aligned (layout.py), which also
    lets accesses find whole array elements.
    """
    past = world.past
    assert past is not None
    known = past.blocks.get((term, summary))
    if known is not None:
        return known
    bits = world.pointer_bits
    whole = world.objects[summary]
    here = was_live(world, summary, term)
    guess: V = world.unknown(BitVec(bits), "block")
    for distance in _distances(world, summary, term):
        below = build.sub(term, distance, bits)
        large = build.ule(distance, size_at(world, summary, below), bits)
        there = build.and_(was_live(world, summary, below), large)
        guess = build.ite(there, below, guess, BitVec(bits))
        world.axiom(build.implies(there, build.eq(build.bvand(below, OBJECT_ALIGNMENT - 1, bits), 0, bits)))
    guess = build.ite(here, term, guess, BitVec(bits))
    start = build.bvand(guess, -OBJECT_ALIGNMENT & ((1 << bits) - 1), bits)
    size = size_at(world, summary, start)
    made = world.add_object(
        lambda index: MemoryObject(
            index, whole.origin, size, OBJECT_ALIGNMENT, heap=whole.heap, block_of=summary, start=start,
            constant_parts=whole.constant_parts,
        )
    )
    world.axiom(build.implies(here, build.eq(build.bvand(term, OBJECT_ALIGNMENT - 1, bits), 0, bits)))
    for live, counter in past.live[summary]:
        below = build.ult(size, build.sub(counter, start, bits), bits)
        placed = build.conjunction([build.ule(NULL_PAGE, start, bits), build.ult(start, counter, bits), below])
        world.axiom(build.implies(build.eq(build.select(live, start), LIVE, 8), placed))
    _keep_apart(world, made, hidden)
    past.blocks[term, summary] = made.index
    return made.index


def size_at(world: World, summary: int, start: V) -> V:
    """The bytes of the summary's object that begins there, if one does: a constant where all allocations of its objects
    have the same."""
    past = world.past
    assert past is not None
    known = _constant_sizes(world, summary)
    if len(known) == 1 and None not in known:
        return next(size for size in known if size is not None)
    return build.select(past.sizes[summary], start)


def _constant_sizes(world: World, summary: int) -> set[int | None]:
    """The bytes of the objects that the summary may have, as their allocations say; None: of one that varies."""
    past = world.past
    assert past is not None
    if past.points is None:
        return {None}
    made = [past.points.objects[number].allocation for number, place in past.places.items() if place == summary]
    return {None if a is None or not isinstance(a.size, Constant) else a.size.bits for a in made}


def _distances(world: World, summary: int, term: Term) -> list[int]:
    """The few distances from the start, but 0, at which stored pointers point into objects of the summary, or the
    pointer itself does. They are where a block is looked for: nothing rests on what is missing or too much."""
    past = world.past
    assert past is not None and past.points is not None
    numbers = {number for number, place in past.places.items() if place == summary}
    found: set[int] = set()
    for number, distances in (*pointed_at(past.points).items(), *past.near.get(term, {}).items()):
        if number in numbers and distances is not None:
            found |= distances
    return sorted(distance for distance in found if 0 < distance < MAX_DISTANCE)[:MOST_DISTANCES]


def _keep_apart(world: World, made: MemoryObject, hidden: Sequence[int]) -> None:
    """Live objects have no byte, and no address one past the end, in common."""
    past = world.past
    assert past is not None
    live = was_live(world, made.block_of, made.start)
    most = MAX_APART if len(past.blocks) < MANY_BLOCKS else FEW_APART
    for index in islice(past.blocks.values(), most):
        other = world.objects[index]
        both = build.and_(live, was_live(world, other.block_of, other.start))
        world.axiom(build.implies(both, _same_or_apart(world, made, other)))
    others = [index for index in hidden if index in past.earlier]
    if past.calls:  # below which counter it lies, is known from its liveness; of these objects only above which
        others += [index for index in world.made if index in hidden]
    for index in others[:most]:
        both = build.and_(live, _may_lie_somewhere(world, index))
        world.axiom(build.implies(both, apart(world, made.index, index)))


def _same_or_apart(world: World, made: MemoryObject, other: MemoryObject) -> V:
    """The same block, or apart. Both begin at multiples of OBJECT_ALIGNMENT, so that small ones are apart if these are
    not the same."""
    bits = world.pointer_bits
    small = all(isinstance(thing.size, int) and thing.size < OBJECT_ALIGNMENT for thing in (made, other))
    if small:
        return 1 if made.block_of == other.block_of else build.ne(made.start, other.start, bits)
    same = build.eq(made.start, other.start, bits) if made.block_of == other.block_of else 0
    return build.or_(same, apart(world, made.index, other.index))


def _may_lie_somewhere(world: World, index: int) -> V:
    """The object fits into memory, and is made on the path if the encoding makes it. Where it is not made its size can
    be any number, for which there may be no base apart from all others: nothing may be said of it there."""
    bits = world.pointer_bits
    fits = build.ule(world.objects[index].size, largest_object(bits), bits)
    return build.and_(fits, world.made[index][1]) if index in world.made else fits


def blocks_placed(world: World, starts: Sequence[V], others: Sequence[V]) -> list[V]:
    """Where live objects of summaries lie that begin at these addresses, if they do: what `_block` says of its own.
    Those at `starts` are apart from one another and from those at `others`."""
    past, bits = world.past, world.pointer_bits
    if past is None:
        return []
    found: list[V] = []
    known = [*starts, *(other for other in others if other not in starts)][:MAX_APART]
    for summary, versions in past.live.items():
        for start in known:
            aligned = build.eq(build.bvand(start, OBJECT_ALIGNMENT - 1, bits), 0, bits)
            for live, counter in versions:
                below = build.ult(size_at(world, summary, start), build.sub(counter, start, bits), bits)
                placed = [aligned, build.ule(NULL_PAGE, start, bits), build.ult(start, counter, bits), below]
                there = build.eq(build.select(live, start), LIVE, 8)
                found.append(build.implies(there, build.conjunction(placed)))
        for number, one in enumerate(known[: len(starts)]):
            for other in past.live:
                for two in known[number + 1 :]:
                    both = build.and_(was_live(world, summary, one), was_live(world, other, two))
                    found.append(build.implies(both, _blocks_apart(world, (summary, one), (other, two))))
    return [axiom for axiom in found if axiom != 1]


def _blocks_apart(world: World, one: tuple[int, V], two: tuple[int, V]) -> V:
    """The same block of a summary, or apart, as is said of live ones: they begin at multiples of OBJECT_ALIGNMENT."""
    past, bits = world.past, world.pointer_bits
    assert past is not None
    (first, a), (second, b) = one, two
    same = build.eq(a, b, bits) if first == second else 0
    if _is_small(world, first) and _is_small(world, second):
        return 1 if first == second else build.ne(a, b, bits)
    forth = build.ult(size_at(world, first, a), build.sub(b, a, bits), bits)
    back = build.ult(size_at(world, second, b), build.sub(a, b, bits), bits)
    return build.or_(same, build.and_(forth, back))


def _is_small(world: World, summary: int) -> bool:
    """Its objects are all made with so few bytes that two of them cannot meet."""
    return all(size is not None and size < OBJECT_ALIGNMENT for size in _constant_sizes(world, summary))


def apart(world: World, one: int, two: int) -> V:
    """Neither object begins inside, or one past the end of, the other."""
    bits = world.pointer_bits
    a, b = world.base(one), world.base(two)
    forth = build.ult(world.objects[one].size, build.sub(b, a, bits), bits)
    back = build.ult(world.objects[two].size, build.sub(a, b, bits), bits)
    return build.and_(forth, back)


def placement(world: World, index: int) -> V:
    """Where an object lies in an encoding with a past: below the counter if it is from before, else above."""
    past, bits = world.past, world.pointer_bits
    assert past is not None
    thing, base = world.objects[index], world.base(index)
    alignment = max(OBJECT_ALIGNMENT, thing.alignment)
    aligned = build.eq(build.bvand(base, alignment - 1, bits), 0, bits)
    if index in world.made:
        room = build.ule(thing.size, build.sub(objects_end(bits), base, bits), bits)
        floor = past.floors.get(index, past.counter)
        above = build.and_(build.ule(floor, base, bits), build.ule(base, objects_end(bits), bits))
        return build.implies(world.made[index][1], build.conjunction([aligned, above, room]))
    below = build.ult(thing.size, build.sub(past.counter, base, bits), bits)
    placed = [aligned, build.ule(NULL_PAGE, base, bits), build.ult(base, past.counter, bits), below]
    return build.conjunction(placed)
