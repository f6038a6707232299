"""Bytes of objects by what the source calls them: variables, members, elements.

Components (semantics/components.py) know an object's label, an offset and a size; the source's types (Program.names)
say what lies there. What no type tells has no name here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.program.source_types import ArrayOf, EnumType, NumberType, PointerTo, SourceVariable, StructType
from counterpoint.term.term import Op, Term, V

_CELL: Final = regex(r"(?P<label>.*)\[(?P<offset>\d+):(?P<size>\d+)\]\Z", re.DOTALL)
_ELEMENTS: Final = regex(r"(?P<label>.*)\[\*:(?P<granule>\d+)\]\Z", re.DOTALL)
_LOCAL: Final = regex(r"(?:.*\.)?([^.#]+)(?:\.[^.#]*)?#\d+\Z")

_DEEPEST: Final = 12
"""Members and elements inside of each other."""

_MOST: Final = 50
"""Scalars that contain the same bytes, in unions, that are looked at."""

_PARTS: Final = {1: "char", 2: "short", 4: "int"}
"""What casts keep the low bytes of a number."""


@dataclass(frozen=True, slots=True)
class Bytes:
    """`size` bytes of the object with the label, which a component or a read of one stands for: `of`."""

    of: Term
    label: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Part:
    """A scalar that contains some bytes: `.count`, `[3].x`, its offset and size."""

    path: str
    offset: int
    size: int


@dataclass(slots=True)
class MemoryNames:
    """What the program's source calls the bytes of its objects."""

    program: Program
    _variables: dict[str, SourceVariable | None] = field(default_factory=dict)

    def bytes_of(self, term: V) -> Bytes | None:
        """What the term reads, if that is known bytes of one object in their order in memory."""
        if not isinstance(term, Term):
            return None
        match term.op:
            case Op.VARIABLE if (cell := _CELL.match(str(term.payload))) is not None:
                return Bytes(term, cell["label"], int(cell["offset"]), int(cell["size"]))
            case Op.SELECT:
                return self._element(*term.args)
            case Op.CONCAT:
                return self._joined(term.args)
        return None

    @staticmethod
    def _element(array: V, index: V) -> Bytes | None:
        if not isinstance(array, Term) or array.op is not Op.VARIABLE or not isinstance(index, int):
            return None
        known = _ELEMENTS.match(str(array.payload))
        if known is None:
            return None
        granule = int(known["granule"])
        return Bytes(array, known["label"], index * granule, granule)

    def _joined(self, args: Sequence[V]) -> Bytes | None:
        high, low = map(self.bytes_of, args)
        if high is None or low is None or high.label != low.label:
            return None
        first, second = (high, low) if self.program.layout.big_endian else (low, high)
        if first.offset + first.size != second.offset:
            return None
        return Bytes(first.of, first.label, first.offset, first.size + second.size)

    def part(self, read: Bytes) -> Part | None:
        """The scalar of the source that contains the bytes: with just them, if there is one."""
        variable = self._variable(read.label)
        if variable is None:
            return None
        offset = read.offset + variable.offset
        found = islice(self._scalars(Part("", 0, 0), variable.type, offset, read.size), _MOST)
        return min(found, key=lambda part: part.size, default=None)

    def shift(self, read: Bytes, part: Part) -> int:
        """By how many bits the bytes are above the lowest ones of that scalar."""
        variable = self._variable(read.label)
        above = read.offset + (variable.offset if variable is not None else 0) - part.offset
        return 8 * (part.size - read.size - above if self.program.layout.big_endian else above)

    def _variable(self, label: str) -> SourceVariable | None:
        """The variable that the object with the label is, or is a part of; of locals with one name only where all have
        the same type."""
        if label not in self._variables:
            self._variables[label] = self._found(label)
        return self._variables[label]

    def _found(self, label: str) -> SourceVariable | None:
        names = self.program.names
        if label in names.objects:
            return names.objects[label]
        local = _LOCAL.match(label)
        if local is None:
            return None
        name = original(local[1])
        types = {variable.type: variable for variable in names.locals.values() if variable.name == name}
        return next(iter(types.values())) if len(types) == 1 else None

    def _scalars(self, outer: Part, type_: int | None, offset: int, size: int, depth: int = 0) -> Iterator[Part]:
        """The scalars in `outer`, which has the type, that contain `size` bytes at the offset."""
        names = self.program.names
        match names.type(type_):
            case NumberType(size=whole) | EnumType(size=whole) | PointerTo(size=whole):
                if outer.offset <= offset and offset + size <= outer.offset + whole:
                    yield Part(outer.path, outer.offset, whole)
            case ArrayOf(element) if depth < _DEEPEST and (step := names.size(element)):
                index = (offset - outer.offset) // step
                inner = Part(f"{outer.path}[{index}]", outer.offset + index * step, step)
                yield from self._scalars(inner, element, offset, size, depth + 1)
            case StructType(members=members) if depth < _DEEPEST:
                low = 8 * (offset - outer.offset)
                for member in members:
                    inside = member.offset <= low and low + 8 * size <= member.offset + member.bits
                    if inside and not member.offset % 8 and 8 * names.size(member.type) == member.bits:
                        path = f"{outer.path}.{member.name}" if member.name else outer.path
                        inner = Part(path, outer.offset + member.offset // 8, member.bits // 8)
                        yield from self._scalars(inner, member.type, offset, size, depth + 1)

    def object(self, label: str) -> str:
        """The source's name of the static object with the label, if it is a whole one; else ""."""
        variable = self.program.names.objects.get(label)
        return variable.name if variable is not None and self._name("it", label) == "it" else ""

    def _name(self, name: str, label: str) -> str:
        """That of the whole variable, where the object is a part of it; `name` is the object's. "": it is not known."""
        objects = self.program.names.objects
        variable = objects.get(label)
        if variable is None:
            return name
        parts = sum(1 for other in objects.values() if (other.name, other.at) == (variable.name, variable.at))
        if parts == 1 and not variable.offset:
            return name
        alone = len({other.at for other in objects.values() if other.name == variable.name}) == 1
        return variable.name if alone else ""

    def text(self, name: str, read: Bytes) -> tuple[str, bool] | None:
        """The C expression of the bytes, `name` being that of the object; whether it is a cast. None: not known."""
        part, name = self.part(read), self._name(name, read.label)
        if part is None or not name:
            return None
        whole = f"{name}{part.path}"
        if part.size == read.size:
            return whole, False
        if read.size not in _PARTS:
            return None
        shift = self.shift(read, part)
        return f"({_PARTS[read.size]})" + (f"({whole} >> {shift})" if shift else whole), True
