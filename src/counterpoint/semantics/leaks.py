"""Blocks that are never freed: NoLeak."""

from __future__ import annotations

from counterpoint.semantics.contents import Cells
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import RAW, BeyondModel
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.reached import lost
from counterpoint.semantics.stored import as_bits
from counterpoint.term import build
from counterpoint.term.term import V


def no_leak(memory: Memory, reachable_ok: bool) -> V:
    """NoLeak. Reachability is the least fixpoint over stored pointers, from memory outside of the program too, which is
    live and no heap block; in an encoding with a past, part of it."""
    world = memory.shared.world
    if world.past is not None:
        return build.not_(lost(memory, (), reachable=reachable_ok))
    heap = [o.index for o in world.objects if o.heap and memory.alive.get(o.index, 0) != 0]
    if not reachable_ok:
        return build.conjunction([build.not_(memory.alive[index]) for index in heap])
    if not heap:
        return 1
    reached: dict[int, V] = dict.fromkeys(heap, 0)
    points = {i: _pointers_in(memory, i) for i, live in memory.alive.items() if live != 0}
    for guard, index in _pointers_in(memory, RAW) if RAW in memory.contents else ():
        if index in reached:
            reached[index] = build.or_(reached[index], guard)
    for source, targets in points.items():
        if not world.objects[source].heap:
            for guard, index in targets:
                if index in reached:
                    reached[index] = build.or_(reached[index], build.and_(memory.alive[source], guard))
    for _ in heap:
        before = dict(reached)
        for source in heap:
            for guard, index in points[source]:
                if index in reached:
                    via = build.and_(before[source], build.and_(memory.alive[source], guard))
                    reached[index] = build.or_(reached[index], via)
        if before == reached:
            break
    return build.conjunction([build.or_(build.not_(memory.alive[i]), reached[i]) for i in heap])


def _pointers_in(memory: Memory, index: int) -> list[tuple[V, int]]:
    """(guard, object) of every pointer stored in the object's cells that points into its object, or one past it.

    A pointer begins where one of its bytes is kept, whole or as the first of several cells.
    """
    world = memory.shared.world
    width = world.pointer_bits // 8
    contents = memory.contents[index]
    if not isinstance(contents, Cells):
        if mentioned_objects(contents.term):
            raise BeyondModel("leak check with pointers in an array of unknown shape")
        return []
    found: list[tuple[V, int]] = []
    for start, (length, value) in sorted(contents.map.items()):
        if not mentioned_objects(as_bits(value)):
            continue
        if length > width:
            raise BeyondModel("leak check with pointers in wide integers")
        size = world.objects[index].size if index != RAW else None
        if isinstance(size, int) and start + width > size:
            continue
        for guard, i, offset in memory.shared.resolver.targets(as_bits(contents.read(start, width, world))):
            if i != RAW:
                inside = build.ule(offset, world.objects[i].size, world.pointer_bits)
                found.append((build.and_(guard, inside), i))
    return found
