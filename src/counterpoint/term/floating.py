"""IEEE 754 arithmetic on bit patterns, exact for every format: the meaning of the FP operators on ints.

Values are unpacked to integers m * 2**e, computed with exactly and rounded once. Every NaN result is the
format's canonical one (`Float.nan`); a NaN operand may have any payload.
"""

from __future__ import annotations

from math import isqrt

from counterpoint.term.meaning import signed
from counterpoint.term.sorts import Float
from counterpoint.term.term import RoundingMode

_NEAREST_EVEN = RoundingMode.NEAREST_EVEN


def is_nan(a: int, sort: Float) -> bool:
    return a & ~sort.sign_bit > sort.infinity


def is_inf(a: int, sort: Float) -> bool:
    return a & ~sort.sign_bit == sort.infinity


def is_zero(a: int, sort: Float) -> bool:
    return a & ~sort.sign_bit == 0


def is_negative(a: int, sort: Float) -> bool:
    """The sign bit is set, and it is no NaN."""
    return a >= sort.sign_bit and not is_nan(a, sort)


def is_normal(a: int, sort: Float) -> bool:
    exponent = a & sort.infinity
    return exponent != 0 and exponent != sort.infinity


def is_subnormal(a: int, sort: Float) -> bool:
    return a & sort.infinity == 0 and not is_zero(a, sort)


def canonical(a: int, sort: Float) -> int:
    """`a`, with every NaN replaced by the canonical one."""
    return sort.nan if is_nan(a, sort) else a


def unpack(a: int, sort: Float) -> tuple[int, int, int]:
    """(sign, m, e) of a finite value (-1)**sign * m * 2**e."""
    exponent = (a & sort.infinity) >> sort.fraction_bits
    fraction = a & ((1 << sort.fraction_bits) - 1)
    sign = a >> (sort.width - 1)
    if exponent == 0:
        return sign, fraction, 1 - sort.bias - sort.fraction_bits
    return sign, fraction | 1 << sort.fraction_bits, exponent - sort.bias - sort.fraction_bits


def pack(sign: int, m: int, e: int, sort: Float, sticky: bool = False) -> int:
    """(-1)**sign * m * 2**e rounded to nearest, ties to even; overflow is an infinity.

    With `sticky` the value lies strictly between m and m + 1 (times 2**e); m then has at least two bits more
    than the format's significand.
    """
    if m == 0:
        return sign << (sort.width - 1)
    precision = sort.significand_bits
    lowest = 1 - sort.bias - sort.fraction_bits
    unit = max(e + m.bit_length() - precision, lowest)
    shift = unit - e
    if shift <= 0:
        m <<= -shift
    else:
        rest = m & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        m >>= shift
        if rest > half or (rest == half and (sticky or m & 1)):
            m += 1
            if m >> precision:
                m >>= 1
                unit += 1
    top = sign << (sort.width - 1)
    if m >> sort.fraction_bits == 0:
        return top | m
    exponent = unit + sort.fraction_bits + sort.bias
    if exponent >= (1 << sort.exponent_bits) - 1:
        return top | sort.infinity
    return top | exponent << sort.fraction_bits | m & ((1 << sort.fraction_bits) - 1)


def neg(a: int, sort: Float) -> int:
    return sort.nan if is_nan(a, sort) else a ^ sort.sign_bit


def absolute(a: int, sort: Float) -> int:
    return sort.nan if is_nan(a, sort) else a & ~sort.sign_bit


def add(a: int, b: int, sort: Float) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return sort.nan
    if is_inf(a, sort):
        return sort.nan if is_inf(b, sort) and a != b else a
    if is_inf(b, sort):
        return b
    if is_zero(a, sort) and is_zero(b, sort):
        return a & b
    return _sum(unpack(a, sort), unpack(b, sort), sort)


def _sum(x: tuple[int, int, int], y: tuple[int, int, int], sort: Float) -> int:
    """Of two finite values that are not both zero."""
    e = min(x[2], y[2])
    left, right = x[1] << (x[2] - e), y[1] << (y[2] - e)
    total = (-left if x[0] else left) + (-right if y[0] else right)
    return pack(1 if total < 0 else 0, abs(total), e, sort)


def sub(a: int, b: int, sort: Float) -> int:
    return add(a, b ^ sort.sign_bit, sort)


def mul(a: int, b: int, sort: Float) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return sort.nan
    sign = (a ^ b) & sort.sign_bit
    if is_inf(a, sort) or is_inf(b, sort):
        return sort.nan if is_zero(a, sort) or is_zero(b, sort) else sign | sort.infinity
    _, m, e = unpack(a, sort)
    _, n, f = unpack(b, sort)
    return pack(1 if sign else 0, m * n, e + f, sort)


def div(a: int, b: int, sort: Float) -> int:
    if is_nan(a, sort) or is_nan(b, sort):
        return sort.nan
    sign = (a ^ b) & sort.sign_bit
    if is_inf(a, sort):
        return sort.nan if is_inf(b, sort) else sign | sort.infinity
    if is_inf(b, sort):
        return sign
    if is_zero(b, sort):
        return sort.nan if is_zero(a, sort) else sign | sort.infinity
    _, m, e = unpack(a, sort)
    _, n, f = unpack(b, sort)
    if m == 0:
        return sign
    extra = max(0, sort.significand_bits + 3 + n.bit_length() - m.bit_length())
    quotient, rest = divmod(m << extra, n)
    return pack(1 if sign else 0, quotient, e - f - extra, sort, sticky=rest != 0)


def sqrt(a: int, sort: Float) -> int:
    if is_nan(a, sort):
        return sort.nan
    if is_zero(a, sort):
        return a
    if a & sort.sign_bit:
        return sort.nan
    if is_inf(a, sort):
        return a
    _, m, e = unpack(a, sort)
    extra = max(0, 2 * (sort.significand_bits + 3) - m.bit_length())
    extra += (e - extra) & 1
    m <<= extra
    root = isqrt(m)
    return pack(0, root, (e - extra) // 2, sort, sticky=root * root != m)


def fma(a: int, b: int, c: int, sort: Float) -> int:
    """a * b + c, rounded once."""
    if is_nan(a, sort) or is_nan(b, sort) or is_nan(c, sort):
        return sort.nan
    sign = 1 if (a ^ b) & sort.sign_bit else 0
    if is_inf(a, sort) or is_inf(b, sort):
        if is_zero(a, sort) or is_zero(b, sort):
            return sort.nan
        product = sign << (sort.width - 1) | sort.infinity
        return add(product, c, sort)
    if is_inf(c, sort):
        return c
    _, m, e = unpack(a, sort)
    _, n, f = unpack(b, sort)
    if m * n == 0:
        return add(sign << (sort.width - 1), c, sort)
    return _sum((sign, m * n, e + f), unpack(c, sort), sort)


def remainder(a: int, b: int, sort: Float) -> int:
    """IEEE remainder: a - b*n for the integer n nearest to a/b, even on ties; exact."""
    special = _remainder_special(a, b, sort)
    if special is not None:
        return special
    sign, x, y, e = _aligned(a, b, sort)
    quotient, rest = divmod(x, y)
    if 2 * rest > y or (2 * rest == y and quotient & 1):
        rest, sign = y - rest, 1 - sign
    if rest == 0:
        return a & sort.sign_bit
    return pack(sign, rest, e, sort)


def fmod(a: int, b: int, sort: Float) -> int:
    """C's fmod: a - b*n for a/b rounded toward zero to the integer n; exact, with the sign of `a`."""
    special = _remainder_special(a, b, sort)
    if special is not None:
        return special
    sign, x, y, e = _aligned(a, b, sort)
    return pack(sign, x % y, e, sort)


def _remainder_special(a: int, b: int, sort: Float) -> int | None:
    if is_nan(a, sort) or is_nan(b, sort) or is_inf(a, sort) or is_zero(b, sort):
        return sort.nan
    return a if is_inf(b, sort) else None


def _aligned(a: int, b: int, sort: Float) -> tuple[int, int, int, int]:
    """(sign of a, x, y, e) with |a| = x * 2**e and |b| = y * 2**e."""
    sign, m, e = unpack(a, sort)
    _, n, f = unpack(b, sort)
    low = min(e, f)
    return sign, m << (e - low), n << (f - low), low


def less(a: int, b: int, sort: Float) -> bool:
    """a < b; False where one is a NaN, and between zeros."""
    if is_nan(a, sort) or is_nan(b, sort):
        return False
    return _ordinal(a, sort) < _ordinal(b, sort)


def equal(a: int, b: int, sort: Float) -> bool:
    """a == b as C has it: zeros are equal, a NaN equals nothing."""
    if is_nan(a, sort) or is_nan(b, sort):
        return False
    return _ordinal(a, sort) == _ordinal(b, sort)


def _ordinal(a: int, sort: Float) -> int:
    magnitude = a & ~sort.sign_bit
    return -magnitude if a & sort.sign_bit else magnitude


def round_to_integral(a: int, mode: RoundingMode, sort: Float) -> int:
    """The integral value next to `a` in the direction of `mode`; the sign of a zero result is that of `a`."""
    if is_nan(a, sort):
        return sort.nan
    if is_inf(a, sort) or is_zero(a, sort):
        return a
    sign, m, e = unpack(a, sort)
    if e >= 0:
        return a
    return pack(sign, _integral(sign, m, e, mode), 0, sort)


def _integral(sign: int, m: int, e: int, mode: RoundingMode) -> int:
    """The magnitude of (-1)**sign * m * 2**e, e < 0, rounded to an integer."""
    whole, rest = m >> -e, m & ((1 << -e) - 1)
    half = 1 << (-e - 1)
    match mode:
        case RoundingMode.NEAREST_EVEN:
            up = rest > half or (rest == half and whole & 1 == 1)
        case RoundingMode.NEAREST_AWAY:
            up = rest >= half
        case RoundingMode.UPWARD:
            up = rest != 0 and sign == 0
        case RoundingMode.DOWNWARD:
            up = rest != 0 and sign == 1
        case RoundingMode.TOWARD_ZERO:
            up = False
    return whole + 1 if up else whole


def convert(a: int, source: Float, target: Float) -> int:
    """The same value in another format, rounded to nearest even."""
    if is_nan(a, source):
        return target.nan
    if is_inf(a, source):
        return target.infinity | (target.sign_bit if a & source.sign_bit else 0)
    return pack(*unpack(a, source), target)


def from_unsigned(value: int, sort: Float) -> int:
    return pack(0, value, 0, sort)


def from_signed(value: int, width: int, sort: Float) -> int:
    number = signed(value, width)
    return pack(1 if number < 0 else 0, abs(number), 0, sort)


def truncated(a: int, sort: Float) -> int | None:
    """`a` rounded toward zero to a Python integer, None for infinities and NaN."""
    if is_nan(a, sort) or is_inf(a, sort):
        return None
    sign, m, e = unpack(a, sort)
    magnitude = m << e if e >= 0 else m >> -e
    return -magnitude if sign else magnitude


def to_signed(a: int, sort: Float, width: int) -> int:
    """Rounded toward zero; 0 where the result does not fit (C leaves that undefined: guard it)."""
    number = truncated(a, sort)
    half = 1 << (width - 1)
    return 0 if number is None or not -half <= number < half else number & ((1 << width) - 1)


def to_unsigned(a: int, sort: Float, width: int) -> int:
    """Rounded toward zero; 0 where the result does not fit (C leaves that undefined: guard it)."""
    number = truncated(a, sort)
    return 0 if number is None or not 0 <= number < 1 << width else number
