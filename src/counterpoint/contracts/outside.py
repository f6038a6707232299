"""How a function writes: whether to memory that its caller has and that is none of the program's, and where in one
piece.

An access lies in the object that its pointer belongs to, so that offsets do not matter, or it writes nowhere. Pointers
are followed as in static/points_to.py, but that accesses are taken to be valid, as contracts are about such calls (a
line says so where it is not proved): what an invalid one reads is no pointer here. What undefined functions give
during the call leads to no memory that the caller has, as is assumed of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from counterpoint.core.closure import reached
from counterpoint.program import model as m
from counterpoint.program.graph import callees
from counterpoint.program.types import PointerType
from counterpoint.semantics.layout import NULL_PAGE
from counterpoint.static.points_to import PointsTo

CALLERS, GIVEN, UNSET, HIDDEN = 1, 2, 4, 8
"""Bits of a set: memory outside of the program that its caller has; what undefined functions gave during the call;
where pointers lead that nobody has set; where those lead that the caller hides in numbers or bytes."""

_SPECIAL: Final = (0, 1, 2, 3)
_GIVING: Final = frozenset({"undefined", "call"})
_UNSET: Final = "uninitialised"


def writes_outside(points: PointsTo, name: str) -> int:
    """Which memory outside of the program a call may write, by the bits above: the function and all that it may call,
    if accesses are valid."""
    functions = points.program.functions
    within = reached(name, lambda caller: [f for f in callees(functions[caller]) if f in functions])
    flow, met = _Flow(points.program, frozenset(within)), 0
    flow.solve()
    for one in within:
        for address in _written(functions[one]):
            targets = flow.targets(one, address)
            # What was never anything but numbers is an address that they say; beside pointers that is only assumed not.
            met |= targets if targets & ~(HIDDEN | UNSET) else CALLERS if targets & HIDDEN else targets
    return met & (CALLERS | GIVEN | UNSET | HIDDEN)


def written_whole(points: PointsTo, name: str) -> int:
    """The objects that copies and fills may write, bytes between members included: of the function and below it."""
    functions, found = points.program.functions, 0
    for one in reached(name, lambda caller: [f for f in callees(functions[caller]) if f in functions]):
        for instruction in (i for block in functions[one].blocks for i in block.instructions):
            match instruction:
                case m.Copy(target=address) | m.Fill(target=address) | m.Havoc(target=address):
                    found |= points.targets(one, address)
    return found


def _written(function: m.Function) -> Iterator[m.Value]:
    for instruction in (i for block in function.blocks for i in block.instructions):
        match instruction:
            case m.Store(address=address) | m.Free(address=address):
                yield address
            case m.Copy(target=address) | m.Fill(target=address) | m.Havoc(target=address):
                yield address


_Node: TypeAlias = tuple[str, int]
"""A register of a function, or ("", number): an object's contents."""


@dataclass(slots=True)
class _Flow:
    """Where pointers may lead, if accesses are valid: `sets` are bits of objects. `within`: the functions of the call;
    what others have is the caller's."""

    program: m.Program
    within: frozenset[str]
    sets: dict[_Node, int] = field(default_factory=dict)
    copies: list[tuple[_Node, _Node]] = field(default_factory=list)
    loads: list[tuple[_Node, _Node]] = field(default_factory=list)
    stores: list[tuple[_Node, _Node]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    objects: int = len(_SPECIAL)

    def targets(self, function: str, value: m.Value) -> int:
        return self.sets.get(self.node(function, value), 0)

    def solve(self) -> None:
        """The least solution. Quadratic in the worst case; a few passes as a rule."""
        for number in _SPECIAL:
            self.sets["", number] = 1 << number  # what is found there leads to its like
        for item in self.program.globals.values():
            self.numbers[item.name] = self.objects
            self.objects += 1
        for item in self.program.globals.values():
            for _, value in item.pieces:
                self.copies.append((self.node("", value), ("", self.numbers[item.name])))
        for function in self.program.functions.values():
            for block in function.blocks:
                dead = _overwritten(block.instructions)
                for position, instruction in enumerate(block.instructions):
                    if position not in dead:
                        self.collect(function.name, instruction)
                for edge in block.edges:
                    for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                        self.copies.append((self.node(function.name, value), (function.name, parameter.index)))
        while self.passes():
            pass

    def passes(self) -> bool:
        """Applies every constraint once; whether something changed."""
        changed = False
        for source, target in self.copies:
            changed = self.add(target, self.sets.get(source, 0)) or changed
        for address, result in self.loads:
            for number in _numbers(self.sets.get(address, 0)):
                changed = self.add(result, self.sets.get(("", number), 0)) or changed
        for address, value in self.stores:
            if bits := self.sets.get(value, 0):
                for number in _numbers(self.sets.get(address, 0)):
                    changed = self.add(("", number), bits) or changed
        return changed

    def add(self, node: _Node, bits: int) -> bool:
        known = self.sets.get(node, 0)
        self.sets[node] = known | bits
        return bool(bits & ~known)

    def node(self, function: str, value: m.Value) -> _Node:
        """The node of an operand; an address that is a number may be the caller's."""
        match value:
            case m.Register(index):
                return function, index
            case m.Address(symbol):
                node = ("&", self.numbers[symbol])
                self.sets[node] = 1 << self.numbers[symbol]
                return node
            case m.Constant(bits=bits, type=PointerType()) if bits >= NULL_PAGE:
                self.sets["&", -1] = CALLERS
                return "&", -1
        return "&", -2

    def collect(self, f: str, i: m.Instruction) -> None:
        match i:
            case m.Compute(result, operation, operands):
                pointer = isinstance(result.type, PointerType) and operation != "pointer_from_int"
                for operand in (o for o in operands if not pointer or isinstance(o.type, PointerType)):
                    self.copies.append((self.node(f, operand), (f, result.index)))
                if operation == "pointer_from_int":
                    self.add((f, result.index), CALLERS)
            case m.Offset(result, base):
                self.copies.append((self.node(f, base), (f, result.index)))
            case m.Load(result, address):
                self.loads.append((self.node(f, address), (f, result.index)))
            case m.Store(address, value) | m.Fill(address, value):
                self.stores.append((self.node(f, address), self.node(f, value)))
            case m.Copy(target, source):
                between = (f"copied in {f}", len(self.loads))
                self.loads.append((self.node(f, source), between))
                self.stores.append((self.node(f, target), between))
            case m.Havoc(target):
                self.sets["&", -1] = CALLERS
                self.stores.append((self.node(f, target), ("&", -1)))
            case m.Allocate(result):
                self.sets["", self.objects] = 0 if i.zeroed else UNSET if f in self.within else self.first_contents(i)
                self.add((f, result.index), 1 << self.objects)
                self.objects += 1
            case m.Nondet(result, site) if isinstance(result.type, PointerType):
                self.add((f, result.index), self.arbitrary(f, site))
            case m.Nondet(result) if f not in self.within:
                self.add((f, result.index), HIDDEN)
            case m.Call():
                self.call(f, i)

    @staticmethod
    def first_contents(made: m.Allocate) -> int:
        """Of what the caller makes: bytes of a block may be pointers, locals get their values by stores."""
        return CALLERS if made.heap else 0

    def arbitrary(self, function: str, site: int) -> int:
        """Where such a pointer leads."""
        kind = self.program.sites[site].kind
        if function not in self.within:
            return CALLERS
        return GIVEN if kind in _GIVING else UNSET if kind == _UNSET else CALLERS

    def call(self, f: str, i: m.Call) -> None:
        callee = self.program.functions[i.callee]
        for parameter, value in zip(callee.parameters, i.arguments, strict=True):
            self.copies.append((self.node(f, value), (callee.name, parameter.index)))
        for block in callee.blocks:
            if isinstance(block.terminator, m.Return):
                for register, value in zip(i.results, block.terminator.values, strict=True):
                    self.copies.append((self.node(callee.name, value), (f, register.index)))


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _overwritten(instructions: Sequence[m.Instruction]) -> set[int]:
    """Positions of stores to locals that another one of the same size follows, before anything reads memory."""
    places = _places(instructions)
    last: dict[tuple[int, int, object], int] = {}
    dead: set[int] = set()
    for position, i in enumerate(instructions):
        match i:
            case m.Store(address=m.Register(index), value=value) if index in places:
                key = (*places[index], value.type)
                if key in last:
                    dead.add(last[key])
                last[key] = position
            case m.Nondet() | m.Offset() | m.Compute() | m.Allocate() | m.BeginLife() | m.Store():
                pass
            case _:
                last.clear()
    return dead


def _places(instructions: Iterable[m.Instruction]) -> dict[int, tuple[int, int]]:
    """Registers that are some bytes behind where one of these instructions allocates: (the register of that, bytes)."""
    found: dict[int, tuple[int, int]] = {}
    for i in instructions:
        match i:
            case m.Allocate(result):
                found[result.index] = (result.index, 0)
            case m.Offset(result, m.Register(base), m.Constant(bits=bits)) if base in found:
                found[result.index] = (found[base][0], found[base][1] + bits)
    return found
