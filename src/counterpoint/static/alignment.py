"""Powers of two that divide the registers of a function, whatever path led to them.

The greatest solution over the function's SSA form: a loop that steps a pointer by 4 keeps it a multiple of 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.program import model as m

MOST = 16
"""The largest power of two that is told apart: the least alignment of every object's base."""

_SAME = frozenset({"zext", "sext", "trunc", "int_from_pointer", "pointer_from_int", "neg"})
_LEAST = frozenset({"add", "sub", "or", "xor"})


def alignments_in(program: m.Program) -> dict[str, list[int]]:
    """What `alignments` gives for each function of the program, whose parameters are what calls pass: the greatest
    solution. Each parameter's number falls at most four times."""
    passed = {name: [MOST] * len(function.parameters) for name, function in program.functions.items()}
    known = {name: alignments(function, passed[name]) for name, function in program.functions.items()}
    waiting = list(program.functions)
    while waiting:
        caller = waiting.pop()
        for block in program.functions[caller].blocks:
            for call in (i for i in block.instructions if isinstance(i, m.Call)):
                before = passed[call.callee]
                least = [min(old, divisor(known[caller], v)) for old, v in zip(before, call.arguments, strict=True)]
                if least != before:
                    passed[call.callee] = least
                    known[call.callee] = alignments(program.functions[call.callee], least)
                    waiting.append(call.callee)
    return known


def alignments(function: m.Function, passed: Sequence[int] = ()) -> list[int]:
    """By register index: a power of two, at most MOST, that divides every value of the register, where parameters are
    multiples of `passed` (of 1, where that is empty).

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
                changed |= _instruction(known, instruction)
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


def _instruction(known: list[int], i: m.Instruction) -> bool:
    match i:
        case m.Allocate():
            return False
        case m.Offset(result, base, offset):
            return _lower(known, result, min(divisor(known, base), divisor(known, offset)))
        case m.Compute(result, operation, operands):
            return _lower(known, result, _computed(known, operation, operands))
        case m.Call(results):
            lowered = [_lower(known, register, 1) for register in results]
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
