"""Limits and known bits of single components, from interval analysis."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.errors import OutOfBudget
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.intervals import intervals
from counterpoint.logic.ranges import Range
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort
from counterpoint.term.term import Term, V

SHARE = 0.1
"""Of the remaining time, what the analysis may take; nothing is guessed if that is too little."""


def _guesses(context: Context) -> Iterator[Guess]:
    bits = context.graph.program.layout.pointer_bits
    try:
        found = intervals(context.graph, context.budget.share(SHARE))
    except OutOfBudget:
        return
    for place, known in found.items():
        for variable, range_ in known.items():
            value: V = variable
            if isinstance(variable.sort, ArraySort):
                value = build.select(variable, ghost(0, bits))
            if variable.sort == BOOL:
                if range_.constant is not None:
                    yield place, value if range_.constant else build.not_(value)
            elif isinstance(value, Term):
                yield from ((place, formula) for formula in limits(value, range_))


def limits(value: V, range_: Range) -> Iterator[V]:
    """That a bit-vector lies in the range, as single comparisons."""
    width, mask = range_.width, (1 << range_.width) - 1
    if range_.constant is not None:
        yield build.eq(value, range_.constant, width)
        return
    yield build.sle(range_.lowest & mask, value, width)
    yield build.sle(value, range_.highest & mask, width)
    yield build.ule(range_.low, value, width)
    yield build.ule(value, range_.high, width)
    known = range_.zeros | range_.ones
    if known:
        yield build.eq(build.bvand(value, known, width), range_.ones, width)


SOURCE = GuessSource("intervals", 0, "limits and known bits by abstract interpretation", _guesses)
