"""x == c1 || ... || x == ck for a few numbers; c1 <= x && x <= ck where these are all between."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Few, Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.statistics import FEW
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        if view.varied(k) > FEW:
            continue
        few = view.statistics(k).few
        if few is not None and 1 < len(few) < 1 << view.width(k):
            formula = among(view.variable(k), few, view.width(k))
            yield Hypothesis(formula, chance=len(few) / (len(few) + 1), fitted=len(few), effect=Few(k))


def among(value: V, numbers: tuple[int, ...], width: int) -> V:
    """The value is one of the numbers, which are given in signed order."""
    mask = (1 << width) - 1
    if len(numbers) > 2 and numbers[-1] - numbers[0] & mask == len(numbers) - 1:
        return build.and_(build.sle(numbers[0], value, width), build.sle(value, numbers[-1], width))
    return build.disjunction(build.eq(value, number, width) for number in numbers)


TEMPLATE = Template("one of", 2, 4, "x is one of a few numbers", _hypotheses)
