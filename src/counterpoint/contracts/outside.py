"""How a function writes: whether to memory that is none of the program's, and where in one piece.

An access lies in the object that its pointer belongs to, so that offsets do not matter, or it writes nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.closure import reached
from counterpoint.program import model as m
from counterpoint.program.graph import callees
from counterpoint.static.points_to import EXTERNAL, PointsTo


def writes_outside(points: PointsTo, name: str) -> bool:
    """As far as the analysis of pointers tells: of the function and all that it may call."""
    functions = points.program.functions
    for one in reached(name, lambda caller: [f for f in callees(functions[caller]) if f in functions]):
        made = {i.result.index: i for b in functions[one].blocks for i in b.instructions if isinstance(i, m.Offset)}
        for address in _written(functions[one]):
            if points.targets(one, _owner(address, made)) >> EXTERNAL & 1:
                return True
    return False


def written_whole(points: PointsTo, name: str) -> int:
    """The objects that copies and fills may write, bytes between members included: of the function and below it."""
    functions, found = points.program.functions, 0
    for one in reached(name, lambda caller: [f for f in callees(functions[caller]) if f in functions]):
        for instruction in (i for block in functions[one].blocks for i in block.instructions):
            match instruction:
                case m.Copy(target=address) | m.Fill(target=address) | m.Havoc(target=address):
                    found |= points.targets(one, address)
    return found


def _written(function: m.Function) -> Iterator[m.Value]:
    for instruction in (i for block in function.blocks for i in block.instructions):
        match instruction:
            case m.Store(address=address) | m.Free(address=address):
                yield address
            case m.Copy(target=address) | m.Fill(target=address) | m.Havoc(target=address):
                yield address


def _owner(value: m.Value, made: dict[int, m.Offset]) -> m.Value:
    """The pointer that the address is computed from."""
    while isinstance(value, m.Register) and value.index in made:
        value = made[value.index].base
    return value
