"""The abstract reachability graph: a tree of abstract states at places, in which covered nodes are not followed.

What other nodes at a node's place follow already, it does not follow again; if that is all of its set, it is covered.
Every abstract state of a node is so followed by some node, and what is reached from there is in the graph: that makes
it closed, whichever node it is. The tree grows breadth first; when precision grows at a place of an error trace, the
subtree below is cut off and grows again from there, and all else stays as it is (lazy abstraction).

Source: Henzinger, Jhala, Majumdar, Sutre, "Lazy abstraction" (POPL 2002); blocks as large as in Beyer, Keremoglu,
Wendler, "Predicate abstraction with adjustable-block encoding" (FMCAD 2010).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.regions.cut_graph import START, Place
from counterpoint.semantics.cutpoint import EXIT


@dataclass(slots=True, eq=False)
class Node:
    """`states` at `place`, reached over `edge` from `parent`; `depth` edges from the start. Made when `tracked`
    predicates were known at its place. It follows the states `ahead` of it, a part of its own; none if it is covered,
    and `covered_by` is the node that contains it, if there is a single one."""

    number: int
    place: Place
    states: Bdd
    parent: Node | None
    edge: Edge | None
    depth: int
    tracked: int
    ahead: Bdd
    children: list[Node] = field(default_factory=list)
    covered_by: Node | None = None
    covers: list[Node] = field(default_factory=list)
    alive: bool = True

    def path(self) -> list[Node]:
        """The nodes from the start to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


@dataclass(slots=True)
class Graph:
    """`rank` orders places: of nodes at the same depth, those with the smaller rank are followed first."""

    sets: States
    rank: Callable[[Place], int]
    root: Node = field(init=False)
    at: dict[Place, list[Node]] = field(default_factory=dict)
    made: int = 0
    removed: int = 0
    _waiting: list[tuple[bool, int, int, int]] = field(default_factory=list)
    _queued: set[int] = field(default_factory=set)
    _by_number: dict[int, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self._new(START, self.sets.all, None, None)
        self.root.ahead = self.sets.all
        self.wait(self.root)

    # ------------------------------------------------------------ growing

    def wait(self, node: Node, last: bool = False) -> None:
        """The node is to be followed (again); with `last`, when nothing else is left, the deepest first."""
        if node.number not in self._queued:
            self._queued.add(node.number)
            order = -node.depth if last else node.depth
            heapq.heappush(self._waiting, (last, order, self.rank(node.place), node.number))

    def next(self) -> Node | None:
        """The next node to follow: the one nearest to the start. None when all are followed or covered."""
        while self._waiting:
            number = heapq.heappop(self._waiting)[-1]
            self._queued.discard(number)
            node = self._by_number.get(number)
            if node is not None and node.ahead != self.sets.none:
                return node
        return None

    def add(self, parent: Node, edge: Edge, states: Bdd, tracked: int) -> Node | None:
        """A child of the parent, unless one over the same edge contains it."""
        if any(c.edge == edge and self.sets.contains(c.states, states) for c in parent.children):
            return None
        node = self._new(edge.target, states, parent, edge, tracked)
        parent.children.append(node)
        self._take(node, self._followed(node.place))
        if node.ahead == self.sets.none:
            node.covered_by = next((o for o in self.at[node.place] if o is not node and self._contains(o, node)), None)
            if node.covered_by is not None:
                node.covered_by.covers.append(node)
        return node

    def _take(self, node: Node, followed: Bdd) -> None:
        """The node follows what nobody does."""
        missing = node.states & ~followed
        if missing != self.sets.none:
            node.ahead |= missing
            self._uncover(node)
            self.wait(node)

    def _followed(self, place: Place) -> Bdd:
        found = self.sets.none
        for node in self.at[place]:
            found |= node.ahead
        return found

    def _contains(self, larger: Node, smaller: Node) -> bool:
        return self.sets.contains(larger.states, smaller.states)

    def _uncover(self, node: Node) -> None:
        if node.covered_by is not None:
            node.covered_by.covers.remove(node)
            node.covered_by = None

    def _new(self, place: Place, states: Bdd, parent: Node | None, edge: Edge | None, tracked: int = 0) -> Node:
        self.made += 1
        depth = 0 if parent is None else parent.depth + 1
        node = Node(self.made, place, states, parent, edge, depth, tracked, self.sets.none)
        self.at.setdefault(place, []).append(node)
        self._by_number[node.number] = node
        return node

    # ------------------------------------------------------------ pruning

    def cut(self, node: Node) -> None:
        """Removes the node with all below it; its parent is followed again, and others follow what these did."""
        parent = node.parent
        assert parent is not None
        parent.children.remove(node)
        places: dict[Place, None] = {}
        for gone in list(below(node)):
            places[gone.place] = None
            self.removed += 1
            self.at[gone.place].remove(gone)
            del self._by_number[gone.number]
            self._uncover(gone)
            for other in gone.covers:
                other.covered_by = None
            gone.alive, gone.covers, gone.states, gone.ahead = False, [], None, None
        for place in places:
            for left in self.at[place]:
                self._take(left, self._followed(place))
        self.wait(parent)

    def restart(self) -> None:
        """Removes all but the start."""
        for child in list(self.root.children):
            self.cut(child)

    def clear(self) -> None:
        """Forgets everything; BDDs must be gone before their manager is."""
        for node in self._by_number.values():
            node.states = node.ahead = None
        self.at.clear()
        self._by_number.clear()

    # ------------------------------------------------------------ reading

    def nodes(self) -> Iterator[Node]:
        """All nodes, by place."""
        for there in self.at.values():
            yield from there

    def reached(self, place: Place) -> Bdd:
        """All abstract states at the place."""
        found = self.sets.none
        for node in self.at.get(place, ()):
            found |= node.states
        return found


def below(node: Node) -> Iterator[Node]:
    """The node and its descendants."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(found.children)


def entry_of(node: Node) -> Node:
    """The node at the entry of the activation that the node is in."""
    while node.parent is not None and node.edge is not None and node.edge.call == NO_CALL:
        node = node.parent
    return node


def ways_out(entry: Node) -> dict[Node, list[tuple[Node, Node]]]:
    """The nodes at EXIT that the activation gets to, each with a way there from its entry: nodes, and what covers them
    and is followed in their place, if anything (else the node again). Linear in the nodes of the activation."""
    first = entry, entry.covered_by or entry
    before: dict[Node, tuple[Node, Node] | None] = {first[1]: None}
    found: dict[Node, list[tuple[Node, Node]]] = {}
    waiting = [first]
    for step in waiting:
        for child in step[1].children:
            here = child, child if is_exit(child) else child.covered_by or child
            if child.edge is None or child.edge.call != NO_CALL or here[1] in before:
                continue
            before[here[1]] = step
            waiting.append(here)
        if is_exit(step[1]):
            way = [step]
            while (previous := before[way[-1][1]]) is not None:
                way.append(previous)
            found[step[1]] = way[::-1]
    return found


def is_exit(node: Node) -> bool:
    """A function returns there."""
    return node.place[1] == EXIT
