"""Bounds of integers and of their sums and differences, as tight as the visits of a place allow.

Source: octagons after Mine; from traces as in Daikon. Sums and differences are compared in enough bits that nothing
wraps around, so that each formula says what it says of integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, permutations

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.samples import Column, Table, once, tables
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import Op, V

MOST = 200
"""Facts per place."""

MOST_COLUMNS = 12
"""Columns at a place that are compared with one another."""

LARGEST_FACTOR, MOST_FACTORS = 100, 3
"""Of numbers of the program that bound a number by a multiple of another, the least, so many of two columns."""

COUNTS = 8
"""Different values of what is taken for a sum or a count."""

OFTEN = 20
"""An extreme that each so many visits reach is no accident."""


@dataclass(frozen=True, slots=True)
class Octagons:
    """See the module's docstring."""

    name: str = "octagons"
    stage: int = 2
    summary: str = "Bounds of x, x - y, x + y, x - 2y, x - cy seen on traces, signed and unsigned (octagons, Daikon)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context, MOST_COLUMNS):
            if context.budget.remaining() <= 0:
                return
            columns = tuple(c for c in table.columns if not c.constant or c.variable.op is Op.VARIABLE)
            table = replace(table, columns=columns)
            formulas = chain(_bounds(table), _differences(table), _others(table), _scaled(table))
            yield from once((table.fact(formula) for formula in formulas), MOST)


def _bounds(table: Table) -> Iterator[V]:
    for column in table.columns:
        if column.constant:
            continue
        x, width, mask = column.variable, column.width, (1 << column.width) - 1
        low, high = min(column.signed), max(column.signed)
        if _plausible(table, low, column.signed):
            yield build.sle(low & mask, x, width)
        if _plausible(table, high, column.signed):
            yield build.sle(x, high & mask, width)
        above, below = max(column.unsigned), min(column.unsigned)
        if _plausible(table, above, column.unsigned):
            yield build.ule(x, above, width)
        if below > 0 and _plausible(table, below, column.unsigned):
            yield build.ule(below, x, width)


def _differences(table: Table) -> Iterator[V]:
    """x - y <= c in both directions: signed ones of all pairs, then unsigned ones."""
    yield from differences(table, unsigned=False)
    yield from differences(table, unsigned=True)


def differences(table: Table, *, unsigned: bool) -> Iterator[V]:
    """x <= y + c for all pairs of columns, with the least c seen where it is plausible."""
    for one, two in combinations(table.columns, 2):
        if one.constant and two.constant:
            continue
        a, b = _values(one, unsigned), _values(two, unsigned)
        away = [x - y for x, y in zip(a, b, strict=True)]
        yield from _difference(table, one, two, away, unsigned)
        yield from _difference(table, two, one, [-d for d in away], unsigned)


def _difference(table: Table, one: Column, two: Column, away: Sequence[int], unsigned: bool) -> Iterator[V]:
    most = max(away)
    if most == min(away):  # an equality, which another source finds
        return
    compare = build.ule if unsigned else build.sle
    if -1 <= most <= 0 and one.width == two.width:
        less = build.ult if unsigned else build.slt
        yield (less if most else compare)(one.variable, two.variable, one.width)
    elif most >> min(one.width, two.width) - 1 in (0, -1) and _plausible(table, most, away):
        yield _compare([(1, one)], [(1, two)], most, unsigned)
    elif most < 0:
        yield _compare([(1, one)], [(1, two)], -1, unsigned)


def _others(table: Table) -> Iterator[V]:
    """c <= x + y <= c', and x <= 2y + c."""
    for one, two in combinations(table.columns, 2):
        if one.constant or two.constant:
            continue
        sums = [x + y for x, y in zip(one.signed, two.signed, strict=True)]
        low, high = min(sums), max(sums)
        if low != high:
            if _plausible(table, high, sums):
                yield _compare([(1, one), (1, two)], [], high, False)
            if _plausible(table, low, sums):
                yield _compare([], [(1, one), (1, two)], -low, False)
        for x, y in ((one, two), (two, one)):
            twice = [a - 2 * b for a, b in zip(x.signed, y.signed, strict=True)]
            for values, left, right in (
                (twice, [(1, x)], [(2, y)]),
                ([-value for value in twice], [(2, y)], [(1, x)]),
            ):
                most = max(values)
                if most != min(values) and -2 <= most <= 2 and _often(most, values):
                    yield _compare(left, right, most, False)


def _scaled(table: Table) -> Iterator[V]:
    """x <= c * y for numbers c of the program, where x gets above y: a sum of y cells, each at most c. For y > 0 where
    x begins in the first round (`if (i == 0) s = 0; else s += a[i];`)."""
    factors = sorted(c for c in table.numbers if 1 <= c <= LARGEST_FACTOR)
    for x, y in permutations([column for column in table.columns if len(set(column.signed)) >= COUNTS], 2):
        pairs = [(a, b) for a, b in zip(x.signed, y.signed, strict=True) if b != 0]
        if min(y.signed) < 0 or len(pairs) < OFTEN or any(a < 0 for a, _ in pairs) or all(a <= b for a, b in pairs):
            continue
        begun = all(a <= 0 for a, b in zip(x.signed, y.signed, strict=True) if b == 0)
        for c in islice((c for c in factors if all(a <= c * b for a, b in pairs)), MOST_FACTORS):
            bound = _compare([(1, x)], [(c, y)], 0, False)
            yield bound if begun else build.or_(build.eq(y.variable, 0, y.width), bound)


def _values(column: Column, unsigned: bool) -> tuple[int, ...]:
    return column.unsigned if unsigned else column.signed


def _plausible(table: Table, extreme: int, values: Sequence[int]) -> bool:
    """A constant of the program, or next to one, or reached often."""
    return any(extreme + k in table.numbers for k in (-1, 0, 1)) or _often(extreme, values)


def _often(extreme: int, values: Sequence[int]) -> bool:
    return values.count(extreme) >= max(3, len(values) // OFTEN)


def _compare(
    left: Sequence[tuple[int, Column]], right: Sequence[tuple[int, Column]], constant: int, unsigned: bool
) -> V:
    """sum of left <= sum of right + constant, over the integers: as many bits more than the widest as factors need."""
    columns = [column for _, column in (*left, *right)]
    factor = max(factor for factor, _ in (*left, *right))
    width = max(max(column.width for column in columns), constant.bit_length() + 1) + max(3, factor.bit_length() + 1)
    extend = build.zext if unsigned else build.sext

    def total(part: Sequence[tuple[int, Column]], start: int) -> V:
        result: V = start
        for factor, column in part:
            value = build.mul(factor, extend(column.variable, column.width, width), width)
            result = build.add(result, value, width)
        return result

    return build.sle(total(left, max(-constant, 0)), total(right, max(constant, 0)), width)


SOURCE = Octagons()
