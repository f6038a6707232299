"""An integer is an index of an array, or not beyond its end: x < n, x <= n for n elements, read as unsigned."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.protocol import Template
from counterpoint.inference.ranges import at_width, length
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import Term, V


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for a in view.arrays():
        size, lengths = view.column(a).size, length(view, a)
        if lengths is None or size is None:
            continue
        for x in view.plain():
            if view.variable(x) is size or not view.related((x, a)) or view.varied(x) < 3:
                continue
            bits = view.width(x)
            other: V = size
            if isinstance(size, Term):
                bits = max(bits, view.width(view.table.position[size]))
                other = at_width(view, view.table.position[size], bits)
            elif size >> bits:
                continue
            numbers = view.numbers(x)
            if (numbers <= lengths).all() and int(numbers.max()) + 1 >= int(lengths.min()):
                less = build.ult if (numbers < lengths).all() else build.ule
                yield Hypothesis(less(at_width(view, x, bits), other, bits))


TEMPLATE = Template("size", 7, 4, "x < n, x <= n for an array of n elements", _hypotheses)
