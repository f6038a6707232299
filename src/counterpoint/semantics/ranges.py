"""Copying, filling and havocking ranges of memory: Copy, Fill, Havoc."""

from __future__ import annotations

from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import RAW, BeyondModel, MemoryRecord
from counterpoint.semantics.stored import choose, known_alignment
from counterpoint.term import build
from counterpoint.term.term import V

MAX_COPY = 1 << 16
"""Elements that one Copy, Fill or Havoc may touch one by one."""

MAX_SYMBOLIC_SIZE = 256
"""Bytes up to which a Copy or Fill of unknown size is written byte by byte."""


def copy_range(memory: Memory, target: V, source: V, size: V) -> None:
    """memmove; nothing happens where one of the ranges is invalid."""
    if size == 0:
        return
    if isinstance(size, int):
        valid = build.and_(_valid_range(memory, target, size, True), _valid_range(memory, source, size, False))
        _move(memory, target, source, size, valid)
        return
    limit = _largest(memory, target, source)
    bits = memory.shared.world.pointer_bits
    valid = build.and_(_valid_range(memory, target, size, True), _valid_range(memory, source, size, False))
    if limit > MAX_SYMBOLIC_SIZE:
        raise BeyondModel("a copy of unknown size")
    values = [_byte_at(memory, build.add(source, k, bits)) for k in range(limit)]
    for k, value in enumerate(values):
        here = build.and_(valid, build.ult(k, size, bits))
        _guarded_store(memory, build.add(target, k, bits), 1, value, here)


def fill_range(memory: Memory, target: V, byte: V, size: V) -> None:
    """memset; an invalid range stays as it is."""
    if size == 0:
        return
    bits = memory.shared.world.pointer_bits
    valid = _valid_range(memory, target, size, True)
    if isinstance(size, int):
        if _replace_whole(memory, target, size, valid, zero=byte == 0):
            return
        _elements(memory, target, size, valid, lambda n: _repeated(memory, byte, n))
        return
    limit = _largest(memory, target, target)
    if limit > MAX_SYMBOLIC_SIZE:
        raise BeyondModel("a fill of unknown size")
    for k in range(limit):
        _guarded_store(memory, build.add(target, k, bits), 1, byte, build.and_(valid, build.ult(k, size, bits)))


def havoc_range(memory: Memory, target: V, size: V, site: int, path: V) -> None:
    """Arbitrary bytes; an invalid range stays as it is."""
    if size == 0:
        return
    world = memory.shared.world
    world.fresh += 1
    initial = memory.initial_contents("havoc", f"havoc!{world.fresh}")
    valid = _valid_range(memory, target, size, True)
    world.records.append(MemoryRecord(site, path, size, initial))
    targets = memory.shared.resolver.targets(target)
    if len(targets) == 1 and valid == 1 and targets[0][1] != RAW and targets[0][2] == 0:
        thing = world.objects[targets[0][1]]
        if thing.block_of < 0 and (thing.size is size or thing.size == size):
            initial.origin = thing.origin
            memory.set_contents(thing.index, Cells(EMPTY, initial))
            return
    if not isinstance(size, int):
        raise BeyondModel("arbitrary contents for a range of unknown size inside an object")
    at = 0
    for length in _pieces(size, 8):
        value = initial.read(at, length, False)
        _guarded_store(memory, build.add(target, at, world.pointer_bits), length, value, valid)
        at += length


def _valid_range(memory: Memory, address: V, size: V, write: bool) -> V:
    result: V = 0
    for guard, index, offset in memory.shared.resolver.targets(address):
        result = build.or_(result, build.and_(guard, memory.inside(index, offset, size, write)))
    return result


def _move(memory: Memory, target: V, source: V, size: int, valid: V) -> None:
    if valid == 0:
        return
    width = _element_width(memory, source, size)
    bits = memory.shared.world.pointer_bits
    if size // width > MAX_COPY:
        raise BeyondModel(f"a copy of {size} bytes")
    values: list[tuple[int, int, V]] = []
    at = 0
    for length in _cell_lengths(memory, source, size, width):
        values.append((at, length, _raw_load(memory, build.add(source, at, bits), length)))
        at += length
    for at, length, value in values:
        _guarded_store(memory, build.add(target, at, bits), length, value, valid)


def _cell_lengths(memory: Memory, source: V, size: int, width: int) -> list[int]:
    """How to cut the source range so that its cells stay whole."""
    targets = memory.shared.resolver.targets(source)
    cells = memory.contents.get(targets[0][1]) if len(targets) == 1 else None
    start = targets[0][2]
    if not isinstance(cells, Cells) or not isinstance(start, int):
        return _pieces(size, width)
    lengths: list[int] = []
    at = 0
    while at < size:
        cell = cells.map.get(start + at)
        length = cell[0] if cell is not None else min(width, size - at)
        if cell is None:
            while length > 1 and any(start + at + k in cells.map for k in range(1, length)):
                length //= 2
        length = min(length, size - at)
        lengths.append(length)
        at += length
    return lengths


def _element_width(memory: Memory, address: V, size: int) -> int:
    """Widest element in which a range can be copied without cutting array elements."""
    width = 8
    for _, index, offset in memory.shared.resolver.targets(address):
        contents = memory.contents.get(index)
        if isinstance(contents, ArrayContents):
            width = contents.granule
        width = min(width, known_alignment(offset, memory.shared.world.base_alignment))
    while size % width:
        width //= 2
    return width


def _elements(memory: Memory, target: V, size: int, valid: V, value: object) -> None:
    width = _element_width(memory, target, size)
    bits = memory.shared.world.pointer_bits
    if size // width > MAX_COPY:
        raise BeyondModel(f"a range of {size} bytes")
    assert callable(value)
    at = 0
    for length in _pieces(size, width):
        _guarded_store(memory, build.add(target, at, bits), length, value(length), valid)
        at += length


def _replace_whole(memory: Memory, target: V, size: int, valid: V, *, zero: bool) -> bool:
    """Zeroes a whole object at once, if that is what is asked for."""
    targets = memory.shared.resolver.targets(target)
    if not zero or valid != 1 or len(targets) != 1 or targets[0][1] == RAW or targets[0][2] != 0:
        return False
    thing = memory.shared.world.objects[targets[0][1]]
    if thing.size != size or thing.block_of >= 0:
        return False
    memory.set_contents(thing.index, Cells(EMPTY, memory.initial_contents(thing.origin, None)))
    return True


def _repeated(memory: Memory, byte: V, count: int) -> V:
    value = byte
    for done in range(1, count):
        value = build.concat(value, 8 * done, byte, 8)
    return value


def _largest(memory: Memory, target: V, source: V) -> int:
    """Bytes that an access of unknown size can touch at most."""
    sizes = []
    for address in (target, source):
        biggest = 0
        for _, index, _ in memory.shared.resolver.targets(address):
            if index != RAW:
                size = memory.shared.world.objects[index].size
                biggest = max(biggest, size if isinstance(size, int) else MAX_SYMBOLIC_SIZE + 1)
            else:
                biggest = max(biggest, 0 if isinstance(address, int) else MAX_SYMBOLIC_SIZE + 1)
        sizes.append(biggest)
    return min(sizes)


def _byte_at(memory: Memory, address: V) -> V:
    return _raw_load(memory, address, 1)


def _raw_load(memory: Memory, address: V, size: int) -> V:
    """Bytes at an address that is known to be valid, kept as they were stored."""
    value: V = 0
    for number, (guard, index, offset) in enumerate(memory.shared.resolver.targets(address)):
        if index == RAW and memory.in_external(offset, size) == 0:
            continue
        if index != RAW and memory.inside(index, offset, size) == 0:
            continue
        there = memory.read_at(index, offset, size, False)
        value = there if number == 0 else choose(guard, there, value, 8 * size)
    return value


def _guarded_store(memory: Memory, address: V, size: int, value: V, condition: V) -> None:
    for guard, index, offset in memory.shared.resolver.targets(address):
        here = build.and_(condition, build.and_(guard, memory.inside(index, offset, size, write=True)))
        if here != 0:
            memory.write_at(index, offset, size, value, here)


def _pieces(size: int, width: int) -> list[int]:
    """Lengths, each a power of two up to `width`, that add up to `size`."""
    lengths: list[int] = []
    while size:
        while width > size:
            width //= 2
        lengths.append(width)
        size -= width
    return lengths
