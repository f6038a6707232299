"""Clauses over conditions of the program's paths, learned from states that runs reached (docs/engines/ice.md)."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.execute.snapshots import RecordingLimits, Snapshot, record
from counterpoint.invariants.clauses.examples import Examples
from counterpoint.invariants.explicit_values import value_sets
from counterpoint.invariants.reached_values import reached_values
from counterpoint.regions.cut_graph import START, CutGraph, Place
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.sorts import BitVec

VISITS, RUNS, PATIENCE, STEPS, LONGEST_STEPS = 1_000, 1_000, 200, 3_000_000, 400_000
FIRST_STEPS = 10_000
"""Of the runs that examples are taken from, as in RecordingLimits: a cycle of a scheduler takes thousands of steps.
They take 0.4 to 0.9 s."""

RECORDING_SECONDS = 4.0
RECORDING_SHARE = 0.4
"""Limits of these runs beside, which are not reached as a rule: which counterexamples follow, and whether they teach
anything, hangs on each example, so that examples must not hang on the machine's speed."""


def examples_of(graph: CutGraph, budget: Budget, seed: int) -> dict[Place, Examples]:
    """States that runs reached at the graph's places; at START there is one, of which nothing is asked."""
    seconds = min(RECORDING_SECONDS, RECORDING_SHARE * budget.remaining())
    limits = RecordingLimits(VISITS, RUNS, STEPS, seconds, PATIENCE, FIRST_STEPS, longest_steps=LONGEST_STEPS)
    seen = record(graph.program, graph.cuts, graph.granules, seed=seed, limits=limits, habits=True)
    return {START: Examples([Snapshot({})]), **{place: Examples(list(known)) for place, known in seen.at.items()}}


def values_together(graph: CutGraph, budget: Budget, seed: int) -> list[Fact]:
    """Guesses: which values state variables have together; none where that takes more than the budget."""
    try:
        return list(reached_values(graph, budget, seed))
    except OutOfBudget:
        return []


def known_values(graph: CutGraph) -> Iterator[Fact]:
    """The values of variables that only get constants."""
    for place, variables in value_sets(graph).items():
        for variable, values in variables.items():
            if values and isinstance(variable.sort, BitVec):
                width = variable.sort.width
                yield Fact(*place, build.disjunction(build.eq(variable, value, width) for value in values))
