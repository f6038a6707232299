"""z == a*x + b*y + c modulo 2**width."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.ring import contradictory, solved
from counterpoint.inference.view import View
from counterpoint.term import build

MOST, MOST_IN_PART = 24, 8
"""Columns of which all triples are tried, and of those under a condition."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = [k for k in sorted(view.plain(), key=view.later) if k not in view.determined]
    columns = [k for k in columns if view.varied(k) > 2][-(MOST_IN_PART if view.part else MOST) :]
    done: set[int] = set()
    for three in combinations(columns, 3):
        if not done.isdisjoint(three) or len({view.width(k) for k in three}) > 1 or not view.related(three):
            continue
        for target in reversed(three):
            x, y = (k for k in three if k != target)
            hypothesis = _sum(view, x, y, target)
            if hypothesis is not None:
                yield hypothesis
                if view.replaces(hypothesis):
                    done.add(target)
                break


def _sum(view: View, x: int, y: int, z: int) -> Hypothesis | None:
    width, mask = view.width(z), mask_of(view.width(z))
    points = list(zip(view.head(x)[:4], view.head(y)[:4], view.head(z)[:4], strict=True))
    if len(points) < 4 or contradictory(points, width):
        return None
    left = np.stack([view.numbers(x), view.numbers(y)], axis=1)
    right = view.numbers(z)
    factors = solved((left - left[0])[1:], (right - right[0])[1:], width)
    if factors is None or 0 in factors:
        return None
    a, b = factors
    rest = int(right[0]) - a * int(left[0, 0]) - b * int(left[0, 1]) & mask
    total = build.add(build.mul(a & mask, view.variable(x), width), build.mul(b & mask, view.variable(y), width), width)
    formula = build.eq(view.variable(z), build.add(total, rest, width), width)
    return Hypothesis(formula, 1 / view.varied(z), 3)


TEMPLATE = Template("linear of three", 5, 2, "z == a*x + b*y + c modulo 2^w", _hypotheses)
