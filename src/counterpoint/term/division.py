"""Bit-vector division and remainder; zero divisors have the values that SMT-LIB gives them."""

from __future__ import annotations

from counterpoint.term import meaning
from counterpoint.term.arithmetic import neg
from counterpoint.term.bits import bvand, extract, lshr, sext, zext
from counterpoint.term.choice import FEW_LEAVES, ite, map_leaves
from counterpoint.term.comparison import eq
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern

_ZEXT = Op.ZEXT
_SEXT = Op.SEXT
_ITE = Op.ITE

NARROW = 9
"""Bits of numbers up to which a wider division is one of these: bytes, with a sign. That it is, a solver has to
confirm in checks of proofs, which takes it a second for 9 bits and does not end for 32."""

CHOICES = 3
"""Choices one in another whose branches are looked at: divisors are chosen where zero is told apart."""


def udiv(a: V, b: V, width: int) -> V:
    """Unsigned quotient; all ones where b = 0."""
    if type(b) is int:
        if type(a) is int:
            return meaning.udiv(a, b, width)
        if b == 0:
            return (1 << width) - 1
        if b & (b - 1) == 0:
            return lshr(a, b.bit_length() - 1, width)
        assert isinstance(a, Term)
        if 0 < a.leaves <= FEW_LEAVES:
            return map_leaves(a, lambda leaf: leaf // b, width)
        if a.op is _ZEXT and isinstance(a.payload, int):
            if b >> a.payload:
                return 0
            return zext(udiv(a.args[0], b, a.payload), a.payload, width)
    narrow = max(_unsigned_width(a, width), _unsigned_width(b, width))
    if narrow <= NARROW and narrow < width:
        quotient = zext(udiv(_low(a, narrow, width), _low(b, narrow, width), narrow), narrow, width)
        return ite(eq(b, 0, width), (1 << width) - 1, quotient, width)
    return intern(Op.UDIV, (a, b), None, BitVec(width))


def urem(a: V, b: V, width: int) -> V:
    """Unsigned remainder; `a` where b = 0."""
    if type(b) is int:
        if type(a) is int:
            return meaning.urem(a, b)
        if b == 0:
            return a
        if b & (b - 1) == 0:
            return bvand(a, b - 1, width)
        assert isinstance(a, Term)
        if 0 < a.leaves <= FEW_LEAVES:
            return map_leaves(a, lambda leaf: leaf % b, width)
        if a.op is _ZEXT and isinstance(a.payload, int):
            if b >> a.payload:
                return a
            return zext(urem(a.args[0], b, a.payload), a.payload, width)
    narrow = max(_unsigned_width(a, width), _unsigned_width(b, width))
    if narrow <= NARROW and narrow < width:
        return zext(urem(_low(a, narrow, width), _low(b, narrow, width), narrow), narrow, width)
    return intern(Op.UREM, (a, b), None, BitVec(width))


def sdiv(a: V, b: V, width: int) -> V:
    """Signed quotient, rounded toward zero; 1 or -1 where b = 0 and a is negative or not."""
    if type(b) is int:
        if type(a) is int:
            return meaning.sdiv(a, b, width)
        if b == 1:
            return a
        if b == (1 << width) - 1:
            return neg(a, width)
        assert isinstance(a, Term)
        if 0 < a.leaves <= FEW_LEAVES:
            return map_leaves(a, lambda leaf: meaning.sdiv(leaf, b, width), width)
        if a.op is _ZEXT and b and not b >> (width - 1):
            return udiv(a, b, width)
    if max(_unsigned_width(a, width), _unsigned_width(b, width)) <= min(NARROW, width - 1):  # neither is negative
        return udiv(a, b, width)
    narrow = max(_signed_width(a, width), _signed_width(b, width)) + 1  # -2**(n-1) / -1 needs one more bit
    if narrow <= NARROW and narrow < width:
        return sext(sdiv(_low(a, narrow, width), _low(b, narrow, width), narrow), narrow, width)
    return intern(Op.SDIV, (a, b), None, BitVec(width))


def srem(a: V, b: V, width: int) -> V:
    """Signed remainder, with the sign of `a`; `a` where b = 0."""
    if type(b) is int:
        if type(a) is int:
            return meaning.srem(a, b, width)
        if b == 1 or b == (1 << width) - 1:
            return 0
        if b == 0:
            return a
        assert isinstance(a, Term)
        if 0 < a.leaves <= FEW_LEAVES:
            return map_leaves(a, lambda leaf: meaning.srem(leaf, b, width), width)
        if a.op is _ZEXT and not b >> (width - 1):
            return urem(a, b, width)
    if max(_unsigned_width(a, width), _unsigned_width(b, width)) <= min(NARROW, width - 1):
        return urem(a, b, width)
    narrow = max(_signed_width(a, width), _signed_width(b, width))
    if narrow <= NARROW and narrow < width:
        return sext(srem(_low(a, narrow, width), _low(b, narrow, width), narrow), narrow, width)
    return intern(Op.SREM, (a, b), None, BitVec(width))


def _unsigned_width(a: V, width: int, fuel: int = CHOICES) -> int:
    """Bits that hold it as an unsigned number, as far as its operator shows."""
    if type(a) is int:
        return max(1, a.bit_length())
    assert isinstance(a, Term)
    if a.op is _ITE and fuel:
        return max(_unsigned_width(branch, width, fuel - 1) for branch in a.args[1:])
    return a.payload if a.op is _ZEXT and isinstance(a.payload, int) else width


def _signed_width(a: V, width: int, fuel: int = CHOICES) -> int:
    """Bits that hold it as a signed number, as far as its operator shows."""
    if type(a) is int:
        return (a if not a >> (width - 1) else ~a & ((1 << width) - 1)).bit_length() + 1
    assert isinstance(a, Term)
    if a.op is _ITE and fuel:
        return max(_signed_width(branch, width, fuel - 1) for branch in a.args[1:])
    if not isinstance(a.payload, int):
        return width
    return a.payload if a.op is _SEXT else a.payload + 1 if a.op is _ZEXT else width


def _low(a: V, narrow: int, width: int) -> V:
    if isinstance(a, Term) and a.op is _ITE and not a.leaves:  # only where the width of each branch was looked at
        return ite(a.args[0], _low(a.args[1], narrow, width), _low(a.args[2], narrow, width), narrow)
    return extract(narrow - 1, 0, a, width)
