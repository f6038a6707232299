"""What samples make likely at the entries and exits of functions that go by contract: what they need, and what they
do, also as compared with the entry values.

Source: Yeolekar, Unadkat, Assertion checking using dynamic inference, section 2.1. Deviation: both are taken of the
runs of the whole program, and whether they hold together is Houdini's question.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.core.budget import Budget
from counterpoint.inference import Options, infer, place_table
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import signed_constants
from counterpoint.semantics.cutpoint import EXIT

SECONDS = 0.3
"""Of computing, for one place."""

SURE = 0.5

MOST = 150
"""Facts at one place."""


def _guesses(context: Context) -> Iterator[Guess]:
    """Of each function first the likeliest, what follows from others left out; then all."""
    graph = context.graph
    called = [name for name in graph.contracts if name != graph.program.entry]
    places = [place for place in graph.cuts if place[0] in called and place[1] in (0, EXIT)]
    numbers = signed_constants(context) if places else frozenset()
    for place in places:
        snapshots = context.snapshots.at.get(place, ())
        if not snapshots:
            continue
        table = place_table(graph.cuts[place], graph.granules, snapshots)
        for implied in (False, True):
            context.budget.spend()
            options = Options(SURE, implied=implied, numbers=numbers, conditions=not implied)
            limit = Budget.of_computing(min(SECONDS, context.budget.remaining()))
            yield from ((place, likely.formula) for likely in infer(table, options, limit))


SOURCE = GuessSource(
    "contracts_learned", 1, "Preconditions and postconditions that samples make likely (Daikon).", _guesses, MOST
)
