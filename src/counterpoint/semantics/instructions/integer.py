"""Integer arithmetic, overflow predicates, minima and saturation (LLVM's operations and intrinsics).

Division by zero and over-wide shifts have the values that SMT-LIB gives them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.semantics.algebra import Algebra, Definition, Signature, V


def add(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.add(v[0], v[1], t.width)


def sub(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.sub(v[0], v[1], t.width)


def mul(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.mul(v[0], v[1], t.width)


def udiv(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.udiv(v[0], v[1], t.width)


def urem(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.urem(v[0], v[1], t.width)


def sdiv(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.sdiv(v[0], v[1], t.width)


def srem(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.srem(v[0], v[1], t.width)


def is_negative(m: Algebra[V], a: V, width: int) -> V:
    """The sign bit, as a truth value."""
    return m.slt(a, m.const(0, width), width)


# ---------------------------------------------------------------- overflow predicates


def sadd_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """The operands have one sign and the sum has the other."""
    a, b, w = v[0], v[1], t.width
    total = m.add(a, b, w)
    return is_negative(m, m.and_(m.xor(a, total, w), m.xor(b, total, w), w), w)


def uadd_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ult(m.add(v[0], v[1], t.width), v[0], t.width)


def ssub_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """The operands' signs differ and the difference has not the first one's."""
    a, b, w = v[0], v[1], t.width
    difference = m.sub(a, b, w)
    return is_negative(m, m.and_(m.xor(a, b, w), m.xor(a, difference, w), w), w)


def usub_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ult(v[0], v[1], t.width)


def smul_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """The product at twice the width is not the sign extension of its low half."""
    w = t.width
    product = m.mul(m.sext(v[0], w, 2 * w), m.sext(v[1], w, 2 * w), 2 * w)
    low = m.extract(w - 1, 0, product, 2 * w)
    return m.not_(m.eq(m.sext(low, w, 2 * w), product, 2 * w), 1)


def umul_overflows(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """The high half of the product at twice the width is not zero."""
    w = t.width
    product = m.mul(m.zext(v[0], w, 2 * w), m.zext(v[1], w, 2 * w), 2 * w)
    return m.not_(m.eq(m.extract(2 * w - 1, w, product, 2 * w), m.const(0, w), w), 1)


# ---------------------------------------------------------------- choices


def absolute(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """llvm.abs; the least value is its own absolute value."""
    return m.ite(is_negative(m, v[0], t.width), m.neg(v[0], t.width), v[0], t.width)


def smin(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(m.slt(v[0], v[1], t.width), v[0], v[1], t.width)


def smax(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(m.slt(v[0], v[1], t.width), v[1], v[0], t.width)


def umin(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(m.ult(v[0], v[1], t.width), v[0], v[1], t.width)


def umax(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(m.ult(v[0], v[1], t.width), v[1], v[0], t.width)


# ---------------------------------------------------------------- saturation


def _nearest_bound(m: Algebra[V], negative: V, width: int) -> V:
    """The least signed value where `negative`, else the greatest."""
    least = 1 << (width - 1)
    return m.ite(negative, m.const(least, width), m.const(least - 1, width), width)


def sadd_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    bound = _nearest_bound(m, is_negative(m, v[0], t.width), t.width)
    return m.ite(sadd_overflows(m, v, t), bound, add(m, v, t), t.width)


def ssub_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    bound = _nearest_bound(m, is_negative(m, v[0], t.width), t.width)
    return m.ite(ssub_overflows(m, v, t), bound, sub(m, v, t), t.width)


def uadd_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(uadd_overflows(m, v, t), m.const(-1, t.width), add(m, v, t), t.width)


def usub_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ite(usub_overflows(m, v, t), m.const(0, t.width), sub(m, v, t), t.width)


def sshl_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    a, b, w = v[0], v[1], t.width
    shifted = m.shl(a, b, w)
    bound = _nearest_bound(m, is_negative(m, a, w), w)
    return m.ite(m.eq(m.ashr(shifted, b, w), a, w), shifted, bound, w)


def ushl_sat(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    a, b, w = v[0], v[1], t.width
    shifted = m.shl(a, b, w)
    return m.ite(m.eq(m.lshr(shifted, b, w), a, w), shifted, m.const(-1, w), w)


# ---------------------------------------------------------------- three-way comparison


def scmp(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """llvm.scmp: -1, 0 or 1 in the result's width."""
    return _three_way(m, m.slt(v[0], v[1], t.width), v, t)


def ucmp(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """llvm.ucmp: -1, 0 or 1 in the result's width."""
    return _three_way(m, m.ult(v[0], v[1], t.width), v, t)


def _three_way(m: Algebra[V], less: V, v: Sequence[V], t: Signature) -> V:
    bits = t.result.bits
    equal = m.eq(v[0], v[1], t.width)
    return m.ite(less, m.const(-1, bits), m.ite(equal, m.const(0, bits), m.const(1, bits), bits), bits)


OPERATIONS: Mapping[str, Definition] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "udiv": udiv,
    "urem": urem,
    "sdiv": sdiv,
    "srem": srem,
    "sadd_overflows": sadd_overflows,
    "uadd_overflows": uadd_overflows,
    "ssub_overflows": ssub_overflows,
    "usub_overflows": usub_overflows,
    "smul_overflows": smul_overflows,
    "umul_overflows": umul_overflows,
    "abs": absolute,
    "smin": smin,
    "smax": smax,
    "umin": umin,
    "umax": umax,
    "sadd_sat": sadd_sat,
    "ssub_sat": ssub_sat,
    "uadd_sat": uadd_sat,
    "usub_sat": usub_sat,
    "sshl_sat": sshl_sat,
    "ushl_sat": ushl_sat,
    "scmp": scmp,
    "ucmp": ucmp,
}
