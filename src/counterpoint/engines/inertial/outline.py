"""Loops as functions that call themselves: what is skipped and entered is then calls alone.

A loop becomes a function of what is live at its head. It runs one iteration and calls itself for the next; its results
are which way the loop is left and what is live there. The first test of a head that only computes is left in front of
the call, so that a loop which is not entered at all passes no call: the paper's pi_0, the call being its pi_1+. Behind
the call the test is assumed to be as it was when it left the loop, so that this is known of a loop that is skipped.

Source: [inertial refinement, section IV.A], with loops as tail-recursive functions of [Taghdiri and Jackson], which the
paper's own form of a loop (pi_k+, lambda_k+) is unrolled to.
Deviation: loops that are entered at several blocks, or make locals, stay loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import Loop, loops
from counterpoint.program.order import live_in, register_types, results
from counterpoint.program.rebuild import pruned, renamed, renamed_terminator
from counterpoint.program.types import TRUTH, IntType, Type

_WAY = IntType(32)
"""The type of the result that says which way a loop is left."""

_PURE = (m.Compute, m.Offset, m.Load, m.Hint, m.ValidAccess)
"""What a head may have that is tested once more than the loop has iterations."""

_Slot: TypeAlias = tuple[int, int] | int
"""A result of a loop: a target's parameter (block, position), or the index of a register."""


@dataclass(frozen=True, slots=True)
class Outlined:
    """`program` without the loops that became functions; `loops` are these functions, by the function that the loop
    stands in."""

    program: m.Program
    loops: Mapping[str, str]


def outlined(program: m.Program) -> Outlined:
    """The program with loops as functions, inner ones first. Runs consume the same values in the same order."""
    functions = dict(program.functions)
    owners: dict[str, str] = {}
    for name in program.functions:
        while (loop := _next(functions[name])) is not None:
            number = len(owners)
            while (new := f"{name}.loop{number}") in functions or new in program.globals:
                number += 1
            functions[name], functions[new] = _Outlining(functions[name], loop, new).split()
            owners[new] = name
    return Outlined(replace(program, functions=functions), owners)


def _next(function: m.Function) -> Loop | None:
    """An innermost loop that can become a function."""
    every = loops(function)
    outer = {loop.outer for loop in every}
    return next((loop for loop in every if loop.head not in outer and _can_move(function, loop)), None)


def _can_move(function: m.Function, loop: Loop) -> bool:
    """Its locals would die with each iteration; a loop around one that stays a loop stays one, too."""
    made = (i for block in loop.blocks for i in function.blocks[block].instructions if isinstance(i, m.Allocate))
    return loop.natural and loop.head != 0 and all(allocation.heap for allocation in made)


def _nothing(type_: Type) -> m.Value:
    return m.Constant(0, type_)


@dataclass(slots=True)
class _Outlining:
    """One loop of one function. `ways` are the blocks that it is left to, and whether by the head's first test; `slots`
    what is handed out: a parameter (target, position) of one of these, or a register that is used behind the loop."""

    function: m.Function
    loop: Loop
    name: str
    inside: frozenset[int] = field(init=False)
    ways: list[tuple[int, bool]] = field(init=False)
    tested: bool = field(init=False)
    slots: list[tuple[int, int] | m.Register] = field(init=False)
    live: list[m.Register] = field(init=False)
    _next: int = field(init=False)

    def __post_init__(self) -> None:
        function, loop = self.function, self.loop
        self.inside = frozenset(loop.blocks)
        self._next = function.registers
        types = register_types(function)
        self.tested = self._tested_first()
        left = [(block, e.target) for block in loop.blocks for e in function.blocks[block].edges if self._leaves(e)]
        self.ways = list(dict.fromkeys((target, self.tested and block == loop.head) for block, target in left))
        targets = list(dict.fromkeys(target for _, target in left))
        head = function.blocks[loop.head]
        defined = {r.index for block in loop.blocks for r in self._defined(block)}
        alive = {index for target in targets for index in live_in(function)[target] if index in defined}
        alive |= {parameter.index for parameter in head.parameters if self.tested}
        handed = [(t, k) for t in targets for k in range(len(function.blocks[t].parameters))]
        self.slots = [*handed, *(m.Register(index, types[index]) for index in sorted(alive))]
        outer = (m.Register(index, types[index]) for index in sorted(live_in(function)[loop.head]))
        self.live = [*head.parameters, *outer]

    def split(self) -> tuple[m.Function, m.Function]:
        """The function that calls the loop, and the loop."""
        return self._caller(), self._body()

    # ------------------------------------------------------------ what both need

    def _leaves(self, edge: m.Edge) -> bool:
        return edge.target not in self.inside

    def _defined(self, block: int) -> Iterable[m.Register]:
        yield from self.function.blocks[block].parameters
        for instruction in self.function.blocks[block].instructions:
            yield from results(instruction)

    def _fresh(self, type_: Type) -> m.Register:
        self._next += 1
        return m.Register(self._next - 1, type_)

    def _type(self, slot: tuple[int, int] | m.Register) -> Type:
        if isinstance(slot, m.Register):
            return slot.type
        return self.function.blocks[slot[0]].parameters[slot[1]].type

    def _types(self) -> tuple[Type, ...]:
        return (_WAY, *map(self._type, self.slots)) if self.ways else ()

    def _values(self, edge: m.Edge, block: int, known: Mapping[int, m.Value]) -> tuple[m.Value, ...]:
        """The loop's results where it is left along that block's edge; `known`: registers with other names here."""

        def now(value: m.Value) -> m.Value:
            return known.get(value.index, value) if isinstance(value, m.Register) else value

        first = self.tested and block == self.loop.head
        alive = set(live_in(self.function)[edge.target])
        if first:
            alive |= {parameter.index for parameter in self.function.blocks[block].parameters}
        found: list[m.Value] = [m.Constant(self.ways.index((edge.target, first)), _WAY)]
        for slot in self.slots:
            if isinstance(slot, m.Register):
                found.append(now(slot) if slot.index in alive else _nothing(slot.type))
            elif slot[0] == edge.target:
                found.append(now(edge.arguments[slot[1]]))
            else:
                found.append(_nothing(self._type(slot)))
        return tuple(found)

    def _tested_first(self) -> bool:
        """The head may leave the loop and has no effect, so that it may be run once more."""
        head = self.function.blocks[self.loop.head]
        return any(map(self._leaves, head.edges)) and all(isinstance(i, _PURE) for i in head.instructions)

    def _call(self, arguments: Iterable[m.Value]) -> m.Call:
        at = self.function.blocks[self.loop.head].terminator.at
        return m.Call(tuple(map(self._fresh, self._types())), self.name, tuple(arguments), at)

    # ------------------------------------------------------------ the function around it

    def _caller(self) -> m.Function:
        function, head = self.function, self.function.blocks[self.loop.head]
        first = len(function.blocks)
        behind = tuple(map(self._fresh, self._types()))
        keys = (slot.index if isinstance(slot, m.Register) else slot for slot in self.slots)
        slots: dict[_Slot, m.Register] = dict(zip(keys, behind[1:], strict=bool(behind)))
        call = self._call(self.live)
        blocks = [b if b.index in self.inside else self._outside(b, slots) for b in function.blocks]
        done: m.Terminator = m.Stop(call.at)
        if self.ways:
            done = m.Branch((m.Edge(m.ALWAYS, first + 1, call.results),), call.at)
        if self.tested:
            edges = [
                m.Edge(e.guard, first + 1, self._values(e, head.index, {}))
                if self._leaves(e)
                else m.Edge(e.guard, first)
                for e in head.edges
            ]
            blocks[head.index] = replace(head, terminator=m.Branch(tuple(edges), head.terminator.at))
            blocks.append(m.Block(first, "", (), (call, *self._as_left(call)), done))
        else:
            blocks[head.index] = replace(head, instructions=(call,), terminator=done)
            blocks.append(m.Block(first, "", (), (), m.Stop()))
        ways = [self._way(number, target, behind, slots) for number, (target, _) in enumerate(self.ways)]
        end: m.Terminator = m.Branch(tuple(ways), call.at) if ways else m.Stop(call.at)
        blocks.append(m.Block(first + 1, "", behind, (), end))
        return pruned(replace(function, blocks=tuple(blocks), registers=self._next))

    def _way(
        self, number: int, target: int, behind: tuple[m.Register, ...], slots: Mapping[_Slot, m.Register]
    ) -> m.Edge:
        """The edge from where all ways out of the loop meet to one block behind it."""
        last = len(self.ways) - 1
        guard = m.Guard(behind[0], (number,))
        if number == last:
            guard = m.Guard(behind[0], tuple(range(last)), negated=True) if last else m.ALWAYS
        given = range(len(self.function.blocks[target].parameters))
        return m.Edge(guard, target, tuple(slots[target, k] for k in given))

    def _as_left(self, call: m.Call) -> Iterable[m.Instruction]:
        """Behind the call: if the head's test left the loop, it says so in the state in which that was."""
        head = self.function.blocks[self.loop.head]
        left = [edge for edge in head.edges if self._leaves(edge)]
        tested = left[0].guard
        if len(head.edges) != 2 or tested.value is None or tested.value.type != TRUTH or len(tested.cases) != 1:
            return
        slots = zip(self.slots, call.results[1:], strict=True)
        known: dict[int, m.Value] = {slot.index: value for slot, value in slots if isinstance(slot, m.Register)}
        known = {parameter.index: known[parameter.index] for parameter in head.parameters}

        def value(old: m.Value) -> m.Value:
            return known.get(old.index, old) if isinstance(old, m.Register) else old

        def register(old: m.Register) -> m.Register:
            new = self._fresh(old.type)
            known[old.index] = new
            return new

        for instruction in head.instructions:
            if not isinstance(instruction, m.Hint):
                yield renamed(instruction, value, register)
        other, test, holds = self._fresh(TRUTH), self._fresh(TRUTH), self._fresh(TRUTH)
        number, last = self.ways.index((left[0].target, True)), len(self.ways) - 1
        # Of a call that is skipped the first result is any number: the last way stands for all that are none's.
        elsewhere = ("ult", last) if number == last else ("ne", number)
        yield m.Compute(other, elsewhere[0], (call.results[0], m.Constant(elsewhere[1], _WAY)))
        stays = int(bool(tested.cases[0]) == tested.negated)
        yield m.Compute(test, "xor", (value(tested.value), m.Constant(stays, TRUTH)))
        yield m.Compute(holds, "or", (other, test))
        yield m.Assume(holds, call.at)

    def _outside(self, block: m.Block, slots: Mapping[_Slot, m.Register]) -> m.Block:
        def value(old: m.Value) -> m.Value:
            return slots.get(old.index, old) if isinstance(old, m.Register) else old

        instructions = tuple(renamed(i, value, lambda register: register) for i in block.instructions)
        return replace(block, instructions=instructions, terminator=renamed_terminator(block.terminator, value))

    # ------------------------------------------------------------ the loop

    def _body(self) -> m.Function:
        order = [self.loop.head, *(block for block in self.loop.blocks if block != self.loop.head)]
        made = _Blocks({old: new for new, old in enumerate(order)}, [])
        again = len(order)
        made.blocks = [m.Block(k, "", (), (), m.Stop()) for k in range(again + 1)]
        for new, old in enumerate(order):
            block = self.function.blocks[old]
            edges = tuple(self._edge(edge, old, made, again) for edge in block.edges)
            parameters = () if old == self.loop.head else block.parameters
            made.blocks[new] = m.Block(
                new, block.name, parameters, block.instructions, m.Branch(edges, block.terminator.at)
            )
        made.blocks[again] = self._again(again, made)
        body = m.Function(
            self.name, tuple(self.live), self._types(), tuple(made.blocks), self._next, self.function.at
        )
        return pruned(body)

    def _edge(self, edge: m.Edge, block: int, made: _Blocks, again: int) -> m.Edge:
        if edge.target == self.loop.head:
            return m.Edge(edge.guard, again, edge.arguments)
        if not self._leaves(edge):
            return m.Edge(edge.guard, made.number[edge.target], edge.arguments)
        return m.Edge(edge.guard, made.add(m.Return(self._values(edge, block, {}))))

    def _again(self, index: int, made: _Blocks) -> m.Block:
        """The next iteration, with a first test of its own."""
        head = self.function.blocks[self.loop.head]
        copies: dict[int, m.Value] = {old.index: self._fresh(old.type) for old in head.parameters}
        parameters = tuple(copies[old.index] for old in head.parameters)
        following = self._call(copies.get(old.index, old) for old in self.live)
        done: m.Terminator = m.Return(following.results) if self.ways else m.Stop(following.at)
        if not self.tested:
            return m.Block(index, "", _registers(parameters), (following,), done)

        def value(old: m.Value) -> m.Value:
            return copies.get(old.index, old) if isinstance(old, m.Register) else old

        def register(old: m.Register) -> m.Register:
            new = self._fresh(old.type)
            copies[old.index] = new
            return new

        instructions = tuple([renamed(i, value, register) for i in head.instructions])
        call = made.add(done, (following,))
        edges = []
        for edge in head.edges:
            guard = replace(edge.guard, value=value(edge.guard.value)) if edge.guard.value is not None else edge.guard
            target = made.add(m.Return(self._values(edge, head.index, copies))) if self._leaves(edge) else call
            edges.append(m.Edge(guard, target))
        return m.Block(index, "", _registers(parameters), instructions, m.Branch(tuple(edges), head.terminator.at))


@dataclass(slots=True)
class _Blocks:
    """The blocks of a function in the making; `number` has those of the loop's blocks."""

    number: Mapping[int, int]
    blocks: list[m.Block]

    def add(self, end: m.Terminator, instructions: tuple[m.Instruction, ...] = ()) -> int:
        """One more block."""
        self.blocks.append(m.Block(len(self.blocks), "", (), instructions, end))
        return len(self.blocks) - 1


def _registers(values: Iterable[m.Value]) -> tuple[m.Register, ...]:
    return tuple(value for value in values if isinstance(value, m.Register))
