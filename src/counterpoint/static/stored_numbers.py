"""Addresses that memory holds and that are read as numbers: written as pointers (a union, a copy), or as numbers.

Objects are told apart by parts, where the distances of static/pointer_slots.py are known. Missed are pointers at
offsets that vary, and what is read in other parts than it was written there: an array of structures holds pointers
and numbers side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import PointerType, size_in_bytes
from counterpoint.static.alignment import MOST
from counterpoint.static.pointer_slots import distances_of
from counterpoint.static.points_to import EXTERNAL, PointsTo

Part: TypeAlias = tuple[int | None, int, bool]
"""An offset from the start of an object (None: one that varies), how many bytes from there, whether it is a pointer."""

MOST_PARTS = 64
"""Parts of one object."""


def has_stored_numbers(points: PointsTo) -> bool:
    """Some load of a number may read a part of what was computed from an object's address."""
    for name, function in points.program.functions.items():
        loads = (i for block in function.blocks for i in block.instructions if isinstance(i, m.Load))
        numbers = (i.result.index for i in loads if not isinstance(i.result.type, PointerType))
        if any(points.registers.get((name, index), 0) & ~(1 << EXTERNAL) for index in numbers):
            return True
    return False


@dataclass(slots=True)
class StoredNumbers:
    """By object: the parts that hold addresses, with the level of static/low_bits.py."""

    points: PointsTo
    parts: dict[int, dict[Part, int]] = field(default_factory=dict)
    changed: bool = False

    def __post_init__(self) -> None:
        width = self.points.program.layout.pointer_bits // 8
        for item in self.points.program.globals.values():
            for offset, value in item.pieces:
                if isinstance(value, m.Address):
                    self._add(self.points.globals[item.name], (offset, width, True), 1)

    def news(self) -> bool:
        """Whether anything was added since this was last asked."""
        changed, self.changed = self.changed, False
        return changed

    def store(self, function: str, i: m.Store, level: int) -> None:
        """The value is a number of that level, a pointer, or neither."""
        pointer = isinstance(i.value.type, PointerType)
        if not pointer and level == 0:
            return
        for number, offset in self._places(function, i.address):
            if not pointer or offset is not None:
                self._add(number, (offset, size_in_bytes(i.value.type), pointer), max(1, level))

    def copy(self, function: str, i: m.Copy) -> None:
        """What lies in the source lies in the target, at the same distance."""
        end = i.size.bits if isinstance(i.size, m.Constant) else None
        targets = [(target, there) for target, there in self._places(function, i.target) if there is not None]
        for source, start in self._places(function, i.source):
            parts = list(self.parts.get(source, {}).items()) if start is not None else []
            for (offset, size, pointer), level in parts:
                away = -1 if offset is None or start is None else offset - start
                for target, there in targets if away >= 0 and (end is None or away < end) else ():
                    self._add(target, (away + there, size, pointer), level)

    def loaded(self, function: str, i: m.Load) -> int:
        """The level of what is loaded."""
        if isinstance(i.result.type, PointerType):
            return 0
        if not self.points.registers.get((function, i.result.index), 0) & ~(1 << EXTERNAL):
            return 0
        size, found = size_in_bytes(i.result.type), 0
        for number, offset in self._places(function, i.address):
            for (start, width, pointer), level in self.parts.get(number, {}).items():
                if offset is None or start is None:
                    there = not pointer and width == size
                else:
                    there = start < offset + size and offset < start + width
                if there:
                    found = max(found, level if width == size and (start == offset or not pointer) else MOST)
        return found

    def _add(self, number: int, part: Part, level: int) -> None:
        known = self.parts.setdefault(number, {})
        if known.get(part, 0) < level and (part in known or len(known) < MOST_PARTS):
            known[part] = level
            self.changed = True

    def _places(self, function: str, address: m.Value) -> Iterator[tuple[int, int | None]]:
        for number, distances in distances_of(self.points, function, address).items():
            for offset in (None,) if distances is None else distances:
                yield number, offset
