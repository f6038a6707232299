"""Bit-vector addition, subtraction, multiplication and shifts to the left.

Normal forms: constants stand on the right and outermost (`(x + y) + 3`), subtraction of a constant is
addition, multiplication by a power of two is a shift, constant factors are multiplied into sums with a
constant, what a multiple of a quotient leaves of a number is a remainder, so that addresses built in
different ways from the same parts are the same term.
"""

from __future__ import annotations

from counterpoint.term import meaning
from counterpoint.term.choice import FEW_LEAVES, map_leaves
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern

_ADD = Op.ADD
_SUB = Op.SUB
_NEG = Op.NEG
_MUL = Op.MUL
_SHL = Op.SHL
_BVNOT = Op.BVNOT


def split_constant(value: V) -> tuple[V, int]:
    """`value` as (rest, constant) with value = rest + constant (modulo its width); ints are (0, value)."""
    if isinstance(value, int):
        return 0, value
    if value.op is _ADD:
        right = value.args[1]
        if isinstance(right, int):
            return value.args[0], right
    return value, 0


def add(a: V, b: V, width: int) -> V:
    """a + b modulo 2**width."""
    if type(a) is int:
        if type(b) is int:
            return a + b & ((1 << width) - 1)
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        return _add_constant(a, b, width)
    assert isinstance(b, Term)
    if a.op is _ADD and type(a.args[1]) is int:
        return add(add(a.args[0], b, width), a.args[1], width)
    if b.op is _ADD and type(b.args[1]) is int:
        return add(add(a, b.args[0], width), b.args[1], width)
    if b.op is _NEG:
        return sub(a, b.args[0], width)
    if a.op is _NEG:
        return sub(b, a.args[0], width)
    if a.op is _SUB and a.args[1] is b:
        return a.args[0]
    if b.op is _SUB and b.args[1] is a:
        return b.args[0]
    return intern(_ADD, (a, b) if a.index <= b.index else (b, a), None, a.sort)


def _add_constant(a: Term, constant: int, width: int) -> V:
    if constant == 0:
        return a
    if a.op is _ADD:
        right = a.args[1]
        if type(right) is int:
            total = right + constant & ((1 << width) - 1)
            return a.args[0] if total == 0 else intern(_ADD, (a.args[0], total), None, a.sort)
    elif 0 < a.leaves <= FEW_LEAVES:
        mask = (1 << width) - 1
        return map_leaves(a, lambda leaf: leaf + constant & mask, width)
    return intern(_ADD, (a, constant), None, a.sort)


def sub(a: V, b: V, width: int) -> V:
    """a - b modulo 2**width; what both sums contain cancels."""
    mask = (1 << width) - 1
    constant = 0
    while True:
        a, left = split_constant(a)
        b, right = split_constant(b)
        constant += left - right
        shorter = _cancel(a, b)
        if shorter is None:
            break
        a, b = shorter
    constant &= mask
    if a is b:
        return constant
    if type(b) is int:
        difference: V = a
    elif type(a) is int:
        assert isinstance(b, Term)
        difference = _negation(b, width)
    else:
        assert isinstance(a, Term) and isinstance(b, Term)
        difference = _difference(a, b, width)
    return add(difference, constant, width)


def _cancel(a: V, b: V) -> tuple[V, V] | None:
    """Two sums without what is in both, or None when they share no direct summand."""
    if not isinstance(a, Term) or not isinstance(b, Term):
        return None
    if a.op is _ADD:
        p, q = a.args
        if p is b:
            return q, 0
        if q is b:
            return p, 0
        if b.op is _ADD:
            r, s = b.args
            if p is r:
                return q, s
            if p is s:
                return q, r
            if q is r:
                return p, s
            if q is s:
                return p, r
    elif b.op is _ADD:
        r, s = b.args
        if r is a:
            return 0, s
        if s is a:
            return 0, r
    if a.op is _SUB and a.args[0] is b:
        return 0, a.args[1]
    if b.op is _SUB and b.args[0] is a:
        return b.args[1], 0
    return None


def _difference(a: Term, b: Term, width: int) -> V:
    """a - b for sums without constants and without a common summand."""
    if b.op is _NEG:
        return add(a, b.args[0], width)
    if b.op is _MUL:
        for quotient, divisor in (b.args, b.args[::-1]):
            if isinstance(quotient, Term) and quotient.op is Op.UDIV and quotient.args == (a, divisor):
                return intern(Op.UREM, (a, divisor), None, a.sort)  # also where the divisor is 0
    return intern(_SUB, (a, b), None, a.sort)


def neg(a: V, width: int) -> V:
    """-a modulo 2**width."""
    if type(a) is int:
        return -a & ((1 << width) - 1)
    assert isinstance(a, Term)
    rest, constant = split_constant(a)
    if constant:
        return add(neg(rest, width), -constant & ((1 << width) - 1), width)
    return _negation(a, width)


def _negation(a: Term, width: int) -> V:
    """-a for a sum without constant."""
    if a.op is _NEG:
        return a.args[0]
    if a.op is _SUB:
        return sub(a.args[1], a.args[0], width)
    if a.op is _BVNOT:
        return add(a.args[0], 1, width)
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: -leaf & ((1 << width) - 1), width)
    return intern(_NEG, (a,), None, a.sort)


def mul(a: V, b: V, width: int) -> V:
    """a * b modulo 2**width."""
    if type(a) is int:
        if type(b) is int:
            return a * b & ((1 << width) - 1)
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        return _mul_constant(a, b, width)
    assert isinstance(b, Term)
    return intern(_MUL, (a, b) if a.index <= b.index else (b, a), None, a.sort)


def _mul_constant(a: Term, factor: int, width: int) -> V:
    mask = (1 << width) - 1
    if factor == 0:
        return 0
    if factor == 1:
        return a
    if factor == mask:
        return neg(a, width)
    if factor & (factor - 1) == 0:
        return shl(a, factor.bit_length() - 1, width)
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: leaf * factor & mask, width)
    if a.op is _ADD or a.op is _MUL:
        right = a.args[1]
        if type(right) is int:
            if a.op is _ADD:
                return add(mul(a.args[0], factor, width), right * factor & mask, width)
            return mul(a.args[0], right * factor & mask, width)
    if a.op is _SHL:
        right = a.args[1]
        if type(right) is int:
            return mul(a.args[0], (factor << right) & mask, width)
    return intern(_MUL, (a, factor), None, a.sort)


def shl(a: V, b: V, width: int) -> V:
    """a * 2**b modulo 2**width; 0 where b >= width."""
    if type(b) is not int:
        if a == 0 and type(a) is int:
            return 0
        return intern(_SHL, (a, b), None, BitVec(width))
    if type(a) is int:
        return meaning.shl(a, b, width)
    assert isinstance(a, Term)
    if b == 0:
        return a
    if b >= width:
        return 0
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: meaning.shl(leaf, b, width), width)
    right = a.args[1] if len(a.args) == 2 else None
    if type(right) is int:
        if a.op is _ADD:
            return add(shl(a.args[0], b, width), meaning.shl(right, b, width), width)
        if a.op is _SHL:
            return shl(a.args[0], right + b, width)
        if a.op is _MUL:
            return mul(a.args[0], meaning.shl(right, b, width), width)
    return intern(_SHL, (a, b), None, a.sort)
