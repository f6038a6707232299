"""What x - old(x) is modulo 2**width: one of a few numbers, between limits (a single one is an equation), or linear.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.ring import solved
from counterpoint.inference.statistics import Statistics
from counterpoint.inference.templates.one_of import among
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    yield from _by_inputs(view)
    for k in view.plain():
        old = view.column(k).old
        before = view.table.position.get(old) if old is not None else None
        if old is None or before is None or view.tied(k, before) or not view.active(before):
            continue
        width = view.width(k)
        mask = mask_of(width)
        difference = build.sub(view.variable(k), old, width)
        known = Statistics((view.table.numbers(k) - view.table.numbers(before)) & np.uint64(mask), width)
        few = known.few
        if few is not None:
            if len(few) > 1:
                formula = among(difference, few, width)
                yield Hypothesis(formula, len(few) / (len(few) + 1), len(few))
            continue
        low, high = known.signed_low, known.signed_high
        if known.times(low) > 1 or view.limit(low, width):
            yield Hypothesis(build.sle(low & mask, difference, width))
        if known.times(high) > 1 or view.limit(high, width):
            yield Hypothesis(build.sle(difference, high & mask, width))


def _by_inputs(view: View) -> Iterator[Hypothesis]:
    """x - old(x) == a*y + b where old(x) had one number only, so that nothing tells it from that number."""
    for k in (k for k, column in enumerate(view.table.columns) if column.old is not None and not column.is_array):
        before = view.table.position.get(view.column(k).old or view.variable(k))
        if before is None or before == k or view.statistics(before).constant is None:
            continue
        width, mask, old = view.width(k), mask_of(view.width(k)), view.variable(before)
        difference = (view.numbers(k) - view.numbers(before)) & np.uint64(mask)
        for y in view.inputs():
            numbers = view.numbers(y)
            if y == before or view.width(y) != width or not view.alike(y, k) or not view.related((y, k)):
                continue
            if numbers.min() == numbers.max():
                continue
            factors = solved((numbers - numbers[0])[1:, None], (difference - difference[0])[1:], width)
            if factors is not None and factors[0]:
                start = int(difference[0]) - factors[0] * int(numbers[0]) & mask
                line = build.add(build.mul(factors[0] & mask, view.variable(y), width), start, width)
                formula = build.eq(view.variable(k), build.add(old, line, width), width)
                yield Hypothesis(formula, 1 / view.varied(y), 2)


TEMPLATE = Template("change", 2, 2, "x - old(x) is one of a few numbers, between limits, or a*y + b", _hypotheses)
