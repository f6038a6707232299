"""Consecutive regions of the cut graph, unrolled depth by depth: the formulas of bounded runs between cut points.

At each depth there is at most one copy of a place's region (region_copy.py), entered in the merged state of all ways
that lead there. Only components from which a check or a way depends are carried (the cone), and what is asked for with
`want`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from counterpoint.regions.cut_graph import CutGraph
from counterpoint.regions.instance import Instance
from counterpoint.regions.place import START, Place
from counterpoint.regions.region_copy import Entered, RegionCopy, RegionShape, equal
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghosts, instances
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables


class Chain:
    """Runs through consecutive regions, the first from one of `starts`; `levels[d]` are those at depth d.

    At START a run begins; at any other place in an arbitrary state.
    """

    def __init__(self, graph: CutGraph, starts: Sequence[Place], name: str) -> None:
        self.graph = graph
        self.name = name
        self.bits = graph.program.layout.pointer_bits
        self.regions = {region.start: region for region in graph.regions}
        self.shapes = {place: RegionShape(region) for place, region in self.regions.items()}
        self.number = {place: k for k, place in enumerate(self.regions)}
        self.useful = _can_fail(graph)
        self.cone: dict[Place, dict[Term, None]] = {place: {} for place in self.regions}
        self.levels: list[list[RegionCopy]] = []
        for place in self.useful:
            region = self.regions[place]
            ways = [way.formula for way in region.ways if not way.leaves or way.target in self.useful]
            self._grow(place, self.shapes[place].needs([region.failing, *ways]))
        self._first([place for place in starts if place in self.useful])

    # ------------------------------------------------------------ the cone

    def want(self, place: Place, wanted: Iterable[Term]) -> None:
        """Carries these components to the place as well."""
        before = {here: len(cone) for here, cone in self.cone.items()}
        self._grow(place, wanted)
        if any(len(cone) != before[here] for here, cone in self.cone.items()):
            for level in self.levels:
                for copy in level:
                    self._enter(copy)

    def _grow(self, place: Place, wanted: Iterable[Term]) -> None:
        waiting = [(place, component) for component in wanted]
        while waiting:
            here, component = waiting.pop()
            if here not in self.cone or component in self.cone[here]:
                continue
            self.cone[here][component] = None
            for source, shape in self.shapes.items():
                arriving = [way.values.values for way in shape.ways if way.target == here]
                values = [there[component] for there in arriving if component in there]
                waiting += ((source, needed) for needed in shape.needs(values))

    # ------------------------------------------------------------ levels

    def _first(self, starts: Sequence[Place]) -> None:
        level: list[RegionCopy] = []
        left: V = 1
        for place in starts:
            copy = self._copy(place, 0)
            here: V = 1 if place is starts[-1] else build.variable(f"at {place[0]}:{place[1]}{copy.now.tag}", BOOL)
            copy.arrived = build.and_(left, here)
            left = build.and_(left, build.not_(here))
            level.append(copy)
            self._enter(copy)
        self.levels.append(level)

    def extend(self) -> list[RegionCopy]:
        """Adds the copies of the next depth and returns them; none if no run gets that far."""
        depth = len(self.levels)
        found: dict[Place, RegionCopy] = {}
        for source in self.levels[-1]:
            ways = [way for way in source.shape.ways if way.target in self.useful]
            for way, formula in zip(ways, source.of(way.formula for way in ways), strict=True):
                taken = build.and_(source.arrived, formula)
                if taken != 0:
                    if way.target not in found:
                        found[way.target] = self._copy(way.target, depth)
                    found[way.target].entered.append(Entered(taken, source, way))
        level = [found[place] for place in self.regions if place in found]
        for copy in level:
            copy.arrived = build.disjunction([way.taken for way in copy.entered])
            self._enter(copy)
        self.levels.append(level)
        return level

    def _copy(self, place: Place, depth: int) -> RegionCopy:
        shape, tag = self.shapes[place], f"#{self.name}{depth}.{self.number[place]}"
        return RegionCopy(place, self.regions[place], shape, Instance({}, tag, shape.shared))

    def _enter(self, copy: RegionCopy) -> None:
        """The values of the cone's components where they are not known yet."""
        missing = [component for component in self.cone[copy.place] if component not in copy.entry]
        if not copy.entered:
            values = copy.region.start_values.values
            known = [component for component in missing if component in values]
            copy.enter(dict(zip(known, copy.of(values[c] for c in known), strict=True)))
            return
        copy.enter_by_ways(missing)

    # ------------------------------------------------------------ formulas

    def meanings(self, fact: Fact, copy: RegionCopy) -> list[V]:
        """What a proved fact says about runs through the copy: where it begins and behind its calls."""
        found: list[V] = []
        if fact.place == copy.place != START:
            self.want(fact.place, (v for v in variables(fact.formula) if v in self.graph_variables(fact.place)))
            if all(v in copy.entry for v in variables(fact.formula) if v not in ghosts(fact.formula)):
                found += self._instances(Instance(copy.entry).of(fact.formula), copy)
        if fact.block == EXIT:
            for call in copy.shape.calls:
                if call.target[0] == fact.function and call.returned is not None and call.returned.covers(fact.formula):
                    happened, returned = copy.of([call.formula, call.returned.of(fact.formula)])
                    found += (build.implies(happened, each) for each in self._instances(returned, copy))
        return [build.implies(copy.arrived, formula) for formula in found]

    def apart(self, one: RegionCopy, two: RegionCopy) -> V:
        """Runs that get to both copies, of one place, are there in different states: components of the cone
        differ. All of them have to be `comparable`."""
        differ = [build.not_(equal(one.entry[c], two.entry[c], c.sort)) for c in self.cone[one.place]]
        return build.implies(build.and_(one.arrived, two.arrived), build.disjunction(differ))

    @property
    def comparable(self) -> bool:
        """What is carried are numbers: no arrays or floats."""
        return all(isinstance(c.sort, BitVec) or c.sort is BOOL for cone in self.cone.values() for c in cone)

    @property
    def carried(self) -> int:
        """How many components are carried to all places. It grows with what is wanted."""
        return sum(len(cone) for cone in self.cone.values())

    def graph_variables(self, place: Place) -> Mapping[Term, V]:
        """The components that have a value at the start of the place's region."""
        return self.regions[place].start_values.values

    def _instances(self, formula: V, copy: RegionCopy) -> list[V]:
        if not ghosts(formula):
            return [formula]
        return list(instances(formula, copy.of(copy.shape.indices(self.bits))))


def _can_fail(graph: CutGraph) -> dict[Place, None]:
    """The places from which a region in which a check can fail is reached without leaving the activation."""
    useful = {region.start: None for region in graph.regions if region.failing != 0}
    while True:
        more = [
            region.start
            for region in graph.regions
            if region.start not in useful and any(way.leaves and way.target in useful for way in region.ways)
        ]
        if not more:
            return useful
        useful.update(dict.fromkeys(more))
