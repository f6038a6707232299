"""Of two arrays, element by element: a[k] == b[k], a[k] <= b[k]; of an array and its index: a[k] == m*k + c."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import mask_of, ordered
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import Elements, elements
from counterpoint.inference.ring import solved
from counterpoint.inference.vectors import at_entries
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for a in view.arrays():
        for some in elements(view, a):
            if view.column(a).granule is None:
                yield from _by_index(some)
            for b in view.arrays():
                same_sort = view.variable(a).sort is view.variable(b).sort
                if a != b and same_sort and view.related((a, b)) and view.column(a).granule == view.column(b).granule:
                    yield from _by_other(some, b)


def _by_other(some: Elements, b: int) -> Iterator[Hypothesis]:
    width, view = some.sort.element, some.view
    other = build.select(view.variable(b), some.ghost)
    numbers, known = at_entries(other, view.sample, some.position)
    both = some.inside & known
    one, two = view.entries(some.position).values[both], numbers[both]
    if not len(one):
        return
    if (one == two).all():
        if some.position > b:
            yield some.hypothesis(build.eq(some.element, other, width))
    elif (ordered(one, width) <= ordered(two, width)).all():
        yield some.hypothesis(build.sle(some.element, other, width))


def _by_index(some: Elements) -> Iterator[Hypothesis]:
    width, bits = some.sort.element, some.sort.index
    numbers, indices, mask = some.numbers, some.indices, mask_of(width)
    if numbers.min() == numbers.max() or indices.min() == indices.max():
        return
    slopes = solved((indices - indices[0])[1:, None], (numbers - numbers[0])[1:], width)
    if slopes is not None and slopes[0]:
        start = int(numbers[0]) - slopes[0] * int(indices[0]) & mask
        index = build.extract(width - 1, 0, some.ghost, bits) if width < bits else build.zext(some.ghost, bits, width)
        line = build.add(build.mul(slopes[0] & mask, index, width), start, width)
        yield some.hypothesis(build.eq(some.element, line, width), 1 / max(2, len(np.unique(numbers))), 1)


TEMPLATE = Template("arrays", 7, 4, "a[k] == b[k], a[k] <= b[k], a[k] == m*k + c", _hypotheses)
