"""Which inputs are simpler for a reader, and simpler values to try in the place of one.

Zero is simplest; then come small numbers, round ones (powers of ten and of two, and their neighbours), letters where
the type is `char`, and others by how many digits say them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache

from counterpoint.core.source import Site
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput

UNDETERMINED = ("uninitialised", "undef", "heap")
"""Kinds of site whose values C leaves undetermined, rather than the environment."""

_TEXT = ("char", "__VERIFIER_nondet_char", "__VERIFIER_nondet_schar")
_LETTERS = "a0A1b "
_BOUNDARIES = (7, 8, 15, 16, 31, 32, 63, 64)
UNSIGNED = (
    "unsigned", "_Bool", "bool", "size_t", "uchar", "ushort", "uint", "ulong", "u8", "u16", "u32", "u64",
)  # fmt: skip
"""How the names of types begin whose values have no sign."""

_FLOATS = (0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 10.0, -10.0, 100.0, 1000.0, 1e6, 1e9)


def is_undetermined(given: Input, sites: tuple[Site, ...]) -> bool:
    """Whether C leaves the value undetermined."""
    site = _site(given, sites)
    return given.site == INVALID_READ or (site is not None and site.kind in UNDETERMINED)


def weight(given: Input, sites: tuple[Site, ...]) -> int:
    """0 for what a reader need not look at, more the more there is to read."""
    match given:
        case ScalarInput(_, value, bits):
            return _scalar_weight(value, bits, _nature(_site(given, sites)))
        case MemoryInput(_, _, contents):
            return sum(_scalar_weight(byte, 8, _Nature.UNSIGNED) for _, byte in contents)


def simplest(given: Input, sites: tuple[Site, ...]) -> Input:
    """The input of weight 0 in its place."""
    match given:
        case ScalarInput(site, _, bits):
            return ScalarInput(site, _least(_nature(_site(given, sites))), bits)
        case MemoryInput(site, size, _):
            return MemoryInput(site, size)


def simpler(given: ScalarInput, sites: tuple[Site, ...]) -> list[ScalarInput]:
    """Those to try instead, the simplest first."""
    nature = _nature(_site(given, sites))
    return _lighter(given, _values(given, nature), nature)


def rounder(given: ScalarInput, sites: tuple[Site, ...]) -> list[ScalarInput]:
    """The number, and greater ones of the same sign, that take fewer digits to say, the simplest first."""
    nature = _nature(_site(given, sites))
    size, sign = _read(given.value, given.bits, nature)
    tens = [10**power for power in range(max(0, len(str(size)) - 2), len(str(size)))]
    sizes = {-(-size // ten) * ten for ten in tens}
    values = {sign * size & ((1 << given.bits) - 1) for size in sizes if size < _most(given.bits, nature)}
    return _lighter(given, values, nature)


def towards_zero(given: ScalarInput, size: int, sites: tuple[Site, ...]) -> ScalarInput:
    """The number of that magnitude with the same sign."""
    sign = _read(given.value, given.bits, _nature(_site(given, sites)))[1]
    return ScalarInput(given.site, sign * size & ((1 << given.bits) - 1), given.bits)


def magnitude(given: ScalarInput, sites: tuple[Site, ...]) -> int:
    """Of the number as its type reads it."""
    return _read(given.value, given.bits, _nature(_site(given, sites)))[0]


def _lighter(given: ScalarInput, values: Iterable[int], nature: _Nature) -> list[ScalarInput]:
    now = _scalar_weight(given.value, given.bits, nature)
    found = {value: _scalar_weight(value, given.bits, nature) for value in values}
    ordered = sorted((heavy, *_read(value, given.bits, nature), value) for value, heavy in found.items() if heavy < now)
    return [ScalarInput(given.site, value, given.bits) for *_, value in ordered]


def is_number(given: Input, sites: tuple[Site, ...]) -> bool:
    """Whether it is an integer, neither a float nor a pointer."""
    return isinstance(given, ScalarInput) and _nature(_site(given, sites)) not in (_Nature.FLOAT, _Nature.POINTER)


# ---------------------------------------------------------------- what values are


class _Nature(Enum):
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    TEXT = "text"
    FLOAT = "float"
    POINTER = "pointer"
    WORDS = "words"
    """`argc`, of which 1 is the simplest."""


def _site(given: Input, sites: tuple[Site, ...]) -> Site | None:
    return sites[given.site] if 0 <= given.site < len(sites) else None


@lru_cache(maxsize=1024)
def _nature(site: Site | None) -> _Nature:
    if site is None:
        return _Nature.UNSIGNED
    if site.kind == "argument" and site.name == "argc":
        return _Nature.WORDS
    if "*" in site.type or site.type == "ptr":
        return _Nature.POINTER
    if site.type in ("float", "double"):
        return _Nature.FLOAT
    if site.type in _TEXT or site.name in _TEXT:
        return _Nature.TEXT
    return _Nature.UNSIGNED if site.type.startswith(UNSIGNED) else _Nature.SIGNED


def _least(nature: _Nature) -> int:
    return int(nature is _Nature.WORDS)


def _most(bits: int, nature: _Nature) -> int:
    """The first magnitude that is too great."""
    return 1 << (bits if nature is _Nature.UNSIGNED or bits == 1 else bits - 1)


def _read(value: int, bits: int, nature: _Nature) -> tuple[int, int]:
    """Magnitude and sign of a number."""
    return (value, 1) if value < _most(bits, nature) else ((1 << bits) - value, -1)


@lru_cache(maxsize=1 << 14)
def _scalar_weight(value: int, bits: int, nature: _Nature) -> int:
    if value == _least(nature):
        return 0
    match nature:
        case _Nature.POINTER:
            return 10
        case _Nature.FLOAT:
            return _float_weight(value, bits)
        case _Nature.TEXT if 32 <= value < 127:
            return 10 + _LETTERS.index(chr(value)) if chr(value) in _LETTERS else 20 + (not chr(value).isalnum())
    size, sign = _read(value, bits, nature)
    text = str(size)
    digits = 1 if _at_a_boundary(size) else 2 if size & (size - 1) == 0 else len(text)
    digits = min(digits, len(text.rstrip("0")))
    return 10 * (len(text) + 2 * digits + (sign < 0)) + int(text[0])


def _at_a_boundary(size: int) -> bool:
    """Whether it is the greatest or the least of some width, or next to one."""
    return any(abs(size - (1 << power)) <= 1 for power in _BOUNDARIES)


def _float_weight(value: int, bits: int) -> int:
    number = _float_of(value, bits)
    if number is None:
        return 200
    return 10 * len(repr(number).removesuffix(".0")) if math.isfinite(number) else 80


def _float_of(value: int, bits: int) -> float | None:
    formats = {32: ("<I", "<f"), 64: ("<Q", "<d")}
    if bits not in formats:
        return None
    integer, floating = formats[bits]
    return float(struct.unpack(floating, struct.pack(integer, value))[0])


def _bits_of(number: float, bits: int) -> int:
    integer, floating = {32: ("<I", "<f"), 64: ("<Q", "<d")}[bits]
    return int(struct.unpack(integer, struct.pack(floating, number))[0])


# ---------------------------------------------------------------- values to try


def _values(given: ScalarInput, nature: _Nature) -> Iterator[int]:
    yield _least(nature)
    match nature:
        case _Nature.POINTER:
            return
        case _Nature.FLOAT:
            yield from _floats(given.value, given.bits)
            return
        case _Nature.TEXT if given.bits >= 8:
            yield from map(ord, _LETTERS)
    yield from _numbers(given.bits, nature)


@lru_cache(maxsize=64)
def _numbers(bits: int, nature: _Nature) -> tuple[int, ...]:
    """Small and round ones."""
    sizes = {*range(11), 20, 50, 200, 500, *(10**power for power in range(2, 20))}
    sizes |= {1 << power for power in range(bits)} | {(1 << power) + by for power in _BOUNDARIES for by in (-1, 1)}
    most = _most(bits, nature)
    signs = (1,) if nature is _Nature.UNSIGNED else (1, -1)
    ends = {most - 1, most & ((1 << bits) - 1)}
    return tuple(sorted(ends | {sign * size & ((1 << bits) - 1) for size in sizes if size < most for sign in signs}))


def _floats(value: int, bits: int) -> Iterator[int]:
    number = _float_of(value, bits)
    if number is None:
        return
    yield from (_bits_of(simple, bits) for simple in _FLOATS)
    if not math.isfinite(number):
        return
    yield from (_bits_of(round(number, digits), bits) for digits in (0, 1, 2))
    yield from (_bits_of(float(f"{number:.{digits}g}"), bits) for digits in (1, 2, 3) if abs(number) < 1e38)
