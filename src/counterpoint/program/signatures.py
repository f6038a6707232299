"""Which types each operation of Compute takes: the rules that `validate` checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from counterpoint.program.types import TRUTH, FloatType, IntType, PointerType, Type

Rule: TypeAlias = Callable[[tuple[Type, ...], Type], bool]
"""Whether operands of these types give a result of this type."""


def _integers(count: int) -> Rule:
    return lambda operands, result: (
        len(operands) == count and isinstance(result, IntType) and all(type_ == result for type_ in operands)
    )


def _floats(count: int) -> Rule:
    return lambda operands, result: (
        len(operands) == count
        and isinstance(result, FloatType)
        and all(type_ == result for type_ in operands)
    )


def _compare(kinds: tuple[type, ...]) -> Rule:
    return lambda operands, result: (
        len(operands) == 2
        and operands[0] == operands[1]
        and isinstance(operands[0], kinds)
        and result == TRUTH
    )


def _cast(source: type, target: type, width: Callable[[int, int], bool]) -> Rule:
    return lambda operands, result: (
        len(operands) == 1
        and isinstance(operands[0], source)
        and isinstance(result, target)
        and width(operands[0].bits, result.bits)
    )


def _select(operands: tuple[Type, ...], result: Type) -> bool:
    return len(operands) == 3 and operands[0] == TRUTH and operands[1] == operands[2] == result


def _three_way(operands: tuple[Type, ...], result: Type) -> bool:
    same = len(operands) == 2 and operands[0] == operands[1] and isinstance(operands[0], IntType)
    return same and isinstance(result, IntType) and result.bits >= 2


def _fpclass(operands: tuple[Type, ...], result: Type) -> bool:
    return len(operands) == 2 and isinstance(operands[0], FloatType) and result == TRUTH


RULES: dict[str, Rule] = {
    "select": _select,
    "scmp": _three_way,
    "ucmp": _three_way,
    "is_fpclass": _fpclass,
    "zext": _cast(IntType, IntType, lambda old, new: old < new),
    "sext": _cast(IntType, IntType, lambda old, new: old < new),
    "trunc": _cast(IntType, IntType, lambda old, new: old > new),
    "int_from_pointer": _cast(PointerType, IntType, lambda old, new: old == new),
    "pointer_from_int": _cast(IntType, PointerType, lambda old, new: old == new),
    "float_from_bits": _cast(IntType, FloatType, lambda old, new: old == new),
    "bits_from_float": _cast(FloatType, IntType, lambda old, new: old == new),
    "float_to_float": _cast(FloatType, FloatType, lambda old, new: old != new),
}
for _name in ["signed_to_float", "unsigned_to_float"]:
    RULES[_name] = _cast(IntType, FloatType, lambda old, new: True)
for _name in ["float_to_signed", "float_to_unsigned"]:
    RULES[_name] = _cast(FloatType, IntType, lambda old, new: True)
for _name in [
    "add",
    "sub",
    "mul",
    "udiv",
    "urem",
    "sdiv",
    "srem",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "smax",
    "smin",
    "umax",
    "umin",
    "sadd_sat",
    "uadd_sat",
    "ssub_sat",
    "usub_sat",
    "sshl_sat",
    "ushl_sat",
]:
    RULES[_name] = _integers(2)
for _name in ["ctpop", "ctlz", "cttz", "bswap", "bitreverse", "abs"]:
    RULES[_name] = _integers(1)
for _name in ["fshl", "fshr"]:
    RULES[_name] = _integers(3)
for _name in ["eq", "ne", "ult", "ule", "slt", "sle"]:
    RULES[_name] = _compare((IntType, PointerType))
for _name in ["sadd", "uadd", "ssub", "usub", "smul", "umul"]:
    RULES[f"{_name}_overflows"] = _compare((IntType,))
for _name in ["feq", "flt", "fle", "funordered"]:
    RULES[_name] = _compare((FloatType,))
for _name in [
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "frem",
    "copysign",
    "fminnum",
    "fmaxnum",
    "fminimum",
    "fmaximum",
]:
    RULES[_name] = _floats(2)
for _name in ["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "fround", "froundeven", "frint"]:
    RULES[_name] = _floats(1)
RULES["fma"] = _floats(3)
