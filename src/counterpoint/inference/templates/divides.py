"""x divides y, of numbers that are never negative."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = [k for k in view.plain() if view.statistics(k).signed_low >= 0 and view.statistics(k).high > 1]
    divisors = [k for k in columns if view.statistics(k).low > 0]
    for x, y in permutations(columns, 2):
        if x not in divisors or view.width(x) != view.width(y) or not view.related((x, y)) or view.tied(x, y):
            continue
        below, above = view.numbers(x), view.numbers(y)
        if (above[:20] % below[:20]).any() or (above % below).any():
            continue
        formula = build.eq(build.urem(view.variable(y), view.variable(x), view.width(y)), 0, view.width(y))
        yield Hypothesis(formula)


TEMPLATE = Template("divides", 4, 5, "y % x == 0", _hypotheses, conditional=False)
