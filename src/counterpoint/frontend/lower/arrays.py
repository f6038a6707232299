"""The end of variable-length arrays: LLVM says where the stack is restored, Program which objects die."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.frontend.lower.body import Body, Mark
from counterpoint.program.graph import dominates, successors
from counterpoint.program.model import EndLife, Function, Register, Stop, Unsupported
from counterpoint.program.rebuild import pruned


def with_array_ends(function: Function, body: Body, order: dict[str, int]) -> Function:
    """Ends arrays where the stack is restored to a point before them.

    That can be written down if such an array was allocated exactly once between the saving and the
    restoring. Where it was not, an access to the dead array would pass for valid: if validity is what is
    checked, the array becomes Unsupported; else it lives until the function returns, which only matters
    to programs that are undefined in C.
    """
    ends: dict[tuple[int, int], list[EndLife]] = {}
    unclear: dict[int, int] = {}
    for array in body.dynamic:
        certain: list[Mark] = []
        doubtful: list[Mark] = []
        for restore in body.restores:
            exact = _ends_at(function, order, body.saves.get(str(restore.about)), array, restore)
            if exact and isinstance(array.about, Register):
                key = (order[restore.block], restore.index)
                if all(end.address != array.about for end in ends.setdefault(key, [])):
                    ends[key].append(EndLife(array.about, body.signature.at))
                certain.append(restore)
            elif exact is None:
                doubtful.append(restore)
        if any(_comes_to(function, order, array, restore, certain) for restore in doubtful):
            block = order[array.block]
            unclear[block] = min(array.index, unclear.get(block, array.index))
    if not any(check.kind.startswith("valid-") for check in body.context.checks):
        unclear = {}
    blocks = list(function.blocks)
    for (index, position), instructions in sorted(ends.items(), key=lambda item: item[0], reverse=True):
        if index not in unclear or position < unclear[index]:
            old = blocks[index].instructions
            blocks[index] = replace(blocks[index], instructions=(*old[:position], *instructions, *old[position:]))
            if index in unclear:
                unclear[index] += len(instructions)
    for index, position in unclear.items():
        what = "a variable-length array that several places may end"
        site = body.context.new_site("unsupported", what, "", body.signature.at)
        cut = (*blocks[index].instructions[:position], Unsupported(site, body.signature.at))
        blocks[index] = replace(blocks[index], instructions=cut, terminator=Stop(body.signature.at))
    changed = replace(function, blocks=tuple(blocks))
    return pruned(changed) if unclear else changed


def _ends_at(function: Function, order: dict[str, int], save: Mark | None, array: Mark, restore: Mark) -> bool | None:
    """Whether the restore ends the array; None if it may and that depends on the run."""
    start, end = order[array.block], order[restore.block]
    if save is None:
        return None if start == end or end in _reachable(function, start, set()) else False
    barrier = order[save.block]
    if barrier == end and save.index <= restore.index:
        return start == end and save.index <= array.index <= restore.index
    if start == barrier and array.index < save.index:
        return False  # every way from it to the restore comes by the save
    reached = _reachable(function, start, {barrier})
    if end not in reached and not (start == end and array.index <= restore.index):
        return False
    if not _before(function, order, save, array):
        return None if start in _reachable(function, barrier, set()) else False
    once = start == barrier or start not in reached
    return True if once and _before(function, order, array, restore) else None


def _comes_to(function: Function, order: dict[str, int], array: Mark, restore: Mark, ended: list[Mark]) -> bool:
    """Whether a way from the array to the restore passes none of the places where it has ended."""
    start, end = order[array.block], order[restore.block]
    barriers = {order[mark.block] for mark in ended}
    if any(mark.block == array.block and mark.index >= array.index for mark in ended):
        return False
    if start == end and array.index <= restore.index:
        return True
    first = min((mark.index for mark in ended if mark.block == restore.block), default=restore.index)
    return end in _reachable(function, start, barriers) and restore.index <= first


def _before(function: Function, order: dict[str, int], first: Mark, second: Mark) -> bool:
    """Every path to `second` has come by `first`."""
    if first.block == second.block:
        return first.index <= second.index
    return dominates(function, order[first.block], order[second.block])


def _reachable(function: Function, start: int, barriers: set[int]) -> set[int]:
    """The blocks that come after `start` without a way through one of `barriers` (which may end it)."""
    targets = successors(function)
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for target in targets[waiting.pop()]:
            if target not in found:
                found.add(target)
                if target not in barriers:
                    waiting.append(target)
    return found
