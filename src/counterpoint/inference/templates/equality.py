"""x == y, of numbers, Bools or pointers: with the entry value, or of columns that are all equal, with the first."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis, Same
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View, equal


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    """Those of an entry value first, so that what a function leaves alone is told of each."""
    alike: dict[object, list[int]] = {}
    for k in sorted(_columns(view), key=view.later):
        column = view.column(k)
        before = alike.setdefault((column.variable.sort, column.pointer, view.numbers(k).tobytes()), [])
        others = [other for other in before if _news(view, k, other)]
        others.sort(key=lambda other: view.variable(other) is not column.old)
        for other in others if view.options.implied else others[:1]:
            formula = equal(view.variable(other), column.variable, column.width, bools=column.is_bool)
            is_old = view.variable(other) is column.old  # most of what functions may change they leave alone
            sure = 1.0 - 0.5**view.table.count if is_old else None
            yield Hypothesis(formula, 1 / view.varied(k), effect=Same(k, other), sure=sure)
        before.append(k)


def _columns(view: View) -> list[int]:
    """Also those of one number: that of an input is no news, but that of a result is."""
    columns = enumerate(view.table.columns)
    return [k for k, column in columns if not column.is_array and not column.border and k not in view.same]


def _news(view: View, k: int, other: int) -> bool:
    """They are related, and no numbers of both are reported; an entry value is what is now, whatever it was."""
    if view.column(k).old is view.variable(other):
        return True
    return not (k in view.fixed and other in view.fixed) and view.related((k, other))


TEMPLATE = Template("equality", 1, 1, "x == y", _hypotheses)
