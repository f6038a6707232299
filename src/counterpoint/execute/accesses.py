"""What runs say of points-to and mod/ref: which accesses touch what these exclude.

Watched are accesses through registers: the object that contains the bytes has to be among those of the address; what
is written or ended among those that are said to be written or ended at all, and to be modified by each function that
is at work; all that one access touches in one class; and where a pointer is loaded, the object that it lies in among
what the other one may hold.

A number that just happens to be an object's address (from an input, or another's address with an input added) proves
nothing: points-to is about values that were computed from addresses. So what is excluded has to be touched again where
all objects lie elsewhere and at other distances (`moved` and `apart`), in a run with the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.execute.memory import Memory, MemoryBlock
from counterpoint.execute.points import Watch
from counterpoint.program import model as m
from counterpoint.program.types import IntType, PointerType, size_in_bytes
from counterpoint.static.mod_ref import mod_ref
from counterpoint.static.points_to import PointsTo

At = tuple[str, int, int]
"""(function, block, position) of an instruction."""

SIZE = IntType(64)

AWAY = 3 << 12
"""Bytes that are put before an object that is moved, more than small offsets and no power of two; and STEP more before
each one than before the last."""

STEP = 64

WRITES, ENDS, READS = 0, 1, -1
"""What an access does to the object: positions in what functions are permitted, or that it changes nothing."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A touch that an analysis excludes: the instruction, the object's number, and which analysis."""

    at: At
    number: int
    by: str


@dataclass(slots=True)
class Touches:
    """One run's memory, as the watches see it. `numbers`: the objects that start at addresses; `permitted`: for
    each function at work, innermost last, what it and those around it may modify, and end; `excluded` in the order in
    which they were first seen. `apart`: what is allocated is moved."""

    memory: Memory
    numbers: dict[int, int]
    permitted: list[tuple[int, int]]
    apart: bool
    excluded: dict[Excluded, None] = field(default_factory=dict)

    def born(self, number: int, address: int) -> None:
        self.numbers[address] = number
        if self.apart:
            self.memory.next_free += AWAY + STEP * len(self.numbers)

    def touch(self, at: At, block: MemoryBlock | None, allowed: int, kind: int) -> None:
        """An access to the block, which may be one of the `allowed`."""
        number = None if block is None else self.numbers.get(block.base)
        if number is None:
            return
        if not allowed >> number & 1:
            self.excluded[Excluded(at, number, "points-to")] = None
        elif kind != READS and not self.permitted[-1][kind] >> number & 1:
            self.excluded[Excluded(at, number, "mod/ref")] = None


Observer = Callable[..., None]


class WatchedAccesses:
    """The watches of a program's accesses and calls, for what `points` and mod/ref say of it."""

    def __init__(self, points: PointsTo) -> None:
        self.points = points
        self.watches: dict[At, list[Watch]] = {}
        self._observers: dict[str, Callable[[Touches], Observer]] = {}
        self._everything = (1 << len(points.objects)) - 1
        effects = points.remember("mod_ref", "", lambda: mod_ref(points)).functions
        self._class_of = {number: group[0] for group in points.classes for number in group}
        self._modified = {name: (effect.modified, effect.lives) for name, effect in effects.items()}
        for function in points.program.functions.values():
            for block in function.blocks:
                for position, instruction in enumerate(block.instructions):
                    self._instruction((function.name, block.index, position), instruction)

    def start(
        self, memory: Memory, addresses: Mapping[str, int], apart: bool
    ) -> tuple[Touches, Mapping[str, Observer]]:
        """What a run in this memory touches, and the calls of its watches by name; globals are at these addresses."""
        numbers = {addresses[name]: number for name, number in self.points.globals.items()}
        touches = Touches(memory, numbers, [(self._everything, self._everything)], apart)
        return touches, {name: observe(touches) for name, observe in self._observers.items()}

    # ---------------------------------------------------------------- which instructions

    def _instruction(self, at: At, i: m.Instruction) -> None:
        points = self.points
        written, ended = points.written, points.ended
        match i:
            case m.Load(result, address):
                self._access(at, address, m.Constant(size_in_bytes(result.type), SIZE), self._everything, READS)
                if isinstance(result.type, PointerType):
                    self._add(at, (address, result), lambda touches: _held(touches, at, points), after=True)
            case m.Store(address, value):
                self._access(at, address, m.Constant(size_in_bytes(value.type), SIZE), written, WRITES)
            case m.Fill(target, _, size) | m.Havoc(target, size, _):
                self._access(at, target, size, written, WRITES)
            case m.Copy():
                self._access(at, i.target, i.size, written, WRITES)
                self._access(at, i.source, i.size, self._everything, READS)
            case m.EndLife(address) | m.Free(address):
                self._access(at, address, m.Constant(0, SIZE), ended, ENDS)
            case m.Call(callee=callee):
                effects = self._modified[callee]
                self._add(at, (), lambda touches: lambda: _entered(touches, effects))
                self._add(at, (), lambda touches: lambda: _left(touches), after=True)

    def _access(self, at: At, address: m.Value, size: m.Value, among: int, kind: int) -> None:
        allowed = self.points.targets(at[0], address) & among
        self._add(at, (address, size), lambda touches: _watch(touches, at, allowed, kind, self._class_of))

    def _add(
        self, at: At, values: tuple[m.Value, ...], observe: Callable[[Touches], Observer], after: bool = False
    ) -> None:
        name = f"w{len(self._observers)}"  # no other name in generated code begins so
        self._observers[name] = observe
        self.watches.setdefault(at, []).append(Watch(name, values, after))


def _watch(touches: Touches, at: At, allowed: int, kind: int, class_of: Mapping[int, int]) -> Observer:
    memory, numbers = touches.memory, touches.numbers
    together: set[int] = set()
    low, high, then = 1, 0, (0, 0)  # where accesses are known to be allowed, while `then` is permitted

    def access(address: int, size: int) -> None:
        nonlocal low, high, then
        if low <= address and address + size <= high and then == touches.permitted[-1]:
            return
        block = memory.containing(address, size) if size else memory.block_at(address)
        before = len(touches.excluded)
        touches.touch(at, block, allowed, kind)
        if block is not None and (number := numbers.get(block.base)) is not None:
            together.add(class_of[number])
            if len(together) > 1:
                touches.excluded[Excluded(at, number, "points-to")] = None
        if block is not None and block.live and len(touches.excluded) == before:
            low, high, then = block.base, block.base + block.size, touches.permitted[-1]

    return access


def _held(touches: Touches, at: At, points: PointsTo) -> Observer:
    memory = touches.memory
    size = points.program.layout.pointer_bits // 8

    def loaded(address: int, pointer: int) -> None:
        holder, held = memory.containing(address, size), memory.block_of(pointer)
        number = None if holder is None else touches.numbers.get(holder.base)
        if number is not None:
            touches.touch(at, held, points.contents[number], READS)

    return loaded


def _entered(touches: Touches, effects: tuple[int, int]) -> None:
    modified, lives = touches.permitted[-1]
    touches.permitted.append((modified & effects[0], lives & effects[1]))


def _left(touches: Touches) -> None:
    touches.permitted.pop()


# ---------------------------------------------------------------- other places


def moved(program: m.Program) -> m.Program:
    """The program with its globals elsewhere: before each lies one more, which nobody uses. The instructions are the
    same."""
    prefix = "away"
    while any(name.startswith(prefix) for name in program.globals):
        prefix += "_"
    globals_: dict[str, m.Global] = {}
    for number, (name, item) in enumerate(program.globals.items()):
        before = m.Global(f"{prefix}{number}", AWAY + STEP * number, 1)
        globals_ |= {before.name: before, name: item}
    return replace(program, globals=globals_)
