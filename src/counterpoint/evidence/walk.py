"""The checker's own walk of an acyclic part of a program: instruction by instruction, in passive form.

Each instance of a block (one activation, one combination of iterations) has a guard, the disjunction of its incoming
edges' guards; registers and memory that differ between these become ites over them. Where the walk ends and what a
call means is for `Ends` to say; all that no run may do (fail a check, meet what has no meaning) is a claim.
"""

from __future__ import annotations

import heapq
from typing import Protocol

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.evidence.joins import joined
from counterpoint.program import model as m
from counterpoint.program.order import Order, live_in, weak_topological_order
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.step import Assumed, Blocked, Checked, Placed, State, guard_formula, read, step
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(slots=True, eq=False)
class Activation:
    """A function being walked, and behind which call in which node it returns; `name` is program.instances' prefix."""

    function: m.Function
    order: Order
    key: tuple[int, ...]
    name: str
    caller: Node | None
    call: m.Call | None
    position: int


@dataclass(slots=True, eq=False)
class Node:
    """A block instance, or the rest of one behind a call, with its merged state and guard."""

    activation: Activation
    block: int
    position: int
    iterations: tuple[int, ...]
    state: State
    guard: V

    def key(self, position: int) -> tuple[int, ...]:
        """Orders nodes topologically: by weak topological order, an iteration number behind each loop head."""
        order = self.activation.order
        parts = list(self.activation.key)
        for head, iteration in zip(order.heads[self.block], self.iterations, strict=True):
            parts += (order.position[head], iteration)
        return (*parts, order.position[self.block], position)


class Ends(Protocol):
    """Where a walk ends, what calls mean, and what becomes of the claims."""

    def claim(self, what: str, formula: V) -> None:
        """No run may fulfil the formula."""

    def edge(self, here: Node, target: int, again: bool, guard: V, state: State) -> bool:
        """Whether the walk ends at this edge, which runs take where `guard` holds; `again`: into a next iteration."""

    def call(self, call: m.Call, position: int, here: Node) -> str | None:
        """The prefix of the names in the activation to be walked; None if the call was passed or ends the walk
        (then `here.guard` is 0)."""

    def end(self, here: Node, results: tuple[V, ...]) -> None:
        """The function at the root returns."""

    def begin(self, here: Node) -> None:
        """The walk is at the beginning of a block, in the merged state of all edges to it."""


class Walk:
    """Walks the nodes in topological order."""

    def __init__(self, world: World, ends: Ends, budget: Budget) -> None:
        self.world = world
        self.ends = ends
        self.budget = budget
        self.instructions = 0
        self.waiting: dict[tuple[int, ...], Node] = {}
        self.agenda: list[tuple[int, ...]] = []

    def run(self, function: m.Function, block: int, state: State) -> None:
        """From the block's beginning, in that state. Raises OutOfBudget, GranuleConflict."""
        order = weak_topological_order(function)
        root = Activation(function, order, (), "", None, None, 0)
        self._reach(Node(root, block, 0, (0,) * len(order.heads[block]), state, 1))
        while self.agenda:
            self._run_node(self.waiting.pop(heapq.heappop(self.agenda)))

    def _run_node(self, here: Node) -> None:
        self.budget.spend()
        block = here.activation.function.blocks[here.block]
        here.state.path = here.guard
        if here.position == 0:
            self.ends.begin(here)
        for position in range(here.position, len(block.instructions)):
            instruction = block.instructions[position]
            self.instructions += 1
            if isinstance(instruction, m.Call):
                name = self.ends.call(instruction, position, here)
                if name is not None:
                    self._enter(instruction, position, name, here)
                    return
            else:
                self._step(instruction, here)
            if here.guard == 0:
                return
        match block.terminator:
            case m.Return(values):
                self._return(values, here)
            case m.Branch(edges):
                for edge in edges:
                    self._follow(edge, here)

    def _step(self, instruction: m.Instruction, here: Node) -> None:
        """Executes it; the guard is 0 afterwards if no run goes on."""
        try:
            effect = step(instruction, here.state, self.world)
        except BeyondModel as missing:
            self._must(f"{instruction.at}: {missing}", 0, here)
            return
        match effect:
            case Assumed(condition):
                here.guard = build.and_(here.guard, condition)
            case Checked(holds, _):
                self._must(f"{instruction.at}: the check", holds, here)
            case Placed(holds, _, what):
                self._must(f"{instruction.at}: {what}", holds, here)
            case Blocked(_):
                self._must(f"{instruction.at}: no meaning", 0, here)
                return
        here.state.path = here.guard

    def _must(self, what: str, holds: V, here: Node) -> None:
        self.ends.claim(what, build.and_(here.guard, build.not_(holds)))
        here.guard = build.and_(here.guard, holds)

    # ------------------------------------------------------------ edges and calls

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
        state = State(registers, here.state.memory.copy(), guard, here.state.locals, here.state.begun)
        iterations, again = _iterations(here, edge.target)
        if not self.ends.edge(here, edge.target, again, guard, state):
            self._reach(Node(activation, edge.target, 0, iterations, state, guard))

    def _enter(self, call: m.Call, position: int, name: str, here: Node) -> None:
        callee = self.world.program.functions[call.callee]
        order = weak_topological_order(callee)
        inner = Activation(callee, order, here.key(position), name, here, call, position)
        values = [read(here.state, value, self.world) for value in call.arguments]
        registers = {p.index: value for p, value in zip(callee.parameters, values, strict=True)}
        state = State(registers, here.state.memory, here.guard, ())
        self._reach(Node(inner, 0, 0, (0,) * len(order.heads[0]), state, here.guard))

    def _return(self, values: tuple[m.Value, ...], here: Node) -> None:
        results = tuple(read(here.state, value, self.world) for value in values)
        caller, call = here.activation.caller, here.activation.call
        if caller is None or call is None:
            self.ends.end(here, results)
            return
        for index in here.state.locals:
            here.state.memory.kill(index)
        registers = caller.state.registers.copy()
        registers.update((r.index, value) for r, value in zip(call.results, results, strict=True))
        state = State(registers, here.state.memory, here.guard, caller.state.locals, caller.state.begun)
        behind = here.activation.position + 1
        self._reach(Node(caller.activation, caller.block, behind, caller.iterations, state, here.guard))

    def _reach(self, new: Node) -> None:
        key = new.key(new.position)
        old = self.waiting.get(key)
        if old is None:
            heapq.heappush(self.agenda, key)
            self.waiting[key] = new
            return
        old.state = joined(new.activation.function, old.guard, old.state, new.state)
        old.state.path = old.guard = build.or_(old.guard, new.guard)


def _iterations(here: Node, target: int) -> tuple[tuple[int, ...], bool]:
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
