"""What lies at an address, in the source's words: variables, members, elements, and what pointers lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.execute.memory import Memory
from counterpoint.explain.objects import Objects, RunObject
from counterpoint.explain.values import LONGEST_STRING, number_text, string_text
from counterpoint.program.source_types import (
    ArrayOf,
    EnumType,
    NumberType,
    PointerTo,
    SourceNames,
    StructType,
)

MOST_CELLS: Final = 2_000
"""Pointers in memory that are followed to find a name for a block."""

MOST_ELEMENTS: Final = 64
"""Elements of an array that are looked through for pointers."""

DEEPEST: Final = 12
"""Members and elements inside each other that are looked into."""

LONGEST_PATH: Final = 60
"""Characters of a pointer's name that blocks are named by."""

BLOCK: Final = "block of {} byte{}"


@dataclass(frozen=True, slots=True)
class View:
    """An object, or a part of one, by a C expression: `text` is of it or, with `pointer`, of a pointer to it."""

    text: str
    pointer: bool
    type: int | None
    address: int

    @property
    def whole(self) -> str:
        return f"*{self.text}" if self.pointer else self.text

    def member(self, name: str, type_: int, offset: int) -> View:
        """A member; one of an unnamed structure keeps the text."""
        if not name:
            return View(self.text, self.pointer, type_, self.address + offset)
        return View(f"{self.text}{'->' if self.pointer else '.'}{name}", False, type_, self.address + offset)

    def element(self, index: int, type_: int, size: int) -> View:
        inner = f"(*{self.text})" if self.pointer else self.text
        return View(f"{inner}[{index}]", False, type_, self.address + index * size)


@dataclass(slots=True)
class Naming:
    """Names at one moment of a run: `locals` are the addresses of the variables of its calls, innermost first."""

    names: SourceNames
    objects: Objects
    memory: Memory
    locals: list[list[int]]
    _reached: dict[int, View] | None = None
    _order: list[int] = field(default_factory=list)

    # ---------------------------------------------------------------- variables

    def variable(self, item: RunObject) -> View | None:
        """A named object as a whole."""
        if item.variable is None or not item.variable.name:
            return None
        return View(item.variable.name, False, item.variable.type, item.base)

    def lookup(self, name: str) -> tuple[View, RunObject] | None:
        """The variable of that name that the innermost call sees."""
        for base in reversed(self.locals[0] if self.locals else []):
            item = self.objects.by_base.get(base)
            if item is not None and item.variable is not None and item.variable.name == name and self._lives(item):
                return View(name, False, item.variable.type, base), item
        for item in self.objects.by_base.values():
            if item.kind == "static" and item.variable is not None and item.variable.name == name:
                return View(name, False, item.variable.type, item.base), item
        return None

    def _lives(self, item: RunObject) -> bool:
        block = self.memory.block_at(item.base)
        return block is not None and block.live

    def _roots(self) -> Iterator[View]:
        for number, bases in enumerate(self.locals):
            for base in bases:
                item = self.objects.by_base.get(base)
                if item is not None and self._lives(item) and (view := self.variable(item)) is not None:
                    yield view
            if number == 0:
                yield from self._statics()

    def _statics(self) -> Iterator[View]:
        for item in self.objects.by_base.values():
            if item.kind == "static" and (view := self.variable(item)) is not None:
                yield view

    # ---------------------------------------------------------------- pointers

    def pointer_at(self, address: int, size: int) -> int | None:
        contents = self.memory.read(address, size) if not self.memory.is_external(address, size) else None
        return int.from_bytes(contents, "big" if self.memory.big_endian else "little") if contents else None

    def _cells(self, view: View, depth: int = 0) -> Iterator[tuple[View, PointerTo]]:
        """The pointers in an object."""
        match self.names.type(view.type):
            case PointerTo() as type_:
                yield view, type_
            case StructType(members=members) if depth < DEEPEST:
                for member in members[:MOST_ELEMENTS]:
                    yield from self._cells(view.member(member.name, member.type, member.offset // 8), depth + 1)
            case ArrayOf(element, count) if depth < DEEPEST and (size := self.names.size(element)):
                for index in range(min(count, MOST_ELEMENTS)):
                    yield from self._cells(view.element(index, element, size), depth + 1)

    def reached(self) -> dict[int, View]:
        """How blocks without a name are reached: by their base, what a pointer there points to."""
        if self._reached is None:
            self._reached = {}
            waiting = list(self._roots())
            left = MOST_CELLS
            for view in waiting:  # grows
                for cell, type_ in self._cells(view):
                    left -= 1
                    if left < 0:
                        return self._reached
                    self._follow(cell, type_, waiting)
        return self._reached

    def _follow(self, cell: View, type_: PointerTo, waiting: list[View]) -> None:
        assert self._reached is not None
        value = self.pointer_at(cell.address, type_.size)
        block = self.memory.block_of(value) if value else None
        if value is None or block is None or self.names.size(type_.target) == 0:
            return
        item = self.objects.by_base.get(block.base)
        if item is None or item.kind != "heap" or block.base in self._reached or len(cell.text) > LONGEST_PATH:
            return
        target = View(cell.whole if not cell.pointer else f"(*{cell.text})", True, type_.target, value)
        self._reached[block.base] = target
        waiting.append(target)

    # ---------------------------------------------------------------- parts

    def view_of(self, item: RunObject, address: int) -> View | None:
        """The object by a name of its own or by a pointer; of an array of a pointer's targets, the one at `address`."""
        named = self.variable(item)
        if named is not None:
            return named
        target = self.reached().get(item.base)
        if target is None:
            return None
        size = self.names.size(target.type)
        index = (address - target.address) // size if size else 0
        if index > 0 and self.is_open(target.type):
            return target
        if index == 0 and (isinstance(self.names.type(target.type), StructType) or item.size == size):
            return target
        return View(f"{target.text}[{index}]", False, target.type, target.address + index * size)

    def member(self, view: View, name: str) -> View | None:
        """The member of that name, also of an unnamed structure inside."""
        known = self.names.type(view.type)
        for member in known.members if isinstance(known, StructType) else ():
            if member.offset % 8 or member.bits % 8:
                continue
            inner = view.member(member.name, member.type, member.offset // 8)
            if member.name == name:
                return inner
            if not member.name and (deeper := self.member(inner, name)) is not None:
                return deeper
        return None

    def is_open(self, type_: int | None) -> bool:
        """Whether a structure ends with an array without a size."""
        known = self.names.type(type_)
        return isinstance(known, StructType) and bool(known.members) and known.members[-1].bits == 0

    def part(self, view: View, address: int, size: int) -> View:
        """The smallest part of the view that contains the bytes at the address."""
        for _ in range(DEEPEST):
            inner = self._inner(view, address, size)
            if inner is None:
                break
            view = inner
        return view

    def _inner(self, view: View, address: int, size: int) -> View | None:
        away = address - view.address
        match self.names.type(view.type):
            case StructType(members=members):
                fitting = [
                    view.member(member.name, member.type, member.offset // 8)
                    for member in members
                    if member.offset <= 8 * away and 8 * (away + size) <= member.offset + (member.bits + 7) // 8 * 8
                ]
                same = [inner for inner in fitting if self.names.size(inner.type) == size]
                return next(iter(same or fitting), None)
            case ArrayOf(element) if step := self.names.size(element):
                index = away // step
                return view.element(index, element, step) if away + size <= (index + 1) * step else None
        return None

    # ---------------------------------------------------------------- values

    def value(self, view: View, own: str = "") -> str:
        """The value of a number or pointer; "" if it cannot be told."""
        size = self.names.size(view.type)
        contents = self.memory.read(view.address, size) if size else None
        if contents is None:
            return ""
        match self.names.type(view.type):
            case NumberType() | EnumType() as type_:
                return number_text(type_, contents, self.memory.big_endian)
            case PointerTo(target):
                number = int.from_bytes(contents, "big" if self.memory.big_endian else "little")
                return self.pointer(number, target, own or view.whole)
        return ""

    def pointer(self, value: int, target: int | None, own: str = "") -> str:
        """A pointer's value: `&x`, `a + 3`, `null`, a string. `own` is the pointer's own name, which says nothing."""
        if value == 0:
            return "null"
        item = self.objects.owner(value)
        if item is None or value > item.base + item.size:
            outside = self.memory.is_external(value, 0)
            return "an object outside the program" if outside else f"0x{value:x}"
        if item.kind == "code":
            return item.name or "a function"
        if item.ended is not None and not self._lives(item):
            return "a freed block" if item.kind == "heap" else f"&{item.name} (whose life is over)"
        return self._inside(item, value, target, own)

    def _inside(self, item: RunObject, value: int, target: int | None, own: str) -> str:
        named = self.variable(item)
        if named is not None:
            return self.address_text(named, value, item)
        if item.kind == "static":
            block = self.memory.block_at(item.base)
            held = bytes(block.data[value - item.base : value - item.base + LONGEST_STRING + 2]) if block else b""
            return string_text(held, ended=True) if 0 in held else BLOCK.format(item.size, "s" * (item.size != 1))
        reached = self.reached().get(item.base)
        if reached is None or reached.text == own or reached.text.startswith((f"{own}->", f"{own}[", f"{own}.")):
            where = f" + {value - item.base}" if value != item.base else ""
            return BLOCK.format(item.size, "s" * (item.size != 1)) + where
        size, away = self.names.size(reached.type), value - reached.address
        if away == 0:
            return reached.text
        if size and away % size == 0:
            return f"{reached.text} {'+' if away > 0 else '-'} {abs(away) // size}"
        part = self.part(reached, value, 1)
        return f"&{part.whole}" if part.address == value else f"{BLOCK.format(item.size, 's')} + {value - item.base}"

    def address_text(self, view: View, value: int, item: RunObject) -> str:
        """An address in a named object."""
        for _ in range(DEEPEST):
            if view.address == value or value == item.base + item.size:
                break
            inner = self._inner(view, value, 1)
            if inner is None:
                break
            match self.names.type(view.type):
                case ArrayOf(element) if isinstance(self.names.type(element), NumberType):
                    break
            view = inner
        away = value - view.address
        match self.names.type(view.type):
            case ArrayOf(element) if step := self.names.size(element):
                if away == 0:
                    return view.whole
                return f"{view.whole} + {away // step}" if away % step == 0 else f"{view.whole} + {away} bytes"
        whole = f"&{view.whole}"
        return whole if away == 0 else f"{whole} + {away} byte{'s' * (away != 1)}"


Moment = Callable[[], Naming]
"""The names of now."""
