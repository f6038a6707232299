"""Comparisons of pointers of which one may lie behind the last byte of its object, where another object may begin.

How far from the start of its object a pointer may lie at most is followed through registers, calls and memory, with
one distance for all pointers that are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.order import operands, terminator_operands
from counterpoint.program.remembered import remembered
from counterpoint.program.types import PointerType
from counterpoint.static.points_to import EXTERNAL, AbstractObject, PointsTo, members
from counterpoint.static.punning import numbers_of_stored_pointers

FAR: Final = 1 << 62
"""Any distance."""

_ROUNDS = 12
"""From then on a distance that grows is any."""

_COMPARED = frozenset({"eq", "ne", "ult", "ule"})


def comparisons_at_ends(points: PointsTo) -> frozenset[int]:
    """The comparisons (by id) of pointers that may be a pointer one past an object, or further, and one to another.
    Remembered with `points`."""
    return points.remember("comparisons at ends", "", lambda: frozenset(_comparisons(points)))


def _comparisons(points: PointsTo) -> Iterator[int]:
    compared = [(name, i) for name, function in points.program.functions.items() for i in _compared(function)]
    objects = ~(1 << EXTERNAL)
    asked = [(name, i) for name, i in compared if all(points.targets(name, o) & objects for o in i.operands)]
    if not asked:
        return
    reach = _Reach(points).solved()
    for name, i in asked:
        if any(_at_end(points, reach, name, operand) for operand in i.operands):
            yield id(i)


def _compared(function: m.Function) -> Iterator[m.Compute]:
    for i in _computed(function):
        if i.operation in _COMPARED and isinstance(i.operands[0].type, PointerType):
            yield i


def _at_end(points: PointsTo, reach: _Reach, function: str, value: m.Value) -> bool:
    most = reach.of(function, value)
    return any(_ends_within(points.objects[number], most) for number in members(points.targets(function, value)))


def _ends_within(thing: AbstractObject, most: int) -> bool:
    """Blocks of the heap lie apart even if they are empty."""
    if thing.item is not None:
        return not thing.item.code and thing.item.size <= most
    if thing.allocation is None:
        return False
    size = thing.allocation.size
    least = max(size.bits if isinstance(size, m.Constant) else 0, int(thing.heap))
    return least <= most


@dataclass(slots=True)
class _Reach:
    """The bytes between the start of its object and a pointer, at most. Absent: it points into no object."""

    points: PointsTo
    registers: dict[tuple[str, int], int] = field(default_factory=dict)
    stored: int = 0
    rounds: int = 0
    changed: bool = False

    def solved(self) -> _Reach:
        """Rounds over the program until nothing grows: about _ROUNDS and the longest chain of registers at most."""
        program = self.points.program
        self._store(max((one.offset for item in program.globals.values() for one in _addresses(item)), default=0))
        if numbers_of_stored_pointers(program) or _has_numbers(program.functions):
            self.stored = FAR
        self.changed = True
        while self.changed:
            self.changed = False
            self.rounds += 1
            for name, function in program.functions.items():
                self._round(name, function)
        return self

    def of(self, function: str, value: m.Value) -> int:
        match value:
            case m.Register(index):
                return self.registers.get((function, index), -1)
            case m.Address():
                return value.offset if 0 <= value.offset < FAR else FAR
        return -1

    def _round(self, name: str, function: m.Function) -> None:
        for block in function.blocks:
            for i in block.instructions:
                self._instruction(name, i)
            for edge in block.edges:
                for register, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                    self._raise(name, register, self.of(name, value))

    def _instruction(self, name: str, i: m.Instruction) -> None:
        match i:
            case m.Offset():
                self._raise(name, i.result, self._moved(self.of(name, i.base), i.offset))
            case m.Store():
                if isinstance(i.value.type, PointerType):
                    self._store(self.of(name, i.value))
            case m.Call():
                self._called(name, i)
            case m.Compute():
                values = i.operands[1:] if i.operation == "select" else ()
                self._raise(name, i.result, max((self.of(name, v) for v in values), default=FAR))
            case m.Load():
                self._raise(name, i.result, self.stored)
            case m.Allocate():
                self._raise(name, i.result, 0)
            case m.Nondet():
                pass  # null, or into external memory
            case _:
                result = getattr(i, "result", None)
                if isinstance(result, m.Register):
                    self._raise(name, result, FAR)

    def _moved(self, base: int, offset: m.Value) -> int:
        """Below zero is not at the end of an object either: as near as the start."""
        if base < 0 or base >= FAR:
            return base
        if not isinstance(offset, m.Constant):
            return FAR
        by, width = offset.bits, self.points.program.layout.pointer_bits
        return max(0, base + by - (1 << width if by >> (width - 1) else 0))

    def _called(self, name: str, call: m.Call) -> None:
        callee = self.points.program.functions[call.callee]
        for parameter, value in zip(callee.parameters, call.arguments, strict=True):
            self._raise(callee.name, parameter, self.of(name, value))
        for block in callee.blocks:
            if isinstance(block.terminator, m.Return):
                for register, value in zip(call.results, block.terminator.values, strict=True):
                    self._raise(name, register, self.of(callee.name, value))

    def _raise(self, name: str, register: m.Register, most: int) -> None:
        if isinstance(register.type, PointerType) and most > self.registers.get((name, register.index), -1):
            self.registers[name, register.index] = self._grown(most)
            self.changed = True

    def _store(self, most: int) -> None:
        if most > self.stored:
            self.stored = self._grown(most)
            self.changed = True

    def _grown(self, most: int) -> int:
        return FAR if self.rounds > _ROUNDS else most


def _addresses(item: m.Global) -> Iterator[m.Address]:
    return (value for _, value in item.pieces if isinstance(value, m.Address))


# ---------------------------------------------------------------- who sees numbers


@dataclass(frozen=True, slots=True)
class NumberUses:
    """`made`: numbers become pointers. `compared`: the differences, by identity, of which nothing else is made than
    comparisons, also of their quotients and the like by constants."""

    made: bool
    compared: frozenset[int]


_COMPARISONS = _COMPARED | {"slt", "sle"}
_ELSE = -1


@remembered(4)
def number_uses(program: m.Program) -> NumberUses:
    """By two walks over the program."""
    code = [i for function in program.functions.values() for i in _computed(function)]
    made = any(i.operation == "pointer_from_int" for i in code)
    compared = (one for function in program.functions.values() for one in _only_compared(function))
    return NumberUses(made, frozenset(compared))


def _only_compared(function: m.Function) -> Iterator[int]:
    """By identity. Linear in the function."""
    differences = [i for i in _computed(function) if i.operation == "sub"]
    if not differences:
        return
    made = _made_of(function)
    for i in differences:
        waiting, reached = [i.result.index], set[int]()
        while waiting:
            register = waiting.pop()
            if register not in reached:
                reached.add(register)
                waiting += made.get(register, ())
        if _ELSE not in reached:
            yield id(i)


def _made_of(function: m.Function) -> Mapping[int, Sequence[int]]:
    """By register what is computed of it with constants, but for comparisons; and _ELSE, if anything else sees it."""
    made: dict[int, list[int]] = {}
    for block in function.blocks:
        for value in terminator_operands(block.terminator):
            if isinstance(value, m.Register):
                made.setdefault(value.index, []).append(_ELSE)
        for i in block.instructions:
            used = [one.index for one in operands(i) if isinstance(one, m.Register)]
            if isinstance(i, m.Compute) and i.operation in _COMPARISONS:
                continue
            plain = isinstance(i, m.Compute) and len(i.operands) == 2 and isinstance(i.operands[1], m.Constant)
            for one in used:
                made.setdefault(one, []).append(i.result.index if isinstance(i, m.Compute) and plain else _ELSE)
    return made


def _computed(function: m.Function) -> Iterator[m.Compute]:
    return (i for block in function.blocks for i in block.instructions if isinstance(i, m.Compute))


def _has_numbers(functions: Mapping[str, m.Function]) -> bool:
    """Some number may be a pointer's, or become one."""
    code = (i for function in functions.values() for i in _computed(function))
    return any(i.operation in ("int_from_pointer", "pointer_from_int") for i in code)
