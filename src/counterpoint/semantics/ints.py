"""The algebra of Python ints: exact, unsigned, below 2**width; floats are their IEEE bits."""

from __future__ import annotations

import operator

from counterpoint.semantics import hostfloat
from counterpoint.term import floating, meaning
from counterpoint.term.sorts import Float
from counterpoint.term.term import RoundingMode


class Ints:
    """`Algebra[int]`. Operands must be in range; results are, and truth values are 0 or 1 (never bool)."""

    __slots__ = ()

    def const(self, value: int, width: int) -> int:
        return value & ((1 << width) - 1)

    # ---------------------------------------------------------------- bit-vectors
    def add(self, a: int, b: int, width: int) -> int:
        return (a + b) & ((1 << width) - 1)

    def sub(self, a: int, b: int, width: int) -> int:
        return (a - b) & ((1 << width) - 1)

    def mul(self, a: int, b: int, width: int) -> int:
        return (a * b) & ((1 << width) - 1)

    def neg(self, a: int, width: int) -> int:
        return -a & ((1 << width) - 1)

    def udiv(self, a: int, b: int, width: int) -> int:
        return meaning.udiv(a, b, width)

    def urem(self, a: int, b: int, width: int) -> int:
        return meaning.urem(a, b)

    def sdiv(self, a: int, b: int, width: int) -> int:
        return meaning.sdiv(a, b, width)

    def srem(self, a: int, b: int, width: int) -> int:
        return meaning.srem(a, b, width)

    def and_(self, a: int, b: int, width: int) -> int:
        return a & b

    def or_(self, a: int, b: int, width: int) -> int:
        return a | b

    def xor(self, a: int, b: int, width: int) -> int:
        return a ^ b

    def not_(self, a: int, width: int) -> int:
        return a ^ ((1 << width) - 1)

    def shl(self, a: int, b: int, width: int) -> int:
        return meaning.shl(a, b, width)

    def lshr(self, a: int, b: int, width: int) -> int:
        return meaning.lshr(a, b, width)

    def ashr(self, a: int, b: int, width: int) -> int:
        return meaning.ashr(a, b, width)

    # ---------------------------------------------------------------- comparisons
    def eq(self, a: int, b: int, width: int) -> int:
        return 1 if a == b else 0

    def ult(self, a: int, b: int, width: int) -> int:
        return 1 if a < b else 0

    def ule(self, a: int, b: int, width: int) -> int:
        return 1 if a <= b else 0

    def slt(self, a: int, b: int, width: int) -> int:
        return meaning.slt(a, b, width)

    def sle(self, a: int, b: int, width: int) -> int:
        return 1 - meaning.slt(b, a, width)

    def ite(self, condition: int, a: int, b: int, width: int) -> int:
        return a if condition else b

    # ---------------------------------------------------------------- changes of width
    def extract(self, high: int, low: int, a: int, width: int) -> int:
        return (a >> low) & ((1 << (high - low + 1)) - 1)

    def concat(self, high: int, high_width: int, low: int, low_width: int) -> int:
        return high << low_width | low

    def zext(self, a: int, source: int, target: int) -> int:
        return a

    def sext(self, a: int, source: int, target: int) -> int:
        return meaning.sext(a, source, target)
    # ---------------------------------------------------------------- floats
    def fp_from_bits(self, a: int, form: Float) -> int:
        return a  # also of a NaN: copies keep all bits

    def bits_from_fp(self, a: int, form: Float) -> int:
        return a

    def fp_ite(self, condition: int, a: int, b: int, form: Float) -> int:
        return a if condition else b

    def fp_add(self, a: int, b: int, form: Float) -> int:
        fast = hostfloat.binary(operator.add, a, b, form)
        return fast if fast is not None else floating.add(a, b, form)

    def fp_sub(self, a: int, b: int, form: Float) -> int:
        fast = hostfloat.binary(operator.sub, a, b, form)
        return fast if fast is not None else floating.sub(a, b, form)

    def fp_mul(self, a: int, b: int, form: Float) -> int:
        fast = hostfloat.binary(operator.mul, a, b, form)
        return fast if fast is not None else floating.mul(a, b, form)

    def fp_div(self, a: int, b: int, form: Float) -> int:
        fast = hostfloat.binary(operator.truediv, a, b, form)
        return fast if fast is not None else floating.div(a, b, form)

    def fp_rem(self, a: int, b: int, form: Float) -> int:
        return floating.remainder(a, b, form)

    def fp_fma(self, a: int, b: int, c: int, form: Float) -> int:
        return floating.fma(a, b, c, form)

    def fp_sqrt(self, a: int, form: Float) -> int:
        fast = hostfloat.square_root(a, form)
        return fast if fast is not None else floating.sqrt(a, form)

    def fp_neg(self, a: int, form: Float) -> int:
        return floating.neg(a, form)

    def fp_abs(self, a: int, form: Float) -> int:
        return floating.absolute(a, form)

    def fp_round(self, mode: RoundingMode, a: int, form: Float) -> int:
        return floating.round_to_integral(a, mode, form)

    def fp_eq(self, a: int, b: int, form: Float) -> int:
        return int(floating.equal(a, b, form))

    def fp_lt(self, a: int, b: int, form: Float) -> int:
        return int(floating.less(a, b, form))

    def fp_le(self, a: int, b: int, form: Float) -> int:
        return int(floating.less(a, b, form) or floating.equal(a, b, form))

    def fp_is_nan(self, a: int, form: Float) -> int:
        return int(floating.is_nan(a, form))

    def fp_is_inf(self, a: int, form: Float) -> int:
        return int(floating.is_inf(a, form))

    def fp_is_zero(self, a: int, form: Float) -> int:
        return int(floating.is_zero(a, form))

    def fp_is_normal(self, a: int, form: Float) -> int:
        return int(floating.is_normal(a, form))

    def fp_is_subnormal(self, a: int, form: Float) -> int:
        return int(floating.is_subnormal(a, form))

    def fp_is_negative(self, a: int, form: Float) -> int:
        return int(floating.is_negative(a, form))

    # ---------------------------------------------------------------- conversions
    def fp_to_fp(self, a: int, source: Float, target: Float) -> int:
        fast = hostfloat.convert(a, source, target)
        return fast if fast is not None else floating.convert(a, source, target)

    def fp_from_signed(self, a: int, width: int, form: Float) -> int:
        fast = hostfloat.from_integer(meaning.signed(a, width), form)
        return fast if fast is not None else floating.from_signed(a, width, form)

    def fp_from_unsigned(self, a: int, width: int, form: Float) -> int:
        fast = hostfloat.from_integer(a, form)
        return fast if fast is not None else floating.from_unsigned(a, form)

    def fp_to_signed(self, a: int, form: Float, width: int) -> int:
        whole = hostfloat.to_integer(a, form)
        half = 1 << (width - 1)
        if whole is not None and -half <= whole < half:
            return whole & (2 * half - 1)
        return floating.to_signed(a, form, width)

    def fp_to_unsigned(self, a: int, form: Float, width: int) -> int:
        whole = hostfloat.to_integer(a, form)
        if whole is not None and 0 <= whole < 1 << width:
            return whole
        return floating.to_unsigned(a, form, width)


INTS = Ints()
