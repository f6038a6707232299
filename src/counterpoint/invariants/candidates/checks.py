"""Checked conditions: by themselves, under their guards, and what they need one region before."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.array_cells import without_invalid_reads
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource, spread_backward
from counterpoint.logic.atoms import atoms, both_ways, literals
from counterpoint.regions.cut_graph import Region
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts

ROUNDS = 3
"""How many regions back."""

MAX_PARTS = 12
"""Conjuncts of one failure that are paired as guard and condition."""


def _guesses(context: Context) -> Iterator[Guess]:
    seeds = [
        (region.start, fact)
        for region in context.graph.regions
        for fact in region.start_values.back_all(_of_region(region))
        if fact is not None
    ]
    yield from seeds
    yield from spread_backward(context.graph, seeds, ROUNDS, context.budget)
    for region in context.graph.regions:
        relaxed = [condition for f in _failing(region) for a in atoms((f,)) for condition in both_ways(a)]
        for fact in region.start_values.back_all(relaxed):
            if fact is not None:
                yield region.start, fact


def _failing(region: Region) -> list[V]:
    """On which runs, of those whose reads are valid, checks are violated: what else a read would give is no number of
    the place. As they are, where that makes no difference, first."""
    formulas = [failure.formula for failure in region.failures if failure.formula != 0]
    return list(dict.fromkeys(without_invalid_reads(formulas)))


def _of_region(region: Region) -> Iterator[V]:
    for formula in _failing(region):
        yield build.not_(formula)
        parts = conjuncts(formula)[-MAX_PARTS:]
        for part in reversed(parts):
            yield build.not_(part)
        for condition in reversed(parts):  # whichever of them is the check, the others guard it
            for guard in parts:
                if guard is not condition:
                    yield build.implies(guard, build.not_(condition))
        for part in reversed(parts):
            for literal in literals(part):
                yield build.not_(literal)


SOURCE = GuessSource("checks", 0, "checked conditions, their parts, and their weakest preconditions", _guesses)
