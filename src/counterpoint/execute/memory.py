"""Concrete memory: objects with bases apart, found by address through a bounds table.

An access is valid if it lies inside one live object (docs/soundness.md); an invalid read is the caller's
business, an invalid write changes nothing. Addresses are those of semantics.layout. External memory is
execute/outside.py.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from mmap import mmap
from struct import Struct

from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute.outside import Outside
from counterpoint.execute.owners import Owners
from counterpoint.program.model import Address, Constant, Global, Program, Ranges
from counterpoint.program.names import original
from counterpoint.program.types import size_in_bytes
from counterpoint.semantics import layout

LARGE = 1 << 20
"""Bytes from which on an object gets pages of its own, which cost nothing until they are touched."""

MOST_LARGE = 1 << 29
"""Bytes of such objects after which those of runs that have ended are looked for: they are parts of cycles, and of the
address space, which is limited."""


@dataclass(slots=True, eq=False)
class MemoryBlock:
    """One object. `size` in bytes. A block that is not live has `size` hidden in `full_size`. `constant`: the parts
    of it that must not be written."""

    base: int
    size: int
    data: bytearray | mmap
    heap: bool = False
    constant: Ranges = ()
    name: str = ""
    full_size: int = 0
    live: bool = True

    def forbids(self, address: int, size: int) -> bool:
        """Whether address[0..size), inside the block, has a byte that must not be written."""
        offset = address - self.base
        return any(offset < start + length and start < offset + size for start, length in self.constant)

    @property
    def extent(self) -> int:
        """The size, dead or live; -1 once nothing can bring the block back."""
        return self.size if self.live else self.full_size


@dataclass(slots=True)
class _Pages:
    """The bytes of large objects since it was last looked for those that nobody has any more."""

    since: int = 0

    def taken(self, size: int) -> mmap:
        self.since += size
        if self.since > MOST_LARGE:
            gc.collect()
            self.since = size
        return mmap(-1, size)


_pages = _Pages()


def fresh_bytes(size: int) -> bytearray | mmap:
    """`size` zero bytes. Raises Unsupported if there is no memory for them."""
    try:
        return _pages.taken(size) if size >= LARGE else bytearray(size)
    except (OSError, MemoryError, OverflowError, ValueError):
        raise Unsupported(f"no memory for an object of {size} bytes") from None


NOWHERE_BLOCK = MemoryBlock(0, -1, bytearray(), live=False)
"""Contains no address: what the caches hold when they hold nothing."""


@dataclass(slots=True)
class Memory:
    """The state of memory in one run. Raises Unsupported where a run leaves the model.

    `invalid_copy(target, size)` is asked to write what a copy from an invalid range gives.
    `last_read` and `last_written` are live blocks (or NOWHERE_BLOCK): most accesses hit the same object
    as the one before.
    """

    pointer_bits: int
    big_endian: bool
    outside: Outside
    invalid_copy: Callable[[int, int], None]
    limit: int
    next_free: int = 0
    last_read: MemoryBlock = NOWHERE_BLOCK
    last_written: MemoryBlock = NOWHERE_BLOCK
    used: int = 0
    _bases: list[int] = field(default_factory=list)
    _blocks: list[MemoryBlock] = field(default_factory=list)
    _dead: int = 0
    owners: Owners = field(init=False)

    def __post_init__(self) -> None:
        self.owners = Owners(self, self.pointer_bits)

    # ---------------------------------------------------------------- objects

    def add(self, block: MemoryBlock) -> None:
        """Enters a block whose base is above all others."""
        self._bases.append(block.base)
        self._blocks.append(block)

    def allocate(
        self, size: int, alignment: int, heap: bool, name: str, constant: Ranges = ()
    ) -> MemoryBlock:
        """A fresh live object of zero bytes at the next free address."""
        base = layout.place(self.next_free, alignment)
        if not layout.fits(base, size, self.pointer_bits) or self.used + size > self.limit:
            raise Unsupported(f"an object of {size} bytes is beyond the modelled memory")
        self.next_free = layout.after(base, size, self.pointer_bits)
        self.used += size
        block = MemoryBlock(base, size, fresh_bytes(size), heap, constant, name)
        self._bases.append(base)
        self._blocks.append(block)
        return block

    def block_at(self, address: int) -> MemoryBlock | None:
        """The object, dead or live, that starts at `address`."""
        index = bisect_right(self._bases, address) - 1
        return self._blocks[index] if index >= 0 and self._bases[index] == address else None

    def block_of(self, address: int) -> MemoryBlock | None:
        """The live object that `address` points into; one past its end counts as into."""
        index = bisect_right(self._bases, address) - 1
        if index < 0:
            return None
        block = self._blocks[index]
        return block if block.live and address <= block.base + block.size else None

    def owner_at(self, address: int) -> MemoryBlock | None:
        """The object, dead or live, that `address` points into; one past its end counts as into."""
        index = bisect_right(self._bases, address) - 1
        if index < 0:
            return None
        block = self._blocks[index]
        return block if address <= block.base + block.extent else None

    def containing(self, address: int, size: int) -> MemoryBlock | None:
        """The live object that contains address[0..size)."""
        block = self.block_of(address)
        return block if block is not None and address + size <= block.base + block.size else None

    def is_external(self, address: int, size: int) -> bool:
        """Whether address[0..size) lies in external memory."""
        return self.outside.contains(address, size)

    def live_blocks(self) -> Iterable[MemoryBlock]:
        return (block for block in self._blocks if block.live)

    # ---------------------------------------------------------------- life

    def _hide(self, block: MemoryBlock) -> None:
        block.live = False
        block.full_size = block.size
        block.size = -1
        self.last_read = self.last_written = NOWHERE_BLOCK

    def begin_life(self, address: int) -> None:
        block = self.block_at(address)
        if block is not None and not block.live and not block.heap:
            block.live = True
            block.size = block.full_size

    def end_life(self, address: int) -> None:
        block = self.block_at(address)
        if block is not None and block.live and not block.heap:
            self._hide(block)

    def end_for_good(self, address: int) -> None:
        """EndLife of a local of which no BeginLife follows."""
        block = self.block_at(address)
        if block is not None and block.live and not block.heap:
            self._bury(block)

    def free(self, address: int) -> None:
        block = self.block_at(address)
        if block is not None and block.live and block.heap:
            self._bury(block)

    def leave(self, frame: Iterable[MemoryBlock]) -> None:
        """The locals of a frame die for good."""
        for block in frame:
            if block.live or block.full_size >= 0:
                self._bury(block)

    def _bury(self, block: MemoryBlock) -> None:
        if block.live:
            self._hide(block)
        self.used -= block.full_size
        block.data = NOWHERE_BLOCK.data
        block.full_size = -1
        self._dead += 1
        if self._dead > 1000 and 2 * self._dead > len(self._blocks):
            self._forget_buried()

    def _forget_buried(self) -> None:
        """Amortised over at least as many burials as it looks at blocks."""
        self._blocks = [block for block in self._blocks if block.live or block.full_size >= 0]
        self._bases = [block.base for block in self._blocks]
        self._dead = 0

    # ---------------------------------------------------------------- contents

    def read(self, address: int, size: int) -> bytes | None:
        """The bytes at address[0..size), None if that is invalid."""
        block = self.containing(address, size)
        if block is not None:
            self.last_read = block
            return bytes(block.data[address - block.base : address - block.base + size])
        if self.is_external(address, size):
            return self.outside.read(address, size)
        return None

    def write(self, address: int, contents: bytes) -> None:
        """An invalid write (dead, outside, constant) changes nothing."""
        size = len(contents)
        block = self.containing(address, size)
        if block is not None:
            if not block.constant or not block.forbids(address, size):
                if not block.constant:
                    self.last_written = block
                block.data[address - block.base : address - block.base + size] = contents
                if self.owners.shadow:
                    self.owners.cut(address, size)
        elif self.is_external(address, size):
            self.outside.write(address, contents)
            if self.owners.shadow:
                self.owners.cut(address, size)

    def writable(self, address: int, size: int) -> bool:
        """Whether a write to address[0..size) would change anything."""
        block = self.containing(address, size)
        return not block.forbids(address, size) if block is not None else self.is_external(address, size)

    def initialise(self, target: int, source: int, size: int) -> int:
        """`copy` that may write constant parts."""
        block = self.containing(target, size)
        if block is None or not block.constant:
            return self.copy(target, source, size)
        constant, block.constant = block.constant, ()
        try:
            return self.copy(target, source, size)
        finally:
            block.constant = constant
            self.last_written = NOWHERE_BLOCK

    def copy(self, target: int, source: int, size: int) -> int:
        """memmove; nothing happens if the target is invalid, `invalid_copy` if the source is. Bytes written."""
        if not size or not self.writable(target, size):
            return 0
        self._bounded(source, size)
        contents = self.read(source, size)
        if contents is None:
            self.invalid_copy(target, size)
            return size
        kept = dict(self.owners.shadow)
        self.write(target, contents)
        self.outside.copied(target, source, contents)
        if kept:
            self.owners.shadow = kept
            self.owners.copy(target, source, size)
        return size

    def fill(self, target: int, byte: int, size: int) -> int:
        """memset; nothing happens if the range is invalid. Bytes written."""
        if not size or not self.writable(target, size):
            return 0
        self._bounded(target, size)
        piece = bytes((byte,)) * min(size, LARGE)
        for start in range(0, size, LARGE):
            self.write(target + start, piece[: size - start])
        return size

    def _bounded(self, address: int, size: int) -> None:
        if size > layout.EXTERNAL_SIZE and self.is_external(address, size):
            raise Unsupported(f"{size} bytes of external memory are used at once")

    # ---------------------------------------------------------------- questions

    def valid_access(self, address: int, size: int, write: bool = False) -> bool:
        """address[0..size) lies inside the live object that it belongs to (which may be written), or is empty."""
        if size == 0:
            return True
        block = self.containing(address, size)
        if block is not None:
            return not (write and block.forbids(address, size))
        return self.is_external(address, size)

    def apart(self, target: int, source: int, size: int) -> bool:
        """The ranges share no byte, or are the same."""
        return target == source or target + size <= source or source + size <= target

    def valid_free(self, address: int) -> bool:
        """Null, or the start of a live heap block."""
        if address == 0:
            return True
        block = self.block_at(address)
        return block is not None and block.live and block.heap

    def object_size(self, address: int) -> int:
        """Bytes from `address` to the end of its live object; 0 if there is none, or an external one."""
        block = self.block_of(address)
        return block.base + block.size - address if block is not None else 0

    def no_leak(self, reachable_ok: bool) -> bool:
        """No heap block is live; with `reachable_ok`, none that live globals and locals do not lead to."""
        heap = [block for block in self._blocks if block.live and block.heap]
        if not heap or not reachable_ok:
            return not heap
        reached: set[int] = set()
        waiting = [block for block in self._blocks if block.live and not block.heap]
        self._reach_from_external(reached, waiting)
        while waiting:
            block = waiting.pop()
            self._reach_from_bytes(block.base, block.data, reached, waiting)
        return all(block.base in reached for block in heap)

    def _reach_from_external(self, reached: set[int], waiting: list[MemoryBlock]) -> None:
        """Pointers that were stored into external memory count as well: it is live and no heap block."""
        known = self.outside.contents
        starts = sorted({at - k for at in known for k in range(self.pointer_bits // 8)})
        width = range(self.pointer_bits // 8)
        for start in starts:
            self._reach_from_bytes(start, bytes(known.get(start + k, 0) for k in width), reached, waiting)

    def _reach_from_bytes(
        self, base: int, data: bytearray | mmap | bytes, reached: set[int], waiting: list[MemoryBlock]
    ) -> None:
        """A pointer may lie at any offset and point anywhere into a block, one past its end included; one that left
        its own object (owners.py) points into none. `data` lies at the address `base`."""
        width = self.pointer_bits // 8
        cell = Struct((">" if self.big_endian else "<") + ("I" if width == 4 else "Q"))
        for start in _nonzero_cells(data, width):
            address = cell.unpack_from(data, start)[0]
            block = self.block_of(address)
            if block is None or not block.heap or block.base in reached:
                continue
            if self.owners.get(base + start, address) == address:
                reached.add(block.base)
                waiting.append(block)


def _nonzero_cells(data: bytearray | mmap | bytes, width: int) -> Iterator[int]:
    """Offsets of the cells, at any offset, that are not all zero; runs of zeros are skipped quickly."""
    size, known = len(data), -1
    for start, end in _nonzero_pieces(data):
        first, last = max(known + 1, start - width + 1, 0), min(end, size - width + 1)
        part = bytes(data[first : last + width])
        yield from (first + at for at in range(last - first) if any(part[at : at + width]))
        known = max(known, last - 1)


def _nonzero_pieces(data: bytearray | mmap | bytes) -> Iterator[tuple[int, int]]:
    """Where pieces of a few bytes begin and end that are not all zero."""
    large, small = bytes(4096), bytes(64)
    for start in range(0, len(data), len(large)):
        part = bytes(data[start : start + len(large)])
        if part == large[: len(part)]:
            continue
        for at in range(0, len(part), len(small)):
            piece = part[at : at + len(small)]
            if piece != small[: len(piece)]:
                yield start + at, start + at + len(small)


def global_image(item: Global, addresses: dict[str, int], pointer_bits: int, big_endian: bool) -> bytes:
    """The initial bytes of a global, up to its last piece; zeros follow.

    Raises Unsupported for a piece whose symbol is no object or that does not fit.
    """
    image = bytearray()
    for offset, value in item.pieces:
        width = size_in_bytes(value.type)
        match value:
            case Constant(bits, _):
                number = bits
            case Address(symbol, away, _) if symbol in addresses:
                number = (addresses[symbol] + away) & ((1 << pointer_bits) - 1)
            case _:
                raise Unsupported(f"{item.at}: the initial value {value} of {item.name} has no address")
        if offset + width > item.size:
            raise Unsupported(f"{item.at}: an initial value lies outside of {item.name}")
        image.extend(bytes(offset - len(image)))
        image += number.to_bytes(width, "big" if big_endian else "little")
    return bytes(image)


def strays_in_globals(program: Program, addresses: dict[str, int]) -> tuple[tuple[int, int], ...]:
    """(address of the cell, pointer) of the initial values that point outside of their objects."""
    bits = program.layout.pointer_bits
    return tuple(
        (addresses[name] + at, addresses[v.symbol] << bits | (addresses[v.symbol] + v.offset) & ((1 << bits) - 1))
        for name, item in program.globals.items()
        for at, v in item.pieces
        if isinstance(v, Address) and v.symbol in addresses and not 0 <= v.offset <= program.globals[v.symbol].size
    )


def initial_memory(
    program: Program,
    outside: Outside,
    invalid_copy: Callable[[int, int], None],
    limit: int,
    images: dict[str, bytes],
    strays: Iterable[tuple[int, int]] = (),
) -> Memory:
    """Memory at the start of a run: the globals with their initial contents (`images`, `strays_in_globals`)."""
    memory = Memory(program.layout.pointer_bits, program.layout.big_endian, outside, invalid_copy, limit)
    for name, base in layout.global_addresses(program).items():
        item = program.globals[name]
        data = fresh_bytes(item.size)
        image = images[name]
        data[: len(image)] = image
        constant = ((0, item.size),) if item.constant else item.constant_parts
        memory.add(MemoryBlock(base, item.size, data, constant=constant, name=original(name)))
    for address, pointer in strays:
        memory.owners.put(address, pointer)
    memory.next_free = layout.dynamic_base(program)
    return memory
