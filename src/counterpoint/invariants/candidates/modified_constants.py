"""Heuristic 2: each variable that a loop modifies, compared with 0, 1, -1 and the program's constants."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.comparisons import compared, constants, modified
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.loop_shape import loop_shapes
from counterpoint.term.sorts import BitVec

MAX_CONSTANTS = 12
"""Constants that a variable is compared with; those of checks come first."""


def _guesses(context: Context) -> Iterator[Guess]:
    """The constants of guards as well, not only those of assertions as in the paper."""
    known: dict[int, list[int]] = {}
    for place, loop in loop_shapes(context.graph).items():
        for changed in modified(loop):
            assert isinstance(changed.sort, BitVec)
            width = changed.sort.width
            if width not in known:
                known[width] = constants(context.graph, width)[:MAX_CONSTANTS]
            for constant in known[width]:
                yield from ((place, formula) for formula in compared(changed, constant, width))


SOURCE = GuessSource("modified_constants", 1, "modified variables against constants (SRTool VIII.2)", _guesses)
