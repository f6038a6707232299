"""Heuristic 3: the variables that assertions speak of, compared with one another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.comparisons import checked, compared_variables
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.loop_shape import loop_shapes


def _guesses(context: Context) -> Iterator[Guess]:
    for place, loop in loop_shapes(context.graph).items():
        for a, b in combinations(checked(context.graph, loop), 2):
            yield from ((place, formula) for formula in compared_variables(a, b))


SOURCE = GuessSource("assertion_variables", 1, "variables of assertions against each other (SRTool VIII.3)", _guesses)
