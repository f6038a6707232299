"""Powers of two that divide the registers of a function, whatever path led to them.

The greatest solution over the function's SSA form: a loop that steps a pointer by 4 keeps it a multiple of 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import callees
from counterpoint.static.points_to import PointsTo

MOST = 16
"""The largest power of two that is told apart: the least alignment of every object's base."""

_SAME = frozenset({"zext", "sext", "trunc", "int_from_pointer", "pointer_from_int", "neg"})
_LEAST = frozenset({"add", "sub", "or", "xor"})


@dataclass(frozen=True, slots=True)
class Alignments:
    """By function: for each register, and for each result, a power of two (at most MOST) that divides its values."""

    registers: dict[str, list[int]]
    results: dict[str, list[int]]


def alignments_in(program: m.Program) -> Alignments:
    """What `alignments` gives for each function of the program, whose parameters are what calls pass and whose results
    are what calls give: the greatest solution. Each parameter's and each result's number falls at most four times."""
    functions = program.functions
    passed = {name: [MOST] * len(function.parameters) for name, function in functions.items()}
    found = Alignments({}, {name: [MOST] * len(function.results) for name, function in functions.items()})
    callers: dict[str, set[str]] = {name: set() for name in functions}
    for name in functions:
        for callee in callees(functions[name]):
            callers[callee].add(name)
    waiting = dict.fromkeys(functions)
    while waiting:
        name, _ = waiting.popitem()
        known = found.registers[name] = alignments(functions[name], passed[name], found.results)
        for block in functions[name].blocks:
            for call in (i for i in block.instructions if isinstance(i, m.Call)):
                if _lowered(passed[call.callee], [divisor(known, value) for value in call.arguments]):
                    waiting[call.callee] = None
            given = block.terminator.values if isinstance(block.terminator, m.Return) else ()
            if given and _lowered(found.results[name], [divisor(known, value) for value in given]):
                waiting.update(dict.fromkeys(sorted(callers[name])))
    return found


def of_points(points: PointsTo) -> Alignments:
    """What `alignments_in` gives, remembered."""
    return points.remember("alignments", "", lambda: alignments_in(points.program))


def _lowered(numbers: list[int], to: list[int]) -> bool:
    """Lowers each number to the other one, in place."""
    before = list(numbers)
    numbers[:] = [min(one, two) for one, two in zip(numbers, to, strict=True)]
    return numbers != before


def alignments(
    function: m.Function, passed: Sequence[int] = (), returned: Mapping[str, Sequence[int]] | None = None
) -> list[int]:
    """By register index: a power of two, at most MOST, that divides every value of the register, where parameters are
    multiples of `passed`, and calls' results of `returned` by callee (of 1, where that is not said).

    Blocks times a few passes: each register's number falls at most four times.
    """
    known = [MOST] * function.registers
    for position, parameter in enumerate(function.parameters):
        known[parameter.index] = passed[position] if passed else 1
    changed = True
    while changed:
        changed = False
        for block in function.blocks:
            for instruction in block.instructions:
                changed |= _instruction(known, instruction, returned or {})
            for edge in block.edges:
                for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                    changed |= _lower(known, parameter, divisor(known, value))
    return known


def _lower(known: list[int], register: m.Register, to: int) -> bool:
    if to >= known[register.index]:
        return False
    known[register.index] = to
    return True


def divisor(known: list[int], value: m.Value) -> int:
    """A power of two, at most MOST, that divides the value, where `known` is what `alignments` gave."""
    match value:
        case m.Register(index):
            return known[index]
        case m.Constant(bits):
            return _power(bits)
        case m.Address(_, offset):
            return _power(offset)
    return 1


def _power(number: int) -> int:
    return min(MOST, number & -number) if number else MOST


def _instruction(known: list[int], i: m.Instruction, returned: Mapping[str, Sequence[int]]) -> bool:
    match i:
        case m.Allocate():
            return False
        case m.Offset(result, base, offset):
            return _lower(known, result, min(divisor(known, base), divisor(known, offset)))
        case m.Compute(result, operation, operands):
            return _lower(known, result, _computed(known, operation, operands))
        case m.Call(results, callee):
            numbers = returned.get(callee, [1] * len(results))
            lowered = [_lower(known, register, to) for register, to in zip(results, numbers, strict=True)]
            return any(lowered)
    register = getattr(i, "result", None)
    return isinstance(register, m.Register) and _lower(known, register, 1)


def _computed(known: list[int], operation: str, operands: tuple[m.Value, ...]) -> int:
    parts = [divisor(known, operand) for operand in operands]
    if operation in _SAME:
        return parts[0]
    if operation in _LEAST:
        return min(parts)
    match operation:
        case "select":
            return min(parts[1:])
        case "mul":
            return min(MOST, parts[0] * parts[1])
        case "and":
            return max(parts)
        case "shl" if isinstance(operands[1], m.Constant) and operands[1].bits < operands[0].type.bits:
            return min(MOST, parts[0] << min(operands[1].bits, 4))
    return 1
