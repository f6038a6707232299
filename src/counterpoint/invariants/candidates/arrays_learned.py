"""Facts about all elements of a range of an array, learned from the elements noted at visits of a place.

The formulas have a ghost index g: `low <= g < high -> a[g] ...`. Ranges are what lies below, or from, an integer at the
place, and the whole object. Source: the distinguished-cell abstraction of array loops (one element stands for all).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.samples import Column, Table, at_width, once, tables, to_signed
from counterpoint.program import model as m
from counterpoint.semantics.components import Elements, variable_of
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.term import Op, Term, V

MOST = 200
"""Facts per place."""

MOST_INDICES = 5
"""Integers at a place that are taken for indices."""

POINTS = 1500
"""Elements that one range is judged by."""


@dataclass(frozen=True, slots=True)
class LearnedArrays:
    """See the module's docstring."""

    name: str = "arrays_learned"
    stage: int = 3
    summary: str = "Facts about a prefix, a suffix or all of an array, from the elements seen on traces."

    def candidates(self, context: Context) -> Iterator[Fact]:
        for table in tables(context):
            if context.budget.remaining() <= 0:
                return
            arrays = list(_arrays(context, table))
            if not arrays:
                continue
            table = replace(table, columns=tuple(c for c in table.columns if c.variable.op is Op.VARIABLE))
            formulas = (formula for array in arrays for formula in _of_array(context, table, array, arrays))
            yield from once((table.fact(formula) for formula in formulas), MOST)


# ---------------------------------------------------------------- arrays and ranges


@dataclass(frozen=True, slots=True)
class _Array:
    """An array at a place; `length` in elements (None: it varies), `width` of an element in bits."""

    variable: Term
    values: tuple[ArrayValue, ...]
    width: int
    length: int | None


@dataclass(frozen=True, slots=True)
class _Range:
    """Indices g with low <= g < high: as a formula over g, and for each visit."""

    guard: V
    bounds: tuple[tuple[int, int], ...]


def _arrays(context: Context, table: Table) -> Iterator[_Array]:
    points, bits = context.graph.points, context.graph.program.layout.pointer_bits
    for component in context.graph.components(table.place):
        if isinstance(component, Elements):
            variable = variable_of(component, bits)
            values = [v for s in table.snapshots if isinstance(v := s.values.get(variable), ArrayValue)]
            if len(values) == len(table.snapshots):
                size = _size(points.objects[component.thing])
                length = None if size is None else size // component.granule
                yield _Array(variable, tuple(values), 8 * component.granule, length)


def _size(thing: object) -> int | None:
    item, allocation = getattr(thing, "item", None), getattr(thing, "allocation", None)
    if item is not None:
        return int(item.size)
    size = allocation.size if allocation is not None else None
    return size.bits if isinstance(size, m.Constant) else None


def _ranges(context: Context, table: Table, array: _Array) -> Iterator[_Range]:
    """Prefixes and suffixes that an index cuts off, then the whole array."""
    bits = context.graph.program.layout.pointer_bits
    g, visits = ghost(0, bits), len(table.snapshots)
    end = array.length
    indices = [column for column in table.columns if column.width <= bits and _is_index(column, array)]
    for column in indices[:MOST_INDICES]:
        for unsigned in (False, True) if column.width < bits else (False,):
            edge = at_width(column, bits, unsigned=unsigned)
            plain = unsigned or column.width == bits
            edges = column.unsigned if plain else column.signed
            below = tuple((0, value) for value in edges)
            above = tuple((value, end or 0) for value in edges)
            if plain:
                before, after = build.ult(g, edge, bits), build.ule(edge, g, bits)
            else:  # nothing is below an index that became negative
                before = build.and_(build.sle(0, g, bits), build.slt(g, edge, bits))
                after = build.and_(build.sle(0, g, bits), build.sle(edge, g, bits))
            yield _Range(before, below)
            if not column.constant and end is not None:
                yield _Range(build.and_(after, build.ult(g, end, bits)), above)
    if end is not None:
        yield _Range(build.ult(g, end, bits), ((0, end),) * visits)


def _is_index(column: Column, array: _Array) -> bool:
    """At nearly all visits it is in the array or at its end, and not always 0."""
    end = array.length
    inside = sum(value >= 0 and (end is None or value <= end) for value in column.signed)
    return inside >= 0.9 * len(column.signed) and any(column.signed)


# ---------------------------------------------------------------- properties


@dataclass(frozen=True, slots=True)
class _Point:
    """One element that was seen: at which visit, its index, its bits."""

    visit: int
    index: int
    value: int


def _points(array: _Array, range_: _Range) -> list[_Point]:
    found = [
        _Point(visit, index, value)
        for visit, (values, (low, high)) in enumerate(zip(array.values, range_.bounds, strict=True))
        for index, value in values.entries.items()
        if low <= index < high
    ]
    found.sort(key=lambda point: (point.visit, point.index))
    step = len(found) // POINTS + 1
    return found[::step]


def _of_array(context: Context, table: Table, array: _Array, arrays: Sequence[_Array]) -> Iterator[V]:
    bits = context.graph.program.layout.pointer_bits
    g = ghost(0, bits)
    element = build.select(array.variable, g)
    for range_ in _ranges(context, table, array):
        points = _points(array, range_)
        if len({point.index for point in points}) < 2:
            continue
        found = chain(
            _by_constants(table, array, element, points),
            _linear(array, element, g, bits, points),
            _by_arrays(array, element, g, arrays, points),
            _by_columns(table, array, element, points),
        )
        if len({point.value for point in points}) == 1:  # the other properties say less
            found = chain(_by_constants(table, array, element, points))
        for formula in found:
            yield build.implies(range_.guard, formula)
        if _sorted(array, points):
            after = build.select(array.variable, build.add(g, 1, bits))
            inside = build.and_(range_.guard, _shifted(range_.guard, g, bits))
            yield build.implies(inside, build.sle(element, after, array.width))


def _by_constants(table: Table, array: _Array, element: V, points: Sequence[_Point]) -> Iterator[V]:
    """a[g] == c; else bounds that are constants of the program, or next to one; else a[g] != c."""
    width, mask = array.width, (1 << array.width) - 1
    values = {point.value for point in points}
    if len(values) == 1:
        yield build.eq(element, values.pop(), width)
        return
    signed = {to_signed(value, width) for value in values}
    if any(max(signed) + k in table.numbers for k in (-1, 0, 1)):
        yield build.sle(element, max(signed) & mask, width)
    if any(min(signed) + k in table.numbers for k in (-1, 0, 1)):
        yield build.sle(min(signed) & mask, element, width)
    for number in sorted(table.numbers):
        if -(1 << width - 1) <= number < 1 << width - 1 and number not in signed and abs(number) < 256:
            yield build.ne(element, number & mask, width)


def _linear(array: _Array, element: V, g: Term, bits: int, points: Sequence[_Point]) -> Iterator[V]:
    """a[g] == k * g + c, modulo the element's width."""
    width, mask = array.width, (1 << array.width) - 1
    one = points[0]
    two = next(point for point in points if point.index != one.index)
    rise, run = to_signed(two.value - one.value & mask, width), two.index - one.index
    if rise == 0 or rise % run:
        return
    slope = rise // run
    start = one.value - slope * one.index
    if all((point.value - start - slope * point.index) & mask == 0 for point in points):
        index = build.extract(width - 1, 0, g, bits) if width < bits else build.zext(g, bits, width)
        line = build.add(build.mul(slope & mask, index, width), start & mask, width)
        yield build.eq(element, line, width)


def _by_arrays(array: _Array, element: V, g: Term, arrays: Sequence[_Array], points: Sequence[_Point]) -> Iterator[V]:
    """a[g] == b[g], a[g] <= b[g]."""
    for other in arrays:
        if other is array or other.width != array.width:
            continue
        pairs = [
            (point.value, value)
            for point in points
            if (value := other.values[point.visit].entries.get(point.index)) is not None
        ]
        if len(pairs) >= 2:
            partner = build.select(other.variable, g)
            yield from _relation(element, partner, array.width, pairs)


def _by_columns(table: Table, array: _Array, element: V, points: Sequence[_Point]) -> Iterator[V]:
    """a[g] compared with an integer at the place that is as wide as an element."""
    for column in table.columns:
        if column.width == array.width:
            pairs = [(point.value, column.unsigned[point.visit]) for point in points]
            yield from _relation(element, column.variable, array.width, pairs)
            if all(a != b for a, b in pairs):
                yield build.ne(element, column.variable, array.width)


def _relation(one: V, two: V, width: int, pairs: Sequence[tuple[int, int]]) -> Iterator[V]:
    if all(a == b for a, b in pairs):
        yield build.eq(one, two, width)
        return
    signed = [(to_signed(a, width), to_signed(b, width)) for a, b in pairs]
    compare: Sequence[tuple[Callable[[V, V, int], V], Sequence[tuple[int, int]]]] = (
        (build.sle, signed),
        (build.ule, pairs),
    )
    for less, values in compare:
        if all(a <= b for a, b in values):
            yield less(one, two, width)
        elif all(a >= b for a, b in values):
            yield less(two, one, width)


def _sorted(array: _Array, points: Sequence[_Point]) -> bool:
    """Neighbours rise, some of them strictly."""
    values = {(point.visit, point.index): to_signed(point.value, array.width) for point in points}
    pairs = [(value, values[v, k + 1]) for (v, k), value in values.items() if (v, k + 1) in values]
    return len(pairs) > 2 and all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _shifted(guard: V, g: Term, bits: int) -> V:
    from counterpoint.term.walk import substitute

    return substitute(guard, {g: build.add(g, 1, bits)})


SOURCE = LearnedArrays()
