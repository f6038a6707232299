"""Formulas as C expressions with the same value on machine words, which a compiler reads.

A term is written as signed or as unsigned of its width, so that no operation overflows and each comparison is the one
that it is. What C has no type or operator for is not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from counterpoint.core.errors import Unsupported
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts

TYPES: Final = {8: "char", 16: "short", 32: "int", 64: "long long"}
"""The integer types by their bits, as the platforms that are checked for have them."""

_ARITHMETIC: Final = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.BVAND: "&", Op.BVOR: "|", Op.BVXOR: "^",
}  # fmt: skip
_ORDER: Final = {Op.SLT: ("<", True), Op.ULT: ("<", False)}

DEEPEST: Final = 200


def type_of(width: int, *, signed: bool = True) -> str:
    """Raises Unsupported where there is none."""
    if width not in TYPES:
        raise Unsupported(f"C has no type of {width} bits")
    return f"{'signed' if signed else 'unsigned'} {TYPES[width]}" if width == 8 or not signed else TYPES[width]


def condition(formula: V, names: Mapping[Term, str], depth: int = 0) -> str:
    """A Bool, in parentheses unless it is one word or a negation. Raises Unsupported for what cannot be said."""
    if isinstance(formula, int):
        return str(formula)
    if depth > DEEPEST:
        raise Unsupported("the formula is too deep")
    args = formula.args
    match formula.op:
        case Op.VARIABLE:
            return names[formula]
        case Op.NOT if isinstance(args[0], Term):
            return _negated(args[0], names, depth + 1)
        case Op.AND:
            return f"({' && '.join(condition(a, names, depth + 1) for a in args)})"
        case Op.XOR:
            return f"({' != '.join(f'!{condition(a, names, depth + 1)}' for a in args)})"
        case Op.EQ:
            return _compared(formula, "==", True, names, depth)
        case op if op in _ORDER:
            return _compared(formula, *_ORDER[op], names, depth)
    raise Unsupported(f"{formula.op.name} has no C operator")


def _negated(formula: Term, names: Mapping[Term, str], depth: int) -> str:
    match formula.op:
        case Op.AND:
            return f"({' || '.join(condition(build.not_(a), names, depth + 1) for a in formula.args)})"
        case Op.EQ:
            return _compared(formula, "!=", True, names, depth)
        case Op.SLT:
            return _compared(formula, ">=", True, names, depth)
        case Op.ULT:
            return _compared(formula, ">=", False, names, depth)
    return f"!{condition(formula, names, depth)}"


def _compared(formula: Term, sign: str, signed: bool, names: Mapping[Term, str], depth: int) -> str:
    sort = argument_sorts(formula)[0]
    if not isinstance(sort, BitVec):
        raise Unsupported(f"values of the sort {sort} are not compared")
    one, other = (number(a, sort.width, names, signed, depth + 1) for a in formula.args)
    return f"({one} {sign} {other})"


def number(value: V, width: int, names: Mapping[Term, str], signed: bool, depth: int = 0) -> str:
    """A bit-vector as an integer of its width. Raises Unsupported."""
    kind = type_of(width, signed=signed)
    if isinstance(value, int):
        return _constant(value, width, signed)
    if depth > DEEPEST:
        raise Unsupported("the formula is too deep")
    if value.op is Op.VARIABLE:
        return names[value] if signed else f"({kind}){names[value]}"
    if value.op is Op.ITE:
        chosen = [number(a, width, names, signed, depth + 1) for a in value.args[1:]]
        return f"({condition(value.args[0], names, depth + 1)} ? {chosen[0]} : {chosen[1]})"
    return f"({kind}){_computed(value, width, names, depth + 1)}"


def _computed(term: Term, width: int, names: Mapping[Term, str], depth: int) -> str:
    """With all operands unsigned, and at least as wide as an unsigned int."""
    if term.op in _ARITHMETIC:
        wide = "1u * " if width < 32 and term.op is Op.MUL else ""
        sides = [number(a, width, names, False, depth) for a in term.args]
        return f"({wide}{f' {_ARITHMETIC[term.op]} '.join(sides)})"
    inner = term.args[0]
    sort = argument_sorts(term)[0]
    if isinstance(sort, BitVec):
        match term.op:
            case Op.NEG:
                return f"(0u - {number(inner, width, names, False, depth)})"
            case Op.BVNOT:
                return f"~{number(inner, width, names, False, depth)}"
            case Op.ZEXT | Op.SEXT:
                return number(inner, sort.width, names, term.op is Op.SEXT, depth)
            case Op.EXTRACT:
                return f"({number(inner, sort.width, names, False, depth)} >> {term.payload})"
    raise Unsupported(f"{term.op.name} has no C operator")


def _constant(value: int, width: int, signed: bool) -> str:
    suffix = "ll" if width == 64 else ""
    if not signed:
        return f"{value}u{suffix}"
    value -= 1 << width if value >> (width - 1) else 0
    if value == -1 << (width - 1):
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}"
