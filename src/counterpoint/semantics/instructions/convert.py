"""Conversions between integers, pointers and floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.semantics.algebra import Algebra, Definition, Signature, V, float_format


def resize(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """To the result's width: zeros above, or the high bits dropped."""
    source, target = t.width, t.result.bits
    if target > source:
        return m.zext(v[0], source, target)
    if target < source:
        return m.extract(target - 1, 0, v[0], source)
    return v[0]


def sext(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.sext(v[0], t.width, t.result.bits)


# ---------------------------------------------------------------- floats


def float_to_float(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_to_fp(v[0], t.form, float_format(t.result))


def signed_to_float(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_from_signed(v[0], t.width, float_format(t.result))


def unsigned_to_float(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_from_unsigned(v[0], t.width, float_format(t.result))


def float_to_signed(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Toward zero; 0 where the result does not fit (the front end guards that case)."""
    return m.fp_to_signed(v[0], t.form, t.result.bits)


def float_to_unsigned(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    """Toward zero; 0 where the result does not fit (the front end guards that case)."""
    return m.fp_to_unsigned(v[0], t.form, t.result.bits)


def float_from_bits(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.fp_from_bits(v[0], float_format(t.result))


def bits_from_float(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.bits_from_fp(v[0], t.form)


OPERATIONS: Mapping[str, Definition] = {
    "zext": resize,
    "trunc": resize,
    "int_from_pointer": resize,
    "pointer_from_int": resize,
    "sext": sext,
    "float_to_float": float_to_float,
    "signed_to_float": signed_to_float,
    "unsigned_to_float": unsigned_to_float,
    "float_to_signed": float_to_signed,
    "float_to_unsigned": float_to_unsigned,
    "float_from_bits": float_from_bits,
    "bits_from_float": bits_from_float,
}
