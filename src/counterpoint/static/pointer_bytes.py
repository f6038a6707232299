"""Where a program takes stored pointers apart, or puts them together from parts: what comes of that is an address that
may be any object's, depending on where objects lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterpoint.core.source import SourceLocation
from counterpoint.program import model as m
from counterpoint.program.types import PointerType, size_in_bytes
from counterpoint.static.alignment import alignments, divisor
from counterpoint.static.points_to import EXTERNAL, PointsTo, members, points_to


def split_pointers(program: m.Program) -> SourceLocation | None:
    """A place where bytes of a pointer are read, written or copied without the others; None if there is none.

    Ranges that end within a pointer come before accesses at other types, which may as well be to a member beside a
    pointer: objects are not told apart by members. A place in a model of the library is a call's of it. Linear, but
    for the points-to analysis.
    """
    targets, width, handed = points_to(program), program.layout.pointer_bits // 8, _handed(program)
    for splits in (_range, _access):
        for function in program.functions.values():
            view = _View(function, targets, width, handed.get(function.name, ()))
            for i in (i for block in function.blocks for i in block.instructions):
                if splits(i, view):
                    return _users(program, function.name, i.at)
    return None


class _View:
    """What is known of the operands of one function's instructions."""

    def __init__(self, function: m.Function, targets: PointsTo, width: int, handed: Sequence[int]) -> None:
        self.function, self.targets, self.width = function.name, targets, width
        self.known = alignments(function)
        for parameter, power in zip(function.parameters, handed, strict=False):
            self.known[parameter.index] = power
        self.skewed: set[int] = set()
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Offset) and (self.off(i.base) or not self.whole(i.offset)):
                    self.skewed.add(i.result.index)

    def whole(self, size: m.Value) -> bool:
        """Whether it surely is a multiple of a pointer's size."""
        return divisor(self.known, size) % self.width == 0

    def off(self, address: m.Value) -> bool:
        """Whether it lies at an offset that may be no such multiple, from where pointers lie at multiples."""
        match address:
            case m.Register(index):
                return index in self.skewed
            case m.Address():
                return not self.whole(address)
        return False

    def pointer(self, value: m.Value) -> bool:
        """Whether an object's address, or a part of it, may have gone into the value."""
        return bool(self.targets.targets(self.function, value) & ~(1 << EXTERNAL))

    def pointers_at(self, address: m.Value) -> bool:
        """Whether what the address points into may hold addresses of objects."""
        contents, held = self.targets.contents, 0
        for number in members(self.targets.targets(self.function, address) & ~(1 << EXTERNAL)):
            held |= contents[number]
        return bool(held & ~(1 << EXTERNAL))


def _range(i: m.Instruction, view: _View) -> bool:
    match i:
        case m.Copy(target, source, size):
            ends: tuple[m.Value, ...] = (target, source)
        case m.Fill(target, _, size) | m.Havoc(target, size):
            ends = (target,)
        case m.Load(result, address):
            return isinstance(result.type, PointerType) and view.off(address) and view.pointer(result)
        case m.Store(address, value):
            return isinstance(value.type, PointerType) and view.off(address) and view.pointers_at(address)
        case _:
            return False
    return (not view.whole(size) or any(map(view.off, ends))) and any(map(view.pointers_at, ends))


def _access(i: m.Instruction, view: _View) -> bool:
    match i:
        case m.Load(result):
            return not isinstance(result.type, PointerType) and view.pointer(result)
        case m.Store(address, value):
            return bool(size_in_bytes(value.type) % view.width) and view.pointers_at(address)
    return False


def _handed(program: m.Program) -> dict[str, list[int]]:
    """By function: powers of two that divide its arguments in all calls, looking no further than the callers."""
    found: dict[str, list[int]] = {}
    for function in program.functions.values():
        known = alignments(function)
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Call):
                    here = [divisor(known, argument) for argument in i.arguments]
                    found[i.callee] = list(map(min, here, found.get(i.callee, here)))
    return found


def _users(program: m.Program, function: str, at: SourceLocation) -> SourceLocation:
    """`at` in the function or, if that is no code of the user's, a call in such code that leads there."""
    seen, waiting = {function}, [function]
    while at.file.startswith("<") and waiting:
        callee = waiting.pop(0)
        for caller, call in _calls(program, callee):
            if not call.at.file.startswith("<"):
                return call.at
            if caller not in seen:
                seen.add(caller)
                waiting.append(caller)
    return at


def _calls(program: m.Program, callee: str) -> Iterator[tuple[str, m.Call]]:
    for function in program.functions.values():
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Call) and i.callee == callee:
                    yield function.name, i
