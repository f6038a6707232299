"""Arithmetic of binary32 and binary64 by the host's own doubles, about ten times faster than softfloat.

Every function gives the bits of the result, or None where the host may not say what IEEE 754 does
(another format, division by zero, a result out of binary32's range); the caller then asks
`term.floating`, which is the definition. Binary32 is computed in binary64 and rounded once more, which
changes nothing for + - * / and square roots (53 >= 2 * 24 + 2 bits; Figueroa, When is double rounding
innocuous?, 1995).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from struct import Struct
from typing import TypeAlias

from counterpoint.term.sorts import FLOAT32, FLOAT64, Float

Operation: TypeAlias = Callable[..., float]

TRUSTED = sys.float_info.mant_dig == 53 and sys.float_info.max_exp == 1024 and sys.maxsize > 2**32
"""The host computes in binary64, without wider intermediate results (64-bit processors)."""

_WORD32, _WORD64, _NUMBER32, _NUMBER64 = Struct("<I"), Struct("<Q"), Struct("<f"), Struct("<d")


def _number(bits: int, form: Float) -> float:
    if form is FLOAT64:
        result: float = _NUMBER64.unpack(_WORD64.pack(bits))[0]
        return result
    single: float = _NUMBER32.unpack(_WORD32.pack(bits))[0]
    return single


def _bits(number: float, form: Float) -> int | None:
    if number != number:
        return form.nan
    try:
        if form is FLOAT64:
            result: int = _WORD64.unpack(_NUMBER64.pack(number))[0]
            return result
        single: int = _WORD32.unpack(_NUMBER32.pack(number))[0]
        return single
    except OverflowError:
        return None


def binary(operation: Operation, a: int, b: int, form: Float) -> int | None:
    """`operation` on two floats: + - * or /."""
    if not TRUSTED or (form is not FLOAT64 and form is not FLOAT32):
        return None
    try:
        return _bits(operation(_number(a, form), _number(b, form)), form)
    except ArithmeticError:
        return None


def square_root(a: int, form: Float) -> int | None:
    """The square root of a float that is not negative."""
    if not TRUSTED or a >= form.sign_bit or (form is not FLOAT64 and form is not FLOAT32):
        return None
    return _bits(math.sqrt(_number(a, form)), form)


def from_integer(number: int, form: Float) -> int | None:
    """A Python integer, rounded to binary64."""
    if not TRUSTED or form is not FLOAT64 or number.bit_length() > 1000:
        return None
    return _bits(float(number), form)


def to_integer(a: int, form: Float) -> int | None:
    """A finite float, toward zero."""
    if not TRUSTED or a & form.infinity == form.infinity or (form is not FLOAT64 and form is not FLOAT32):
        return None
    return int(_number(a, form))


def convert(a: int, source: Float, target: Float) -> int | None:
    """Between binary32 and binary64."""
    if not TRUSTED or source not in (FLOAT32, FLOAT64) or target not in (FLOAT32, FLOAT64):
        return None
    return _bits(_number(a, source), target)
