"""One array is before another in lexical order, or not behind it: of few elements, read as unsigned or signed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import TypeAlias

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Numbers, Truth, ordered
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

Less: TypeAlias = Callable[[V, V, int], V]

FEW = 8
"""Elements that are compared."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for a, b in permutations(view.arrays(), 2):
        size, same_sort = view.column(a).size, view.variable(a).sort is view.variable(b).sort
        if not isinstance(size, int) or not 1 < size <= FEW or size != view.column(b).size or not same_sort:
            continue
        one, two = (_elements(view, position, size) for position in (a, b))
        if one is None or two is None or not view.related((a, b)):
            continue
        width = view.width(a)
        readings = (
            ([ordered(n, width) for n in one], [ordered(n, width) for n in two], build.slt, build.sle),
            (one, two, build.ult, build.ule),
        )
        for first, second, less, at_most in readings:
            before, equal = _before(first, second)
            if (before | equal).all() and not equal.all():
                yield Hypothesis(_formula(view, a, b, size, less, at_most, not equal.any()))
                break


def _elements(view: View, position: int, size: int) -> list[Numbers] | None:
    """By index; None where some are not known."""
    rows, found = np.arange(view.sample.count), []
    for index in range(size):
        values, known = view.entries(position).find(rows, np.full(len(rows), index, dtype=np.uint64))
        if not known.all():
            return None
        found.append(values)
    return found


def _before(one: list[Numbers], two: list[Numbers]) -> tuple[Truth, Truth]:
    before, equal = np.zeros(len(one[0]), dtype=np.bool_), np.ones(len(one[0]), dtype=np.bool_)
    for a, b in zip(one, two, strict=True):
        before |= equal & (a < b)
        equal &= a == b
    return before, equal


def _formula(view: View, a: int, b: int, size: int, less: Less, at_most: Less, strictly: bool) -> V:
    width = view.width(a)
    one, two = view.variable(a), view.variable(b)
    pairs = [(build.select(one, index), build.select(two, index)) for index in range(size)]
    formula = (less if strictly else at_most)(pairs[-1][0], pairs[-1][1], width)
    for left, right in reversed(pairs[:-1]):
        formula = build.or_(less(left, right, width), build.and_(build.eq(left, right, width), formula))
    return formula


TEMPLATE = Template("lexical order", 7, 3, "an array is before another in lexical order", _hypotheses)
