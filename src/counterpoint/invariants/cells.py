"""The cells of arrays that were noted at visits of a place, as vectors, and conditions on which of them are meant.

A point is one cell at one visit. Conditions are over the ghost index: `low <= g`, `g < high`, `g % 4 == 1`, with
numbers of the place and what an index of a matrix is made of (`16 * i + j`) as bounds.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.samples import Column, Table, at_width, to_signed
from counterpoint.program import model as m
from counterpoint.regions.cut_graph import START, CutGraph, Place, Region, Way
from counterpoint.semantics.components import Elements, Size, variable_of
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.evaluate import ArrayValue
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

Numbers: TypeAlias = Any
"""A vector of 64-bit integers, one for each point or each visit."""

Truth: TypeAlias = Any
"""A vector of truth values, one for each point."""

MOST_POINTS = 3000
"""Points of one array, spread over the visits."""

MOST_VISITS = 150

MOST_INDICES = 7
"""Numbers at a place that are taken for indices."""

MOST_CONSTANTS = 3
"""Of the program's numbers that are taken for bounds, the smallest."""

LARGEST_STRIDE = 1024

MOST_STRIDES = 5
"""Strides that are looked at, the smallest."""

STEP = 3
"""How far an index that takes steps goes beyond the end."""

NEAR = 1
"""How far from an array's end a number has to get to be taken for a count of its cells."""

ROW = 1 << 40
"""More than any index of an array that is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A number at each visit, and the formula for it, as wide as a pointer. `length`: of an array of varying size."""

    term: V
    at: Numbers
    length: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array at a place, `width` bits per element, and its points by visit and index."""

    variable: Term
    width: int
    visit: Numbers
    index: Numbers
    value: Numbers

    def at(self, visit: Numbers, index: Numbers) -> tuple[Truth, Numbers]:
        """Where the cells are known, and what they hold (0 where not)."""
        keys = self.visit * ROW + self.index
        wanted = visit * ROW + index
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        known = (keys[place] == wanted) & (index >= 0)
        return known, np.where(known, self.value[place], 0)


    def where(self, here: Truth) -> Array | None:
        """The points that are meant; None if these are few."""
        if here.sum() <= FEWEST:
            return None
        return replace(self, visit=self.visit[here], index=self.index[here], value=self.value[here])

    def outside(self, visit: Numbers, index: Numbers) -> Truth:
        """Which of the indices are in front of or behind all noted cells: there is none."""
        count = int(visit.max()) + 1
        last = np.full(max(count, int(self.visit.max()) + 1), -1, dtype=np.int64)
        np.maximum.at(last, self.visit, self.index)
        return (index < 0) | (index > last[visit])


@dataclass(frozen=True, slots=True)
class Condition:
    """On the ghost index; `holds` for the points of one array."""

    formula: V
    holds: Truth


@dataclass(frozen=True, slots=True)
class Scene:
    """A place: its arrays, the numbers that are indices there, all numbers by width, and the strides of the program."""

    table: Table
    bits: int
    arrays: tuple[Array, ...]
    indices: tuple[Value, ...]
    strides: tuple[int, ...]

    @property
    def cell(self) -> Term:
        return ghost(0, self.bits)


def touched(graph: CutGraph) -> dict[Place, set[Term]]:
    """The arrays, by their components, that are read or written somewhere before each place: of others nothing is to
    be learned."""
    found: dict[Place, set[Term]] = {place: set() for place in (START, *graph.cuts)}
    changed = True
    while changed:
        changed = False
        for region in graph.regions:
            for way in region.ways:
                new = found[region.start] | _touched_on(region, way)
                changed |= not new <= found[way.target]
                found[way.target] |= new
    return found


def _touched_on(region: Region, way: Way) -> set[Term]:
    before, after = region.start_values.values, way.values.values
    arrays = {c: before.get(c) for c in after if isinstance(c.sort, ArraySort)}
    others = [value for component, value in after.items() if component not in arrays]
    read = set(variables(way.formula, *others))
    found = {component for component, value in arrays.items() if value in read}
    for component, old in arrays.items():
        new = after[component]
        if new is not old and not (old is None and isinstance(new, Term) and new.op is Op.VARIABLE):
            found.add(component)
            inside = set(variables(new))
            found |= {other for other, value in arrays.items() if value in inside}
    return found


def scene(context: Context, table: Table, wanted: Container[Term], program: m.Program) -> Scene | None:
    """What was seen at the place of the wanted arrays in runs of the program; None if there are none."""
    step = -(-len(table.snapshots) // MOST_VISITS)
    rows = range(0, len(table.snapshots), step)
    columns = tuple(c.at_visits(rows) for c in table.columns if c.variable.op is Op.VARIABLE)
    table = Table(table.place, columns, [table.snapshots[row] for row in rows], table.numbers)
    bits = context.graph.program.layout.pointer_bits
    arrays = tuple(array for array in _arrays(context, table, bits) if array.variable in wanted)
    if not arrays:
        return None
    longest = np.zeros(len(table.snapshots), dtype=np.int64)
    for array in arrays:
        np.maximum.at(longest, array.visit, array.index + 1)
    indices = tuple(
        Value(at_width(c, bits), np.array(c.signed, dtype=np.int64))
        for c in columns
        if c.width <= bits and _is_index(c, longest)
    )
    indices = (*indices[:MOST_INDICES], *_lengths(context, table, bits, indices))
    granules = {array.width // 8 for array in arrays}
    return Scene(table, bits, arrays, indices, strides(program, granules))


def _lengths(context: Context, table: Table, bits: int, known: Sequence[Value]) -> Iterator[Value]:
    """Lengths of arrays of varying size, in elements, as far as no index is the same."""
    components = context.graph.components(table.place)
    granules = {c.thing: c.granule for c in components if isinstance(c, Elements)}
    found = [value.at for value in known]
    for component in components:
        if isinstance(component, Size) and component.thing in granules:
            term, granule = variable_of(component, bits), granules[component.thing]
            numbers = [value for s in table.snapshots if isinstance(value := s.values.get(term), int)]
            at = np.array([number & (1 << 63) - 1 for number in numbers], dtype=np.int64) // granule
            if len(at) == len(table.snapshots) and not any((at == other).all() for other in found):
                found.append(at)
                yield Value(build.lshr(term, granule.bit_length() - 1, bits), at, length=True)


def strides(program: m.Program, granules: Collection[int]) -> tuple[int, ...]:
    """By how much the program's indices grow at a time, or are multiplied: numbers that it adds, divides by, and
    multiplies with, the latter also as bytes of elements with so many."""
    found: set[int] = set()
    for function in program.functions.values():
        for instruction in (i for block in function.blocks for i in block.instructions):
            if isinstance(instruction, m.Compute):
                found.update(_strides_of(instruction, granules))
    return tuple(sorted(number for number in found if 2 <= number <= LARGEST_STRIDE))[:MOST_STRIDES]


def _strides_of(instruction: m.Compute, granules: Collection[int]) -> Iterator[int]:
    constants = (o.bits for o in instruction.operands if isinstance(o, m.Constant))
    for number in (bits for bits in constants if bits <= LARGEST_STRIDE):
        if instruction.operation in ("add", "sub", "urem", "srem", "udiv", "sdiv"):
            yield number
        elif instruction.operation in ("mul", "shl"):
            factor = number if instruction.operation == "mul" else 1 << min(number, 20)
            yield from {factor, *(factor // g for g in granules)} - {*granules}


def _arrays(context: Context, table: Table, bits: int) -> Iterator[Array]:
    for component in context.graph.components(table.place):
        if not isinstance(component, Elements) or component.granule > 8:
            continue
        variable, width = variable_of(component, bits), 8 * component.granule
        known = [v.entries if isinstance(v := s.values.get(variable), ArrayValue) else {} for s in table.snapshots]
        found = [(row, k, to_signed(entries[k], width)) for row, entries in enumerate(known) for k in sorted(entries)]
        step = -(-len(found) // MOST_POINTS)
        if len(found) > 3:
            chosen = found if step == 1 else [p for p in found if p[0] % step == 0]
            visit, index, value = (np.array(part, dtype=np.int64) for part in zip(*chosen, strict=True))
            yield Array(variable, width, visit, index, value)


def _is_index(column: Column, longest: Numbers) -> bool:
    """At nearly all visits it is in some array or near an end of it, and not always the same."""
    values = np.array(column.signed, dtype=np.int64)
    inside = ((values >= -1) & (values <= longest + STEP))[longest > 0]
    return bool(inside.mean() >= 0.9) and not column.constant


# ---------------------------------------------------------------- conditions


def lower(scene: Scene, array: Array) -> list[Condition]:
    """From where on: 0, a small number of the program, an index, or behind it; as far in front of the end."""
    g, bits = scene.cell, scene.bits
    found = [Condition(build.sle(0, g, bits), array.index >= 0)]
    found += [Condition(build.sle(n, g, bits), array.index >= n) for n in _constants(scene, array)[:MOST_CONSTANTS]]
    for value in scene.indices:
        at = value.at[array.visit]
        found.append(Condition(build.and_(build.sle(0, g, bits), build.sle(value.term, g, bits)), array.index >= at))
        after = build.and_(build.sle(0, g, bits), build.slt(value.term, g, bits))
        found.append(Condition(after, array.index > at))
    for end in ends(scene, array):
        for value in scene.indices:
            at = (end.at - value.at)[array.visit]
            if value.term is not end.term and 0 <= at.min() <= NEAR:  # what counts rows gets nowhere near the last cell
                last = build.and_(build.sle(0, g, bits), build.sle(build.sub(end.term, value.term, bits), g, bits))
                found.append(Condition(last, array.index >= at))
    return found


def ends(scene: Scene, array: Array) -> list[Value]:
    """A number of the program or of the place that is always the number of noted cells; none if there are none."""
    last = np.zeros(len(scene.table.snapshots), dtype=np.int64)
    np.maximum.at(last, array.visit, array.index + 1)
    noted = last > 0
    found = [Value(n, np.full(len(last), n)) for n in scene.table.numbers if n > 1 and (last[noted] == n).all()]
    found += [value for value in scene.indices if (value.at[noted] == last[noted]).all()]
    return found[:1]


def _constants(scene: Scene, array: Array) -> list[int]:
    """The program's numbers, rising, that bound a part of the array, or all of it."""
    last = int(array.index.max())
    return sorted(n for n in scene.table.numbers if 0 < n <= last + 1)


def upper(scene: Scene, array: Array) -> list[Condition]:
    """Up to where: a number, in front of it, or the end; multiples of a stride, and those plus a number."""
    g, bits = scene.cell, scene.bits
    found: list[Condition] = []
    for value in (*scene.indices, *_linear(scene, array)):
        at = value.at[array.visit]
        found.append(Condition(build.slt(g, value.term, bits), array.index < at))
        if value in scene.indices:
            found.append(Condition(build.sle(g, value.term, bits), array.index <= at))
            behind = build.slt(build.add(g, 1, bits), value.term, bits)  # which is no end of numbers
            found.append(Condition(build.and_(build.slt(g, value.term, bits), behind), array.index + 1 < at))
    numbers = _constants(scene, array)
    chosen = dict.fromkeys([*numbers[:MOST_CONSTANTS], *numbers[-1:]])
    found += [Condition(build.slt(g, n, bits), array.index < n) for n in chosen]
    found.append(Condition(1, np.ones(len(array.index), dtype=np.bool_)))
    return found


def _linear(scene: Scene, array: Array) -> Iterator[Value]:
    """`c * i` and `c * i + j`, where these get through the array."""
    bits, last = scene.bits, int(array.index.max())
    for stride in scene.strides:
        for row in scene.indices:
            scaled = Value(build.mul(row.term, stride, bits), row.at * stride)
            if int(scaled.at.max()) > last + 2 * stride:
                continue
            yield scaled
            for column in scene.indices:
                if column is not row and int(column.at.max()) <= stride:
                    yield Value(build.add(scaled.term, column.term, bits), scaled.at + column.at)


def remainders(scene: Scene, array: Array) -> Iterator[tuple[int, Condition]]:
    """(stride, the cells of one remainder, or of the columns in front of a number), where there are such strides."""
    g, bits, last = scene.cell, scene.bits, int(array.index.max())
    inside = build.sle(0, g, bits)
    for stride in scene.strides:
        if stride > last:
            continue
        rest, here = build.urem(g, stride, bits), array.index % stride
        for remainder in range(stride if stride <= 4 else 0):
            yield stride, Condition(build.and_(inside, build.eq(rest, remainder, bits)), here == remainder)
        for value in scene.indices if stride > 4 else ():
            at = value.at[array.visit]
            if int(value.at.max()) <= stride:
                yield stride, Condition(build.and_(inside, build.slt(rest, value.term, bits)), here < at)
                yield stride, Condition(build.and_(inside, build.eq(rest, value.term, bits)), here == at)


@dataclass(frozen=True, slots=True)
class Ranges:
    """All pairs of a lower and an upper condition on the points of an array."""

    array: Array
    lows: Sequence[Condition]
    highs: Sequence[Condition]
    _low: Any
    _high: Any

    @staticmethod
    def of(array: Array, lows: Iterable[Condition], highs: Iterable[Condition]) -> Ranges:
        lows, highs = list(lows), list(highs)
        low, high = (np.array([c.holds for c in some], dtype=np.float32) for some in (lows, highs))
        return Ranges(array, lows, highs, low, high)

    def true_on(self, holds: Truth, known: Truth, most: int, all_: bool = False) -> list[tuple[V, Truth]]:
        """The largest ranges, at most so many, on whose known points it holds, where these are several cells; each
        with its points. `all_`: the first, also those that are parts of others, which may hold by chance."""
        wrong = (self._low * (known & ~holds).astype(np.float32)) @ self._high.T
        right = (self._low * (known & holds).astype(np.float32)) @ self._high.T
        right[wrong > 0] = 0
        found: list[tuple[V, Truth]] = []
        several = np.flatnonzero(right >= (FEWEST_OF_CASES if all_ else FEWEST))
        for place in several if all_ else several[np.argsort(-right.flat[several], kind="stable")]:
            low, high = divmod(int(place), len(self.highs))
            if len(found) >= most:
                break
            inside = self.lows[low].holds & self.highs[high].holds & known
            if not all_ and (any(not (inside & ~other).any() for _, other in found) or _one_cell(self.array, inside)):
                continue
            found.append((build.and_(self.lows[low].formula, self.highs[high].formula), inside))
        return found


FEWEST_OF_CASES = 2
"""Of the points that are the case."""
FEWEST = 6
"""Points that something has to hold on."""


def _one_cell(array: Array, inside: Truth) -> bool:
    """At most one at each visit: then the range says nothing of several."""
    return bool(np.bincount(array.visit[inside]).max() < 2)
