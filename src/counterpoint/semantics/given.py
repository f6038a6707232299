"""Pointers that the environment gives: null, or the base of an external object (layout.py).

Those of arguments and undefined objects, and those found in external memory (found.py), share objects; each of all
others has one of its own.

Where nothing in the program sees how the addresses of objects are ordered, shared ones are named in the order in
which the encoding meets them: a pointer is one of those named before, or the next. Each choice of the environment is
such a one after renaming, pointers taken in the order in which the encoding made them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.external import EXTERNAL_BASE, SHARED
from counterpoint.program.order import operands
from counterpoint.program.remembered import remembered
from counterpoint.program.types import PointerType
from counterpoint.semantics.layout import EXTERNAL_SIZE, external_address, external_base, external_end, own_base
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import V


def external_or_null(world: World, name: str) -> V:
    """An arbitrary pointer: null, or the address of an external object of its own."""
    bits = world.pointer_bits
    is_null = build.variable(f"{name}.null", BOOL)
    if world.past is not None:
        return build.ite(is_null, 0, _any_external(world, name), BitVec(bits))
    place = external_address(SHARED + world.externals, bits)
    world.externals += 1
    return build.ite(is_null, 0, place, BitVec(bits))


def _any_external(world: World, name: str) -> V:
    """The base of an arbitrary external object: how many the run has met before is not known."""
    bits, low = world.pointer_bits, EXTERNAL_SIZE.bit_length() - 1
    number = build.variable(f"{name}.external", BitVec(bits - low))
    first, last = own_base(bits) >> low, external_end(bits) >> low
    world.axiom(build.ult(build.sub(number, first, bits - low), last - first, bits - low))
    return build.concat(number, bits - low, 0, low)


SHARED_KINDS = frozenset({"argument", "external"})
"""Kinds of inputs whose pointers may be equal to others of these kinds and to those found."""

MOST_NAMED = 48
"""Among so many objects a pointer is chosen by name; beyond, by its number."""


def shared_or_null(world: World, name: str) -> V:
    """A pointer of the environment: null, or the base of any shared object. Raises BeyondModel beyond the last one."""
    is_null = build.variable(f"{name}.null", BOOL)
    return build.ite(is_null, 0, _base(world, name), BitVec(world.pointer_bits))


def _base(world: World, name: str) -> V:
    bits, number = world.pointer_bits, world.shared
    if number >= SHARED:
        raise BeyondModel(f"more than {SHARED} objects of the environment")
    world.shared += 1
    if world.past is None and number == 0:
        return external_address(SHARED // 2 if sees_order(world.program) else 0, bits)
    if world.past is not None or number > MOST_NAMED or sees_order(world.program):
        low, wide = EXTERNAL_SIZE.bit_length() - 1, SHARED.bit_length() - 1
        any_ = build.variable(f"{name}.shared", BitVec(wide))
        above = build.concat(external_base(bits) >> (low + wide), bits - low - wide, any_, wide)
        return build.concat(above, bits - low, 0, low)
    chosen: V = external_address(number, bits)
    for earlier in reversed(range(number)):
        same = build.variable(f"{name}.is {earlier}", BOOL)
        chosen = build.ite(same, external_address(earlier, bits), chosen, BitVec(bits))
    return chosen


# ---------------------------------------------------------------- who sees numbers


@dataclass(frozen=True, slots=True)
class _Sight:
    """`order`: addresses are compared by order, or become integers that are not only subtracted from one another.
    `pointers`: the loads of pointers, by identity, that become no such integers in their function."""

    order: bool
    pointers: frozenset[int]


_ORDERS = frozenset({"ult", "ule"})


@remembered(4)
def _sight(program: m.Program) -> _Sight:
    order, pointers = False, set[int]()
    for function in program.functions.values():
        numbers = _numbers(function)
        order |= bool(numbers) or any(_orders(i) for block in function.blocks for i in block.instructions)
        pointers |= {
            id(i)
            for block in function.blocks
            for i in block.instructions
            if isinstance(i, m.Load) and isinstance(i.result.type, PointerType) and i.result.index not in numbers
        }
    return _Sight(order, frozenset(pointers))


def sees_order(program: m.Program) -> bool:
    """Whether what the program does may depend on how addresses are ordered."""
    return _sight(program).order


def is_pointer_only(program: m.Program, load: m.Load) -> bool:
    """Whether what the load gives is used as nothing but a pointer in its function. Passes merge loads of one place at
    different types, so that others may be none of the source."""
    return id(load) in _sight(program).pointers


def _orders(i: m.Instruction) -> bool:
    """Compares pointers by order, and not with the region's first address, which all external ones are behind."""
    if not isinstance(i, m.Compute) or i.operation not in _ORDERS or not isinstance(i.operands[0].type, PointerType):
        return False
    return not any(isinstance(o, m.Constant) and o.bits in EXTERNAL_BASE.values() for o in i.operands)


def _numbers(function: m.Function) -> set[int]:
    """Registers whose pointers may become integers that something else uses than the subtraction of two of them."""
    casts = [i for block in function.blocks for i in block.instructions if _is_cast(i)]
    if not casts:
        return set()
    used = set(_uses(function))
    found = {i.result.index for i in casts if i.result.index in used}
    sources = _sources(function)
    waiting = list(found)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in found:
                found.add(source)
                waiting.append(source)
    return found


def _is_cast(i: m.Instruction) -> TypeGuard[m.Compute]:
    return isinstance(i, m.Compute) and i.operation == "int_from_pointer"


def _uses(function: m.Function) -> Iterator[int]:
    """Registers that something else uses than the subtraction of two registers, and comparisons with 0."""
    for block in function.blocks:
        for i in block.instructions:
            if not isinstance(i, m.Compute) or not _tells_no_number(i):
                yield from _registers(operands(i))
        for edge in block.edges:
            yield from _registers(edge.arguments)
            if edge.guard.value is not None and edge.guard.cases != (0,):
                yield from _registers((edge.guard.value,))
        if isinstance(block.terminator, m.Return):
            yield from _registers(block.terminator.values)


def _tells_no_number(i: m.Compute) -> bool:
    if i.operation == "sub":
        return all(isinstance(o, m.Register) for o in i.operands)
    return i.operation in ("eq", "ne") and any(isinstance(o, m.Constant) and o.bits == 0 for o in i.operands)


def _sources(function: m.Function) -> dict[int, list[int]]:
    """The registers that a register's value is computed from, by instructions and edges."""
    found: dict[int, list[int]] = {}
    for block in function.blocks:
        for i in block.instructions:
            if isinstance(i, m.Compute | m.Offset):
                found.setdefault(i.result.index, []).extend(_registers(operands(i)))
        for edge in block.edges:
            for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                found.setdefault(parameter.index, []).extend(_registers((value,)))
    return found


def _registers(values: Iterable[m.Value]) -> Iterator[int]:
    return (value.index for value in values if isinstance(value, m.Register))

