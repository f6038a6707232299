"""What samples make likely in functions that go by contract: what they need, what they do, also as compared with the
entry values, and what holds at their loops' heads; by what their pointers point to, too. At heads also under the
conditions on arguments under which something holds at the end, and while a counter is 0, as in the first round.

Source: Yeolekar, Unadkat, Assertion checking using dynamic inference, section 2.1. Deviation: both are taken of the
runs of the whole program, and whether they hold together is Houdini's question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from counterpoint.core.budget import Budget
from counterpoint.inference import Options, Role, infer, place_tables
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import signed_constants
from counterpoint.regions.cut_graph import Place
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

if TYPE_CHECKING:
    from counterpoint.inference.table import Table

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

UNDER_CONDITIONS = Options(splits=0, most=40, templates=frozenset({"constant", "equality", "order", "non-zero"}))
"""What is learned at a loop's head under conditions that are given."""

MOST = 150
"""Facts at one place."""

MOST_CONDITIONS, MOST_COUNTERS = 8, 3
"""Under which something is learned at a loop's head; those of them that a counter is 0."""


def _guesses(context: Context) -> Iterator[Guess]:
    """Exits before entries and heads; at each first the likeliest, then weaker ones. What is learned of some snapshots
    may be false in others."""
    graph = context.graph
    called = [name for name in graph.contracts if name != graph.program.entry]
    places = [place for place in graph.cuts if place[0] in called]
    numbers = signed_constants(context) if places else frozenset()
    explained: dict[str, dict[Term, None]] = {}
    for place in sorted(places, key=lambda place: (place[1] != EXIT, place[1] != 0)):
        snapshots = context.snapshots.at.get(place, ())
        tables = list(place_tables(graph.cuts[place], graph.granules, snapshots)) if snapshots else []
        told = explained.setdefault(place[0], {})
        for condition, table, options in _asked(place, tables, told):
            context.budget.spend()
            limit = Budget.of_computing(min(SECONDS, context.budget.remaining()))
            found = infer(table, replace(options, numbers=numbers), limit)
            if place[1] == EXIT:
                told.update((one.condition, None) for one in found if one.condition is not None)
            facts = (Fact(*place, build.implies(condition, likely.formula)) for likely in found)
            yield from ((place, fact.formula) for fact in surviving(facts, context.snapshots))


def _asked(
    place: Place, tables: Sequence[tuple[V, Table]], explained: Iterable[Term]
) -> Iterator[tuple[V, Table, Options]]:
    for options in (LIKELIEST, WEAKER):
        for condition, table in tables:
            yield condition, table, replace(options, conditions=options.conditions and place[1] == EXIT)
    if place[1] not in (EXIT, 0) and tables:
        given = dict(enumerate(_at_head(tables[0][1], explained)))
        yield 1, replace(tables[0][1], conditions=given), UNDER_CONDITIONS


def _at_head(table: Table, explained: Iterable[Term]) -> list[Term]:
    """That a counter is 0, and what is known at the head of the conditions that explain what is so at the end."""
    found: list[Term] = []
    for column in table.columns:
        counts = column.role is Role.PLACE and column.term is None
        if counts and not (column.is_array or column.is_bool or column.pointer or column.border):
            first = build.eq(column.variable, 0, column.width)
            if isinstance(first, Term) and len(found) < MOST_COUNTERS:
                found.append(first)
    return [*found, *(one for one in explained if all(v in table.position for v in variables(one)))][:MOST_CONDITIONS]


SOURCE = GuessSource(
    "contracts_learned", 1, "Preconditions and postconditions that samples make likely (Daikon).", _guesses, MOST
)
