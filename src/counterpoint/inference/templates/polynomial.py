"""k*y == a polynomial of degree 2 in one or two columns, or 3 in one, modulo 2**width; k is 1, 2 or 6, for sums of
numbers and of squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import Numbers, mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.ring import contradictory, solved
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

MOST, MOST_IN_PART = 12, 4
"""Columns of which all pairs are tried, and of those under a condition."""

LARGEST = 10_000
"""Of the factors of products."""

SURPLUS = 2
"""Rows beyond those that a polynomial is fitted to."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = [k for k in sorted(view.plain(), key=view.later) if k not in view.determined and view.varied(k) > 3]
    columns = columns[-(MOST_IN_PART if view.part else MOST) :]
    for y in columns:
        others = [k for k in columns if k != y and view.width(k) == view.width(y) and view.related((k, y))]
        found = False
        for x in others:
            for hypothesis in _fitted(view, y, (x,), ((0,), (0, 0), (0, 0, 0)), (6, 2, 1)):
                found = True
                yield hypothesis
        if found:
            continue
        for two in combinations(others, 2):
            if view.related(two):
                yield from _fitted(view, y, two, ((0,), (1,), (0, 0), (0, 1), (1, 1)), (2, 1))


def _fitted(
    view: View, y: int, columns: Sequence[int], products: Sequence[tuple[int, ...]], scales: Sequence[int]
) -> Iterator[Hypothesis]:
    """The equation with the least of the scales that will do: they fall, and each divides those before it."""
    width, mask = view.width(y), mask_of(view.width(y))
    if view.sample.count < len(products) + 1 + SURPLUS:
        return
    heads = [view.head(k) for k in columns]
    points = [
        [*(prod(heads[k][row] for k in product) for product in products), scales[0] * number]
        for row, number in enumerate(view.head(y)[: len(products) + 2])
    ]
    if contradictory(points, width):
        return
    values = [view.numbers(k) for k in columns]
    left = np.stack([_product(values, product) for product in products], axis=1)
    best: tuple[int, tuple[int, ...]] | None = None
    for scale in scales:
        right = view.numbers(y) * np.uint64(scale)
        factors = solved((left - left[0])[1:], (right - right[0])[1:], width)
        if factors is None:
            break
        if max(map(abs, factors)) <= LARGEST:
            best = scale, factors
    if best is None:
        return
    scale, factors = best
    used = {k for product, factor in zip(products, factors, strict=True) if factor for k in product}
    if not any(f and len(p) > 1 for p, f in zip(products, factors, strict=True)) or len(used) < len(columns):
        return
    rest = scale * int(view.numbers(y)[0]) - sum(f * int(n) for f, n in zip(factors, left[0], strict=True)) & mask
    total: V = rest
    for product, factor in zip(products, factors, strict=True):
        part: V = factor & mask
        for k in product:
            part = build.mul(part, view.variable(columns[k]), width)
        total = build.add(total, part, width)
    formula = build.eq(build.mul(scale & mask, view.variable(y), width), total, width)
    yield Hypothesis(formula, 1 / view.varied(y), len(products) + 1)


def _product(values: Sequence[Numbers], product: Sequence[int]) -> Numbers:
    found = values[product[0]]
    for k in product[1:]:
        found = found * values[k]
    return found


TEMPLATE = Template(
    "polynomial", 6, 2, "k*y == a polynomial of degree 2 (3 with one variable)", _hypotheses, conditional=False
)
