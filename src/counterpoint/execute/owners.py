"""Pointers that left their objects, in concrete runs.

A pointer is its address while that lies in, or one past, the object that owns it; a number that points into no
object (null, external memory, garbage) belongs to none. Where a pointer leaves its owner, `owner << bits | address`
stands for it, with the owner's base or NOTHING: no block contains such a number, so every access through it is
invalid, and an Offset that brings it back finds the block again.

In memory a pointer is its address. `shadow` holds what the bytes of pointers outside their owners belong to; it is
empty in most runs, and the loads and stores that look at it are used only once it is not (`on_first`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol, TypeAlias

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass

NOTHING = 1
"""The owner of a pointer that was derived from no object, but lies in one."""

Byte: TypeAlias = frozenset[tuple[int, int]]
"""What a byte may be: (pointer, which of its bytes in the order of addresses)."""

MOST_CARRIED = 4096
"""Values that were read as parts of such pointers and may be written elsewhere. A run with more is not judged."""


class Block(Protocol):
    """An object: `extent` bytes from the address `base` on."""

    @property
    def base(self) -> int: ...

    @property
    def extent(self) -> int: ...


class Blocks(Protocol):
    """The objects of a memory, dead and live."""

    def block_at(self, address: int) -> Block | None:
        """The object that starts at the address."""

    def owner_at(self, address: int) -> Block | None:
        """The object that the address points into, or one past."""


@dataclass(slots=True)
class Owners:
    """Offsets, and the shadow of memory."""

    memory: Blocks
    bits: int
    mask: int = 0
    shadow: dict[int, Byte] = field(default_factory=dict)
    carried: dict[tuple[int, int], tuple[Byte, ...]] = field(default_factory=dict)
    on_first: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.mask = (1 << self.bits) - 1

    # ---------------------------------------------------------------- offsets

    def offset(self, pointer: int, away: int) -> tuple[int, int, int]:
        """pointer + away, and the range within which pointers have the owner of both (empty: 1, 0)."""
        memory, address = self.memory, pointer & self.mask
        owner, result = pointer >> self.bits, address + away & self.mask
        if owner == NOTHING:
            found = None
        elif owner:
            found = memory.block_at(owner)
            if found is None:  # forgotten, so dead for good
                return owner << self.bits | result, 1, 0
        else:
            found = memory.owner_at(address)
        if found is not None:
            low, high = found.base, found.base + found.extent
            if not low <= result <= high:
                return low << self.bits | result, 1, 0
            return (result, 1, 0) if owner else (result, low, high)
        return (result, 1, 0) if memory.owner_at(result) is None else (NOTHING << self.bits | result, 1, 0)

    def outside(self, base: int, address: int) -> int:
        """The pointer with this address, outside of its owner at `base`."""
        return base << self.bits | address

    # ---------------------------------------------------------------- memory

    def put(self, address: int, pointer: int) -> None:
        """The cell at the address, which was just written, holds a pointer outside of its owner."""
        if not self.shadow and self.on_first is not None:
            first, self.on_first = self.on_first, None
            first()
        for number, at in enumerate(self._bytes(address, self.bits // 8)):
            self.shadow[at] = frozenset(((pointer, number),))

    def get(self, address: int, value: int) -> int:
        """The pointer in the cell at the address, whose bytes are `value`."""
        shadow = self.shadow
        first = shadow.get(address)
        for pointer, number in first or ():
            if number == 0 and pointer & self.mask == value:
                cell = enumerate(self._bytes(address, self.bits // 8))
                if all((pointer, k) in shadow.get(at, ()) for k, at in cell):
                    return pointer
        return value

    def cut(self, address: int, size: int) -> None:
        """address[0..size) was overwritten."""
        shadow = self.shadow
        if size > len(shadow):
            for at in [at for at in shadow if address <= at < address + size]:
                del shadow[at]
        else:
            for at in range(address, address + size):
                shadow.pop(at, None)

    def copy(self, target: int, source: int, size: int) -> None:
        """Bytes were copied."""
        away = target - source
        copied = {at + away: byte for at, byte in self.shadow.items() if source <= at < source + size}
        self.cut(target, size)
        self.shadow.update(copied)

    def read_part(self, address: int, size: int, value: int) -> None:
        """`value` was read from there at another type than a pointer's. It may be written elsewhere: what is written
        next as the same number of bytes with the same value counts as this part."""
        shadow = self.shadow
        if size * 8 == self.bits or not any(at in shadow for at in range(address, address + size)):
            return
        nothing: Byte = frozenset()
        part = tuple(shadow.get(at, nothing) for at in range(address, address + size))
        before = self.carried.get((size, value))
        if before is not None:
            part = tuple(one | two for one, two in zip(before, part, strict=True))
        elif len(self.carried) >= MOST_CARRIED:
            raise Unsupported(f"more than {MOST_CARRIED} parts of pointers outside of their objects are copied")
        self.carried[size, value] = part

    def write_part(self, address: int, size: int, value: int) -> None:
        """`value` was written there at another type than a pointer's."""
        self.cut(address, size)
        part = self.carried.get((size, value))
        if part is not None:
            self.shadow.update((address + k, byte) for k, byte in enumerate(part) if byte)

    @staticmethod
    def _bytes(address: int, size: int) -> range:
        return range(address, address + size)
