"""Bitwise operations, shifts, counting and permuting bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.semantics.algebra import Algebra, Definition, Signature, V


def and_(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.and_(v[0], v[1], t.width)


def or_(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.or_(v[0], v[1], t.width)


def xor(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.xor(v[0], v[1], t.width)


def shl(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.shl(v[0], v[1], t.width)


def lshr(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.lshr(v[0], v[1], t.width)


def ashr(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ashr(v[0], v[1], t.width)


# ---------------------------------------------------------------- counting


def _ones(m: Algebra[V], a: V, width: int) -> V:
    """How many bits are set: neighbouring fields are added, their width doubling each time.

    Complexity: 5 operations per doubling. A count always fits, also in a topmost field that is cut off.
    """
    step = 1
    while step < width:
        mask = m.const(sum(((1 << step) - 1) << low for low in range(0, width, 2 * step)), width)
        shifted = m.lshr(a, m.const(step, width), width)
        a = m.add(m.and_(a, mask, width), m.and_(shifted, mask, width), width)
        step *= 2
    return a


def ctpop(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return _ones(m, v[0], t.width)


def ctlz(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Zeros above the highest set bit: what stays zero once that bit is copied to all below it."""
    a, w, step = v[0], t.width, 1
    while step < w:
        a = m.or_(a, m.lshr(a, m.const(step, w), w), w)
        step *= 2
    return _ones(m, m.not_(a, w), w)


def cttz(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Zeros below the lowest set bit: the ones of ~a & (a - 1)."""
    a, w = v[0], t.width
    return _ones(m, m.and_(m.not_(a, w), m.sub(a, m.const(1, w), w), w), w)


# ---------------------------------------------------------------- permuting


def bswap(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """The bytes in reverse order; the width is a multiple of 8."""
    w = t.width
    result, done = m.extract(7, 0, v[0], w), 8
    while done < w:
        result = m.concat(result, done, m.extract(done + 7, done, v[0], w), 8)
        done += 8
    return result


def bitreverse(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Neighbouring fields change places, halving in width; bit by bit where the width is no power of 2."""
    a, w = v[0], t.width
    if w & (w - 1):
        return _reverse_bit_by_bit(m, a, w)
    step = w // 2
    while step:
        amount = m.const(step, w)
        mask = m.const(sum(((1 << step) - 1) << low for low in range(0, w, 2 * step)), w)
        upper = m.and_(m.lshr(a, amount, w), mask, w)
        lower = m.shl(m.and_(a, mask, w), amount, w)
        a = m.or_(upper, lower, w)
        step //= 2
    return a


def _reverse_bit_by_bit(m: Algebra[V], a: V, width: int) -> V:
    result = m.const(0, width)
    for low in range(width):
        bit = m.and_(m.lshr(a, m.const(low, width), width), m.const(1, width), width)
        result = m.or_(result, m.shl(bit, m.const(width - 1 - low, width), width), width)
    return result


def _modulo_width(m: Algebra[V], amount: V, width: int) -> V:
    if width & (width - 1):
        return m.urem(amount, m.const(width, width), width)
    return m.and_(amount, m.const(width - 1, width), width)


def fshl(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """High half of v0:v1 shifted left by v2 modulo the width. Shifting by the width itself gives 0."""
    w = t.width
    amount = _modulo_width(m, v[2], w)
    if w == 1:
        return v[0]
    rest = m.sub(m.const(w, w), amount, w)
    return m.or_(m.shl(v[0], amount, w), m.lshr(v[1], rest, w), w)


def fshr(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Low half of v0:v1 shifted right by v2 modulo the width."""
    w = t.width
    amount = _modulo_width(m, v[2], w)
    if w == 1:
        return v[1]
    rest = m.sub(m.const(w, w), amount, w)
    return m.or_(m.shl(v[0], rest, w), m.lshr(v[1], amount, w), w)


OPERATIONS: Mapping[str, Definition] = {
    "and": and_,
    "or": or_,
    "xor": xor,
    "shl": shl,
    "lshr": lshr,
    "ashr": ashr,
    "ctpop": ctpop,
    "ctlz": ctlz,
    "cttz": cttz,
    "bswap": bswap,
    "bitreverse": bitreverse,
    "fshl": fshl,
    "fshr": fshr,
}
