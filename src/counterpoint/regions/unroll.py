"""Region summaries by symbolic execution with merging at every join.

The acyclic unrolling of a program (blocks copied per loop iteration and per call) is walked once in
topological order; states that meet are merged, so the cost is linear in the unrolling, not in the number
of paths. Where to stop is a policy: cutting at every back edge summarises one loop body, a bound
gives bounded model checking. What lies behind a cut is kept as a claim that no run gets there.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.program import model as m
from counterpoint.program.instances import call_name, edge_name
from counterpoint.regions.path import Path, join, start
from counterpoint.regions.shape import FunctionShape, shape_of
from counterpoint.semantics import memory as memory_
from counterpoint.semantics.memory import Memory, static_memory
from counterpoint.semantics.objects import BeyondModel, World, sort_of
from counterpoint.semantics.step import Assumed, Blocked, Checked, Placed, State, guard_formula, read, step
from counterpoint.term import build
from counterpoint.term.sorts import ScalarSort
from counterpoint.term.term import V

Key: TypeAlias = tuple[int, ...]

Iterations: TypeAlias = tuple[tuple[int, int], ...]
"""Per enclosing loop, outermost first: (iteration, those of them whose continuation was not decided)."""


@dataclass(frozen=True, slots=True)
class Failure:
    """`formula` holds exactly on the runs that violate check `check` here, first of all checks."""

    formula: V
    check: int


@dataclass(frozen=True, slots=True)
class Cut:
    """`formula` holds exactly on the runs that go on at edge instance `instance`, where unrolling stopped."""

    formula: V
    instance: str


@dataclass(frozen=True, slots=True)
class Block:
    """`formula` holds exactly on the runs that meet a construct without a meaning.

    `for_all`: it has none in the program itself, where all executions end; else formulas alone lack it.
    """

    formula: V
    reason: str
    for_all: bool = False


@dataclass(slots=True)
class Unrolling:
    """The summary of the unrolled region: what fails, where it was cut, what it could not express."""

    world: World
    failures: list[Failure] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    steps: int = 0


@dataclass(frozen=True, slots=True)
class BackEdge:
    """An edge instance that closes a loop or a recursive call, about to be taken.

    `repeated` counts the iterations of this loop instance (or activations of this function) so far;
    `undecided` those whose continuation depended on something unknown. `name` is the instance's.
    """

    name: str
    function: str
    repeated: int
    undecided: int
    path: V
    recursion: bool


class Policy(Protocol):
    """Says where to stop."""

    def follow(self, edge: BackEdge, unrolling: Unrolling) -> bool: ...


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function: whom it returns to, with the caller's registers and locals."""

    function: m.Function
    shape: FunctionShape
    key: Key
    name: str
    caller: Frame | None
    call: m.Call | None
    resume: Key
    registers: dict[int, V]
    locals: tuple[int, ...]
    depth: int


@dataclass(slots=True)
class Pending:
    """A merged state waiting at a block (or behind a call inside one)."""

    frame: Frame
    block: int
    instruction: int
    iterations: Iterations
    state: State
    path: Path


def unroll(world: World, policy: Policy, budget: Budget) -> Unrolling:
    """Unrolls the program from its entry. Raises OutOfBudget, GranuleConflict."""
    return Unroller(Unrolling(world), policy, budget).run()


class Unroller:
    """The walk. `region.py` redefines what happens at edges, calls and the end of the first function."""

    def __init__(self, unrolling: Unrolling, policy: Policy, budget: Budget) -> None:
        self.out = unrolling
        self.world = unrolling.world
        self.policy = policy
        self.budget = budget
        self.waiting: dict[Key, Pending] = {}
        self.resumes: dict[Key, tuple[int, int, Iterations]] = {}
        self.decided: set[tuple[Key, int, Iterations]] = set()
        self.order: list[Key] = []

    def run(self) -> Unrolling:
        return self.run_from(self.world.program.main, 0, State({}, static_memory(self.world), 1))

    def run_from(self, function: m.Function, block: int, state: State) -> Unrolling:
        """Walks from a block of a function, with no caller, in the state that it is entered in."""
        root = Frame(function, shape_of(function), (), "", None, None, (), {}, (), 0)
        iterations = ((0, 0),) * len(root.shape.heads[block])
        self._arrive(root, block, iterations, state, start())
        while self.order:
            self._advance(self.waiting.pop(heapq.heappop(self.order)))
        return self.out

    # ------------------------------------------------------------ one block

    def _advance(self, node: Pending) -> None:
        block = node.frame.function.blocks[node.block]
        state, world = node.state, self.world
        state.path = node.path.formula
        instructions = block.instructions
        self.out.steps += len(instructions) - node.instruction + 1
        if self.out.steps & 1023 < len(instructions) + 1:
            self.budget.spend()
        for position in range(node.instruction, len(instructions)):
            instruction = instructions[position]
            if type(instruction) is m.Call:
                self._call(instruction, position, node)
                return
            try:
                effect = step(instruction, state, world)
            except BeyondModel as missing:
                self.out.blocks.append(Block(node.path.formula, f"{instruction.at}: {missing}"))
                return
            if effect is not None and not self._apply(effect, node):
                return
        self._leave(block, node)

    def _apply(self, effect: Assumed | Checked | Blocked | Placed, node: Pending) -> bool:
        """Applies the effect to the node's path; False if nothing goes on."""
        match effect:
            case Assumed(condition):
                node.path = node.path.extended(condition)
            case Checked(holds, check):
                failing = build.and_(node.path.formula, build.not_(holds))
                if failing != 0:
                    self.out.failures.append(Failure(failing, check))
                node.path = node.path.extended(holds)
            case Placed(holds, at):
                refused = build.and_(node.path.formula, build.not_(holds))
                if refused != 0:
                    self.out.blocks.append(Block(refused, f"{at}: an object beyond the modelled memory"))
                node.path = node.path.extended(holds)
            case Blocked(site):
                where = self.world.program.sites[site]
                self.out.blocks.append(Block(node.path.formula, where.without_meaning(), for_all=True))
                return False
        node.state.path = node.path.formula
        return node.path.formula != 0

    def _leave(self, block: m.Block, node: Pending) -> None:
        terminator = block.terminator
        match terminator:
            case m.Return(values):
                self._return(values, node)
            case m.Branch(edges):
                taken = [(edge, guard_formula(edge.guard, node.state, self.world)) for edge in edges]
                possible = [(edge, guard) for edge, guard in taken if guard != 0]
                if len(possible) == 1 < len(taken) and self._known_operands(edges[0].guard.value, node):
                    for edge, guard in taken:
                        if guard == 0:
                            self._note_decided(node, edge.target)
                for number, (edge, guard) in enumerate(possible):
                    path = node.path.extended(guard)
                    if path.formula != 0:
                        self._follow(edge, node, path, last=number == len(possible) - 1)

    @staticmethod
    def _known_operands(value: m.Value | None, node: Pending) -> bool:
        """The tested value was computed from constants: not merely simplified to one."""
        if not isinstance(value, m.Register):
            return False
        compute = node.frame.shape.tests.get(value.index)
        if compute is None:
            return True
        registers = node.state.registers
        return all(
            isinstance(registers.get(operand.index), int)
            for operand in compute.operands
            if isinstance(operand, m.Register)
        )

    def _note_decided(self, node: Pending, target: int) -> None:
        """An edge to `target` is concretely not taken: loops that it would leave go on by themselves."""
        heads = node.frame.shape.heads
        here, there = heads[node.block], heads[target]
        for level, head in enumerate(here):
            if level >= len(there) or there[level] != head:
                self.decided.add((node.frame.key, head, node.iterations[: level + 1]))

    def _follow(self, edge: m.Edge, node: Pending, path: Path, last: bool) -> None:
        iterations = self._iterations(node, edge.target, path.formula)
        if iterations is not None:
            self._arrive(node.frame, edge.target, iterations, self._passed(edge, node, last), path)

    def _passed(self, edge: m.Edge, node: Pending, last: bool) -> State:
        """The state behind the edge: registers that are live there, and the target's parameters."""
        frame, state = node.frame, node.state
        arguments = [read(state, value, self.world) for value in edge.arguments]
        registers = {i: state.registers[i] for i in frame.shape.live_in[edge.target] if i in state.registers}
        for parameter, value in zip(frame.function.blocks[edge.target].parameters, arguments, strict=True):
            registers[parameter.index] = value
        memory = state.memory if last else state.memory.copy()
        return State(registers, memory, 1, state.locals)

    def _iterations(self, node: Pending, target: int, path: V) -> Iterations | None:
        """The iteration counts at the target, or None if the edge was cut."""
        shape = node.frame.shape
        here, there = shape.heads[node.block], shape.heads[target]
        shared = 0
        while shared < min(len(here), len(there)) and here[shared] == there[shared]:
            shared += 1
        counts = node.iterations[:shared]
        if shared and shared == len(there) and there[-1] == target:
            iteration, undecided = counts[-1]
            undecided += (node.frame.key, target, counts) not in self.decided
            name = edge_name(node.frame.name, node.frame.function.name, node.block, _counts(node.iterations), target)
            edge = BackEdge(name, node.frame.function.name, iteration + 1, undecided, path, False)
            if not self.policy.follow(edge, self.out):
                self.out.cuts.append(Cut(path, name))
                return None
            return (*counts[:-1], (iteration + 1, undecided))
        return counts + ((0, 0),) * (len(there) - shared)

    # ------------------------------------------------------------ calls

    def _call(self, call: m.Call, position: int, node: Pending) -> None:
        function = self.world.program.functions[call.callee]
        frame, state = node.frame, node.state
        depth = 0
        walker: Frame | None = frame
        while walker is not None:
            depth += walker.function is function
            walker = walker.caller
        name = call_name(frame.name, frame.function.name, node.block, position, _counts(node.iterations))
        if depth:
            edge = BackEdge(name, function.name, depth, depth, node.path.formula, True)
            if not self.policy.follow(edge, self.out):
                self.out.cuts.append(Cut(node.path.formula, name))
                return
        key = self._key(node.frame, node.block, position, node.iterations)
        resume = (*key[:-1], position + 1)
        arguments = [read(state, value, self.world) for value in call.arguments]
        callee = Frame(
            function, shape_of(function), key, name, frame, call, resume, state.registers, state.locals, depth
        )
        registers = {p.index: value for p, value in zip(function.parameters, arguments, strict=True)}
        callee_state = State(registers, state.memory, 1, ())
        self.resumes[resume] = (node.block, position + 1, node.iterations)
        self._arrive(callee, 0, (), callee_state, node.path)

    def _return(self, values: tuple[m.Value, ...], node: Pending) -> None:
        frame, state = node.frame, node.state
        if frame.caller is None or frame.call is None:
            return
        results = [read(state, value, self.world) for value in values]
        for index in state.locals:
            state.memory.kill(index)
        registers = frame.registers.copy()
        for result, value in zip(frame.call.results, results, strict=True):
            registers[result.index] = value
        block, position, iterations = self.resumes[frame.resume]
        back = State(registers, state.memory, 1, frame.locals)
        self._arrive(frame.caller, block, iterations, back, node.path, position, frame.resume)

    # ------------------------------------------------------------ joins

    @staticmethod
    def _key(
        frame: Frame, block: int, instruction: int, iterations: Iterations
    ) -> Key:
        """Sorts nodes topologically: weak topological order, with the iteration behind each loop head."""
        shape = frame.shape
        parts: list[int] = []
        for head, (iteration, _) in zip(shape.heads[block], iterations, strict=True):
            parts += (shape.position[head], iteration)
        return (*frame.key, *parts, shape.position[block], instruction)

    def _arrive(
        self,
        frame: Frame,
        block: int,
        iterations: Iterations,
        state: State,
        path: Path,
        instruction: int = 0,
        key: Key | None = None,
    ) -> None:
        if key is None:
            key = self._key(frame, block, instruction, iterations)
        other = self.waiting.get(key)
        if other is None:
            heapq.heappush(self.order, key)
            self.waiting[key] = Pending(frame, block, instruction, iterations, state, path)
            return
        joined, first = join(other.path, path)
        other.state = self._merge(first, other.state, state, frame.function)
        other.path = joined
        other.iterations = _merge_iterations(other.iterations, iterations)

    def _merge(self, condition: V, yes: State, no: State, function: m.Function) -> State:
        registers = yes.registers
        sorts = register_sorts(function)
        for index, value in no.registers.items():
            mine = registers.get(index)
            if mine is None:
                continue
            if mine is not value and mine != value:
                registers[index] = build.ite(condition, mine, value, sorts[index])
        memory: Memory = memory_.merge(condition, yes.memory, no.memory)
        locals_ = yes.locals if yes.locals == no.locals else tuple(dict.fromkeys(yes.locals + no.locals))
        return State(registers, memory, 1, locals_)


def _counts(iterations: Iterations) -> list[int]:
    return [iteration for iteration, _ in iterations]


def _merge_iterations(one: Iterations, two: Iterations) -> Iterations:
    """Same iterations; the larger counts of undecided ones."""
    if one == two:
        return one
    return tuple((i, max(u, v)) for (i, u), (_, v) in zip(one, two, strict=True))


_sorts: dict[int, tuple[m.Function, dict[int, ScalarSort]]] = {}


def register_sorts(function: m.Function) -> dict[int, ScalarSort]:
    """The sort of each register of the function, by index."""
    known = _sorts.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    sorts: dict[int, ScalarSort] = {}

    def note(register: m.Register) -> None:
        sorts[register.index] = sort_of(register.type)

    for parameter in function.parameters:
        note(parameter)
    for block in function.blocks:
        for parameter in block.parameters:
            note(parameter)
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                for result in instruction.results:
                    note(result)
            else:
                register = getattr(instruction, "result", None)
                if register is not None:
                    note(register)
    _sorts[id(function)] = (function, sorts)
    return sorts
