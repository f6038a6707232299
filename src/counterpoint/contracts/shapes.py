"""Types of C as far as arguments have to be made of them: numbers, pointers, structures, arrays.

clang writes a type as C does; what its names mean is told by the file's typedefs and structures.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, an enumerated value or a Boolean; `signed` None: the compiler's choice (enums, plain char)."""

    spelled: str
    signed: bool | None
    character: bool = False


@dataclass(frozen=True, slots=True)
class Real:
    """A floating-point number."""

    spelled: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """`constant`: its target must not be written through it."""

    target: str
    constant: bool


@dataclass(frozen=True, slots=True)
class Array:
    """`count` elements."""

    element: str
    count: int


@dataclass(frozen=True, slots=True)
class Record:
    """A complete structure."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A member; `name` is empty for an unnamed one, `bits` says that it is a bit-field."""

    name: str
    type: str
    bits: bool = False


@dataclass(frozen=True, slots=True)
class Other:
    """What no argument is made of: functions, unions, incomplete types, void."""

    why: str


Shape: TypeAlias = Number | Real | Pointer | Array | Record | Other

CODE: Final = "a pointer to a function"
UNION: Final = "a union"
"""Why they are no other shape."""

_SIGNED: Final = frozenset({"signed char", "short", "int", "long", "long long"})
_UNSIGNED: Final = frozenset(
    {"_Bool", "bool", "unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long"}
)
_REAL: Final = frozenset({"float", "double"})
_QUALIFIERS: Final = regex(r"\b(?:const|volatile|restrict|_Atomic)\b ?")
_ARRAY: Final = regex(r"(.*?) ?\[(\d*)\]((?:\[\d*\])*)\Z", re.DOTALL)
_AROUND: Final = regex(
    r"(?P<head>[^()]*?) ?\((?P<stars>\*[*\s\w]*)(?P<sizes>(?:\[\d+\])*)\)(?P<tail>[(\[].*)\Z", re.DOTALL
)
_WITHOUT_NAME: Final = regex(r"\((?:unnamed|anonymous)\b")
_DEEPEST: Final = 40


@dataclass(slots=True)
class Types:
    """What names mean in one file: `typedefs` by name, `records` by tag or by the typedef of an unnamed one.

    `inside`: the members of unions, and of records that have no name, by what clang writes for their type;
    `enumerators`: an enumeration's names with their values, by its tag.
    """

    typedefs: dict[str, str] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    unions: set[str] = field(default_factory=set)
    inside: dict[str, Record] = field(default_factory=dict)
    enumerators: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)

    def shape(self, type_: str, depth: int = 0) -> Shape:
        """What the type, as clang writes it, is made of."""
        text = type_.strip()
        if depth > _DEEPEST:
            return Other("a type that goes too deep")
        if "(*" in text or text.endswith(")"):
            return Other(CODE if "(*" in text else "a function")
        if text.endswith(("*", "*const", "*restrict", "*volatile", "* const", "*const restrict")):
            return self._pointer(text, depth)
        if text.endswith("]"):
            return _array(text)
        plain = _QUALIFIERS.sub("", text).strip()
        if plain in self.records:
            return self.records[plain]
        if plain in self.typedefs:
            return self.shape(self.typedefs[plain], depth + 1)
        return _named(plain, self.unions)

    def exact(self, type_: str, depth: int = 0) -> Shape:
        """The same; but records without a name, pointers to arrays and to pointers to functions, and arrays of these,
        are what they are."""
        text = type_.strip()
        plain = _QUALIFIERS.sub("", text).strip()
        if plain in self.inside:
            return Other(UNION) if plain in self.unions else self.inside[plain]
        if plain in self.typedefs and plain not in self.records and depth < _DEEPEST:
            return self.exact(self.typedefs[plain], depth + 1)
        return _around_a_name(text) if "(*" in text else self.shape(text)

    def union(self, type_: str) -> Record | None:
        """The members of a union."""
        text = _QUALIFIERS.sub("", type_).strip()
        while text in self.typedefs and text not in self.unions:
            text = _QUALIFIERS.sub("", self.typedefs[text]).strip()
        return self.inside.get(text) if text in self.unions else None

    def _pointer(self, text: str, depth: int) -> Shape:
        target = text[: text.rindex("*")].strip()
        return Pointer(target, self.is_constant(target))

    def is_constant(self, type_: str, depth: int = 0) -> bool:
        """Objects of the type must not be written."""
        text = type_.strip()
        if "*" in text:
            return "const" in text[text.rindex("*") :]
        if re.search(r"\bconst\b", text) is not None:
            return True
        inner = self.typedefs.get(_QUALIFIERS.sub("", text).strip())
        return inner is not None and depth < _DEEPEST and self.is_constant(inner, depth + 1)


def _around_a_name(text: str) -> Shape:
    """What `head (*...) tail` is, read from the place of the name outwards."""
    found = _AROUND.match(text)
    if found is None:
        return Other("a function" if text[text.index("(") + 1] != "*" else f"the type `{text}`")
    head, inner, sizes, tail = found["head"], found["stars"].rstrip(), found["sizes"], found["tail"]
    if sizes:
        size, _, more = sizes[1:].partition("]")
        return Array(f"{head} ({inner}{more}){tail}", int(size))
    target = inner[: inner.rindex("*")].rstrip()
    if target:
        return Pointer(f"{head} ({target}){tail}", "const" in target[target.rindex("*") :])
    if tail.startswith("["):
        return Pointer(f"{head}{tail}", re.search(r"\bconst\b", head) is not None)
    return Other(CODE)


def _array(text: str) -> Shape:
    found = _ARRAY.match(text)
    if found is None or not found[2]:
        return Other("an array of unknown size")
    return Array(found[1] + found[3], int(found[2]))


def _named(plain: str, unions: set[str]) -> Shape:
    if plain == "char":
        return Number(plain, None, character=True)
    if plain in _SIGNED or plain in _UNSIGNED:
        return Number(plain, plain in _SIGNED, character=plain in ("signed char", "unsigned char"))
    if plain in _REAL:
        return Real(plain)
    if plain.startswith("enum "):
        return Number(plain, None)
    if plain == "void":
        return Other("nothing")
    if plain.startswith("union ") or plain in unions:
        return Other(UNION)
    if plain.startswith("struct "):
        return Other("an incomplete structure")
    return Other(f"the type `{plain}`")


def target_text(text: str, shape: Shape) -> str:
    """What the pointer leads to, as elements can be named of it."""
    return f"(*{text})" if isinstance(shape, Array) else f"*{text}"


def spelled(types: Types, type_: str) -> str:
    """The type without its qualifiers, so that a variable of it can be assigned."""
    text = type_.strip()
    if "*" in text:
        head, _, tail = text.rpartition("*")
        return f"{head}*{_QUALIFIERS.sub('', tail).strip()}"
    return _QUALIFIERS.sub("", text).strip()


def is_unnamed(type_: str) -> bool:
    """A record without a name is part of it, which no other declaration can be of."""
    return _WITHOUT_NAME.search(type_) is not None
