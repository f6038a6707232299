"""x = r modulo m: of numbers that are never negative for any m, else for a power of two."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build

PRIMES = (2, 3, 5, 7, 11, 13)


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        if k in view.few or k in view.determined or view.sample.count < 2:
            continue
        width, numbers, variable = view.width(k), view.numbers(k), view.variable(k)
        first = numbers.min()
        common = int(np.gcd.reduce(numbers - first))
        if view.statistics(k).signed_low < 0 or common & (common - 1) == 0:
            common &= -common
            rest = int(first) & (common - 1)
            formula = build.eq(build.bvand(variable, (common - 1) & ((1 << width) - 1), width), rest, width)
        else:
            formula = build.eq(build.urem(variable, common, width), int(first) % max(common, 1), width)
        if common > 1:
            least = next((prime for prime in PRIMES if common % prime == 0), 17)
            yield Hypothesis(formula, chance=1 / least, fitted=2)


TEMPLATE = Template("modulus", 3, 5, "x = r modulo m", _hypotheses, conditional=False)
