"""Static objects: globals with their initialisers, and functions whose address is taken."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.constant_parts import of_global
from counterpoint.frontend.debug_fields import ATTACHED
from counterpoint.frontend.lower.constants import Expression, Leaf, Undef
from counterpoint.frontend.lower.context import Context
from counterpoint.frontend.lower.irtypes import Array as ArrayType
from counterpoint.frontend.lower.irtypes import IRType, NotModelled, Opaque, Struct, Vector
from counterpoint.frontend.lower.text import split_commas, split_type, string_bytes
from counterpoint.program.model import Address, Constant, Global, Value
from counterpoint.program.names import original
from counterpoint.program.types import BYTE, IntType

CODE_ALIGNMENT = 16
_KIND = regex(r"(?:^|.*? )(global|constant) ")
_ALIGN = regex(r"^align (\d+)")


@dataclass(frozen=True, slots=True)
class StaticObject:
    """A global, and what of its initialiser must be computed at the start: (offset, leaf)."""

    object: Global
    computed: tuple[tuple[int, Leaf], ...]


def read_object(context: Context, name: str) -> StaticObject:
    """The object or function of that name. Raises NotModelled if the module gives it no contents."""
    text = context.module.globals.get(name)
    if text is None:
        if name in context.module.functions or name in context.module.declared:
            return StaticObject(Global(name, 0, CODE_ALIGNMENT, code=True), ())
        raise NotModelled(f"the address of {original(name)}, which the program does not define")
    kind = _KIND.match(text)
    if kind is None or "external " in text[: kind.start(1)] or "extern_weak " in text[: kind.start(1)]:
        raise NotModelled(f"the object {original(name)}, which the program does not define")
    parts = split_commas(text[kind.end() :])
    type_text, initialiser = split_type(parts[0])
    type_ = context.types.parse(type_text)
    alignment = context.types.alignment(type_)
    for part in parts[1:]:
        match = _ALIGN.match(part)
        if match is not None:
            alignment = int(match.group(1))
    pieces: list[tuple[int, Value]] = []
    computed: list[tuple[int, Leaf]] = []
    for offset, leaf in _contents(context, type_, initialiser, 0):
        if isinstance(leaf, Expression):
            _expression_piece(context, offset, leaf, pieces, computed)
        elif isinstance(leaf, Constant | Address):
            pieces.append((offset, leaf))
    at = ATTACHED.search(text)
    return StaticObject(
        Global(
            name,
            context.types.size(type_),
            alignment,
            tuple(pieces),
            constant=kind.group(1) == "constant" and not computed,
            at=context.locations.location(at.group(1)) if at else Global(name, 0, 1).at,
            constant_parts=() if computed or kind.group(1) == "constant" else of_global(context.module.metadata, text),
        ),
        tuple(computed),
    )


def _expression_piece(
    context: Context,
    offset: int,
    leaf: Expression,
    pieces: list[tuple[int, Value]],
    computed: list[tuple[int, Leaf]],
) -> None:
    """An address kept in an integer as wide as a pointer is the same bytes; all else is computed later."""
    match leaf:
        case Expression("int_from_pointer", (Address() as address,), type_) if type_ == context.types.word:
            pieces.append((offset, address))
        case _:
            computed.append((offset, leaf))


def _contents(context: Context, type_: IRType, text: str, base: int) -> list[tuple[int, Leaf]]:
    """The scalars that are not zero, with their offsets. Undefined bytes of a static object are zero."""
    if text in ("zeroinitializer", "undef", "poison", "null"):
        return []
    if text.startswith('c"'):
        data = string_bytes(text)
        return [(base + index, Constant(byte, BYTE)) for index, byte in enumerate(data) if byte]
    types = context.types
    match type_:
        case ArrayType(element, _) if text[0] == "[":
            stride = types.size(element)
            return [
                leaf
                for index, part in enumerate(split_commas(text[1:-1].strip()))
                for leaf in _contents(context, element, split_type(part)[1], base + index * stride)
            ]
        case Struct(fields, _) if text[0] in "{<":
            inner = text[2:-2] if text[0] == "<" else text[1:-1]
            parts = split_commas(inner.strip())
            triples = zip(fields, types.offsets(type_), parts, strict=True)
            return [
                leaf
                for field, offset, part in triples
                for leaf in _contents(context, field, split_type(part)[1], base + offset)
            ]
        case Opaque(_, 80) if text.startswith("0xK"):
            return [(base, Constant(int(text[3:], 16), IntType(80)))]
    if isinstance(type_, Vector) and type_.element.bits % 8:
        raise NotModelled("a vector of odd integers in memory")
    leaves = context.constants.read(type_, text)
    offsets = types.leaves(type_)
    return [
        (base + offset, _in_memory(leaf))
        for (offset, _), leaf in zip(offsets, leaves, strict=True)
        if not isinstance(leaf, Undef) and not (isinstance(leaf, Constant) and leaf.bits == 0)
    ]


def _in_memory(leaf: Leaf) -> Leaf:
    if isinstance(leaf, Constant) and isinstance(leaf.type, IntType) and leaf.type.bits % 8:
        return Constant(leaf.bits, IntType((leaf.type.bits + 7) // 8 * 8))
    return leaf
