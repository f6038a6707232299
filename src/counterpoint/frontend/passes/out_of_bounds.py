"""Accesses at constant offsets that leave their local, before LLVM takes the local apart.

SROA cuts off what an access has outside of its local, and drops an access that starts there: the arbitrary value that
a read gives would be lost. So before SROA runs, such an access is led to NOWHERE, where it is as invalid, and LLVM
knows nothing about it. A copy between the local and memory elsewhere, which SROA cuts into pieces, is one access:
`__cp_whole` leads all of it nowhere if any of it is outside there.

What cannot be judged beforehand must not become an access at a constant offset while SROA runs: the local is pinned,
kept by a call, until the next run. That is so where its address lies in a local, which may be promoted, where it is
merged with others, and at indices that are choices, which SROA may split into constant ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import field
from enum import IntEnum

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.locals import ALLOCA, dynamic_count
from counterpoint.frontend.irtext import FunctionText, ModuleText, argument, leading_type, parse, parse_call
from counterpoint.frontend.lower.irtypes import NotModelled, TypeTable, accessed_bytes, constant_offset
from counterpoint.frontend.lower.text import split_commas
from counterpoint.program.external import NOWHERE
from counterpoint.program.types import size_in_bytes

_PIN = "__cp_pin"
_WHOLE = "__cp_whole"
_PINS = regex(rf"^(?:  call void|declare void) @{_PIN}\(.*\n", re.MULTILINE)
_REGISTER = regex(r"%[-\w.$]+")
_ACCESS = regex(r"^  (?:%[^ ]+ = load|store) (?:atomic )?(?:volatile )?")
_ADDRESS = regex(r"^  (%[^ ]+) = getelementptr (?:(?:inbounds|nuw|nusw) )*(.*)$")
_MERGED = regex(r"^  (%[^ ]+) = (?:phi ptr|select i1) ")
_LEFT_WHOLE = regex(rf"^  (%[^ ]+) = call ptr @{_WHOLE}\(ptr ([^ ]+), i\d+ (\d+)\)")
_INTEGER = regex(r"^  (?:(%[^ ]+) = load|store) i(\d+)(?: (%[-\w.$]+))?, ptr ([^ ,]+),")
_DEFINED = regex(r" = (?:[\w()]+ )*?(?:global|constant) ")
_SEGMENTS = ("@llvm.memcpy", "@llvm.memmove", "@llvm.memset")
_IGNORED = ("#dbg_", "@llvm.lifetime.", " = icmp ")


class Pin(IntEnum):
    """Whether a local has to be pinned; CHANGES: another run of SROA may see more of it."""

    NONE = 0
    STAYS = 1
    CHANGES = 2


@dataclass(frozen=True, slots=True)
class Guarded:
    """A module that SROA may work on. `pinned`: so many locals are pinned, of which some may be free behind SROA if
    `again`."""

    text: str
    pinned: int
    again: bool


def guarded(text: str, round_: int) -> Guarded:
    """The module with accesses that leave their local led nowhere, and pins where that cannot be told.

    `round_` keeps new names apart.
    """
    if " = alloca " not in text:
        return Guarded(text, 0, False)
    module = parse(text)
    types = TypeTable(module.datalayout, module.triple, module.types)
    changed = False
    pins: list[Pin] = []
    for function in module.functions.values():
        if any(" = alloca " in line for line in function.lines):
            led, found = _Function(function, module, types, round_).guard()
            changed |= led
            pins += found
    if changed and any(f"@{_WHOLE}(" in line for function in module.functions.values() for line in function.lines):
        module.declared[_WHOLE] = f"declare ptr @{_WHOLE}(ptr, i{types.layout.pointer_bits})"
    if pins:
        module.declared[_PIN] = f"declare void @{_PIN}(ptr)"
    return Guarded(module.text() if changed or pins else text, len(pins), Pin.CHANGES in pins)


def without_pins(text: str) -> str:
    """Undoes the pins of `guarded`."""
    return _PINS.sub("", text)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a local that a line accesses; `other` is the address that it is copied to or from, "" for none."""

    line: int
    start: int
    end: int
    other: str = ""


@dataclass(slots=True)
class _Reach:
    """What is computed from a local's address: offsets in bytes by register; those of `merged` may be other addresses.

    `nowhere`: lines with an access that leaves the local, and the register to be replaced there; `judged`: lines that
    ask whether an access is inside, with what they are now; `stored`: where the address is stored; `escapes`: a call
    is given it.
    """

    size: int
    offsets: dict[str, int]
    merged: set[str] = field(default_factory=set)
    nowhere: list[tuple[int, str]] = field(default_factory=list)
    judged: dict[int, str] = field(default_factory=dict)
    pieces: list[_Piece] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    escapes: bool = False
    pin: Pin = Pin.NONE

    def settle(self, addresses: Set[str]) -> None:
        """Decides on the pin, all addresses of locals being known. SROA leaves alone what a call is given. Memory that
        holds the address and is no local at a known place stays as it is while SROA runs."""
        if any(place in addresses for place in self.stored):
            self.pinned(Pin.CHANGES)
        if self.escapes:
            self.pin = Pin.NONE

    def pinned(self, pin: Pin) -> None:
        self.pin = max(self.pin, pin)

    def inside(self, register: str, size: int) -> bool:
        return register not in self.merged and self.offsets.get(register, self.size) + size <= self.size


class _Function:
    """One function's locals and what is done with their addresses."""

    def __init__(self, function: FunctionText, module: ModuleText, types: TypeTable, round_: int) -> None:
        self.module = module
        self.prefix = f"%cp.whole{round_}."
        self.lines = function.lines
        self.function = function
        self.types = types
        self.mask = (1 << types.layout.pointer_bits) - 1
        self.nowhere = f"inttoptr (i{types.layout.pointer_bits} {NOWHERE} to ptr)"
        self.mentions: dict[str, list[int]] = {}
        self.values: dict[str, list[int]] = {}
        self.choices: set[str] = set()  # indices that SROA may split into constant ones
        for number, line in enumerate(self.lines):
            if " = select " in line or " = phi " in line or " = zext i1 " in line:
                self.choices.add(line[2 : line.index(" = ")])
            found = _INTEGER.match(line) if "ptr" in line else None
            if found is not None and int(found[2]) > 8 and (value := found[1] or found[3]) is not None:
                self.values.setdefault(value, []).append(number)
            if "ptr" in line and not any(word in line for word in _IGNORED):
                for name in dict.fromkeys(_REGISTER.findall(line)):
                    self.mentions.setdefault(name, []).append(number)

    def guard(self) -> tuple[bool, list[Pin]]:
        """Whether an access was led nowhere, and the pins that were set."""
        reaches = [(number, name, self._reach(name, size)) for number, name, size in self._locals()]
        addresses = {register for _, _, reach in reaches for register in reach.offsets}
        for _, _, reach in reaches:
            reach.settle(addresses)
        before: dict[int, list[str]] = {}
        led = self._guard_wholes([reach for _, _, reach in reaches], before)
        pins: dict[int, str] = {}
        for number, name, reach in reaches:
            for at, line in reach.judged.items():
                self.lines[at] = line
            for at, register in reach.nowhere if not reach.pin else ():
                self.lines[at] = _replaced(self.lines[at], register, self.nowhere)
            led |= bool(reach.judged or reach.nowhere)
            if reach.pin:
                pins[number] = name
        if pins or before:
            self.function.lines = [
                part
                for number, line in enumerate(self.lines)
                for part in (
                    *before.get(number, ()),
                    line,
                    *([f"  call void @{_PIN}(ptr {pins[number]})"] if number in pins else ()),
                )
            ]
        return led, [reach.pin for _, _, reach in reaches if reach.pin]

    def _guard_wholes(self, reaches: list[_Reach], before: dict[int, list[str]]) -> bool:
        """Copies that SROA may cut go by an address that was judged for the whole; lines `before` others do that. What
        cuts one local also cuts those that it is copied to or from."""
        word = f"i{self.types.layout.pointer_bits}"
        done: set[tuple[int, str]] = set()
        for reach in reaches:
            ends = {end for piece in reach.pieces for end in (piece.start, piece.end)}
            linked = any(piece.other in to.offsets for piece in reach.pieces for to in reaches if to is not reach)
            for piece in reach.pieces if not (reach.pin or reach.escapes) else ():
                size, other = piece.end - piece.start, piece.other
                cut = linked or any(piece.start < end < piece.end for end in ends)
                if not other or not cut or (piece.line, other) in done or self._whole(reaches, other, size):
                    continue
                done.add((piece.line, other))
                name = f"{self.prefix}{len(done)}"
                before.setdefault(piece.line, []).append(f"  {name} = call ptr @{_WHOLE}(ptr {other}, {word} {size})")
                self.lines[piece.line] = _replaced(self.lines[piece.line], other, name)
        return bool(done)

    def _whole(self, reaches: list[_Reach], address: str, size: int) -> bool:
        """Whether none or all of address[0..size) is outside of its object, as far as can be seen."""
        if address.startswith("@"):
            found = _DEFINED.search(line := self.module.globals.get(address[1:], ""))
            return found is not None and self.types.size(self.types.parse(leading_type(line[found.end() :]))) >= size
        if address.startswith("inttoptr "):
            return True
        if any(reach.inside(address, size) for reach in reaches):
            return True
        made = (_LEFT_WHOLE.match(self.lines[number]) for number in self.mentions.get(address, ()))
        return any(found is not None and found[1] == address and int(found[3]) >= size for found in made)

    def _locals(self) -> Iterator[tuple[int, str, int]]:
        """Line, name and size of each alloca of fixed size."""
        for number, line in enumerate(self.lines):
            found = ALLOCA.match(line) if " = alloca " in line else None
            if found is not None and dynamic_count(found[2].partition(", !dbg")[0]) is None:
                try:
                    yield number, found[1], self.types.size(self.types.parse(leading_type(found[2])))
                except NotModelled:
                    continue

    def _reach(self, name: str, size: int) -> _Reach:
        reach = _Reach(size, {name: 0})
        waiting = [name]
        while waiting:
            register = waiting.pop()
            for number in self.mentions.get(register, ()):
                line = self.lines[number]
                if not line.startswith(f"  {register} = "):
                    waiting += self._used(reach, register, number, line)
        return reach

    def _used(self, reach: _Reach, register: str, number: int, line: str) -> list[str]:
        """Notes one use; registers that are new."""
        offset = reach.offsets[register]
        access = _ACCESS.match(line)
        if access is not None:
            type_ = leading_type(line[access.end() :])
            value, pointer = split_commas(line[access.end() :])[:2]
            if value == f"ptr {register}":
                reach.stored.append(pointer.removeprefix("ptr "))
            if pointer == f"ptr {register}":
                self._by_type(reach, register, number, type_)
            return []
        judged = _LEFT_WHOLE.match(line)
        if judged is not None:
            if register in reach.merged:
                return []
            inside = offset + int(judged[3]) <= reach.size
            word, debug = f"i{self.types.layout.pointer_bits}", line.partition(", !dbg ")
            start = register if inside else self.nowhere
            reach.judged[number] = f"  {judged[1]} = getelementptr i8, ptr {start}, {word} 0{debug[1]}{debug[2]}"
            return self._follow(reach, judged[1], offset, False) if inside else []
        moved = _ADDRESS.match(line)
        if moved is not None:
            parts = split_commas(moved[2].partition(", !dbg")[0])
            if parts[1] == f"ptr {register}":
                away = constant_offset(self.types, parts[0], parts[2:])
                if away is not None:
                    return self._follow(reach, moved[1], offset + away & self.mask, register in reach.merged)
            if not self.choices.isdisjoint(_REGISTER.findall(line)):
                reach.pinned(Pin.STAYS)
            return []
        merged = _MERGED.match(line)
        if merged is not None:
            return self._follow(reach, merged[1], offset, True)
        if any(word in line for word in _SEGMENTS):
            self._segment(reach, register, number, line)
        elif " call " in line:
            reach.escapes = True
        elif not line.startswith("  ret "):
            reach.pinned(Pin.CHANGES)
        return []

    def _follow(self, reach: _Reach, register: str, offset: int, merged: bool) -> list[str]:
        if merged:
            reach.merged.add(register)
        known = reach.offsets.setdefault(register, -1)
        if known == offset:
            return []
        if known >= 0:
            reach.pinned(Pin.STAYS)
            return []
        reach.offsets[register] = offset
        return [register]

    def _accessed(self, reach: _Reach, register: str, number: int, size: int) -> None:
        if reach.offsets[register] + size <= reach.size:
            return
        if register in reach.merged:
            reach.pinned(Pin.STAYS)
        else:
            reach.nowhere.append((number, register))

    def _by_type(self, reach: _Reach, register: str, number: int, type_: str) -> None:
        """A load or store: of an aggregate, each part is an access of its own."""
        offset = reach.offsets[register]
        if type_[0] in "{[%":
            try:
                parts = [(at, size_in_bytes(leaf)) for at, leaf in self.types.leaves(self.types.parse(type_))]
            except NotModelled:  # the instruction will be none either
                reach.pinned(Pin.STAYS)
                return
            if any(offset + at + size > reach.size for at, size in parts):
                reach.pinned(Pin.STAYS)
            reach.pieces += [_Piece(number, offset + at, offset + at + size) for at, size in parts]
            return
        size = accessed_bytes(self.types, type_)
        self._accessed(reach, register, number, size)
        for at, other in self._partners(number, self.lines[number]):
            reach.pieces.append(_Piece(at, offset, offset + size, other))
        reach.pieces.append(_Piece(number, offset, offset + size))

    def _partners(self, number: int, line: str) -> Iterator[tuple[int, str]]:
        """Where an integer that this line loads is stored, or one that it stores was loaded: line and address."""
        found = _INTEGER.match(line)
        value = (found[1] or found[3]) if found is not None else None
        for at in self.values.get(value, ()) if value is not None else ():
            other = _INTEGER.match(self.lines[at])
            if at != number and other is not None and (found[1] is None) == (other[1] is not None):  # type: ignore[index]
                yield at, other[4]

    def _segment(self, reach: _Reach, register: str, number: int, line: str) -> None:
        """memcpy and its kin; those of unknown length are only known to start there."""
        call = parse_call(line)
        assert call is not None, line
        length = argument(call.arguments[2])[1]
        if length.lstrip("-").isdigit():
            if int(length):
                size, offset = int(length) & self.mask, reach.offsets[register]
                self._accessed(reach, register, number, size)
                ends = [argument(text)[1] for text in call.arguments[: 1 if "memset" in call.callee else 2]]
                for other in [end for end in ends if end != register] or [""]:
                    reach.pieces.append(_Piece(number, offset, offset + size, other))
        elif reach.offsets[register] >= reach.size:
            reach.pinned(Pin.STAYS)


def _replaced(line: str, register: str, text: str) -> str:
    return re.sub(re.escape(register) + r"(?![-\w.$])", lambda _: text, line)
