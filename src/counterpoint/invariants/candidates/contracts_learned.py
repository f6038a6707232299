"""What samples make likely in functions that go by contract: what they need, what they do, also as compared with the
entry values, and what holds at their loops' heads; by what their pointers point to, too.

Source: Yeolekar, Unadkat, Assertion checking using dynamic inference, section 2.1. Deviation: both are taken of the
runs of the whole program, and whether they hold together is Houdini's question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from counterpoint.core.budget import Budget
from counterpoint.inference import Options, infer, place_tables
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import signed_constants
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build

SECONDS = 0.3
"""Of computing, for one table."""

LIKELIEST = Options(splits=6, most=50)
"""Without what follows from others; few conditions."""

WEAKER = Options(
    implied=True,
    conditions=False,
    most=30,
    templates=frozenset({"constant", "equality", "interval", "order", "pointers", "sign"}),
)
"""Limits and comparisons, though they may follow: what is inductive may be less than what is likely."""

MOST = 150
"""Facts at one place."""


def _guesses(context: Context) -> Iterator[Guess]:
    """Exits before entries and heads; at each first the likeliest, then weaker ones. What is learned of some snapshots
    may be false in others."""
    graph = context.graph
    called = [name for name in graph.contracts if name != graph.program.entry]
    places = [place for place in graph.cuts if place[0] in called]
    numbers = signed_constants(context) if places else frozenset()
    for place in sorted(places, key=lambda place: (place[1] != EXIT, place[1] != 0)):
        snapshots = context.snapshots.at.get(place, ())
        tables = list(place_tables(graph.cuts[place], graph.granules, snapshots)) if snapshots else []
        for options in (LIKELIEST, WEAKER):
            options = replace(options, numbers=numbers, conditions=options.conditions and place[1] == EXIT)
            for condition, table in tables:
                context.budget.spend()
                limit = Budget.of_computing(min(SECONDS, context.budget.remaining()))
                found = (build.implies(condition, likely.formula) for likely in infer(table, options, limit))
                yield from ((place, f.formula) for f in surviving((Fact(*place, f) for f in found), context.snapshots))


SOURCE = GuessSource(
    "contracts_learned", 1, "Preconditions and postconditions that samples make likely (Daikon).", _guesses, MOST
)
