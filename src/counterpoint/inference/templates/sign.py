"""0 < x, 0 <= x, x < 0, x <= 0, signed."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        width, known, variable = view.width(k), view.statistics(k), view.variable(k)
        if k in view.few or width == 1:
            continue
        if known.signed_low >= 0:
            bounded = view.sure_limit(k, known.high) >= view.options.confidence and not view.options.implied
            if known.signed_low > 0:
                yield Hypothesis(build.slt(0, variable, width))
            elif not bounded:  # an unsigned limit says it, too
                yield Hypothesis(build.sle(0, variable, width))
        elif known.signed_high <= 0:
            less = build.slt if known.signed_high < 0 else build.sle
            yield Hypothesis(less(variable, 0, width))


TEMPLATE = Template("sign", 3, 7, "x < 0, x <= 0, 0 <= x, 0 < x", _hypotheses)
