"""x is an element of an array: x == a[i] for an integer i; or one of all elements, where these are few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import at_width, indices
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort

FEW = 8
"""Elements of an array that are all named."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for a in view.arrays():
        sort = view.variable(a).sort
        assert isinstance(sort, ArraySort)
        for x in view.plain():
            if view.width(x) == sort.element and view.related((x, a)) and view.varied(x) > 2:
                yield from _member(view, a, sort, x)


def _member(view: View, a: int, sort: ArraySort, x: int) -> Iterator[Hypothesis]:
    numbers, known, rows = view.numbers(x), view.entries(a), np.arange(view.sample.count)
    found = False
    for i in indices(view, a):
        values, there = known.find(rows, view.numbers(i))
        if i != x and np.count_nonzero(there) >= 2 and (values == numbers)[there].all():
            found = True
            element = build.select(view.variable(a), at_width(view, i, sort.index))
            yield Hypothesis(build.eq(view.variable(x), element, sort.element))
    size = view.column(a).size
    if found or not isinstance(size, int) or not 1 < size <= FEW:
        return
    held = np.zeros(len(rows), dtype=np.bool_)
    for index in range(size):
        values, there = known.find(rows, np.full(len(rows), index, dtype=np.uint64))
        if not there.all():
            return
        held |= values == numbers
    if held.all():
        elements = (build.select(view.variable(a), index) for index in range(size))
        yield Hypothesis(build.disjunction(build.eq(view.variable(x), e, sort.element) for e in elements))


TEMPLATE = Template("member", 7, 3, "x is an element of an array", _hypotheses)
