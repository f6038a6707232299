"""Where a program looks at addresses: what it does there may depend on where its objects lie, which C leaves open."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.source import SourceLocation
from counterpoint.program import model as m
from counterpoint.program.points_to import points_to
from counterpoint.program.types import PointerType

_ORDERED = frozenset({"ult", "ule", "slt", "sle"})
_EQUAL = frozenset({"eq", "ne"})


def looked_at(program: m.Program) -> str | None:
    """A place where a pointer becomes a number, where two are ordered, or where one that was moved by a variable
    distance is compared; None if there is none, not counting the models of the library. Linear, but for the points-to
    analysis, which sees reads of pointers at other types."""
    for place in _places(program):
        if not place.file.startswith("<"):
            return str(place)
    return "a read of a pointer's bytes" if points_to(program).exposed else None


def _places(program: m.Program) -> Iterator[SourceLocation]:
    for function in program.functions.values():
        moved = {
            i.result.index
            for block in function.blocks
            for i in block.instructions
            if isinstance(i, m.Offset) and not isinstance(i.offset, m.Constant)
        }
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Compute) and _looks(i, moved):
                    yield i.at


def _looks(i: m.Compute, moved: set[int]) -> bool:
    pointers = [operand for operand in i.operands if isinstance(operand.type, PointerType)]
    if i.operation == "int_from_pointer":
        return True
    if len(pointers) < 2 or any(isinstance(pointer, m.Constant) for pointer in pointers):
        return False
    variable = any(isinstance(pointer, m.Register) and pointer.index in moved for pointer in pointers)
    return i.operation in _ORDERED or (i.operation in _EQUAL and variable)
