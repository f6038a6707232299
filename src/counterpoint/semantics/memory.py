"""Symbolic memory: which objects live, what they contain, and every access to them.

An access goes to the targets of its address (pointers.py). Where it is not inside one live object,
reads give a fresh arbitrary value and writes change nothing (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import immutables

from counterpoint.program.model import Address, Constant, Global
from counterpoint.program.types import FloatType, PointerType, Type, size_in_bytes
from counterpoint.semantics import contents as store_
from counterpoint.semantics.contents import EMPTY, Cells, Contents, Initial, as_bits, choose
from counterpoint.semantics.layout import external_base, external_end
from counterpoint.semantics.objects import RAW, BeyondModel, MemoryObject, MemoryRecord, World
from counterpoint.semantics.pointers import Resolver, mentioned_objects
from counterpoint.semantics.summary import LIVE, liveness_of
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import Term, V

MAX_COPY = 1 << 16
"""Elements that one Copy, Fill or Havoc may touch one by one."""

MAX_SYMBOLIC_SIZE = 256
"""Bytes up to which a Copy or Fill of unknown size is written byte by byte."""


@dataclass(slots=True)
class Shared:
    """What all memories of one encoding share: the world, the resolver, the static objects."""

    world: World
    resolver: Resolver
    external: Initial


@dataclass(slots=True)
class Memory:
    """One path's memory. `copy()` before changing it on another path.

    `contents[i]` are the bytes of object i; `alive[i]` says when it is live (absent: not allocated here).
    """

    shared: Shared
    contents: Mapping[int, Contents] = field(default_factory=dict)
    alive: Mapping[int, V] = field(default_factory=dict)
    _own_contents: bool = False
    _own_alive: bool = False

    def copy(self) -> Memory:
        """Another path's memory, in constant time: the tables are copied when one of the two changes."""
        self._own_contents = self._own_alive = False
        return Memory(self.shared, self.contents, self.alive)

    def set_contents(self, index: int, contents: Contents) -> None:
        """Replaces an object's contents on this path."""
        if not self._own_contents:
            self.contents = dict(self.contents)
            self._own_contents = True
        cast("dict[int, Contents]", self.contents)[index] = contents

    def set_alive(self, index: int, live: V) -> None:
        """Says when an object is live on this path."""
        if not self._own_alive:
            self.alive = dict(self.alive)
            self._own_alive = True
        cast("dict[int, V]", self.alive)[index] = live

    # ------------------------------------------------------------ objects

    def allocate(
        self, origin: str, size: V, alignment: int, *, heap: bool, zeroed: bool, path: V = 1, site: int | None = None
    ) -> V:
        """A fresh live object; returns its address. Arbitrary contents are recorded under `site`."""
        world = self.shared.world
        made = world.add_object(lambda index: MemoryObject(index, origin, size, alignment, heap=heap))
        initial = self._initial(origin, None if zeroed else f"{origin}#{made.index}")
        if site is not None and not zeroed:
            world.records.append(MemoryRecord(site, path, size, initial))
        self.set_contents(made.index, Cells(EMPTY, initial))
        self.set_alive(made.index, 1)
        return world.base(made.index)

    def _initial(self, origin: str, name: str | None) -> Initial:
        world = self.shared.world
        return Initial(world, origin, name, lazy_pointers=not world.memory_safety)

    def set_life(self, address: V, live: bool) -> None:
        """BeginLife and EndLife of a local."""
        for guard, index, _ in self.shared.resolver.targets(address):
            if index != RAW:
                old = self.live(index)
                self._set_live(index, build.or_(old, guard) if live else build.and_(old, build.not_(guard)))

    def free(self, address: V) -> None:
        """The live heap block that starts at the address dies; else nothing happens."""
        for guard, index, offset in self.shared.resolver.targets(address):
            if index != RAW and self.shared.world.objects[index].heap:
                hit = build.and_(guard, build.eq(offset, 0, self.shared.world.pointer_bits))
                self._set_live(index, build.and_(self.live(index), build.not_(hit)))

    def live(self, index: int) -> V:
        """When the object is live."""
        thing = self.shared.world.objects[index]
        if thing.block_of < 0:
            return self.alive.get(index, 0)
        return build.eq(build.select(self._liveness(thing), thing.start), LIVE, 8)

    def _set_live(self, index: int, live: V) -> None:
        thing = self.shared.world.objects[index]
        if thing.block_of < 0:
            self.set_alive(index, live)
            return
        term = build.store(self._liveness(thing), thing.start, build.ite(live, LIVE, 0, BitVec(8)))
        self.set_contents(liveness_of(thing.block_of), store_.ArrayContents(term, 1))

    def _liveness(self, thing: MemoryObject) -> Term:
        contents = self.contents[liveness_of(thing.block_of)]
        assert isinstance(contents, store_.ArrayContents)
        return contents.term

    def kill(self, index: int) -> None:
        """A local's function returned."""
        self.set_alive(index, 0)

    # ------------------------------------------------------------ validity

    def _inside(self, index: int, offset: V, size: V, write: bool = False) -> V:
        """offset[0..size) lies in the object, which is live (and may be written)."""
        shared = self.shared
        world, bits = shared.world, shared.world.pointer_bits
        if index == RAW:
            return self._external(offset, size)
        thing = world.objects[index]
        if thing.code or (write and thing.constant):
            return 0
        alive = self.live(index)
        if alive == 0:
            return 0
        if isinstance(size, int) and isinstance(thing.size, int):
            if size > thing.size:
                return 0
            if size == 0 and thing.size == 0:
                return build.and_(alive, build.eq(offset, 0, bits))
            return build.and_(alive, build.ule(offset, thing.size - size, bits))
        fits = build.ule(size, thing.size, bits)
        room = build.sub(thing.size, size, bits)
        return build.and_(alive, build.and_(fits, build.ule(offset, room, bits)))

    def _external(self, address: V, size: V) -> V:
        bits = self.shared.world.pointer_bits
        low, high = external_base(bits), external_end(bits)
        offset = build.sub(address, low, bits)
        if isinstance(size, int):
            return build.ule(offset, high - low - size, bits) if size <= high - low else 0
        fits = build.ule(size, high - low, bits)
        return build.and_(fits, build.ule(offset, build.sub(high - low, size, bits), bits))

    def valid_access(self, address: V, base: V, size: V) -> V:
        """ValidAccess: inside the live object that `base` belongs to."""
        result: V = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            result = build.or_(result, build.and_(guard, self._inside(index, offset, size)))
        if isinstance(size, int) and size > 0:
            return result
        return build.or_(result, build.eq(size, 0, self.shared.world.pointer_bits))

    def valid_free(self, address: V) -> V:
        """ValidFree: null or the start of a live heap block."""
        world, bits = self.shared.world, self.shared.world.pointer_bits
        result: V = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            if index == RAW:
                good = build.eq(offset, 0, bits)
            elif world.objects[index].heap:
                good = build.and_(self.live(index), build.eq(offset, 0, bits))
            else:
                good = 0
            result = build.or_(result, build.and_(guard, good))
        return result

    def object_size(self, address: V) -> V:
        """ObjectSize: bytes from the address to its object's end, 0 outside of live objects."""
        world, bits = self.shared.world, self.shared.world.pointer_bits
        result: V = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            if index == RAW:
                continue
            here = build.and_(guard, self._inside(index, offset, 0))
            left = build.sub(world.objects[index].size, offset, bits)
            result = build.ite(here, left, result, BitVec(bits))
        return result

    # ------------------------------------------------------------ loads and stores

    def load(self, address: V, type_: Type) -> tuple[V, Term | None, V]:
        """The value at the address, the variable that stands for it where the access is invalid, and where it
        is valid."""
        size = size_in_bytes(type_)
        pointer = isinstance(type_, PointerType)
        value: V = 0
        covered: V = 0
        first = True
        for guard, index, offset in self.shared.resolver.targets(address):
            here = build.and_(guard, self._inside(index, offset, size))
            if here == 0:
                continue
            there = self._read(index, offset, size, pointer)
            value = there if first else choose(here, there, value, 8 * size)
            covered = build.or_(covered, here)
            first = False
        unknown: Term | None = None
        if covered != 1:
            unknown = self.shared.world.unknown(BitVec(8 * size), "invalid-read")
            value = unknown if first else choose(covered, value, unknown, 8 * size)
        return self._typed(value, type_), unknown, covered

    def _read(self, index: int, offset: V, size: int, pointer: bool) -> V:
        world = self.shared.world
        _, contents, offset, extent, origin = self._place(index, offset)
        return store_.read(contents, offset, size, extent, origin, world, pointer)

    def _place(self, index: int, offset: V) -> tuple[int, Contents, V, V, str]:
        """(object that has the contents, these, offset there, size, origin) of a byte of an object."""
        if index == RAW:
            return (RAW, *self._external_contents(offset))
        thing = self.shared.world.objects[index]
        if thing.block_of >= 0:
            address = build.add(thing.start, offset, self.shared.world.pointer_bits)
            return thing.block_of, self.contents[thing.block_of], address, thing.size, thing.origin
        return index, self.contents[index], offset, thing.size, thing.origin

    def _external_contents(self, address: V) -> tuple[Contents, V, V, str]:
        bits = self.shared.world.pointer_bits
        low = external_base(bits)
        return self.contents[RAW], build.sub(address, low, bits), external_end(bits) - low, "external memory"

    def store(self, address: V, type_: Type, value: V) -> None:
        """Writes the value where the access is valid."""
        size = size_in_bytes(type_)
        if type_.bits != 8 * size:
            value = build.zext(self._as_vector(value, type_), type_.bits, 8 * size)
        for guard, index, offset in self.shared.resolver.targets(address):
            here = build.and_(guard, self._inside(index, offset, size, write=True))
            if here != 0:
                self._write(index, offset, size, value, here)

    def _write(self, index: int, offset: V, size: int, value: V, condition: V) -> None:
        world = self.shared.world
        slot, contents, offset, extent, origin = self._place(index, offset)
        self.set_contents(slot, store_.write(contents, offset, size, value, condition, extent, origin, world))

    def _as_vector(self, value: V, type_: Type) -> V:
        if type_.bits == 1 and isinstance(value, Term):
            return build.ite(value, 1, 0, BitVec(1))
        return value

    def _typed(self, value: V, type_: Type) -> V:
        """A value of whole bytes as a register of the type."""
        if isinstance(value, int):
            return value & ((1 << type_.bits) - 1)
        if isinstance(type_, FloatType):
            return value if isinstance(value.sort, Float) else build.fp_from_bits(value, _float(type_))
        value = as_bits(value)
        width = 8 * size_in_bytes(type_)
        if type_.bits != width:
            value = build.extract(type_.bits - 1, 0, value, width)
        if type_.bits == 1:
            return build.eq(value, 1, 1)
        return value

    # ------------------------------------------------------------ ranges

    def copy_range(self, target: V, source: V, size: V) -> None:
        """memmove; nothing happens where one of the ranges is invalid."""
        if size == 0:
            return
        if isinstance(size, int):
            valid = build.and_(self._valid_range(target, size, True), self._valid_range(source, size, False))
            self._move(target, source, size, valid)
            return
        limit = self._largest(target, source)
        bits = self.shared.world.pointer_bits
        valid = build.and_(self._valid_range(target, size, True), self._valid_range(source, size, False))
        if limit > MAX_SYMBOLIC_SIZE:
            raise BeyondModel("a copy of unknown size")
        values = [self._byte_at(build.add(source, k, bits)) for k in range(limit)]
        for k, value in enumerate(values):
            here = build.and_(valid, build.ult(k, size, bits))
            self._guarded_store(build.add(target, k, bits), 1, value, here)

    def fill_range(self, target: V, byte: V, size: V) -> None:
        """memset; an invalid range stays as it is."""
        if size == 0:
            return
        bits = self.shared.world.pointer_bits
        valid = self._valid_range(target, size, True)
        if isinstance(size, int):
            if self._replace_whole(target, size, valid, zero=byte == 0):
                return
            self._elements(target, size, valid, lambda n: self._repeated(byte, n))
            return
        limit = self._largest(target, target)
        if limit > MAX_SYMBOLIC_SIZE:
            raise BeyondModel("a fill of unknown size")
        for k in range(limit):
            self._guarded_store(build.add(target, k, bits), 1, byte, build.and_(valid, build.ult(k, size, bits)))

    def havoc_range(self, target: V, size: V, site: int, path: V) -> None:
        """Arbitrary bytes; an invalid range stays as it is."""
        if size == 0:
            return
        world = self.shared.world
        world.fresh += 1
        initial = self._initial("havoc", f"havoc!{world.fresh}")
        valid = self._valid_range(target, size, True)
        world.records.append(MemoryRecord(site, path, size, initial))
        targets = self.shared.resolver.targets(target)
        if len(targets) == 1 and valid == 1 and targets[0][1] != RAW and targets[0][2] == 0:
            thing = world.objects[targets[0][1]]
            if thing.block_of < 0 and (thing.size is size or thing.size == size):
                initial.origin = thing.origin
                self.set_contents(thing.index, Cells(EMPTY, initial))
                return
        if not isinstance(size, int):
            raise BeyondModel("arbitrary contents for a range of unknown size inside an object")
        at = 0
        for length in _pieces(size, 8):
            value = initial.read(at, length, False)
            self._guarded_store(build.add(target, at, world.pointer_bits), length, value, valid)
            at += length

    def _valid_range(self, address: V, size: V, write: bool) -> V:
        result: V = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            result = build.or_(result, build.and_(guard, self._inside(index, offset, size, write)))
        return result

    def _move(self, target: V, source: V, size: int, valid: V) -> None:
        if valid == 0:
            return
        width = self._element_width(source, size)
        bits = self.shared.world.pointer_bits
        if size // width > MAX_COPY:
            raise BeyondModel(f"a copy of {size} bytes")
        values: list[tuple[int, int, V]] = []
        at = 0
        for length in self._cell_lengths(source, size, width):
            values.append((at, length, self._raw_load(build.add(source, at, bits), length)))
            at += length
        for at, length, value in values:
            self._guarded_store(build.add(target, at, bits), length, value, valid)

    def _cell_lengths(self, source: V, size: int, width: int) -> list[int]:
        """How to cut the source range so that its cells stay whole."""
        targets = self.shared.resolver.targets(source)
        cells = self.contents.get(targets[0][1]) if len(targets) == 1 else None
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

    def _element_width(self, address: V, size: int) -> int:
        """Widest element in which a range can be copied without cutting array elements."""
        width = 8
        for _, index, offset in self.shared.resolver.targets(address):
            contents = self.contents.get(index)
            if isinstance(contents, store_.ArrayContents):
                width = contents.granule
            width = min(width, store_.known_alignment(offset))
        while size % width:
            width //= 2
        return width

    def _elements(self, target: V, size: int, valid: V, value: object) -> None:
        width = self._element_width(target, size)
        bits = self.shared.world.pointer_bits
        if size // width > MAX_COPY:
            raise BeyondModel(f"a range of {size} bytes")
        assert callable(value)
        at = 0
        for length in _pieces(size, width):
            self._guarded_store(build.add(target, at, bits), length, value(length), valid)
            at += length

    def _replace_whole(self, target: V, size: int, valid: V, *, zero: bool) -> bool:
        """Zeroes a whole object at once, if that is what is asked for."""
        targets = self.shared.resolver.targets(target)
        if not zero or valid != 1 or len(targets) != 1 or targets[0][1] == RAW or targets[0][2] != 0:
            return False
        thing = self.shared.world.objects[targets[0][1]]
        if thing.size != size or thing.block_of >= 0:
            return False
        self.set_contents(thing.index, Cells(EMPTY, self._initial(thing.origin, None)))
        return True

    def _repeated(self, byte: V, count: int) -> V:
        value = byte
        for done in range(1, count):
            value = build.concat(value, 8 * done, byte, 8)
        return value

    def _largest(self, target: V, source: V) -> int:
        """Bytes that an access of unknown size can touch at most."""
        sizes = []
        for address in (target, source):
            biggest = 0
            for _, index, _ in self.shared.resolver.targets(address):
                if index != RAW:
                    size = self.shared.world.objects[index].size
                    biggest = max(biggest, size if isinstance(size, int) else MAX_SYMBOLIC_SIZE + 1)
                else:
                    biggest = max(biggest, 0 if isinstance(address, int) else MAX_SYMBOLIC_SIZE + 1)
            sizes.append(biggest)
        return min(sizes)

    def _byte_at(self, address: V) -> V:
        return self._raw_load(address, 1)

    def _raw_load(self, address: V, size: int) -> V:
        """Bytes at an address that is known to be valid, kept as they were stored."""
        value: V = 0
        for number, (guard, index, offset) in enumerate(self.shared.resolver.targets(address)):
            if index == RAW and self._external(offset, size) == 0:
                continue
            if index != RAW and self._inside(index, offset, size) == 0:
                continue
            there = self._read(index, offset, size, False)
            value = there if number == 0 else choose(guard, there, value, 8 * size)
        return value

    def _guarded_store(self, address: V, size: int, value: V, condition: V) -> None:
        for guard, index, offset in self.shared.resolver.targets(address):
            here = build.and_(condition, build.and_(guard, self._inside(index, offset, size, write=True)))
            if here != 0:
                self._write(index, offset, size, value, here)

    # ------------------------------------------------------------ leaks

    def no_leak(self, reachable_ok: bool) -> V:
        """NoLeak. Reachability is the least fixpoint over stored pointers."""
        world = self.shared.world
        if world.past is not None:
            raise BeyondModel("a leak check behind a loop that is not unrolled")
        heap = [o.index for o in world.objects if o.heap and self.alive.get(o.index, 0) != 0]
        if not reachable_ok:
            return build.conjunction([build.not_(self.alive[index]) for index in heap])
        reached: dict[int, V] = dict.fromkeys(heap, 0)
        points = {i: self._pointers_in(i) for i, live in self.alive.items() if live != 0}
        for source, targets in points.items():
            if not world.objects[source].heap:
                for guard, index in targets:
                    if index in reached:
                        reached[index] = build.or_(reached[index], build.and_(self.alive[source], guard))
        for _ in heap:
            before = dict(reached)
            for source in heap:
                for guard, index in points[source]:
                    if index in reached:
                        via = build.and_(before[source], build.and_(self.alive[source], guard))
                        reached[index] = build.or_(reached[index], via)
            if before == reached:
                break
        return build.conjunction([build.or_(build.not_(self.alive[i]), reached[i]) for i in heap])

    def _pointers_in(self, index: int) -> list[tuple[V, int]]:
        """(guard, object) of every pointer stored in the object's cells."""
        contents = self.contents[index]
        if not isinstance(contents, Cells):
            if mentioned_objects(contents.term):
                raise BeyondModel("leak check with pointers in an array of unknown shape")
            return []
        found: list[tuple[V, int]] = []
        for _, (_, value) in sorted(contents.map.items()):
            if mentioned_objects(as_bits(value)):
                found.extend((guard, i) for guard, i, _ in self.shared.resolver.targets(as_bits(value)) if i != RAW)
        return found


def _float(type_: FloatType) -> Float:
    return Float(type_.exponent, type_.significand)


def _pieces(size: int, width: int) -> list[int]:
    """Lengths, each a power of two up to `width`, that add up to `size`."""
    lengths: list[int] = []
    while size:
        while width > size:
            width //= 2
        lengths.append(width)
        size -= width
    return lengths


def merge(condition: V, yes: Memory, no: Memory) -> Memory:
    """`yes` where the condition holds, else `no`; linear in objects plus cells written since they parted.

    Neither may be used afterwards.
    """
    world = yes.shared.world
    if yes.contents is not no.contents:
        for index, other in no.contents.items():
            mine = yes.contents.get(index)
            if mine is other:
                continue
            if mine is None:
                yes.set_contents(index, other)
            else:
                origin = world.objects[index].origin if index != RAW else "external memory"
                yes.set_contents(index, store_.merge(condition, mine, other, origin, world))
    if yes.alive is not no.alive:
        for index in [*yes.alive, *(index for index in no.alive if index not in yes.alive)]:
            one, two = yes.alive.get(index, 0), no.alive.get(index, 0)
            if one is not two and one != two:
                yes.set_alive(index, build.ite(condition, one, two, BOOL))
    return yes


def static_memory(world: World) -> Memory:
    """Memory at the start of a run: the program's globals, all live."""
    world.external = Initial(world, "external memory", "external", lazy_pointers=True)
    shared = Shared(world, Resolver(world), world.external)
    memory = Memory(shared)
    memory.set_contents(RAW, Cells(EMPTY, shared.external))
    for item in world.program.globals.values():
        world.globals[item.name] = _declare(world, item)
    for item in world.program.globals.values():
        index = world.globals[item.name]
        if not item.code:
            cells = {offset: _piece(world, value) for offset, value in item.pieces}
            initial = Initial(world, item.name, None)
            memory.set_contents(index, Cells(immutables.Map(cells), initial))
            memory.set_alive(index, 1)
    return memory


def _declare(world: World, item: Global) -> int:
    def make(index: int) -> MemoryObject:
        return MemoryObject(
            index, item.name, item.size, item.alignment, constant=item.constant, code=item.code, is_global=True
        )

    return world.add_object(make).index


def _piece(world: World, value: object) -> tuple[int, V]:
    assert isinstance(value, Constant | Address)
    return size_in_bytes(value.type), static_value(world, value)


def static_value(world: World, value: Constant | Address) -> V:
    """A constant operand as a value."""
    if isinstance(value, Constant):
        return value.bits
    base = world.base(world.globals[value.symbol])
    return build.add(base, value.offset & ((1 << world.pointer_bits) - 1), world.pointer_bits)
