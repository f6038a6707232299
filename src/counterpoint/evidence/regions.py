"""What runs do between two cut points: the checker's own walk of one acyclic region.

The region is walked once, block by block in topological order, with a guard for each block (the disjunction of
its incoming edges') and ites where states meet. It ends at the places of its function, all loop heads among them,
and at the function's end; calls of functions without loops or recursion are walked, the others go by contract.
Whatever no run may do (fail a check, meet something without a meaning) is a claim.

All that happens is numbered by the contract calls walked *before* it: to show that a call's precondition or a
check holds, only the postconditions of earlier calls may be used. A contract that is not fulfilled yet must not
excuse what comes before it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.evidence.joins import joined
from counterpoint.evidence.places import START, Place, Places
from counterpoint.program import model as m
from counterpoint.program.order import Order, live_in, weak_topological_order
from counterpoint.semantics import strays
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.contracts import call_by_contract
from counterpoint.semantics.cutpoint import EXIT, CutPoint, arbitrary_state, cut_point, first_state, value_of
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import Assumed, Blocked, Checked, Placed, State, guard_formula, read, step
from counterpoint.term import build
from counterpoint.term.term import Term, V

Values = Mapping[Term, V]
"""Components' values by the components' variables. Components without a value are absent."""

Wanted = Callable[[Place], Mapping[Term, Component]]
"""The components whose values are needed at a place, by variable."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Runs where `guard` holds get to `target`; components have `values` there."""

    target: Place
    guard: V
    values: Values
    earlier: int


@dataclass(frozen=True, slots=True)
class ContractCall:
    """Runs where `guard` holds call `callee` by its contract. Its number is its place in Region.calls."""

    callee: str
    guard: V
    before: Values
    after: Values


@dataclass(frozen=True, slots=True)
class Claim:
    """No run may fulfil `formula`: it fails a check, or meets something without a meaning (`what`)."""

    what: str
    formula: V
    earlier: int


@dataclass(slots=True)
class Region:
    """All runs from a state at `start`, where components have the values `begin`, to the next places."""

    start: Place
    world: World
    begin: Values
    arrivals: list[Arrival] = field(default_factory=list)
    calls: list[ContractCall] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    instructions: int = 0

    def axioms(self, formulas: Sequence[V]) -> list[V]:
        """What holds on every run, as far as the formulas talk about it."""
        indices: set[int] = set()
        for formula in (*formulas, *self.world.axioms):
            indices |= mentioned_objects(formula)
        return [axiom for axiom in (*self.world.axioms, *address_axioms(self.world, indices)) if axiom != 1]


def region(places: Places, start: Place, wanted: Wanted, granules: dict[str, int], budget: Budget) -> Region:
    """Walks the region that begins at `start`. Linear in its instructions.

    Raises OutOfBudget; GranuleConflict when it has to be done again with the granules as they are then.
    """
    program = places.program
    world = World(program, granules)
    if start == START:
        cut = cut_point(places.points, program.entry, 0)
        state = first_state(world, cut)
        begin: Values = {}
    else:
        cut = places.cuts[start]
        state = arbitrary_state(world, cut)
        begin = _values(wanted(start), cut, state, ())
    walk = _Walk(places, Region(start, world, begin), wanted, budget)
    walk.run(cut, state)
    return walk.region


def _values(components: Mapping[Term, Component], cut: CutPoint, state: State, results: tuple[V, ...]) -> Values:
    found: dict[Term, V] = {}
    for variable, component in components.items():
        try:
            found[variable] = value_of(component, cut, state, results)
        except BeyondModel:
            continue
    return found


@dataclass(slots=True, eq=False)
class Activation:
    """A function being walked, and behind which call in which node it returns."""

    function: m.Function
    order: Order
    key: tuple[int, ...]
    caller: Node | None
    call: m.Call | None
    position: int


@dataclass(slots=True, eq=False)
class Node:
    """A block of an activation, or the rest of one behind a call, with its merged state and guard."""

    activation: Activation
    block: int
    position: int
    state: State
    guard: V

    @property
    def key(self) -> tuple[int, ...]:
        return (*self.activation.key, self.activation.order.position[self.block], self.position)


class _Walk:
    """Walks the nodes in topological order: edges to places end the region, so there are no cycles."""

    def __init__(self, places: Places, region: Region, wanted: Wanted, budget: Budget) -> None:
        self.places = places
        self.region = region
        self.wanted = wanted
        self.budget = budget
        self.world = region.world
        self.waiting: dict[tuple[int, ...], Node] = {}
        self.agenda: list[tuple[int, ...]] = []
        self.parameters: dict[int, V] = {}

    def run(self, cut: CutPoint, state: State) -> None:
        function = cut.function
        mine = {parameter.index for parameter in function.parameters}
        self.parameters = {index: value for index, value in state.registers.items() if index in mine}
        root = Activation(function, weak_topological_order(function), (), None, None, 0)
        self._reach(Node(root, cut.block, 0, state, 1))
        while self.agenda:
            self._run_node(self.waiting.pop(heapq.heappop(self.agenda)))

    def _run_node(self, here: Node) -> None:
        self.budget.spend()
        block = here.activation.function.blocks[here.block]
        here.state.path = here.guard
        for position in range(here.position, len(block.instructions)):
            instruction = block.instructions[position]
            self.region.instructions += 1
            if isinstance(instruction, m.Call):
                if instruction.callee not in self.places.contracts:
                    self._enter(instruction, position, here)
                    return
                if not self._by_contract(instruction, here):
                    return
                continue
            if not self._step(instruction, here):
                return
        match block.terminator:
            case m.Return(values):
                self._return(values, here)
            case m.Branch(edges):
                for edge in edges:
                    self._follow(edge, here)

    def _step(self, instruction: m.Instruction, here: Node) -> bool:
        """Executes it; False if no run goes on."""
        try:
            effect = step(instruction, here.state, self.world)
        except BeyondModel as missing:
            self._claim(f"{instruction.at}: {missing}", here.guard)
            return False
        match effect:
            case Assumed(condition):
                here.guard = build.and_(here.guard, condition)
            case Checked(holds, _):
                self._claim(f"{instruction.at}: the check", build.and_(here.guard, build.not_(holds)))
                here.guard = build.and_(here.guard, holds)
            case Placed(holds, _):
                self._claim(f"{instruction.at}: an object too large", build.and_(here.guard, build.not_(holds)))
                here.guard = build.and_(here.guard, holds)
            case Blocked(_):
                self._claim(f"{instruction.at}: no meaning", here.guard)
                return False
        here.state.path = here.guard
        return here.guard != 0

    def _claim(self, what: str, formula: V) -> None:
        if formula == 0:
            return
        self.region.claims.append(Claim(what, formula, len(self.region.calls)))

    # ------------------------------------------------------------ edges

    def _follow(self, edge: m.Edge, here: Node) -> None:
        guard = build.and_(here.guard, guard_formula(edge.guard, here.state, self.world))
        if guard == 0:
            return
        activation, before = here.activation, here.state.registers
        function = activation.function
        registers = {index: before[index] for index in live_in(function)[edge.target] if index in before}
        values = [read(here.state, value, self.world) for value in edge.arguments]
        parameters = function.blocks[edge.target].parameters
        registers.update((p.index, value) for p, value in zip(parameters, values, strict=True))
        state = State(registers, here.state.memory.copy(), guard, here.state.locals)
        if activation.caller is None and (function.name, edge.target) in self.places.cuts:
            self._arrive(function.name, edge.target, guard, state, ())
        else:
            self._reach(Node(activation, edge.target, 0, state, guard))

    def _arrive(self, function: str, block: int, guard: V, state: State, results: tuple[V, ...]) -> None:
        """The region ends. A function's parameters keep their values, so facts may speak of them."""
        place = (function, block)
        if place not in self.places.cuts:
            return  # the entry function's end: the run is over
        state.registers = {**self.parameters, **state.registers}
        self._claim(strays.WHAT, build.and_(guard, strays.strays_at(self.places.cuts[place], state, results)))
        values = _values(self.wanted(place), self.places.cuts[place], state, results)
        self.region.arrivals.append(Arrival(place, guard, values, len(self.region.calls)))

    def _reach(self, new: Node) -> None:
        old = self.waiting.get(new.key)
        if old is None:
            heapq.heappush(self.agenda, new.key)
            self.waiting[new.key] = new
            return
        old.state = joined(new.activation.function, old.guard, old.state, new.state)
        old.state.path = old.guard = build.or_(old.guard, new.guard)

    # ------------------------------------------------------------ calls

    def _by_contract(self, call: m.Call, here: Node) -> bool:
        """Passes the call; False if that has no meaning."""
        points, caller = self.places.points, here.activation.function.name
        entry, exit_ = self.places.cuts[call.callee, 0], self.places.cuts[call.callee, EXIT]
        try:
            values = call_by_contract(call, caller, entry, exit_, here.state, self.world)
        except BeyondModel as missing:
            self._claim(f"{call.at}: {missing}", here.guard)
            return False
        self._claim(strays.WHAT, build.and_(here.guard, values.strayed))
        bits = points.program.layout.pointer_bits
        before = {variable_of(component, bits): value for component, value in values.before.items()}
        after = {variable_of(component, bits): value for component, value in values.after.items()}
        self.region.calls.append(ContractCall(call.callee, here.guard, before, after))
        return True

    def _enter(self, call: m.Call, position: int, here: Node) -> None:
        callee = self.world.program.functions[call.callee]
        key = (*here.key[:-1], position)
        inner = Activation(callee, weak_topological_order(callee), key, here, call, position)
        values = [read(here.state, value, self.world) for value in call.arguments]
        registers = {p.index: value for p, value in zip(callee.parameters, values, strict=True)}
        self._reach(Node(inner, 0, 0, State(registers, here.state.memory, here.guard, ()), here.guard))

    def _return(self, values: tuple[m.Value, ...], here: Node) -> None:
        activation = here.activation
        results = tuple(read(here.state, value, self.world) for value in values)
        caller, call = activation.caller, activation.call
        if caller is None or call is None:
            self._arrive(activation.function.name, EXIT, here.guard, here.state, results)
            return
        for index in here.state.locals:
            here.state.memory.kill(index)
        registers = caller.state.registers.copy()
        registers.update((r.index, value) for r, value in zip(call.results, results, strict=True))
        state = State(registers, here.state.memory, here.guard, caller.state.locals)
        self._reach(Node(caller.activation, caller.block, activation.position + 1, state, here.guard))
