"""Steps: what all runs do from one place to the next ones (regions/locations.py), with their paths merged at joins.

A step is a region summary that starts in a state at a place. In an *arbitrary* one (`arbitrary_step`) it is an edge of
the abstraction: calls of contract functions go by contract, and its formulas are over the components at its start.
From a state of a concrete run (`concrete_step`) such calls are entered, and the function's EXIT is a place on the way
back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.regions.locations import Locations
from counterpoint.regions.pending import Frame, first_frame
from counterpoint.regions.place import START, Place
from counterpoint.regions.region import ByContract
from counterpoint.regions.summary import Exit, RegionSummary
from counterpoint.regions.walk import BackEdge, Ends, EnterAll, Walk
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.cutpoint import EXIT, CutPoint, arbitrary_state, components, first_state, value_of
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class AtPlaces(Ends):
    """All that gets to a place is merged there, and is an exit. Cycles go through places.

    `abstract`: of its state only the components are kept.
    """

    where: Locations
    abstract: bool

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return True

    def at_block(self, frame: Frame, block: int) -> bool:
        return self.where.is_place(frame.function.name, block)

    def at_return(self, frame: Frame) -> bool:
        return frame.function.name in self.where.contracts

    def abstracted(self, place: Place) -> CutPoint | None:
        return self.where.cut(place) if self.abstract else None


def concrete_step(where: Locations, world: World, budget: Budget, at: Exit) -> RegionSummary:
    """The step from a state of a run: where an earlier one had an exit, behind the call if that is an EXIT.

    Raises OutOfBudget and GranuleConflict.
    """
    walk = Walk(world, AtPlaces(where, abstract=False), EnterAll(), budget)
    if at.target[1] == EXIT:
        return walk.from_return(at.frame, at.state, at.results)
    return walk.from_block(at.frame, at.target[1], at.state)


@dataclass(slots=True)
class ArbitraryStep:
    """A step from any state at `place`: an edge of the abstraction, for each exit.

    `begin` are the components' values at the start, by variable. All else is computed when it is asked for, and once.
    """

    where: Locations
    place: Place
    world: World
    step: RegionSummary
    begin: Mapping[Term, V]
    _values: dict[tuple[int, Term], V | None] = field(default_factory=dict)
    _components: dict[Place, dict[Term, Component]] = field(default_factory=dict)

    def to(self, target: Place) -> list[tuple[int, Exit]]:
        """The exits there, numbered."""
        return [(number, way) for number, way in enumerate(self.step.exits) if way.target == target]

    def value(self, number: int, variable: Term) -> V | None:
        """What a component is at that exit; None if it has no value there."""
        key = number, variable
        if key not in self._values:
            exit_ = self.step.exits[number]
            component = self._known(exit_.target).get(variable)
            self._values[key] = None if component is None else component_value(self.where, exit_, component)
        return self._values[key]

    def _known(self, place: Place) -> dict[Term, Component]:
        if place not in self._components:
            self._components[place] = by_variable(self.where, place, self.world.granules)
        return self._components[place]


def by_variable(where: Locations, place: Place, granules: Mapping[str, int]) -> dict[Term, Component]:
    """The components at a place by their variables."""
    bits = where.program.layout.pointer_bits
    return {variable_of(component, bits): component for component in components(where.cut(place), granules)}


def component_value(where: Locations, exit_: Exit, component: Component) -> V | None:
    """What the component is at the exit; None if it has no value there. Raises GranuleConflict."""
    try:
        return value_of(component, where.cut(exit_.target), exit_.state, exit_.results)
    except BeyondModel:
        return None


def arbitrary_step(where: Locations, place: Place, granules: dict[str, int], budget: Budget) -> ArbitraryStep:
    """The step from any state at the place; from START, from the start of the run.

    Raises OutOfBudget, and GranuleConflict: then all has to be done again with the granules as they are then.
    """
    world = World(where.program, granules)
    cut = where.cut(place)
    begin: dict[Term, V] = {}
    if place == START:
        state = first_state(world, cut)
    else:
        state = arbitrary_state(world, cut)
        for variable, component in by_variable(where, place, granules).items():
            try:
                begin[variable] = value_of(component, cut, state)
            except BeyondModel:
                continue
    walk = Walk(world, AtPlaces(where, abstract=True), ByContract(where.points, where.contracts), budget)
    step = walk.from_block(first_frame(cut.function), max(cut.block, 0), state)
    return ArbitraryStep(where, place, world, step, begin)
