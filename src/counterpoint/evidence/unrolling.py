"""Re-checks a proof by complete unrolling.

Builds its own verification conditions, instruction by instruction from `semantics`: the unrolled program in
passive form, where each block instance has a guard (the disjunction of its incoming edges' guards) and
each register and memory cell that differs between incoming edges becomes an ite over those guards.
Only the edge instances that the certificate names are not followed. What must be impossible is: a check
that fails, an instance that the certificate cuts, a construct without a meaning.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.evidence.joins import joined
from counterpoint.program import model as m
from counterpoint.program.instances import call_name, edge_name
from counterpoint.program.order import Order, live_in, weak_topological_order
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.memory import static_memory
from counterpoint.semantics.objects import BeyondModel, GranuleConflict, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import Assumed, Blocked, Checked, Placed, State, guard_formula, read, step
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Obligation:
    """`formulas` together are satisfiable exactly if the certificate is wrong; `claims` of them were joined."""

    formulas: tuple[V, ...]
    claims: int
    instructions: int


@dataclass(slots=True, eq=False)
class Activation:
    """A function being run: where its values return to."""

    function: m.Function
    order: Order
    key: tuple[int, ...]
    name: str
    caller: Instance | None
    call: m.Call | None
    position: int


@dataclass(slots=True, eq=False)
class Instance:
    """A block instance, or the rest of one behind a call, with its merged state and guard."""

    activation: Activation
    block: int
    position: int
    iterations: tuple[int, ...]
    state: State
    guard: V


@dataclass(slots=True)
class Conditions:
    """Collects the claims while the program is unrolled."""

    world: World
    cuts: frozenset[str]
    claims: list[V] = field(default_factory=list)
    instructions: int = 0


def obligation(program: m.Program, cuts: frozenset[str], budget: Budget) -> Obligation:
    """The verification condition of the certificate. Raises OutOfBudget if unrolling takes too long."""
    granules: dict[str, int] = {}
    while True:
        before = dict(granules)
        conditions = Conditions(World(program, granules), cuts)
        try:
            _Unrolled(conditions, budget).run()
            return _close(conditions)
        except GranuleConflict as conflict:
            if granules == before:
                raise OutOfBudget(f"no array of bytes for {conflict}") from conflict


def _close(conditions: Conditions) -> Obligation:
    world = conditions.world
    violated = build.disjunction(conditions.claims)
    formulas = [violated, *world.axioms]
    indices: set[int] = set()
    for formula in formulas:
        indices |= mentioned_objects(formula)
    formulas += address_axioms(world, indices)
    return Obligation(tuple(formulas), len(conditions.claims), conditions.instructions)


class _Unrolled:
    """Walks the block instances in topological order."""

    def __init__(self, conditions: Conditions, budget: Budget) -> None:
        self.conditions = conditions
        self.world = conditions.world
        self.budget = budget
        self.instances: dict[tuple[int, ...], Instance] = {}
        self.agenda: list[tuple[int, ...]] = []

    def run(self) -> None:
        main = self.world.program.main
        root = Activation(main, weak_topological_order(main), (), "", None, None, 0)
        self._reach(Instance(root, 0, 0, (), State({}, static_memory(self.world), 1), 1))
        while self.agenda:
            self._run_block(self.instances.pop(heapq.heappop(self.agenda)))

    def _run_block(self, here: Instance) -> None:
        self.budget.spend()
        block = here.activation.function.blocks[here.block]
        here.state.path = here.guard
        for position in range(here.position, len(block.instructions)):
            instruction = block.instructions[position]
            self.conditions.instructions += 1
            if isinstance(instruction, m.Call):
                self._enter(instruction, position, here)
                return
            try:
                effect = step(instruction, here.state, self.world)
            except BeyondModel:
                self.conditions.claims.append(here.guard)
                return
            match effect:
                case Assumed(condition):
                    here.guard = build.and_(here.guard, condition)
                case Checked(holds, _):
                    self.conditions.claims.append(build.and_(here.guard, build.not_(holds)))
                    here.guard = build.and_(here.guard, holds)
                case Placed(holds, _):
                    self.conditions.claims.append(build.and_(here.guard, build.not_(holds)))
                    here.guard = build.and_(here.guard, holds)
                case Blocked(_):
                    self.conditions.claims.append(here.guard)
                    return
            here.state.path = here.guard
            if here.guard == 0:
                return
        match block.terminator:
            case m.Return(values):
                self._return(values, here)
            case m.Branch(edges):
                for edge in edges:
                    self._follow(edge, here)

    def _follow(self, edge: m.Edge, here: Instance) -> None:
        guard = build.and_(here.guard, guard_formula(edge.guard, here.state, self.world))
        if guard == 0:
            return
        iterations, again = self._iterations(here, edge.target)
        activation = here.activation
        name = edge_name(activation.name, activation.function.name, here.block, here.iterations, edge.target)
        if again and name in self.conditions.cuts:
            self.conditions.claims.append(guard)
            return
        before = here.state.registers
        registers = {index: before[index] for index in live_in(activation.function)[edge.target] if index in before}
        values = [read(here.state, value, self.world) for value in edge.arguments]
        parameters = activation.function.blocks[edge.target].parameters
        registers.update((p.index, value) for p, value in zip(parameters, values, strict=True))
        state = State(registers, here.state.memory.copy(), guard, here.state.locals)
        self._reach(Instance(activation, edge.target, 0, iterations, state, guard))

    def _iterations(self, here: Instance, target: int) -> tuple[tuple[int, ...], bool]:
        """Iteration counts at the target; True if the edge starts a loop's next iteration."""
        heads = here.activation.order.heads
        around, inner = heads[here.block], heads[target]
        shared = 0
        while shared < min(len(around), len(inner)) and around[shared] == inner[shared]:
            shared += 1
        counts = here.iterations[:shared]
        if shared == len(inner) and shared and inner[-1] == target:
            return (*counts[:-1], counts[-1] + 1), True
        return counts + (0,) * (len(inner) - shared), False

    def _enter(self, call: m.Call, position: int, here: Instance) -> None:
        activation = here.activation
        name = call_name(activation.name, activation.function.name, here.block, position, here.iterations)
        if name in self.conditions.cuts:
            self.conditions.claims.append(here.guard)
            return
        callee = self.world.program.functions[call.callee]
        inner = Activation(
            callee, weak_topological_order(callee), _key(here, position), name, here, call, position
        )
        values = [read(here.state, value, self.world) for value in call.arguments]
        registers = {p.index: value for p, value in zip(callee.parameters, values, strict=True)}
        state = State(registers, here.state.memory, here.guard, ())
        self._reach(Instance(inner, 0, 0, (), state, here.guard))

    def _return(self, values: tuple[m.Value, ...], here: Instance) -> None:
        activation = here.activation
        caller, call = activation.caller, activation.call
        if caller is None or call is None:
            return
        for index in here.state.locals:
            here.state.memory.kill(index)
        registers = caller.state.registers.copy()
        for result, value in zip(call.results, values, strict=True):
            registers[result.index] = read(here.state, value, self.world)
        state = State(registers, here.state.memory, here.guard, caller.state.locals)
        back = Instance(
            caller.activation, caller.block, activation.position + 1, caller.iterations, state, here.guard
        )
        self._reach(back)

    def _reach(self, new: Instance) -> None:
        key = _key(new, new.position)
        old = self.instances.get(key)
        if old is None:
            heapq.heappush(self.agenda, key)
            self.instances[key] = new
            return
        state = joined(new.activation.function, old.guard, old.state, new.state)
        state.path = old.guard = build.or_(old.guard, new.guard)
        old.state = state


def _key(instance: Instance, position: int) -> tuple[int, ...]:
    """Orders instances topologically: weak topological order, an iteration number behind each loop head."""
    order = instance.activation.order
    parts = list(instance.activation.key)
    for head, iteration in zip(order.heads[instance.block], instance.iterations, strict=True):
        parts += (order.position[head], iteration)
    return (*parts, order.position[instance.block], position)
