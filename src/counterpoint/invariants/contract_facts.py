"""Contracts from runs for engines that find the rest themselves: what is inductive of the cheap candidates about
functions that go by contract."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.invariants.candidates import entry_values, frames, pointer_validity, unchanged
from counterpoint.invariants.candidates.protocol import CandidateSource, Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.components import Counter, Old
from counterpoint.semantics.facts import Fact

SOURCES: tuple[CandidateSource, ...] = (unchanged.SOURCE, pointer_validity.SOURCE, frames.SOURCE, entry_values.SOURCE)

TEST_SECONDS = 0.6
"""Limit of the runs that candidates are learned from."""

SHARE = 0.6
"""Of the time that is left, for one source's candidates."""


def has_effects(graph: CutGraph) -> bool:
    """A function that goes by contract changes memory that lives on."""
    every = (component for place in graph.cuts for component in graph.components(place))
    return any(isinstance(component, Old) and not isinstance(component.of, Counter) for component in every)


def of_contracts(source: CandidateSource, graph: CutGraph) -> bool:
    """`extend_with_contracts` has tried what the source guesses."""
    return source in SOURCES and has_effects(graph)


def extend_with_contracts(houdini: Houdini, limit: Budget, seed: int, seen: Snapshots | None = None) -> list[Fact]:
    """Proves, within the limit, facts about functions that change memory, one source after the other: `seen` are states
    of runs, which are made otherwise. Returns those that are new."""
    graph, whole = houdini.graph, houdini.budget
    if not has_effects(graph):
        return []
    limits = RecordingLimits(seconds=min(TEST_SECONDS, limit.remaining() / 4))
    snapshots = record(graph.program, graph.cuts, graph.granules, seed=seed, limits=limits) if seen is None else seen
    context = Context(graph, snapshots, limit, seed)
    houdini.budget = limit
    kept: list[Fact] = []
    try:
        for source in SOURCES:
            with suppress(OutOfBudget):
                found = list(source.candidates(replace(context, budget=limit.share(SHARE))))
                kept += houdini.extend(surviving(found, snapshots), SHARE * limit.remaining())
    finally:
        houdini.budget = whole
    return kept
