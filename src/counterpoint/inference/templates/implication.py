"""Of two Bools: one, or that it is not, implies the other, or that it is not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for a, b in combinations(view.bools(), 2):
        one, two = view.numbers(a) != 0, view.numbers(b) != 0
        if not view.related((a, b)):
            continue
        for left, p in ((one, view.variable(a)), (~one, build.not_(view.variable(a)))):
            for right, q in ((two, view.variable(b)), (~two, build.not_(view.variable(b)))):
                if not (left & ~right).any():
                    yield Hypothesis(build.implies(p, q), 0.75)


TEMPLATE = Template("implication", 4, 3, "p => q, of two Bools", _hypotheses)
