"""Comparisons of integers and pointers, and the choice between two values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.program.types import FloatType
from counterpoint.semantics.algebra import Algebra, Definition, Signature, V, float_format


def eq(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.eq(v[0], v[1], t.width)


def ne(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.not_(m.eq(v[0], v[1], t.width), 1)


def ult(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ult(v[0], v[1], t.width)


def ule(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.ule(v[0], v[1], t.width)


def slt(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.slt(v[0], v[1], t.width)


def sle(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    return m.sle(v[0], v[1], t.width)


def select(m: Algebra[V], v: Sequence[V], t: Signature) -> V:
    if isinstance(t.result, FloatType):
        return m.fp_ite(v[0], v[1], v[2], float_format(t.result))
    return m.ite(v[0], v[1], v[2], t.result.bits)


OPERATIONS: Mapping[str, Definition] = {
    "eq": eq,
    "ne": ne,
    "ult": ult,
    "ule": ule,
    "slt": slt,
    "sle": sle,
    "select": select,
}
