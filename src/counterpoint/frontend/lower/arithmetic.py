"""Instructions that only compute: arithmetic, comparison, casts, selection, parts of aggregates and vectors.

On vectors everything works lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.constants import Leaf
from counterpoint.frontend.lower.irtypes import IRType, NotModelled, Vector
from counterpoint.frontend.lower.text import split_commas, split_type
from counterpoint.program.model import Constant, Register, Value
from counterpoint.program.types import TRUTH, FloatType, IntType, PointerType, Type

Handler: TypeAlias = Callable[[Body, str, str], None]
"""Lowers one instruction: the body, the name of its result ("" if none), the text after the opcode."""

TRUE = Constant(1, TRUTH)
FALSE = Constant(0, TRUTH)
_FLAGS = frozenset(
    [
        "nuw",
        "nsw",
        "exact",
        "disjoint",
        "samesign",
        "nneg",
        "fast",
        "nnan",
        "ninf",
        "nsz",
        "arcp",
        "contract",
        "afn",
        "reassoc",
        "inbounds",
        "nusw",
    ]
)
_SWAPPED = {"ugt": "ult", "uge": "ule", "sgt": "slt", "sge": "sle"}


def without_flags(text: str) -> str:
    """The text after poison and fast-math flags: values are defined here without them."""
    while True:
        head, _, rest = text.partition(" ")
        if head not in _FLAGS:
            return text
        text = rest


def _pair(body: Body, text: str) -> tuple[IRType, tuple[Value, ...], tuple[Value, ...]]:
    """`type a, b`."""
    type_text, rest = split_type(text)
    type_ = body.types.parse(type_text)
    left, right = split_commas(rest)
    return type_, body.operands(type_, left), body.operands(type_, right)


def binary(operation: str) -> Handler:
    """An operation on two operands of the result's type."""

    def lower(body: Body, name: str, text: str) -> None:
        _, left, right = _pair(body, without_flags(text))
        if len(left) == 1:
            body.define(name, body.compute(operation, (left[0], right[0]), left[0].type, name))
            return
        lanes = zip(left, right, strict=True)
        body.define(name, *[body.compute(operation, (a, b), a.type) for a, b in lanes])

    return lower


def fneg(body: Body, name: str, text: str) -> None:
    _, values = body.typed(without_flags(text))
    body.define(name, *[body.compute("fneg", (value,), value.type, name) for value in values])


def icmp(body: Body, name: str, text: str) -> None:
    predicate, _, rest = without_flags(text).partition(" ")
    _, left, right = _pair(body, rest)
    operation = _SWAPPED.get(predicate)
    if operation is None:
        operation = predicate
    else:
        left, right = right, left
    lanes = zip(left, right, strict=True)
    body.define(name, *[body.compute(operation, pair, TRUTH, name) for pair in lanes])


def fcmp(body: Body, name: str, text: str) -> None:
    predicate, _, rest = without_flags(text).partition(" ")
    _, left, right = _pair(body, rest)
    lanes = zip(left, right, strict=True)
    body.define(name, *[float_comparison(body, predicate, a, b, name) for a, b in lanes])


def float_comparison(body: Body, predicate: str, a: Value, b: Value, name: str = "") -> Value:
    """One of LLVM's sixteen predicates, from the four that Program has."""

    def primitive(operation: str, x: Value, y: Value) -> Register:
        return body.compute(operation, (x, y), TRUTH, name)

    def negated(value: Value) -> Register:
        return body.compute("xor", (value, TRUE), TRUTH, name)

    match predicate:
        case "false":
            return FALSE
        case "true":
            return TRUE
        case "oeq":
            return primitive("feq", a, b)
        case "olt":
            return primitive("flt", a, b)
        case "ole":
            return primitive("fle", a, b)
        case "ogt":
            return primitive("flt", b, a)
        case "oge":
            return primitive("fle", b, a)
        case "uno":
            return primitive("funordered", a, b)
        case "ord":
            return negated(primitive("funordered", a, b))
        case "one":
            return body.compute("or", (primitive("flt", a, b), primitive("flt", b, a)), TRUTH, name)
        case "ueq":
            return body.compute("or", (primitive("feq", a, b), primitive("funordered", a, b)), TRUTH, name)
        case "une":
            return negated(primitive("feq", a, b))
        case "ult":
            return negated(primitive("fle", b, a))
        case "ule":
            return negated(primitive("flt", b, a))
        case "ugt":
            return negated(primitive("fle", a, b))
        case "uge":
            return negated(primitive("flt", a, b))
    raise NotModelled(f"fcmp {predicate}")


def select(body: Body, name: str, text: str) -> None:
    parts = split_commas(without_flags(text))
    condition_type, conditions = body.typed(parts[0])
    left, right = body.typed(parts[1])[1], body.typed(parts[2])[1]
    if not isinstance(condition_type, Vector):
        conditions = conditions * len(left)
    lanes = zip(conditions, left, right, strict=True)
    body.define(name, *[body.compute("select", (c, a, b), a.type, name) for c, a, b in lanes])


def freeze(body: Body, name: str, text: str) -> None:
    body.define(name, *body.typed(text)[1])


# ---------------------------------------------------------------- casts

_FLOAT_CASTS = {
    "fptrunc": "float_to_float",
    "fpext": "float_to_float",
    "sitofp": "signed_to_float",
    "uitofp": "unsigned_to_float",
    "fptosi": "float_to_signed",
    "fptoui": "float_to_unsigned",
}


def cast(operation: str) -> Handler:
    """Any cast but bitcast: scalars, or vectors lane by lane."""

    def lower(body: Body, name: str, text: str) -> None:
        source, _, target = without_flags(text).rpartition(" to ")
        values = body.typed(source)[1]
        leaves = body.types.leaves(body.types.parse(target))
        lanes = zip(values, leaves, strict=True)
        body.define(name, *[_cast(body, operation, value, type_, name) for value, (_, type_) in lanes])

    return lower


def _cast(body: Body, operation: str, value: Value, type_: Type, name: str) -> Value:
    match operation:
        case "zext" | "sext" | "trunc":
            return body.compute(operation, (value,), type_, name)
        case "ptrtoint" | "ptrtoaddr":
            if isinstance(value, Constant):
                return body.resized(Constant(value.bits, body.types.word), type_.bits)
            exact = type_.bits == body.types.word.bits
            word = body.compute("int_from_pointer", (value,), body.types.word, name if exact else "")
            return body.resized(word, type_.bits)
        case "inttoptr":
            address = body.word(value)
            if isinstance(address, Constant):
                return Constant(address.bits, type_)
            return body.compute("pointer_from_int", (address,), type_, name)
        case "addrspacecast":
            return value
    return body.compute(_FLOAT_CASTS[operation], (value,), type_, name)


def bitcast(body: Body, name: str, text: str) -> None:
    source, _, target = text.rpartition(" to ")
    values = body.typed(source)[1]
    types = [type_ for _, type_ in body.types.leaves(body.types.parse(target))]
    if len(values) == len(types):
        lanes = zip(values, types, strict=True)
        body.define(name, *[reinterpreted(body, value, type_, name) for value, type_ in lanes])
        return
    if body.types.layout.big_endian:
        raise NotModelled("bitcast between vectors on a big-endian target")
    body.define(name, *_split(body, _joined(body, values), types))


def reinterpreted(body: Body, value: Value, type_: Type, name: str = "") -> Value:
    """The same bits as another scalar type of the same width."""
    if isinstance(value, Constant):
        return Constant(value.bits, type_)
    match value.type, type_:
        case FloatType(), IntType():
            return body.compute("bits_from_float", (value,), type_, name)
        case IntType(), FloatType():
            return body.compute("float_from_bits", (value,), type_, name)
        case PointerType(), IntType():
            return body.compute("int_from_pointer", (value,), type_, name)
        case IntType(), PointerType():
            return body.compute("pointer_from_int", (value,), type_, name)
    if value.type == type_:
        return value
    raise NotModelled(f"bitcast of {value.type} to {type_}")


def _joined(body: Body, values: tuple[Value, ...]) -> Value:
    """The lanes as one integer, lane 0 lowest."""
    total = sum(value.type.bits for value in values)
    result: Value = Constant(0, IntType(total))
    shift = 0
    for value in values:
        wide = body.resized(reinterpreted(body, value, IntType(value.type.bits)), total)
        moved = body.compute("shl", (wide, Constant(shift, IntType(total))), IntType(total)) if shift else wide
        result = body.compute("or", (result, moved), IntType(total)) if shift else moved
        shift += value.type.bits
    return result


def _split(body: Body, whole: Value, types: list[Type]) -> list[Value]:
    parts: list[Value] = []
    shift = 0
    for type_ in types:
        moved = whole
        if shift:
            moved = body.compute("lshr", (whole, Constant(shift, whole.type)), whole.type)
        parts.append(reinterpreted(body, body.resized(moved, type_.bits), type_))
        shift += type_.bits
    return parts


# ---------------------------------------------------------------- aggregates and vectors


def _place(body: Body, type_: IRType, indices: list[str]) -> tuple[int, int]:
    """Position and number of the leaves that a path of indices selects."""
    start = 0
    for index in indices:
        type_, first, _ = body.types.member(type_, int(index))
        start += first
    return start, len(body.types.leaves(type_))


def extractvalue(body: Body, name: str, text: str) -> None:
    parts = split_commas(text)
    type_text, operand = split_type(parts[0])
    type_ = body.types.parse(type_text)
    start, count = _place(body, type_, parts[1:])
    body.define(name, *body.leaves(type_, operand)[start : start + count])


def insertvalue(body: Body, name: str, text: str) -> None:
    parts = split_commas(text)
    type_text, operand = split_type(parts[0])
    type_ = body.types.parse(type_text)
    start, count = _place(body, type_, parts[2:])
    leaves = list(body.leaves(type_, operand))
    part_type, part = split_type(parts[1])
    leaves[start : start + count] = body.leaves(body.types.parse(part_type), part)
    body.define(name, *leaves)


def extractelement(body: Body, name: str, text: str) -> None:
    vector, index = split_commas(text)
    type_text, operand = split_type(vector)
    lanes = body.leaves(body.types.parse(type_text), operand)
    position = body.typed(index)[1][0]
    if isinstance(position, Constant):
        if position.bits >= len(lanes):
            raise NotModelled("a vector element out of range")
        body.define(name, lanes[position.bits])
        return
    result: Value = body.materialised(lanes[0])
    for number, lane in enumerate(lanes[1:], 1):
        here = body.compute("eq", (position, Constant(number, position.type)), TRUTH)
        result = body.compute("select", (here, body.materialised(lane), result), result.type)
    body.define(name, result)


def insertelement(body: Body, name: str, text: str) -> None:
    vector, element, index = split_commas(text)
    type_text, operand = split_type(vector)
    lanes: list[Leaf | Register] = list(body.leaves(body.types.parse(type_text), operand))
    value, position = body.typed(element)[1][0], body.typed(index)[1][0]
    if isinstance(position, Constant):
        if position.bits >= len(lanes):
            raise NotModelled("a vector element out of range")
        lanes[position.bits] = value
    else:
        for number, lane in enumerate(lanes):
            here = body.compute("eq", (position, Constant(number, position.type)), TRUTH)
            lanes[number] = body.compute("select", (here, value, body.materialised(lane)), value.type)
    body.define(name, *lanes)


def shufflevector(body: Body, name: str, text: str) -> None:
    parts = split_commas(text)
    lanes: list[Leaf | Register] = []
    undefined: list[Leaf | Register] = []
    for part in parts[:2]:
        type_text, operand = split_type(part)
        type_ = body.types.parse(type_text)
        lanes.extend(body.leaves(type_, operand))
        undefined.extend(body.leaves(type_, "poison"))
    mask_type, mask_text = split_type(parts[2])
    mask = body.leaves(body.types.parse(mask_type), mask_text)
    body.define(name, *[lanes[m.bits] if isinstance(m, Constant) else undefined[0] for m in mask])


HANDLERS: dict[str, Handler] = {
    "fneg": fneg,
    "icmp": icmp,
    "fcmp": fcmp,
    "select": select,
    "freeze": freeze,
    "bitcast": bitcast,
    "extractvalue": extractvalue,
    "insertvalue": insertvalue,
    "extractelement": extractelement,
    "insertelement": insertelement,
    "shufflevector": shufflevector,
}
for _name in [
    "add",
    "sub",
    "mul",
    "udiv",
    "urem",
    "sdiv",
    "srem",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "frem",
]:
    HANDLERS[_name] = binary(_name)
for _name in (
    *["trunc", "zext", "sext", "ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast"],
    *_FLOAT_CASTS,
):
    HANDLERS[_name] = cast(_name)
