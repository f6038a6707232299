"""A function's locals in printed IR: which may stay on the machine's stack, and where its pointers surely lie."""

from __future__ import annotations

import re
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.execute.native.statics import Statics, static_address
from counterpoint.frontend.irtext import leading_type
from counterpoint.frontend.lower.irtypes import TypeTable, constant_offset
from counterpoint.frontend.lower.text import split_commas

RESULT = regex(r'^  (%(?:"[^"]*"|[^ ]+)) = (\w+)')
REGISTER = regex(r'%(?:"[^"]*"|[-\w.$]+)')
ADDRESS_HEAD = regex(r"^.* = getelementptr (?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*")


@dataclass(slots=True)
class Local:
    """An alloca: its size in bytes (None: not constant), and whether it may stay on the machine's stack."""

    size: int | None
    simple: bool


@dataclass(slots=True)
class Locals:
    """The allocas of one function: `of` by register, `addresses` (local, offset) of registers at constant offsets in
    them, and the registers that are `kept`, used otherwise than by accesses and address computations."""

    types: TypeTable
    statics: Statics
    of: dict[str, Local] = field(default_factory=dict)
    addresses: dict[str, tuple[str, int]] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)

    def find(self, lines: list[str]) -> None:
        """Looks through the function."""
        self._find_locals(lines)
        self._find_kept(lines)

    def _find_locals(self, lines: list[str]) -> None:
        """Which allocas may stay plain: in the entry block, never dead, only accessed directly and inside."""
        entry = True
        for line in lines:
            if not line.startswith(" ") and line is not lines[0]:
                entry = False
            result = RESULT.match(line) if " = alloca " in line else None
            if result is None:
                continue
            parts = split_commas(line.partition(" = alloca ")[2].removeprefix("inalloca "))
            size: int | None = self.types.size(self.types.parse(parts[0]))
            if len(parts) > 1 and not parts[1].startswith(("align", "addrspace")):
                count = re.fullmatch(r"i\d+ (\d+)", parts[1])
                size = size * int(count[1]) if count is not None and size is not None else None
            self.of[result[1]] = Local(size, entry and size is not None)
            self.addresses[result[1]] = (result[1], 0)
        if not self.of:
            return
        known = 0
        while known != len(self.addresses):  # a use may stand before the definition in the text
            known = len(self.addresses)
            for line in lines:
                if " = getelementptr " in line:
                    self._derive(line)
        for line in lines:
            self._judge(line)

    def _derive(self, line: str) -> None:
        """A constant offset from a local is an address in that local."""
        result = RESULT.match(line)
        parts = split_commas(ADDRESS_HEAD.sub("", line))
        base = parts[1].removeprefix("ptr ")
        if result is None or base not in self.addresses:
            return
        offset = constant_offset(self.types, parts[0], parts[2:])
        if offset is not None:
            local, start = self.addresses[base]
            self.addresses[result[1]] = (local, start + offset)

    def _judge(self, line: str) -> None:
        """A local with any use but direct accesses, all inside it, is not simple."""
        used = [name for name in REGISTER.findall(line) if name in self.addresses]
        if not used or " = alloca " in line:
            return
        result = RESULT.match(line)
        if result is not None and result[2] == "getelementptr" and result[1] in self.addresses:
            return
        found = access(line)
        if found is not None and used == [found[1]] and self.is_inside(found[1], found[0]):
            return
        for name in used:
            self.of[self.addresses[name][0]].simple = False

    def is_inside(self, pointer: str, type_: str, *, write: bool = False) -> bool:
        """Whether an access by this operand is inside an object that is live as long as the function runs."""
        size = self.types.size(self.types.parse(type_))
        if pointer in self.addresses:
            base, offset = self.addresses[pointer]
            whole = self.of[base].size
            return whole is not None and 0 <= offset <= whole - size
        static = static_address(self.types, pointer)
        if static is None or (write and static[0] in self.statics.constant):
            return False
        return 0 <= static[1] <= self.statics.sizes.get(static[0], -1) - size

    def is_plain(self, pointer: str, type_: str, *, write: bool = False) -> bool:
        if pointer in self.addresses:
            return self.of[self.addresses[pointer][0]].simple
        return pointer[0] in "@g" and self.is_inside(pointer, type_, write=write)

    def room(self, base: str) -> int:
        """How far behind this address the next object is at least: the size of a local or static object."""
        if base in self.addresses:
            local, start = self.addresses[base]
            return max(0, (self.of[local].size or 0) - start) if start >= 0 else 0
        static = static_address(self.types, base)
        return max(0, self.statics.sizes.get(static[0], 0) - static[1]) if static is not None and static[1] >= 0 else 0

    def _find_kept(self, lines: list[str]) -> None:
        """The registers that anything but accesses and address computations uses."""
        for line in lines:
            if " = getelementptr " in line or "@__cp_check_access(" in line or "@__cp_check_write(" in line:
                continue
            found = access(line)
            used = REGISTER.findall(line)
            if found is not None and found[1] in used:
                used.remove(found[1])
            self.kept.update(used)


def access(line: str) -> tuple[str, str] | None:
    """Type and address operand of a load or store."""
    _, found, rest = line.partition(" = load ")
    if found:
        rest = rest.removeprefix("atomic ").removeprefix("volatile ")
        parts = split_commas(rest)
    elif line.startswith("  store "):
        rest = line[8:].removeprefix("atomic ").removeprefix("volatile ")
        parts = split_commas(rest)
    else:
        return None
    pointer = parts[1].removeprefix("ptr ")
    if pointer[0] in "%@" and " " in pointer and '"' not in pointer:
        pointer = pointer.partition(" ")[0]
    return leading_type(parts[0]), pointer
