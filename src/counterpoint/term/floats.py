"""Constructors of IEEE float terms. A concrete float is the int of its bits; `sort` says which format.

Equality of floats is up to NaN payload: there is one NaN among float values, and the bits that
`bits_from_fp` gives for it are unspecified (`bits_from_fp(fp_from_bits(b))` is b, also of an int; a solver may choose
any NaN's). Operations do not look at the payload of an int. Arithmetic rounds to nearest, ties to even.
"""

from __future__ import annotations

from counterpoint.term import floating
from counterpoint.term.boolean import not_, or_
from counterpoint.term.choice import ite, map_leaves
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import Op, RoundingMode, Term, V, intern

_FROM_BITS = Op.FP_FROM_BITS
_BITS = Op.BITS_FROM_FP
_NEG = Op.FP_NEG
_ABS = Op.FP_ABS
_ITE = Op.ITE
_TO_FP = Op.FP_TO_FP


def fp_from_bits(bits: V, sort: Float) -> V:
    """The float with these bits (`sort.width` of them)."""
    if isinstance(bits, int):
        return bits
    if bits.op is _BITS:
        inner = bits.args[0]
        if isinstance(inner, Term) and inner.sort is sort:
            return inner
    if bits.leaves:
        return map_leaves(bits, lambda leaf: leaf, sort)
    return intern(_FROM_BITS, (bits,), None, sort)


def bits_from_fp(value: V, sort: Float, fuel: int = 8) -> V:
    """The bits of a float; some NaN's bits for the NaN. `fuel` bounds the nested ITEs looked into."""
    if isinstance(value, int):
        return value
    if value.op is _FROM_BITS:
        return value.args[0]
    if value.leaves:
        return map_leaves(value, lambda leaf: leaf, sort.width)
    if value.op is _ITE and fuel:
        condition, a, b = value.args
        left, right = bits_from_fp(a, sort, fuel - 1), bits_from_fp(b, sort, fuel - 1)
        return ite(condition, left, right, sort.width)
    return intern(_BITS, (value,), None, BitVec(sort.width))


def _ordered(op: Op, a: V, b: V, sort: Float) -> Term:
    """A commutative operation: constants on the right, older terms on the left."""
    if isinstance(a, int) or (isinstance(b, Term) and b.index < a.index):
        a, b = b, a
    return intern(op, (a, b), None, sort)


def fp_add(a: V, b: V, sort: Float) -> V:
    if isinstance(a, int) and isinstance(b, int):
        return floating.add(a, b, sort)
    return _ordered(Op.FP_ADD, a, b, sort)


def fp_sub(a: V, b: V, sort: Float) -> V:
    if isinstance(a, int) and isinstance(b, int):
        return floating.sub(a, b, sort)
    return intern(Op.FP_SUB, (a, b), None, sort)


def fp_mul(a: V, b: V, sort: Float) -> V:
    if isinstance(a, int) and isinstance(b, int):
        return floating.mul(a, b, sort)
    return _ordered(Op.FP_MUL, a, b, sort)


def fp_div(a: V, b: V, sort: Float) -> V:
    if isinstance(a, int) and isinstance(b, int):
        return floating.div(a, b, sort)
    return intern(Op.FP_DIV, (a, b), None, sort)


def fp_rem(a: V, b: V, sort: Float) -> V:
    """IEEE remainder (C's `remainder`, not `fmod`; for that on ints see `floating.fmod`)."""
    if isinstance(a, int) and isinstance(b, int):
        return floating.remainder(a, b, sort)
    return intern(Op.FP_REM, (a, b), None, sort)


def fp_fma(a: V, b: V, c: V, sort: Float) -> V:
    """a * b + c, rounded once."""
    if isinstance(a, int) and isinstance(b, int) and isinstance(c, int):
        return floating.fma(a, b, c, sort)
    return intern(Op.FP_FMA, (a, b, c), None, sort)


def fp_sqrt(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return floating.sqrt(a, sort)
    return intern(Op.FP_SQRT, (a,), None, sort)


def fp_neg(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return floating.neg(a, sort)
    if a.op is _NEG:
        return a.args[0]
    return intern(_NEG, (a,), None, sort)


def fp_abs(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return floating.absolute(a, sort)
    if a.op is _NEG:
        return fp_abs(a.args[0], sort)
    if a.op is _ABS:
        return a
    return intern(_ABS, (a,), None, sort)


def fp_round_to_integral(a: V, mode: RoundingMode, sort: Float) -> V:
    """The integral value next to `a` in the direction of `mode`."""
    if isinstance(a, int):
        return floating.round_to_integral(a, mode, sort)
    return intern(Op.FP_ROUND, (a,), int(mode), sort)


def fp_min(a: V, b: V, sort: Float) -> V:
    """The smaller one; the other one if one is the NaN; `a` if they compare equal (also between zeros)."""
    return ite(or_(fp_is_nan(a, sort), fp_lt(b, a, sort)), b, a, sort)


def fp_max(a: V, b: V, sort: Float) -> V:
    """The larger one; the other one if one is the NaN; `a` if they compare equal (also between zeros)."""
    return ite(or_(fp_is_nan(a, sort), fp_lt(a, b, sort)), b, a, sort)


def fp_eq(a: V, b: V, sort: Float) -> V:
    """a == b as C has it: zeros are equal, the NaN equals nothing."""
    if isinstance(a, int):
        if isinstance(b, int):
            return int(floating.equal(a, b, sort))
        a, b = b, a
    if a is b:
        return not_(fp_is_nan(a, sort))
    if isinstance(b, int):
        right = b
        if a.leaves:
            return map_leaves(a, lambda leaf: int(floating.equal(leaf, right, sort)), BOOL)
        if floating.is_nan(b, sort):
            return 0
        return intern(Op.FP_EQ, (a, b), None, BOOL)
    return intern(Op.FP_EQ, (a, b) if a.index < b.index else (b, a), None, BOOL)


def fp_lt(a: V, b: V, sort: Float) -> V:
    """a < b; never with the NaN."""
    if isinstance(a, int) and isinstance(b, int):
        return int(floating.less(a, b, sort))
    if a is b or _nan_among(a, b, sort):
        return 0
    if isinstance(a, Term) and a.leaves and isinstance(b, int):
        return map_leaves(a, lambda leaf: int(floating.less(leaf, b, sort)), BOOL)
    if isinstance(b, Term) and b.leaves and isinstance(a, int):
        return map_leaves(b, lambda leaf: int(floating.less(a, leaf, sort)), BOOL)
    return intern(Op.FP_LT, (a, b), None, BOOL)


def fp_le(a: V, b: V, sort: Float) -> V:
    """a <= b; never with the NaN."""
    if isinstance(a, int) and isinstance(b, int):
        return int(floating.less(a, b, sort) or floating.equal(a, b, sort))
    if _nan_among(a, b, sort):
        return 0
    if a is b:
        return not_(fp_is_nan(a, sort))
    return intern(Op.FP_LE, (a, b), None, BOOL)


def _nan_among(a: V, b: V, sort: Float) -> bool:
    return (isinstance(a, int) and floating.is_nan(a, sort)) or (
        isinstance(b, int) and floating.is_nan(b, sort)
    )


def fp_is_nan(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return int(floating.is_nan(a, sort))
    if a.leaves:
        return map_leaves(a, lambda leaf: int(floating.is_nan(leaf, sort)), BOOL)
    if a.op is _NEG or a.op is _ABS:
        return fp_is_nan(a.args[0], sort)
    if a.op is Op.FP_FROM_SIGNED or a.op is Op.FP_FROM_UNSIGNED:
        return 0
    if a.op is _TO_FP:
        inner = a.args[0]
        assert isinstance(inner, Term) and isinstance(inner.sort, Float)
        return fp_is_nan(inner, inner.sort)
    return intern(Op.FP_IS_NAN, (a,), None, BOOL)


def fp_is_inf(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return int(floating.is_inf(a, sort))
    if a.op is _NEG or a.op is _ABS:
        return fp_is_inf(a.args[0], sort)
    return intern(Op.FP_IS_INF, (a,), None, BOOL)


def fp_is_zero(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return int(floating.is_zero(a, sort))
    if a.op is _NEG or a.op is _ABS:
        return fp_is_zero(a.args[0], sort)
    return intern(Op.FP_IS_ZERO, (a,), None, BOOL)


def fp_is_negative(a: V, sort: Float) -> V:
    """The sign is negative (also of a zero or an infinity), and it is not the NaN."""
    if isinstance(a, int):
        return int(floating.is_negative(a, sort))
    if a.op is _ABS:
        return 0
    return intern(Op.FP_IS_NEGATIVE, (a,), None, BOOL)


def fp_is_normal(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return int(floating.is_normal(a, sort))
    if a.op is _NEG or a.op is _ABS:
        return fp_is_normal(a.args[0], sort)
    return intern(Op.FP_IS_NORMAL, (a,), None, BOOL)


def fp_is_subnormal(a: V, sort: Float) -> V:
    if isinstance(a, int):
        return int(floating.is_subnormal(a, sort))
    if a.op is _NEG or a.op is _ABS:
        return fp_is_subnormal(a.args[0], sort)
    return intern(Op.FP_IS_SUBNORMAL, (a,), None, BOOL)


def fp_to_fp(a: V, source: Float, target: Float) -> V:
    """The same value in another format, rounded."""
    if source is target:
        return a
    if isinstance(a, int):
        return floating.convert(a, source, target)
    if a.op is _TO_FP:
        inner = a.args[0]
        assert isinstance(inner, Term) and isinstance(inner.sort, Float)
        if _contains(source, inner.sort):
            return fp_to_fp(inner, inner.sort, target)
    return intern(_TO_FP, (a,), None, target)


def _contains(wide: Float, narrow: Float) -> bool:
    """Whether every value of `narrow` is one of `wide`."""
    return wide.exponent_bits >= narrow.exponent_bits and wide.significand_bits >= narrow.significand_bits


def fp_from_signed(a: V, width: int, sort: Float) -> V:
    """The signed integer `a` of `width` bits, rounded."""
    if isinstance(a, int):
        return floating.from_signed(a, width, sort)
    return intern(Op.FP_FROM_SIGNED, (a,), None, sort)


def fp_from_unsigned(a: V, width: int, sort: Float) -> V:
    """The unsigned integer `a` of `width` bits, rounded."""
    if isinstance(a, int):
        return floating.from_unsigned(a, sort)
    return intern(Op.FP_FROM_UNSIGNED, (a,), None, sort)


def fp_to_signed(a: V, sort: Float, width: int) -> V:
    """Toward zero, to a signed integer. Unspecified where it does not fit: the caller guards that case."""
    if isinstance(a, int):
        return floating.to_signed(a, sort, width)
    return intern(Op.FP_TO_SIGNED, (a,), None, BitVec(width))


def fp_to_unsigned(a: V, sort: Float, width: int) -> V:
    """Toward zero, to an unsigned integer. Unspecified where it does not fit: the caller guards that case."""
    if isinstance(a, int):
        return floating.to_unsigned(a, sort, width)
    return intern(Op.FP_TO_UNSIGNED, (a,), None, BitVec(width))
