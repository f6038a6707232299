"""Wrong meanings: changes of `semantics` at run time, each a fault that an engine and the checker would share.

A mutant is applied in a process of its own. Those of operations change what interpreter and formulas have in common;
those of memory and of steps change formulas. Nothing in the product knows of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from counterpoint.program import model as m
from counterpoint.program.types import FloatType
from counterpoint.semantics import addresses, all_operations, leaks, ranges
from counterpoint.semantics import step as step_
from counterpoint.semantics.algebra import Definition, Signature, float_format
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import RAW
from counterpoint.semantics.pointers import Resolver
from counterpoint.semantics.step import Assumed, Checked
from counterpoint.static import mod_ref, points_to
from counterpoint.term import build

OPERATION, ACCESS, STEP, STATIC = "operation", "access", "step", "static"


@dataclass(frozen=True)
class Mutant:
    """`name` says what is wrong; `about`: an operation's name, for programs that have it, else what kind of program may
    tell (a property, or "" for any)."""

    name: str
    kind: str
    about: str
    apply: Callable[[], None]


# ---------------------------------------------------------------- operations


def _other(m_: Any, value: Any, t: Signature) -> Any:
    """Another value of the result's type."""
    if isinstance(t.result, FloatType):
        form = float_format(t.result)
        return m_.fp_ite(m_.fp_is_nan(value, form), m_.fp_from_bits(m_.const(0, t.result.bits), form), m_.fp_neg(value, form), form)
    width = t.result.bits
    return m_.not_(value, 1) if width == 1 else m_.xor(value, m_.const(1, width), width)


def _always(right: Definition) -> Definition:
    """The lowest bit, or the sign of a float, is wrong."""

    def wrong(m_: Any, v: Sequence[Any], t: Signature) -> Any:
        return _other(m_, right(m_, v, t), t)

    return wrong


def _where_negative(right: Definition) -> Definition:
    """Wrong where the first operand's highest bit is set."""

    def wrong(m_: Any, v: Sequence[Any], t: Signature) -> Any:
        value, width = right(m_, v, t), t.width
        negative = m_.slt(v[0], m_.const(0, width), width)
        return m_.ite(negative, _other(m_, value, t), value, t.result.bits)

    return wrong


def _exchanged(right: Definition) -> Definition:
    """The operands are exchanged."""

    def wrong(m_: Any, v: Sequence[Any], t: Signature) -> Any:
        return right(m_, (v[1], v[0], *v[2:]), t)

    return wrong


def _instead(other: str) -> Callable[[Definition], Definition]:
    return lambda right: all_operations()[other]


_SIBLINGS = {
    "add": "sub", "sub": "add", "udiv": "sdiv", "sdiv": "udiv", "urem": "srem", "srem": "urem", "ashr": "lshr", "lshr": "ashr",
    "and": "or", "or": "xor", "xor": "or", "ult": "ule", "ule": "ult", "slt": "ult", "sle": "slt", "smin": "smax", "umax": "umin",
    "sadd_overflows": "uadd_overflows", "ssub_overflows": "usub_overflows", "smul_overflows": "umul_overflows",
    "uadd_sat": "add", "sadd_sat": "add", "usub_sat": "sub", "sext": "zext", "ctlz": "cttz", "fadd": "fsub", "fmul": "fdiv",
    "flt": "fle", "fle": "flt", "ffloor": "fceil", "ftrunc": "fround", "fmaxnum": "fminnum", "frem": "fsub",
}  # fmt: skip
_EXCHANGED = ("sub", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "ult", "sle", "fsub", "fdiv", "flt", "copysign")
_INTEGERS = ("add", "sub", "mul", "sdiv", "srem", "and", "or", "xor", "ashr", "eq", "slt", "ult", "sext", "smin", "abs")


def _operations() -> Iterator[Mutant]:
    operations = dict(all_operations())
    ways: list[tuple[str, str, Callable[[Definition], Definition]]] = []
    ways += [(name, "always", _always) for name in operations]
    ways += [(name, "where negative", _where_negative) for name in _INTEGERS]
    ways += [(name, "exchanged", _exchanged) for name in _EXCHANGED]
    ways += [(name, f"is {other}", _instead(other)) for name, other in _SIBLINGS.items()]
    for name, how, change in ways:

        def apply(name: str = name, change: Callable[[Definition], Definition] = change) -> None:
            table: Any = all_operations()
            table[name] = change(table[name])

        yield Mutant(f"{name} {how}", OPERATION, name, apply)


# ---------------------------------------------------------------- memory, by the rows of the access rules


def _inside(change: Callable[[Memory, Callable[..., Any], int, Any, Any, bool], Any]) -> Callable[[], None]:
    right = Memory.inside

    def wrong(self: Memory, index: int, offset: Any, size: Any, write: bool = False) -> Any:
        return change(self, right, index, offset, size, write)

    return lambda: setattr(Memory, "inside", wrong)


def _living(memory: Memory, right: Callable[..., Any], index: int, offset: Any, size: Any, write: bool, heap: bool) -> Any:
    thing = None if index == RAW else memory.shared.world.objects[index]
    if thing is None or thing.heap is not heap or thing.block_of >= 0:
        return right(memory, index, offset, size, write)
    before = memory.alive
    memory.alive = {**before, index: 1}
    try:
        return right(memory, index, offset, size, write)
    finally:
        memory.alive = before


def _before(memory: Memory, right: Callable[..., Any], index: int, offset: Any, size: Any, write: bool) -> Any:
    bits = memory.shared.world.pointer_bits
    live = right(memory, index, 0, 0, write)
    near = build.ule(build.add(offset, 16, bits), 15, bits) if index != RAW else 0
    return build.or_(right(memory, index, offset, size, write), build.and_(live, near))


def _another(self: Memory, address: Any, base: Any, size: Any, write: bool = False) -> Any:
    world, bits = self.shared.world, self.shared.world.pointer_bits
    plain, result = build.plain(address), build.eq(size, 0, bits)
    for thing in world.objects:
        if not thing.summary and (thing.index in self.alive or thing.index < len(world.program.globals)):
            offset = build.sub(plain, world.base(thing.index), bits)
            result = build.or_(result, self.inside(thing.index, offset, size, write))
    return build.or_(result, self.in_external(plain, size))


def _raw(low: int, high: int) -> Callable[[], None]:
    """Numbers from low to high are valid addresses."""
    right = Memory.in_external

    def wrong(self: Memory, address: Any, size: Any) -> Any:
        bits = self.shared.world.pointer_bits
        here = build.ule(build.sub(address, low, bits), high - low, bits)
        return build.or_(right(self, address, size), here)

    return lambda: setattr(Memory, "in_external", wrong)


def _code(memory: Memory, right: Callable[..., Any], index: int, offset: Any, size: Any, write: bool) -> Any:
    if index != RAW and memory.shared.world.objects[index].code:
        return build.ule(offset, 8, memory.shared.world.pointer_bits)
    return right(memory, index, offset, size, write)


def _method(owner: type, name: str, change: Callable[..., Any]) -> Callable[[], None]:
    right = getattr(owner, name)
    return lambda: setattr(owner, name, lambda self, *given, **named: change(right, self, *given, **named))


def _valid_free(rule: str) -> Callable[[], None]:
    def wrong(self: Memory, address: Any) -> Any:
        world, bits = self.shared.world, self.shared.world.pointer_bits
        result: Any = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            at_start = build.eq(offset, 0, bits)
            if index == RAW:
                good = 1 if rule == "numbers" else at_start
            elif rule == "no heap" or world.objects[index].heap:
                live = 1 if rule == "dead" else self.live(index)
                good = live if rule == "inside" else build.and_(live, at_start)
            else:
                good = 0
            result = build.or_(result, build.and_(guard, good))
        return result

    return lambda: setattr(Memory, "valid_free", wrong)


def _accesses() -> Iterator[Mutant]:
    def mutant(name: str, apply: Callable[[], None], about: str = "memory-safety") -> Mutant:
        return Mutant(name, ACCESS, about, apply)

    yield mutant("partly outside is valid", _inside(lambda s, r, i, o, n, w: r(s, i, o, 1 if n != 0 else 0, w)))
    yield mutant("one past is valid", _inside(lambda s, r, i, o, n, w: build.or_(r(s, i, o, n, w), 0 if i == RAW else r(s, i, o, 0, w))))
    yield mutant("before is valid", _inside(_before))
    yield mutant("in another object is valid", lambda: setattr(Memory, "valid_access", _another))
    yield mutant("constants may be written", _inside(lambda s, r, i, o, n, w: r(s, i, o, n, False)))
    yield mutant("dead locals live", _inside(lambda s, r, i, o, n, w: _living(s, r, i, o, n, w, False)))
    yield mutant("freed blocks live", _inside(lambda s, r, i, o, n, w: _living(s, r, i, o, n, w, True)))
    yield mutant("functions have bytes", _inside(_code))
    yield mutant("the null page is valid", _raw(0, 4096))
    yield mutant("numbers are addresses", _raw(0x10000, 0x7FFFFFFF))
    yield mutant("everything is valid", lambda: setattr(Memory, "valid_access", lambda *given: 1))
    yield mutant("reads are valid", _method(Memory, "valid_access", lambda r, s, a, b, n, w=False: r(s, a, b, n, w) if w else 1))
    yield mutant("writes are valid", _method(Memory, "valid_access", lambda r, s, a, b, n, w=False: 1 if w else r(s, a, b, n, w)))
    yield mutant("offsets in bytes are halved", _method(Resolver, "moved", lambda r, s, b, o: r(s, b, build.lshr(o, 1, s.world.pointer_bits))))
    yield mutant("offsets are cut to 16 bits", _method(Resolver, "moved", lambda r, s, b, o: r(s, b, build.bvand(o, 0xFFFF, s.world.pointer_bits))))
    for rule in ("numbers", "no heap", "dead", "inside"):
        yield mutant(f"free: {rule}", _valid_free(rule))
    yield mutant("ranges are always apart", lambda: setattr(Memory, "apart", lambda *given: 1))
    yield mutant("nothing is lost", lambda: _everywhere(leaks.no_leak, lambda *given: 1))
    yield mutant("object_size is one more", _method(Memory, "object_size", lambda r, s, a: build.add(r(s, a), 1, s.shared.world.pointer_bits)))


# ---------------------------------------------------------------- steps


def _everywhere(old: object, new: object) -> None:
    """Replaces what modules have imported by name."""
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and module.__name__.startswith("counterpoint"):
            for name, value in list(vars(module).items()):
                if value is old:
                    setattr(module, name, new)


def _step(kind: type, change: Callable[..., Any]) -> Callable[[], None]:
    def apply() -> None:
        table: Any = step_._STEPS
        right = table[kind]
        table[kind] = lambda i, state, world: change(right, i, state, world)

    return apply


def _after(change: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    """The result's register holds something else."""

    def wrong(right: Callable[..., Any], i: Any, state: Any, world: Any) -> Any:
        effect = right(i, state, world)
        state.registers[i.result.index] = change(i, state.registers[i.result.index], world)
        return effect

    return wrong


def _nonnegative(i: Any, value: Any, world: Any) -> Any:
    bits = i.result.type.bits
    if bits == 1 or isinstance(i.result.type, FloatType):
        return value
    return build.bvand(value, (1 << (bits - 1)) - 1, bits)


def _small(i: Any, value: Any, world: Any) -> Any:
    bits = i.result.type.bits
    return value if bits < 8 or isinstance(i.result.type, FloatType) else build.bvand(value, 0x7F, bits)


def _first_case(guard: m.Guard) -> m.Guard:
    return m.Guard(guard.value, guard.cases[:1], guard.negated)


def _steps() -> Iterator[Mutant]:
    def mutant(name: str, apply: Callable[[], None], about: str = "") -> Mutant:
        return Mutant(name, STEP, about, apply)

    def nothing(*given: object) -> None:
        return None

    guards, fills, axioms = step_.guard_formula, ranges.fill_range, addresses.address_axioms
    yield mutant("stores are lost", _step(m.Store, nothing))
    yield mutant("copies are lost", _step(m.Copy, nothing))
    yield mutant("fills are lost", _step(m.Fill, nothing))
    yield mutant("fills are with zeros", lambda: _everywhere(fills, lambda s, t, b, n: fills(s, t, 0, n)))
    yield mutant("arbitrary contents are lost", _step(m.Havoc, nothing))
    yield mutant("blocks are zeroed", _method(Memory, "allocate", lambda r, s, *g, **n: r(s, *g, **{**n, "zeroed": True})))
    yield mutant("frees are lost", _step(m.Free, nothing), "memory-safety")
    yield mutant("lives do not end", _step(m.EndLife, nothing), "memory-safety")
    yield mutant("locals survive returns", lambda: setattr(Memory, "kill", nothing), "memory-safety")
    yield mutant("inputs are not negative", _step(m.Nondet, _after(_nonnegative)))
    yield mutant("inputs are small", _step(m.Nondet, _after(_small)))
    yield mutant("inputs are zero", _step(m.Nondet, _after(lambda i, v, w: v if isinstance(i.result.type, FloatType) else 0)))
    yield mutant("checks hold", _step(m.Check, lambda r, i, s, w: Checked(1, i.check)))
    yield mutant("what has no meaning is not met", _step(m.Unsupported, lambda r, i, s, w: Assumed(0)))
    yield mutant("a switch knows its first case", lambda: _everywhere(guards, lambda g, s, w: guards(_first_case(g), s, w)))
    yield mutant("the default is not taken", lambda: _everywhere(guards, lambda g, s, w: 0 if g.negated and len(g.cases) > 1 else guards(g, s, w)))
    yield mutant("addresses contradict each other", lambda: _everywhere(axioms, lambda *given: [0]))
    yield mutant("loads see the object's start", _method(Memory, "read_at", lambda r, s, i, o, n, p: r(s, i, o if i == RAW else 0, n, p)))
    yield mutant("invalid reads give zero", _method(Memory, "load", lambda r, s, a, t: _zero_where_invalid(r(s, a, t), t)))


def _zero_where_invalid(loaded: tuple[Any, Any, Any], type_: Any) -> tuple[Any, Any, Any]:
    from counterpoint.term.walk import substitute

    value, unknown, valid = loaded
    return (value if unknown is None else substitute(value, {unknown: 0}), unknown, valid)


# ---------------------------------------------------------------- analyses that formulas rest on


def _statics() -> Iterator[Mutant]:
    def mutant(name: str, of: Any, method: str, wrong: Callable[..., Any]) -> Mutant:
        return Mutant(name, STATIC, "", lambda: setattr(of, method, wrong))

    constraints, effects = points_to._Constraints, mod_ref._memory
    result = constraints.result

    def less(what: str) -> Callable[[Any], Any]:
        return lambda self: replace(result(self), **{what: 0})

    yield mutant("points-to: loads give no pointers", constraints, "_load", lambda *given: None)
    yield mutant("points-to: what is stored is no pointer", constraints, "_store", lambda s, f, a, v: s._access(f, a))
    yield mutant("points-to: calls hand nothing over", constraints, "_call", lambda *given: None)
    yield mutant("points-to: integers are no addresses", constraints, "_cast", lambda *given: [])
    yield mutant("points-to: every object is one by one", constraints, "_classes", lambda s: tuple((o.number,) for o in s.objects))
    yield mutant("points-to: nothing is written", constraints, "result", less("written"))
    yield mutant("points-to: nothing is ended", constraints, "result", less("ended"))
    yield mutant("mod/ref: calls below do nothing", mod_ref, "_memory", lambda p, f, below, loop: effects(p, f, {}, loop))
    yield mutant("mod/ref: nothing is modified", mod_ref, "_memory", lambda *given: (0, effects(*given)[1]))


def mutants() -> list[Mutant]:
    """All of them, in a fixed order."""
    return [*_statics(), *_accesses(), *_steps(), *_operations()]
