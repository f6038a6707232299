"""x == y, of numbers, Bools or pointers: of columns that are all equal, each with the first one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis, Same
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View, equal


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    firsts: list[int] = []
    for k in sorted(_columns(view), key=view.later):
        column, numbers = view.column(k), view.numbers(k)
        alike = [
            other
            for other in firsts
            if view.column(other).variable.sort is column.variable.sort
            and view.column(other).pointer is column.pointer
            and column.related(view.column(other))
            and not (k in view.fixed and other in view.fixed)
            and np.array_equal(numbers, view.numbers(other))
        ]
        for other in alike if view.options.implied else alike[:1]:
            formula = equal(view.variable(other), column.variable, column.width, bools=column.is_bool)
            yield Hypothesis(formula, 1 / view.varied(k), effect=Same(k, other))
        if not alike or view.options.implied:
            firsts.append(k)


def _columns(view: View) -> list[int]:
    """Also those of one number: that of an input is no news, but that of a result is."""
    columns = enumerate(view.table.columns)
    return [k for k, column in columns if not column.is_array and not column.border and k not in view.same]


TEMPLATE = Template("equality", 1, 1, "x == y", _hypotheses)
