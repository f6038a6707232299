"""What a walk needs to know of a function's graph, computed once per function."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program import order as orders
from counterpoint.program.model import Compute, Function
from counterpoint.semantics.objects import sort_of
from counterpoint.term.sorts import ScalarSort


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """Per block: `position` in the weak topological order, `heads` of the loops around it (outermost first,
    a head itself included), `live_in` registers (without the block's parameters), and conditions given as `hints`.
    `tests` are the instructions that compute the 1-bit values of branches, by register; `sorts` are all registers'."""

    position: tuple[int, ...]
    heads: tuple[tuple[int, ...], ...]
    live_in: tuple[tuple[int, ...], ...]
    hints: tuple[tuple[m.Value, ...], ...]
    tests: Mapping[int, Compute]
    sorts: Mapping[int, ScalarSort]


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
    hints = tuple(tuple(i.condition for i in block.instructions if isinstance(i, m.Hint)) for block in function.blocks)
    live_in = orders.live_in(function)
    shape = FunctionShape(order.position, order.heads, live_in, hints, tests, _register_sorts(function))
    _shapes[id(function)] = (function, shape)
    return shape


def _register_sorts(function: Function) -> dict[int, ScalarSort]:
    registers = list(function.parameters)
    for block in function.blocks:
        registers += block.parameters
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                registers += instruction.results
            elif (register := getattr(instruction, "result", None)) is not None:
                registers.append(register)
    return {register.index: sort_of(register.type) for register in registers}
