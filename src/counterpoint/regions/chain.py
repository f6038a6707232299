"""Consecutive regions of the cut graph, unrolled depth by depth: the formulas of bounded runs between cut points.

At each depth there is at most one copy of a place's region, with variables of its own. It is entered in
the merged state of all ways that lead there, whose values take the place of its start variables; so constants
fold, and no equation between arrays is needed. Only components from which a check or a way depends are carried
(the cone), and what is asked for with `want`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.regions.instance import Instance, tagged
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, array_indices, ghosts, instances
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Sort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, variables

MAX_INDICES = 16
"""Array indices of one region for which facts with ghosts are instantiated."""


@dataclass(slots=True)
class _Entered:
    """One way into a copy: taken on runs where `taken` holds, from `source`."""

    taken: V
    source: RegionCopy
    way: Way


@dataclass(slots=True)
class RegionCopy:
    """The region of `place` at one depth. Runs get there where `arrived` holds; `entry` are the components there, and
    `now` says what the region's own variables and addresses are."""

    place: Place
    region: Region
    shape: _Shape
    now: Instance
    arrived: V = 0
    entered: list[_Entered] = field(default_factory=list)
    entry: dict[Term, V] = field(default_factory=dict)

    def of(self, values: Iterable[V]) -> list[V]:
        """The region's values at this depth."""
        return self.now.of_all(values)

    def enter(self, values: Mapping[Term, V]) -> None:
        """These components are known as well."""
        self.entry.update(values)
        carried = self.shape.carried.items()
        known = {leaf: self.entry[component] for leaf, component in carried if component in self.entry}
        self.now = Instance(known, self.now.tag, self.now.shared)

    @property
    def failing(self) -> V:
        """Runs that get here and fail a check in this region."""
        return build.and_(self.arrived, self.now.of(self.region.failing))


class _Shape:
    """What all copies of a region share.

    `carried`: start variables that are replaced by the component's value. `equations`: components whose value at
    the start is no plain variable. `owners`: all components in whose start value a variable occurs.
    """

    def __init__(self, region: Region, program_globals: int) -> None:
        self.globals = program_globals
        self.carried: dict[Term, Term] = {}
        self.equations: list[tuple[Term, V]] = []
        self.owners: dict[Term, list[Term]] = {}
        for component, value in region.start_values.values.items():
            if isinstance(value, int):
                continue
            if value.op in (Op.VARIABLE, Op.ADDRESS):
                if value.op is Op.ADDRESS and isinstance(value.payload, int) and value.payload < program_globals:
                    continue
                if value not in self.carried:
                    self.carried[value] = component
                    self.owners.setdefault(value, []).append(component)
                    continue
            if not isinstance(component.sort, BitVec) and component.sort is not BOOL:
                continue  # an equation less is a weaker hypothesis
            self.equations.append((component, value))
            for leaf in _leaves([value]):
                self.owners.setdefault(leaf, []).append(component)
        self.ways = [way for way in region.ways if way.leaves]
        self.calls = [way for way in region.ways if not way.leaves]
        self._indices: list[V] | None = None
        self.region = region

    def shared(self, leaf: Term) -> bool:
        """A global's address."""
        return leaf.op is Op.ADDRESS and isinstance(leaf.payload, int) and leaf.payload < self.globals

    def indices(self, pointer_bits: int) -> list[V]:
        """Where the region reads or writes arrays."""
        if self._indices is None:
            values = [v for way in self.region.ways for v in (way.formula, *way.values.values.values())]
            self._indices = array_indices([self.region.failing, *values], pointer_bits)[:MAX_INDICES]
        return self._indices

    def needs(self, values: Iterable[V]) -> list[Term]:
        """The components at the start on which the values depend."""
        return [component for leaf in _leaves(values) for component in self.owners.get(leaf, ())]


def _leaves(values: Iterable[V]) -> list[Term]:
    return [term for term in reachable(values) if term.op in (Op.VARIABLE, Op.ADDRESS)]


class Chain:
    """Runs through consecutive regions, the first from one of `starts`; `levels[d]` are those at depth d.

    At START a run begins; at any other place in an arbitrary state.
    """

    def __init__(self, graph: CutGraph, starts: Sequence[Place], name: str) -> None:
        self.graph = graph
        self.name = name
        self.bits = graph.program.layout.pointer_bits
        self.regions = {region.start: region for region in graph.regions}
        self.shapes = {place: _Shape(region, len(graph.program.globals)) for place, region in self.regions.items()}
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
                    found[way.target].entered.append(_Entered(taken, source, way))
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
        merged: dict[Term, V] = {}
        for number, way in enumerate(copy.entered):
            there = way.way.values.values
            known = [component for component in missing if component in there]
            found = dict(zip(known, way.source.of(there[c] for c in known), strict=True))
            for component in missing:
                value = found.get(component)
                if value is None:
                    value = tagged(component, f"!{number}{copy.now.tag}")
                old = merged.get(component)
                merged[component] = value if old is None else build.ite(way.taken, value, old, _width(component.sort))
        copy.enter(merged)

    # ------------------------------------------------------------ formulas

    def constraints(self, copy: RegionCopy) -> list[V]:
        """What holds on every run that gets to the copy, facts left out."""
        found = copy.of(copy.region.assumed)
        if copy.entered:
            for component, value in copy.shape.equations:
                here = copy.entry.get(component)
                if here is not None:
                    found.append(_equal(here, copy.of([value])[0], component.sort))
        return [build.implies(copy.arrived, formula) for formula in found if formula != 1]

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
        differ = [build.not_(_equal(one.entry[c], two.entry[c], c.sort)) for c in self.cone[one.place]]
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


def _width(sort: Sort) -> int | Sort:
    return sort.width if isinstance(sort, BitVec) else sort


def _equal(one: V, two: V, sort: Sort) -> V:
    if sort is BOOL:
        return build.iff(one, two)
    assert isinstance(sort, BitVec)
    return build.eq(one, two, sort.width)
