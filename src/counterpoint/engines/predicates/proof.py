"""How predicate abstraction ends: with all abstract states as a proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.engines.predicates.graph.reachability import Graph
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import V


def certificate(
    graph: Graph, preparation: str, granules: Mapping[str, int], facts: Mapping[Place, Sequence[V]]
) -> RegionGraph:
    """One region per place: the union of the abstract states there, where the facts hold. Every edge of the graph leads
    into one."""
    places = [place for place, nodes in graph.at.items() if nodes and place != START]
    number = {place: index for index, place in enumerate(places)} | {START: -1}
    regions = tuple(
        Fact(*place, build.conjunction([graph.sets.formula(graph.reached(place)), *facts.get(place, ())]))
        for place in places
    )
    edges: dict[tuple[int, int], None] = {}
    for node in graph.nodes():
        if node.parent is not None:
            edges[number[node.parent.place], number[node.place]] = None
    return RegionGraph(preparation, regions, tuple(edges), tuple(sorted(granules.items())))
