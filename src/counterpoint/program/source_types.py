"""The types of the source, as debug information tells them: how people read what lies in memory.

Types refer to each other by their index into SourceNames.types, so that they may be recursive. What debug information
leaves open is UNKNOWN; nothing but words for people rests on these types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation


@dataclass(frozen=True, slots=True)
class NumberType:
    """`encoding`: signed, unsigned, float, boolean; `character`: the source says `char`."""

    name: str
    size: int
    encoding: str
    character: bool = False


@dataclass(frozen=True, slots=True)
class EnumType:
    """`names` are (value, name)."""

    name: str
    size: int
    signed: bool
    names: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class PointerTo:
    """`target` None: void."""

    target: int | None
    size: int


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """`count` elements; 0 where the source leaves it open."""

    element: int
    count: int
    size: int


@dataclass(frozen=True, slots=True)
class Member:
    """Offset and size in bits; `name` is empty for an unnamed structure inside another."""

    name: str
    offset: int
    bits: int
    type: int


@dataclass(frozen=True, slots=True)
class StructType:
    """A structure or union of `size` bytes."""

    name: str
    size: int
    members: tuple[Member, ...]
    union: bool = False


@dataclass(frozen=True, slots=True)
class CodeType:
    """The type of a function: `result` None: void."""

    result: int | None


@dataclass(frozen=True, slots=True)
class UnknownType:
    """What is not understood."""

    size: int = 0


SourceType: TypeAlias = NumberType | EnumType | PointerTo | ArrayOf | StructType | CodeType | UnknownType

UNKNOWN = UnknownType()


@dataclass(frozen=True, slots=True)
class SourceVariable:
    """An object's name in the source; `parameter` counts from 1, 0: it is none. A pass may have left a part of the
    variable: the object begins at its byte `offset`."""

    name: str
    type: int
    at: SourceLocation = NOWHERE
    parameter: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """A function's name in the source, and its type's index."""

    name: str
    type: int
    at: SourceLocation = NOWHERE


@dataclass(frozen=True, slots=True)
class SourceNames:
    """What objects and functions of a Program are in its source: `objects` by name of the global, `locals` by the site
    of the Allocate, `functions` by name."""

    types: tuple[SourceType, ...] = ()
    objects: Mapping[str, SourceVariable] = field(default_factory=dict)
    locals: Mapping[int, SourceVariable] = field(default_factory=dict)
    functions: Mapping[str, SourceFunction] = field(default_factory=dict)

    def type(self, index: int | None) -> SourceType:
        return self.types[index] if index is not None and 0 <= index < len(self.types) else UNKNOWN

    def size(self, index: int | None) -> int:
        """In bytes; 0 where it is not known."""
        match self.type(index):
            case CodeType():
                return 0
            case known:
                return known.size
