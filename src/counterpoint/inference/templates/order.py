"""x < y, x <= y, signed, and unsigned where that is something else; x != y."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterpoint.inference.confidence import Hypothesis
from counterpoint.inference.numbers import ordered
from counterpoint.inference.protocol import Template
from counterpoint.inference.view import View
from counterpoint.term import build


def _hypotheses(view: View) -> Iterator[Hypothesis]:
    for is_signed in (True, False):
        below = dict(_below(view, is_signed))
        kept = below if view.options.implied else _reduced(below)
        for (a, b), strictly in kept.items():
            less = (build.slt if strictly else build.sle) if is_signed else (build.ult if strictly else build.ule)
            formula = less(view.variable(a), view.variable(b), view.width(a))
            yield Hypothesis(formula)
    for a, b in view.pairs():
        one, two = view.numbers(a), view.numbers(b)
        chance = 1 - 1 / max(2, *(view.statistics(k).span for k in (a, b)))
        if 1 - chance**view.table.count < view.options.confidence or (one == two).any() or _comparable(view, a, b):
            continue
        yield Hypothesis(build.ne(view.variable(a), view.variable(b), view.width(a)), chance)


def _below(view: View, is_signed: bool) -> Iterator[tuple[tuple[int, int], bool]]:
    """((x, y), strictly) where x <= y on the sample; unsigned only where signs differ, signed otherwise."""
    for a, b in view.pairs(tied=True):
        mixed = _negative(view, a) or _negative(view, b)
        if view.width(a) == 1 or (not is_signed and not mixed) or _apart(view, a, b):
            continue
        one, two = view.numbers(a), view.numbers(b)
        if is_signed:
            one, two = ordered(one, view.width(a)), ordered(two, view.width(b))
        if (one <= two).all():
            yield (a, b), bool((one < two).all())
        elif (two <= one).all():
            yield (b, a), bool((two < one).all())


def _negative(view: View, position: int) -> bool:
    return bool(view.numbers(position).max() >> np.uint64(view.width(position) - 1))


def _apart(view: View, a: int, b: int) -> bool:
    """Limits that are reported say it already."""
    if view.options.implied:
        return False
    one, two = view.statistics(a), view.statistics(b)
    if one.signed_low > two.signed_high:
        one, two, a, b = two, one, b, a
    if one.signed_high > two.signed_low:
        return False
    enough = view.options.confidence
    return view.sure_limit(a, one.signed_high) >= enough and view.sure_limit(b, two.signed_low) >= enough


def _comparable(view: View, a: int, b: int) -> bool:
    """They are ordered, in one reading."""
    for one, two in (
        (view.numbers(a), view.numbers(b)),
        (ordered(view.numbers(a), view.width(a)), ordered(view.numbers(b), view.width(b))),
    ):
        if (one < two).all() or (two < one).all():
            return True
    return False


def _reduced(below: dict[tuple[int, int], bool]) -> dict[tuple[int, int], bool]:
    """Without what follows from two others: x <= y <= z. Cubic in the columns."""
    after: dict[int, list[int]] = {}
    for a, b in below:
        after.setdefault(a, []).append(b)
    return {
        (a, c): strictly
        for (a, c), strictly in below.items()
        if not any(
            (b, c) in below and (not strictly or below[a, b] or below[b, c]) and (c, a) not in below
            for b in after[a]
            if b != c
        )
    }


TEMPLATE = Template("order", 4, 3, "x < y, x <= y, x != y, signed and unsigned", _hypotheses)
