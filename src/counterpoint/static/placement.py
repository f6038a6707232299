"""Where a program looks at addresses: what it does there may depend on where its objects lie, which C leaves open."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.source import SourceLocation
from counterpoint.program import model as m
from counterpoint.program.graph import loops, recursive_functions
from counterpoint.program.types import PointerType
from counterpoint.static.ends import comparisons_at_ends
from counterpoint.static.pointer_bytes import split_pointers
from counterpoint.static.points_to import points_to

_ORDERED = frozenset({"ult", "ule", "slt", "sle"})
_EQUAL = frozenset({"eq", "ne"})


def looked_at(program: m.Program) -> str | None:
    """A place where a pointer becomes a number, where two are ordered, or where two are compared in a program that
    moves some by variable distances or again and again, not counting the models of the library; else one where two
    are compared of which one may be at the end of its object, or where a pointer is taken apart or put together from
    parts; None if there is none. Linear, but for the points-to analysis, which shows the latter."""
    for place in _places(program):
        if not place.file.startswith("<"):
            return str(place)
    ends = comparisons_at_ends(points_to(program))
    for i in (i for function in program.functions.values() for block in function.blocks for i in block.instructions):
        if id(i) in ends and not i.at.file.startswith("<"):
            return str(i.at)
    split = split_pointers(program)
    return None if split is None else str(split)


def _places(program: m.Program) -> Iterator[SourceLocation]:
    code = [i for function in program.functions.values() for block in function.blocks for i in block.instructions]
    moved = _moves(program)
    for i in code:
        if isinstance(i, m.Compute) and _looks(i, moved):
            yield i.at


def _moves(program: m.Program) -> bool:
    """Whether the program itself moves a pointer by a variable distance, or possibly again and again."""
    repeating = recursive_functions(program)
    for function in program.functions.values():
        again = {block for loop in loops(function) for block in loop.blocks}
        for block in function.blocks:
            often = block.index in again or function.name in repeating
            moves = [i for i in block.instructions if isinstance(i, m.Offset) and not i.at.file.startswith("<")]
            if any(often or not isinstance(i.offset, m.Constant) for i in moves):
                return True
    return False


def _looks(i: m.Compute, moved: bool) -> bool:
    pointers = [operand for operand in i.operands if isinstance(operand.type, PointerType)]
    if i.operation == "int_from_pointer":
        return True
    if len(pointers) < 2 or any(isinstance(pointer, m.Constant) for pointer in pointers):
        return False
    return i.operation in _ORDERED or (i.operation in _EQUAL and moved)
