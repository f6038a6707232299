"""The algebra of Python ints: exact, unsigned, below 2**width; floats are their IEEE bits."""

from __future__ import annotations

from counterpoint.term import meaning
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


INTS = Ints()
