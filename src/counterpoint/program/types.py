"""Types of values and the data layout of the target."""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """Two's-complement integer of `bits` bits; 1 bit is a truth value."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class FloatType:
    """IEEE 754 binary format; significand counts the hidden bit (binary32 is 8, 24)."""

    exponent: int
    significand: int

    @property
    def bits(self) -> int:
        return self.exponent + self.significand

    def __str__(self) -> str:
        return f"f{self.bits}"


@dataclass(frozen=True, slots=True)
class PointerType:
    """An address, as wide as the target's pointers."""

    bits: int

    def __str__(self) -> str:
        return "ptr"


Type: TypeAlias = IntType | FloatType | PointerType

TRUTH = IntType(1)
BYTE = IntType(8)
HALF = FloatType(5, 11)
SINGLE = FloatType(8, 24)
DOUBLE = FloatType(11, 53)


def size_in_bytes(type_: Type) -> int:
    """Bytes that a load or store of the type touches: its bits rounded up to whole bytes."""
    return (type_.bits + 7) // 8


@dataclass(frozen=True, slots=True)
class Layout:
    """What of the target matters: pointer width in bits, byte order, its triple."""

    pointer_bits: int
    big_endian: bool = False
    triple: str = ""

    @property
    def pointer(self) -> PointerType:
        return PointerType(self.pointer_bits)
