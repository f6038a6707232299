"""Copying, filling and havocking ranges of memory: Copy, Fill, Havoc."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from counterpoint.core.records import dataclass
from counterpoint.program.inputs import INVALID_READ
from counterpoint.semantics.arrays import conflict, copied_array
from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells, Initial
from counterpoint.semantics.copied import Copied, Source
from counterpoint.semantics.found import brought
from counterpoint.semantics.layout import external_base, external_end
from counterpoint.semantics.limits import at_most
from counterpoint.semantics.memory import Memory
from counterpoint.semantics.objects import RAW, BeyondModel, MemoryRecord, Target
from counterpoint.semantics.stored import choose, known_alignment
from counterpoint.term import build
from counterpoint.term.term import Term, V

MAX_COPY = 1 << 16
"""Elements that one Copy, Fill or Havoc may touch one by one."""

MAX_SYMBOLIC_SIZE = 256
"""Bytes up to which a Copy or Fill of unknown size is written byte by byte; beyond, semantics/copied.py."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What a Copy finds at its source: the bytes there where that is `readable`, else those of `otherwise` (None: then
    nothing is written)."""

    readable: V
    otherwise: Initial | None = None

    def bytes(self, away: int, size: int, there: V) -> V:
        """`size` bytes from `away` bytes behind the start on, `there` being what is there."""
        if self.otherwise is None:
            return there
        return choose(self.readable, there, self.otherwise.read(away, size, False), 8 * size)


@dataclass(frozen=True, slots=True)
class _Bytes:
    """What a Copy or Fill of unknown size writes: at most `most` bytes, of which `number(k)` is the k-th.

    Where they may be many, `sources` are the arrays that they come from; none for a Fill with `byte`.
    """

    most: int
    number: Callable[[int], V]
    sources: tuple[Source, ...] = ()
    byte: V = 0


def copy_range(memory: Memory, target: V, source: V, size: V, path: V) -> None:
    """memmove; nothing happens where the target is invalid, and arbitrary bytes are written where the source is."""
    if size == 0:
        return
    world = memory.shared.world
    writable = _valid_range(memory, target, size, True)
    readable = _valid_range(memory, source, size, False)
    unread = build.and_(writable, build.not_(readable))
    if world.ends_invalid or unread == 0:
        writable = build.and_(writable, readable)
        given = _Given(readable)
    else:
        arbitrary = _arbitrary(memory)
        given = _Given(readable, arbitrary)
        consumed = build.conjunction([path, unread, build.not_(build.eq(size, 0, world.pointer_bits))])
        world.records.append(MemoryRecord(INVALID_READ, consumed, size, arbitrary.seen))
    if writable == 0:
        return
    if isinstance(size, int):
        _move(memory, target, source, size, writable, given)
    else:
        _write(memory, target, size, writable, _bytes_at(memory.copy(), source, size, given))


def _arbitrary(memory: Memory) -> Initial:
    world = memory.shared.world
    world.fresh += 1
    return memory.initial_contents("arbitrary bytes", f"havoc!{world.fresh}")


def fill_range(memory: Memory, target: V, byte: V, size: V) -> None:
    """memset; an invalid range stays as it is."""
    if size == 0:
        return
    valid = _valid_range(memory, target, size, True)
    if valid == 0:
        return
    if _replace_whole(memory, target, size, valid, zero=byte == 0):
        return
    if isinstance(size, int):
        _elements(memory, target, size, valid, lambda n: _repeated(memory, byte, n))
    else:
        _write(memory, target, size, valid, _Bytes(at_most(size), lambda _: byte, (), byte))


def havoc_range(memory: Memory, target: V, size: V, site: int, path: V) -> None:
    """Arbitrary bytes; an invalid range stays as it is."""
    if size == 0:
        return
    world = memory.shared.world
    initial = _arbitrary(memory)
    valid = _valid_range(memory, target, size, True)
    world.records.append(MemoryRecord(site, path, size, initial.seen))
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


# ---------------------------------------------------------------- ranges of unknown size


def _write(memory: Memory, target: V, size: Term, valid: V, new: _Bytes) -> None:
    """Writes the first `size` of the bytes: one by one where they cannot be many, else as an array."""
    bits = memory.shared.world.pointer_bits
    for guard, index, offset in memory.shared.resolver.targets(target):
        here = build.and_(valid, build.and_(guard, memory.inside(index, offset, size, write=True)))
        most = min(new.most, _extent(memory, index, offset))
        if here == 0:
            continue
        if most > MAX_SYMBOLIC_SIZE:
            _write_array(memory, index, offset, size, here, new)
            continue
        for k in range(most):
            at = build.add(offset, k, bits)
            written = build.and_(here, build.ult(k, size, bits))
            if written != 0 and memory.inside(index, at, 1, write=True) != 0:
                memory.write_at(index, at, 1, new.number(k), written)


def _write_array(memory: Memory, index: int, offset: V, size: Term, here: V, new: _Bytes) -> None:
    slot, before, start = _as_array(memory, index, offset)
    memory.touch(index)
    after = copied_array(memory.shared.world, Copied(before, here, start, size, new.sources, new.byte))
    memory.set_contents(slot, ArrayContents(after, 1))


def _bytes_at(before: Memory, source: V, size: Term, given: _Given) -> _Bytes:
    """The bytes of a range in `before`, where the objects that they come from become arrays if they may be many."""
    targets = [t for t in before.shared.resolver.targets(source) if before.inside(t[1], t[2], 1) != 0]
    most = at_most(size)
    if given.otherwise is None:
        most = min(most, max((_extent(before, index, offset) for _, index, offset in targets), default=0))
    sources: list[Source] = []
    if most > MAX_SYMBOLIC_SIZE:
        for guard, index, offset in targets:
            slot, array, start = _as_array(before, index, offset)
            before.set_contents(slot, ArrayContents(array, 1))
            sources.append((build.and_(given.readable, guard), array, start))
        if given.otherwise is not None:
            sources.append((build.not_(given.readable), given.otherwise.as_array(1), 0))
    return _Bytes(most, lambda k: given.bytes(k, 1, _read(before, targets, k, 1)), tuple(sources))


def _as_array(memory: Memory, index: int, offset: V) -> tuple[int, Term, V]:
    """(object that has the contents, these as an array of bytes, index in it) of a byte of an object."""
    world = memory.shared.world
    slot, contents, start, _, origin = memory.place(index, offset)
    if isinstance(contents, Cells):
        contents = contents.to_array(1, world)
    if contents.owners is not None:
        raise BeyondModel("a copy of unknown size of pointers that point outside their objects")
    if contents.granule != 1:
        conflict(origin, world)
    return slot, contents.term, start


def _extent(memory: Memory, index: int, offset: V) -> int:
    """So many bytes are valid at most from there on."""
    bits = memory.shared.world.pointer_bits
    if index == RAW:
        return 0 if memory.in_external(offset, 1) == 0 else external_end(bits) - external_base(bits)
    size = memory.shared.world.objects[index].size
    if not isinstance(size, int):
        return 1 << bits
    return max(0, size - offset) if isinstance(offset, int) else size


# ---------------------------------------------------------------- ranges of known size


def _move(memory: Memory, target: V, source: V, size: int, valid: V, given: _Given) -> None:
    width = _element_width(memory, source, size)
    bits = memory.shared.world.pointer_bits
    if size // width > MAX_COPY:
        raise BeyondModel(f"a copy of {size} bytes")
    sources = memory.shared.resolver.targets(source)
    outside = any(index == RAW for _, index, _ in sources)
    values: list[tuple[int, int, V]] = []
    at = 0
    for length in _cell_lengths(memory, source, size, min(width, bits // 8) if outside else width):
        value = given.bytes(at, length, _read(memory, sources, at, length))
        values.append((at, length, brought(memory.shared.world, value) if outside else value))
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


def _replace_whole(memory: Memory, target: V, size: V, valid: V, *, zero: bool) -> bool:
    """Zeroes a whole object at once, if that is what is asked for."""
    targets = memory.shared.resolver.targets(target)
    if not zero or valid != 1 or len(targets) != 1 or targets[0][1] == RAW or targets[0][2] != 0:
        return False
    thing = memory.shared.world.objects[targets[0][1]]
    if not (thing.size is size or thing.size == size) or thing.block_of >= 0:
        return False
    memory.set_contents(thing.index, Cells(EMPTY, memory.initial_contents(thing.origin, None)))
    return True


def _repeated(memory: Memory, byte: V, count: int) -> V:
    value = byte
    for done in range(1, count):
        value = build.concat(value, 8 * done, byte, 8)
    return value


def _read(memory: Memory, targets: Sequence[Target], away: V, size: int) -> V:
    """Bytes of a valid range, from `away` bytes behind its start on, kept as they were stored."""
    bits = memory.shared.world.pointer_bits
    value: V | None = None
    for guard, index, offset in targets:
        at = build.add(offset, away, bits)
        if memory.inside(index, at, size) != 0:
            there = memory.read_at(index, at, size, False)
            value = there if value is None else choose(guard, there, value, 8 * size)
    return 0 if value is None else value


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
