"""alloca, load, store, getelementptr and the atomic operations (there is one thread)."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.lower.arithmetic import Handler, without_flags
from counterpoint.frontend.lower.body import Body, Mark
from counterpoint.frontend.lower.constants import displaced, element_of, signed
from counterpoint.frontend.lower.irtypes import IRType, NotModelled, Struct, Vector
from counterpoint.frontend.lower.text import split_commas, split_type
from counterpoint.program.model import Allocate, Constant, Load, Offset, Register, Store, Value
from counterpoint.program.types import TRUTH, IntType, Type

_ALIGN = regex(r"^align (\d+)$")
_ORDERING = regex(r" (?:syncscope\(\"[^\"]*\"\) )?(?:unordered|monotonic|acquire|release|acq_rel|seq_cst)\b")


def alloca(body: Body, name: str, text: str) -> None:
    parts = split_commas(text.removeprefix("inalloca "))
    type_ = body.types.parse(parts[0])
    alignment = body.types.alignment(type_)
    word = body.types.word
    stride, dynamic = body.types.size(type_), body.block != body.entry
    size: Value = Constant(stride, word)
    for part in parts[1:]:
        match = _ALIGN.match(part)
        if match is not None:
            alignment = int(match.group(1))
        elif part.startswith("addrspace("):
            raise NotModelled(part)
        else:
            count = body.word(body.typed(part)[1][0])
            factor = Constant(stride, word)
            if isinstance(count, Constant):
                size = Constant(count.bits * stride & (1 << word.bits) - 1, word)
            else:
                size = count if stride == 1 else body.compute("mul", (count, factor), word)
                dynamic = True
    body.allocas.add(name)
    local = body.name(name)
    site = body.context.new_site("uninitialised", local, parts[0], body.location())
    body.declare(name, site)
    result = body.register(body.types.pointer, name)
    if dynamic:
        body.dynamic.append(Mark(body.block, len(body.instructions), result))
    body.emit(Allocate(result, size, alignment, heap=False, zeroed=False, site=site, name=local, at=body.at))
    body.define(name, result)


def in_memory(type_: Type) -> Type:
    """The type that memory holds for a scalar: integers are padded with zeros to whole bytes."""
    if isinstance(type_, IntType) and type_.bits % 8:
        return IntType((type_.bits + 7) // 8 * 8)
    return type_


def _scalars(body: Body, type_: IRType) -> tuple[tuple[int, Type], ...]:
    if isinstance(type_, Vector) and type_.element.bits % 8:
        raise NotModelled("a vector of odd integers in memory")
    return body.types.leaves(type_)


def load_leaf(body: Body, address: Value, type_: Type, name: str = "") -> Value:
    """Loads one scalar."""
    held = in_memory(type_)
    result = body.register(held, name)
    body.emit(Load(result, address, body.at))
    return result if held == type_ else body.compute("trunc", (result,), type_, name)


def store_leaf(body: Body, address: Value, value: Value) -> None:
    """Stores one scalar."""
    held = in_memory(value.type)
    body.emit(Store(address, value if held == value.type else body.resized(value, held.bits), body.at))


def _plain(text: str) -> str:
    """A load's or store's text without what only matters to other threads."""
    if text.startswith("atomic "):
        text = _ORDERING.sub("", text[7:])
    return text.removeprefix("volatile ")


def load(body: Body, name: str, text: str) -> None:
    parts = split_commas(_plain(text))
    type_ = body.types.parse(parts[0])
    address = body.typed(parts[1])[1][0]
    scalars = _scalars(body, type_)
    if len(scalars) == 1 and scalars[0][0] == 0:
        body.define(name, load_leaf(body, address, scalars[0][1], name))
        return
    body.define(name, *[load_leaf(body, _displaced(body, address, offset), leaf) for offset, leaf in scalars])


def store(body: Body, name: str, text: str) -> None:
    parts = split_commas(_plain(text))
    type_, values = body.typed(parts[0])
    address = body.typed(parts[1])[1][0]
    for (offset, _), value in zip(_scalars(body, type_), values, strict=True):
        store_leaf(body, _displaced(body, address, offset), value)


# ---------------------------------------------------------------- addresses


def getelementptr(body: Body, name: str, text: str) -> None:
    """Base plus bytes: constant indices are summed here, others become arithmetic of pointer width."""
    parts = split_commas(without_flags(text))
    current = body.types.parse(parts[0])
    base_type, bases = body.typed(parts[1])
    if isinstance(base_type, Vector):
        raise NotModelled("getelementptr of vectors")
    total = 0
    symbolic: Value | None = None
    for position, part in enumerate(parts[2:]):
        index_type, index = split_type(part)
        if position and isinstance(current, Struct):
            current, _, offset = body.types.member(current, int(index))
            total += offset
            continue
        if position:
            current = element_of(current)
        value = body.scalar(body.types.parse(index_type), index)
        stride = body.types.size(current)
        if isinstance(value, Constant):
            total += signed(value.bits, value.type.bits) * stride
        elif stride:
            symbolic = _plus(body, symbolic, _scaled(body, value, stride))
    body.define(name, _displaced(body, bases[0], total, symbolic, name))


def _scaled(body: Body, index: Value, stride: int) -> Value:
    word = body.types.word
    wide = body.resized(index, word.bits, "sext")
    if stride == 1:
        return wide
    return body.compute("mul", (wide, Constant(stride & (1 << word.bits) - 1, word)), word)


def _plus(body: Body, left: Value | None, right: Value) -> Value:
    return right if left is None else body.compute("add", (left, right), body.types.word)


def _displaced(body: Body, base: Value, total: int, symbolic: Value | None = None, name: str = "") -> Value:
    """`base` plus `total` plus `symbolic` bytes."""
    word = body.types.word
    known = Constant(total & (1 << word.bits) - 1, word)
    if symbolic is None:
        if not isinstance(base, Register):
            return body.materialised(displaced(base, total, word.bits))
        if total == 0:
            return base
        offset: Value = known
    else:
        offset = body.compute("add", (symbolic, known), word) if total else symbolic
    result = body.register(body.types.pointer, name)
    body.emit(Offset(result, base, offset, body.at))
    return result


# ---------------------------------------------------------------- atomics, without other threads


_UPDATES = {
    "add": "add",
    "sub": "sub",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "max": "smax",
    "min": "smin",
    "umax": "umax",
    "umin": "umin",
    "fadd": "fadd",
    "fsub": "fsub",
}


def atomicrmw(body: Body, name: str, text: str) -> None:
    operation, _, rest = text.removeprefix("volatile ").partition(" ")
    parts = split_commas(_ORDERING.sub("", rest))
    address = body.typed(parts[0])[1][0]
    operand = body.typed(parts[1])[1][0]
    old = load_leaf(body, address, operand.type, name)
    match operation:
        case "xchg":
            new = operand
        case "nand":
            both = body.compute("and", (old, operand), operand.type)
            ones = Constant((1 << operand.type.bits) - 1, operand.type)
            new = body.compute("xor", (both, ones), operand.type)
        case _ if operation in _UPDATES:
            new = body.compute(_UPDATES[operation], (old, operand), operand.type)
        case _:
            raise NotModelled(f"atomicrmw {operation}")
    store_leaf(body, address, new)
    body.define(name, old)


def cmpxchg(body: Body, name: str, text: str) -> None:
    """The weak form never fails spuriously here: with one thread C allows both."""
    text = _ORDERING.sub("", text.removeprefix("weak ").removeprefix("volatile "))
    parts = split_commas(_ORDERING.sub("", text))
    address, expected, new = (body.typed(part)[1][0] for part in parts[:3])
    old = load_leaf(body, address, new.type, name)
    same = body.compute("eq", (old, expected), TRUTH)
    store_leaf(body, address, body.compute("select", (same, new, old), new.type))
    body.define(name, old, same)


def fence(body: Body, name: str, text: str) -> None:
    """One thread: nothing."""


HANDLERS: dict[str, Handler] = {
    "alloca": alloca,
    "load": load,
    "store": store,
    "getelementptr": getelementptr,
    "atomicrmw": atomicrmw,
    "cmpxchg": cmpxchg,
    "fence": fence,
}
