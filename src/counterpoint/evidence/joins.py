"""Joining two states that meet at one block, for the walks of this package."""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.program.types import Type
from counterpoint.semantics import memory as memory_
from counterpoint.semantics.objects import sort_of
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.term import V


def joined(function: m.Function, guard: V, mine: State, other: State) -> State:
    """`mine` where `guard` holds, else `other`; neither may be used afterwards. The caller sets its path."""
    types = register_types(function)
    for index, value in other.registers.items():
        if index in mine.registers and mine.registers[index] is not value and mine.registers[index] != value:
            mine.registers[index] = build.ite(guard, mine.registers[index], value, sort_of(types[index]))
    memory = memory_.merge(guard, mine.memory, other.memory)
    return State(mine.registers, memory, 1, tuple(dict.fromkeys(mine.locals + other.locals)))


def register_types(function: m.Function) -> dict[int, Type]:
    """Types of the function's registers by index."""
    known = _types.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    registers: list[m.Register] = list(function.parameters)
    for block in function.blocks:
        registers += block.parameters
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                registers += instruction.results
            elif isinstance(result := getattr(instruction, "result", None), m.Register):
                registers.append(result)
    types = {register.index: register.type for register in registers}
    _types[id(function)] = (function, types)
    return types


_types: dict[int, tuple[m.Function, dict[int, Type]]] = {}
