"""What a loop or a function may change and read: registers of the function, and abstract objects."""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import Loop, call_components, loops
from counterpoint.program.order import operands, results, terminator_operands
from counterpoint.static.points_to import PointsTo


@dataclass(frozen=True, slots=True)
class Effects:
    """Register indices defined and used there (of the function itself), and bit sets of object numbers.

    `modified` holds objects written, made, ended or freed; `read` those loaded from or copied; `lives` those made,
    ended or freed, `made` those made. Calls count with everything below them. `pointed`: what registers of the
    function itself may point to.
    """

    defined: frozenset[int]
    used: frozenset[int]
    modified: int
    read: int
    lives: int
    made: int
    pointed: int = 0


@dataclass(frozen=True, slots=True)
class ModRef:
    """By function name, and by (function name, loop head)."""

    functions: dict[str, Effects]
    loops: dict[tuple[str, int], Effects]


Bits: TypeAlias = tuple[int, int, int, int]
"""Objects modified, read, made or ended, and made."""

NOTHING: Bits = (0, 0, 0, 0)


def effects_of(points: PointsTo, function: str) -> Effects:
    """What calls of the function may change and read. Remembered with `points`."""
    return points.remember("mod_ref", "", lambda: mod_ref(points)).functions[function]


def effects_of_loop(points: PointsTo, function: str, head: int) -> Effects:
    """The same of the loop with that head: between two visits of it, all its blocks and what they call."""
    return points.remember("mod_ref", "", lambda: mod_ref(points)).loops[function, head]


def mod_ref(points: PointsTo) -> ModRef:
    """Effects of all functions, callees first, and of all loops."""
    program = points.program
    memory: dict[str, Bits] = {}
    for component in call_components(program):
        for _ in range(2):  # members of a component share everything after the second round
            together = NOTHING
            for name in component:
                together = _joined(together, _memory(points, program.functions[name], memory, None))
            for name in component:
                memory[name] = together
    functions: dict[str, Effects] = {}
    around: dict[tuple[str, int], Effects] = {}
    for name, function in program.functions.items():
        functions[name] = _effects(points, function, memory, None)
        for loop in loops(function):
            around[name, loop.head] = _effects(points, function, memory, loop)
    return ModRef(functions, around)


def _effects(points: PointsTo, function: m.Function, memory: dict[str, Bits], loop: Loop | None) -> Effects:
    defined: set[int] = set()
    used: set[int] = set()
    for block in _blocks(function, loop):
        defined.update(register.index for register in block.parameters)
        values = list(terminator_operands(block.terminator))
        for instruction in block.instructions:
            defined.update(register.index for register in results(instruction))
            values.extend(operands(instruction))
        used.update(value.index for value in values if isinstance(value, m.Register))
    pointed = 0
    for index in used:
        pointed |= points.registers.get((function.name, index), 0)
    return Effects(frozenset(defined), frozenset(used), *_memory(points, function, memory, loop), pointed)


def _blocks(function: m.Function, loop: Loop | None) -> list[m.Block]:
    return list(function.blocks) if loop is None else [function.blocks[index] for index in loop.blocks]


def _joined(one: Bits, two: Bits) -> Bits:
    a, b, c, d = (x | y for x, y in zip(one, two, strict=True))
    return a, b, c, d


def _memory(points: PointsTo, function: m.Function, memory: dict[str, Bits], loop: Loop | None) -> Bits:
    """Callees count with what `memory` has of them."""
    modified = read = lives = made = 0
    for block in _blocks(function, loop):
        for instruction in block.instructions:
            match instruction:
                case m.Store(target) | m.Fill(target) | m.Havoc(target):
                    modified |= points.targets(function.name, target)
                case m.BeginLife(target) | m.EndLife(target) | m.Free(target):
                    lives |= points.targets(function.name, target)
                case m.Copy(target, source):
                    modified |= points.targets(function.name, target)
                    read |= points.targets(function.name, source)
                case m.Load(_, address) | m.ObjectSize(_, address) | m.ValidFree(_, address):
                    read |= points.targets(function.name, address)
                case m.ValidAccess(_, address):
                    read |= points.targets(function.name, address)
                case m.NoLeak():
                    read |= (1 << len(points.objects)) - 1
                case m.Allocate():
                    made |= 1 << points.of_allocation(instruction).number
                case m.Call(callee=callee):
                    below = memory.get(callee, NOTHING)
                    modified, read, lives, made = _joined((modified, read, lives, made), below)
    return modified | lives | made, read, lives | made, made
