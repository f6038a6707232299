"""What unrolling needs to know of a function's graph, computed once per function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from counterpoint.program import order as orders
from counterpoint.program.model import Compute, Function


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """Per block: `position` in the weak topological order, `heads` of the loops around it (outermost first,
    a head itself included), and `live_in` registers (without the block's parameters). `tests` are the
    instructions that compute the 1-bit values of branches, by register."""

    position: tuple[int, ...]
    heads: tuple[tuple[int, ...], ...]
    live_in: tuple[tuple[int, ...], ...]
    tests: Mapping[int, Compute]


_shapes: dict[int, tuple[Function, FunctionShape]] = {}


def shape_of(function: Function) -> FunctionShape:
    """The function's shape; remembered for as long as the process runs."""
    known = _shapes.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    order = orders.weak_topological_order(function)
    tests = {
        instruction.result.index: instruction
        for block in function.blocks
        for instruction in block.instructions
        if isinstance(instruction, Compute) and instruction.result.type.bits == 1
    }
    shape = FunctionShape(order.position, order.heads, orders.live_in(function), tests)
    _shapes[id(function)] = (function, shape)
    return shape
