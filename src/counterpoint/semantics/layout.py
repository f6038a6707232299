"""Where objects lie: one rule for concrete runs and for the symbolic side, so that addresses agree.

Globals come first, in the order of `Program.globals`; each Allocate (stack and heap alike) gets the next
base from one bump pointer, in execution order; no address is ever reused. Objects never touch: at least
GAP bytes lie between two of them, and between the last one and EXTERNAL_BASE. [0, NULL_PAGE) belongs to no object.

A nondeterministic pointer is null or an *external* object: the k-th one starts at EXTERNAL_BASE + k * EXTERNAL_SIZE.
Arguments, undefined objects and pointers found there are any of the first SHARED ones; all others are the next one of
those behind. All of [EXTERNAL_BASE, EXTERNAL_END) counts as live memory that is not heap and whose contents are
arbitrary, but for pointers found there (semantics/found.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from counterpoint.core.errors import Unsupported
from counterpoint.program.external import EXTERNAL_BASE, EXTERNAL_END, SHARED
from counterpoint.program.model import Program

NULL_PAGE = 4096
"""Addresses below this one are never valid."""

OBJECT_ALIGNMENT = 16
"""Least alignment of every object, in bytes."""

EXTERNAL_SIZE = 64 * 1024
"""Distance of two external objects, in bytes."""

EXTERNAL_CONTENTS = -2
"""The site of the one MemoryInput that gives the contents of the external region (offsets from its start)."""

_GAP = {32: 256, 64: 4096}
_GLOBAL_BASE = {32: 0x0010_0000, 64: 0x0040_0000}
_DYNAMIC_BASE = {32: 0x1013_7000, 64: 0x1013_5792_4000}
"""No round numbers: the leak check of concrete runs takes bytes that look like an address for one, at any offset,
and small integers between zeros are no addresses then (0 and 16 in neighbouring words look like 1 << 44)."""


def _of(table: Mapping[int, int], pointer_bits: int) -> int:
    try:
        return table[pointer_bits]
    except KeyError:
        raise Unsupported(f"pointers of {pointer_bits} bits have no memory layout") from None


def gap(pointer_bits: int) -> int:
    """Least number of bytes between two objects."""
    return _of(_GAP, pointer_bits)


def external_base(pointer_bits: int) -> int:
    return _of(EXTERNAL_BASE, pointer_bits)


def external_end(pointer_bits: int) -> int:
    return _of(EXTERNAL_END, pointer_bits)


def objects_end(pointer_bits: int) -> int:
    """No object ends above this address: one past its end is not external, nor is what lies a little behind it."""
    return external_base(pointer_bits) - gap(pointer_bits)


def own_base(pointer_bits: int) -> int:
    """The first external object to which one pointer only is given out."""
    return external_base(pointer_bits) + SHARED * EXTERNAL_SIZE


def is_shared(address: int, pointer_bits: int) -> bool:
    """Whether an external object starts there to which several pointers may be given out."""
    number, inside = divmod(address - external_base(pointer_bits), EXTERNAL_SIZE)
    return not inside and 0 <= number < SHARED


def external_address(index: int, pointer_bits: int) -> int:
    """Base of the external object `index`, counted from 0."""
    base = external_base(pointer_bits) + index * EXTERNAL_SIZE
    if base + EXTERNAL_SIZE > external_end(pointer_bits):
        raise Unsupported("a run needs more external objects than fit into the address space")
    return base


def place(next_free: int, alignment: int) -> int:
    """Base of an object that is placed at the first address >= next_free that suits it."""
    step = max(alignment, OBJECT_ALIGNMENT)
    return (next_free + step - 1) // step * step


def after(base: int, size: int, pointer_bits: int) -> int:
    """The bump pointer once an object of `size` bytes lies at `base`."""
    return base + size + gap(pointer_bits)


def fits(base: int, size: int, pointer_bits: int) -> bool:
    """Whether the object stays below the external region; otherwise the run is not modelled."""
    return base + size <= objects_end(pointer_bits)


def largest_object(pointer_bits: int) -> int:
    """Bytes of the largest object that an Allocate can place where there is no other."""
    return objects_end(pointer_bits) - _of(_DYNAMIC_BASE, pointer_bits) - gap(pointer_bits)


def global_addresses(program: Program) -> dict[str, int]:
    """Base address of every global, functions whose address is taken included."""
    return dict(_placed(program)[0])


def dynamic_base(program: Program) -> int:
    """Where the bump pointer of Allocate starts."""
    return _placed(program)[1]


def _placed(program: Program) -> tuple[Mapping[str, int], int]:
    bits = program.layout.pointer_bits
    sizes = tuple((name, item.size, item.alignment) for name, item in program.globals.items())
    return _place_all(sizes, bits)


@lru_cache(maxsize=8)
def _place_all(sizes: tuple[tuple[str, int, int], ...], bits: int) -> tuple[Mapping[str, int], int]:
    bases: dict[str, int] = {}
    free = _of(_GLOBAL_BASE, bits)
    for name, size, alignment in sizes:
        bases[name] = place(free, alignment)
        free = after(bases[name], size, bits)
    if free > external_base(bits):  # the last object ends a gap below
        raise Unsupported("the static objects do not fit into the modelled address space")
    return bases, max(free, _of(_DYNAMIC_BASE, bits))
