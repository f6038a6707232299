"""Pointers: null or never null; a certain number of bytes apart, or different; inside of an object."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Determined, Fixed, Hypothesis
from counterpoint.inference.numbers import mask_of
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import V

FARTHEST = 1 << 16
"""Bytes between pointers that mean something; objects are where they are by chance."""


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for p in view.plain(pointers=True):
        known = view.statistics(p)
        null = build.eq(view.variable(p), 0, view.width(p))
        if known.high == 0:
            yield Hypothesis(null, effect=Fixed(p))
        elif known.low > 0 and view.column(p).size is None:  # an object's start is not null anyway
            yield Hypothesis(build.not_(null))
    for p, q in view.pairs(pointers=True):
        if view.column(p).size is None or view.column(q).size is None:
            yield from _between(view, *sorted((p, q), key=view.later))
    for border in view.borders():
        yield from _made(view, border)
    for base in view.plain(pointers=True):
        size = _size(view, base)
        if size is not None:
            yield from _inside(view, base, *size)


def _between(view: View, p: int, q: int) -> Iterator[Hypothesis]:
    width, mask = view.width(p), mask_of(view.width(p))
    away = (view.numbers(q) - view.numbers(p)) & np.uint64(mask)
    first = view.signed(int(away[0]), width)
    if away.min() == away.max() and 0 < abs(first) <= FARTHEST:
        line = build.add(view.variable(p), first & mask, width)
        yield Hypothesis(build.eq(view.variable(q), line, width), fitted=1, effect=Determined(q, p))
    elif away.all():
        yield Hypothesis(build.ne(view.variable(p), view.variable(q), width))


def _made(view: View, border: int) -> Iterator[Hypothesis]:
    """Into objects that were made earlier, or later."""
    for p in view.plain(pointers=True):
        if view.column(p).size is None and view.width(p) == view.width(border) and view.related((p, border)):
            one, two = view.variable(p), view.variable(border)
            if (view.numbers(p) >= view.numbers(border)).all():
                yield Hypothesis(build.ule(two, one, view.width(p)), sure=1 - 0.5**view.table.count)
            elif view.options.implied and (view.numbers(p) < view.numbers(border)).all():
                yield Hypothesis(build.ult(one, two, view.width(p)), sure=1 - 0.5**view.table.count)


def _size(view: View, base: int) -> tuple[V, int | None] | None:
    """The bytes of the object that the column is the start of, and where that column is."""
    size = view.column(base).size
    if size is None or isinstance(size, int):
        return None if size is None else (size, None)
    position = view.table.position.get(size)
    return None if position is None else (size, position)


def _inside(view: View, base: int, size: V, position: int | None) -> Iterator[Hypothesis]:
    width, mask = view.width(base), np.uint64(mask_of(view.width(base)))
    sizes = np.uint64(size) if isinstance(size, int) else view.numbers(position if position is not None else base)
    for p in view.plain(pointers=True):
        if view.column(p).size is None and view.width(p) == width and view.related((p, base)):
            away = (view.numbers(p) - view.numbers(base)) & mask
            if (away < sizes).all():
                difference = build.sub(view.variable(p), view.variable(base), width)
                yield Hypothesis(build.ult(difference, size, width))


TEMPLATE = Template("pointers", 4, 3, "null, not null, different, apart by c, inside of an object", _hypotheses)
