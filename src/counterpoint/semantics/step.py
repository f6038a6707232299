"""What one instruction does to a symbolic state. Calls and terminators are the callers' business."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.program import model as m
from counterpoint.program.inputs import INVALID_READ
from counterpoint.program.types import FloatType, PointerType, size_in_bytes
from counterpoint.semantics import terms
from counterpoint.semantics.addresses import pointer_below, pointers_equal
from counterpoint.semantics.found import pointer_found
from counterpoint.semantics.given import SHARED_KINDS, external_or_null, is_pointer_only, shared_or_null
from counterpoint.semantics.layout import largest_object
from counterpoint.semantics.leaks import no_leak
from counterpoint.semantics.limits import at_most
from counterpoint.semantics.low_bits import any_distance, any_order, seen
from counterpoint.semantics.memory import Memory, static_value
from counterpoint.semantics.objects import ScalarRecord, World, origin_of
from counterpoint.semantics.ranges import copy_range, fill_range, havoc_range
from counterpoint.semantics.summary import counter_now
from counterpoint.semantics.touching import COMPARISONS, or_touching, touching_distance
from counterpoint.static.low_bits import ORDERED
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Begun:
    """How an activation began: in this memory, with `counter` above all objects; or, with None, in one of which only is
    known that entry values (components.Old) are variables whose names begin with `name`."""

    memory: Memory | None
    counter: V = 0
    name: str = ""


@dataclass(slots=True)
class State:
    """A path's registers (of the current function) and memory, and the formula of the path so far.

    `locals` are the objects that die when the function returns; `begun` is None where nobody asks for entry values.
    """

    registers: dict[int, V]
    memory: Memory
    path: V
    locals: tuple[int, ...] = ()
    begun: Begun | None = None


@dataclass(frozen=True, slots=True)
class Assumed:
    """Only runs where `condition` holds go on."""

    condition: V


@dataclass(frozen=True, slots=True)
class Checked:
    """A violation where `holds` is false; the rest goes on."""

    holds: V
    check: int


@dataclass(frozen=True, slots=True)
class Blocked:
    """No run goes on: it met something without a meaning (index into Program.sites)."""

    site: int


@dataclass(frozen=True, slots=True)
class Placed:
    """Runs where `holds` is false have no meaning here: `what` there is, is beyond the modelled memory."""

    holds: V
    at: SourceLocation
    what: str = "an object beyond the modelled memory"


Effect: TypeAlias = Assumed | Checked | Blocked | Placed | None


def read(state: State, value: m.Value, world: World) -> V:
    """The value of an operand."""
    if type(value) is m.Register:
        return state.registers[value.index]
    if type(value) is m.Constant:
        return value.bits
    assert isinstance(value, m.Address)
    return static_value(world, value)


def guard_formula(guard: m.Guard, state: State, world: World) -> V:
    """The condition of an edge. The disjunction of a switch's cases is built in their order."""
    if guard.value is None:
        return 1
    value = read(state, guard.value, world)
    bits = guard.value.type.bits
    if bits == 1:
        hit: V = 0
        for case in guard.cases:
            hit = build.or_(hit, value if case else build.not_(value))
    elif isinstance(value, int):
        hit = int(value in guard.cases)
    else:
        hit = build.disjunction([build.eq(value, case, bits) for case in guard.cases])
    return build.not_(hit) if guard.negated else hit


def step(instruction: m.Instruction, state: State, world: World) -> Effect:
    """Executes one instruction other than Call on the state, in place; the effect is the caller's to apply.

    Raises BeyondModel and GranuleConflict (semantics/objects.py).
    """
    execute = _STEPS.get(type(instruction))
    if execute is None:
        raise InternalError(f"{instruction.at}: {type(instruction).__name__} has no symbolic meaning")
    return execute(instruction, state, world)


def _compute(i: m.Compute, state: State, world: World) -> Effect:
    operands = i.operands
    registers = state.registers
    values = tuple([
        registers[o.index] if type(o) is m.Register else o.bits if type(o) is m.Constant else read(state, o, world)
        for o in operands
    ])
    if type(operands[0].type) is PointerType and i.operation in _POINTER_COMPARISONS:
        result = _compare(i.operation, values[0], values[1], state.memory)
        registers[i.result.index] = or_touching(i, values, result, state.memory.shared.resolver)
    elif i.operation == "pointer_from_int":
        number = terms.evaluate(i, seen(i, values, world))
        registers[i.result.index] = state.memory.shared.resolver.from_int(number)
        return _staying(state.memory.shared.resolver.stays(number), i.at)
    elif i.operation == "int_from_pointer":
        registers[i.result.index] = terms.evaluate(i, [state.memory.shared.resolver.to_int(values[0])])
    else:
        result = terms.evaluate(i, seen(i, values, world))
        if world.past is not None and i.operation in ORDERED:
            result = any_order(i, values, result, state.memory.shared.resolver)
        elif i.operation == "sub":
            result = any_distance(i, values, result, state.memory.shared.resolver)
            result = touching_distance(i, values, result, state.memory.shared.resolver)
        if i.operation in COMPARISONS:
            result = or_touching(i, values, result, state.memory.shared.resolver)
        registers[i.result.index] = result
    return None


def _staying(stays: V, at: SourceLocation) -> Effect:
    return None if stays == 1 else Placed(stays, at, "a number made into a pointer, far from what it was computed from")


_POINTER_COMPARISONS = frozenset({"eq", "ne", "ult", "ule"})


def _compare(operation: str, left: V, right: V, memory: Memory) -> V:
    resolver = memory.shared.resolver
    match operation:
        case "eq":
            return pointers_equal(resolver, left, right)
        case "ne":
            return build.not_(pointers_equal(resolver, left, right))
        case "ult":
            return pointer_below(resolver, left, right)
    return build.not_(pointer_below(resolver, right, left))


def _offset(i: m.Offset, state: State, world: World) -> Effect:
    base, offset = read(state, i.base, world), read(state, i.offset, world)
    state.registers[i.result.index] = state.memory.shared.resolver.moved(base, offset)
    return None


def _load(i: m.Load, state: State, world: World) -> Effect:
    world.staying = []
    found = pointer_found if isinstance(i.result.type, PointerType) and is_pointer_only(world.program, i) else None
    value, unknown, valid, foreign = state.memory.load(read(state, i.address, world), i.result.type, state.path, found)
    if unknown is not None:
        invalid = build.and_(state.path, build.not_(valid))
        world.records.append(ScalarRecord(INVALID_READ, invalid, unknown, 8 * size_in_bytes(i.result.type)))
    state.registers[i.result.index] = value
    stays = build.conjunction(world.staying)
    if stays != 1:
        return _staying(stays, i.at)
    return None if foreign == 0 else Assumed(build.not_(foreign))


def _store(i: m.Store, state: State, world: World) -> Effect:
    state.memory.store(read(state, i.address, world), i.value.type, read(state, i.value, world))
    return None


def _allocate(i: m.Allocate, state: State, world: World) -> Effect:
    size = read(state, i.size, world)
    origin = origin_of(i)
    site = i.site if i.heap else None
    first = len(world.objects)
    world.made[first] = (i, state.path)
    if world.past is not None and world.past.calls:
        world.past.floors[first] = counter_now(world, made=False)
    address = state.memory.allocate(
        origin, size, i.alignment, heap=i.heap, zeroed=i.zeroed, path=state.path, site=site, constant=i.constant
    )
    if not i.heap:
        state.locals = (*state.locals, first)
    state.registers[i.result.index] = address
    if world.past is None:
        return None
    bits = world.pointer_bits
    largest = largest_object(bits)
    holds = 1 if at_most(size, state.path) <= largest else build.ule(size, largest, bits)
    return None if holds == 1 else Placed(holds, i.at)


def _begin(i: m.BeginLife, state: State, world: World) -> Effect:
    state.memory.set_life(read(state, i.address, world), True)
    return None


def _end(i: m.EndLife, state: State, world: World) -> Effect:
    state.memory.set_life(read(state, i.address, world), False)
    return None


def _free(i: m.Free, state: State, world: World) -> Effect:
    state.memory.free(read(state, i.address, world))
    return None


def _copy(i: m.Copy, state: State, world: World) -> Effect:
    target, source, size = (read(state, v, world) for v in (i.target, i.source, i.size))
    state.memory.initialising = i.initial
    try:
        copy_range(state.memory, target, source, size, state.path)
    finally:
        state.memory.initialising = False
    return None


def _fill(i: m.Fill, state: State, world: World) -> Effect:
    target, byte, size = (read(state, v, world) for v in (i.target, i.byte, i.size))
    fill_range(state.memory, target, byte, size)
    return None


def _havoc(i: m.Havoc, state: State, world: World) -> Effect:
    havoc_range(state.memory, read(state, i.target, world), read(state, i.size, world), i.site, state.path)
    return None


def _nondet(i: m.Nondet, state: State, world: World) -> Effect:
    type_ = i.result.type
    kind = world.program.sites[i.site].kind if 0 <= i.site < len(world.program.sites) else ""
    value: V
    bits: V
    if isinstance(type_, PointerType) and not (world.memory_safety and kind in ("uninitialised", "undef")):
        world.fresh += 1
        make = shared_or_null if kind in SHARED_KINDS else external_or_null
        value = bits = make(world, f"pointer!{world.fresh}")
    elif type_.bits == 1:
        value = bits = world.unknown(BOOL)
    else:
        value = bits = world.unknown(BitVec(type_.bits))
        if isinstance(type_, FloatType):
            value = build.fp_from_bits(bits, Float(type_.exponent, type_.significand))
    world.records.append(ScalarRecord(i.site, state.path, bits, type_.bits))
    state.registers[i.result.index] = value
    return None


def _assume(i: m.Assume, state: State, world: World) -> Effect:
    return Assumed(read(state, i.condition, world))


def _hint(i: m.Hint, state: State, world: World) -> Effect:
    return None


def _check(i: m.Check, state: State, world: World) -> Effect:
    return Checked(read(state, i.holds, world), i.check)


def _unsupported(i: m.Unsupported, state: State, world: World) -> Effect:
    return Blocked(i.site)


def _valid_access(i: m.ValidAccess, state: State, world: World) -> Effect:
    address, size = (read(state, v, world) for v in (i.address, i.size))
    state.registers[i.result.index] = state.memory.valid_access(address, size, i.write)
    return None


def _apart(i: m.Apart, state: State, world: World) -> Effect:
    target, source, size = (read(state, v, world) for v in (i.target, i.source, i.size))
    state.registers[i.result.index] = state.memory.apart(target, source, size)
    return None


def _valid_free(i: m.ValidFree, state: State, world: World) -> Effect:
    state.registers[i.result.index] = state.memory.valid_free(read(state, i.address, world))
    return None


def _no_leak(i: m.NoLeak, state: State, world: World) -> Effect:
    state.registers[i.result.index] = no_leak(state.memory, i.reachable_ok)
    return None


def _object_size(i: m.ObjectSize, state: State, world: World) -> Effect:
    state.registers[i.result.index] = state.memory.object_size(read(state, i.address, world))
    return None


_STEPS: Mapping[type, Callable[[Any, State, World], Effect]] = {
    m.Compute: _compute,
    m.Offset: _offset,
    m.Load: _load,
    m.Store: _store,
    m.Allocate: _allocate,
    m.BeginLife: _begin,
    m.EndLife: _end,
    m.Free: _free,
    m.Copy: _copy,
    m.Fill: _fill,
    m.Havoc: _havoc,
    m.Nondet: _nondet,
    m.Assume: _assume,
    m.Hint: _hint,
    m.Check: _check,
    m.Unsupported: _unsupported,
    m.ValidAccess: _valid_access,
    m.ValidFree: _valid_free,
    m.Apart: _apart,
    m.NoLeak: _no_leak,
    m.ObjectSize: _object_size,
}


