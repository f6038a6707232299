"""How lazy abstraction with interpolants ends: with the labels of the nodes that are not covered as a proof."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.engines.predicates.impact.labels import LabelledTree, Node, meaning_of
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.regions.cut_graph import START
from counterpoint.semantics.facts import Fact


def certificate(tree: LabelledTree, preparation: str, granules: Mapping[str, int]) -> RegionGraph:
    """One region per label at a place; edges to covered nodes lead to what covers them. Raises nothing; the tree has
    no leaf left to follow."""
    numbers: dict[tuple[object, frozenset[object]], int] = {}
    regions: list[Fact] = []

    def number(node: Node) -> int:
        if node.place == START:
            return -1
        key = node.place, frozenset(node.label)
        if key not in numbers:
            numbers[key] = len(regions)
            regions.append(Fact(*node.place, meaning_of(node.label)))
        return numbers[key]

    edges: dict[tuple[int, int], None] = {}
    for node in tree.live():
        for child in node.children:
            edges[number(node), number(child.covered_by or child)] = None
    return RegionGraph(preparation, tuple(regions), tuple(edges), tuple(sorted(granules.items())))
