"""Joining two states that meet at one block, for the walks of this package."""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.program.order import register_types
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
    return State(mine.registers, memory, 1, tuple(dict.fromkeys(mine.locals + other.locals)), mine.begun)
