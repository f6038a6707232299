"""Bit-vector division and remainder; zero divisors have the values that SMT-LIB gives them."""

from __future__ import annotations

from counterpoint.term import meaning
from counterpoint.term.arithmetic import neg
from counterpoint.term.bits import bvand, lshr, zext
from counterpoint.term.choice import FEW_LEAVES, map_leaves
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern

_ZEXT = Op.ZEXT


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
    return intern(Op.SREM, (a, b), None, BitVec(width))
