"""Of all elements in a range of an array and an integer: a[k] == x, a[k] <= x, x <= a[k], a[k] != x."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import ordered
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import elements
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for position in view.arrays():
        width = view.width(position)
        integers = [k for k in view.plain() if view.width(k) == width and view.related((k, position))]
        for some in elements(view, position):
            one, element = some.numbers, some.element
            for k in integers:
                two, variable = some.of_rows(view.numbers(k)), view.variable(k)
                signed_one, signed_two = ordered(one, width), ordered(two, width)
                if (one == two).all():
                    yield some.hypothesis(build.eq(element, variable, width))
                elif (signed_one <= signed_two).all():
                    less = build.slt if (signed_one < signed_two).all() else build.sle
                    yield some.hypothesis(less(element, variable, width))
                elif (signed_one >= signed_two).all():
                    less = build.slt if (signed_one > signed_two).all() else build.sle
                    yield some.hypothesis(less(variable, element, width))
                elif (one != two).all():
                    share = 1 / max(len(np.unique(one)), len(np.unique(two)))
                    yield some.hypothesis(build.ne(element, variable, width), 1 - share)


TEMPLATE = Template("elements and integers", 7, 4, "a[k] compared with x", _hypotheses)
