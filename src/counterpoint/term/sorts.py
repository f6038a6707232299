"""The sorts of terms: Bool, bit-vectors, IEEE floats, arrays of bit-vectors.

Sorts are interned: two sorts are equal exactly if they are the same object, so `is` compares them
and hashing one costs nothing. `width` is the number of bits of a value's int representation
(1 for Bool, sign + exponent + fraction for Float), `mask` is 2**width - 1.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias


class Bool:
    """Truth values; an int of this sort is 0 or 1. The only instance is `BOOL`."""

    __slots__ = ()
    width: Final = 1
    mask: Final = 1

    def __repr__(self) -> str:
        return "Bool"

    def __reduce__(self) -> str:
        return "BOOL"


BOOL: Final = Bool()


class BitVec:
    """Bit-vectors of `width` >= 1 bits; an int of this sort is in 0..2**width - 1."""

    __slots__ = ("mask", "sign_bit", "width")
    _interned: ClassVar[dict[int, BitVec]] = {}
    width: int
    mask: int
    sign_bit: int

    def __new__(cls, width: int) -> BitVec:
        found = cls._interned.get(width)
        if found is None:
            if width < 1:
                raise ValueError(f"a bit-vector needs at least one bit, not {width}")
            found = object.__new__(cls)
            found.width = width
            found.mask = (1 << width) - 1
            found.sign_bit = 1 << (width - 1)
            cls._interned[width] = found
        return found

    def __repr__(self) -> str:
        return f"BitVec({self.width})"

    def __reduce__(self) -> tuple[object, ...]:
        return BitVec, (self.width,)


class Float:
    """IEEE 754 binary floats as SMT-LIB counts them: `significand_bits` includes the hidden bit.

    An int of this sort is the bit pattern; operations give one NaN, `nan` (quiet, positive, no payload).
    """

    __slots__ = (
        "bias",
        "exponent_bits",
        "fraction_bits",
        "infinity",
        "mask",
        "nan",
        "sign_bit",
        "significand_bits",
        "width",
    )
    _interned: ClassVar[dict[tuple[int, int], Float]] = {}
    exponent_bits: int
    significand_bits: int
    fraction_bits: int
    width: int
    mask: int
    sign_bit: int
    bias: int
    infinity: int
    nan: int

    def __new__(cls, exponent_bits: int, significand_bits: int) -> Float:
        key = (exponent_bits, significand_bits)
        found = cls._interned.get(key)
        if found is None:
            if exponent_bits < 2 or significand_bits < 2:
                raise ValueError(
                    f"no float has {exponent_bits} exponent and {significand_bits} significand bits"
                )
            found = object.__new__(cls)
            found.exponent_bits = exponent_bits
            found.significand_bits = significand_bits
            found.fraction_bits = significand_bits - 1
            found.width = exponent_bits + significand_bits
            found.mask = (1 << found.width) - 1
            found.sign_bit = 1 << (found.width - 1)
            found.bias = (1 << (exponent_bits - 1)) - 1
            found.infinity = ((1 << exponent_bits) - 1) << found.fraction_bits
            found.nan = found.infinity | 1 << (found.fraction_bits - 1)
            cls._interned[key] = found
        return found

    def __repr__(self) -> str:
        return f"Float({self.exponent_bits}, {self.significand_bits})"

    def __reduce__(self) -> tuple[object, ...]:
        return Float, (self.exponent_bits, self.significand_bits)


FLOAT16: Final = Float(5, 11)
FLOAT32: Final = Float(8, 24)
FLOAT64: Final = Float(11, 53)


class ArraySort:
    """Total maps from bit-vectors of `index` bits to bit-vectors of `element` bits; never an int."""

    __slots__ = ("element", "index")
    _interned: ClassVar[dict[tuple[int, int], ArraySort]] = {}
    index: int
    element: int

    def __new__(cls, index: int, element: int) -> ArraySort:
        key = (index, element)
        found = cls._interned.get(key)
        if found is None:
            BitVec(index), BitVec(element)
            found = object.__new__(cls)
            found.index = index
            found.element = element
            cls._interned[key] = found
        return found

    def __repr__(self) -> str:
        return f"ArraySort({self.index}, {self.element})"

    def __reduce__(self) -> tuple[object, ...]:
        return ArraySort, (self.index, self.element)


Sort: TypeAlias = Bool | BitVec | Float | ArraySort
ScalarSort: TypeAlias = Bool | BitVec | Float
