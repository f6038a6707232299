"""The ways off the paths that were run, nearest first: nearest to a branch that no test has taken."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.dse.branch_distance import FAR, BranchDistance, CfgEdge
from counterpoint.regions.tests import Test
from counterpoint.regions.tree import Node
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True, eq=False)
class WayOff:
    """What a run at the node may do instead of what `test` did: take an edge, fail a check, end."""

    test: Test
    node: Node
    formula: V
    edge: CfgEdge | None
    fails: bool


@dataclass(slots=True)
class Ways:
    """Those that no test has gone and nobody has asked about. Ways that fail a check come first; each time that an edge
    was tried, ways along it cost one more."""

    distance: BranchDistance
    _open: dict[Node, dict[int, WayOff]] = field(default_factory=dict)
    _order: list[tuple[int, int, Node, int]] = field(default_factory=list)
    _tried: dict[CfgEdge | None, int] = field(default_factory=dict)
    _serial: int = 0

    def __len__(self) -> int:
        return len(self._order)

    def enter(self, node: Node) -> bool:
        """Whether no test was at the node before: then its ways are to be added."""
        if node in self._open:
            return False
        self._open[node] = {}
        return True

    def add(self, number: int, way: WayOff) -> None:
        """The way of that number from its node."""
        self._open[way.node][number] = way
        self._serial += 1
        heapq.heappush(self._order, (self._cost(way), self._serial, way.node, number))

    def gone(self, node: Node, number: int) -> None:
        """A test goes this way."""
        self._open[node].pop(number, None)

    def next(self) -> WayOff | None:
        """The nearest way, which is removed. What costs more than it did when it was noted goes back."""
        while self._order:
            cost, serial, node, number = heapq.heappop(self._order)
            way = self._open[node].get(number)
            if way is None:
                continue
            now = self._cost(way)
            if now > cost:
                heapq.heappush(self._order, (now, serial, node, number))
                continue
            del self._open[node][number]
            self._tried[way.edge] = self._tried.get(way.edge, 0) + 1
            return way
        return None

    def covered(self, edges: Iterable[CfgEdge]) -> int:
        """Tests have taken these edges: how many of them were wanted."""
        before = len(self.distance.wanted)
        if self.distance.drop(edges):
            self._reorder()
        return before - len(self.distance.wanted)

    def _cost(self, way: WayOff) -> int:
        if way.fails:
            return -1 + self._tried.get(way.edge, 0)
        far = FAR if way.edge is None else self.distance.of(way.edge)
        return far + self._tried.get(way.edge, 0)

    def _reorder(self) -> None:
        """Other edges are wanted now."""
        order = []
        for _, serial, node, number in self._order:
            way = self._open[node].get(number)
            if way is not None:
                order.append((self._cost(way), serial, node, number))
        heapq.heapify(order)
        self._order = order
