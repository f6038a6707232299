"""Facts that cost little: the cheapest guesses, and what others have told, as far as Houdini shows them inductive."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from counterpoint.analysis import candidates as guesses
from counterpoint.analysis.candidates.protocol import Context
from counterpoint.analysis.filtering import surviving
from counterpoint.analysis.houdini import Houdini
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Observer
from counterpoint.execute.snapshots import RecordingLimits, record
from counterpoint.paths.cut_graph import cut_graph
from counterpoint.program.model import Program
from counterpoint.semantics.facts import Fact, ghosts

TEST_SHARE = 0.2
"""Of the time, for concrete runs that refute candidates."""

SOURCE_SHARE = 0.25
"""Of the time that is left, for one source's guesses, and for showing them."""


def first_facts(
    program: Program, budget: Budget, observe: Observer, seed: int, told: Iterable[Fact] = (), stages: int = 1
) -> list[Fact]:
    """Inductive facts at loop heads, of the sources of the first `stages` stages; ends with the budget, with what was
    shown until then. Facts with ghosts are left out. Raises Unsupported as cut_graph does.
    """
    houdini: Houdini | None = None
    try:
        graph = cut_graph(program, budget)
        houdini = Houdini(graph, budget, observe, seed)
        limits = RecordingLimits(seconds=TEST_SHARE * budget.remaining())
        snapshots = record(program, graph.cuts, graph.granules, seed=seed, limits=limits)
        context = Context(graph, snapshots, budget, seed)
        houdini.extend(surviving(list(told), snapshots), SOURCE_SHARE * budget.remaining())
        for source in guesses.sources():
            if source.stage < stages:
                found: list[Fact] = []
                limited = replace(context, budget=budget.share(SOURCE_SHARE))
                with suppress(OutOfBudget):
                    found = surviving(list(source.candidates(limited)), snapshots)
                budget.spend()
                houdini.extend(found, SOURCE_SHARE * budget.remaining())
    except OutOfBudget:
        pass
    finally:
        if houdini is not None:
            houdini.close()
    facts = houdini.facts if houdini is not None else {}
    return [fact for place in facts.values() for fact in place if not ghosts(fact.formula)]

