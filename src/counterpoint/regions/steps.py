"""Steps: what all runs do from one place to the next ones (regions/locations.py), with their paths merged at joins.

A step starts in a state at a place. In an *arbitrary* one (`arbitrary_step`) it is an edge of the abstraction: calls
of contract functions go by contract, and its formulas are over the components at its start. From a state of a
concrete run (regions/tree.py) such calls are entered, and the function's EXIT is a place on the way back.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.program import model as m
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import Locations
from counterpoint.regions.path import start
from counterpoint.regions.region import ContractCall
from counterpoint.regions.shape import shape_of
from counterpoint.regions.unroll import BackEdge, Block, Failure, Frame, Iterations, Key, Pending, Unroller, Unrolling
from counterpoint.semantics import strays
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.contracts import call_by_contract
from counterpoint.semantics.cutpoint import EXIT, arbitrary_state, components, first_state, value_of
from counterpoint.semantics.objects import BeyondModel, MemoryRecord, ScalarRecord, World
from counterpoint.semantics.step import State, read
from counterpoint.term import build
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Runs on which `formula` holds (given that they are at the step's start) get to `target` in `state`.

    `frame` is the activation there; at EXIT the function returns `results`. `earlier`: so many of the step's calls by
    contract come before. The state must not be changed.
    """

    target: Place
    formula: V
    state: State
    frame: Frame
    results: tuple[V, ...] = ()
    earlier: int = 0


@dataclass(slots=True)
class Step:
    """All ways from a place to the next ones. Formulas do not say how the run got to the place.

    `ended` holds where the whole run ends normally. `calls` are the calls by contract (of arbitrary steps); `records`
    the arbitrary values that the step consumes, in its order, and `axioms` what the world came to know during it.
    `known` is, for each of the calls, how many failures and blocks were found before it, `read` how many records.
    """

    ways: list[Way] = field(default_factory=list)
    calls: list[ContractCall] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    ended: V = 0
    records: list[ScalarRecord | MemoryRecord] = field(default_factory=list)
    axioms: list[V] = field(default_factory=list)
    known: list[tuple[int, int]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    def failing_after(self) -> list[tuple[int, V]]:
        """`failing`, each with the number of calls by contract that come before."""
        found = [(sum(f <= i for f, _ in self.known), failure.formula) for i, failure in enumerate(self.failures)]
        return found + [(sum(b <= i for _, b in self.known), block.formula) for i, block in enumerate(self.blocks)]

    @property
    def failing(self) -> list[V]:
        """On these runs a check fails, or something without a meaning is met."""
        return [*(f.formula for f in self.failures), *(b.formula for b in self.blocks)]


Resumes: TypeAlias = dict[Key, tuple[int, int, Iterations]]
"""Where calls go on, by the key of the call: (block, instruction, iterations)."""


class _Everything:
    """Cycles go through places, where steps end."""

    def follow(self, edge: BackEdge, unrolling: Unrolling) -> bool:
        return True


class StepWalk(Unroller):
    """Walks one step. With `enters`, calls of contract functions are entered; otherwise they go by contract."""

    def __init__(
        self, where: Locations, world: World, budget: Budget, *, enters: bool, resumes: Resumes
    ) -> None:
        super().__init__(Unrolling(world), _Everything(), budget)
        self.where = where
        self.enters = enters
        self.resumes = resumes
        self.step = Step()
        self.frame: Frame | None = None
        self.parameters: dict[int, V] = {}
        self.begun = 0

    def walk(self, frame: Frame, block: int, state: State, results: tuple[V, ...] = ()) -> Step:
        """From the entry of a block, or from EXIT back into the caller."""
        world = self.world
        records, axioms = len(world.records), len(world.axioms)
        self.begun = records
        copy = State(dict(state.registers), state.memory.copy(), 1, state.locals)
        if block == EXIT:
            self._back(frame, copy, results)
        else:
            self._keep_parameters(frame, state.registers)
            iterations = ((0, 0),) * len(frame.shape.heads[block])
            self._advance(Pending(frame, block, 0, iterations, copy, start()))
        while self.order:
            self._reach(self.waiting.pop(heapq.heappop(self.order)))
        self.step.failures, self.step.blocks = self.out.failures, self.out.blocks
        self.step.records, self.step.axioms = world.records[records:], world.axioms[axioms:]
        return self.step

    def _keep_parameters(self, frame: Frame, registers: Mapping[int, V]) -> None:
        """A function's parameters never change, so facts may speak of them everywhere in it."""
        self.frame = frame
        if frame.function.name in self.where.contracts:
            mine = {parameter.index for parameter in frame.function.parameters}
            self.parameters = {index: value for index, value in registers.items() if index in mine}

    def _passed(self, edge: m.Edge, node: Pending, last: bool) -> State:
        state = super()._passed(edge, node, last)
        if node.frame is self.frame:
            for index, value in self.parameters.items():
                state.registers.setdefault(index, value)
        return state

    def _reach(self, node: Pending) -> None:
        """A merged state: at a place, the step ends."""
        function = node.frame.function.name
        if node.instruction or not self.where.is_place(function, node.block):
            self._advance(node)
            return
        self._end((function, node.block), node, ())

    def _end(self, place: Place, node: Pending, results: tuple[V, ...]) -> None:
        node.state.path = 1
        if not self.enters:
            self._block(node, strays.strays_at(self.where.cut(place), node.state, results))
        earlier = len(self.step.calls)
        self.step.ways.append(Way(place, node.path.formula, node.state, node.frame, results, earlier))

    def _block(self, node: Pending, strayed: V) -> None:
        """What comes behind is an abstraction, which keeps the addresses of pointers only."""
        formula = build.and_(node.path.formula, strayed)
        if formula != 0:
            self.out.blocks.append(Block(formula, strays.WHAT))

    def _call(self, call: m.Call, position: int, node: Pending) -> None:
        if self.enters or call.callee not in self.where.contracts:
            super()._call(call, position, node)
            return
        try:
            entry, exit_ = self.where.cut((call.callee, 0)), self.where.cut((call.callee, EXIT))
            values = call_by_contract(call, node.frame.function.name, entry, exit_, node.state, self.world)
        except BeyondModel as missing:
            self.out.blocks.append(Block(node.path.formula, f"{call.at}: {missing}"))
            return
        self._block(node, values.strayed)
        self.step.known.append((len(self.out.failures), len(self.out.blocks)))
        self.step.read.append(len(self.world.records) - self.begun)
        self.step.calls.append(ContractCall(call.callee, node.path.formula, values))
        node.instruction = position + 1
        self._advance(node)

    def _return(self, values: tuple[m.Value, ...], node: Pending) -> None:
        if node.frame.function.name in self.where.contracts:
            results = tuple(read(node.state, value, self.world) for value in values)
            self._end((node.frame.function.name, EXIT), node, results)
            return
        if node.frame.caller is None:
            self.step.ended = build.or_(self.step.ended, node.path.formula)
        super()._return(values, node)

    def _leave(self, block: m.Block, node: Pending) -> None:
        if isinstance(block.terminator, m.Stop):
            self.step.ended = build.or_(self.step.ended, node.path.formula)
        super()._leave(block, node)

    def _back(self, frame: Frame, state: State, results: tuple[V, ...]) -> None:
        """The run goes on behind the call that made the frame."""
        caller, call = frame.caller, frame.call
        assert caller is not None and call is not None
        for index in state.locals:
            state.memory.kill(index)
        registers = {**frame.registers, **{r.index: v for r, v in zip(call.results, results, strict=True)}}
        block, position, iterations = self.resumes[frame.resume]
        self._keep_parameters(caller, frame.registers)
        back = State(registers, state.memory, 1, frame.locals)
        self._advance(Pending(caller, block, position, iterations, back, start()))


# ---------------------------------------------------------------- the abstraction's steps


@dataclass(slots=True)
class ArbitraryStep:
    """A step from any state at `place`: an edge of the abstraction, for each way.

    `begin` are the components' values at the start, by variable. All else is computed when it is asked for, and once.
    """

    where: Locations
    place: Place
    world: World
    step: Step
    begin: Mapping[Term, V]
    _values: dict[tuple[int, Term], V | None] = field(default_factory=dict)
    _components: dict[Place, dict[Term, Component]] = field(default_factory=dict)

    def to(self, target: Place) -> list[tuple[int, Way]]:
        """The ways there, numbered."""
        return [(number, way) for number, way in enumerate(self.step.ways) if way.target == target]

    def value(self, number: int, variable: Term) -> V | None:
        """What a component is at the end of that way; None if it has no value there."""
        key = number, variable
        if key not in self._values:
            way = self.step.ways[number]
            component = self._known(way.target).get(variable)
            self._values[key] = None if component is None else component_value(self.where, way, component)
        return self._values[key]

    def _known(self, place: Place) -> dict[Term, Component]:
        if place not in self._components:
            self._components[place] = by_variable(self.where, place, self.world.granules)
        return self._components[place]


def by_variable(where: Locations, place: Place, granules: Mapping[str, int]) -> dict[Term, Component]:
    """The components at a place by their variables."""
    bits = where.program.layout.pointer_bits
    return {variable_of(component, bits): component for component in components(where.cut(place), granules)}


def component_value(where: Locations, way: Way, component: Component) -> V | None:
    """What the component is at the end of the way; None if it has no value there. Raises GranuleConflict."""
    try:
        return value_of(component, where.cut(way.target), way.state, way.results)
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
    walk = StepWalk(where, world, budget, enters=False, resumes={})
    step = walk.walk(first_frame(cut.function), max(cut.block, 0), state)
    return ArbitraryStep(where, place, world, step, begin)


def first_frame(function: m.Function) -> Frame:
    """An activation of the function without a caller."""
    return Frame(function, shape_of(function), (), "", None, None, (), {}, (), 0)
