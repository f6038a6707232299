"""Source types from debug metadata. Whatever is odd there becomes an unknown type; nothing is raised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.debug_fields import (
    BASE_FIELD,
    ELEMENTS_FIELD,
    NAME_FIELD,
    OFFSET_FIELD,
    SIZE_FIELD,
    TAG_FIELD,
    TYPES_FIELD,
)
from counterpoint.frontend.lower.text import quoted
from counterpoint.program.source_types import (
    UNKNOWN,
    ArrayOf,
    CodeType,
    EnumType,
    Member,
    NumberType,
    PointerTo,
    SourceType,
    StructType,
    UnknownType,
)

_ENCODING: Final = regex(r"\bencoding: DW_ATE_(\w+)")
_VALUE: Final = regex(r"\bvalue: (-?\d+)")
_COUNT: Final = regex(r"\bcount: (\d+)")
_LIST_ITEM: Final = regex(r"!\d+|null")

_ENCODINGS: Final = {
    "signed": "signed",
    "signed_char": "signed",
    "unsigned": "unsigned",
    "unsigned_char": "unsigned",
    "UTF": "unsigned",
    "boolean": "boolean",
    "float": "float",
}
_QUALIFIERS: Final = frozenset(
    ["DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type", "DW_TAG_typedef"]
)
MOST_QUALIFIERS: Final = 50
"""Typedefs and qualifiers one upon the other that are looked through."""


@dataclass(slots=True)
class DebugTypes:
    """The types of one module by metadata reference, each read once and numbered."""

    metadata: Mapping[str, str]
    types: list[SourceType] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)
    _waiting: list[tuple[int, str, str]] = field(default_factory=list)

    def index(self, reference: str) -> int:
        """The number of a type; all that it refers to is read as well."""
        found = self._number(reference)
        while self._waiting:
            number, inner, alias = self._waiting.pop()
            self.types[number] = self._read(inner, alias)
        return found

    def _number(self, reference: str) -> int:
        known = self._known.get(reference)
        if known is not None:
            return known
        known = self._known[reference] = len(self.types)
        inner, alias = self._unqualified(reference)
        if inner != reference and inner in self._known and not alias:
            self._known[reference] = self._known[inner]
            return self._known[inner]
        self.types.append(UNKNOWN)
        self._waiting.append((known, inner, alias))
        return known

    def _unqualified(self, reference: str) -> tuple[str, str]:
        """The type behind typedefs and qualifiers, and the first typedef's name."""
        alias = ""
        for _ in range(MOST_QUALIFIERS):
            text = self.metadata.get(reference, "")
            tag, base = TAG_FIELD.search(text), BASE_FIELD.search(text)
            if tag is None or tag[1] not in _QUALIFIERS or base is None:
                break
            if tag[1] == "DW_TAG_typedef" and not alias:
                alias = _name(text)
            reference = base[1]
        return reference, alias

    def _base(self, text: str) -> int | None:
        base = BASE_FIELD.search(text)
        return self._number(base[1]) if base is not None else None

    def _read(self, reference: str, alias: str) -> SourceType:
        text = self.metadata.get(reference, "")
        tag = TAG_FIELD.search(text)
        size = _number_in(SIZE_FIELD, text) // 8
        if "DIBasicType(" in text:
            return _number_type(text, size, alias)
        if "DISubroutineType(" in text:
            items = self._list(TYPES_FIELD, text)
            return CodeType(self._number(items[0]) if items and items[0] != "null" else None)
        match tag[1] if tag is not None else "":
            case "DW_TAG_pointer_type":
                return PointerTo(self._base(text), size)
            case "DW_TAG_array_type":
                return self._array(text, size)
            case "DW_TAG_enumeration_type":
                return self._enumeration(text, size, alias)
            case "DW_TAG_structure_type" | "DW_TAG_union_type" | "DW_TAG_class_type":
                if _name(text).startswith("__"):  # the compiler's own: what a variable argument list is made of
                    return UnknownType(size)
                members = tuple(self._members(text))
                return StructType(_name(text) or alias, size, members, "DW_TAG_union_type" in text)
        return UnknownType(size)

    def _list(self, field_: re.Pattern[str], text: str) -> list[str]:
        listed = field_.search(text)
        return _LIST_ITEM.findall(self.metadata.get(listed[1], "")) if listed is not None else []

    def _array(self, text: str, size: int) -> SourceType:
        """Dimensions become arrays of arrays, the last one innermost."""
        element = self._base(text)
        if element is None or "DIFlagVector" in text:
            return UnknownType(size)
        dimensions = [_number_in(_COUNT, self.metadata.get(item, "")) for item in self._list(ELEMENTS_FIELD, text)]
        sizes = [size]
        for count in dimensions[:-1]:
            sizes.append(sizes[-1] // count if count else 0)
        for count, inner in reversed(list(zip(dimensions, sizes, strict=True))[1:]):
            self.types.append(ArrayOf(element, count, inner))
            element = len(self.types) - 1
        return ArrayOf(element, dimensions[0] if dimensions else 0, size)

    def _enumeration(self, text: str, size: int, alias: str) -> SourceType:
        names = []
        for item in self._list(ELEMENTS_FIELD, text):
            inner = self.metadata.get(item, "")
            if "DIEnumerator(" in inner:
                names.append((_number_in(_VALUE, inner), _name(inner)))
        signed = any(value < 0 for value, _ in names)
        return EnumType(_name(text) or alias, size, signed, tuple(names))

    def _members(self, text: str) -> list[Member]:
        found = []
        for item in self._list(ELEMENTS_FIELD, text):
            inner = self.metadata.get(item, "")
            base = BASE_FIELD.search(inner)
            if "DW_TAG_member" in inner and base is not None and "DIFlagStaticMember" not in inner:
                bits = _number_in(SIZE_FIELD, inner)
                found.append(Member(_name(inner), _number_in(OFFSET_FIELD, inner), bits, self._number(base[1])))
        return found


def _name(text: str) -> str:
    found = NAME_FIELD.search(text)
    return quoted(found[1]) if found is not None else ""


def _number_in(field_: re.Pattern[str], text: str) -> int:
    found = field_.search(text)
    return int(found[1]) if found is not None else 0


def _number_type(text: str, size: int, alias: str) -> SourceType:
    encoding, name = _ENCODING.search(text), _name(text)
    known = _ENCODINGS.get(encoding[1]) if encoding is not None else None
    if known is None:
        return UnknownType(size)
    return NumberType(alias or name, size, known, character=name == "char" and not alias)
