"""Inputs of a run: every arbitrary value that it consumed, in the order of consumption.

A run of another preparation, or a native one, reads them by site: the k-th value of a site is the k-th
input with that site. LLVM passes keep the order of kernel calls, so this holds across preparations.
"""

from __future__ import annotations

from typing import TypeAlias

from counterpoint.core.records import dataclass

INVALID_READ = -1
"""The site of values that invalid reads gave, those of Copy included."""


@dataclass(frozen=True, slots=True)
class ScalarInput:
    """One Nondet: `value` is its bits, unsigned, below 2**bits."""

    site: int
    value: int
    bits: int


@dataclass(frozen=True, slots=True)
class MemoryInput:
    """Contents given to `size` bytes by Allocate, Havoc or an invalid Copy: (offset, byte) pairs in rising order;
    others 0."""

    site: int
    size: int
    contents: tuple[tuple[int, int], ...] = ()


Input: TypeAlias = ScalarInput | MemoryInput
