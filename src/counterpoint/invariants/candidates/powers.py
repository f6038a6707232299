"""Numbers that were powers of two in all runs, and what was a multiple of them.

What doubles until it is large enough and is halved again, as in division and roots digit by digit, is a power of two
all the time, which one equation of bits says; so its half is exact until it is 1. Where it was a power of 4, it has no
odd places. What it divides has no bits below it.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import Column, tables
from counterpoint.term import build
from counterpoint.term.term import Op, V

FEWEST = 3
"""Different powers, below which nothing is guessed."""

MOST_PAIRS = 12
"""Multiples of powers, of one place."""


def _guesses(context: Context) -> Iterator[Guess]:
    for table in tables(context):
        plain = [column for column in table.columns if column.variable.op is Op.VARIABLE]
        powers = [column for column in plain if _has_powers(column)]
        for power in powers:
            for formula in _of_power(power):
                fact = table.fact(formula)
                yield fact.place, fact.formula
        pairs = [(one, power) for power in powers for one in plain if _is_multiple(one, power)]
        for one, power in pairs[:MOST_PAIRS]:
            width = power.width
            below = build.sub(power.variable, 1, width)
            exact = build.eq(build.extract(0, 0, one.variable, width), 0, 1)
            for formula in (
                build.eq(build.bvand(one.variable, below, width), 0, width),
                build.or_(build.eq(power.variable, 1, width), exact),
                *_not_negative(one),
            ):
                fact = table.fact(formula)
                yield fact.place, fact.formula


def _has_powers(column: Column) -> bool:
    values = {value for value in column.unsigned if value}
    return column.width > 1 and len(values) >= FEWEST and not any(value & (value - 1) for value in values)


def _of_power(column: Column) -> Iterator[V]:
    x, width = column.variable, column.width
    yield build.eq(build.bvand(x, build.sub(x, 1, width), width), 0, width)
    if 0 not in column.unsigned:  # what doubles for long is 0
        yield build.ne(x, 0, width)
    yield from _not_negative(column)
    places = {(value.bit_length() - 1) % 2 for value in column.unsigned if value}
    if len(places) == 1:
        other = sum(1 << k for k in range(width) if k % 2 not in places)
        yield build.eq(build.bvand(x, other, width), 0, width)
    for low in (1, 2)[: 3 - len(places)]:
        yield build.or_(build.eq(x, 1, width), build.eq(build.extract(low - 1, 0, x, width), 0, low))


def _not_negative(column: Column) -> Iterator[V]:
    """By itself a power may become the sign when it is doubled, and a bound of it is none of its multiples."""
    if min(column.signed) >= 0:
        yield build.sle(0, column.variable, column.width)


def _is_multiple(one: Column, power: Column) -> bool:
    """At all visits, with different values."""
    if one is power or one.constant or one.width != power.width:
        return False
    return all(a % b == 0 if b else a == 0 for a, b in zip(one.unsigned, power.unsigned, strict=True))


SOURCE = GuessSource("powers", 0, "powers of two, and their multiples, from runs", _guesses)
