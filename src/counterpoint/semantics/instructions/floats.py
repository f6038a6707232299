"""IEEE 754 arithmetic and comparison; rounding to nearest even unless the operation says otherwise.

Deviation: all NaNs are one (quiet, positive, no payload), so the sign of a NaN is never seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.semantics.algebra import Algebra, Definition, Signature, V
from counterpoint.term.sorts import Float
from counterpoint.term.term import RoundingMode


def fadd(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_add(v[0], v[1], t.form)


def fsub(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_sub(v[0], v[1], t.form)


def fmul(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_mul(v[0], v[1], t.form)


def fdiv(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_div(v[0], v[1], t.form)


def frem(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """C's fmod, from the IEEE remainder r of the magnitudes: r, or r + |b| where r < 0, with a's sign.

    Exact: fmod is a float, and where r < 0 it is the exact sum of r and |b|.
    """
    a, b, form = v[0], v[1], t.form
    size = m.fp_abs(b, form)
    rest = m.fp_rem(m.fp_abs(a, form), size, form)
    below = m.fp_lt(rest, m.const(0, form.width), form)
    whole = m.fp_abs(m.fp_ite(below, m.fp_add(rest, size, form), rest, form), form)
    return m.fp_ite(m.fp_is_negative(a, form), m.fp_neg(whole, form), whole, form)


def fneg(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_neg(v[0], t.form)


def fabs(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_abs(v[0], t.form)


def fsqrt(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_sqrt(v[0], t.form)


def fma(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_fma(v[0], v[1], v[2], t.form)


def copysign(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    size = m.fp_abs(v[0], t.form)
    return m.fp_ite(m.fp_is_negative(v[1], t.form), m.fp_neg(size, t.form), size, t.form)


# ---------------------------------------------------------------- minima and maxima


def fminnum(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """C's fmin: a NaN gives the other operand; -0 counts as less than +0."""
    return _ignoring_nan(m, v, fminimum(m, v, t), t)


def fmaxnum(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """C's fmax: a NaN gives the other operand; -0 counts as less than +0."""
    return _ignoring_nan(m, v, fmaximum(m, v, t), t)


def _ignoring_nan(m: Algebra[V], v: Sequence[V], otherwise: V, t: Signature) -> V:
    a, b, form = v[0], v[1], t.form
    return m.fp_ite(m.fp_is_nan(a, form), b, m.fp_ite(m.fp_is_nan(b, form), a, otherwise, form), form)


def fminimum(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """IEEE 754-2019 minimum: NaN if there is one; -0 is less than +0."""
    return _propagating_nan(m, v, _below(m, v[0], v[1], t.form), t)


def fmaximum(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """IEEE 754-2019 maximum: NaN if there is one; -0 is less than +0."""
    return _propagating_nan(m, v, _below(m, v[1], v[0], t.form), t)


def _below(m: Algebra[V], a: V, b: V, form: Float) -> V:
    """a < b in the order in which -0 is less than +0; for operands that are no NaN."""
    less, same = m.fp_lt(a, b, form), m.fp_eq(a, b, form)
    return m.or_(less, m.and_(same, m.fp_is_negative(a, form), 1), 1)


def _propagating_nan(m: Algebra[V], v: Sequence[V], first: V, t: Signature) -> V:
    a, b, form = v[0], v[1], t.form
    some_nan = m.or_(m.fp_is_nan(a, form), m.fp_is_nan(b, form), 1)
    return m.fp_ite(some_nan, m.const(form.nan, form.width), m.fp_ite(first, a, b, form), form)


# ---------------------------------------------------------------- rounding to integral values


def ffloor(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_round(RoundingMode.DOWNWARD, v[0], t.form)


def fceil(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_round(RoundingMode.UPWARD, v[0], t.form)


def ftrunc(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_round(RoundingMode.TOWARD_ZERO, v[0], t.form)


def fround(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_round(RoundingMode.NEAREST_AWAY, v[0], t.form)


def froundeven(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_round(RoundingMode.NEAREST_EVEN, v[0], t.form)


# ---------------------------------------------------------------- comparison


def feq(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_eq(v[0], v[1], t.form)


def flt(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_lt(v[0], v[1], t.form)


def fle(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_le(v[0], v[1], t.form)


def funordered(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.or_(m.fp_is_nan(v[0], t.form), m.fp_is_nan(v[1], t.form), 1)


def is_fpclass(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """llvm.is.fpclass: whether one of the classes that the mask v1 selects applies.

    Bits 0, 1: NaN (signalling, quiet); 2..5: -inf, -normal, -subnormal, -0; 6..9 the positive ones,
    in reverse order. Signalling NaNs do not occur.
    """
    a, mask, form, width = v[0], v[1], t.form, t.operands[1].bits
    sizes = (m.fp_is_inf(a, form), m.fp_is_normal(a, form), m.fp_is_subnormal(a, form), m.fp_is_zero(a, form))
    negative = m.fp_is_negative(a, form)
    positive = m.not_(negative, 1)
    classes = [(1, m.fp_is_nan(a, form))]
    for place, holds in enumerate(sizes):
        classes.append((2 + place, m.and_(negative, holds, 1)))
        classes.append((9 - place, m.and_(positive, holds, 1)))
    result = m.const(0, 1)
    for bit, holds in classes:
        result = m.or_(result, m.and_(m.extract(bit, bit, mask, width), holds, 1), 1)
    return result


OPERATIONS: Mapping[str, Definition] = {
    "fadd": fadd,
    "fsub": fsub,
    "fmul": fmul,
    "fdiv": fdiv,
    "frem": frem,
    "fneg": fneg,
    "fabs": fabs,
    "fsqrt": fsqrt,
    "fma": fma,
    "copysign": copysign,
    "fminnum": fminnum,
    "fmaxnum": fmaxnum,
    "fminimum": fminimum,
    "fmaximum": fmaximum,
    "ffloor": ffloor,
    "fceil": fceil,
    "ftrunc": ftrunc,
    "fround": fround,
    "froundeven": froundeven,
    "frint": froundeven,
    "feq": feq,
    "flt": flt,
    "fle": fle,
    "funordered": funordered,
    "is_fpclass": is_fpclass,
}
