"""All constructors of terms in one place: import from here.

Every constructor takes and returns values `V` (int or Term), folds ints, and applies the identities that
its family's module lists. Widths are in bits and always given; ints are unsigned and already reduced to
their width.

Others call them as attributes of this module, never by names of their own: then `through` reaches every call from
outside, at no cost while nobody asks for it. Terms are rebuilt (`rebuild`) by such calls, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from counterpoint.term.arithmetic import add, mul, neg, shl, split_constant, sub
from counterpoint.term.array import constant_array, select, store, surely_differ
from counterpoint.term.bits import ashr, bvand, bvnot, bvor, bvxor, concat, extract, flag, lshr, sext, zext
from counterpoint.term.boolean import and_, conjunction, disjunction, iff, implies, not_, or_, xor_
from counterpoint.term.choice import bool_to_bits, ite
from counterpoint.term.comparison import eq, ne, sle, slt, ule, ult
from counterpoint.term.division import sdiv, srem, udiv, urem
from counterpoint.term.floats import (
    bits_from_fp,
    fp_abs,
    fp_add,
    fp_div,
    fp_eq,
    fp_fma,
    fp_from_bits,
    fp_from_signed,
    fp_from_unsigned,
    fp_is_inf,
    fp_is_nan,
    fp_is_negative,
    fp_is_normal,
    fp_is_subnormal,
    fp_is_zero,
    fp_le,
    fp_lt,
    fp_max,
    fp_min,
    fp_mul,
    fp_neg,
    fp_rem,
    fp_round_to_integral,
    fp_sqrt,
    fp_sub,
    fp_to_fp,
    fp_to_signed,
    fp_to_unsigned,
)
from counterpoint.term.owned import owned, plain
from counterpoint.term.rebuild import MAKERS
from counterpoint.term.sorts import BitVec, Float
from counterpoint.term.term import Op, RoundingMode, Term, TermError, V, address, array_sort, variable

__all__ = [
    "add", "address", "and_", "ashr", "bits_from_fp", "bool_to_bits", "bvand", "bvnot", "bvor", "bvxor",
    "concat", "conjunction", "constant_array", "disjunction", "eq", "extract", "flag", "fp_abs", "fp_add",
    "fp_div", "fp_eq", "fp_fma", "fp_from_bits", "fp_from_signed", "fp_from_unsigned", "fp_is_inf",
    "fp_is_nan", "fp_is_negative", "fp_is_normal", "fp_is_subnormal", "fp_is_zero", "fp_le", "fp_lt",
    "fp_max", "fp_min", "fp_mul", "fp_neg", "fp_rem", "fp_round_to_integral", "fp_sqrt", "fp_sub",
    "fp_to_fp", "fp_to_signed", "fp_to_unsigned", "iff", "implies", "ite", "lshr", "mul", "ne", "neg",
    "not_", "or_", "owned", "plain", "sdiv", "select", "sext", "shl", "sle", "slt", "split_constant", "srem",
    "store", "sub", "surely_differ", "udiv", "ule", "ult", "urem", "variable", "xor_", "zext",
]  # fmt: skip

Constructor: TypeAlias = Callable[..., Any]

_between: list[Callable[[str, Constructor], Constructor]] = []


@contextmanager
def through(between: Callable[[str, Constructor], Constructor]) -> Iterator[None]:
    """Inside of the `with`, each constructor that others call is `between(name, constructor)`; what constructors call
    by themselves stays what it is. Raises RuntimeError where another `with` is around this one."""
    if _between:
        raise RuntimeError("what is built is listened to already")
    here = globals()
    plain = {name: here[name] for name in __all__}
    _between.append(between)
    try:
        here.update({name: between(name, constructor) for name, constructor in plain.items()})
        yield
    finally:
        here.update(plain)
        _between.clear()


# ---------------------------------------------------------------- which constructor makes an operator's terms


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _payload(term: Term) -> int:
    assert isinstance(term.payload, int)
    return term.payload


def _float(term: Term) -> Float:
    assert isinstance(term.sort, Float)
    return term.sort


def _argument_float(term: Term) -> Float:
    for arg in term.args:
        if isinstance(arg, Term) and isinstance(arg.sort, Float):
            return arg.sort
    raise TermError(f"{term.op.name} without a float among its arguments")


def _argument_width(term: Term) -> int:
    arg = term.args[0]
    assert isinstance(arg, Term) and isinstance(arg.sort, BitVec)
    return arg.sort.width


def _array(value: V) -> Term:
    assert isinstance(value, Term)
    return value


def _extract(t: Term, a: Sequence[V]) -> V:
    low = _payload(t)
    return extract(low + _width(t) - 1, low, a[0], _argument_width(t))


def _concat(t: Term, a: Sequence[V]) -> V:
    low = _payload(t)
    return concat(a[0], _width(t) - low, a[1], low)


MAKERS.update(
    {
        Op.NOT: lambda t, a: not_(a[0]),
        Op.AND: lambda t, a: and_(a[0], a[1]),
        Op.XOR: lambda t, a: xor_(a[0], a[1]),
        Op.ITE: lambda t, a: ite(a[0], a[1], a[2], t.sort),
        Op.EQ: lambda t, a: eq(a[0], a[1], _payload(t)),
        Op.ULT: lambda t, a: ult(a[0], a[1], _payload(t)),
        Op.SLT: lambda t, a: slt(a[0], a[1], _payload(t)),
        Op.ADD: lambda t, a: add(a[0], a[1], _width(t)),
        Op.SUB: lambda t, a: sub(a[0], a[1], _width(t)),
        Op.NEG: lambda t, a: neg(a[0], _width(t)),
        Op.MUL: lambda t, a: mul(a[0], a[1], _width(t)),
        Op.UDIV: lambda t, a: udiv(a[0], a[1], _width(t)),
        Op.UREM: lambda t, a: urem(a[0], a[1], _width(t)),
        Op.SDIV: lambda t, a: sdiv(a[0], a[1], _width(t)),
        Op.SREM: lambda t, a: srem(a[0], a[1], _width(t)),
        Op.BVAND: lambda t, a: bvand(a[0], a[1], _width(t)),
        Op.BVOR: lambda t, a: bvor(a[0], a[1], _width(t)),
        Op.BVXOR: lambda t, a: bvxor(a[0], a[1], _width(t)),
        Op.BVNOT: lambda t, a: bvnot(a[0], _width(t)),
        Op.SHL: lambda t, a: shl(a[0], a[1], _width(t)),
        Op.LSHR: lambda t, a: lshr(a[0], a[1], _width(t)),
        Op.ASHR: lambda t, a: ashr(a[0], a[1], _width(t)),
        Op.CONCAT: _concat,
        Op.OWNED: lambda t, a: owned(a[0], a[1] if len(a) > 1 else None, _payload(t), _width(t)),
        Op.EXTRACT: _extract,
        Op.ZEXT: lambda t, a: zext(a[0], _payload(t), _width(t)),
        Op.SEXT: lambda t, a: sext(a[0], _payload(t), _width(t)),
        Op.SELECT: lambda t, a: select(_array(a[0]), a[1]),
        Op.STORE: lambda t, a: store(_array(a[0]), a[1], a[2]),
        Op.CONSTANT_ARRAY: lambda t, a: constant_array(array_sort(t), a[0]),
        Op.FP_FROM_BITS: lambda t, a: fp_from_bits(a[0], _float(t)),
        Op.BITS_FROM_FP: lambda t, a: bits_from_fp(a[0], _argument_float(t)),
        Op.FP_ADD: lambda t, a: fp_add(a[0], a[1], _float(t)),
        Op.FP_SUB: lambda t, a: fp_sub(a[0], a[1], _float(t)),
        Op.FP_MUL: lambda t, a: fp_mul(a[0], a[1], _float(t)),
        Op.FP_DIV: lambda t, a: fp_div(a[0], a[1], _float(t)),
        Op.FP_REM: lambda t, a: fp_rem(a[0], a[1], _float(t)),
        Op.FP_FMA: lambda t, a: fp_fma(a[0], a[1], a[2], _float(t)),
        Op.FP_SQRT: lambda t, a: fp_sqrt(a[0], _float(t)),
        Op.FP_NEG: lambda t, a: fp_neg(a[0], _float(t)),
        Op.FP_ABS: lambda t, a: fp_abs(a[0], _float(t)),
        Op.FP_ROUND: lambda t, a: fp_round_to_integral(a[0], RoundingMode(_payload(t)), _float(t)),
        Op.FP_EQ: lambda t, a: fp_eq(a[0], a[1], _argument_float(t)),
        Op.FP_LT: lambda t, a: fp_lt(a[0], a[1], _argument_float(t)),
        Op.FP_LE: lambda t, a: fp_le(a[0], a[1], _argument_float(t)),
        Op.FP_IS_NAN: lambda t, a: fp_is_nan(a[0], _argument_float(t)),
        Op.FP_IS_INF: lambda t, a: fp_is_inf(a[0], _argument_float(t)),
        Op.FP_IS_ZERO: lambda t, a: fp_is_zero(a[0], _argument_float(t)),
        Op.FP_IS_NEGATIVE: lambda t, a: fp_is_negative(a[0], _argument_float(t)),
        Op.FP_IS_NORMAL: lambda t, a: fp_is_normal(a[0], _argument_float(t)),
        Op.FP_IS_SUBNORMAL: lambda t, a: fp_is_subnormal(a[0], _argument_float(t)),
        Op.FP_TO_FP: lambda t, a: fp_to_fp(a[0], _argument_float(t), _float(t)),
        Op.FP_FROM_SIGNED: lambda t, a: fp_from_signed(a[0], _argument_width(t), _float(t)),
        Op.FP_FROM_UNSIGNED: lambda t, a: fp_from_unsigned(a[0], _argument_width(t), _float(t)),
        Op.FP_TO_SIGNED: lambda t, a: fp_to_signed(a[0], _argument_float(t), _width(t)),
        Op.FP_TO_UNSIGNED: lambda t, a: fp_to_unsigned(a[0], _argument_float(t), _width(t)),
    }
)
