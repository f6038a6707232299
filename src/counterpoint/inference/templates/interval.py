"""a <= x and x <= b, where the limits are likely ones: seen several times, or next to a number of the program.

Upper limits of what is never negative are unsigned, and say that, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        width, known, variable = view.width(k), view.statistics(k), view.variable(k)
        mask = (1 << width) - 1
        if k in view.few or width == 1 or known.constant is not None:
            continue
        if known.signed_low >= 0:
            if known.low > 1 or view.options.implied:
                yield Hypothesis(build.ule(known.low, variable, width), sure=view.sure_limit(k, known.low))
            yield Hypothesis(build.ule(variable, known.high, width), sure=view.sure_limit(k, known.high))
            continue
        low, high = known.signed_low, known.signed_high
        yield Hypothesis(build.sle(low & mask, variable, width), sure=view.sure_limit(k, low))
        if high not in (-1, 0) or view.options.implied:
            yield Hypothesis(build.sle(variable, high & mask, width), sure=view.sure_limit(k, high))
        if high >= 0 and known.high < mask:  # also in the other reading
            yield Hypothesis(build.ule(variable, known.high, width), sure=view.sure_limit(k, known.high))
        if high >= 0 and known.low > 1:
            yield Hypothesis(build.ule(known.low, variable, width), sure=view.sure_limit(k, known.low))


TEMPLATE = Template("interval", 3, 6, "a <= x, x <= b, signed and unsigned", _hypotheses, conditional=False)
