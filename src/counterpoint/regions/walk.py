"""One walk of an acyclic unrolling, by symbolic execution with merging at every join.

Instances of blocks (copies per loop iteration and per call) are walked in topological order, each once, in the merged
state of all that gets there: the cost is linear in the unrolling, not in the number of paths. What ends the walk
(`Ends`) and what calls do (`Calls`) are policies: a bound on iterations gives bounded model checking, loop heads give
region summaries (region.py), places give steps (steps.py). Behind a cut a walk can go on later.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Protocol, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.cutting import Spot
from counterpoint.program.instances import call_name, edge_name
from counterpoint.regions.path import Path, start
from counterpoint.regions.pending import (
    Caller,
    Frame,
    Iterations,
    Key,
    Pending,
    at_block,
    behind_call,
    copied,
    counts,
    first_frame,
    spot_of,
)
from counterpoint.regions.place import Place
from counterpoint.regions.shape import shape_of
from counterpoint.regions.summary import Block, ContractCall, Cut, Exit, Failure, RegionSummary
from counterpoint.semantics import framing, losses, strays
from counterpoint.semantics.contracts import CallValues, call_by_contract
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.memory import static_memory
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.step import Assumed, Begun, Blocked, Checked, Placed, State, guard_formula, read, step
from counterpoint.semantics.summary import counter_now
from counterpoint.term import build
from counterpoint.term.term import V


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


class Ends(Protocol):
    """What ends a walk, other than the end of the run. Implementations subclass it and say where it differs."""

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        """Whether the walk goes on along the edge; otherwise it is cut there."""

    def at_edge(self, frame: Frame, target: int) -> bool:
        """Each edge to the block `target` is an exit by itself."""
        return False

    def at_block(self, frame: Frame, block: int) -> bool:
        """All that gets to the block is merged, and is an exit."""
        return False

    def at_return(self, frame: Frame) -> bool:
        """The return of the activation is an exit, to EXIT of its function."""
        return False

    def passed(self, frame: Frame, block: int) -> CutPoint | None:
        """The cut point of a loop's head at which the state is framed, and the walk goes on; back there it is cut."""
        return None

    def abstracted(self, place: Place) -> CutPoint | None:
        """The cut point whose components are all that is kept at an exit to `place`; None if its state is."""
        return None


@dataclass(frozen=True, slots=True)
class Entered:
    """The walk goes on in the function called."""


@dataclass(frozen=True, slots=True)
class Postponed:
    """The call is a cut, before the first block of the function called."""


@dataclass(frozen=True, slots=True)
class Contract:
    """The call goes by contract, between these cut points of the function (semantics/contracts.py). Runs come back from
    it where `returns` holds."""

    entry: CutPoint
    exit: CutPoint
    returns: V = 1


Called: TypeAlias = Entered | Postponed | Contract

ENTERED = Entered()
POSTPONED = Postponed()


class Calls(Protocol):
    """What calls do."""

    def of(self, callee: str, instance: str) -> Called:
        """What a call of that function does; `instance` is its name (program/instances.py)."""


@dataclass(frozen=True, slots=True)
class EnterAll:
    """All calls are entered."""

    def of(self, callee: str, instance: str) -> Called:
        return ENTERED


def unroll(world: World, ends: Ends, budget: Budget) -> RegionSummary:
    """Walks the program from its entry, calls entered. Raises OutOfBudget, GranuleConflict."""
    return Walk(world, ends, EnterAll(), budget).from_start()


class Walk:
    """A walk in one world. All its methods raise OutOfBudget, and GranuleConflict (semantics/objects.py)."""

    def __init__(self, world: World, ends: Ends, calls: Calls, budget: Budget) -> None:
        self.world = world
        self.ends = ends
        self.calls = calls
        self.budget = budget
        self.out = RegionSummary(world)
        self._waiting: dict[Key, Pending] = {}
        self._order: list[Key] = []
        self._decided: set[tuple[Key, int, Iterations]] = set()
        self._first: Frame | None = None
        self._parameters: dict[int, V] = {}
        self._known = (0, 0)

    # ------------------------------------------------------------ where it begins

    def from_start(self) -> RegionSummary:
        """From the start of the program."""
        return self.from_block(first_frame(self.world.program.main), 0, State({}, static_memory(self.world), 1))

    def from_block(self, frame: Frame, block: int, state: State) -> RegionSummary:
        """From the beginning of a block, in a state that stays as it is."""
        self._begin(frame, state)
        self._advance(at_block(frame, block, copied(state)))
        return self._finish()

    def from_return(self, frame: Frame, state: State, results: tuple[V, ...]) -> RegionSummary:
        """From the return of an activation, behind the call that made it, in a state that stays as it is."""
        caller = frame.caller
        assert caller is not None
        pending = behind_call(caller, results, copied(state), start())
        self._begin(caller.frame, pending.state)
        self._advance(pending)
        return self._finish()

    def expand(self, cuts: Iterable[Cut]) -> RegionSummary:
        """What lies behind cuts of this walk, up to where `ends` (which may have changed since) has it cut again.

        With all else that was found, that is what a walk finds that was not cut there. Cuts that are expanded together
        are merged where they meet. Each stays as it is.
        """
        self._open()
        for cut in cuts:
            self._arrive(cut.pending.copy())
        return self._finish()

    def _begin(self, frame: Frame, state: State) -> None:
        """A function's parameters never change, so that facts may speak of them everywhere in the first activation."""
        self._open()
        mine = {parameter.index for parameter in frame.function.parameters}
        self._first = frame
        self._parameters = {index: value for index, value in state.registers.items() if index in mine}

    def _open(self) -> None:
        self.out = RegionSummary(self.world)
        self._known = len(self.world.records), len(self.world.axioms)

    def _finish(self) -> RegionSummary:
        while self._order:
            node = self._waiting.pop(heapq.heappop(self._order))
            if node.instruction == 0 and self.ends.at_block(node.frame, node.block):
                self._exit(node.block, node.frame, node.state, node.path.formula)
                continue
            if node.instruction == 0 and (cut := self.ends.passed(node.frame, node.block)) is not None:
                self._pass(cut, node)
            self._advance(node)
        records, axioms = self._known
        self.out.records, self.out.axioms = self.world.records[records:], self.world.axioms[axioms:]
        return self.out

    # ------------------------------------------------------------ one block

    def _advance(self, node: Pending) -> None:
        block = node.frame.function.blocks[node.block]
        state, world = node.state, self.world
        state.path = node.path.formula
        instructions = block.instructions
        self.out.steps += len(instructions) - node.instruction + 1
        self.budget.spend()
        for position in range(node.instruction, len(instructions)):
            instruction = instructions[position]
            if type(instruction) is m.Call:
                if not self._call(instruction, position, node):
                    return
                continue
            try:
                effect = step(instruction, state, world)
            except BeyondModel as missing:
                spot = spot_of(node.frame, node.block, position)
                self._refused(node.path.formula, f"{instruction.at}: {missing}", spot)
                return
            if effect is not None and not self._apply(effect, node, position):
                return
        self._leave(block, node)

    def _apply(self, effect: Assumed | Checked | Blocked | Placed, node: Pending, position: int) -> bool:
        """Applies the effect to the node's path; False if nothing goes on."""
        match effect:
            case Assumed(condition):
                node.path = node.path.extended(condition)
            case Checked(holds, check):
                failing = build.and_(node.path.formula, build.not_(holds))
                if failing != 0:
                    self.out.failures.append(Failure(failing, check))
                node.path = node.path.extended(holds)
            case Placed(holds, at, what):
                refused = build.and_(node.path.formula, build.not_(holds))
                spot = spot_of(node.frame, node.block, position)
                self._refused(refused, f"{at}: {what}", spot)
                node.path = node.path.extended(holds)
            case Blocked(site):
                where = self.world.program.sites[site]
                spot = spot_of(node.frame, node.block, position)
                self.out.blocks.append(Block(node.path.formula, where.without_meaning(), for_all=True, spot=spot))
                return False
        node.state.path = node.path.formula
        return node.path.formula != 0

    def _leave(self, block: m.Block, node: Pending) -> None:
        for condition in node.frame.shape.hints[node.block]:
            self.out.hints.append(read(node.state, condition, self.world))
        match block.terminator:
            case m.Return(values):
                self._return(values, node)
            case m.Stop():
                self.out.finished.append(node.path.formula)
            case m.Branch(edges):
                taken = [(edge, guard_formula(edge.guard, node.state, self.world)) for edge in edges]
                possible = [(edge, guard) for edge, guard in taken if guard != 0]
                if len(possible) == 1 < len(taken) and _known_operands(edges[0].guard.value, node):
                    for edge, guard in taken:
                        if guard == 0:
                            self._note_decided(node, edge.target)
                for number, (edge, guard) in enumerate(possible):
                    path = node.path.extended(guard)
                    if path.formula != 0:
                        self._follow(edge, node, path, last=number == len(possible) - 1)

    # ------------------------------------------------------------ edges

    def _follow(self, edge: m.Edge, node: Pending, path: Path, last: bool) -> None:
        frame, target = node.frame, edge.target
        here, there = frame.shape.heads[node.block], frame.shape.heads[target]
        shared = 0
        while shared < min(len(here), len(there)) and here[shared] == there[shared]:
            shared += 1
        again = bool(shared) and shared == len(there) and there[-1] == target
        iterations = node.iterations[:shared]
        if self.ends.at_edge(frame, target):
            spot = spot_of(frame, node.block, len(frame.function.blocks[node.block].instructions), target)
            state, cut = self._passed(edge, node, last), self.ends.passed(frame, target)
            if cut is not None and not again:
                self._kept_at(cut, state, path.formula, spot)
                iterations += ((0, 0),) * (len(there) - shared)
                self._arrive(Pending(frame, target, 0, iterations, state, path))
            else:
                self._exit(target, frame, state, path.formula, spot=spot)
            return
        if not again:
            iterations += ((0, 0),) * (len(there) - shared)
            self._arrive(Pending(frame, target, 0, iterations, self._passed(edge, node, last), path))
            return
        back = self._back_edge(node, target, iterations, path.formula)
        follows = self.ends.follow(back, self.out)
        iterations = (*iterations[:-1], (back.repeated, back.undecided))
        pending = Pending(frame, target, 0, iterations, self._passed(edge, node, last), path)
        if follows:
            self._arrive(pending)
        else:
            self.out.cuts.append(Cut(path.formula, back.name, pending))

    def _back_edge(self, node: Pending, head: int, iterations: Iterations, path: V) -> BackEdge:
        frame = node.frame
        iteration, undecided = iterations[-1]
        undecided += (frame.key, head, iterations) not in self._decided
        name = edge_name(frame.name, frame.function.name, node.block, counts(node.iterations), head)
        return BackEdge(name, frame.function.name, iteration + 1, undecided, path, False)

    def _note_decided(self, node: Pending, target: int) -> None:
        """An edge to `target` is concretely not taken: loops that it would leave go on by themselves."""
        heads = node.frame.shape.heads
        here, there = heads[node.block], heads[target]
        for level, head in enumerate(here):
            if level >= len(there) or there[level] != head:
                self._decided.add((node.frame.key, head, node.iterations[: level + 1]))

    def _passed(self, edge: m.Edge, node: Pending, last: bool) -> State:
        """The state behind the edge: registers that are live there, and the target's parameters."""
        frame, state = node.frame, node.state
        arguments = [read(state, value, self.world) for value in edge.arguments]
        registers = {i: state.registers[i] for i in frame.shape.live_in[edge.target] if i in state.registers}
        for parameter, value in zip(frame.function.blocks[edge.target].parameters, arguments, strict=True):
            registers[parameter.index] = value
        if frame is self._first:
            for index, value in self._parameters.items():
                registers.setdefault(index, value)
        memory = state.memory if last else state.memory.copy()
        return State(registers, memory, 1, state.locals, state.begun)

    def _arrive(self, pending: Pending) -> None:
        key = pending.key()
        other = self._waiting.get(key)
        if other is None:
            heapq.heappush(self._order, key)
            self._waiting[key] = pending
        else:
            other.merge(pending)

    # ------------------------------------------------------------ exits

    def _exit(
        self, block: int, frame: Frame, state: State, path: V, results: tuple[V, ...] = (), spot: Spot | None = None
    ) -> None:
        place = frame.function.name, block
        state.path = 1
        cut = self.ends.abstracted(place)
        if (framed := self.ends.passed(frame, block)) is not None:
            self._kept_at(framed, state, path, spot)
        elif cut is not None:
            self._refused(build.and_(path, strays.strays_at(cut, state, results)), strays.WHAT, spot)
            self._refused(build.and_(path, losses.lost_at(cut, state)), losses.WHAT, spot)
        self.out.exits.append(Exit(place, path, state, frame, results, len(self.out.calls)))

    def _kept_at(self, cut: CutPoint, state: State, path: V, spot: Spot | None) -> None:
        """On the way to a loop's head that is framed."""
        self._refused(build.and_(path, framing.strays_at_head(cut, state)), strays.WHAT, spot)
        if losses.lost_at_call(cut.points) != 0:
            self._refused(path, losses.WHAT, spot)

    def _pass(self, cut: CutPoint, node: Pending) -> None:
        """Frames the state at a loop's head."""
        before = framing.values_at(cut, node.state)
        framing.frame(cut, node.state, self.world)
        values = CallValues(before, framing.values_at(cut, node.state), 0)
        known = len(self.out.failures), len(self.out.blocks), len(self.world.records) - self._known[0]
        name = node.frame.function.name
        self.out.calls.append(ContractCall(name, node.path.formula, values, *known, head=node.block))

    def _refused(self, formula: V, reason: str, spot: Spot | None) -> None:
        """What comes behind is not what the formulas say: an abstraction, for one, keeps the addresses of pointers
        only."""
        if formula != 0:
            self.out.blocks.append(Block(formula, reason, spot=spot))

    # ------------------------------------------------------------ calls

    def _call(self, call: m.Call, position: int, node: Pending) -> bool:
        """True if the walk goes on behind the call at once."""
        function = self.world.program.functions[call.callee]
        frame = node.frame
        name = call_name(frame.name, frame.function.name, node.block, position, counts(node.iterations))
        called = self.calls.of(call.callee, name)
        if isinstance(called, Contract):
            return self._by_contract(call, called, position, node, name)
        depth = _activations(function, frame)
        follows = isinstance(called, Entered)
        if follows and depth:
            follows = self.ends.follow(BackEdge(name, function.name, depth, depth, node.path.formula, True), self.out)
        pending = self._entering(call, position, node, name, depth)
        if follows:
            self._arrive(pending)
        else:
            self.out.cuts.append(Cut(node.path.formula, name, pending))
        return False

    def _entering(self, call: m.Call, position: int, node: Pending, name: str, depth: int) -> Pending:
        """The state before the first block of the function called."""
        function, state = self.world.program.functions[call.callee], node.state
        there = node.block, position + 1, node.iterations
        behind = Caller(node.frame, call, *there, state.registers, state.locals, state.begun)
        key = Pending(node.frame, node.block, position, node.iterations, state, node.path).key()
        callee = Frame(function, shape_of(function), key, name, behind, depth)
        arguments = [read(state, value, self.world) for value in call.arguments]
        registers = {p.index: value for p, value in zip(function.parameters, arguments, strict=True)}
        begun = None
        if self.world.past is not None and self.ends.at_return(callee):
            begun = Begun(state.memory.copy(), counter_now(self.world))
        return Pending(callee, 0, 0, (), State(registers, state.memory, 1, (), begun), node.path)

    def _by_contract(self, call: m.Call, contract: Contract, position: int, node: Pending, name: str) -> bool:
        spot = spot_of(node.frame, node.block, position)
        caller, state, path = node.frame.function.name, node.state, node.path.formula
        try:
            values = call_by_contract(call, caller, contract.entry, contract.exit, state, self.world)
        except BeyondModel as missing:
            self._refused(path, f"{call.at}: {missing}", spot)
            return False
        self._refused(build.and_(path, values.strayed), strays.WHAT, spot)
        if losses.lost_at_call(contract.entry.points) != 0:
            self._refused(path, losses.WHAT, spot)
        read_ = len(self.world.records) - self._known[0]
        known = len(self.out.failures), len(self.out.blocks), read_
        self.out.calls.append(ContractCall(call.callee, path, values, *known, name))
        node.path = node.path.extended(contract.returns)
        state.path = node.path.formula
        return True

    def _return(self, values: tuple[m.Value, ...], node: Pending) -> None:
        frame, state = node.frame, node.state
        results = tuple(read(state, value, self.world) for value in values)
        if self.ends.at_return(frame):
            spot = spot_of(frame, node.block, len(frame.function.blocks[node.block].instructions))
            self._exit(EXIT, frame, state, node.path.formula, results, spot)
        elif frame.caller is None:
            self.out.finished.append(node.path.formula)
        else:
            self._arrive(behind_call(frame.caller, results, state, node.path))


def _activations(function: m.Function, frame: Frame) -> int:
    """How many of the activations from this one outwards are the function's."""
    depth = 0
    walker: Frame | None = frame
    while walker is not None:
        depth += walker.function is function
        walker = walker.caller.frame if walker.caller is not None else None
    return depth


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
