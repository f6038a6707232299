"""y == (1 << x) + c."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

FEWEST = 3
"""Different exponents."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    columns = view.plain()
    exponents = [k for k in columns if 2 < view.statistics(k).high < 64 and view.varied(k) >= FEWEST]
    for x, y in permutations(columns, 2):
        width, mask = view.width(y), mask_of(view.width(y))
        if x not in exponents or not view.related((x, y)) or view.tied(x, y) or view.statistics(x).high >= width:
            continue
        powers = np.uint64(1) << view.numbers(x)
        rest = (view.numbers(y) - powers) & np.uint64(mask)
        if rest.min() != rest.max():
            continue
        exponent: V = view.variable(x)
        own = view.width(x)
        exponent = build.extract(width - 1, 0, exponent, own) if own > width else build.zext(exponent, own, width)
        formula = build.eq(view.variable(y), build.add(build.shl(1, exponent, width), int(rest[0]), width), width)
        yield Hypothesis(formula, 1 / view.varied(y), 1)


TEMPLATE = Template("power of two", 4, 2, "y == (1 << x) + c", _hypotheses)
