"""What a kind of values must offer so that instructions can be defined over it.

Every instruction is defined once, in `instructions/`, with the operations of an `Algebra`. Instances:
`ints` (exact Python ints), `terms` (symbolic values), `source` (text of Python expressions).

Values are bit-vectors of an explicit width in bits. Width 1 is a truth value: `and_`, `or_`, `xor`,
`not_` of width 1 are the boolean connectives, comparisons give width 1. Floats are values of a
`Float` format; all NaNs are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.program.types import FloatType, Type
from counterpoint.term.sorts import Float
from counterpoint.term.term import RoundingMode

V = TypeVar("V")


class Algebra(Protocol[V]):
    """Total operations on values; results are unsigned and below 2**width where they are ints."""

    def const(self, value: int, width: int) -> V:
        """`value` modulo 2**width."""

    # ---------------------------------------------------------------- bit-vectors of one width
    def add(self, a: V, b: V, width: int) -> V: ...
    def sub(self, a: V, b: V, width: int) -> V: ...
    def mul(self, a: V, b: V, width: int) -> V: ...
    def neg(self, a: V, width: int) -> V: ...

    def udiv(self, a: V, b: V, width: int) -> V:
        """All ones where b = 0."""

    def urem(self, a: V, b: V, width: int) -> V:
        """`a` where b = 0."""

    def sdiv(self, a: V, b: V, width: int) -> V:
        """Toward zero; 1 or -1 where b = 0 and a is negative or not; wraps for the least value over -1."""

    def srem(self, a: V, b: V, width: int) -> V:
        """Sign of `a`; `a` where b = 0."""

    def and_(self, a: V, b: V, width: int) -> V: ...
    def or_(self, a: V, b: V, width: int) -> V: ...
    def xor(self, a: V, b: V, width: int) -> V: ...
    def not_(self, a: V, width: int) -> V: ...

    def shl(self, a: V, b: V, width: int) -> V:
        """0 where b >= width."""

    def lshr(self, a: V, b: V, width: int) -> V:
        """0 where b >= width."""

    def ashr(self, a: V, b: V, width: int) -> V:
        """Copies of the sign bit where b >= width."""

    # ---------------------------------------------------------------- comparisons, of width 1
    def eq(self, a: V, b: V, width: int) -> V: ...
    def ult(self, a: V, b: V, width: int) -> V: ...
    def ule(self, a: V, b: V, width: int) -> V: ...
    def slt(self, a: V, b: V, width: int) -> V: ...
    def sle(self, a: V, b: V, width: int) -> V: ...

    def ite(self, condition: V, a: V, b: V, width: int) -> V:
        """`a` where the condition (width 1) holds, else `b`."""

    # ---------------------------------------------------------------- changes of width
    def extract(self, high: int, low: int, a: V, width: int) -> V:
        """Bits `high` down to `low`, both included, of `a`, which has `width` bits."""

    def concat(self, high: V, high_width: int, low: V, low_width: int) -> V: ...

    def zext(self, a: V, source: int, target: int) -> V:
        """target >= source."""

    def sext(self, a: V, source: int, target: int) -> V:
        """target >= source."""

    # ---------------------------------------------------------------- floats; to nearest even by default
    def fp_from_bits(self, a: V, form: Float) -> V: ...
    def bits_from_fp(self, a: V, form: Float) -> V: ...
    def fp_ite(self, condition: V, a: V, b: V, form: Float) -> V: ...
    def fp_add(self, a: V, b: V, form: Float) -> V: ...
    def fp_sub(self, a: V, b: V, form: Float) -> V: ...
    def fp_mul(self, a: V, b: V, form: Float) -> V: ...
    def fp_div(self, a: V, b: V, form: Float) -> V: ...

    def fp_rem(self, a: V, b: V, form: Float) -> V:
        """IEEE remainder: a - b * (a/b rounded to nearest even), exactly."""

    def fp_fma(self, a: V, b: V, c: V, form: Float) -> V: ...
    def fp_sqrt(self, a: V, form: Float) -> V: ...
    def fp_neg(self, a: V, form: Float) -> V: ...
    def fp_abs(self, a: V, form: Float) -> V: ...

    def fp_round(self, mode: RoundingMode, a: V, form: Float) -> V:
        """To an integral value."""

    def fp_eq(self, a: V, b: V, form: Float) -> V:
        """IEEE equality: +0 = -0, nothing equals NaN."""

    def fp_lt(self, a: V, b: V, form: Float) -> V: ...
    def fp_le(self, a: V, b: V, form: Float) -> V: ...
    def fp_is_nan(self, a: V, form: Float) -> V: ...
    def fp_is_inf(self, a: V, form: Float) -> V: ...
    def fp_is_zero(self, a: V, form: Float) -> V: ...
    def fp_is_normal(self, a: V, form: Float) -> V: ...
    def fp_is_subnormal(self, a: V, form: Float) -> V: ...

    def fp_is_negative(self, a: V, form: Float) -> V:
        """The sign bit is set; false for NaN."""

    # ---------------------------------------------------------------- conversions
    def fp_to_fp(self, a: V, source: Float, target: Float) -> V: ...
    def fp_from_signed(self, a: V, width: int, form: Float) -> V: ...
    def fp_from_unsigned(self, a: V, width: int, form: Float) -> V: ...

    def fp_to_signed(self, a: V, form: Float, width: int) -> V:
        """Toward zero; 0 where the result does not fit."""

    def fp_to_unsigned(self, a: V, form: Float, width: int) -> V:
        """Toward zero; 0 where the result does not fit."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of an instruction's operands and of its result."""

    operands: tuple[Type, ...]
    result: Type

    @property
    def width(self) -> int:
        """Bits of the first operand, in most operations the width of all of them."""
        return self.operands[0].bits

    @property
    def form(self) -> Float:
        """The float format of the first operand."""
        return float_format(self.operands[0])


def float_format(type_: Type) -> Float:
    """The format of a float type. Raises TypeError for any other: `program.validate` rules that out."""
    if not isinstance(type_, FloatType):
        raise TypeError(f"{type_} is no float type")
    return Float(type_.exponent, type_.significand)


class Definition(Protocol):
    """What an operation computes, over any algebra."""

    def __call__(self, m: Algebra[V], v: Sequence[V], t: Signature, /) -> V: ...
