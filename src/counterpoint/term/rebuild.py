"""Building a term like a given one from other arguments, through the smart constructors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from counterpoint.term import build
from counterpoint.term.sorts import BitVec, Float
from counterpoint.term.term import Op, RoundingMode, Term, TermError, V, array_sort

Rebuild: TypeAlias = Callable[[Term, Sequence[V]], V]


def rebuild(like: Term, args: Sequence[V]) -> V:
    """The operator and payload of `like` on `args` (of the same sorts), simplified."""
    maker = _MAKERS.get(like.op)
    return like if maker is None else maker(like, args)


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
    return build.extract(low + _width(t) - 1, low, a[0], _argument_width(t))


def _concat(t: Term, a: Sequence[V]) -> V:
    low = _payload(t)
    return build.concat(a[0], _width(t) - low, a[1], low)


_MAKERS: Final[dict[Op, Rebuild]] = {
    Op.NOT: lambda t, a: build.not_(a[0]),
    Op.AND: lambda t, a: build.and_(a[0], a[1]),
    Op.XOR: lambda t, a: build.xor_(a[0], a[1]),
    Op.ITE: lambda t, a: build.ite(a[0], a[1], a[2], t.sort),
    Op.EQ: lambda t, a: build.eq(a[0], a[1], _payload(t)),
    Op.ULT: lambda t, a: build.ult(a[0], a[1], _payload(t)),
    Op.SLT: lambda t, a: build.slt(a[0], a[1], _payload(t)),
    Op.ADD: lambda t, a: build.add(a[0], a[1], _width(t)),
    Op.SUB: lambda t, a: build.sub(a[0], a[1], _width(t)),
    Op.NEG: lambda t, a: build.neg(a[0], _width(t)),
    Op.MUL: lambda t, a: build.mul(a[0], a[1], _width(t)),
    Op.UDIV: lambda t, a: build.udiv(a[0], a[1], _width(t)),
    Op.UREM: lambda t, a: build.urem(a[0], a[1], _width(t)),
    Op.SDIV: lambda t, a: build.sdiv(a[0], a[1], _width(t)),
    Op.SREM: lambda t, a: build.srem(a[0], a[1], _width(t)),
    Op.BVAND: lambda t, a: build.bvand(a[0], a[1], _width(t)),
    Op.BVOR: lambda t, a: build.bvor(a[0], a[1], _width(t)),
    Op.BVXOR: lambda t, a: build.bvxor(a[0], a[1], _width(t)),
    Op.BVNOT: lambda t, a: build.bvnot(a[0], _width(t)),
    Op.SHL: lambda t, a: build.shl(a[0], a[1], _width(t)),
    Op.LSHR: lambda t, a: build.lshr(a[0], a[1], _width(t)),
    Op.ASHR: lambda t, a: build.ashr(a[0], a[1], _width(t)),
    Op.CONCAT: _concat,
    Op.OWNED: lambda t, a: build.owned(a[0], a[1] if len(a) > 1 else None, _payload(t), _width(t)),
    Op.EXTRACT: _extract,
    Op.ZEXT: lambda t, a: build.zext(a[0], _payload(t), _width(t)),
    Op.SEXT: lambda t, a: build.sext(a[0], _payload(t), _width(t)),
    Op.SELECT: lambda t, a: build.select(_array(a[0]), a[1]),
    Op.STORE: lambda t, a: build.store(_array(a[0]), a[1], a[2]),
    Op.CONSTANT_ARRAY: lambda t, a: build.constant_array(array_sort(t), a[0]),
    Op.FP_FROM_BITS: lambda t, a: build.fp_from_bits(a[0], _float(t)),
    Op.BITS_FROM_FP: lambda t, a: build.bits_from_fp(a[0], _argument_float(t)),
    Op.FP_ADD: lambda t, a: build.fp_add(a[0], a[1], _float(t)),
    Op.FP_SUB: lambda t, a: build.fp_sub(a[0], a[1], _float(t)),
    Op.FP_MUL: lambda t, a: build.fp_mul(a[0], a[1], _float(t)),
    Op.FP_DIV: lambda t, a: build.fp_div(a[0], a[1], _float(t)),
    Op.FP_REM: lambda t, a: build.fp_rem(a[0], a[1], _float(t)),
    Op.FP_FMA: lambda t, a: build.fp_fma(a[0], a[1], a[2], _float(t)),
    Op.FP_SQRT: lambda t, a: build.fp_sqrt(a[0], _float(t)),
    Op.FP_NEG: lambda t, a: build.fp_neg(a[0], _float(t)),
    Op.FP_ABS: lambda t, a: build.fp_abs(a[0], _float(t)),
    Op.FP_ROUND: lambda t, a: build.fp_round_to_integral(a[0], RoundingMode(_payload(t)), _float(t)),
    Op.FP_EQ: lambda t, a: build.fp_eq(a[0], a[1], _argument_float(t)),
    Op.FP_LT: lambda t, a: build.fp_lt(a[0], a[1], _argument_float(t)),
    Op.FP_LE: lambda t, a: build.fp_le(a[0], a[1], _argument_float(t)),
    Op.FP_IS_NAN: lambda t, a: build.fp_is_nan(a[0], _argument_float(t)),
    Op.FP_IS_INF: lambda t, a: build.fp_is_inf(a[0], _argument_float(t)),
    Op.FP_IS_ZERO: lambda t, a: build.fp_is_zero(a[0], _argument_float(t)),
    Op.FP_IS_NEGATIVE: lambda t, a: build.fp_is_negative(a[0], _argument_float(t)),
    Op.FP_IS_NORMAL: lambda t, a: build.fp_is_normal(a[0], _argument_float(t)),
    Op.FP_IS_SUBNORMAL: lambda t, a: build.fp_is_subnormal(a[0], _argument_float(t)),
    Op.FP_TO_FP: lambda t, a: build.fp_to_fp(a[0], _argument_float(t), _float(t)),
    Op.FP_FROM_SIGNED: lambda t, a: build.fp_from_signed(a[0], _argument_width(t), _float(t)),
    Op.FP_FROM_UNSIGNED: lambda t, a: build.fp_from_unsigned(a[0], _argument_width(t), _float(t)),
    Op.FP_TO_SIGNED: lambda t, a: build.fp_to_signed(a[0], _argument_float(t), _width(t)),
    Op.FP_TO_UNSIGNED: lambda t, a: build.fp_to_unsigned(a[0], _argument_float(t), _width(t)),
}
