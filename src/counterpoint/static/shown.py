"""Programs that look at numbers of addresses otherwise than by comparing whole ones: at bytes of stored pointers, at
what is computed of both (a distance, an exclusive or), at wider or narrower numbers. Where objects touch shows there.
"""

from __future__ import annotations

from typing import Final

from counterpoint.program import model as m
from counterpoint.program.remembered import remembered
from counterpoint.program.types import IntType, PointerType
from counterpoint.static.ends import number_uses
from counterpoint.static.low_bits import Levels, numbers_of_addresses
from counterpoint.static.pointer_slots import distances_of
from counterpoint.static.points_to import EXTERNAL, PointsTo, points_to
from counterpoint.static.stored_numbers import has_stored_numbers

_COMPARISONS: Final = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
_PAGE: Final = 1 << 12

@remembered(4)
def shows_touching(program: m.Program) -> bool:
    """Whether it does, and makes no numbers into pointers: of these it must be known which object they hit. Costs the
    points-to analysis."""
    return not number_uses(program).made and _shows(program)


def _shows(program: m.Program) -> bool:
    points = points_to(program)
    code = [i for function in program.functions.values() for block in function.blocks for i in block.instructions]
    stored = has_stored_numbers(points)
    if not stored and not any(isinstance(i, m.Compute) and i.operation == "int_from_pointer" for i in code):
        return False
    levels = numbers_of_addresses(points)
    return any(
        _function_shows(points, function, levels[name]) or (stored and _reads_parts(points, function))
        for name, function in program.functions.items()
    )


def _function_shows(points: PointsTo, function: m.Function, levels: Levels) -> bool:
    compared, width = number_uses(points.program).compared, points.program.layout.pointer_bits
    for block in function.blocks:
        if any(edge.guard.value is not None and _is_number(edge.guard.value, levels) for edge in block.edges):
            return True
        for i in block.instructions:
            if not isinstance(i, m.Compute) or _is_whole(i, width):
                continue
            numbers = sum(_is_number(o, levels) for o in i.operands)
            if numbers == 1 or (numbers and id(i) not in compared):
                return True
    return False


def _reads_parts(points: PointsTo, function: m.Function) -> bool:
    """It reads numbers at distances that vary from where there may be pointers: these may be their bytes."""
    for i in (i for block in function.blocks for i in block.instructions):
        if not isinstance(i, m.Load) or isinstance(i.result.type, PointerType):
            continue
        held = points.registers.get((function.name, i.result.index), 0) & ~(1 << EXTERNAL)
        if held and None in distances_of(points, function.name, i.address).values():
            return True
    return False


def _is_number(value: m.Value, levels: Levels) -> bool:
    return isinstance(value, m.Register) and levels.get(value.index, 0) > 0


def _is_whole(i: m.Compute, width: int) -> bool:
    """A comparison, a sum with another number, or a look at few low bits, of a number as wide as a pointer."""
    if i.operands[-1].type != IntType(width):
        return False
    if i.operation in _COMPARISONS or i.operation == "select":
        return True
    by = i.operands[1].bits if len(i.operands) == 2 and isinstance(i.operands[1], m.Constant) else None
    if by is None or i.operation in ("add", "sub"):
        return by is not None
    return by < _PAGE and (i.operation == "and" or (i.operation == "urem" and by & by - 1 == 0))
