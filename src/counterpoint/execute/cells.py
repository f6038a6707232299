"""Loads and stores of one type, as functions of an address; the hot loop of a run that uses memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from mmap import mmap
from struct import Struct, error
from typing import TypeAlias

from counterpoint.execute.memory import Memory
from counterpoint.program.types import FloatType, PointerType, Type, size_in_bytes

_FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}


def machine_word(size: int, big_endian: bool) -> Struct:
    """The unsigned integer of 1, 2, 4 or 8 bytes."""
    return Struct((">" if big_endian else "<") + _FORMATS[size])


def make_load(memory: Memory, type_: Type, invalid: Callable[[], int]) -> Callable[[int], int]:
    """Reads a value of the type; an invalid read gives `invalid()`. Bits beyond the type's are dropped."""
    size = size_in_bytes(type_)
    order = "big" if memory.big_endian else "little"
    finish = _finish(type_)
    pointer, outside = isinstance(type_, PointerType), memory.outside

    def general(address: int) -> int:
        if pointer:
            outside.meet_pointer(address)
        contents = memory.read(address, size)
        if contents is None:
            return finish(invalid())
        value = finish(int.from_bytes(contents, "big" if order == "big" else "little"))
        return outside.load_pointer(address, value) if pointer else value

    if size not in _FORMATS:
        return general
    unpack = machine_word(size, memory.big_endian).unpack_from
    if type_.bits == 8 * size and not isinstance(type_, FloatType):

        def load(address: int) -> int:
            block = memory.last_read
            offset = address - block.base
            if offset < 0 or offset > block.size - size:
                found = memory.containing(address, size)
                if found is None:
                    return general(address)
                memory.last_read = block = found
                offset = address - block.base
            value: int = unpack(block.data, offset)[0]
            return value

        return load

    def load_and_finish(address: int) -> int:
        block = memory.last_read
        offset = address - block.base
        if 0 <= offset <= block.size - size:
            return finish(unpack(block.data, offset)[0])
        return general(address)

    return load_and_finish


def _finish(type_: Type) -> Callable[[int], int]:
    """From the bits in memory to a register's value; a NaN keeps its own."""
    mask = (1 << type_.bits) - 1
    return lambda bits: bits & mask


def make_store(memory: Memory, type_: Type) -> Callable[[int, int], None]:
    """Writes a value of the type, zero-extended to whole bytes; an invalid write changes nothing."""
    size = size_in_bytes(type_)
    order = "big" if memory.big_endian else "little"
    pointer = isinstance(type_, PointerType)
    mask = memory.owners.mask

    def general(address: int, value: int) -> None:
        if pointer and value > mask:
            if memory.writable(address, size):
                memory.write(address, (value & mask).to_bytes(size, "big" if order == "big" else "little"))
                memory.owners.put(address, value)
            return
        memory.write(address, value.to_bytes(size, "big" if order == "big" else "little"))

    if size not in _FORMATS:
        return general
    pack = machine_word(size, memory.big_endian).pack_into

    def store(address: int, value: int) -> None:
        block = memory.last_written
        offset = address - block.base
        if offset < 0 or offset > block.size - size:
            found = memory.containing(address, size)
            if found is None or found.constant:
                return general(address, value)
            memory.last_written = block = found
            offset = address - block.base
        try:
            pack(block.data, offset, value)
        except error:
            general(address, value)
        return None

    return store


# ---------------------------------------------------------------- where words came from external memory (outside.py)


def watchful_load(memory: Memory, load: Callable[[int], int]) -> Callable[[int], int]:
    """A load of a pointer."""
    load_pointer = memory.outside.load_pointer
    return lambda address: load_pointer(address, load(address))


# ---------------------------------------------------------------- where memory.owners has a shadow


def careful_load(memory: Memory, type_: Type, load: Callable[[int], int]) -> Callable[[int], int]:
    """A load that knows of pointers outside of their objects."""
    owners, size = memory.owners, size_in_bytes(type_)
    if isinstance(type_, PointerType):
        load_pointer = memory.outside.load_pointer
        return lambda address: owners.get(address, load_pointer(address, load(address)))

    def part(address: int) -> int:
        value = load(address)
        owners.read_part(address, size, value)
        return value

    return part


def careful_store(memory: Memory, type_: Type, store: Callable[[int, int], None]) -> Callable[[int, int], None]:
    """A store that knows of them."""
    owners, size, pointer = memory.owners, size_in_bytes(type_), isinstance(type_, PointerType)

    def careful(address: int, value: int) -> None:
        if memory.writable(address, size):
            if pointer:
                owners.cut(address, size)
            else:
                owners.write_part(address, size, value)
        store(address, value)

    return careful


Cell: TypeAlias = "bytearray | mmap"


def careful_unpack(load: Callable[[int], int], bases: Mapping[int, int]) -> Callable[[Cell, int], tuple[int]]:
    """Struct.unpack_from for the data of globals, whose bases are given by id."""
    return lambda data, offset: (load(bases[id(data)] + offset),)


def careful_pack(store: Callable[[int, int], None], bases: Mapping[int, int]) -> Callable[[Cell, int, int], None]:
    """Struct.pack_into for the data of globals, whose bases are given by id."""
    return lambda data, offset, value: store(bases[id(data)] + offset, value)
