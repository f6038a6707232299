"""A result is one of two inputs, or an input or a certain number; of three inputs, if no two will do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from counterpoint.inference.columns import Role
from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

MOST = 16
"""Inputs that are tried."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for pointers in (False, True):
        for y in view.plain(pointers=pointers):
            if view.column(y).role is Role.OUTPUT and y not in view.determined:
                yield from _of_result(view, y)


def _of_result(view: View, y: int) -> Iterator[Hypothesis]:
    width, numbers = view.width(y), view.numbers(y)
    inputs = [x for x in view.inputs() if view.width(x) == width and view.alike(x, y) and view.related((x, y))][:MOST]
    where = {x: view.numbers(x) == numbers for x in inputs}
    inputs = [x for x in inputs if where[x].any() and not where[x].all()]
    found = False
    for a, b in combinations(inputs, 2):
        if (where[a] | where[b]).all():
            found = True
            yield _one_of(view, y, (a, b))
    if found:
        return
    for a in inputs:
        rest = np.unique(numbers[~where[a]])
        if len(rest) == 1 and (not view.column(y).pointer or rest[0] == 0):
            found = True
            yield _one_of(view, y, (a,), int(rest[0]))
    if found:
        return
    for three in combinations(inputs, 3):
        if (where[three[0]] | where[three[1]] | where[three[2]]).all():
            yield _one_of(view, y, three)


def _one_of(view: View, y: int, inputs: tuple[int, ...], number: int | None = None) -> Hypothesis:
    width, result = view.width(y), view.variable(y)
    values: list[V] = [view.variable(x) for x in inputs]
    if number is not None:
        values.append(number)
    formula = build.disjunction(build.eq(result, value, width) for value in values)
    likely = min(0.5, len(values) / view.varied(y))
    return Hypothesis(formula, likely, 0 if number is None else 1)


TEMPLATE = Template("one of inputs", 4, 3, "a result is one of the inputs", _hypotheses)
