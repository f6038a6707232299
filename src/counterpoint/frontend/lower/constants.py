"""Constants and constant expressions.

A constant denotes one leaf for each scalar of its type. What has no value yet (an expression over
addresses, undef) is a leaf of its own kind, which a function body turns into instructions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.lower.irtypes import Array, IRType, NotModelled, Struct, TypeTable, Vector
from counterpoint.frontend.lower.text import matching, split_commas, split_type, string_bytes, unquoted
from counterpoint.program.model import Address, Constant
from counterpoint.program.types import DOUBLE, HALF, SINGLE, FloatType, IntType, PointerType, Type


@dataclass(frozen=True, slots=True)
class Undef:
    """Any value of the type, another one at each use."""

    type: Type


@dataclass(frozen=True, slots=True)
class Expression:
    """A constant that depends on addresses: `operation` is one of Compute's, or `offset`."""

    operation: str
    operands: tuple[Leaf, ...]
    type: Type


Leaf: TypeAlias = Constant | Address | Undef | Expression

_CASTS = {"trunc", "zext", "sext", "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast"}
_BINARY = {"add", "sub", "mul", "xor", "and", "or", "shl", "lshr", "ashr"}
_FLAGS = regex(r"^(?:(?:nuw|nsw|exact|inbounds|nusw|disjoint|inrange\([^)]*\)) )+")
_EXPRESSION = regex(r"([a-z]+) ?")


def double_bits(text: str, type_: FloatType) -> int:
    """The bits of a float constant as LLVM prints it: decimal, or hexadecimal of the double (or half)."""
    if text.startswith("0xH"):
        return int(text[3:], 16)
    if text.startswith("0x") and text[2] in "KLMR":
        raise NotModelled("long double")
    if not text.startswith("0x"):
        value = float(text)
        code, integer = {HALF: ("<e", "<H"), SINGLE: ("<f", "<I"), DOUBLE: ("<d", "<Q")}[type_]
        return int(struct.unpack(integer, struct.pack(code, value))[0])
    bits = int(text, 16)
    if type_ == DOUBLE:
        return bits
    exponent, fraction = bits >> 52 & 0x7FF, bits & (1 << 52) - 1
    if exponent == 0x7FF and type_ == SINGLE:
        return bits >> 63 << 31 | 0xFF << 23 | fraction >> 29  # a NaN keeps its payload
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    code, integer = {HALF: ("<e", "<H"), SINGLE: ("<f", "<I")}[type_]
    return int(struct.unpack(integer, struct.pack(code, value))[0])


class ConstantReader:
    """Constants by type and text. `mentioned` is told each symbol whose address occurs."""

    def __init__(self, types: TypeTable, aliases: dict[str, str], mentioned: Callable[[str], None]) -> None:
        self._types = types
        self._aliases = aliases
        self._mentioned = mentioned
        self._known: dict[tuple[IRType, str], tuple[Leaf, ...]] = {}

    def read(self, type_: IRType, text: str) -> tuple[Leaf, ...]:
        """The leaves of the constant `text` of a type. Raises NotModelled."""
        key = (type_, text)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._read(type_, text)
        return known

    def typed(self, text: str) -> tuple[IRType, tuple[Leaf, ...]]:
        """The same for a type and a constant, with a space between (attributes are skipped)."""
        type_text, rest = split_type(text)
        type_ = self._types.parse(type_text)
        return type_, self.read(type_, rest)

    def _read(self, type_: IRType, text: str) -> tuple[Leaf, ...]:
        if text in ("undef", "poison"):
            return tuple(Undef(leaf) for _, leaf in self._types.leaves(type_))
        if text in ("zeroinitializer", "null", "none"):
            return tuple(Constant(0, leaf) for _, leaf in self._types.leaves(type_))
        match type_:
            case Array() | Vector() | Struct():
                return self._aggregate(type_, text)
            case IntType(bits):
                return (self._integer(type_, bits, text),)
            case FloatType():
                return (self._float(type_, text),)
            case PointerType():
                return (self._pointer(text),)
        self._types.leaves(type_)  # raises for what has no values
        raise NotModelled(text)

    def _aggregate(self, type_: Array | Vector | Struct, text: str) -> tuple[Leaf, ...]:
        if text.startswith('c"'):
            return tuple(Constant(byte, IntType(8)) for byte in string_bytes(text))
        if text.startswith("splat (") and not isinstance(type_, Struct):
            return self.typed(text[7:-1])[1] * type_.count
        if text[0] not in "[{<":
            raise NotModelled(f"constant {text.split(' ', 1)[0]}")
        inner = text[2:-2] if text.startswith("<{") else text[1:-1]
        leaves: list[Leaf] = []
        for part in split_commas(inner.strip()):
            leaves.extend(self.typed(part)[1])
        return tuple(leaves)

    def _integer(self, type_: IntType, bits: int, text: str) -> Leaf:
        if text[0] in "-0123456789":
            return Constant(int(text) & (1 << bits) - 1, type_)
        if text in ("true", "false"):
            return Constant(int(text == "true"), type_)
        if text[:3] in ("u0x", "s0x"):
            return Constant(int(text[3:], 16) & (1 << bits) - 1, type_)
        return self._expression(type_, text)

    def _float(self, type_: FloatType, text: str) -> Leaf:
        if text[0] in "-+0123456789in":
            try:
                return Constant(double_bits(text, type_), type_)
            except (ValueError, KeyError, struct.error, OverflowError):
                raise NotModelled(f"float constant {text}") from None
        return self._expression(type_, text)

    def _pointer(self, text: str) -> Leaf:
        for prefix in ("dso_local_equivalent ", "no_cfi "):
            text = text.removeprefix(prefix)
        if text[0] != "@":
            return self._expression(self._types.pointer, text)
        name = unquoted(text[1:])
        target = self._aliases.get(name)
        if target is not None:
            return self.typed(target)[1][0]
        self._mentioned(name)
        return Address(name, 0, self._types.pointer)

    # ------------------------------------------------------------ expressions

    def _expression(self, type_: Type, text: str) -> Leaf:
        head = _EXPRESSION.match(text)
        name = head.group(1) if head else text
        opening = text.find("(")
        if head is None or opening < 0 or matching(text, opening) != len(text) - 1:
            raise NotModelled(f"constant {name}")
        inner = text[opening + 1 : -1]
        if name == "getelementptr":
            return self._address(inner)
        if name in _CASTS:
            source, _, _ = inner.rpartition(" to ")
            leaves = self.typed(source)[1]
            if name == "bitcast" and len(leaves) > 1 and isinstance(type_, IntType | FloatType):
                return self._cast(name, self._joined(leaves), type_)
            if len(leaves) != 1:
                raise NotModelled(f"constant {name} of an aggregate")
            return self._cast(name, leaves[0], type_)
        if name in _BINARY:
            parts = split_commas(_FLAGS.sub("", inner))
            left, right = (self.typed(part)[1] for part in parts)
            return Expression(name, (left[0], right[0]), type_)
        raise NotModelled(f"constant {name}")

    def _cast(self, name: str, leaf: Leaf, type_: Type) -> Leaf:
        source = leaf.type
        if name in ("ptrtoint", "ptrtoaddr"):
            if isinstance(leaf, Constant):
                return Constant(leaf.bits & (1 << type_.bits) - 1, type_)
            word = Expression("int_from_pointer", (leaf,), self._types.word)
            return self._resize(word, type_)
        if name == "inttoptr":
            if isinstance(leaf, Constant):
                return Constant(leaf.bits & (1 << type_.bits) - 1, type_)
            return Expression("pointer_from_int", (self._resize(leaf, self._types.word),), type_)
        if name in ("bitcast", "addrspacecast"):
            if type(source) is type(type_):
                return leaf
            if isinstance(leaf, Constant):
                return Constant(leaf.bits, type_)
            match source, type_:
                case IntType(bits), FloatType() if bits == type_.bits:
                    return Expression("float_from_bits", (leaf,), type_)
                case FloatType(bits), IntType() if bits == type_.bits:
                    return Expression("bits_from_float", (leaf,), type_)
            raise NotModelled(f"constant {name}")
        return Expression(name, (leaf,), type_)

    def _joined(self, leaves: tuple[Leaf, ...]) -> Leaf:
        """The elements of a vector of integers as one, element 0 lowest."""
        if self._types.layout.big_endian or not all(isinstance(leaf.type, IntType) for leaf in leaves):
            raise NotModelled("constant bitcast of a vector")
        whole = IntType(sum(leaf.type.bits for leaf in leaves))
        result: Leaf = self._resize(leaves[0], whole)
        shift = leaves[0].type.bits
        for leaf in leaves[1:]:
            moved = Expression("shl", (self._resize(leaf, whole), Constant(shift, whole)), whole)
            result = Expression("or", (result, moved), whole)
            shift += leaf.type.bits
        return result

    def _resize(self, leaf: Leaf, type_: Type) -> Leaf:
        if leaf.type.bits == type_.bits:
            return leaf
        return Expression("zext" if leaf.type.bits < type_.bits else "trunc", (leaf,), type_)

    def _address(self, inner: str) -> Leaf:
        """getelementptr with constant indices: base plus bytes."""
        parts = split_commas(_FLAGS.sub("", inner))
        current = self._types.parse(parts[0])
        base = self.typed(parts[1])[1][0]
        total = 0
        symbolic: list[tuple[Leaf, int]] = []
        for position, part in enumerate(parts[2:]):
            index_type, leaves = self.typed(_FLAGS.sub("", part))
            index = leaves[0]
            if not isinstance(index_type, IntType):
                raise NotModelled("getelementptr of vectors")
            if position and isinstance(current, Struct):
                if not isinstance(index, Constant):
                    raise NotModelled("getelementptr with a symbolic field")
                current, _, offset = self._types.member(current, index.bits)
                total += offset
                continue
            if position:
                current = element_of(current)
            stride = self._types.size(current)
            if isinstance(index, Constant):
                total += signed(index.bits, index_type.bits) * stride
            else:
                symbolic.append((index, stride))
        return self._offset(base, total, symbolic)

    def _offset(self, base: Leaf, total: int, symbolic: list[tuple[Leaf, int]]) -> Leaf:
        word = self._types.word
        if not symbolic:
            return displaced(base, total, word.bits)
        offset: Leaf = Constant(total & (1 << word.bits) - 1, word)
        for index, stride in symbolic:
            wide = index if index.type == word else _sign_resized(index, word)
            factor = Constant(stride & (1 << word.bits) - 1, word)
            offset = Expression("add", (offset, Expression("mul", (wide, factor), word)), word)
        return Expression("offset", (base, offset), self._types.pointer)


def _sign_resized(leaf: Leaf, word: IntType) -> Leaf:
    return Expression("sext" if leaf.type.bits < word.bits else "trunc", (leaf,), word)


def signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


def element_of(type_: IRType) -> IRType:
    match type_:
        case Array(element, _) | Vector(element, _):
            return element
    raise NotModelled("getelementptr into something that has no elements")


def displaced(base: Leaf, total: int, pointer_bits: int) -> Leaf:
    """`base` plus `total` bytes."""
    match base:
        case Constant(bits, type_):
            return Constant((bits + total) & (1 << pointer_bits) - 1, type_)
        case Address(symbol, offset, type_):
            moved = (offset + total) & (1 << pointer_bits) - 1
            return Address(symbol, signed(moved, pointer_bits), type_)
        case Undef():
            return base
    if total == 0:
        return base
    word = IntType(pointer_bits)
    return Expression("offset", (base, Constant(total & (1 << pointer_bits) - 1, word)), base.type)
