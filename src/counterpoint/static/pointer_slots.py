"""Where in objects pointers are kept: offsets, from the object's start, at which the text loads and stores pointers.

A pointer's distance from the start of its object is followed through registers, calls and memory: an embedded list
head is reached by pointers to its middle. Nothing rests on what is missing here or too much: a slot is where a question
looks for pointers (semantics/reached.py), and it may look anywhere.

Source: an inclusion-based flow of offsets, after field-sensitive points-to analysis (Pearce, Kelly and Hankin, TOPLAS
2007), with one set of distances for all stored pointers into an object, and at most MOST of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.static.points_to import PointsTo, members

MOST = 6
"""Distances of one pointer from the start of its object; more are any distance."""

ROUNDS = 40

Distances: TypeAlias = frozenset[int] | None
"""Bytes from the start of an object; None: any."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Pointers are kept at the `offsets` of an object and, with `anywhere`, at offsets that vary."""

    offsets: tuple[int, ...] = ()
    anywhere: bool = False


def pointer_slots(points: PointsTo) -> Mapping[int, Slots]:
    """By object: where pointers to heap blocks may be kept in it. Remembered with `points`."""
    return points.remember("pointer_slots", "", lambda: _slots(points))


def followed_slots(points: PointsTo) -> Mapping[int, Slots]:
    """Those that reachability follows: of heap blocks at offsets from which the text loads pointers out of some heap
    block, if each kind of block has one of these. What leads back in a list and is never looked at, leads to nothing
    that is not reached otherwise. All blocks of a class have the same, at each place of the program."""
    return points.remember("followed_slots", "", lambda: _followed(points))


def pointed_at(points: PointsTo) -> Mapping[int, Distances]:
    """By object: at which distances from its start stored pointers point into it."""
    return _flow_of(points).stored


def distances_of(points: PointsTo, function: str, address: m.Value) -> Mapping[int, Distances]:
    """By object: at which distances from its start the operand of the function may point into it."""
    return _flow_of(points)._of(function, address)


def heap_objects(points: PointsTo) -> int:
    """The bit set of all heap blocks."""
    return points.remember("heap_objects", "", lambda: sum(1 << o.number for o in points.objects if o.heap))


def _flow_of(points: PointsTo) -> _Flow:
    return points.remember("pointer flow", "", lambda: _solved(_Flow(points)))


def _solved(flow: _Flow) -> _Flow:
    for _ in range(ROUNDS):
        if not flow.round():
            break
    return flow


def _slots(points: PointsTo) -> dict[int, Slots]:
    flow = _flow_of(points)
    heap, bits = heap_objects(points), points.program.layout.pointer_bits
    found: dict[int, Slots] = {}
    for number, at in flow.kept.items():
        if points.contents[number] & heap:
            offsets = tuple(sorted(o for o in at if o is not None and o < 1 << (bits - 1)))
            found[number] = Slots(offsets, None in at)
    return found


def _followed(points: PointsTo) -> dict[int, Slots]:
    found = dict(pointer_slots(points))
    kinds = [tuple(n for n in group if points.objects[n].heap) for group in points.classes]
    for kind in kinds:
        known = [found[number] for number in kind if number in found]
        offsets = tuple(sorted({offset for slots in known for offset in slots.offsets}))
        if known:
            found.update(dict.fromkeys(kind, Slots(offsets, any(slots.anywhere for slots in known))))
    blocks = {kind: found[kind[0]] for kind in kinds if kind and kind[0] in found}
    read = set[int | None]().union(*(_flow_of(points).loaded.get(number, ()) for kind in kinds for number in kind))
    fewer = {kind: tuple(offset for offset in slots.offsets if offset in read) for kind, slots in blocks.items()}
    if None not in read and not any(slots.anywhere for slots in blocks.values()) and all(fewer.values()):
        for kind, offsets in fewer.items():
            found.update(dict.fromkeys(kind, Slots(offsets)))
    return found


@dataclass(slots=True)
class _Flow:
    """Distances by register and object, and of the pointers into an object that are in memory; where pointers are, and
    where they are loaded from."""

    points: PointsTo
    registers: dict[tuple[str, int], dict[int, Distances]] = field(default_factory=dict)
    stored: dict[int, Distances] = field(default_factory=dict)
    kept: dict[int, set[int | None]] = field(default_factory=dict)
    loaded: dict[int, set[int | None]] = field(default_factory=dict)
    changed: bool = False

    def round(self) -> bool:
        """One pass over the program; whether it found something new."""
        self.changed = False
        for item in self.points.program.globals.values():
            for offset, value in item.pieces:
                if isinstance(value, m.Address):
                    self._store(self.points.globals[item.name], offset, self._of("", value))
        for function in self.points.program.functions.values():
            for block in function.blocks:
                for instruction in block.instructions:
                    self._instruction(function.name, instruction)
                for edge in block.edges:
                    for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                        self._flows(function.name, parameter, self._of(function.name, value))
        return self.changed

    def _instruction(self, f: str, i: m.Instruction) -> None:
        match i:
            case m.Allocate(result):
                self._flows(f, result, {self.points.of_allocation(i).number: frozenset((0,))})
            case m.Offset(result, base, offset):
                by = offset.bits if isinstance(offset, m.Constant) else None
                self._flows(f, result, {o: self._moved(d, by) for o, d in self._of(f, base).items()})
            case m.Load(result, address):
                if isinstance(result.type, PointerType):
                    self._access(f, address)
                    for number, distances in self._of(f, address).items():
                        self.loaded.setdefault(number, set()).update((None,) if distances is None else distances)
                    targets = self.points.registers.get((f, result.index), 0)
                    self._flows(f, result, {o: self.stored[o] for o in members(targets) if o in self.stored})
            case m.Store(address, value):
                if isinstance(value.type, PointerType):
                    self._access(f, address)
                    for number, distances in self._of(f, value).items():
                        self._join(self.stored, number, distances)
            case m.Compute(result, _, operands) if isinstance(result.type, PointerType):
                for operand in operands:
                    self._flows(f, result, self._of(f, operand))
            case m.Call(results, callee, arguments):
                self._call(f, results, self.points.program.functions[callee], arguments)

    def _call(
        self, f: str, results: tuple[m.Register, ...], callee: m.Function, arguments: tuple[m.Value, ...]
    ) -> None:
        for parameter, value in zip(callee.parameters, arguments, strict=True):
            self._flows(callee.name, parameter, self._of(f, value))
        for block in callee.blocks:
            if isinstance(block.terminator, m.Return):
                for register, value in zip(results, block.terminator.values, strict=True):
                    self._flows(f, register, self._of(callee.name, value))

    # ------------------------------------------------------------ sets

    def _of(self, f: str, value: m.Value) -> Mapping[int, Distances]:
        match value:
            case m.Register(index):
                return self.registers.get((f, index), {})
            case m.Address(symbol, offset):
                return {self.points.globals[symbol]: frozenset((offset,))}
        return {}

    def _moved(self, distances: Distances, by: int | None) -> Distances:
        if distances is None or by is None:
            return None
        mask = (1 << self.points.program.layout.pointer_bits) - 1
        return frozenset((distance + by) & mask for distance in distances)

    def _flows(self, f: str, register: m.Register, distances: Mapping[int, Distances]) -> None:
        if distances and isinstance(register.type, PointerType):
            known = self.registers.setdefault((f, register.index), {})
            for number, more in distances.items():
                self._join(known, number, more)

    def _join(self, known: dict[int, Distances], number: int, more: Distances) -> None:
        old = known.get(number, frozenset())
        if old is None:
            return
        new = None if more is None else old | more
        if new is not None and len(new) > MOST:
            new = None
        if new != old or number not in known:
            known[number] = new
            self.changed = True

    def _access(self, f: str, address: m.Value) -> None:
        for number, distances in self._of(f, address).items():
            for offset in distances if distances is not None else (None,):
                self._store(number, offset, {})

    def _store(self, number: int, offset: int | None, value: Mapping[int, Distances]) -> None:
        kept = self.kept.setdefault(number, set())
        if offset not in kept:
            kept.add(offset)
            self.changed = True
        for target, distances in value.items():
            self._join(self.stored, target, distances)
