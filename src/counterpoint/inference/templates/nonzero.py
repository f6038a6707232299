"""x != 0 where x was below and above; else its sign says so."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for k in view.plain():
        known = view.statistics(k)
        implied = k in view.few or not known.signed_low < 0 < known.signed_high
        if not known.low or (implied and not view.options.implied):
            continue
        likely = 1.0 - 1.0 / known.span
        yield Hypothesis(build.ne(view.variable(k), 0, view.width(k)), chance=likely)


TEMPLATE = Template("non-zero", 3, 8, "x != 0", _hypotheses)
