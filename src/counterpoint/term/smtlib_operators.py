"""SMT-LIB's operators by name, on values with their sorts. Wrong sorts raise ValueError."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Final, TypeAlias

from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Float, Sort
from counterpoint.term.term import RoundingMode, Term, V

Typed: TypeAlias = tuple[V, Sort]

_BIT_VECTOR: Final[dict[str, Callable[[V, V, int], V]]] = {
    "bvadd": build.add, "bvsub": build.sub, "bvmul": build.mul, "bvudiv": build.udiv, "bvurem": build.urem,
    "bvsdiv": build.sdiv, "bvsrem": build.srem, "bvand": build.bvand, "bvor": build.bvor,
    "bvxor": build.bvxor, "bvshl": build.shl, "bvlshr": build.lshr, "bvashr": build.ashr,
}  # fmt: skip
_COMPARISON: Final[dict[str, Callable[[V, V, int], V]]] = {
    "bvult": build.ult, "bvule": build.ule, "bvslt": build.slt, "bvsle": build.sle,
    "bvugt": lambda a, b, w: build.ult(b, a, w), "bvuge": lambda a, b, w: build.ule(b, a, w),
    "bvsgt": lambda a, b, w: build.slt(b, a, w), "bvsge": lambda a, b, w: build.sle(b, a, w),
}  # fmt: skip
_BOOL: Final[dict[str, Callable[[V, V], V]]] = {
    "and": build.and_, "or": build.or_, "xor": build.xor_,
}  # fmt: skip
_FLOAT: Final[dict[str, Callable[..., V]]] = {
    "fp.rem": build.fp_rem, "fp.neg": build.fp_neg, "fp.abs": build.fp_abs,
}  # fmt: skip
_FLOAT_ROUNDED: Final[dict[str, Callable[..., V]]] = {
    "fp.add": build.fp_add, "fp.sub": build.fp_sub, "fp.mul": build.fp_mul, "fp.div": build.fp_div,
    "fp.fma": build.fp_fma, "fp.sqrt": build.fp_sqrt,
}  # fmt: skip
_FLOAT_TEST: Final[dict[str, Callable[..., V]]] = {
    "fp.eq": build.fp_eq, "fp.lt": build.fp_lt, "fp.leq": build.fp_le,
    "fp.gt": lambda a, b, s: build.fp_lt(b, a, s), "fp.geq": lambda a, b, s: build.fp_le(b, a, s),
    "fp.isNaN": build.fp_is_nan, "fp.isInfinite": build.fp_is_inf, "fp.isZero": build.fp_is_zero,
    "fp.isNegative": build.fp_is_negative, "fp.isNormal": build.fp_is_normal,
    "fp.isSubnormal": build.fp_is_subnormal,
}  # fmt: skip


def apply_simple(name: str, mode: RoundingMode | None, values: list[Typed]) -> Typed:
    """An operator without indices."""
    sort = values[0][1]
    plain = [value for value, _ in values]
    if name == "ite":
        return _ite(values)
    if name == "=" or name == "distinct":
        equal = _equal(values)
        return (equal if name == "=" else build.not_(equal)), BOOL
    if name == "concat":
        return reduce(_concat, values)
    if name in ("select", "store"):
        return _array(name, values)
    if name == "fp":
        return _fp(values)
    same = sort if all(other is sort for _, other in values) else None
    if same is BOOL:
        return _logic(name, plain), BOOL
    if isinstance(same, BitVec):
        return _vector(name, plain, same)
    if isinstance(same, Float):
        return _float(name, mode, plain, same)
    raise ValueError(name)


def _logic(name: str, plain: list[V]) -> V:
    if name == "not":
        (value,) = plain
        return build.not_(value)
    if name == "=>":
        return reduce(lambda right, left: build.implies(left, right), reversed(plain))
    return reduce(_BOOL[name] if name in _BOOL else _unknown(name), plain)


def _unknown(name: str) -> Any:
    raise ValueError(name)


def _vector(name: str, plain: list[V], sort: BitVec) -> Typed:
    width = sort.width
    if name in _COMPARISON:
        a, b = plain
        return _COMPARISON[name](a, b, width), BOOL
    if name in ("bvneg", "bvnot"):
        (a,) = plain
        return (build.neg(a, width) if name == "bvneg" else build.bvnot(a, width)), sort
    if name not in _BIT_VECTOR or len(plain) < 2:
        raise ValueError(name)
    operator = _BIT_VECTOR[name]
    return reduce(lambda a, b: operator(a, b, width), plain), sort


def _float(name: str, mode: RoundingMode | None, plain: list[V], sort: Float) -> Typed:
    if name in _FLOAT_TEST:
        return _FLOAT_TEST[name](*plain, sort), BOOL
    if name in _FLOAT:
        return _FLOAT[name](*plain, sort), sort
    if name == "fp.roundToIntegral" and mode is not None:
        (a,) = plain
        return build.fp_round_to_integral(a, mode, sort), sort
    if name in _FLOAT_ROUNDED and mode is RoundingMode.NEAREST_EVEN:
        return _FLOAT_ROUNDED[name](*plain, sort), sort
    raise ValueError(name)


def _ite(values: list[Typed]) -> Typed:
    (condition, test), (a, sort), (b, other) = values
    if test is not BOOL or sort is not other:
        raise ValueError("ite")
    return build.ite(condition, a, b, sort), sort


def _equal(values: list[Typed]) -> V:
    (a, sort), (b, other) = values
    if sort is not other or not isinstance(sort, (BitVec, type(BOOL))):
        raise ValueError("=")
    return build.iff(a, b) if sort is BOOL else build.eq(a, b, sort.width)


def _concat(high: Typed, low: Typed) -> Typed:
    (a, left), (b, right) = high, low
    if not isinstance(left, BitVec) or not isinstance(right, BitVec):
        raise ValueError("concat")
    return build.concat(a, left.width, b, right.width), BitVec(left.width + right.width)


def _array(name: str, values: list[Typed]) -> Typed:
    array, sort = values[0]
    if not isinstance(array, Term) or not isinstance(sort, ArraySort):
        raise ValueError(name)
    expected = [BitVec(sort.index), BitVec(sort.element)][: len(values) - 1]
    if len(values) != (2 if name == "select" else 3) or [given for _, given in values[1:]] != expected:
        raise ValueError(name)
    if name == "select":
        return build.select(array, values[1][0]), BitVec(sort.element)
    return build.store(array, values[1][0], values[2][0]), sort


def _fp(values: list[Typed]) -> Typed:
    (sign, one), (exponent, middle), (fraction, rest) = values
    if one is not BitVec(1) or not isinstance(middle, BitVec) or not isinstance(rest, BitVec):
        raise ValueError("fp")
    sort = Float(middle.width, rest.width + 1)
    top = build.concat(sign, 1, exponent, middle.width)
    return build.fp_from_bits(build.concat(top, 1 + middle.width, fraction, rest.width), sort), sort


def apply_indexed(name: str, indices: list[int], mode: RoundingMode | None, values: list[Typed]) -> Typed:
    """An operator with indices."""
    ((value, sort),) = values
    if isinstance(sort, BitVec):
        if name == "extract":
            high, low = indices
            if not 0 <= low <= high < sort.width:
                raise ValueError(name)
            return build.extract(high, low, value, sort.width), BitVec(high - low + 1)
        if name in ("zero_extend", "sign_extend"):
            (extra,) = indices
            extend = build.zext if name == "zero_extend" else build.sext
            return extend(value, sort.width, sort.width + extra), BitVec(sort.width + extra)
    if name in ("to_fp", "to_fp_unsigned"):
        return _to_fp(name, Float(*indices), mode, value, sort)
    if name in ("fp.to_sbv", "fp.to_ubv") and isinstance(sort, Float) and mode is RoundingMode.TOWARD_ZERO:
        (width,) = indices
        convert = build.fp_to_signed if name == "fp.to_sbv" else build.fp_to_unsigned
        return convert(value, sort, width), BitVec(width)
    raise ValueError(name)


def _to_fp(name: str, target: Float, mode: RoundingMode | None, value: V, sort: Sort) -> Typed:
    if isinstance(sort, BitVec) and mode is None and name == "to_fp" and sort.width == target.width:
        return build.fp_from_bits(value, target), target
    if mode is RoundingMode.NEAREST_EVEN:
        if isinstance(sort, Float) and name == "to_fp":
            return build.fp_to_fp(value, sort, target), target
        if isinstance(sort, BitVec):
            convert = build.fp_from_signed if name == "to_fp" else build.fp_from_unsigned
            return convert(value, sort.width, target), target
    raise ValueError(name)
