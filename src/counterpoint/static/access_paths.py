"""Through which pointers a function reaches memory: constant offsets and loads from its registers and globals.

`p->next->value` is the path with the root `p` and the offsets of `next` and `value`. Paths go through calls: what a
callee does with its parameter is done with the argument. They ignore the order of instructions and offsets that vary,
and so say what a place's memory may be worth looking at, never what is or is not touched.

Source: access paths (Larus and Hilfinger: Detecting conflicts between structure accesses, PLDI 1988); bounded here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import call_components
from counterpoint.program.types import PointerType, size_in_bytes
from counterpoint.static.accesses import accesses, fixed_addresses
from counterpoint.static.points_to import PointsTo, members

MOST_LOADS = 1
"""Pointers that are loaded on a path, but for one from a fixed address."""

MOST_PATHS = 24
"""Paths of one function that are kept, the first ones."""

MOST_BYTES = 64
"""Bytes of one copy that are looked at."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The pointer at a fixed offset of a single object (numbers of points_to)."""

    thing: int
    offset: int


@dataclass(frozen=True, slots=True)
class Result:
    """The function's result of that index."""

    index: int


Root: TypeAlias = "m.Register | Spot | Result"


@dataclass(frozen=True, slots=True)
class Step:
    """An access at a constant offset from a pointer; `targets` are the objects that the address may point into."""

    offset: int
    targets: int


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from the root: at all but the last a pointer is loaded. The last accesses `size` bytes, as a `pointer` or
    not, and may be a write."""

    root: Root
    steps: tuple[Step, ...]
    size: int
    pointer: bool
    written: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Address:
    """How a value is got at: the steps behind it, each with a load, and an offset."""

    root: Root
    loads: tuple[Step, ...]
    offset: int


def access_paths(points: PointsTo, function: str) -> tuple[Path, ...]:
    """The paths of a function, those of its callees included. Linear in the program; remembered with `points`."""
    return points.remember("access_paths", "", lambda: _of_program(points)).get(function, ())


def _of_program(points: PointsTo) -> dict[str, tuple[Path, ...]]:
    """Callees first, and twice where functions call each other; then what callers do with results."""
    program = points.program
    bodies = {name: _Body(points, function) for name, function in program.functions.items()}
    found: dict[str, dict[Path, Path]] = {name: {} for name in bodies}
    for component in call_components(program):
        for name in (*component, *component):
            _add(found[name], bodies[name].paths(found))
    for body in bodies.values():
        for call in body.calls:
            for index, register in enumerate(call.results):
                known = found[body.function.name].values()
                _add(found[call.callee], [replace(p, root=Result(index)) for p in known if p.root == register])
    for name, body in bodies.items():
        for index, value in body.returned():
            _add(found[name], [replace(p, root=Result(index)) for p in found[name].values() if p.root == value])
    return {name: tuple(paths.values())[:MOST_PATHS] for name, paths in found.items()}


def _add(known: dict[Path, Path], paths: Iterable[Path]) -> None:
    """Each path once, as a write if it is one anywhere."""
    for path in paths:
        if path not in known or path.written:
            known[path] = path


class _Body:
    """One function's accesses."""

    def __init__(self, points: PointsTo, function: m.Function) -> None:
        self.points, self.function = points, function
        self.fixed = fixed_addresses(points, function)
        self.calls: list[m.Call] = []
        self.defined: dict[int, m.Instruction] = {}
        self.accesses: list[m.Instruction] = []
        for instruction in (i for block in function.blocks for i in block.instructions):
            match instruction:
                case m.Offset(result) | m.Load(result) | m.Compute(result, "select"):
                    self.defined[result.index] = instruction
                case m.Call():
                    self.calls.append(instruction)
            if isinstance(instruction, m.Load | m.Store | m.Copy | m.Fill):
                self.accesses.append(instruction)

    def paths(self, known: Mapping[str, Mapping[Path, Path]]) -> Iterator[Path]:
        for access in self.accesses:
            yield from self._of_access(access)
        for call in self.calls:
            parameters = self.points.program.functions[call.callee].parameters
            for path in list(known[call.callee].values()):
                for parameter, argument in zip(parameters, call.arguments, strict=True):
                    if path.root == parameter:
                        yield from self._through(argument, path)

    def returned(self) -> Iterator[tuple[int, m.Value]]:
        for block in self.function.blocks:
            if isinstance(block.terminator, m.Return):
                yield from enumerate(block.terminator.values)

    def _of_access(self, access: m.Instruction) -> Iterator[Path]:
        match access:
            case m.Load(result, address):
                size, pointer = size_in_bytes(result.type), isinstance(result.type, PointerType)
                yield from self._at(address, 0, size, pointer, False)
            case m.Store(address, value):
                size, pointer = size_in_bytes(value.type), isinstance(value.type, PointerType)
                yield from self._at(address, 0, size, pointer, True)
            case m.Copy(target, source, m.Constant(count)) if count <= MOST_BYTES:
                for address in (target, source):
                    for offset, size in self._parts(address, count):
                        yield from self._at(address, offset, size, False, address is target)
            case m.Fill(target, _, m.Constant(count)) if count <= MOST_BYTES:
                for offset, size in self._parts(target, count):
                    yield from self._at(target, offset, size, False, True)

    def _parts(self, address: m.Value, count: int) -> list[tuple[int, int]]:
        """Pieces of bytes that are copied together: as the program accesses them one by one elsewhere."""
        shapes = accesses(self.points)
        targets = members(self.points.targets(self.function.name, address))
        found = dict.fromkeys(shape for number in targets for shape in shapes.get(number, ()))
        known = sorted((offset, size) for offset, size in found if 0 <= offset <= count - size)
        return known or [(offset, 4) for offset in range(0, count - 3, 4)]

    def _at(self, address: m.Value, further: int, size: int, pointer: bool, written: bool) -> Iterator[Path]:
        targets = self.points.targets(self.function.name, address)
        for one in self._addresses(address):
            yield Path(one.root, (*one.loads, Step(one.offset + further, targets)), size, pointer, written)

    def _through(self, argument: m.Value, path: Path) -> Iterator[Path]:
        spot = self._fixed(argument)
        if spot is not None and len(path.steps) > 1:  # the callee loads a pointer from an object of this function
            yield replace(path, root=Spot(spot[0], spot[1] + path.steps[0].offset), steps=path.steps[1:])
        for one in self._addresses(argument):
            first = replace(path.steps[0], offset=path.steps[0].offset + one.offset)
            steps = (*one.loads, first, *path.steps[1:])
            if len(steps) <= MOST_LOADS + 1:
                yield replace(path, root=one.root, steps=steps)

    def _fixed(self, value: m.Value) -> tuple[int, int] | None:
        match value:
            case m.Register(index):
                return self.fixed.get(index)
            case m.Address(symbol, offset) if offset >= 0:
                return self.points.globals[symbol], offset
        return None

    def _addresses(self, value: m.Value) -> Iterator[_Address]:
        """The register itself, and what it was loaded or computed from."""
        if not isinstance(value, m.Register):
            return
        yield _Address(value, (), 0)
        match self.defined.get(value.index):
            case m.Offset(_, base, m.Constant(offset, type_)):
                signed = offset - (1 << type_.bits) if offset >> (type_.bits - 1) & 1 else offset
                for one in self._addresses(base):
                    yield replace(one, offset=one.offset + signed)
            case m.Compute(_, _, (_, *either)):
                for chosen in either:
                    yield from self._addresses(chosen)
            case m.Load(_, address) if (spot := self._fixed(address)) is not None:
                yield _Address(Spot(*spot), (), 0)
            case m.Load(_, address):
                targets = self.points.targets(self.function.name, address)
                for one in self._addresses(address):
                    if len(one.loads) < MOST_LOADS:
                        yield _Address(one.root, (*one.loads, Step(one.offset, targets)), 0)
