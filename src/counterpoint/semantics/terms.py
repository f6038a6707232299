"""The algebra of symbolic values: ints where they are concrete, Terms where they are not.

A value of width 1 is a Bool, in a register as well; bit-vector constructors never see width 1. Floats
are Terms of a Float sort or the ints of their bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias, cast

from counterpoint.program.model import Compute
from counterpoint.semantics import signature
from counterpoint.semantics.algebra import Algebra, Definition, Signature
from counterpoint.semantics.instructions import definition
from counterpoint.semantics.ints import INTS
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import RoundingMode, V


def _to_vector(a: V, width: int) -> V:
    """A value of `width` bits as a bit-vector; at width 1 it is a Bool."""
    return build.ite(a, 1, 0, BitVec(1)) if width == 1 and not isinstance(a, int) else a


def _from_vector(a: V, width: int) -> V:
    """A bit-vector of `width` bits as a value; at width 1 that is a Bool."""
    return build.eq(a, 1, 1) if width == 1 and not isinstance(a, int) else a


def _within(a: V, least: int, bound: int, form: Float) -> V:
    """least <= (a rounded toward zero) < bound, both powers of 2 up to sign, or 0.

    Exact: powers of 2 are floats, or infinities where the format ends before them.
    """
    whole = build.fp_round_to_integral(a, RoundingMode.TOWARD_ZERO, form)
    low = build.fp_le(_float_bits(least, form), whole, form)
    high = build.fp_lt(whole, _float_bits(bound, form), form)
    return build.conjunction((build.not_(build.fp_is_inf(a, form)), low, high))


def _float_bits(number: int, form: Float) -> int:
    width = number.bit_length() + 2
    return INTS.fp_from_signed(number & ((1 << width) - 1), width, form)


class Terms:
    """`Algebra[int | Term]`."""

    __slots__ = ()

    def const(self, value: int, width: int) -> V:
        return value & ((1 << width) - 1)

    # ---------------------------------------------------------------- bit-vectors
    def add(self, a: V, b: V, width: int) -> V:
        return build.xor_(a, b) if width == 1 else build.add(a, b, width)

    def sub(self, a: V, b: V, width: int) -> V:
        return build.xor_(a, b) if width == 1 else build.sub(a, b, width)

    def mul(self, a: V, b: V, width: int) -> V:
        return build.and_(a, b) if width == 1 else build.mul(a, b, width)

    def neg(self, a: V, width: int) -> V:
        return a if width == 1 else build.neg(a, width)

    def udiv(self, a: V, b: V, width: int) -> V:
        return build.or_(a, build.not_(b)) if width == 1 else build.udiv(a, b, width)

    def urem(self, a: V, b: V, width: int) -> V:
        return build.and_(a, build.not_(b)) if width == 1 else build.urem(a, b, width)

    def sdiv(self, a: V, b: V, width: int) -> V:
        """At width 1: -1/-1 wraps to -1; x/0 is 1 for x = -1 (that is -1 as well), -1 for x = 0."""
        return build.or_(a, build.not_(b)) if width == 1 else build.sdiv(a, b, width)

    def srem(self, a: V, b: V, width: int) -> V:
        return build.and_(a, build.not_(b)) if width == 1 else build.srem(a, b, width)

    def and_(self, a: V, b: V, width: int) -> V:
        return build.and_(a, b) if width == 1 else build.bvand(a, b, width)

    def or_(self, a: V, b: V, width: int) -> V:
        return build.or_(a, b) if width == 1 else build.bvor(a, b, width)

    def xor(self, a: V, b: V, width: int) -> V:
        return build.xor_(a, b) if width == 1 else build.bvxor(a, b, width)

    def not_(self, a: V, width: int) -> V:
        return build.not_(a) if width == 1 else build.bvnot(a, width)

    def shl(self, a: V, b: V, width: int) -> V:
        return build.and_(a, build.not_(b)) if width == 1 else build.shl(a, b, width)

    def lshr(self, a: V, b: V, width: int) -> V:
        return build.and_(a, build.not_(b)) if width == 1 else build.lshr(a, b, width)

    def ashr(self, a: V, b: V, width: int) -> V:
        return a if width == 1 else build.ashr(a, b, width)

    # ---------------------------------------------------------------- comparisons
    def eq(self, a: V, b: V, width: int) -> V:
        return build.iff(a, b) if width == 1 else build.eq(a, b, width)

    def ult(self, a: V, b: V, width: int) -> V:
        return build.and_(build.not_(a), b) if width == 1 else build.ult(a, b, width)

    def ule(self, a: V, b: V, width: int) -> V:
        return build.implies(a, b) if width == 1 else build.ule(a, b, width)

    def slt(self, a: V, b: V, width: int) -> V:
        return build.and_(a, build.not_(b)) if width == 1 else build.slt(a, b, width)

    def sle(self, a: V, b: V, width: int) -> V:
        return build.implies(b, a) if width == 1 else build.sle(a, b, width)

    def ite(self, condition: V, a: V, b: V, width: int) -> V:
        return build.ite(condition, a, b, BOOL if width == 1 else width)

    # ---------------------------------------------------------------- changes of width
    def extract(self, high: int, low: int, a: V, width: int) -> V:
        if width == 1:
            return a
        return _from_vector(build.extract(high, low, a, width), high - low + 1)

    def concat(self, high: V, high_width: int, low: V, low_width: int) -> V:
        upper, lower = _to_vector(high, high_width), _to_vector(low, low_width)
        return build.concat(upper, high_width, lower, low_width)

    def zext(self, a: V, source: int, target: int) -> V:
        if source == target:
            return a
        return build.ite(a, 1, 0, target) if source == 1 else build.zext(a, source, target)

    def sext(self, a: V, source: int, target: int) -> V:
        if source == target:
            return a
        return build.ite(a, (1 << target) - 1, 0, target) if source == 1 else build.sext(a, source, target)

    # ---------------------------------------------------------------- floats
    def fp_from_bits(self, a: V, form: Float) -> V:
        return build.fp_from_bits(a, form)

    def bits_from_fp(self, a: V, form: Float) -> V:
        return build.bits_from_fp(a, form)

    def fp_ite(self, condition: V, a: V, b: V, form: Float) -> V:
        return build.ite(condition, a, b, form)

    def fp_add(self, a: V, b: V, form: Float) -> V:
        return build.fp_add(a, b, form)

    def fp_sub(self, a: V, b: V, form: Float) -> V:
        return build.fp_sub(a, b, form)

    def fp_mul(self, a: V, b: V, form: Float) -> V:
        return build.fp_mul(a, b, form)

    def fp_div(self, a: V, b: V, form: Float) -> V:
        return build.fp_div(a, b, form)

    def fp_rem(self, a: V, b: V, form: Float) -> V:
        return build.fp_rem(a, b, form)

    def fp_fma(self, a: V, b: V, c: V, form: Float) -> V:
        return build.fp_fma(a, b, c, form)

    def fp_sqrt(self, a: V, form: Float) -> V:
        return build.fp_sqrt(a, form)

    def fp_neg(self, a: V, form: Float) -> V:
        return build.fp_neg(a, form)

    def fp_abs(self, a: V, form: Float) -> V:
        return build.fp_abs(a, form)

    def fp_round(self, mode: RoundingMode, a: V, form: Float) -> V:
        return build.fp_round_to_integral(a, mode, form)

    def fp_eq(self, a: V, b: V, form: Float) -> V:
        return build.fp_eq(a, b, form)

    def fp_lt(self, a: V, b: V, form: Float) -> V:
        return build.fp_lt(a, b, form)

    def fp_le(self, a: V, b: V, form: Float) -> V:
        return build.fp_le(a, b, form)

    def fp_is_nan(self, a: V, form: Float) -> V:
        return build.fp_is_nan(a, form)

    def fp_is_inf(self, a: V, form: Float) -> V:
        return build.fp_is_inf(a, form)

    def fp_is_zero(self, a: V, form: Float) -> V:
        return build.fp_is_zero(a, form)

    def fp_is_normal(self, a: V, form: Float) -> V:
        return build.fp_is_normal(a, form)

    def fp_is_subnormal(self, a: V, form: Float) -> V:
        return build.fp_is_subnormal(a, form)

    def fp_is_negative(self, a: V, form: Float) -> V:
        return build.fp_is_negative(a, form)

    # ---------------------------------------------------------------- conversions
    def fp_to_fp(self, a: V, source: Float, target: Float) -> V:
        return build.fp_to_fp(a, source, target)

    def fp_from_signed(self, a: V, width: int, form: Float) -> V:
        wide = max(width, 8)
        return build.fp_from_signed(self.sext(a, width, wide), wide, form)

    def fp_from_unsigned(self, a: V, width: int, form: Float) -> V:
        wide = max(width, 8)
        return build.fp_from_unsigned(self.zext(a, width, wide), wide, form)

    def fp_to_signed(self, a: V, form: Float, width: int) -> V:
        half = 1 << (width - 1)
        whole = build.ite(_within(a, -half, half, form), build.fp_to_signed(a, form, width), 0, BitVec(width))
        return _from_vector(whole, width)

    def fp_to_unsigned(self, a: V, form: Float, width: int) -> V:
        fits = _within(a, 0, 1 << width, form)
        whole = build.ite(fits, build.fp_to_unsigned(a, form, width), 0, BitVec(width))
        return _from_vector(whole, width)


TERMS = Terms()


_Plan: TypeAlias = tuple[Compute, Definition, Signature]
_plans: dict[int, _Plan] = {}


_constant = [cast("Algebra[V]", INTS)]
"""What carries out instructions on constants alone."""


@contextmanager
def constants_by_constructors() -> Iterator[None]:
    """Inside of the `with`, the constructors of terms carry out what is about constants alone as well: their answers
    can be recorded (term/folds.py) and shown. It takes some times as long."""
    before = _constant[0]
    _constant[0] = TERMS
    try:
        yield
    finally:
        _constant[0] = before


def evaluate(instruction: Compute, operands: Sequence[V]) -> V:
    """The symbolic result of the instruction; where all operands are ints, no term is made on the way, as a rule."""
    plan = _plans.get(id(instruction))
    if plan is None or plan[0] is not instruction:
        plan = (instruction, definition(instruction.operation), signature(instruction))
        _plans[id(instruction)] = plan
    _, define, types = plan
    for operand in operands:
        if not isinstance(operand, int):
            return define(TERMS, operands, types)
    return define(_constant[0], operands, types)
