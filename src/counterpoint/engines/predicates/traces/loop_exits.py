"""Where the ways out of a loop meet again, in front of the next place, of a failing check, or of a call."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.engines.predicates.traces.effects import doomed
from counterpoint.program import model as m
from counterpoint.program.graph import loops, postorder, successors
from counterpoint.regions.locations import Locations


def exits(where: Locations, function: m.Function, source: int) -> tuple[int, ...]:
    """Where runs go on that leave loops around the block `source` and do not surely fail then, but for places; outer
    loops' first."""
    failing = doomed(where.points, function)
    around = [loop for loop in loops(function) if source in loop.blocks]
    left = (b for loop in around for block in loop.blocks for b in successors(function)[block] if b not in loop.blocks)
    return tuple(dict.fromkeys(b for b in left if b not in failing and not where.is_place(function.name, b)))


def exits_on_the_way(where: Locations, function: m.Function, source: int, targets: Sequence[int]) -> tuple[int, ...]:
    """For each loop around the block `source` that holds none of the `targets`, outer ones first: the first block
    behind it that all runs meet on their way from `source` to a target over no place.

    Linear in the function. Between places there is no cycle, so what no edge of the order jumps over is met by all.
    """
    left = [loop for loop in loops(function) if source in loop.blocks and not set(targets) & set(loop.blocks)]
    if not left:
        return ()
    order = _on_the_way(where, function, source, targets)
    position = {block: number for number, block in enumerate(order)}
    after = successors(function)
    furthest, joints = 0, list[int]()
    for number, block in enumerate(order):
        if number and furthest <= number:
            joints.append(block)
        ways = [position[b] for b in after[block] if b in position]
        if _ends(where, function, block, targets):
            ways.append(len(order))
        furthest = max([furthest, *ways])
    found: dict[int, None] = {}
    for loop in left:
        behind = next((block for block in joints if block not in loop.blocks), None)
        if behind is not None:
            found[behind] = None
    return tuple(found)


def failing_blocks(where: Locations, function: m.Function, source: int) -> tuple[int, ...]:
    """The blocks with a check, of their own or in a call that is walked through, up to the next places."""
    return tuple(block for block in _up_to_places(where, function, source) if _checks(where, function.blocks[block]))


def calling_blocks(where: Locations, function: m.Function, source: int, callee: str) -> tuple[int, ...]:
    """The blocks that call it themselves, up to the next places."""
    blocks = ((block, function.blocks[block].instructions) for block in _up_to_places(where, function, source))
    return tuple(block for block, code in blocks if any(isinstance(i, m.Call) and i.callee == callee for i in code))


def _checks(where: Locations, block: m.Block) -> bool:
    return any(
        isinstance(i, m.Check | m.Unsupported) or (isinstance(i, m.Call) and i.callee in where.checking)
        for i in block.instructions
    )


def _up_to_places(where: Locations, function: m.Function, source: int) -> list[int]:
    """The blocks that follow over no place; each before those that follow it."""
    after = successors(function)
    inner = [[b for b in edges if b != source and not where.is_place(function.name, b)] for edges in after]
    return postorder(inner, source)[::-1]


def _on_the_way(where: Locations, function: m.Function, source: int, targets: Sequence[int]) -> list[int]:
    """The blocks from which a target follows, in an order in which runs meet them; targets that are places left out."""
    after = successors(function)
    order = _up_to_places(where, function, source)
    useful: set[int] = set()
    for block in reversed(order):
        if _ends(where, function, block, targets) or any(b in useful for b in after[block]):
            useful.add(block)
    return [block for block in order if block in useful]


def _ends(where: Locations, function: m.Function, block: int, targets: Sequence[int]) -> bool:
    """It is a target that is no place, or in front of one that is."""
    return block in targets or any(
        b in targets and where.is_place(function.name, b) for b in successors(function)[block]
    )
