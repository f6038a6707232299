"""SplitFrontier (figures 3.8 and 3.9), and the removal of edges to unsatisfiable targets (section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.region_graph import Region
from counterpoint.engines.dash.state import State
from counterpoint.regions.cut_graph import START
from counterpoint.regions.tree import Node
from counterpoint.term.term import V

PATIENCE = 5
"""Runs for which no suitable predicate was found, before a frontier is given up."""


def refine(
    state: State, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]
) -> None:
    """RefinePred and SplitFrontier, backwards along the path that cannot be extended: no run along the path to
    the visit's node steps into states of the target's place with these literals, which the target has."""
    while True:
        state.tools.budget.spend()
        if remove_edge(state, source, target, visit, literals):
            return
        node = visit.node
        predicate = None
        if node.place != START:
            predicate = state.asker.predicate(visit, source, target, literals)
        if predicate is None:
            _give_up(state, node, source, target)
            return
        holds, fails = state.explored.split(source, predicate)
        state.splits += 1
        state.calls.claim((source.place, fails.literals()), (target.place, literals), state.questions)
        state.told.changed(state.forest)
        if holds.visits or node.parent is None or not state.same_paths:
            return
        visit = Visit(visit.test, node.parent)
        found = state.explored.region(visit)
        if found is None or holds not in found.after:
            return
        source, target, literals = found, holds, [holds.literal]


def remove_edge(
    state: State,
    source: Region[Visit],
    target: Region[Visit],
    visit: Visit | None = None,
    literals: Sequence[V] = (),
) -> bool:
    """Section 3.4: whether no state of the source steps into the target, and so for all regions that what was shown is
    about. From START there is nothing else to do."""
    if not state.options.targets and source.place != START:
        return False
    found = state.asker.impossible(source, target, visit, literals)
    if found is None:
        return False
    state.unsat_targets += 1
    state.learning.use(source.place, found.facts)
    state.calls.claim((source.place, found.before), (target.place, found.after), state.questions)
    state.told.changed(state.forest, "target unsatisfiable")
    return True


def _give_up(state: State, node: Node, source: Region[Visit], target: Region[Visit]) -> None:
    """No predicate was found for this run; after some runs, none is expected for the others in the region."""
    state.stuck.add((node, target.number))
    failed = sum((visit.node, target.number) in state.stuck for visit in source.visits)
    if failed >= PATIENCE:
        state.stuck.update((visit.node, target.number) for visit in source.visits)
