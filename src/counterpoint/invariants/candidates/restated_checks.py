"""Checks about a loop's bound, restated for its counter: what will hold at the end holds for the part done so far.

A check `s == n * (n + 1) / 2` behind `while (i <= n)` gives `s == i * (i + 1) / 2`, the same with i - 1 and i + 1,
and for counters that go down with n - i.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.logic.atoms import literals
from counterpoint.logic.loop_shape import LoopShape, loop_shapes
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute, variables

MOST_CHECKS = 12
"""Conditions of one loop that are restated."""


def _guesses(context: Context) -> Iterator[Guess]:
    for place, loop in loop_shapes(context.graph).items():
        for check in _checks(context, place)[:MOST_CHECKS]:
            for bound in (variable for variable in variables(check) if variable in loop.kept):
                for part in _so_far(loop, bound):
                    yield place, substitute(check, {bound: part})


def _checks(context: Context, place: tuple[str, int]) -> list[Term]:
    """The conditions checked in the regions that begin at the place, over its components."""
    found: dict[Term, None] = {}
    for region in context.graph.regions_from(place):
        wanted = [build.not_(part) for failure in region.failures for part in literals(failure.formula)]
        found.update(dict.fromkeys(fact for fact in region.start_values.back_all(wanted) if isinstance(fact, Term)))
    return list(found)


def _so_far(loop: LoopShape, bound: Term) -> Iterator[V]:
    """How much of the bound is done: counters, one more or less of them, and what they leave of the bound."""
    if not isinstance(bound.sort, BitVec):
        return
    width = bound.sort.width
    for counter in loop.variables:
        if counter in loop.modified and counter.sort is bound.sort and loop.steps(counter):
            for shift in (0, -1, 1):
                yield build.add(counter, shift & ((1 << width) - 1), width)
            yield build.sub(bound, counter, width)


SOURCE = GuessSource("restated_checks", 1, "checks about a loop's bound, restated for its counter", _guesses)
