"""What x - old(x) is modulo 2**width: one of a few numbers, or between limits (a single one is an equation)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.statistics import Statistics
from counterpoint.inference.templates.one_of import among
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
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


TEMPLATE = Template("change", 4, 3, "x - old(x) is one of a few numbers, or between limits", _hypotheses)
