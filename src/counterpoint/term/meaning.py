"""What every bit-vector operator means on ints: the definition that folding and evaluation share.

Operands and results are unsigned, 0..2**width - 1; division by zero and over-wide shifts have the values
that SMT-LIB gives them. Nothing here knows about terms.
"""

from __future__ import annotations


def signed(value: int, width: int) -> int:
    """The two's complement reading of `value`, in -2**(width-1)..2**(width-1) - 1."""
    return value - (1 << width) if value >> (width - 1) else value


def udiv(a: int, b: int, width: int) -> int:
    return a // b if b else (1 << width) - 1


def urem(a: int, b: int) -> int:
    return a % b if b else a


def sdiv(a: int, b: int, width: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return 1 if x < 0 else (1 << width) - 1
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & ((1 << width) - 1)


def srem(a: int, b: int, width: int) -> int:
    """The remainder with the sign of the dividend; `a` when b is 0."""
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return a
    remainder = abs(x) % abs(y)
    return (-remainder if x < 0 else remainder) & ((1 << width) - 1)


def shl(a: int, b: int, width: int) -> int:
    return a << b & ((1 << width) - 1) if b < width else 0


def lshr(a: int, b: int, width: int) -> int:
    return a >> b if b < width else 0


def ashr(a: int, b: int, width: int) -> int:
    return signed(a, width) >> min(b, width - 1) & ((1 << width) - 1)


def slt(a: int, b: int, width: int) -> int:
    half = 1 << (width - 1)
    return 1 if a ^ half < b ^ half else 0


def sext(a: int, source: int, target: int) -> int:
    return a | ((1 << target) - (1 << source)) if a >> (source - 1) else a
