"""Sets of bit-vector values: an unsigned interval, a signed one, and known bits, each sharpening the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """All v of `width` bits with low <= v <= high, lowest <= signed(v) <= highest, v & zeros == 0, v & ones == ones.

    Never empty: the empty set is None. Made by `reduced` and the functions below.
    """

    width: int
    low: int
    high: int
    lowest: int
    highest: int
    zeros: int = 0
    ones: int = 0

    def __contains__(self, value: int) -> bool:
        signed = signed_of(value, self.width)
        return (
            self.low <= value <= self.high
            and self.lowest <= signed <= self.highest
            and value & self.zeros == 0
            and value & self.ones == self.ones
        )

    @property
    def constant(self) -> int | None:
        """The only value, if there is just one."""
        return self.low if self.low == self.high else None


MaybeRange: TypeAlias = Range | None
"""None is the empty set: no run gets there."""


def signed_of(value: int, width: int) -> int:
    """The two's complement reading of an unsigned value."""
    return value - (1 << width) if value >> (width - 1) else value


def top(width: int) -> Range:
    """All values."""
    half = 1 << (width - 1)
    return Range(width, 0, (1 << width) - 1, -half, half - 1)


def exactly(value: int, width: int) -> Range:
    """One value."""
    mask, signed = (1 << width) - 1, signed_of(value, width)
    return Range(width, value, value, signed, signed, mask & ~value, value)


def unsigned(low: int, high: int, width: int) -> MaybeRange:
    """low <= v <= high."""
    half = 1 << (width - 1)
    return reduced(width, low, high, -half, half - 1)


def signed(lowest: int, highest: int, width: int) -> MaybeRange:
    """lowest <= signed(v) <= highest."""
    return reduced(width, 0, (1 << width) - 1, lowest, highest)


def reduced(width: int, low: int, high: int, lowest: int, highest: int, zeros: int = 0, ones: int = 0) -> MaybeRange:
    """The set with these limits, each made as sharp as the others allow (two rounds); limits may be too wide."""
    size, half = 1 << width, 1 << (width - 1)
    low, high = max(low, 0), min(high, size - 1)
    lowest, highest = max(lowest, -half), min(highest, half - 1)
    for _ in range(2):
        low, high = max(low, ones), min(high, (size - 1) & ~zeros)
        if lowest >= 0:
            low, high = max(low, lowest), min(high, highest)
        elif highest < 0:
            low, high = max(low, lowest + size), min(high, highest + size)
        if high < half:
            lowest, highest = max(lowest, low), min(highest, high)
        elif low >= half:
            lowest, highest = max(lowest, low - size), min(highest, high - size)
        if low > high or lowest > highest or zeros & ones:
            return None
        same = (size - 1) >> (low ^ high).bit_length() << (low ^ high).bit_length()
        ones, zeros = ones | (low & same), zeros | (~low & same)
        if zeros & ones:
            return None
    return Range(width, low, high, lowest, highest, zeros, ones)


def join(a: MaybeRange, b: MaybeRange) -> MaybeRange:
    """Both sets and maybe more."""
    if a is None or b is None or a == b:
        return b if a is None else a
    return Range(
        a.width,
        min(a.low, b.low),
        max(a.high, b.high),
        min(a.lowest, b.lowest),
        max(a.highest, b.highest),
        a.zeros & b.zeros,
        a.ones & b.ones,
    )


def meet(a: MaybeRange, b: MaybeRange) -> MaybeRange:
    """What is in both."""
    if a is None or b is None:
        return None
    return reduced(
        a.width,
        max(a.low, b.low),
        min(a.high, b.high),
        max(a.lowest, b.lowest),
        min(a.highest, b.highest),
        a.zeros | b.zeros,
        a.ones | b.ones,
    )


def widened(old: Range, new: Range, thresholds: Sequence[int]) -> Range:
    """A set around `new` (which is around `old`): limits that moved jump to the next of the sorted thresholds, and
    known bits from the lowest that got lost upwards are forgotten, so that chains of such steps are short."""
    width = old.width
    size, half = 1 << width, 1 << (width - 1)
    low, high, lowest, highest = new.low, new.high, new.lowest, new.highest
    if low < old.low:
        low = max((t for t in thresholds if 0 <= t <= low), default=0)
    if high > old.high:
        high = min((t for t in thresholds if high <= t < size), default=size - 1)
    if lowest < old.lowest:
        lowest = max((t for t in thresholds if -half <= t <= lowest), default=-half)
    if highest > old.highest:
        highest = min((t for t in thresholds if highest <= t < half), default=half - 1)
    lost = (old.zeros & ~new.zeros) | (old.ones & ~new.ones)
    keep = (lost & -lost) - 1 if lost else size - 1
    found = reduced(width, low, high, lowest, highest, new.zeros & keep, new.ones & keep)
    assert found is not None
    return found


# ---------------------------------------------------------------- arithmetic


def _both(
    width: int, unsigned_: tuple[int, int], signed_: tuple[int, int], zeros: int = 0, ones: int = 0
) -> MaybeRange:
    """From exact integer bounds of a result before it wraps around; bounds that do not fit say nothing."""
    size, half = 1 << width, 1 << (width - 1)
    low, high = unsigned_
    if low >> width == high >> width:
        low, high = low % size, high % size
    else:
        low, high = 0, size - 1
    lowest, highest = signed_
    if lowest < -half or highest >= half:
        if (lowest + half) >> width == (highest + half) >> width:
            lowest, highest = (lowest + half) % size - half, (highest + half) % size - half
        else:
            lowest, highest = -half, half - 1
    return reduced(width, low, high, lowest, highest, zeros, ones)


def _known_low(a: Range) -> int:
    """How many of the lowest bits are known."""
    unknown = ~(a.zeros | a.ones) & ((1 << a.width) - 1)
    return a.width if not unknown else (unknown & -unknown).bit_length() - 1


def _low_bits(value: int, bits: int) -> tuple[int, int]:
    mask = (1 << bits) - 1
    return mask & ~value, mask & value


def add(a: Range, b: Range) -> MaybeRange:
    """a + b."""
    zeros, ones = _low_bits(a.ones + b.ones, min(_known_low(a), _known_low(b)))
    between = (a.low + b.low, a.high + b.high)
    return _both(a.width, between, (a.lowest + b.lowest, a.highest + b.highest), zeros, ones)


def sub(a: Range, b: Range) -> MaybeRange:
    """a - b."""
    zeros, ones = _low_bits(a.ones - b.ones, min(_known_low(a), _known_low(b)))
    between = (a.low - b.high, a.high - b.low)
    return _both(a.width, between, (a.lowest - b.highest, a.highest - b.lowest), zeros, ones)


def mul(a: Range, b: Range) -> MaybeRange:
    """a * b."""
    zeros, ones = _low_bits(a.ones * b.ones, min(_known_low(a), _known_low(b)))
    trailing = min(_trailing_zeros(a) + _trailing_zeros(b), a.width)
    corners = [x * y for x, y in product((a.lowest, a.highest), (b.lowest, b.highest))]
    between = (a.low * b.low, a.high * b.high)
    return _both(a.width, between, (min(corners), max(corners)), zeros | ((1 << trailing) - 1), ones)


def _trailing_zeros(a: Range) -> int:
    free = ~a.zeros & ((1 << a.width) - 1)
    return a.width if not free else (free & -free).bit_length() - 1


def udiv(a: Range, b: Range) -> MaybeRange:
    """a / b, unsigned; nothing is said if b may be 0."""
    return unsigned(a.low // b.high, a.high // b.low, a.width) if b.low else top(a.width)


def urem(a: Range, b: Range) -> MaybeRange:
    """a % b, unsigned; a where b is 0."""
    if b.low == 0:
        return unsigned(0, a.high, a.width)
    if a.high < b.low:
        return a
    return unsigned(0, min(a.high, b.high - 1), a.width)


def sdiv(a: Range, b: Range) -> MaybeRange:
    """a / b, signed, by a positive divisor; nothing is said for others."""
    if b.lowest <= 0:
        return top(a.width)
    corners = [abs(x) // y * (1 if x >= 0 else -1) for x in (a.lowest, a.highest) for y in (b.lowest, b.highest)]
    return signed(min(corners), max(corners), a.width)


def srem(a: Range, b: Range) -> MaybeRange:
    """a % b, signed: the sign is that of a."""
    if b.lowest <= 0:
        return top(a.width)
    largest = b.highest - 1
    return signed(max(min(a.lowest, 0), -largest), min(max(a.highest, 0), largest), a.width)


def bitwise(a: Range, b: Range, operation: str) -> MaybeRange:
    """`and`, `or` or `xor`, by the known bits."""
    match operation:
        case "and":
            zeros, ones = a.zeros | b.zeros, a.ones & b.ones
            return reduced(a.width, 0, min(a.high, b.high), *_any_signed(a.width), zeros, ones)
        case "or":
            zeros, ones = a.zeros & b.zeros, a.ones | b.ones
            return reduced(a.width, max(a.low, b.low), (1 << a.width) - 1, *_any_signed(a.width), zeros, ones)
    known = (a.zeros | a.ones) & (b.zeros | b.ones)
    value = a.ones ^ b.ones
    return reduced(a.width, 0, (1 << a.width) - 1, *_any_signed(a.width), known & ~value, known & value)


def _any_signed(width: int) -> tuple[int, int]:
    half = 1 << (width - 1)
    return -half, half - 1


def shift_left(a: Range, by: int) -> MaybeRange:
    """a << by."""
    return mul(a, exactly(1 << by & ((1 << a.width) - 1), a.width)) if by < a.width else exactly(0, a.width)


def shift_right(a: Range, by: int) -> MaybeRange:
    """a >> by, unsigned."""
    if by >= a.width:
        return exactly(0, a.width)
    high_zeros = ((1 << by) - 1) << (a.width - by)
    between = (a.low >> by, a.high >> by)
    return reduced(a.width, *between, *_any_signed(a.width), a.zeros >> by | high_zeros, a.ones >> by)


def shift_right_signed(a: Range, by: int) -> MaybeRange:
    """a >> by, signed."""
    by = min(by, a.width - 1)
    return signed(a.lowest >> by, a.highest >> by, a.width)


def concat(a: Range, b: Range) -> MaybeRange:
    """a above b."""
    width, low = a.width + b.width, b.width
    zeros, ones = a.zeros << low | b.zeros, a.ones << low | b.ones
    return reduced(width, (a.low << low) + b.low, (a.high << low) + b.high, *_any_signed(width), zeros, ones)


def extract(a: Range, low: int, width: int) -> MaybeRange:
    """`width` bits from bit `low` on."""
    mask = (1 << width) - 1
    first, last = a.low >> low, a.high >> low
    zeros, ones = a.zeros >> low & mask, a.ones >> low & mask
    lowest, highest = a.lowest >> low, a.highest >> low
    half = 1 << (width - 1)
    if lowest < -half or highest >= half:
        lowest, highest = -half, half - 1
    if first >> width != last >> width:
        return reduced(width, 0, mask, lowest, highest, zeros, ones)
    return reduced(width, first & mask, last & mask, lowest, highest, zeros, ones)


def extended(a: Range, width: int, *, by_sign: bool) -> MaybeRange:
    """Zero or sign extension to `width` bits."""
    if by_sign:
        known = signed(a.lowest, a.highest, width)
        low_mask = (1 << (a.width - 1)) - 1
        return meet(
            known, reduced(width, 0, (1 << width) - 1, *_any_signed(width), a.zeros & low_mask, a.ones & low_mask)
        )
    more = ((1 << width) - 1) & ~((1 << a.width) - 1)
    return reduced(width, a.low, a.high, *_any_signed(width), a.zeros | more, a.ones)
