"""x == c; of a Bool, that it is true, or false."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Fixed, Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in (*view.plain(), *view.bools()):
        number = view.statistics(k).constant
        if number is None:
            continue
        variable = view.variable(k)
        if view.column(k).is_bool:
            formula = variable if number else build.not_(variable)
        else:
            formula = build.eq(variable, number, view.width(k))
        yield Hypothesis(formula, chance=0.75, fitted=1, effect=Fixed(k))


TEMPLATE = Template("constant", 0, 0, "x == c", _hypotheses)
