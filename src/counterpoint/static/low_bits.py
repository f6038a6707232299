"""Where something is computed of an address that hangs on where its object lies, which C leaves open.

In encodings with a past every object begins at a multiple of OBJECT_ALIGNMENT, one behind another
(semantics/summary.py). What a place computes of an address made into a number is the same for every placement (sums,
comparisons within one object), or is so where the object is aligned well enough (masks of low bits), or is not. Seen
are the numbers that are made of pointers, as far as they stay in registers, arguments, results and memory
(static/stored_numbers.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.static.alignment import MOST
from counterpoint.static.points_to import PointsTo
from counterpoint.static.stored_numbers import StoredNumbers, has_stored_numbers

_LOW = MOST - 1
_PAGE = 1 << 12
_WORD = 32
"""Narrower parts of a number are taken for a look at its low bits."""

ORDERED = frozenset({"ult", "ule", "slt", "sle"})
_EQUAL = frozenset({"eq", "ne"})
_OVERFLOWS = frozenset({f"{of}_overflows" for of in ("sadd", "uadd", "ssub", "usub", "smul", "umul")})

Levels: TypeAlias = dict[int, int]
"""By register that holds a number made of an address: from which alignment of the object on it moves with the object,
as the address does. 1: always. MOST: its low bits hang on those of the address only, nothing more is known."""


@dataclass(frozen=True, slots=True)
class Looks:
    """Instructions by id. `low`: the alignment from which on the objects' own makes no difference; `placed`: whose
    result hangs on where the object lies all the same; `ordered`: which of two such numbers is less; `distances`: how
    far apart two are."""

    low: Mapping[int, int]
    placed: frozenset[int]
    ordered: frozenset[int]
    distances: frozenset[int]


class _Rule(NamedTuple):
    """What an instruction does with numbers: the level of its result (0: is none), and as in Looks."""

    level: int = 0
    needed: int = 1
    placed: bool = False


def looks(points: PointsTo) -> Looks:
    """Remembered."""
    return points.remember("low bits", "", lambda: _looks(points))


def numbers_of_addresses(points: PointsTo) -> Mapping[str, Levels]:
    """By function."""
    code = {name: _code(function) for name, function in points.program.functions.items()}
    return _Numbers(points, code).solved().levels


def _looks(points: PointsTo) -> Looks:
    code = {name: _code(function) for name, function in points.program.functions.items()}
    made = any(i.operation == "int_from_pointer" for some in code.values() for i in some)
    if not made and not has_stored_numbers(points):
        return Looks({}, frozenset(), frozenset(), frozenset())
    found = _Numbers(points, code).solved()
    pairs = [(i, found.levels[name]) for name, some in code.items() for i in some]
    distances = frozenset(id(i) for i, levels in pairs if i.operation == "sub" and all(_levels(i, levels)))
    if distances:
        found = _Numbers(points, code, distances).solved()
        pairs = [(i, found.levels[name]) for name, some in code.items() for i in some]
    low, placed, ordered = dict[int, int](), set[int](), set[int]()
    for i, levels in pairs:
        if id(i) in distances:
            continue
        _, needed, anywhere = _rule(i, levels, found.width)
        if needed > 1:
            low[id(i)] = needed
        if anywhere:
            placed.add(id(i))
        if i.operation in ORDERED and all(_levels(i, levels)):
            ordered.add(id(i))
    return Looks(low, frozenset(placed), frozenset(ordered), distances)


def _code(function: m.Function) -> list[m.Compute]:
    return [i for block in function.blocks for i in block.instructions if isinstance(i, m.Compute)]


# ---------------------------------------------------------------- numbers


@dataclass(slots=True)
class _Numbers:
    """The numbers of each function, through computations, calls, returns and memory. The program times the longest
    chain of joins at most."""

    points: PointsTo
    code: Mapping[str, Sequence[m.Compute]]
    distances: frozenset[int] = frozenset()
    levels: dict[str, Levels] = field(default_factory=dict)
    width: int = 0
    changed: bool = False

    def solved(self) -> _Numbers:
        """Raises levels until nothing changes."""
        self.width = self.points.program.layout.pointer_bits
        self.levels = {name: {} for name in self.code}
        stored = StoredNumbers(self.points)
        self.changed = True
        while self.changed:
            self.changed = False
            for name, function in self.points.program.functions.items():
                self._round(name, function, stored)
            self.changed |= stored.news()
        return self

    def _round(self, name: str, function: m.Function, stored: StoredNumbers) -> None:
        self._computed(name)
        self._handed(name, function)
        for i in (i for block in function.blocks for i in block.instructions):
            if isinstance(i, m.Call):
                self._called(name, i)
            elif isinstance(i, m.Load | m.Store | m.Copy):
                self._in_memory(name, i, stored)

    def _raise(self, name: str, register: m.Register, level: int) -> None:
        if level > self.levels[name].get(register.index, 0):
            self.levels[name][register.index] = level
            self.changed = True

    def _computed(self, name: str) -> None:
        levels = self.levels[name]
        for i in self.code[name]:
            if id(i) not in self.distances:
                self._raise(name, i.result, _rule(i, levels, self.width).level)

    def _handed(self, name: str, function: m.Function) -> None:
        """Parameters of blocks, with what edges give them."""
        for edge in (edge for block in function.blocks for edge in block.edges):
            for register, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                self._raise(name, register, _level(value, self.levels[name]))

    def _called(self, name: str, call: m.Call) -> None:
        callee = self.points.program.functions[call.callee]
        for parameter, value in zip(callee.parameters, call.arguments, strict=True):
            self._raise(callee.name, parameter, _level(value, self.levels[name]))
        for register, value in _returned(callee, call):
            self._raise(name, register, _level(value, self.levels[callee.name]))

    def _in_memory(self, name: str, i: m.Load | m.Store | m.Copy, stored: StoredNumbers) -> None:
        if isinstance(i, m.Load):
            self._raise(name, i.result, stored.loaded(name, i))
        elif isinstance(i, m.Store):
            stored.store(name, i, _level(i.value, self.levels[name]))
        else:
            stored.copy(name, i)


def _returned(callee: m.Function, call: m.Call) -> Iterator[tuple[m.Register, m.Value]]:
    for block in callee.blocks:
        if isinstance(block.terminator, m.Return):
            yield from zip(call.results, block.terminator.values, strict=True)


def _level(value: m.Value, levels: Levels) -> int:
    return levels.get(value.index, 0) if isinstance(value, m.Register) else 0


def _levels(i: m.Compute, levels: Levels) -> list[int]:
    return [_level(operand, levels) for operand in i.operands]


# ---------------------------------------------------------------- what instructions do


def _rule(i: m.Compute, levels: Levels, width: int) -> _Rule:
    """Of pointers that have `width` bits."""
    if i.operation == "int_from_pointer":
        return _Rule(1 if i.result.type.bits >= width else MOST)
    of = _levels(i, levels)
    level = max(of, default=0)
    if level == 0:
        return _Rule()
    match i.operation:
        case "zext" | "sext" | "select":
            return _Rule(level)
        case "add" | "sub":
            return _Rule(MOST if all(of) else level)
        case "trunc":
            return _cut(i.result.type.bits, level, width)
        case "or" | "xor":
            by = i.operands[1]
            set_bits = by.bits if isinstance(by, m.Constant) else MOST
            return _Rule(max(level, 1 << set_bits.bit_length()) if set_bits < MOST else MOST)
        case "mul" | "shl" if of[0]:
            return _Rule(MOST)
        case "and":
            return _masked(i, level)
        case "lshr" | "ashr" | "udiv" | "sdiv" | "urem" | "srem":
            return _Rule(0, _needed(i), not _is_low_remainder(i))
        case "pointer_from_int":
            return _Rule(0, level if level < MOST else 1)
        case operation if operation in _EQUAL and level < MOST and not all(of):
            return _Rule(0, level, not any(_is_off_objects(operand) for operand in i.operands))
        case operation if operation in ORDERED or operation in _EQUAL:
            return _Rule(0, level, level == MOST and not all(of))
        case operation if operation in _OVERFLOWS:
            return _Rule()
    return _Rule(0, 1, placed=True)


def _cut(bits: int, level: int, width: int) -> _Rule:
    """The number's low bits."""
    if bits >= width:
        return _Rule(level)
    return _Rule(MOST, min(MOST, 1 << bits) if bits < _WORD else 1)


def _masked(i: m.Compute, level: int) -> _Rule:
    by, needed = i.operands[1], _needed(i)
    if not isinstance(by, m.Constant):
        return _Rule(0, needed, placed=True)
    if ~by.bits & ((1 << by.type.bits) - MOST) == 0:
        return _Rule(level, needed)
    if by.bits & by.bits + 1 == 0 and by.bits.bit_length() >= _WORD:
        return _Rule(MOST)
    return _Rule(0, needed, placed=by.bits >= MOST)


def _is_off_objects(value: m.Value) -> bool:
    """A number that is no object's address: on the null page, or an error's on the last one."""
    return isinstance(value, m.Constant) and not _PAGE <= value.bits < (1 << value.type.bits) - _PAGE


def _is_low_remainder(i: m.Compute) -> bool:
    by = i.operands[1]
    return i.operation == "urem" and isinstance(by, m.Constant) and by.bits <= MOST and by.bits & by.bits - 1 == 0


def _needed(i: m.Compute) -> int:
    """From this alignment on the result tells nothing of how the object is aligned."""
    by = i.operands[1]
    if not isinstance(by, m.Constant):
        return MOST
    match i.operation:
        case "and" if by.bits < _PAGE or ~by.bits & ((1 << by.type.bits) - MOST) == 0:
            seen = by.bits & _LOW if by.bits < _PAGE else ~by.bits & _LOW
            return 1 << seen.bit_length()
        case "and":
            return 1 if by.bits & _LOW in (0, _LOW) else MOST
        case "lshr" | "ashr":
            return MOST if 0 < by.bits < MOST.bit_length() - 1 else 1
    return min(MOST, by.bits) if by.bits & by.bits - 1 == 0 and i.operation == "urem" else MOST
