"""Heuristic 4: a modified variable stays even, or odd."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.comparisons import modified
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.loop_shape import loop_shapes
from counterpoint.term import build
from counterpoint.term.sorts import BitVec


def _guesses(context: Context) -> Iterator[Guess]:
    for place, loop in loop_shapes(context.graph).items():
        for changed in modified(loop):
            assert isinstance(changed.sort, BitVec)
            lowest = build.extract(0, 0, changed, changed.sort.width)
            yield place, build.eq(lowest, 0, 1)
            yield place, build.eq(lowest, 1, 1)


SOURCE = GuessSource("parity", 1, "parity of modified variables (SRTool VIII.4)", _guesses)
