"""Heuristic 1: each variable that a loop modifies, compared with each one that it uses."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.comparisons import compared_variables, modified, used
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.loop_shape import loop_shapes


def _guesses(context: Context) -> Iterator[Guess]:
    for place, loop in loop_shapes(context.graph).items():
        uses = used(loop)
        for changed in modified(loop):
            for other in uses:
                if other is not changed:
                    yield from ((place, formula) for formula in compared_variables(changed, other))


SOURCE = GuessSource("modified_used", 1, "modified against used variables of a loop (SRTool VIII.1)", _guesses)
