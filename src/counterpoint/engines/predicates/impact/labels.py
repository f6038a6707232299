"""The labelled tree of lazy abstraction with interpolants: paths of the program, unwound edge by edge, whose nodes are
labelled with formulas that hold of all runs that get there.

A node is covered by an earlier one at its place if its label implies the other's: what is reachable from it is then
reachable from the other, and nothing below it has to be followed. Labels only grow stronger. That may uncover what a
node covers, and a covered node covers nothing, nor does anything below it.

Source: McMillan, "Lazy abstraction with interpolants" (CAV 2006), section 3. Deviations: a label is a set of conjuncts,
and what still implies a stronger label stays covered.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.regions.cut_graph import START, Place
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts

Label = dict[V, None]
"""Conjuncts over components, in the order in which they were found."""


@dataclass(slots=True, eq=False)
class Node:
    """A path of the program, `depth` edges long, that ends over `edge` from `parent` at `place`. `settled`: nothing has
    happened to it since it was last compared with earlier nodes."""

    number: int
    place: Place
    parent: Node | None
    edge: Edge | None
    depth: int
    label: Label = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    covered_by: Node | None = None
    covers: list[Node] = field(default_factory=list)
    followed: bool = False
    settled: bool = False
    alive: bool = True

    def path(self) -> list[Node]:
        """The nodes from the root to this one."""
        return list(self.up())[::-1]

    def up(self) -> Iterator[Node]:
        """This node and its ancestors."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def covered(self) -> bool:
        """It, or an ancestor, is covered by another node."""
        return any(node.covered_by is not None for node in self.up())


@dataclass(slots=True)
class LabelledTree:
    """`implied` says whether a label implies a formula (False if that is not known); `order` is the key by which leaves
    are followed, smallest first."""

    implied: Callable[[Place, Iterable[V], V], bool]
    order: Callable[[Node], tuple[int, ...]]
    root: Node = field(init=False)
    at: dict[Place, list[Node]] = field(default_factory=dict)
    made: int = 0
    coverings: int = 0
    _leaves: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    _by_number: dict[int, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self._new(START, None, None)

    # ------------------------------------------------------------ growing

    def add(self, parent: Node, edge: Edge) -> Node:
        """A child, labelled `true`."""
        node = self._new(edge.target, parent, edge)
        parent.children.append(node)
        return node

    def _new(self, place: Place, parent: Node | None, edge: Edge | None) -> Node:
        self.made += 1
        node = Node(self.made, place, parent, edge, 0 if parent is None else parent.depth + 1)
        self.at.setdefault(place, []).append(node)
        self._by_number[node.number] = node
        self.wait(node)
        return node

    def wait(self, node: Node) -> None:
        """The leaf is to be followed."""
        heapq.heappush(self._leaves, (self.order(node), node.number))

    def next(self) -> Node | None:
        """The next leaf to follow, if nothing is found that covers it or an ancestor. None: there is none left."""
        while self._leaves:
            node = self._by_number.get(heapq.heappop(self._leaves)[1])
            if node is None or node.followed or node.covered:
                continue
            if not any(self.close(above) for above in node.path() if not above.settled):
                return node
        return None

    # ------------------------------------------------------------ labels

    def strengthen(self, node: Node, formula: V) -> bool:
        """Adds what the label does not imply yet, and uncovers what does not imply that. False: nothing new."""
        if 0 in node.label:
            return False
        new = [part for part in conjuncts(formula) if not self._follows(node, part)]
        if 0 in new:
            self.remove(node)
            return True
        node.label |= dict.fromkeys(new)
        if new:
            node.settled = False
            for other in list(node.covers):
                if not all(self._follows(other, part) for part in new):
                    self.uncover(other)
        return bool(new)

    def _follows(self, node: Node, part: V) -> bool:
        return part in node.label or part == 1 or self.implied(node.place, node.label, part)

    def remove(self, node: Node) -> None:
        """No run gets to the node: it goes, with all below it."""
        if node.parent is not None:
            node.parent.children.remove(node)
        gone = list(below(node))
        for lost in gone:
            lost.alive = False
            self.at[lost.place].remove(lost)
            del self._by_number[lost.number]
            if lost.covered_by is not None:
                lost.covered_by.covers.remove(lost)
        for lost in gone:
            for other in list(lost.covers):
                if other.alive:
                    self.uncover(other)

    # ------------------------------------------------------------ covering

    def close(self, node: Node) -> bool:
        """Covers the node if an earlier one at its place is implied, those with no conjunct that it lacks first."""
        if node.covered:
            return True
        node.settled = True
        earlier = list(self.earlier(node))
        for other in earlier:
            if other.label.keys() <= node.label.keys():
                self.cover(node, other)
                return True
        for other in earlier:
            if all(self._follows(node, part) for part in other.label):
                self.cover(node, other)
                return True
        return False

    def earlier(self, node: Node) -> Iterator[Node]:
        """The nodes that might cover it, oldest first: a node is made after its ancestors, so that none that is earlier
        lies below."""
        for other in self.at[node.place]:
            if other.number >= node.number:
                return
            if not other.covered:
                yield other

    def cover(self, node: Node, by: Node) -> None:
        """`by` covers the node, whose label implies its label. What the node and those below it cover is uncovered."""
        self.coverings += 1
        node.covered_by = by
        by.covers.append(node)
        for lower in below(node):
            for other in list(lower.covers):
                self.uncover(other)

    def uncover(self, node: Node) -> None:
        """The leaves below are to be followed again."""
        if node.covered_by is not None:
            if node in node.covered_by.covers:
                node.covered_by.covers.remove(node)
            node.covered_by = None
        node.settled = False
        for lower in below(node):
            if not lower.followed:
                self.wait(lower)

    # ------------------------------------------------------------ reading

    def live(self) -> Iterator[Node]:
        """All nodes that are not covered, parents before children."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            if node.covered_by is None:
                yield node
                stack += reversed(node.children)


def below(node: Node) -> Iterator[Node]:
    """The node and its descendants."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(found.children)


def meaning_of(label: Iterable[V]) -> V:
    """The label as one formula."""
    return build.conjunction(list(label))
