"""Where something is computed of an address's low bits: it may hang on how its object is aligned.

In encodings with a past every object begins at a multiple of OBJECT_ALIGNMENT (semantics/summary.py), which C does not
promise of most: there such a place counts as one without a meaning. Seen are the numbers that a function makes of
pointers, as far as they stay in its registers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.program import model as m
from counterpoint.static.alignment import MOST
from counterpoint.static.points_to import PointsTo

_LOW = MOST - 1
_PAGE = 1 << 12
_KEPT = frozenset({
    "int_from_pointer", "add", "sub", "or", "xor", "mul", "shl", "neg", "zext", "sext", "trunc", "select",
})  # fmt: skip
TESTED = frozenset({"and", "urem", "srem", "udiv", "sdiv", "lshr", "ashr"})
"""Operations that may tell of low bits."""


def low_bits(points: PointsTo) -> Mapping[int, int]:
    """By the id of an instruction: the alignment from which on the objects' own makes no difference. Remembered."""
    functions = points.program.functions.values()
    return points.remember("low bits", "", lambda: dict(pair for one in functions for pair in _low_bits(one)))


def _low_bits(function: m.Function) -> list[tuple[int, int]]:
    code = [i for block in function.blocks for i in block.instructions if isinstance(i, m.Compute)]
    if not any(i.operation == "int_from_pointer" for i in code):
        return []
    kept = [i for i in code if i.operation in _KEPT or _keeps(i)]
    numbers = _numbers(function, kept)
    distances = {id(i) for i in kept if i.operation == "sub" and all(_is_one(o, numbers) for o in i.operands)}
    numbers = _numbers(function, [i for i in kept if id(i) not in distances])
    tested = ((i, _needed(i)) for i in code if i.operation in TESTED and _is_one(i.operands[0], numbers))
    return [(id(i), needed) for i, needed in tested if needed > 1]


def _numbers(function: m.Function, kept: Sequence[m.Compute]) -> set[int]:
    """The registers that go with an address made into a number, through these computations. Blocks times the longest
    chain of joins at most."""
    numbers = {i.result.index for i in kept if i.operation == "int_from_pointer"}
    before = 0
    while before != len(numbers):
        before = len(numbers)
        numbers |= {i.result.index for i in kept if any(_is_one(operand, numbers) for operand in i.operands)}
        for edge in (edge for block in function.blocks for edge in block.edges):
            pairs = zip(function.blocks[edge.target].parameters, edge.arguments, strict=True)
            numbers |= {parameter.index for parameter, value in pairs if _is_one(value, numbers)}
    return numbers


def _keeps(i: m.Compute) -> bool:
    """A mask that leaves the low bits."""
    return i.operation == "and" and _needed(i) < MOST


def _is_one(value: m.Value, numbers: set[int]) -> bool:
    return isinstance(value, m.Register) and value.index in numbers


def _needed(i: m.Compute) -> int:
    """From this alignment on the result tells nothing of how the object is aligned."""
    by = i.operands[1]
    if not isinstance(by, m.Constant):
        return MOST
    match i.operation:
        case "and" if by.bits < _PAGE or ~by.bits & ((1 << by.type.bits) - MOST) == 0:
            seen = by.bits & _LOW if by.bits < _PAGE else ~by.bits & _LOW
            return 1 << seen.bit_length()
        case "and":
            return 1 if by.bits & _LOW in (0, _LOW) else MOST
        case "lshr" | "ashr":
            return MOST if 0 < by.bits < MOST.bit_length() - 1 else 1
    return min(MOST, by.bits) if by.bits & by.bits - 1 == 0 and i.operation == "urem" else MOST
