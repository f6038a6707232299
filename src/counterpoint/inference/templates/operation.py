"""z == x op y: quotients and rests, bits, shifts of one number by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import TypeAlias

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Numbers, mask_of, signed
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import HEAD, View
from counterpoint.term import build
from counterpoint.term.term import V

MOST = 12
"""Columns of which all pairs are tried."""

FEWEST = 4
"""Different numbers of a result: fewer are what many operations give."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """`numbers` of two vectors of a width, `term` of two terms; of a `symmetric` one the operands have no order."""

    numbers: Callable[[Numbers, Numbers, int], Numbers]
    term: Callable[[V, V, int], V]
    symmetric: bool = False


def _quotient(one: Numbers, two: Numbers, width: int) -> Numbers:
    divided = one // np.maximum(two, np.uint64(1))
    return np.where(two == 0, np.uint64(mask_of(width)), divided)


def _rest(one: Numbers, two: Numbers, width: int) -> Numbers:
    return np.where(two == 0, one, one % np.maximum(two, np.uint64(1)))


def _signed_quotient(one: Numbers, two: Numbers, width: int) -> Numbers:
    negative = _negative(one, width) != _negative(two, width)
    return _with_sign(_quotient(_size(one, width), _size(two, width), width), negative, width)


def _signed_rest(one: Numbers, two: Numbers, width: int) -> Numbers:
    return _with_sign(_rest(_size(one, width), _size(two, width), width), _negative(one, width), width)


def _left(one: Numbers, two: Numbers, width: int) -> Numbers:
    return np.where(two < width, one << np.minimum(two, np.uint64(63)), np.uint64(0)) & np.uint64(mask_of(width))


def _right(one: Numbers, two: Numbers, width: int) -> Numbers:
    return np.where(two < width, one >> np.minimum(two, np.uint64(63)), np.uint64(0))


def _signed_right(one: Numbers, two: Numbers, width: int) -> Numbers:
    amount = np.minimum(two, np.uint64(width - 1)).astype(np.int64)
    return (signed(one, width) >> amount).view(np.uint64) & np.uint64(mask_of(width))


def _negative(numbers: Numbers, width: int) -> np.ndarray:
    return signed(numbers, width) < 0


def _size(numbers: Numbers, width: int) -> Numbers:
    return _with_sign(numbers, _negative(numbers, width), width)


def _with_sign(numbers: Numbers, negative: np.ndarray, width: int) -> Numbers:
    return np.where(negative, ~numbers + np.uint64(1), numbers) & np.uint64(mask_of(width))


_OPERATIONS = (
    _Operation(_quotient, build.udiv),
    _Operation(_rest, build.urem),
    _Operation(_signed_quotient, build.sdiv),
    _Operation(_signed_rest, build.srem),
    _Operation(lambda a, b, _: a & b, build.bvand, symmetric=True),
    _Operation(lambda a, b, _: a | b, build.bvor, symmetric=True),
    _Operation(lambda a, b, _: a ^ b, build.bvxor, symmetric=True),
    _Operation(_left, build.shl),
    _Operation(_right, build.lshr),
    _Operation(_signed_right, build.ashr),
)

_Start: TypeAlias = tuple[int, bytes]
"""A column's width and its first numbers."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = sorted((k for k in view.plain() if view.width(k) > 1), key=view.later)[-MOST:]
    results: dict[_Start, list[int]] = {}
    for z in columns:
        if z not in view.determined and view.varied(z) >= FEWEST:
            results.setdefault(_start(view.numbers(z), view.width(z)), []).append(z)
    for x, y in permutations(columns, 2) if results else ():
        if view.width(x) != view.width(y) or not view.related((x, y)):
            continue
        for operation in _OPERATIONS:
            if operation.symmetric and x > y:
                continue
            yield from _results(view, operation, x, y, results)


def _start(numbers: Numbers, width: int) -> _Start:
    return width, numbers[:HEAD].tobytes()


def _results(
    view: View, operation: _Operation, x: int, y: int, results: dict[_Start, list[int]]
) -> Iterator[Hypothesis]:
    """The columns that are what the operation gives, known by their first numbers."""
    width, one, two = view.width(x), view.numbers(x), view.numbers(y)
    candidates = results.get(_start(operation.numbers(one[:HEAD], two[:HEAD], width), width), ())
    for z in candidates:
        if z in (x, y) or not view.related((x, y, z)):
            continue
        if np.array_equal(operation.numbers(one, two, width), view.numbers(z)):
            computed = operation.term(view.variable(x), view.variable(y), width)
            yield Hypothesis(build.eq(view.variable(z), computed, width), 1 / view.varied(z))


TEMPLATE = Template(
    "operation", 4, 2, "z == x / y, x % y (signed or not), x & y, x | y, x ^ y, x << y, x >> y", _hypotheses, False
)
