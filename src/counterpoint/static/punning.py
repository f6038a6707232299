"""Loads of integers from where the text has pointers: the members of a union, say.

Places are told apart by the text: a global and an offset, or a register and an offset from it. What two registers have
in common is not seen.
"""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.program import model as m
from counterpoint.program.types import PointerType

_Place: TypeAlias = tuple[str, int, int]
"""Global or function, register (-1: a global), offset."""


def numbers_of_stored_pointers(program: m.Program) -> list[tuple[str, int]]:
    """(function, register) of the integers that are loaded from where pointers are loaded or stored. Linear."""
    pointers: set[_Place] = set()
    for item in program.globals.values():
        pointers.update((item.name, -1, offset) for offset, value in item.pieces if isinstance(value, m.Address))
    numbers: list[tuple[_Place, str, int]] = []
    for function in program.functions.values():
        _look(function, pointers, numbers)
    return [(function, register) for place, function, register in numbers if place in pointers]


def _look(function: m.Function, pointers: set[_Place], numbers: list[tuple[_Place, str, int]]) -> None:
    moved: dict[int, tuple[m.Value, int]] = {}
    instructions = [i for block in function.blocks for i in block.instructions]
    for i in instructions:
        if isinstance(i, m.Offset) and isinstance(i.offset, m.Constant):
            moved[i.result.index] = i.base, i.offset.bits
    for i in instructions:
        if not isinstance(i, m.Load | m.Store):
            continue
        places = _places(function.name, i.address, moved)
        if isinstance(i.result.type if isinstance(i, m.Load) else i.value.type, PointerType):
            pointers.update(places)
        elif isinstance(i, m.Load):
            numbers += ((place, function.name, i.result.index) for place in places)


def _places(function: str, address: m.Value, moved: dict[int, tuple[m.Value, int]]) -> list[_Place]:
    offset = 0
    while isinstance(address, m.Register) and address.index in moved:
        address, by = moved[address.index]
        offset += by
    match address:
        case m.Register(index):
            return [(function, index, offset)]
        case m.Address(symbol, start):
            return [(symbol, -1, start + offset)]
    return []
