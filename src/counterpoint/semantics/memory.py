"""Symbolic memory: which objects live, what they contain, and every access to them.

An access goes to the targets of its address (pointers.py). Where it is not inside one live object,
reads give a fresh arbitrary value and writes change nothing (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeAlias, cast

import immutables

from counterpoint.core.records import dataclass
from counterpoint.program.model import Address, Constant, Global, Ranges
from counterpoint.program.types import FloatType, IntType, PointerType, Type, size_in_bytes
from counterpoint.semantics import contents as store_
from counterpoint.semantics.contents import EMPTY, Cells, Contents, Initial
from counterpoint.semantics.layout import external_base, external_end
from counterpoint.semantics.objects import RAW, BeyondModel, MemoryObject, MemoryRecord, World
from counterpoint.semantics.pointers import Resolver, mentioned_objects
from counterpoint.semantics.stored import as_bits, choose
from counterpoint.semantics.summary import LIVE, liveness_of
from counterpoint.semantics.unaligned import may_straddle, read_or_arbitrary, write_or_forget
from counterpoint.term import build
from counterpoint.term.boolean import conjoined
from counterpoint.term.sorts import BOOL, BitVec, Float
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute

Found: TypeAlias = "Callable[[Memory, V | None, V], tuple[V, V]]"
"""Of a pointer in external memory, at an address, or in an object (None): what it is, and where no run loads it
(found.py)."""


@dataclass(slots=True)
class Shared:
    """What all memories of one encoding share: the world, with the static objects, and the resolver."""

    world: World
    resolver: Resolver = field(init=False)

    def __post_init__(self) -> None:
        self.resolver = Resolver(self.world)


@dataclass(slots=True)
class Memory:
    """One path's memory. `copy()` before changing it on another path.

    `contents[i]` are the bytes of object i; `alive[i]` says when it is live (absent: not allocated here).
    `initialising`: constant parts may be written for now.
    """

    shared: Shared
    contents: Mapping[int, Contents] = field(default_factory=dict)
    alive: Mapping[int, V] = field(default_factory=dict)
    _own_contents: bool = False
    _own_alive: bool = False
    initialising: bool = False

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
        self, origin: str, size: V, alignment: int, *, heap: bool, zeroed: bool, path: V = 1, site: int | None = None,
        constant: Ranges = (),
    ) -> V:  # fmt: skip
        """A fresh live object; returns its address. Arbitrary contents are recorded under `site`."""
        world = self.shared.world
        made = world.add_object(
            lambda index: MemoryObject(index, origin, size, alignment, heap=heap, constant_parts=constant)
        )
        initial = self.initial_contents(origin, None if zeroed else f"object {made.index}")
        if site is not None and not zeroed:
            world.records.append(MemoryRecord(site, path, size, initial.seen))
        self.set_contents(made.index, Cells(EMPTY, initial))
        self.set_alive(made.index, 1)
        return world.base(made.index)

    def initial_contents(self, origin: str, name: str | None) -> Initial:
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
        self.touch(index)
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

    def inside(self, index: int, offset: V, size: V, write: bool = False) -> V:
        """offset[0..size) lies in the object, which is live (and may be written)."""
        shared = self.shared
        world, bits = shared.world, shared.world.pointer_bits
        if index == RAW:
            return self.in_external(offset, size)
        thing = world.objects[index]
        if thing.code or (write and thing.constant):
            return 0
        alive = self.live(index)
        if alive == 0:
            return 0
        if write and thing.constant_parts != () and not self.initialising:
            alive = build.and_(alive, self._is_variable(thing, offset, size))
        if isinstance(size, int) and isinstance(thing.size, int):
            if size > thing.size:
                return 0
            if size == 0 and thing.size == 0:
                return build.and_(alive, build.eq(offset, 0, bits))
            return build.and_(alive, build.ule(offset, thing.size - size, bits))
        if isinstance(size, int) and isinstance(offset, int) and offset + size > 1 << bits:
            return 0  # contents never see a cell that crosses the end of the address space
        fits = build.ule(size, thing.size, bits)
        room = build.sub(thing.size, size, bits)
        return build.and_(alive, build.and_(fits, build.ule(offset, room, bits)))

    def _is_variable(self, thing: MemoryObject, offset: V, size: V) -> V:
        """offset[0..size), inside the object, has no byte of its constant parts."""
        if thing.constant_parts is None:
            raise BeyondModel("a write to one of several locals, some of which are const")
        bits = self.shared.world.pointer_bits
        clear: list[V] = [1]
        for start, length in thing.constant_parts:
            before = build.ule(build.add(offset, size, bits), start, bits)
            behind = build.ule(start + length, offset, bits)
            clear.append(build.disjunction([before, behind, build.eq(size, 0, bits)]))
        return build.conjunction(clear)

    def in_external(self, address: V, size: V) -> V:
        """address[0..size) lies in external memory: nowhere, where memory safety is the property and no pointer into it
        was given out (a constant that happens to lie in the region is no valid address)."""
        world = self.shared.world
        bits = world.pointer_bits
        low, high = external_base(bits), external_end(bits)
        if world.memory_safety and world.past is None:
            high = high if world.externals or world.shared else low
        offset = build.sub(address, low, bits)
        if isinstance(size, int):
            return build.ule(offset, high - low - size, bits) if size <= high - low else 0
        fits = build.ule(size, high - low, bits)
        return build.and_(fits, build.ule(offset, build.sub(high - low, size, bits), bits))

    def valid_access(self, address: V, size: V, write: bool = False) -> V:
        """ValidAccess: inside the live object that `address` belongs to (and that may be written)."""
        result: V = 0
        for guard, index, offset in self.shared.resolver.targets(address):
            result = build.or_(result, build.and_(guard, self.inside(index, offset, size, write)))
        if isinstance(size, int) and size > 0:
            return result
        return build.or_(result, build.eq(size, 0, self.shared.world.pointer_bits))

    def apart(self, target: V, source: V, size: V) -> V:
        """Apart. Valid ranges in two objects share nothing; what is no single object is compared by address."""
        world, bits = self.shared.world, self.shared.world.pointer_bits
        result: V = 0
        for guard, index, start in self.shared.resolver.targets(target):
            for other, there, begin in self.shared.resolver.targets(source):
                both = build.and_(guard, other)
                if both == 0:
                    continue
                one, two = (RAW if i == RAW else world.objects[i].block_of for i in (index, there))
                if index != there and (one != two or one < RAW):
                    result = build.or_(result, both)
                    continue
                if index != there:
                    start = build.add(world.base(index), start, bits)
                    begin = build.add(world.base(there), begin, bits)
                forth, back = build.sub(start, begin, bits), build.sub(begin, start, bits)
                clear = build.and_(build.ule(size, forth, bits), build.ule(size, back, bits))
                good = build.or_(build.eq(start, begin, bits), clear)
                result = build.or_(result, build.and_(both, good))
        return result

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
            here = build.and_(guard, self.inside(index, offset, 0))
            left = build.sub(world.objects[index].size, offset, bits)
            result = build.ite(here, left, result, BitVec(bits))
        return result

    # ------------------------------------------------------------ loads and stores

    def load(self, address: V, type_: Type, path: V = 1, found: Found | None = None) -> tuple[V, Term | None, V, V]:
        """The value at the address, the variable that stands for it where the access is invalid, where it is valid, and
        where no run loads it, as `found` says of pointers in external memory. It means something on `path` only."""
        size = size_in_bytes(type_)
        pointer = isinstance(type_, PointerType)
        value: V = 0
        covered: V = 0
        foreign: V = 0
        first = True
        for guard, index, offset in self.shared.resolver.targets(address):
            here = build.and_(guard, self.inside(index, offset, size))
            if here == 0:
                continue
            there = self.read_at(index, offset, size, pointer)
            if found is not None and (index == RAW or self.shared.world.brought):
                there, bad = found(self, offset if index == RAW else None, there)
                foreign = build.or_(foreign, build.and_(here, bad))
            value = there if first else choose(here, there, value, 8 * size)
            covered = build.or_(covered, here)
            first = False
        unknown: Term | None = None
        world = self.shared.world
        if found is not None and world.shared and (world.ends_invalid or conjoined(path, covered)):
            covered = 0 if first else 1
        if covered != 1:
            unknown = self.shared.world.unknown(BitVec(8 * size), "invalid-read")
            value = unknown if first else choose(covered, value, unknown, 8 * size)
        if self.shared.world.brought and isinstance(value, Term):
            value = substitute(value, self.shared.world.brought)
        value = self.shared.resolver.loaded(value) if pointer else self._as_number(value, 8 * size)
        return self._typed(value, type_), unknown, covered, foreign

    def _as_number(self, value: V, bits: int) -> V:
        """What is read at another type than a pointer's: it exposes what it came from. Other widths than a
        pointer's keep it, so that the bytes of one pointer, put together again in order, are that pointer."""
        if isinstance(value, int):
            return value
        world = self.shared.world
        world.expose(mentioned_objects(value))
        return build.plain(value) if bits == world.pointer_bits and isinstance(value.sort, BitVec) else value

    def read_at(self, index: int, offset: V, size: int, pointer: bool) -> V:
        world = self.shared.world
        _, contents, offset, extent, origin = self.place(index, offset)
        if index == RAW:
            world.outside_reads.setdefault(offset, size)
        elif may_straddle(world.objects[index], contents, offset, size, world):
            assert isinstance(contents, store_.ArrayContents)
            return read_or_arbitrary(contents, offset, size, origin, world)
        return store_.read(contents, offset, size, extent, origin, world, pointer)

    def place(self, index: int, offset: V) -> tuple[int, Contents, V, V, str]:
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
        if isinstance(type_, IntType) and 8 * size == self.shared.world.pointer_bits:
            value = self.shared.resolver.from_int(value)
        for guard, index, offset in self.shared.resolver.targets(address):
            here = build.and_(guard, self.inside(index, offset, size, write=True))
            if here != 0:
                self.write_at(index, offset, size, value, here)

    def touch(self, index: int) -> None:
        """Notes that a block from before is changed somewhere: who changes the arrays of a summary has to say so."""
        past = self.shared.world.past
        if past is not None and index != RAW and self.shared.world.objects[index].block_of >= 0:
            past.changed[index] = None

    def write_at(self, index: int, offset: V, size: int, value: V, condition: V) -> None:
        world = self.shared.world
        self.touch(index)
        slot, contents, offset, extent, origin = self.place(index, offset)
        if index != RAW and may_straddle(world.objects[index], contents, offset, size, world):
            assert isinstance(contents, store_.ArrayContents)
            self.set_contents(slot, write_or_forget(contents, offset, size, value, condition, origin, world))
            return
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


def _float(type_: FloatType) -> Float:
    return Float(type_.exponent, type_.significand)


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
    external = Initial(world, "external memory", "external", outside=True)
    world.external, world.outside = external.seen, external
    memory = Memory(Shared(world))
    memory.set_contents(RAW, Cells(EMPTY, external))
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
            index, item.name, item.size, item.alignment, constant=item.constant, code=item.code, is_global=True,
            constant_parts=item.constant_parts,
        )  # fmt: skip

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
