"""`ite` over every sort, and trees of ITEs with constant leaves (state variables, flags, bits of Bools).

An operation on such a tree and a constant is done at its leaves, as long as there are few of them:
`leaves` of a Term counts them, `map_leaves` does it, sharing equal subtrees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from counterpoint.term.boolean import bool_ite, negated
from counterpoint.term.sorts import BOOL, BitVec, Sort
from counterpoint.term.term import Op, Term, V, intern

_ITE = Op.ITE
_NOT = Op.NOT
_DIVISIONS = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM})
_EXTENSIONS = frozenset({Op.ZEXT, Op.SEXT})

MOST_LEAVES: Final = 64
"""Trees of ITEs with more constant leaves than this are not looked into."""

FEW_LEAVES: Final = 16
"""Arithmetic is done at the leaves of trees up to this size; larger ones would be copied too often."""


def ite(condition: V, a: V, b: V, width: int | Sort) -> V:
    """`a` where `condition` (a Bool), else `b`. `width` in bits for bit-vectors, else the sort."""
    if type(condition) is int:
        return a if condition else b
    if a is b:
        return a
    a_int = type(a) is int
    b_int = type(b) is int
    if a_int and b_int and a == b:
        return a
    if width is BOOL:
        return bool_ite(condition, a, b)
    assert isinstance(condition, Term)
    if condition.op is _NOT:
        condition = negated(condition)
        a, b, a_int, b_int = b, a, b_int, a_int
    if not a_int:
        assert isinstance(a, Term)
        if a.op is _ITE and a.args[0] is condition:
            return ite(condition, a.args[1], b, width)
    if not b_int:
        assert isinstance(b, Term)
        if b.op is _ITE and b.args[0] is condition:
            return ite(condition, a, b.args[2], width)
        b = _divided(b, condition)
    return choose(condition, a, b, BitVec(width) if type(width) is int else width)  # type: ignore[arg-type]


def _divided(value: Term, condition: Term) -> Term:
    """A division where the condition is false: the divisor of a guarded one is chosen so that it is never 0."""
    if value.op in _EXTENSIONS and isinstance(value.args[0], Term):
        inner = _divided(value.args[0], condition)
        return value if inner is value.args[0] else intern(value.op, (inner,), value.payload, value.sort)
    if value.op not in _DIVISIONS:
        return value
    number, divisor = value.args
    if isinstance(divisor, Term) and divisor.op is _ITE and divisor.args[0] is condition:
        divisor = divisor.args[2]
    known = isinstance(divisor, Term) and divisor is not value.args[1]
    return intern(value.op, (number, divisor), None, value.sort) if known else value


def choose(condition: Term, a: V, b: V, sort: Sort) -> Term:
    """The ITE node itself, without simplification, with its leaves counted."""
    term = intern(_ITE, (condition, a, b), None, sort)
    if not term.leaves:
        left = 1 if isinstance(a, int) else a.leaves
        right = 1 if isinstance(b, int) else b.leaves
        if left and right and left + right <= MOST_LEAVES:
            term.leaves = left + right
    return term


def bool_to_bits(condition: V, width: int) -> V:
    """1 where `condition`, else 0, in `width` bits."""
    return ite(condition, 1, 0, width)


def map_leaves(tree: Term, operation: Callable[[int], int], width: int | Sort) -> V:
    """The tree with operation(k) for every leaf k, of the sort that `width` says; of Bools it is logic."""
    done: dict[Term, V] = {}

    def mapped(value: V) -> V:
        if isinstance(value, int):
            return operation(value)
        found = done.get(value)
        if found is None:
            condition, a, b = value.args
            found = done[value] = ite(condition, mapped(a), mapped(b), width)
        return found

    return mapped(tree)
