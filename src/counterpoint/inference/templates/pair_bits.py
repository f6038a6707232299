"""The bits of one number are among, or beside, those of another; y == x & c, x | c, x ^ c."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from counterpoint.inference.confidence import Determined, Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build

FEWEST = 3
"""Bits that a number has, for it to be looked at as bits."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = [k for k in view.plain() if k not in view.few and view.statistics(k).bits.bit_length() >= FEWEST]
    for x, y in permutations(columns, 2):
        if view.width(x) != view.width(y) or not view.related((x, y)) or view.tied(x, y):
            continue
        width, one, two = view.width(x), view.numbers(x), view.numbers(y)
        a, b = view.variable(x), view.variable(y)
        computed = list(_computed(view, x, y))
        yield from computed
        if computed:
            continue
        if not (one & ~two).any():
            yield Hypothesis(build.eq(build.bvand(a, b, width), a, width), fitted=FEWEST)
        elif x < y and not (one & two).any():
            yield Hypothesis(build.eq(build.bvand(a, b, width), 0, width), fitted=FEWEST)


def _computed(view: View, x: int, y: int) -> Iterator[Hypothesis]:
    """y from x; results from inputs rather than the other way round."""
    if view.later(x) > view.later(y):
        return
    width, one, two = view.width(x), view.numbers(x), view.numbers(y)
    a, b, mask = view.variable(x), view.variable(y), mask_of(width)
    kept = int(np.bitwise_or.reduce(two))
    added = int(np.bitwise_or.reduce(two & ~one))
    flipped = int(one[0] ^ two[0]) if len(one) else 0
    effect, likely = Determined(y, x), 1 / view.varied(y)
    if np.array_equal(one, two):
        return
    if kept != mask and np.array_equal(one & np.uint64(kept), two):
        yield Hypothesis(build.eq(b, build.bvand(a, kept, width), width), likely, 3, effect)
    elif added and np.array_equal(one | np.uint64(added), two):
        yield Hypothesis(build.eq(b, build.bvor(a, added, width), width), likely, 3, effect)
    elif flipped and np.array_equal(one ^ np.uint64(flipped), two):
        yield Hypothesis(build.eq(b, build.bvxor(a, flipped, width), width), likely, 2, effect)


TEMPLATE = Template(
    "bits of two", 4, 5, "x & y == x, x & y == 0, y == x & c, x | c, x ^ c", _hypotheses, conditional=False
)
