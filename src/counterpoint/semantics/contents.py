"""Contents of one memory object: cells while offsets are concrete, an SMT array otherwise.

All values are stored as they were written (bit-vector terms, Float terms or ints); reading at another
width or offset takes bytes apart and puts them together. Immutable: writing gives new contents.
Contents do not check bounds; memory.py does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

import immutables

from counterpoint.core.records import dataclass
from counterpoint.semantics.arrays import array_ite, array_read, array_write, conflict
from counterpoint.semantics.given import external_or_null
from counterpoint.semantics.granules import GranuleConflict
from counterpoint.semantics.objects import ArbitraryBytes, BeyondModel, World
from counterpoint.semantics.pointers import BY_ADDRESS, Resolver, mentioned_objects
from counterpoint.semantics.stored import as_bits, choose, join_bytes, known_alignment, part_of
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term, V, array_sort

MAX_CELL = 16
"""Bytes of the widest access."""

MAX_CANDIDATES = 64
"""So many cells an access at a symbolic offset may touch before the object becomes an SMT array."""

FEW_ENTRIES, MOST_ENTRIES = 16, 1024
"""A table of constants that is read at an unknown index is a tree over the index's bits from so many entries up to so
many: solvers know nothing about the same constants as an array."""

MAX_ARRAY_STORES = 1 << 20
"""Bytes up to which contents are rewritten element by element."""


# ---------------------------------------------------------------- what was there at first


@dataclass(slots=True)
class Initial:
    """Bytes that nothing has been written to: zero, or arbitrary.

    Arbitrary bytes are one value for all paths: `seen` remembers the variable of every part that was
    read, so that a second look sees the same. `name` is None for zero bytes; `suffix` ends the variables'
    names (pointers.hiding). `outside`: it is the environment's memory, whose words may be pointers (found.py).
    """

    world: World
    origin: str
    name: str | None
    lazy_pointers: bool = False
    outside: bool = False
    suffix: str = ""
    seen: ArbitraryBytes = field(default_factory=ArbitraryBytes)

    def read(self, offset: int, size: int, pointer: bool) -> V:
        """`size` bytes at `offset`; `pointer` says that they are read as an address."""
        if self.name is None:
            return 0
        found = self.seen.given.get(offset)
        if found is not None and found[0] == size:
            return found[1]
        parts: list[tuple[int, V]] = []
        at, end = offset, offset + size
        while at < end:
            start, length, value = self._covering(at)
            if value is None:
                gap = at
                while gap < end and self._covering(gap)[2] is None:
                    gap += 1
                parts.append((gap - at, self._make(at, gap - at, pointer and gap - at == size)))
                at = gap
            else:
                take = min(start + length, end) - at
                parts.append((take, part_of(value, length, at - start, take, self.world.big_endian)))
                at += take
        if len(parts) == 1:
            return parts[0][1]
        joined = join_bytes(parts, self.world.big_endian)
        self._note_word(offset, size, joined)
        return joined

    def _note_word(self, offset: int, size: int, value: V) -> None:
        if self.outside and 8 * size == self.world.pointer_bits and offset % size == 0 and isinstance(value, Term):
            self.world.words.add(value)

    def _covering(self, at: int) -> tuple[int, int, V | None]:
        for start in range(at, at - MAX_CELL, -1):
            found = self.seen.given.get(start)
            if found is not None:
                return (start, found[0], found[1]) if start + found[0] > at else (at, 1, None)
        return at, 1, None

    def _make(self, offset: int, size: int, pointer: bool) -> V:
        world = self.world
        value: V
        seen = self.seen
        if seen.whole is not None:
            value = array_read(seen.whole, seen.granule, offset, size, self.origin, world)
        elif pointer and self.lazy_pointers:
            value = external_or_null(world, f"{self.name}.{offset}")
        else:
            value = build.variable(f"{self.name}.{offset}.{size}{self.suffix}", BitVec(8 * size))
            self._note_word(offset, size, value)
        seen.given[offset] = (size, value)
        return value

    def as_array(self, granule: int) -> Term:
        """An array term with these bytes."""
        world = self.world
        sort = ArraySort(world.pointer_bits, 8 * granule)
        if self.name is None:
            return build.constant_array(sort, 0)
        seen = self.seen
        if seen.whole is None:
            seen.whole = build.variable(f"{self.name}.array{granule}{self.suffix}", sort)
            seen.granule = granule
            for start in sorted({offset // granule for o, (n, _) in seen.given.items() for offset in range(o, o + n)}):
                value = self.read(start * granule, granule, False)
                world.axiom(build.eq(build.select(seen.whole, start), as_bits(value), 8 * granule))
        if seen.granule != granule:
            world.granules[self.origin] = 1
            raise GranuleConflict(self.origin)
        return seen.whole


@dataclass(slots=True)
class ChosenInitial:
    """Either of two initial contents, by a condition."""

    condition: V
    yes: AnyInitial
    no: AnyInitial

    def read(self, offset: int, size: int, pointer: bool) -> V:
        yes, no = self.yes.read(offset, size, pointer), self.no.read(offset, size, pointer)
        return choose(self.condition, yes, no, 8 * size)

    def as_array(self, granule: int) -> Term:
        yes, no = self.yes.as_array(granule), self.no.as_array(granule)
        return array_ite(self.condition, yes, no)


AnyInitial: TypeAlias = Initial | ChosenInitial


# ---------------------------------------------------------------- cells


class Written:
    """One link of the history of written offsets; lets two contents find what differs between them."""

    __slots__ = ("depth", "offset", "parent")

    def __init__(self, parent: Written | None, offset: int) -> None:
        self.parent = parent
        self.offset = offset
        self.depth: int = parent.depth + 1 if parent is not None else 1


Map: TypeAlias = "immutables.Map[int, tuple[int, V]]"
EMPTY: Map = immutables.Map()


class Cells:
    """Not overlapping cells offset -> (bytes, value) over `initial`."""

    __slots__ = ("history", "initial", "map")

    def __init__(self, map_: Map, initial: AnyInitial, history: Written | None = None) -> None:
        self.map = map_
        self.initial = initial
        self.history = history

    def read(self, offset: int, size: int, world: World, pointer: bool = False) -> V:
        """`size` bytes at a concrete offset."""
        cell = self.map.get(offset)
        if cell is not None and cell[0] == size:
            return cell[1]
        overlapping = self._overlapping(offset, size)
        if not overlapping:
            return self.initial.read(offset, size, pointer)
        parts: list[tuple[int, V]] = []
        at, end = offset, offset + size
        for start in overlapping:
            length, value = self.map[start]
            if start > at:
                parts.append((start - at, as_bits(self.initial.read(at, start - at, False))))
                at = start
            take = min(start + length, end) - at
            parts.append((take, as_bits(part_of(value, length, at - start, take, world.big_endian))))
            at += take
        if at < end:
            parts.append((end - at, as_bits(self.initial.read(at, end - at, False))))
        if len(parts) == 1:
            return parts[0][1]
        joined = join_bytes(parts, world.big_endian)
        return Resolver(world).put_together(joined) if pointer else joined

    def write(self, offset: int, size: int, value: V, world: World) -> Cells:
        """Contents with `size` bytes at a concrete offset replaced."""
        map_ = self.map
        cell = map_.get(offset)
        history = self.history
        if cell is None or cell[0] != size:
            for start in self._overlapping(offset, size):
                length, old = map_[start]
                map_ = map_.delete(start)
                history = Written(history, start)
                if start < offset:
                    left = part_of(old, length, 0, offset - start, world.big_endian)
                    map_ = map_.set(start, (offset - start, left))
                if start + length > offset + size:
                    rest = start + length - offset - size
                    right = part_of(old, length, length - rest, rest, world.big_endian)
                    map_ = map_.set(offset + size, (rest, right))
                    history = Written(history, offset + size)
        return Cells(map_.set(offset, (size, value)), self.initial, Written(history, offset))

    def _overlapping(self, offset: int, size: int) -> list[int]:
        """Starts of the cells that overlap [offset, offset+size), in rising order."""
        map_ = self.map
        if not map_:
            return []
        starts = []
        for start in range(offset - MAX_CELL + 1, offset + size):
            cell = map_.get(start)
            if cell is not None and start + cell[0] > offset:
                starts.append(start)
        return starts

    def to_array(self, granule: int, world: World) -> ArrayContents:
        """The same bytes as an SMT array of elements of `granule` bytes."""
        if len(self.map) > MAX_ARRAY_STORES:
            raise BeyondModel("an array of this size is accessed at an unknown index after so many writes")
        result = ArrayContents(self.initial.as_array(granule), granule)
        touched = {byte // granule for o, (n, _) in self.map.items() for byte in range(o, o + n)}
        for index in sorted(touched):
            value = self.read(index * granule, granule, world)
            result = result.write(index * granule, granule, value, "", world)
        return result


class ArrayContents:
    """Bytes as an array term from element number to element of `granule` bytes (a power of two).

    `term` holds addresses. `owners`, where it is not None, says for each element, which then is as wide as a pointer,
    what the pointer there belongs to (Resolver.owner); None: all belong to what they point into.
    """

    __slots__ = ("granule", "owners", "term")

    def __init__(self, term: Term, granule: int, owners: Term | None = None) -> None:
        self.term = term
        self.granule = granule
        self.owners = owners

    def read(self, offset: V, size: int, origin: str, world: World) -> V:
        """`size` bytes. Raises BeyondModel for a part of a pointer that may point outside its object."""
        value = array_read(self.term, self.granule, offset, size, origin, world)
        if self.owners is None or not isinstance(value, Term) or not mentioned_objects(value):
            return value
        if size != self.granule:
            raise BeyondModel("bytes of an array in which pointers point outside their objects")
        owner = array_read(self.owners, self.granule, offset, size, origin, world)
        return Resolver(world).with_owner(value, owner)

    def write(self, offset: V, size: int, value: V, origin: str, world: World, condition: V = 1) -> ArrayContents:
        """With `size` bytes at the offset replaced, where the condition holds."""
        owner = _owner_stored(value, size, world)
        if owner != BY_ADDRESS and (size != self.granule or 8 * size != world.pointer_bits):
            raise BeyondModel("a pointer outside its object is stored into an array of other elements")
        value = build.plain(as_bits(value))
        owners = self.owners
        if condition != 1:
            old = array_read(self.term, self.granule, offset, size, origin, world)
            value = choose(condition, value, old, 8 * size)
        term = array_write(self.term, self.granule, offset, size, value, origin, world)
        if owner != BY_ADDRESS or owners is not None:
            owners = _all_by_address(self.term) if owners is None else owners
            each = self.granule
            for part in range(0, max(size, each), each):
                at = build.add(offset, part, world.pointer_bits)
                if size < each:
                    at = build.bvand(at, -each & ((1 << world.pointer_bits) - 1), world.pointer_bits)
                old = array_read(owners, each, at, each, origin, world)
                mine = build.ite(condition, owner, old, BitVec(8 * each))
                owners = array_write(owners, each, at, each, mine, origin, world)
        return ArrayContents(term, self.granule, owners)


def _all_by_address(like: Term) -> Term:
    return build.constant_array(array_sort(like), BY_ADDRESS)


def _owner_stored(value: V, size: int, world: World) -> V:
    """What a stored value belongs to: of bytes of a pointer, what the pointer does."""
    if isinstance(value, int) or not mentioned_objects(value):
        return BY_ADDRESS
    word = BitVec(world.pointer_bits)
    if value.sort is word:
        return Resolver(world).owner(value)
    whole = value.args[0] if value.op is Op.EXTRACT else 0
    if isinstance(whole, Term) and whole.sort is word:
        return Resolver(world).owner(whole)
    return BY_ADDRESS


Contents: TypeAlias = Cells | ArrayContents


# ---------------------------------------------------------------- accesses at any offset


def candidates(offset: Term, size: int, object_size: V, world: World) -> Sequence[int] | None:
    """The in-bounds offsets that a symbolic offset may take, or None if too many or not known."""
    if offset.op is Op.ITE:
        leaves = _leaves(offset)
        if leaves is not None:
            end = object_size if isinstance(object_size, int) else 1 << world.pointer_bits
            return [leaf for leaf in leaves if leaf + size <= end]
    if not isinstance(object_size, int):
        return None
    step = min(known_alignment(offset, world.base_alignment), 64)
    options = range(0, object_size - size + 1, step)
    return options if len(options) <= MAX_CANDIDATES else None


def _leaves(offset: Term) -> list[int] | None:
    """The constants that a tree of ITEs chooses from, in rising order; None if others than constants."""
    seen: set[V] = set()
    found: set[int] = set()
    stack: list[V] = [offset]
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, int):
            found.add(value)
        elif value.op is Op.ITE and len(seen) <= 8 * MAX_CANDIDATES:
            stack += value.args[1:]
        else:
            return None
    return sorted(found) if len(found) <= 4 * MAX_CANDIDATES else None


def granule_for(origin: str, offset: V, size: int, world: World) -> int:
    """Element size for an object that becomes an array now: the access's width where it fits."""
    wanted = size if size & (size - 1) == 0 else 1
    return min(world.granules.get(origin, 16), wanted, max(1, known_alignment(offset, world.base_alignment)))


def read(contents: Contents, offset: V, size: int, object_size: V, origin: str, world: World, pointer: bool) -> V:
    """`size` bytes at `offset`, which is in bounds (elsewhere the result means nothing)."""
    if isinstance(contents, Cells):
        if isinstance(offset, int):
            return contents.read(offset, size, world, pointer)
        entries = None if pointer else _entries(contents, offset, size, object_size, world)
        if entries is not None:
            return _chosen_entry(entries, offset, known_alignment(offset, world.base_alignment), size, world)
        options = candidates(offset, size, object_size, world)
        if options is not None:
            value: V = 0
            for number, option in enumerate(options):
                there = contents.read(option, size, world, pointer)
                here = build.eq(offset, option, world.pointer_bits)
                value = there if number == 0 else choose(here, there, value, 8 * size)
            return value
        contents = contents.to_array(granule_for(origin, offset, size, world), world)
    return contents.read(offset, size, origin, world)


def _entries(contents: Cells, offset: Term, size: int, object_size: V, world: World) -> list[int] | None:
    """What is at each aligned offset in bounds; None where these are not constants, or too few or too many."""
    initial = contents.initial
    if not isinstance(object_size, int) or not isinstance(initial, Initial) or initial.name is not None:
        return None
    options = range(0, object_size - size + 1, known_alignment(offset, world.base_alignment))
    if not FEW_ENTRIES < len(options) <= MOST_ENTRIES or len(contents.map) > object_size:
        return None
    if not all(isinstance(value, int) for _, value in contents.map.values()):
        return None
    found = [contents.read(option, size, world) for option in options]
    return [value for value in found if isinstance(value, int)] if all(isinstance(v, int) for v in found) else None


def _chosen_entry(entries: list[int], offset: Term, alignment: int, size: int, world: World) -> V:
    """The entry at `offset`, a multiple of `alignment` (a power of two): ites, the index's highest bit outermost."""
    level: list[V] = list(entries)
    bit, width = alignment.bit_length() - 1, BitVec(8 * size)
    while len(level) > 1:
        odd = build.eq(build.extract(bit, bit, offset, world.pointer_bits), 1, 1)
        pairs = [(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = [build.ite(odd, high, low, width) for low, high in pairs] + level[2 * len(pairs) :]
        bit += 1
    return level[0]


def write(
    contents: Contents, offset: V, size: int, value: V, condition: V, object_size: V, origin: str, world: World
) -> Contents:
    """Contents after a write that happens where `condition` holds; `offset` is in bounds there."""
    if isinstance(contents, Cells):
        if isinstance(offset, int):
            if condition != 1:
                value = choose(condition, value, contents.read(offset, size, world), 8 * size)
            return contents.write(offset, size, value, world)
        options = candidates(offset, size, object_size, world)
        if options is not None:
            for option in options:
                here = build.and_(condition, build.eq(offset, option, world.pointer_bits))
                if here != 0:
                    old = contents.read(option, size, world)
                    contents = contents.write(option, size, choose(here, value, old, 8 * size), world)
            return contents
        contents = contents.to_array(granule_for(origin, offset, size, world), world)
    return contents.write(offset, size, value, origin, world, condition)


def merge(condition: V, yes: Contents, no: Contents, origin: str, world: World) -> Contents:
    """`yes` where the condition holds, else `no`. Linear in what was written since they parted."""
    if yes is no:
        return yes
    if isinstance(yes, Cells) and isinstance(no, Cells):
        return _merge_cells(condition, yes, no, world)
    if isinstance(yes, Cells):
        assert isinstance(no, ArrayContents)
        yes = yes.to_array(no.granule, world)
    elif isinstance(no, Cells):
        no = no.to_array(yes.granule, world)
    if yes.granule != no.granule:
        conflict(origin, world)
    owners = yes.owners
    if owners is not no.owners:
        one = _all_by_address(yes.term) if yes.owners is None else yes.owners
        two = _all_by_address(yes.term) if no.owners is None else no.owners
        owners = array_ite(condition, one, two)
    term = yes.term if yes.term is no.term else array_ite(condition, yes.term, no.term)
    return ArrayContents(term, yes.granule, owners)


def _merge_cells(condition: V, yes: Cells, no: Cells, world: World) -> Cells:
    if yes.initial is no.initial:
        changed, result = _differences(yes.history, no.history), yes
    else:
        changed = set(yes.map) | set(no.map)
        result = Cells(EMPTY, ChosenInitial(condition, yes.initial, no.initial))
    for side in (yes, no):
        for offset in sorted(changed):
            cell = side.map.get(offset)
            if cell is None:
                continue
            size = cell[0]
            there, other = yes.map.get(offset), no.map.get(offset)
            if side is no and there is not None and there[0] == size:
                continue
            if there is not None and there is other and result is yes:
                continue
            value = choose(condition, yes.read(offset, size, world), no.read(offset, size, world), 8 * size)
            result = result.write(offset, size, value, world)
    return result


def _differences(one: Written | None, two: Written | None) -> set[int]:
    """Offsets written since the two histories parted."""
    offsets: set[int] = set()
    while one is not two:
        if two is None or (one is not None and one.depth >= two.depth):
            assert one is not None
            offsets.add(one.offset)
            one = one.parent
        else:
            offsets.add(two.offset)
            two = two.parent
    return offsets
