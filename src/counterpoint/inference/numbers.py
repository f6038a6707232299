"""Vectors of numbers modulo 2**width, 1 to 64 bits, as numpy has them: uint64 with the bits above the width 0.

numpy's linear algebra makes threads when it is loaded, which forks of this process would not have: it is told to make
none. Nothing here uses floating point.
"""

from __future__ import annotations

import os
from typing import TypeAlias

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.uint64]
Truth: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]
"""Numbers of rows."""


def mask_of(width: int) -> int:
    return (1 << width) - 1


def signed(numbers: Numbers, width: int) -> NDArray[np.int64]:
    """The two's complement reading."""
    up = 64 - width
    return (numbers << np.uint64(up)).view(np.int64) >> np.int64(up)


def signed_number(number: int, width: int) -> int:
    """The same of one number."""
    return number - (1 << width) if number >> (width - 1) & 1 else number


def ordered(numbers: Numbers, width: int) -> Numbers:
    """Numbers whose unsigned order is the signed one of these: the sign bit flipped."""
    return numbers ^ np.uint64(1 << (width - 1))


def twos(numbers: Numbers) -> Numbers:
    """The largest power of two that divides each number; 0 for 0."""
    return numbers & (~numbers + np.uint64(1))


def mixed(numbers: Numbers) -> Numbers:
    """Each number's bits spread over all 64, one to one (the finaliser of splitmix64)."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
