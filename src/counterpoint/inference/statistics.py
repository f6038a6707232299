"""What is true of a column's numbers on all rows: limits, bits, which they are if they are few."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.numbers import Numbers, mask_of, ordered, signed_number

FEW = 5
"""Different numbers that are still few."""


@dataclass(frozen=True)
class Statistics:
    """Of a vector that is not empty; `width` in bits."""

    numbers: Numbers
    width: int

    @cached_property
    def low(self) -> int:
        return int(self.numbers.min())

    @cached_property
    def high(self) -> int:
        return int(self.numbers.max())

    @cached_property
    def _ordered(self) -> tuple[int, int]:
        flipped = ordered(self.numbers, self.width)
        half = 1 << (self.width - 1)
        return int(flipped.min()) - half, int(flipped.max()) - half

    @property
    def signed_low(self) -> int:
        return self._ordered[0]

    @property
    def signed_high(self) -> int:
        return self._ordered[1]

    @property
    def span(self) -> int:
        """Numbers between the least and the greatest one, and these: in the reading in which they are fewer."""
        return min(self.high - self.low, self.signed_high - self.signed_low) + 1

    @cached_property
    def ones(self) -> int:
        """Bits that are always 1."""
        return int(np.bitwise_and.reduce(self.numbers))

    @cached_property
    def bits(self) -> int:
        """Bits that are ever 1."""
        return int(np.bitwise_or.reduce(self.numbers))

    @cached_property
    def few(self) -> tuple[int, ...] | None:
        """The different numbers, in signed order, if there are at most FEW."""
        found: set[int] = set()
        rest = self.numbers
        while len(rest) and len(found) <= FEW:
            number = int(rest[0])
            found.add(number)
            rest = rest[rest != np.uint64(number)]
        if len(found) > FEW:
            return None
        return tuple(sorted(found, key=lambda number: signed_number(number, self.width)))

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

    def times(self, number: int) -> int:
        """How many rows have this number."""
        return int(np.count_nonzero(self.numbers == np.uint64(number & mask_of(self.width))))
