"""States that wait for a walk to go on with them: in which activation, at which instruction, on which path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.cutting import Spot
from counterpoint.regions.path import Path, join, start
from counterpoint.regions.shape import FunctionShape, shape_of
from counterpoint.semantics import memory as memory_
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.step import Begun, State
from counterpoint.term import build
from counterpoint.term.term import V

Key: TypeAlias = tuple[int, ...]
"""Sorts states topologically: along calls, by weak topological order, with the iteration behind each loop head."""

Iterations: TypeAlias = tuple[tuple[int, int], ...]
"""Per enclosing loop, outermost first: (iteration, those of them whose continuation was not decided)."""


@dataclass(frozen=True, slots=True, eq=False)
class Caller:
    """Where the run goes on when a function returns: behind `call` in `frame`, whose registers and locals these are."""

    frame: Frame
    call: m.Call
    block: int
    instruction: int
    iterations: Iterations
    registers: Mapping[int, V]
    locals: tuple[int, ...]
    begun: Begun | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One activation of a function. `depth` counts the others of the same function around it.

    `name` begins the names of all instances in it (program/instances.py), `key` the keys of its states.
    """

    function: m.Function
    shape: FunctionShape
    key: Key
    name: str
    caller: Caller | None
    depth: int


def first_frame(function: m.Function) -> Frame:
    """An activation of the function without a caller."""
    return Frame(function, shape_of(function), (), "", None, 0)


def spot_of(frame: Frame, block: int, position: int, target: int = -1) -> Spot:
    """The place in the activation, or the call of the walk's first activation that leads to it."""
    while frame.caller is not None:
        block, position, target = frame.caller.block, frame.caller.instruction - 1, -1
        frame = frame.caller.frame
    return Spot(frame.function.name, block, position, target)


@dataclass(slots=True)
class Pending:
    """A merged state before the first instruction of a block, or one behind a call. A walk changes it as it goes."""

    frame: Frame
    block: int
    instruction: int
    iterations: Iterations
    state: State
    path: Path

    def key(self) -> Key:
        """Where it comes in the order of the walk. States with the same key are merged."""
        shape = self.frame.shape
        parts: list[int] = []
        for head, (iteration, _) in zip(shape.heads[self.block], self.iterations, strict=True):
            parts += (shape.position[head], iteration)
        return (*self.frame.key, *parts, shape.position[self.block], self.instruction)

    def merge(self, other: Pending) -> None:
        """Makes this the state of the runs of either; both have the same key."""
        self.path, first = join(self.path, other.path)
        self.state = _either(first, self.state, other.state, self.frame.shape)
        self.iterations = _merge_iterations(self.iterations, other.iterations)

    def copy(self) -> Pending:
        """Another one that a walk may change."""
        state = copied(self.state)
        return Pending(self.frame, self.block, self.instruction, self.iterations, state, self.path)


def at_block(frame: Frame, block: int, state: State) -> Pending:
    """The state before a block's first instruction, on a path on which nothing has been decided yet."""
    return Pending(frame, block, 0, ((0, 0),) * len(frame.shape.heads[block]), state, start())


def behind_call(caller: Caller, results: tuple[V, ...], state: State, path: Path) -> Pending:
    """The state behind the call, when the function called returns `results` in `state`, whose memory it takes over."""
    for index in state.locals:
        state.memory.kill(index)
    registers = dict(caller.registers)
    for result, value in zip(caller.call.results, results, strict=True):
        registers[result.index] = value
    back = State(registers, state.memory, 1, caller.locals, caller.begun)
    return Pending(caller.frame, caller.block, caller.instruction, caller.iterations, back, path)


def copied(state: State) -> State:
    """Another path's state."""
    return State(dict(state.registers), state.memory.copy(), 1, state.locals, state.begun)


def counts(iterations: Iterations) -> list[int]:
    """The iterations alone, as names of instances have them."""
    return [iteration for iteration, _ in iterations]


def _either(condition: V, yes: State, no: State, shape: FunctionShape) -> State:
    registers = yes.registers
    for index, value in no.registers.items():
        mine = registers.get(index)
        if mine is None:
            continue
        if mine is not value and mine != value:
            registers[index] = build.ite(condition, mine, value, shape.sorts[index])
    memory: Memory = memory_.merge(condition, yes.memory, no.memory)
    locals_ = yes.locals if yes.locals == no.locals else tuple(dict.fromkeys(yes.locals + no.locals))
    return State(registers, memory, 1, locals_, yes.begun)


def _merge_iterations(one: Iterations, two: Iterations) -> Iterations:
    """Same iterations; the larger counts of undecided ones."""
    if one == two:
        return one
    return tuple((i, max(u, v)) for (i, u), (_, v) in zip(one, two, strict=True))
