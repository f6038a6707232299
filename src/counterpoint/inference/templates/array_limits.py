"""Of all elements in a range of an array: a[k] == c, a[k] is one of two numbers, c <= a[k], a[k] <= c, a[k] != 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import signed
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import Elements, elements
from counterpoint.inference.statistics import Statistics
from counterpoint.inference.templates.one_of import among
from counterpoint.inference.view import View
from counterpoint.term import build

FEW = 2
SEVERAL = 4
"""How often a limit that is no likely one was met."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for position in view.arrays():
        for some in elements(view, position):
            yield from _of_elements(some)


def _of_elements(some: Elements) -> Iterator[Hypothesis]:
    width, element, view = some.sort.element, some.element, some.view
    values, mask = np.unique(some.numbers), (1 << width) - 1
    if len(values) <= FEW:
        numbers = tuple(int(value) for value in values)
        yield some.hypothesis(among(element, numbers, width), 0.75, len(values))
        return
    known = Statistics(some.numbers, width)
    for limit, is_low in ((known.signed_low, True), (known.signed_high, False)):
        if view.limit(limit, width) or known.times(limit) >= SEVERAL:
            low, high = (limit & mask, element) if is_low else (element, limit & mask)
            yield some.hypothesis(build.sle(low, high, width))
    if (signed(values, width) < 0).any() and known.low:
        yield some.hypothesis(build.ne(element, 0, width), 1 - 1 / (known.signed_high - known.signed_low + 1))


TEMPLATE = Template("elements", 7, 6, "limits of an array's elements", _hypotheses, conditional=False)
