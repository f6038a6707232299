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
        if view.options.implied:
            yield from _thresholds(view, k)
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


def _thresholds(view: View, k: int) -> Iterator[Hypothesis]:
    """Limits by the nearest numbers of the program that are further out than any row: runs may be too short to get
    there."""
    width, known, variable = view.width(k), view.statistics(k), view.variable(k)
    mask, sure = (1 << width) - 1, 1.0 - 0.5**view.table.count
    above = [number for number in view.options.numbers if known.signed_high < number < 1 << (width - 1)]
    below = [number for number in view.options.numbers if -1 << (width - 1) <= number < known.signed_low]
    if known.constant is not None and known.low > 0:
        yield Hypothesis(build.ule(known.low, variable, width), sure=sure)
    if above:
        yield Hypothesis(build.sle(variable, min(above) & mask, width), sure=sure)
    if below:
        yield Hypothesis(build.sle(max(below) & mask, variable, width), sure=sure)


TEMPLATE = Template("interval", 3, 6, "a <= x, x <= b, signed and unsigned", _hypotheses, conditional=False)
