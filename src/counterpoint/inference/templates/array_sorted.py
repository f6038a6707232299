"""Neighbours in a range of an array rise or fall, strictly or not, signed, or unsigned where that is something else; or
they are all equal."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import ordered
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import Elements, elements, neighbours
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for position in view.arrays():
        for some in elements(view, position):
            formula = _order(some)
            if formula is not None:
                yield Hypothesis(some.neighbours(formula))


def _order(some: Elements) -> V | None:
    width = some.sort.element
    one, two = neighbours(some)
    if len(one) == 0 or some.numbers.min() == some.numbers.max():
        return None
    if (one == two).all():
        return build.eq(some.element, some.next_element, width)
    readings = ((ordered(one, width), ordered(two, width), build.sle, build.slt), (one, two, build.ule, build.ult))
    for a, b, at_most, below in readings:
        if (a <= b).all():
            return (below if (a < b).all() else at_most)(some.element, some.next_element, width)
        if (a >= b).all():
            return (below if (a > b).all() else at_most)(some.next_element, some.element, width)
    return None


TEMPLATE = Template("sorted", 7, 3, "a[k] <= a[k + 1], also falling, strictly, or all equal", _hypotheses)
