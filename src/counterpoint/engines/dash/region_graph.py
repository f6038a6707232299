"""DASH's abstraction: a tree of regions per place, whose leaves are joined by edges.

A leaf is the set of states at its place that fulfil the literals from the root down to it. An edge that is absent is
a claim: no run takes a step from a state of the one to a state of the other.

Source: thesis, sections 3.1 (figures 3.8, 3.9) and 4.3 (forest of regions).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any, Generic, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR, Locations, following
from counterpoint.term import build
from counterpoint.term.term import V

Visit = TypeVar("Visit")


@dataclass(slots=True, eq=False)
class Region(Generic[Visit]):
    """States at `place` where `literal` holds and that are in `parent`. `visits` are runs' states known to be here;
    `known` is the set of its literals.

    `after` and `before` are the edges, in a fixed order; they are those of leaves only.
    """

    number: int
    place: Place
    parent: Region[Visit] | None = None
    literal: V = 1
    split_by: V | None = None
    holds: Region[Visit] | None = None
    fails: Region[Visit] | None = None
    known: frozenset[V] = frozenset()
    visits: list[Visit] = field(default_factory=list)
    after: dict[Region[Visit], None] = field(default_factory=dict)
    before: dict[Region[Visit], None] = field(default_factory=dict)

    @property
    def is_leaf(self) -> bool:
        return self.split_by is None

    def literals(self) -> list[V]:
        """Those that a state here fulfils, the last split's first."""
        found: list[V] = []
        region: Region[Visit] | None = self
        while region is not None:
            if region.literal != 1:
                found.append(region.literal)
            region = region.parent
        return found

    @property
    def formula(self) -> V:
        """The conjunction of the literals."""
        return build.conjunction(self.literals())

    def fulfils(self, literals: Iterable[V]) -> bool:
        """These are all among the region's own literals."""
        return self.known.issuperset(literals)


@dataclass(frozen=True, slots=True)
class Frontier(Generic[Visit]):
    """An edge from a visited region to one that no run has visited and that leads to ERROR in `distance` edges."""

    source: Region[Visit]
    target: Region[Visit]
    distance: int


@dataclass(slots=True)
class RegionForest(Generic[Visit]):
    """All regions. `regions` counts them, splits included."""

    roots: dict[Place, Region[Visit]] = field(default_factory=dict)
    regions: int = 0

    def add_place(self, place: Place) -> Region[Visit]:
        """The region of all states there; made if it is new."""
        known = self.roots.get(place)
        if known is None:
            known = self.roots[place] = self._made(place, None, 1)
        return known

    def _made(self, place: Place, parent: Region[Visit] | None, literal: V) -> Region[Visit]:
        self.regions += 1
        known = frozenset() if parent is None else parent.known | {literal}
        return Region(self.regions - 1, place, parent, literal, known=known)

    @property
    def start(self) -> Region[Visit]:
        return self.roots[START]

    @property
    def error(self) -> Region[Visit]:
        return self.roots[ERROR]

    # ------------------------------------------------------------ edges

    @staticmethod
    def connect(source: Region[Visit], target: Region[Visit]) -> None:
        source.after[target] = None
        target.before[source] = None

    @staticmethod
    def disconnect(source: Region[Visit], target: Region[Visit]) -> None:
        source.after.pop(target, None)
        target.before.pop(source, None)

    def disconnect_all(self, before: tuple[Place, Iterable[V]], after: tuple[Place, Iterable[V]]) -> int:
        """Removes every edge between leaves that have these literals at these places; how many there were."""
        targets = [leaf for leaf in self.leaves(after[0]) if leaf.fulfils(after[1])]
        removed = 0
        for source in self.leaves(before[0]):
            if source.fulfils(before[1]):
                for target in targets:
                    removed += target in source.after
                    self.disconnect(source, target)
        return removed

    def split(self, region: Region[Visit], predicate: V) -> tuple[Region[Visit], Region[Visit]]:
        """Figure 3.9 without the removal of the edge: two leaves (predicate holds, fails) take the region's place.

        Visits stay to be sorted by the caller. Linear in the region's edges.
        """
        holds = region.holds = self._made(region.place, region, predicate)
        fails = region.fails = self._made(region.place, region, build.not_(predicate))
        region.split_by = predicate
        after, before = list(region.after), list(region.before)
        for target in after:
            self.disconnect(region, target)
        for source in before:
            self.disconnect(source, region)
        children = (holds, fails)
        for child in children:
            for target in after:
                for end in children if target is region else (target,):
                    self.connect(child, end)
            for source in before:
                if source is not region:
                    self.connect(source, child)
        return holds, fails

    def leaf(self, place: Place, holds: Callable[[V], bool]) -> Region[Visit] | None:
        """The leaf of a state at the place, in which predicates are evaluated by `holds`; None for a strange place."""
        region = self.roots.get(place)
        while region is not None and region.split_by is not None:
            region = region.holds if holds(region.split_by) else region.fails
        return region

    def leaves(self, place: Place) -> Iterator[Region[Visit]]:
        """The leaves of one place, in the order of the tree."""
        waiting = [self.roots[place]] if place in self.roots else []
        while waiting:
            region = waiting.pop()
            if region.is_leaf:
                yield region
            else:
                assert region.holds is not None and region.fails is not None
                waiting += [region.fails, region.holds]

    # ------------------------------------------------------------ abstract error traces

    def frontiers(self, goal: Region[Visit] | None = None) -> Iterator[Frontier[Visit]]:
        """The frontiers of abstract error traces, those with the fewest edges to ERROR first; or those of another goal.

        Behind the frontier of such a trace no region is visited (thesis, 3.1: any trace can be made into one like
        that). Breadth first from the goal, through regions that are not visited: linear in their edges.
        """
        goal = goal or self.error
        distance = {goal: 0}
        waiting = deque([goal])
        while waiting:
            target = waiting.popleft()
            for source in list(target.before):
                if source.visits:
                    yield Frontier(source, target, distance[target] + 1)
                elif source not in distance:
                    distance[source] = distance[target] + 1
                    waiting.append(source)

    def reachable(self, sources: Iterable[Region[Visit]]) -> list[Region[Visit]]:
        """The leaves that edges lead to from these, themselves included, in the order in which they are met."""
        found = dict.fromkeys(sources)
        waiting = deque(found)
        while waiting:
            for target in waiting.popleft().after:
                if target not in found:
                    found[target] = None
                    waiting.append(target)
        return list(found)


def first_abstraction(where: Locations) -> RegionForest[Any]:
    """Section 3.1: one region per place, an edge wherever control can go."""
    forest: RegionForest[Any] = RegionForest()
    error = forest.add_place(ERROR)
    waiting = [START]
    seen = {START}
    while waiting:
        place = waiting.pop()
        source = forest.add_place(place)
        after = following(where, place)
        for target in (*after.places, *((callee, 0) for callee in after.calls)):
            forest.connect(source, forest.add_place(target))
            if target not in seen:
                seen.add(target)
                waiting.append(target)
        if after.checks:
            forest.connect(source, error)
    return forest
