"""Bits of x that are always 0 or always 1, but for those at its ends, which limits and moduli tell of."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build

FITTED = 7
"""Rows until each of 64 bits should have changed."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        width, known = view.width(k), view.statistics(k)
        mask = (1 << width) - 1
        varying = known.bits & ~known.ones & mask
        if k in view.few or k in view.determined or not varying:
            continue
        inner = ((1 << varying.bit_length()) - 1) & ~((varying & -varying) - 1)
        fixed = ~varying & (mask if view.options.implied else inner)
        if fixed:
            formula = build.eq(build.bvand(view.variable(k), fixed, width), known.ones & fixed, width)
            yield Hypothesis(formula, fitted=FITTED)


TEMPLATE = Template("bits", 3, 5, "bits of x that are always 0, or always 1", _hypotheses, conditional=False)
