"""y == a*x + b modulo 2**width, also for even a; of different widths, x extended or cut to that of y."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from counterpoint.inference.confidence import Determined, Hypothesis
from counterpoint.inference.numbers import Numbers, mask_of, signed, signed_number
from counterpoint.inference.protocol import Template
from counterpoint.inference.ring import contradictory, solved
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

LARGE = 1000
"""A factor that may look better the other way round."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    done: set[int] = set(view.determined)
    columns = sorted(view.plain(), key=view.later)
    for x, y in sorted(combinations(columns, 2), key=lambda pair: (not _old(view, *pair), view.later(pair[1]))):
        if x in done or y in done or not view.related((x, y)) or view.tied(x, y):
            continue
        found = list(_between(view, x, y))
        if view.width(x) == view.width(y) and (not found or found[0][0] > LARGE):
            found = sorted([*found, *_between(view, y, x)], key=lambda pair: pair[0])[:1]
        for _, hypothesis in found:
            yield hypothesis
            if view.replaces(hypothesis):
                assert isinstance(hypothesis.effect, Determined)
                done.add(hypothesis.effect.position)


def _old(view: View, x: int, y: int) -> bool:
    """One is the other's entry value."""
    a, b = view.column(x), view.column(y)
    return a.old is b.variable or b.old is a.variable


def _between(view: View, x: int, y: int) -> Iterator[tuple[int, Hypothesis]]:
    """The factor's absolute value, and the equation."""
    width, right = view.width(y), view.numbers(y)
    for value, left in _at_width(view, x, width):
        if len(right) < 2 or contradictory(list(zip(left[:3].tolist(), view.head(y)[:3], strict=True)), width):
            continue
        if left.min() == left.max() or right.min() == right.max():
            continue
        steps = (left - left[0]) & np.uint64(mask_of(width))
        factors = solved(steps[1:, None], (right - right[0])[1:], width)
        if factors is None:
            continue
        factor, mask = factors[0], mask_of(width)
        rest = signed_number(int(right[0]) - factor * int(left[0]) & mask, width)
        if factor == 0 or ((factor, rest) == (1, 0) and view.width(x) == width):
            continue
        line = build.add(build.mul(factor & mask, value, width), rest & mask, width)
        formula = build.eq(view.variable(y), line, width)
        yield abs(factor), Hypothesis(formula, 1 / view.varied(y), 2, effect=Determined(y, x))
        return


def _at_width(view: View, position: int, width: int) -> Iterator[tuple[V, Numbers]]:
    """The column in that many bits, as a term and on the sample."""
    variable, numbers, own = view.variable(position), view.numbers(position), view.width(position)
    if own >= width:
        yield build.extract(width - 1, 0, variable, own), numbers & np.uint64(mask_of(width))
        return
    extended = signed(numbers, own).view(np.uint64) & np.uint64(mask_of(width))
    yield build.sext(variable, own, width), extended
    if not np.array_equal(extended, numbers):
        yield build.zext(variable, own, width), numbers


TEMPLATE = Template("linear", 2, 2, "y == a*x + b modulo 2^w", _hypotheses)
