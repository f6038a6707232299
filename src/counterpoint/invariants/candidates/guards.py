"""Conditions that branches test, and what they are relaxed to."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource, spread_forward
from counterpoint.logic.atoms import atoms, both_ways, literals, relaxed
from counterpoint.logic.loop_shape import loop_shapes
from counterpoint.regions.cut_graph import START
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

ROUNDS = 4
"""Ways on which a condition that held is followed."""

MAX_ATOMS = 60
"""Tests of one region."""


def _guesses(context: Context) -> Iterator[Guess]:
    """What holds at the end of a way comes first, then what its tests say at its start."""
    graph = context.graph
    behind_ways: list[Guess] = []
    for region in graph.regions:
        for way in region.ways:
            if way.leaves:
                held = [r for part in literals(way.formula) for r in relaxed(part)]
                facts = way.values.back_all(held)
                behind_ways += ((way.target, fact) for fact in facts if fact is not None)
    yield from behind_ways
    at_start: list[Guess] = []
    for region in graph.regions:
        if region.start != START:
            tests = [way.formula for way in region.ways] + [f.formula for f in region.failures]
            values = [value for way in region.ways if way.leaves for value in way.values.values.values()]
            found = atoms([*tests, *values])[:MAX_ATOMS]
            both = [condition for atom in found for condition in both_ways(atom)]
            at_start += ((region.start, fact) for fact in region.start_values.back_all(both) if fact is not None)
    yield from at_start
    yield from spread_forward(graph, behind_ways, ROUNDS, context.budget)
    yield from _or_unchanged(context)


def _or_unchanged(context: Context) -> Iterator[Guess]:
    """A variable has the value that it had on entering the loop, or what was tested when it was changed holds."""
    for place, loop in loop_shapes(context.graph).items():
        for variable in loop.variables:
            if variable not in loop.modified or not isinstance(variable.sort, BitVec):
                continue
            width = variable.sort.width
            for first in loop.initial(variable):
                still = build.eq(variable, first, width)
                for passage in loop.rounds:
                    held: list[V] = list(literals(passage.way.formula))
                    facts = passage.way.values.back_all(held)
                    yield from ((place, build.or_(still, fact)) for fact in facts if fact is not None)


SOURCE = GuessSource("guards", 0, "conditions of branches, relaxed, also those that held earlier", _guesses)
