"""Remainders that never changed at the visits of a place: x mod m == r, and equal parities.

Source: the parity heuristic of the SRTool paper (section on candidate generation); strides of all sizes are the
greatest common divisor of the differences seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import gcd

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.samples import Column, Table, once, tables
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.term import V

MOST = 60
"""Facts per place."""

LARGEST = 1 << 16
"""The largest modulus."""


@dataclass(frozen=True, slots=True)
class Moduli:
    """See the module's docstring."""

    name: str = "moduli"
    stage: int = 1
    summary: str = "Remainders x mod m == r and equal parities seen on traces (SRTool's parity heuristic, extended)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context):
            yield from once((table.fact(formula) for formula in _of_place(table)), MOST)


def _of_place(table: Table) -> Iterator[V]:
    changing = [column for column in table.columns if len(set(column.unsigned)) >= 3]
    for column in changing:
        yield from _remainders(column)
    for one, two in combinations(changing, 2):
        parities = {(a ^ b) & 1 for a, b in zip(one.unsigned, two.unsigned, strict=True)}
        if len(parities) == 1 and len({a & 1 for a in one.unsigned}) == 2:
            bits = build.bvxor(_low(one, 1), _low(two, 1), 1)
            yield build.eq(bits, parities.pop(), 1)


def _remainders(column: Column) -> Iterator[V]:
    first = column.signed[0]
    stride = gcd(*(value - first for value in column.signed))
    if not 1 < stride <= LARGEST:
        return
    powers = (stride & -stride).bit_length() - 1
    if powers:
        yield build.eq(_low(column, powers), first & ((1 << powers) - 1), powers)
        if powers > 1:
            yield build.eq(_low(column, 1), first & 1, 1)
    odd = stride >> powers
    if odd == 1 or stride >> (column.width - 1):
        return
    if min(column.signed) >= 0 or first % stride == 0:
        for modulus in dict.fromkeys((odd, stride)):
            yield build.eq(build.srem(column.variable, modulus, column.width), first % modulus, column.width)
    if all(value % stride == first % stride for value in column.unsigned):
        yield build.eq(build.urem(column.variable, stride, column.width), first % stride, column.width)


def _low(column: Column, bits: int) -> V:
    return build.extract(bits - 1, 0, column.variable, column.width)


SOURCE = Moduli()
