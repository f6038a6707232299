"""All constructors of terms in one place: import from here.

Every constructor takes and returns values `V` (int or Term), folds ints, and applies the identities that
its family's module lists. Widths are in bits and always given; ints are unsigned and already reduced to
their width.

Others call them as attributes of this module, never by names of their own: then `through` reaches every call from
outside, at no cost while nobody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from counterpoint.term.arithmetic import add, mul, neg, shl, split_constant, sub
from counterpoint.term.array import constant_array, select, store, surely_differ
from counterpoint.term.bits import ashr, bvand, bvnot, bvor, bvxor, concat, extract, flag, lshr, sext, zext
from counterpoint.term.boolean import and_, conjunction, disjunction, iff, implies, not_, or_, xor_
from counterpoint.term.choice import bool_to_bits, ite
from counterpoint.term.comparison import eq, ne, sle, slt, ule, ult
from counterpoint.term.division import sdiv, srem, udiv, urem
from counterpoint.term.floats import (
    bits_from_fp,
    fp_abs,
    fp_add,
    fp_div,
    fp_eq,
    fp_fma,
    fp_from_bits,
    fp_from_signed,
    fp_from_unsigned,
    fp_is_inf,
    fp_is_nan,
    fp_is_negative,
    fp_is_normal,
    fp_is_subnormal,
    fp_is_zero,
    fp_le,
    fp_lt,
    fp_max,
    fp_min,
    fp_mul,
    fp_neg,
    fp_rem,
    fp_round_to_integral,
    fp_sqrt,
    fp_sub,
    fp_to_fp,
    fp_to_signed,
    fp_to_unsigned,
)
from counterpoint.term.owned import owned, plain
from counterpoint.term.term import address, variable

__all__ = [
    "add", "address", "and_", "ashr", "bits_from_fp", "bool_to_bits", "bvand", "bvnot", "bvor", "bvxor",
    "concat", "conjunction", "constant_array", "disjunction", "eq", "extract", "flag", "fp_abs", "fp_add",
    "fp_div", "fp_eq", "fp_fma", "fp_from_bits", "fp_from_signed", "fp_from_unsigned", "fp_is_inf",
    "fp_is_nan", "fp_is_negative", "fp_is_normal", "fp_is_subnormal", "fp_is_zero", "fp_le", "fp_lt",
    "fp_max", "fp_min", "fp_mul", "fp_neg", "fp_rem", "fp_round_to_integral", "fp_sqrt", "fp_sub",
    "fp_to_fp", "fp_to_signed", "fp_to_unsigned", "iff", "implies", "ite", "lshr", "mul", "ne", "neg",
    "not_", "or_", "owned", "plain", "sdiv", "select", "sext", "shl", "sle", "slt", "split_constant", "srem",
    "store", "sub", "surely_differ", "udiv", "ule", "ult", "urem", "variable", "xor_", "zext",
]  # fmt: skip

Constructor: TypeAlias = Callable[..., Any]

_between: list[Callable[[str, Constructor], Constructor]] = []


@contextmanager
def through(between: Callable[[str, Constructor], Constructor]) -> Iterator[None]:
    """Inside of the `with`, each constructor that others call is `between(name, constructor)`; what constructors call
    by themselves stays what it is. Raises RuntimeError where another `with` is around this one."""
    if _between:
        raise RuntimeError("what is built is listened to already")
    here = globals()
    plain = {name: here[name] for name in __all__}
    _between.append(between)
    try:
        here.update({name: between(name, constructor) for name, constructor in plain.items()})
        yield
    finally:
        here.update(plain)
        _between.clear()
