"""Copies of a region with variables of their own: the same region at another time of one formula.

A copy is entered in the merged state of all ways that lead there, whose values take the place of its start variables;
so constants fold, and no equation between arrays is needed. Two regions one after the other compose to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import Region, Way
from counterpoint.regions.instance import Instance, tagged
from counterpoint.regions.place import Place
from counterpoint.regions.summary import Failure
from counterpoint.semantics.facts import array_indices
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Sort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

MAX_INDICES = 16
"""Array indices of one region for which facts with ghosts are instantiated."""

@dataclass(slots=True)
class Entered:
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
    shape: RegionShape
    now: Instance
    arrived: V = 0
    entered: list[Entered] = field(default_factory=list)
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

    def enter_by_ways(self, components: Iterable[Term]) -> None:
        """These components are known as well, merged from all ways in; arbitrary where one says nothing of them."""
        components = list(components)
        merged: dict[Term, V] = {}
        for number, way in enumerate(self.entered):
            there = way.way.values.values
            known = [component for component in components if component in there]
            found = dict(zip(known, way.source.of(there[c] for c in known), strict=True))
            for component in components:
                value = found.get(component)
                if value is None:
                    value = tagged(component, f"!{number}{self.now.tag}")
                old = merged.get(component)
                merged[component] = value if old is None else build.ite(way.taken, value, old, _width(component.sort))
        self.enter(merged)

    def constraints(self) -> list[V]:
        """What holds on every run that gets to the copy."""
        found = self.of(self.region.assumed)
        if self.entered:
            for component, value in self.shape.equations:
                here = self.entry.get(component)
                if here is not None:
                    found.append(equal(here, self.of([value])[0], component.sort))
        return [build.implies(self.arrived, formula) for formula in found if formula != 1]

    @property
    def failing(self) -> V:
        """Runs that get here and fail a check in this region."""
        return build.and_(self.arrived, self.now.of(self.region.failing))


class RegionShape:
    """What all copies of a region share.

    `carried`: start variables that are replaced by the component's value. `equations`: components whose value at
    the start is no plain variable. `owners`: all components in whose start value a variable occurs.
    """

    def __init__(self, region: Region) -> None:
        self.globals = program_globals = len(region.cut.points.program.globals)
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
            for leaf in leaves([value]):
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
        return [component for leaf in leaves(values) for component in self.owners.get(leaf, ())]


def leaves(values: Iterable[V]) -> list[Term]:
    """The variables and addresses in them."""
    return [term for term in reachable(values) if term.op in (Op.VARIABLE, Op.ADDRESS)]


def _width(sort: Sort) -> int | Sort:
    return sort.width if isinstance(sort, BitVec) else sort


def equal(one: V, two: V, sort: Sort) -> V:
    """Two values of a bit-vector or Bool component are the same."""
    if sort is BOOL:
        return build.iff(one, two)
    assert isinstance(sort, BitVec)
    return build.eq(one, two, sort.width)


def compose(first: Region, second: Region, tag: str) -> Region:
    """The runs of `first`, which go on through `second` where they get to its start.

    The ways there are replaced by those of `second`, whose variables get names of their own by the `tag`, which is
    not in `first` yet. Where a component has no value at the end of a way, it is arbitrary: the result then allows more
    runs than there are. `world` remains the first region's.
    """
    inner = [way for way in first.ways if way.leaves and way.target == second.start]
    begin = RegionCopy(first.start, first, RegionShape(first), Instance({}), 1)
    shape = RegionShape(second)
    copy = RegionCopy(second.start, second, shape, Instance({}, tag, shape.shared))
    copy.entered = [Entered(way.formula, begin, way) for way in inner]
    copy.arrived = build.disjunction([way.taken for way in copy.entered])
    copy.enter_by_ways(second.start_values.values)
    failures = (Failure(_here(copy, failure.formula), failure.check) for failure in second.failures)
    blocks = (replace(block, formula=_here(copy, block.formula)) for block in second.blocks)
    ways = [way for way in first.ways if way not in inner] + [_way(copy, way) for way in second.ways]
    return replace(
        first,
        ways=tuple(sorted(ways, key=lambda way: not way.leaves)),
        failures=(*first.failures, *failures),
        blocks=(*first.blocks, *blocks),
        assumed=(*first.assumed, *copy.constraints()),
        steps=first.steps + second.steps,
        hints=(*first.hints, *copy.of(second.hints)),
    )


def _here(copy: RegionCopy, formula: V) -> V:
    return build.and_(copy.arrived, copy.now.of(formula))


def _way(copy: RegionCopy, way: Way) -> Way:
    values = _composed(copy, way.values)
    returned = None if way.returned is None else _composed(copy, way.returned)
    return Way(way.target, _here(copy, way.formula), values, way.leaves, returned)


def _composed(copy: RegionCopy, values: Instance) -> Instance:
    return Instance(dict(zip(values.values, copy.of(values.values.values()), strict=True)))
