"""How SLAM's loop ends: with the reachable states of the Boolean program as a proof."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.engines.predicates.slam.program import BooleanProgram
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.facts import Fact
from counterpoint.term.term import V


def certificate(
    program: BooleanProgram, states: Mapping[Place, V], preparation: str, granules: Mapping[str, int]
) -> RegionGraph:
    """One region per place. Summaries relate exits to entries, a region at an EXIT does not: it is what all calls
    leave behind, so that a proof over calls may be too weak to be accepted."""
    reached = [place for place, there in states.items() if there != 0 and place != START]
    number = {place: index for index, place in enumerate(reached)} | {START: -1}
    regions = tuple(Fact(*place, states[place]) for place in reached)
    edges = dict.fromkeys(
        (number[t.edge.source], number[t.edge.target])
        for t in program.all_transitions()
        if t.edge.source in number and t.edge.target in number
    )
    return RegionGraph(preparation, regions, tuple(edges), tuple(sorted(granules.items())))
