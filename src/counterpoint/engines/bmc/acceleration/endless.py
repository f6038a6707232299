"""Loops that cannot be left and in which nothing can be observed: a run that enters one is as good as over.

Source: [srtool, section V.2]: a loop whose condition reads nothing that the loop changes.
"""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.program.graph import Loop
from counterpoint.program.order import operands, results

_QUIET = (
    m.Compute, m.Offset, m.Load, m.Store, m.Fill, m.Copy, m.Havoc, m.Nondet, m.Assume, m.BeginLife, m.EndLife, m.Hint,
)  # fmt: skip


def endless(function: m.Function, loop: Loop) -> bool:
    """No edge leaves the loop, and nothing in it can fail, end, or be without a meaning."""
    return _quiet(function, loop) and not _leaving(function, loop)


def endless_once_entered(function: m.Function, loop: Loop) -> bool:
    """The loop is left at its head only, by a test of values that it does not change: at once, or never. Nothing
    in it can fail, end, or be without a meaning."""
    leaving = _leaving(function, loop)
    if not loop.natural or not leaving or not _quiet(function, loop):
        return False
    head = function.blocks[loop.head]
    if any(edge not in head.edges for edge in leaving):
        return False
    fixed = _fixed(function, loop)
    return all(edge.guard.value in fixed or not isinstance(edge.guard.value, m.Register) for edge in head.edges)


def _quiet(function: m.Function, loop: Loop) -> bool:
    blocks = [function.blocks[index] for index in loop.blocks]
    return all(block.edges and all(isinstance(i, _QUIET) for i in block.instructions) for block in blocks)


def _leaving(function: m.Function, loop: Loop) -> list[m.Edge]:
    inside = set(loop.blocks)
    return [edge for index in loop.blocks for edge in function.blocks[index].edges if edge.target not in inside]


def _fixed(function: m.Function, loop: Loop) -> set[m.Value]:
    """Registers with one value at all visits of the head: made before the loop, or computed there from such."""
    changing: set[m.Value] = set()
    for index in loop.blocks:
        block = function.blocks[index]
        changing.update(block.parameters)
        for instruction in block.instructions:
            changing.update(results(instruction))
    fixed: set[m.Value] = set(function.parameters)
    fixed.update(r for block in function.blocks for i in block.instructions for r in results(i) if r not in changing)
    fixed.update(p for block in function.blocks for p in block.parameters if p not in changing)
    for instruction in function.blocks[loop.head].instructions:
        if isinstance(instruction, m.Compute) and all(
            operand in fixed for operand in operands(instruction) if isinstance(operand, m.Register)
        ):
            fixed.add(instruction.result)
    return fixed
