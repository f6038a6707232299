"""What happens to DASH's region graph as events (core/events.py), for whoever draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import takewhile
from typing import Any

from counterpoint.core import events
from counterpoint.core.events import (
    EdgeMade,
    EdgeRemoved,
    FrontierTried,
    GraphBegun,
    Observer,
    RegionMade,
    RegionSplit,
    TestWalked,
)
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.region_graph import Region, RegionForest
from counterpoint.explain.names import Names
from counterpoint.program.inputs import ScalarInput
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR, Locations
from counterpoint.regions.tests import End, Test
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.term.term import V

MOST_STEPS = 450
MOST_EDGES = 5000
"""Changes and tests that are told of, and edges up to which they are: more than a picture has (portfolio/recording.py,
report/region_pictures.py). To compare forests in long runs would take longer than these."""

LONGEST_WALK = 400
"""Places of a test that are told of."""

MOST_INPUTS = 12

AnyRegion = Region[Any]
Holds = Callable[[Test, Node, V], bool]
"""Whether a predicate holds in the test's state at the node."""


@dataclass(slots=True)
class RegionEvents:
    """Sends the events of one run of DASH if `wanted`; else every method returns at once.

    `changed` compares the forest with what was told last. Call it with the first abstraction, before any other method,
    and after each split with the edges that it removed.
    """

    where: Locations
    observe: Observer
    wanted: bool
    holds: Holds
    _steps: int = 0
    _roots: dict[AnyRegion, None] = field(default_factory=dict)
    _leaves: list[AnyRegion] = field(default_factory=list)
    _edges: dict[tuple[AnyRegion, AnyRegion], None] = field(default_factory=dict)
    _walks: dict[Test, list[AnyRegion]] = field(default_factory=dict)
    _inside: dict[AnyRegion, dict[Test, list[int]]] = field(default_factory=dict)
    _inputs: dict[Test, str] = field(default_factory=dict)

    def changed(self, forest: RegionForest[Any], reason: str = "") -> None:
        """Tells of new places, of splits, and of edges that came or went, for a `reason` if there was no split.

        Time: the forest's edges, and the states of tests in split regions.
        """
        if not self._goes_on():
            return
        if not self._roots:
            self.observe(GraphBegun())
        for place, region in forest.roots.items():
            if region not in self._roots:
                self._roots[region] = None
                if place not in (START, ERROR):
                    self.observe(RegionMade(region.number, *self._place(place)))
        heirs = {region: list(self._split(region)) for region in self._leaves}
        known = dict.fromkeys(
            (heir, end) for source, target in self._edges for heir in heirs[source] for end in heirs[target]
        )
        self._leaves = [leaf for place in forest.roots for leaf in forest.leaves(place)]
        self._edges = dict.fromkeys((source, target) for source in self._leaves for target in source.after)
        for source, target in known:
            if (source, target) not in self._edges:
                self.observe(EdgeRemoved(_number(source), _number(target), reason))
                reason = ""  # one reason, one step
        for source, target in self._edges:
            if (source, target) not in known:
                self.observe(EdgeMade(_number(source), _number(target)))

    def _goes_on(self) -> bool:
        self._steps += 1
        self.wanted = self.wanted and self._steps <= MOST_STEPS and len(self._edges) <= MOST_EDGES
        return self.wanted

    def _split(self, region: AnyRegion) -> Iterator[AnyRegion]:
        """Tells of the region's splits, and moves the tests in it; the leaves below it."""
        cut, holds, fails = region.split_by, region.holds, region.fails
        if cut is None or holds is None or fails is None:
            yield region
            return
        self.observe(RegionSplit(region.number, self._text(region.place, cut), holds.number, fails.number))
        for test, positions in self._inside.pop(region, {}).items():
            sides = {position: self.holds(test, test.nodes[position], cut) for position in positions}
            for position, inside in sides.items():
                self._put(test, position, holds if inside else fails)
            if any(sides.values()):
                self._tell(test)
        yield from self._split(holds)
        yield from self._split(fails)

    def _put(self, test: Test, position: int, region: AnyRegion) -> None:
        self._walks[test][position] = region
        self._inside.setdefault(region, {}).setdefault(test, []).append(position)

    def tried(self, source: AnyRegion, target: AnyRegion, answer: object, test: Test, node: Node) -> None:
        """The query at the frontier behind the test's node was answered."""
        if self.wanted:
            said = "unsat" if isinstance(answer, Unsat) else "unknown" if isinstance(answer, SolverUnknown) else "sat"
            way = [*self._walks.get(test, [])[: node.depth], *_way_to_error(source, target)]
            trace = tuple(map(_number, way))
            self.observe(FrontierTried(_number(source), _number(target), said, trace, test.number))

    def walked(self, test: Test, tree: ExecutionTree, region_of: Callable[[Node], AnyRegion | None]) -> None:
        """A test was run; `region_of` gives the leaf in which it is at one of its nodes."""
        if not self._goes_on():
            return
        met = list(takewhile(lambda region: region is not None, map(region_of, test.nodes[:LONGEST_WALK])))
        walk = [region for region in met if region is not None]
        self._walks[test] = walk
        for position, region in enumerate(walk):
            self._put(test, position, region)
        self._inputs[test] = _inputs(test, tree)
        self._tell(test)

    def _tell(self, test: Test) -> None:
        walk = [_number(region) for region in self._walks[test]]
        left_out = len(test.nodes) - len(walk)
        outcome = f"{test.end}" + (f" ({left_out:,} more places)" if left_out else "")
        if test.end is End.VIOLATED and not left_out:
            walk.append(events.ERROR)
        start = 1 if walk[:1] == [events.START] else 0
        self.observe(TestWalked(test.number, tuple(walk[start:]), self._inputs[test], outcome))

    def _place(self, place: Place) -> tuple[str, int]:
        """A name with the function it was inlined from, and the first line that is known."""
        function = self.where.program.functions[place[0]]
        name = self.where.name(place).removeprefix("__cp_")
        if place[1] < 0:
            return name, function.at.line
        block = function.blocks[place[1]]
        spots = [at for at in (*(one.at for one in block.instructions), block.terminator.at) if at.line]
        if not spots:
            return name, 0
        inner = spots[0].function
        return f"{name}, {inner}" if inner not in ("", name.partition(":")[0]) else name, spots[0].line

    def _text(self, place: Place, predicate: V) -> str:
        program = self.where.program
        return Names(program.functions[place[0]], [predicate], program).text(predicate)


def _number(region: AnyRegion) -> int:
    if region.place == START:
        return events.START
    return events.ERROR if region.place == ERROR else region.number


def _way_to_error(source: AnyRegion, target: AnyRegion) -> list[AnyRegion]:
    """A shortest way on from the frontier; empty if there is none."""
    before: dict[AnyRegion, AnyRegion] = {target: source}
    waiting = [target]
    for region in waiting:
        if region.place == ERROR:
            way = [region]
            while way[-1] is not source:
                way.append(before[way[-1]])
            return way[::-1]
        for after in region.after:
            if after not in before and after is not source:
                before[after] = region
                waiting.append(after)
    return []


def _inputs(test: Test, tree: ExecutionTree) -> str:
    """Scalars as signed numbers, blocks of memory by their size."""
    found = test.inputs(tree)
    texts: list[str] = []
    for given in found[:MOST_INPUTS]:
        if isinstance(given, ScalarInput):
            negative = given.bits > 1 and given.value >> (given.bits - 1)
            texts.append(str(given.value - (1 << given.bits) if negative else given.value))
        else:
            texts.append(f"{given.size} bytes")
    return ", ".join(texts) + (", ..." if len(found) > MOST_INPUTS else "")
