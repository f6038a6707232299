"""Abstract reachability graphs over random finite programs: whatever is cut off on the way, what is reached at the end is
the least fixed point, and no node that is gone is left anywhere."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

import pytest

from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.graph.reachability import Graph, Node
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.regions.cut_graph import START, Place
from counterpoint.term import build
from counterpoint.term.sorts import BOOL

FLAGS: Final = tuple(build.variable(f"flag{number}", BOOL) for number in range(3))
PLACES: Final = tuple(("main", block) for block in range(1, 4))
MOST_CUTS: Final = 8


@dataclass
class Finite:
    """A random relation on three flags for each edge. At a place that is not `known`, nothing is tracked."""

    choose: random.Random
    states: States = field(default_factory=States)
    relations: dict[Edge, list[tuple[int, int]]] = field(default_factory=dict)
    known: dict[Place, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choose = self.choose
        for source in (START, *PLACES):
            for target in choose.sample(PLACES, choose.choice((1, 1, 2, 3))):
                pairs = [(choose.randrange(8), choose.randrange(8)) for _ in range(choose.randrange(1, 7))]
                self.relations[Edge(source, target)] = pairs

    def cube(self, number: int) -> Bdd:
        return self.states.cube({flag: bool(number >> n & 1) for n, flag in enumerate(FLAGS)})

    def exact(self, edge: Edge, before: Bdd) -> Bdd:
        found = self.states.none
        for source, target in self.relations[edge]:
            if before & self.cube(source) != self.states.none:
                found |= self.cube(target)
        return found

    def post(self, edge: Edge, before: Bdd) -> Bdd:
        found = self.exact(edge, before)
        return found if found == self.states.none or self.known.get(edge.target, True) else self.states.all

    def reachable(self) -> dict[Place, Bdd]:
        """The least fixed point."""
        found = {START: self.states.all} | dict.fromkeys(PLACES, self.states.none)
        while True:
            before = dict(found)
            for edge in self.relations:
                found[edge.target] |= self.exact(edge, found[edge.source])
            if before == found:
                return found


def grown(finite: Finite, cut: bool) -> Graph:
    """The graph at its end, with cuts on the way; where it is cut, what was not known becomes known."""
    graph, choose, cuts = Graph(finite.states, lambda place: place[1]), finite.choose, 0
    while (node := graph.next()) is not None:
        for edge in [edge for edge in finite.relations if edge.source == node.place]:
            post = finite.post(edge, node.ahead)
            if post != finite.states.none:
                graph.add(node, edge, post, 0)
        check(graph)
        others = [other for other in graph.nodes() if other.parent is not None]
        if cut and others and cuts < MOST_CUTS and choose.random() < 0.3:
            cuts += 1
            gone = choose.choice(others)
            finite.known[gone.place] = True
            graph.cut(gone)
            check(graph)
    return graph


def check(graph: Graph) -> None:
    """What holds between any two steps."""
    alive = list(graph.nodes())
    assert len({node.number for node in alive}) == len(alive) == graph.made - graph.removed
    for node in alive:
        assert node.alive and node in graph.at[node.place]
        assert graph.sets.contains(node.states, node.ahead)
        assert node.parent is None or (node.parent in alive and node in node.parent.children)
        assert all(child in alive and child.parent is node for child in node.children)
        assert all(other in alive and other.covered_by is node for other in node.covers)
        covering = node.covered_by
        if covering is not None:
            assert covering in alive and node in covering.covers and covering.place == node.place
            assert graph.sets.contains(covering.states, node.states) and node.ahead == graph.sets.none
    for place, there in graph.at.items():
        followed = graph.sets.none
        for node in there:
            assert followed & node.ahead == graph.sets.none, "followed twice"
            followed |= node.ahead
        assert followed == graph.reached(place), "nobody follows it"


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_what_is_reached_is_what_is_reachable(seed: int, cut: bool) -> None:
    finite = Finite(random.Random(seed))
    graph = grown(finite, cut)
    reachable = finite.reachable()
    assert {place: graph.reached(place) for place in reachable} == reachable
    _freed(graph)


@pytest.mark.parametrize("seed", range(25))
def test_coarse_states_are_closed(seed: int) -> None:
    """Places become known on the way: what is left of coarse states is closed under all edges, and misses nothing."""
    finite = Finite(random.Random(seed))
    finite.known = {place: finite.choose.random() < 0.4 for place in PLACES}
    graph = grown(finite, cut=True)
    for place, states in finite.reachable().items():
        assert finite.states.contains(graph.reached(place), states)
    for edge in finite.relations:
        assert finite.states.contains(graph.reached(edge.target), finite.exact(edge, graph.reached(edge.source)))
    _freed(graph)


def test_removed_nodes_hold_no_set() -> None:
    """Their manager may be freed before they are."""
    finite = Finite(random.Random(1))
    graph = grown(finite, cut=False)
    gone: list[Node] = [node for node in graph.nodes() if node.parent is not None]
    graph.restart()
    assert gone and all(node.states is None and node.ahead is None for node in gone)
    assert [node.place for node in graph.nodes()] == [START] and graph.next() is graph.root
    _freed(graph)


def _freed(graph: Graph) -> None:
    graph.clear()
    graph.sets.clear()
