"""z == a*x + b*y + c modulo 2**width; of the three ways in which it may be said, the one with the least factors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from counterpoint.core.records import dataclass
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
        x, y, z = three
        sums = [_sum(view, x, y, z), _sum(view, x, z, y), _sum(view, y, z, x)]
        found = [some for some in sums if some is not None]
        if found:
            best = min(found, key=lambda some: some.largest)
            yield best.hypothesis
            if view.replaces(best.hypothesis):
                done.add(best.target)


@dataclass(frozen=True, slots=True)
class _Sum:
    """`target` by the others; `largest` of the factors, without their signs."""

    hypothesis: Hypothesis
    target: int
    largest: int


def _sum(view: View, x: int, y: int, z: int) -> _Sum | None:
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
    return _Sum(Hypothesis(formula, 1 / view.varied(z), 3), z, max(abs(a), abs(b)))


TEMPLATE = Template("linear of three", 5, 2, "z == a*x + b*y + c modulo 2^w", _hypotheses)
