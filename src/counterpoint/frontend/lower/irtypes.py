"""LLVM's types with the sizes, alignments and offsets that the data layout gives them."""

from __future__ import annotations

import re
from typing import TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.lower.text import matching, split_commas
from counterpoint.program.types import (
    DOUBLE,
    HALF,
    SINGLE,
    FloatType,
    IntType,
    Layout,
    PointerType,
    Type,
)

LARGEST_VALUE = 4096
"""Aggregates with more scalars than this are not modelled as values (in memory they may have any size)."""


class NotModelled(Exception):
    """A construct without a meaning in Program: the instruction that has it becomes Unsupported.

    Never leaves the lowering. The argument says what it is, for the user.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    element: IRType
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    element: Type
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    fields: tuple[IRType, ...]
    packed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A type whose values are not modelled; objects that contain it still have the right size (in bits)."""

    text: str
    bits: int


@dataclass(frozen=True, slots=True, eq=False)
class Void:
    pass


# Compound types are the same if they are the same object (one per text): nested ones are slow to hash.
IRType: TypeAlias = Type | Array | Vector | Struct | Opaque | Void
VOID = Void()

_OPAQUE_BITS = {"x86_fp80": 80, "fp128": 128, "ppc_fp128": 128, "bfloat": 16, "x86_amx": 8192, "token": 0}
_OPAQUE_NAMES = {"x86_fp80": "long double (80 bits)", "fp128": "long double (128 bits)"}
_SEQUENCE = regex(r"(\d+) x ")


def _padded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


class TypeTable:
    """Types by their text, and their layout. Sizes and alignments are in bytes."""

    def __init__(self, datalayout: str, triple: str, named: dict[str, str]) -> None:
        self._named = named
        self._parsed: dict[str, IRType] = {"void": VOID, "half": HALF, "float": SINGLE, "double": DOUBLE}
        self._leaves: dict[IRType, tuple[tuple[int, Type], ...]] = {}
        self._sizes: dict[IRType, int] = {}
        self._offsets: dict[Struct, tuple[int, ...]] = {}
        # LLVM's defaults; a module's datalayout overrides them one by one.
        self._integers = {1: 1, 8: 1, 16: 2, 32: 4, 64: 4}
        self._floats = {16: 2, 32: 4, 64: 8, 80: 16, 128: 16}
        self._vectors = {64: 8, 128: 16}
        self._pointer_bits, self._pointer_alignment = 64, 8
        big_endian = False
        for part in datalayout.split("-"):
            if part in ("e", "E"):
                big_endian = part == "E"
            else:
                self._specify(part)
        self.layout = Layout(self._pointer_bits, big_endian, triple)
        self.pointer = PointerType(self._pointer_bits)
        self.word = IntType(self._pointer_bits)
        self._parsed["ptr"] = self.pointer

    def _specify(self, part: str) -> None:
        match = re.fullmatch(r"(p0?|[ivf]\d+):(\d+)(?::(\d+))?(?::.*)?", part)
        if match is None:
            return
        key, first, second = match.group(1), int(match.group(2)), match.group(3)
        if key in ("p", "p0"):
            self._pointer_bits = first
            self._pointer_alignment = int(second or first) // 8
        elif first >= 8:
            table = {"i": self._integers, "f": self._floats, "v": self._vectors}[key[0]]
            table[int(key[1:])] = first // 8

    # ------------------------------------------------------------ from text

    def parse(self, text: str) -> IRType:
        """The type that `text` denotes; types without a meaning here become Opaque."""
        known = self._parsed.get(text)
        if known is None:
            known = self._parsed[text] = self._parse(text)
        return known

    def _parse(self, text: str) -> IRType:
        match text[0]:
            case "i" if text[1:].isdigit():
                return IntType(int(text[1:]))
            case "[":
                counted = _SEQUENCE.match(text, 1)
                if counted is None:
                    return Opaque(text, 0)
                return Array(self.parse(text[counted.end() : -1]), int(counted.group(1)))
            case "<" if text[1] == "{":
                return self._struct(text[2:-2], packed=True)
            case "<":
                counted = _SEQUENCE.match(text, 1)
                element = self.parse(text[counted.end() : -1]) if counted else None
                if counted is None or not isinstance(element, IntType | FloatType | PointerType):
                    return Opaque(text, 0)
                return Vector(element, int(counted.group(1)))
            case "{":
                return self._struct(text[1:-1], packed=False)
            case "%":
                body = self._named.get(text)
                return Opaque(text, 0) if body is None or body == "opaque" else self.parse(body)
        if text.startswith("ptr addrspace("):
            return self.pointer if text == "ptr addrspace(0)" else Opaque(text, self._pointer_bits)
        return Opaque(_OPAQUE_NAMES.get(text, text), _OPAQUE_BITS.get(text, 0))

    def _struct(self, inner: str, packed: bool) -> Struct:
        return Struct(tuple(self.parse(part) for part in split_commas(inner.strip())), packed)

    # ------------------------------------------------------------ layout

    def alignment(self, type_: IRType) -> int:
        match type_:
            case IntType(bits):
                wider = [width for width in self._integers if width >= bits]
                return self._integers[min(wider) if wider else max(self._integers)]
            case FloatType():
                return self._floats[type_.bits]
            case PointerType():
                return self._pointer_alignment
            case Array(element, _):
                return self.alignment(element)
            case Vector(element, count):
                bits = element.bits * count
                return self._vectors.get(bits) or 1 << max(0, (bits + 7) // 8 - 1).bit_length()
            case Struct(fields, packed):
                return 1 if packed else max((self.alignment(part) for part in fields), default=1)
            case Opaque(_, bits):
                return self._floats.get(bits, 1)
            case Void():
                return 1

    def size(self, type_: IRType) -> int:
        """The distance between consecutive elements of an array of the type."""
        known = self._sizes.get(type_)
        if known is None:
            known = self._sizes[type_] = self._size(type_)
        return known

    def _size(self, type_: IRType) -> int:
        match type_:
            case IntType() | FloatType() | PointerType() | Opaque():
                return _padded((type_.bits + 7) // 8, self.alignment(type_))
            case Vector(element, count):
                return _padded((element.bits * count + 7) // 8, self.alignment(type_))
            case Array(element, count):
                return self.size(element) * count
            case Struct(fields, _):
                if not fields:
                    return 0
                end = self.offsets(type_)[-1] + self.size(fields[-1])
                return _padded(end, self.alignment(type_))
            case Void():
                return 0

    def offsets(self, struct: Struct) -> tuple[int, ...]:
        known = self._offsets.get(struct)
        if known is not None:
            return known
        offsets: list[int] = []
        end = 0
        for part in struct.fields:
            offset = end if struct.packed else _padded(end, self.alignment(part))
            offsets.append(offset)
            end = offset + self.size(part)
        self._offsets[struct] = tuple(offsets)
        return self._offsets[struct]

    # ------------------------------------------------------------ scalars

    def leaves(self, type_: IRType) -> tuple[tuple[int, Type], ...]:
        """The scalars that a value of the type consists of, each with its offset in memory.

        Raises NotModelled for types that have none, and for values of more than LARGEST_VALUE scalars.
        """
        known = self._leaves.get(type_)
        if known is None:
            if self._count(type_) > LARGEST_VALUE:
                raise NotModelled("a value of more than 4096 scalars")
            known = self._leaves[type_] = tuple(self._flatten(type_, 0))
        return known

    def _count(self, type_: IRType) -> int:
        match type_:
            case Array(element, count):
                return count * self._count(element)
            case Vector(_, count):
                return count
            case Struct(fields, _):
                return sum(self._count(part) for part in fields)
        return 1

    def _flatten(self, type_: IRType, base: int) -> list[tuple[int, Type]]:
        match type_:
            case IntType() | FloatType() | PointerType():
                return [(base, type_)]
            case Vector(element, count):
                if element.bits % 8:
                    # Lanes narrower than a byte are packed in memory; only values of them are modelled.
                    return [(base, element)] * count
                stride = element.bits // 8
                return [(base + lane * stride, element) for lane in range(count)]
            case Array(element, count):
                stride = self.size(element)
                return [leaf for index in range(count) for leaf in self._flatten(element, base + index * stride)]
            case Struct(fields, _):
                pairs = zip(fields, self.offsets(type_), strict=True)
                return [leaf for part, offset in pairs for leaf in self._flatten(part, base + offset)]
            case Void():
                return []
            case Opaque(text, _):
                raise NotModelled(text)

    def member(self, type_: IRType, index: int) -> tuple[IRType, int, int]:
        """A part of an aggregate: its type, its first leaf's position and its offset in memory."""
        match type_:
            case Struct(fields, _):
                first = sum(self._count(part) for part in fields[:index])
                return fields[index], first, self.offsets(type_)[index]
            case Array(element, _):
                return element, index * self._count(element), index * self.size(element)
        raise NotModelled("a part of something that has none")


def skip_attributes(text: str) -> str:
    """What follows the words (with their parenthesised arguments) that stand before a type."""
    while text and not _starts_type(text):
        end = 0
        while end < len(text) and text[end] not in " (":
            end = text.find('"', end + 1) + 1 if text[end] == '"' else end + 1
        if end < len(text) and text[end] == "(":
            end = matching(text, end) + 1
        text = text[end:].lstrip()
    return text


_WORD_TYPE = regex(r"(?:i\d+|ptr|void|half|float|double|x86_fp80|fp128|ppc_fp128|bfloat|token|x86_amx)(?![\w(])")


def _starts_type(text: str) -> bool:
    return text[0] in "[{<%" or _WORD_TYPE.match(text) is not None


_INDEX = regex(r"i\d+ (-?\d+)")


def constant_offset(types: TypeTable, type_text: str, indices: list[str]) -> int | None:
    """Bytes that getelementptr adds with these `iN value` indices; None if one is not a constant."""
    total = 0
    current = types.parse(type_text)
    for position, index in enumerate(indices):
        match = _INDEX.fullmatch(index)
        if match is None:
            return None
        value = int(match[1])
        if position == 0:
            total += value * types.size(current)
        elif isinstance(current, Struct):
            total += types.offsets(current)[value]
            current = current.fields[value]
        elif isinstance(current, Array):
            current = current.element
            total += value * types.size(current)
        else:
            return None
    return total


def accessed_bytes(types: TypeTable, type_text: str) -> int:
    """Bytes that a load or store of the type touches."""
    type_ = types.parse(type_text)
    match type_:
        case Struct() | Array() | Vector():
            return types.size(type_)
        case Opaque(_, bits):
            return (bits + 7) // 8
    return (int(getattr(type_, "bits", 8)) + 7) // 8
