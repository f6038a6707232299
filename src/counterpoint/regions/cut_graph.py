"""The program as a graph of cut points with region summaries as its edges: what provers of loops work on.

Its places are the start of the run, the loop heads of the entry function and, for every function that calls do
not walk through (program/graph.contract_functions), its entry, loop heads and EXIT. A region leads from one
place to the next ones; its formulas are over its own variables, and `Instance`s say what a fact at either
end means there. Every run is a sequence of regions, in the activation of one function, with the runs of the
calls in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.program.graph import contract_functions, loop_heads, reachable_functions, recursive_functions
from counterpoint.program.model import Program
from counterpoint.regions.instance import Instance, by_component
from counterpoint.regions.place import START as START
from counterpoint.regions.place import Place as Place
from counterpoint.regions.region import assumptions, summarise
from counterpoint.regions.summary import Block, Failure, RegionSummary
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import (
    EXIT,
    CutPoint,
    arbitrary_state,
    components,
    cut_point,
    first_state,
    value_of,
)
from counterpoint.semantics.framing import changed_at, framed_heads
from counterpoint.semantics.granules import each_with_granules
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.step import State
from counterpoint.static.points_to import PointsTo, points_to
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables


@dataclass(frozen=True, slots=True)
class Way:
    """On runs where `formula` holds, the region gets to `target`, where `values` hold for the facts.

    `leaves` says that the region ends there. Otherwise it is a call by contract: `target` is the callee's
    entry, and the run goes on behind it, where facts at the callee's EXIT hold for `returned`; or it is a loop's head
    that is framed (semantics/framing.py), where facts at the head hold for `returned`.
    """

    target: Place
    formula: V
    values: Instance
    leaves: bool = True
    returned: Instance | None = None

    @property
    def behind(self) -> Place | None:
        """The place at which facts hold for `returned`, where the run goes on."""
        if self.leaves:
            return None
        return (self.target[0], EXIT) if self.target[1] == 0 else self.target


@dataclass(frozen=True, slots=True)
class Region:
    """All runs from a state at `start` to the next places.

    `start_values` is what facts at the start mean (empty at START). `failures` and `blocks` (constructs without a
    meaning) have formulas over the region's variables. `assumed` holds on every run; conjoin it to each query. Of
    objects whose address no formula of the region computes with it says nothing: there may be many, two by two apart.
    `hints` are conditions that the program suggests as invariants; nothing may rely on them.
    """

    start: Place
    cut: CutPoint
    start_values: Instance
    ways: tuple[Way, ...]
    failures: tuple[Failure, ...]
    blocks: tuple[Block, ...]
    assumed: tuple[V, ...]
    world: World
    steps: int
    hints: tuple[V, ...] = ()

    @property
    def failing(self) -> V:
        """On exactly these runs a check fails in this region, or something without a meaning is met."""
        return build.disjunction([*(f.formula for f in self.failures), *(b.formula for b in self.blocks)])


@dataclass(frozen=True, slots=True)
class CutGraph:
    """`cuts` say which components facts at a place may speak of; the START is none of them. At the `framed` ones no
    region begins; these variables become arbitrary there."""

    program: Program
    points: PointsTo
    cuts: Mapping[Place, CutPoint]
    regions: tuple[Region, ...]
    granules: Mapping[str, int] = field(default_factory=dict)
    framed: Mapping[Place, frozenset[Term]] = field(default_factory=dict)

    @property
    def contracts(self) -> tuple[str, ...]:
        """The functions that are called by contract."""
        return tuple(sorted({function for function, block in self.cuts if block == EXIT}))

    def components(self, place: Place) -> tuple[Component, ...]:
        """What facts at the place may speak of, in a fixed order."""
        return components(self.cuts[place], self.granules)

    def is_of_use(self, place: Place, formula: V) -> bool:
        """Whether a fact at the place may say something that is not known there anyway."""
        return place not in self.framed or not self.framed[place].isdisjoint(variables(formula))

    def regions_from(self, place: Place) -> tuple[Region, ...]:
        return tuple(region for region in self.regions if region.start == place)


def cut_graph(program: Program, budget: Budget, also: Iterable[Place] = (), frames: bool = False) -> CutGraph:
    """All regions of the program, which end at the blocks `also` of the same functions as well; with `frames`, they go
    on past the loops of the entry function that can be framed. Linear in the sum of the regions' instructions.

    Raises OutOfBudget; Unsupported where the entry function is recursive or memory has no common element size.
    """
    points = points_to(program)
    if program.entry in recursive_functions(program):
        raise Unsupported(f"{program.entry} calls itself: its loops have no cut points")
    places = places_in(program)
    cuts = {place: cut_point(points, *place) for place in dict.fromkeys((*places, *also))}
    framed = framed_heads(points) if frames else frozenset()
    starts = [START, *(place for place in cuts if place[1] != EXIT and place not in framed)]

    def region(place: Place, granules: dict[str, int]) -> Region:
        return _region(points, place, cuts, granules, budget, framed)

    regions, granules = each_with_granules(region, starts)
    changed = {place: changed_at(cuts[place], granules) for place in framed}
    return CutGraph(program, points, cuts, tuple(regions.values()), granules, changed)


def places_in(program: Program) -> list[Place]:
    """Where its regions begin and end, but for the START."""
    entry = program.entry
    places: list[Place] = [(entry, head) for head in loop_heads(program.main)]
    for name in sorted((contract_functions(program) & reachable_functions(program)) - {entry}):
        heads = (head for head in loop_heads(program.functions[name]) if head != 0)
        places += [(name, 0), *((name, head) for head in heads), (name, EXIT)]
    return places


def _region(
    points: PointsTo, place: Place, cuts: Mapping[Place, CutPoint], granules: dict[str, int], budget: Budget,
    framed: frozenset[Place],
) -> Region:
    program = points.program
    world = World(program, granules)
    bits = program.layout.pointer_bits
    start_values: dict[Component, V] = {}
    if place == START:
        cut = cut_point(points, program.entry, 0)
        state = first_state(world, cut)
    else:
        cut = cuts[place]
        state = arbitrary_state(world, cut)
        start_values = _values(cut, state, ())
    ends = [block for function, block in cuts if function == cut.function.name and block != EXIT]
    summary = summarise(cut, world, state, budget, ends, framed)
    ways = [*_exits(summary, cuts, bits), *_calls(summary, bits)]
    formulas = [v for way in ways for v in (way.formula, *way.values.values.values())]
    formulas += [f.formula for f in summary.failures] + [b.formula for b in summary.blocks]
    formulas += start_values.values()
    formulas += [v for way in ways if way.returned is not None for v in way.returned.values.values()]
    assumed = tuple(fact for fact in assumptions(world, filter(_is_computed, formulas)) if fact != 1)
    return Region(
        place,
        cut,
        Instance(by_component(start_values, bits)),
        tuple(ways),
        tuple(summary.failures),
        tuple(summary.blocks),
        assumed,
        world,
        summary.steps,
        tuple(summary.hints),
    )


def _is_computed(value: V) -> bool:
    """Not just where an object lies, which is a component at every place, and of which most formulas say nothing."""
    return isinstance(value, Term) and value.op is not Op.ADDRESS


def _exits(summary: RegionSummary, cuts: Mapping[Place, CutPoint], bits: int) -> Iterable[Way]:
    for exit_ in summary.exits:
        cut = cuts.get(exit_.target)
        if cut is not None and exit_.formula != 0:
            values = Instance(by_component(_values(cut, exit_.state, exit_.results), bits))
            yield Way(exit_.target, exit_.formula, values)


def _calls(summary: RegionSummary, bits: int) -> Iterable[Way]:
    for call in summary.calls:
        before, after = (Instance(by_component(v, bits)) for v in (call.values.before, call.values.after))
        yield Way((call.callee, call.head), call.formula, before, leaves=False, returned=after)


def _values(cut: CutPoint, state: State, results: tuple[V, ...]) -> dict[Component, V]:
    """Components without a value there are left out: facts about them cannot be shown."""
    found: dict[Component, V] = {}
    for component in components(cut, state.memory.shared.world.granules):
        try:
            found[component] = value_of(component, cut, state, results)
        except BeyondModel:
            continue
    return found

