"""Loops that cannot be left and in which nothing can be observed: a run that enters one is as good as over."""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.program.graph import Loop
from counterpoint.program.order import results

_QUIET = (m.Compute, m.Offset, m.Load, m.Store, m.Fill, m.Copy, m.Havoc, m.Nondet, m.Assume, m.BeginLife, m.EndLife)


def endless(function: m.Function, loop: Loop) -> bool:
    """No edge leaves the loop once it was taken around: there is none, or all ask what the loop does not change
    and a run inside has found it to stay. Nothing inside can fail, end, or be without a meaning."""
    inside = set(loop.blocks)
    changed: set[int] = set()
    for index in loop.blocks:
        block = function.blocks[index]
        if not block.edges or not all(isinstance(i, _QUIET) for i in block.instructions):
            return False
        changed.update(p.index for p in block.parameters)
        for instruction in block.instructions:
            changed.update(register.index for register in results(instruction))
    return not any(edge.target not in inside for index in loop.blocks for edge in function.blocks[index].edges)
