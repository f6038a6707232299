"""Bitwise operators, changes of width, and shifts to the right.

Normal forms: a low mask is `zext(extract(...))`, a shift to the right by a constant is an extended extract,
extracts are pushed down to what they read, and adjacent extracts of one value join again, so that a value
written byte by byte and read back is itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from counterpoint.term import arithmetic, meaning
from counterpoint.term.boolean import and_, not_, or_, xor_
from counterpoint.term.choice import FEW_LEAVES, bool_to_bits, map_leaves
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern

_BVAND = Op.BVAND
_BVOR = Op.BVOR
_BVXOR = Op.BVXOR
_BVNOT = Op.BVNOT
_LSHR = Op.LSHR
_ASHR = Op.ASHR
_CONCAT = Op.CONCAT
_EXTRACT = Op.EXTRACT
_ZEXT = Op.ZEXT
_SEXT = Op.SEXT


def flag(value: V) -> V | None:
    """The condition c if `value` is ite(c, 1, 0) or an int 0/1, else None."""
    if isinstance(value, int):
        return value if value < 2 else None
    if value.leaves == 2:
        condition, a, b = value.args
        if a == 1 and b == 0:
            return condition
        if a == 0 and b == 1:
            return not_(condition)
    return None


def _source_width(term: Term) -> int:
    """The payload of CONCAT, EXTRACT, ZEXT, SEXT."""
    assert isinstance(term.payload, int)
    return term.payload


def bvand(a: V, b: V, width: int) -> V:
    """Bitwise and."""
    if type(a) is int:
        if type(b) is int:
            return a & b
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        return _and_constant(a, b, width)
    assert isinstance(b, Term)
    if a is b:
        return a
    if (a.op is _BVNOT and a.args[0] is b) or (b.op is _BVNOT and b.args[0] is a):
        return 0
    if a.leaves == 2 and b.leaves == 2:
        left, right = flag(a), flag(b)
        if left is not None and right is not None:
            return bool_to_bits(and_(left, right), width)
    if a.op is _ZEXT and b.op is _ZEXT and a.payload == b.payload:
        source = _source_width(a)
        return zext(bvand(a.args[0], b.args[0], source), source, width)
    if a.op is _BVAND and (a.args[0] is b or a.args[1] is b):
        return a
    if b.op is _BVAND and (b.args[0] is a or b.args[1] is a):
        return b
    return intern(_BVAND, (a, b) if a.index < b.index else (b, a), None, a.sort)


def _and_constant(a: Term, mask: int, width: int) -> V:
    if mask == 0:
        return 0
    if mask == (1 << width) - 1:
        return a
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: leaf & mask, width)
    if mask & (mask + 1) == 0:
        low = mask.bit_length()
        return zext(extract(low - 1, 0, a, width), low, width)
    if a.op is _ZEXT:
        source = _source_width(a)
        return zext(bvand(a.args[0], mask & ((1 << source) - 1), source), source, width)
    if a.op is _BVAND and type(a.args[1]) is int:
        return bvand(a.args[0], a.args[1] & mask, width)
    return intern(_BVAND, (a, mask), None, a.sort)


def bvor(a: V, b: V, width: int) -> V:
    """Bitwise or."""
    if type(a) is int:
        if type(b) is int:
            return a | b
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        return _or_constant(a, b, width)
    assert isinstance(b, Term)
    if a is b:
        return a
    if (a.op is _BVNOT and a.args[0] is b) or (b.op is _BVNOT and b.args[0] is a):
        return (1 << width) - 1
    if a.leaves == 2 and b.leaves == 2:
        left, right = flag(a), flag(b)
        if left is not None and right is not None:
            return bool_to_bits(or_(left, right), width)
    if a.op is _ZEXT and b.op is _ZEXT and a.payload == b.payload:
        source = _source_width(a)
        return zext(bvor(a.args[0], b.args[0], source), source, width)
    joined = _join_shifted(a, b, width) or _join_shifted(b, a, width)
    if joined is not None:
        return joined
    if a.op is _BVOR and (a.args[0] is b or a.args[1] is b):
        return a
    if b.op is _BVOR and (b.args[0] is a or b.args[1] is a):
        return b
    return intern(_BVOR, (a, b) if a.index < b.index else (b, a), None, a.sort)


def _or_constant(a: Term, bits: int, width: int) -> V:
    if bits == 0:
        return a
    if bits == (1 << width) - 1:
        return bits
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: leaf | bits, width)
    if a.op is _BVOR and type(a.args[1]) is int:
        return bvor(a.args[0], a.args[1] | bits, width)
    return intern(_BVOR, (a, bits), None, a.sort)


def _join_shifted(high: Term, low: Term, width: int) -> Term | None:
    """(x << k) | zext(y) with y of at most k bits, as a concatenation."""
    if high.op is Op.SHL and low.op is _ZEXT:
        amount = high.args[1]
        source = _source_width(low)
        if isinstance(amount, int) and source <= amount:
            kept = width - amount
            padded = zext(low.args[0], source, amount)
            joined = concat(extract(kept - 1, 0, high.args[0], width), kept, padded, amount)
            return joined if isinstance(joined, Term) else None
    return None


def bvxor(a: V, b: V, width: int) -> V:
    """Bitwise exclusive or."""
    if type(a) is int:
        if type(b) is int:
            return a ^ b
        a, b = b, a
    assert isinstance(a, Term)
    if type(b) is int:
        return _xor_constant(a, b, width)
    assert isinstance(b, Term)
    if a is b:
        return 0
    if a.op is _BVNOT:
        return bvnot(bvxor(a.args[0], b, width), width)
    if b.op is _BVNOT:
        return bvnot(bvxor(a, b.args[0], width), width)
    if a.op is _BVXOR:
        if a.args[0] is b:
            return a.args[1]
        if a.args[1] is b:
            return a.args[0]
    if b.op is _BVXOR:
        if b.args[0] is a:
            return b.args[1]
        if b.args[1] is a:
            return b.args[0]
    if a.leaves == 2 and b.leaves == 2:
        left, right = flag(a), flag(b)
        if left is not None and right is not None:
            return bool_to_bits(xor_(left, right), width)
    if a.op is _ZEXT and b.op is _ZEXT and a.payload == b.payload:
        source = _source_width(a)
        return zext(bvxor(a.args[0], b.args[0], source), source, width)
    return intern(_BVXOR, (a, b) if a.index < b.index else (b, a), None, a.sort)


def _xor_constant(a: Term, bits: int, width: int) -> V:
    if bits == 0:
        return a
    if bits == (1 << width) - 1:
        return bvnot(a, width)
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: leaf ^ bits, width)
    if a.op is _BVXOR and type(a.args[1]) is int:
        return bvxor(a.args[0], a.args[1] ^ bits, width)
    if a.op is _BVNOT:
        return bvxor(a.args[0], bits ^ ((1 << width) - 1), width)
    return intern(_BVXOR, (a, bits), None, a.sort)


def bvnot(a: V, width: int) -> V:
    """Bitwise complement."""
    mask = (1 << width) - 1
    if type(a) is int:
        return a ^ mask
    assert isinstance(a, Term)
    if a.op is _BVNOT:
        return a.args[0]
    if 0 < a.leaves <= FEW_LEAVES:
        return map_leaves(a, lambda leaf: leaf ^ mask, width)
    if a.op is _BVXOR and type(a.args[1]) is int:
        return bvxor(a.args[0], a.args[1] ^ mask, width)
    if a.op is Op.NEG:
        return arithmetic.add(a.args[0], mask, width)
    return intern(_BVNOT, (a,), None, a.sort)


def lshr(a: V, b: V, width: int) -> V:
    """`a` shifted right by `b`, zeros coming in; 0 where b >= width."""
    if type(b) is int:
        if type(a) is int:
            return meaning.lshr(a, b, width)
        if b >= width:
            return 0
        return zext(extract(width - 1, b, a, width), width - b, width)
    if type(a) is int and a == 0:
        return 0
    return intern(_LSHR, (a, b), None, BitVec(width))


def ashr(a: V, b: V, width: int) -> V:
    """`a` shifted right by `b`, copies of the sign bit coming in; all of them where b >= width."""
    if type(b) is int:
        if type(a) is int:
            return meaning.ashr(a, b, width)
        b = min(b, width - 1)
        return sext(extract(width - 1, b, a, width), width - b, width)
    if type(a) is int and (a == 0 or a == (1 << width) - 1):
        return a
    return intern(_ASHR, (a, b), None, BitVec(width))


def concat(high: V, high_width: int, low: V, low_width: int) -> V:
    """`high` above `low`, high_width + low_width bits."""
    width = high_width + low_width
    if type(high) is int:
        if type(low) is int:
            return high << low_width | low
        if high == 0:
            return zext(low, low_width, width)
    elif type(low) is not int:
        assert isinstance(high, Term) and isinstance(low, Term)
        if high.op is _EXTRACT:
            joined = _join_extracts(high, high_width, low, low_width)
            if joined is not None:
                return joined
    if isinstance(low, Term) and low.op is _CONCAT and isinstance(high, Term) and high.op is _EXTRACT:
        middle, bottom = low.args
        if isinstance(middle, Term):
            bottom_width = _source_width(low)
            joined = _join_extracts(high, high_width, middle, low_width - bottom_width)
            if joined is not None:
                return concat(joined, width - bottom_width, bottom, bottom_width)
    return intern(_CONCAT, (high, low), low_width, BitVec(width))


def _join_extracts(high: Term, high_width: int, low: Term, low_width: int) -> V | None:
    """The one extract that two adjacent ones of the same value make, or None."""
    whole = high.args[0]
    assert isinstance(whole, Term) and isinstance(whole.sort, BitVec)
    bottom = _source_width(high)
    if low.op is _EXTRACT and low.args[0] is whole and _source_width(low) + low_width == bottom:
        return extract(bottom + high_width - 1, bottom - low_width, whole, whole.sort.width)
    if whole.op is _SEXT and bottom == low_width and (whole.args[0] is low):
        return extract(bottom + high_width - 1, 0, whole, whole.sort.width)
    return None


def zext(a: V, source: int, target: int) -> V:
    """`a` of `source` bits with zeros above, `target` >= source bits."""
    if type(a) is int or source == target:
        return a
    assert isinstance(a, Term)
    if a.leaves:
        return map_leaves(a, lambda leaf: leaf, target)
    if a.op is _ZEXT:
        return intern(_ZEXT, a.args, a.payload, BitVec(target))
    return intern(_ZEXT, (a,), source, BitVec(target))


def sext(a: V, source: int, target: int) -> V:
    """`a` of `source` bits with copies of its sign bit above, `target` >= source bits."""
    if type(a) is int:
        return meaning.sext(a, source, target)
    if source == target:
        return a
    assert isinstance(a, Term)
    if a.leaves:
        return map_leaves(a, lambda leaf: meaning.sext(leaf, source, target), target)
    if a.op is _ZEXT or a.op is _SEXT:
        return intern(a.op, a.args, a.payload, BitVec(target))
    return intern(_SEXT, (a,), source, BitVec(target))


def extract(high: int, low: int, a: V, width: int, fuel: int = 6) -> V:
    """Bits `high` down to `low` (both included, 0 is the lowest) of `a`, which has `width` bits.

    `fuel` bounds how many bitwise or arithmetic operators it is pushed through: they branch.
    """
    if type(a) is int:
        return a >> low & ((1 << (high - low + 1)) - 1)
    size = high - low + 1
    if size == width:
        return a
    assert isinstance(a, Term)
    if a.leaves:
        mask = (1 << size) - 1
        return map_leaves(a, lambda leaf: leaf >> low & mask, size)
    pushed = _extract_inside(a, high, low, size, fuel)
    if pushed is None:
        return intern(_EXTRACT, (a,), low, BitVec(size))
    if _listening and a.op in _BRANCHING:
        _listening[0](high, low, a, width, fuel, pushed)
    return pushed


Listener: TypeAlias = Callable[[int, int, Term, int, int, V], None]
"""It is told the arguments of an extract, and what that became."""

_listening: list[Listener] = []

_BRANCHING = frozenset((_BVAND, _BVOR, _BVXOR, _BVNOT, Op.ADD, Op.SUB, Op.MUL, Op.NEG))


@contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Inside of the `with`, the listener is told of each extract that was pushed through an operator on bits or
    numbers, those that constructors make by themselves included, and of inner ones first."""
    _listening.append(listener)
    try:
        yield
    finally:
        _listening.pop()


def _extract_inside(a: Term, high: int, low: int, size: int, fuel: int) -> V | None:
    """extract(high, low, a) as an extract of an argument of `a`, or None."""
    op = a.op
    if op is _EXTRACT:
        inner = a.args[0]
        assert isinstance(inner, Term) and isinstance(inner.sort, BitVec)
        offset = _source_width(a)
        return extract(high + offset, low + offset, inner, inner.sort.width, fuel)
    if op is _CONCAT:
        return _extract_concat(a, high, low, fuel)
    if op is _ZEXT or op is _SEXT:
        source = _source_width(a)
        if high < source:
            return extract(high, low, a.args[0], source, fuel)
        if op is _ZEXT:
            if low >= source:
                return 0
            return zext(extract(source - 1, low, a.args[0], source, fuel), source - low, size)
        if low < source:
            return sext(extract(source - 1, low, a.args[0], source, fuel), source - low, size)
        return None
    if fuel and (op is _BVNOT or op is _BVAND or op is _BVOR or op is _BVXOR):
        return _extract_bitwise(a, high, low, size, fuel)
    if fuel and low == 0 and (op is Op.ADD or op is Op.SUB or op is Op.MUL or op is Op.NEG):
        return _extract_low_arithmetic(a, size, fuel)
    if op is Op.SHL and type(a.args[1]) is int:
        amount = a.args[1]
        if high < amount:
            return 0
        if low >= amount:
            assert isinstance(a.sort, BitVec)
            return extract(high - amount, low - amount, a.args[0], a.sort.width, fuel)
    return None


def _extract_concat(a: Term, high: int, low: int, fuel: int) -> V:
    assert isinstance(a.sort, BitVec)
    boundary = _source_width(a)
    top, bottom = a.args
    top_width = a.sort.width - boundary
    if low >= boundary:
        return extract(high - boundary, low - boundary, top, top_width, fuel)
    if high < boundary:
        return extract(high, low, bottom, boundary, fuel)
    upper = extract(high - boundary, 0, top, top_width, fuel)
    return concat(
        upper, high - boundary + 1, extract(boundary - 1, low, bottom, boundary, fuel), boundary - low
    )


def _gets_simpler(value: V) -> bool:
    """Whether an extract of it is likely to disappear."""
    if isinstance(value, int):
        return True
    if value.op is _ZEXT or value.op is _SEXT or value.op is _CONCAT or value.op is _EXTRACT:
        return True
    return value.op is Op.SHL and type(value.args[1]) is int


def _extract_bitwise(a: Term, high: int, low: int, size: int, fuel: int) -> V | None:
    assert isinstance(a.sort, BitVec)
    width = a.sort.width
    if not any(_gets_simpler(arg) for arg in a.args):
        return None
    parts = [extract(high, low, arg, width, fuel - 1) for arg in a.args]
    if a.op is _BVNOT:
        return bvnot(parts[0], size)
    if a.op is _BVAND:
        return bvand(parts[0], parts[1], size)
    if a.op is _BVOR:
        return bvor(parts[0], parts[1], size)
    return bvxor(parts[0], parts[1], size)


def _extract_low_arithmetic(a: Term, size: int, fuel: int) -> V | None:
    assert isinstance(a.sort, BitVec)
    width = a.sort.width
    if not all(_gets_simpler(arg) for arg in a.args):
        return None
    parts = [extract(size - 1, 0, arg, width, fuel - 1) for arg in a.args]
    if a.op is Op.NEG:
        return arithmetic.neg(parts[0], size)
    if a.op is Op.ADD:
        return arithmetic.add(parts[0], parts[1], size)
    if a.op is Op.SUB:
        return arithmetic.sub(parts[0], parts[1], size)
    return arithmetic.mul(parts[0], parts[1], size)
