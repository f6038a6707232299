"""Where something is computed of an address's low bits: it may hang on how its object is aligned.

In encodings with a past every object begins at a multiple of OBJECT_ALIGNMENT (semantics/summary.py), which C does not
promise of most: there such a place counts as one without a meaning. Seen are the numbers that are made of pointers,
as far as they stay in registers, arguments and results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoint.core.records import dataclass
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
ORDERED = frozenset({"ult", "ule", "slt", "sle"})


@dataclass(frozen=True, slots=True)
class Looks:
    """Instructions by id. `low`: the alignment from which on the objects' own makes no difference; `ordered`: which of
    two such numbers is less; `distances`: how far apart two are."""

    low: Mapping[int, int]
    ordered: frozenset[int]
    distances: frozenset[int]


def looks(points: PointsTo) -> Looks:
    """Remembered."""
    return points.remember("low bits", "", lambda: _looks(points.program))


def _looks(program: m.Program) -> Looks:
    code = {name: _code(function) for name, function in program.functions.items()}
    if not any(i.operation == "int_from_pointer" for some in code.values() for i in some):
        return Looks({}, frozenset(), frozenset())
    kept = {name: [i for i in some if i.operation in _KEPT or _keeps(i)] for name, some in code.items()}
    found = _numbers(program, kept)
    differences = ((i, found[name]) for name, some in kept.items() for i in some if i.operation == "sub")
    distances = {id(i) for i, numbers in differences if _all_are(i, numbers)}
    kept = {name: [i for i in some if id(i) not in distances] for name, some in kept.items()}
    found = _numbers(program, kept)
    low, ordered = dict[int, int](), set[int]()
    for name, some in code.items():
        tested = (i for i in some if i.operation in TESTED and _is_one(i.operands[0], found[name]))
        low |= {id(i): needed for i in tested if (needed := _needed(i)) > 1}
        ordered |= {id(i) for i in some if i.operation in ORDERED and _all_are(i, found[name])}
    return Looks(low, frozenset(ordered), frozenset(distances))


def _code(function: m.Function) -> list[m.Compute]:
    return [i for block in function.blocks for i in block.instructions if isinstance(i, m.Compute)]


def _numbers(program: m.Program, kept: Mapping[str, Sequence[m.Compute]]) -> dict[str, set[int]]:
    """By function: the registers that go with an address made into a number, through these computations, calls and
    returns. The program times the longest chain of joins at most."""
    found = {name: {i.result.index for i in some if i.operation == "int_from_pointer"} for name, some in kept.items()}
    before = -1
    while before != (now := sum(map(len, found.values()))):
        before = now
        for name, function in program.functions.items():
            numbers = found[name]
            numbers |= {i.result.index for i in kept[name] if any(_is_one(operand, numbers) for operand in i.operands)}
            for register, value in _handed(function):
                if _is_one(value, numbers):
                    numbers.add(register.index)
            for call in (i for block in function.blocks for i in block.instructions if isinstance(i, m.Call)):
                callee, inner = program.functions[call.callee], found[call.callee]
                pairs = zip(callee.parameters, call.arguments, strict=True)
                inner |= {parameter.index for parameter, value in pairs if _is_one(value, numbers)}
                numbers |= {call.results[n].index for n in _returned(callee, inner)}
    return found


def _handed(function: m.Function) -> Iterator[tuple[m.Register, m.Value]]:
    """Parameters of blocks, with what edges give them."""
    for edge in (edge for block in function.blocks for edge in block.edges):
        yield from zip(function.blocks[edge.target].parameters, edge.arguments, strict=True)


def _returned(function: m.Function, numbers: set[int]) -> set[int]:
    """Which of the function's results are among the numbers."""
    ends = (block.terminator for block in function.blocks if isinstance(block.terminator, m.Return))
    return {n for end in ends for n, value in enumerate(end.values) if _is_one(value, numbers)}


def _all_are(i: m.Compute, numbers: set[int]) -> bool:
    return all(_is_one(operand, numbers) for operand in i.operands)


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
