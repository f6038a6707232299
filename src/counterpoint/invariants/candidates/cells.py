"""What all cells of a range have in common: learned from noted cells, for every range that numbers of the place bound.

A property of a cell (a number, a function of its index, how it compares with a variable, with a cell of an array at an
index that is affine in its own) is judged on all points; the largest ranges on which it holds are the candidates. Index
maps `a[k] == b[n - 1 - k]` are found by the cells that hold the same. Single cells at variable indices come beside, and
order (invariants/cell_order.py).

Source: Nguyen, Kapur, Weimer, Forrest (ICSE 2012) for affine relations of array cells from traces; the ranges are those
of segmentation (Cousot, Cousot, Logozzo, POPL 2011), but with all pairs of bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import RecordingLimits, record
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.cell_equations import equations, planes
from counterpoint.invariants.cell_order import by_flags, ordered
from counterpoint.invariants.cells import (
    Array,
    Numbers,
    Ranges,
    Scene,
    Truth,
    lower,
    remainders,
    scene,
    touched,
    upper,
)
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.fitting import linear
from counterpoint.invariants.samples import once, tables
from counterpoint.invariants.small_sizes import near, products, put_back, sizes, with_small_sizes
from counterpoint.program import model as m
from counterpoint.semantics.cutpoint import cut_point
from counterpoint.semantics.facts import Fact
from counterpoint.static.points_to import points_to
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import substitute

MOST = 160
"""Facts per place."""

RANGES = 4
"""Ranges of one property."""

NEAR_END = 4
"""How far from a size the largest number may be that is taken for bounded by it."""

MORE_RANGES = 10
"""Of what is said of cases, of which few points tell."""

SMALL_VISITS, SMALL_STEPS, SMALL_RUN, SMALL_SECONDS = 600, 600_000, 30_000, 0.6
"""Of runs with small sizes: visits of a place that are kept, steps in all and of one, which goes through matrices as
well, and seconds."""

DEGREE = 2
"""Of equations of a cell with its index and a number."""

FREQUENT = 5
"""Numbers that cells are compared with: the most frequent."""


@dataclass(frozen=True, slots=True)
class LearnedCells:
    """See the module's docstring."""

    name: str = "cells"
    stage: int = 2
    summary: str = "Properties of all cells of a range, with index maps, learned from noted cells (Nguyen et al.)."

    def candidates(self, context: Context) -> Iterator[Fact]:
        wanted, small, program = touched(context.graph), sizes(context.graph.program), context.graph.program
        if small and any(wanted.values()):
            program = with_small_sizes(program, small)
            context = _with_small_runs(context, program)
        matrices, scenes = products(small), list[Scene]()
        for table in tables(context):
            numbers = frozenset(near(number, small) for number in table.numbers) | {*matrices.values()}
            seen = scene(context, replace(table, numbers=numbers), wanted[table.place], program)
            if seen is not None and context.budget.remaining() > 0:
                scenes.append(seen)
        for guess in (lambda seen: (*_bounds(seen, small), *ordered(seen)), lambda seen: _of_place(context, seen)):
            for seen in scenes:  # first what there is little of at all places: time may be over soon
                if context.budget.remaining() <= 0:
                    return
                guessed = once((seen.table.fact(formula) for formula in guess(seen)), MOST)
                for fact in surviving(list(guessed), context.snapshots):  # more visits than those of the scene
                    yield replace(fact, formula=put_back(fact.formula, small))


def _bounds(seen: Scene, small: Mapping[int, int]) -> Iterator[V]:
    """That numbers are no less than 0, and at most a size or in front of it, at places that other runs do not reach."""
    columns = [column for column in seen.table.columns if column.width > 8 and min(column.signed) >= 0]
    for column in columns if small else ():
        most, width = max(column.signed), column.width
        yield build.sle(0, column.variable, width)
        for size in [size for size in small.values() if size - NEAR_END <= most <= size]:
            yield from (build.sle(column.variable, one, width) for one in range(max(most, size - 1), size + 1))


def _with_small_runs(context: Context, program: m.Program) -> Context:
    """The context with runs of the program with small sizes; as it is where these do not get as far."""
    graph = context.graph
    points = points_to(program)
    cuts = {place: cut_point(points, *place) for place in graph.cuts}
    limits = RecordingLimits(SMALL_VISITS, steps=SMALL_STEPS, seconds=SMALL_SECONDS, first_steps=SMALL_RUN)
    seen = record(program, cuts, graph.granules, seed=context.seed, limits=limits)
    fewer = any(visits and not seen.at.get(place) for place, visits in context.snapshots.at.items())
    return context if fewer else replace(context, snapshots=seen)


def _of_place(context: Context, seen: Scene) -> Iterator[V]:
    yield from _below_lengths(seen)
    yield from _single(seen)
    yield from _of_arrays(context, seen)
    for is_so, here, part in by_flags(seen):
        yield from (build.implies(is_so, formula) for formula in _where(context, seen, here, part))


def _where(context: Context, seen: Scene, here: Truth, part: Scene) -> Iterator[V]:
    """Equations of numbers at some of the visits, and what is said of the cells of these."""
    rows = np.flatnonzero(here).tolist()
    numbers = [column.at_visits(rows) for column in seen.table.columns]
    yield from linear([column for column in numbers if not column.constant], triples=0)
    yield from _of_arrays(context, part)


def _of_arrays(context: Context, seen: Scene) -> Iterator[V]:
    for array in seen.arrays:
        whole = _Found()
        ranges = Ranges.of(array, lower(seen, array), upper(seen, array))
        yield from _in_ranges(context, seen, ranges, _properties(seen, array, None), whole)
        for stride, condition in remainders(seen, array):
            some = Ranges.of(array, [condition], upper(seen, array))
            yield from _in_ranges(context, seen, some, _properties(seen, array, stride), _Found(whole.of))


@dataclass(slots=True)
class _Found:
    """On which points properties were found, by group."""

    of: dict[object, list[Truth]] = field(default_factory=dict)


def _in_ranges(
    context: Context, seen: Scene, ranges: Ranges, properties: Iterable[_Property], found: _Found
) -> Iterator[V]:
    """Each property on its largest ranges, but for ranges on which one of its group, that says more, holds."""
    for one in properties:
        context.budget.spend()
        groups = [found.of.setdefault(group, []) for group in one.groups]
        for guard, inside in ranges.true_on(one.holds, one.known, MORE_RANGES if one.case else RANGES, one.case):
            if one.case or not any((inside <= other).all() for other in groups[0]):
                for group in groups:
                    group.append(inside)
                yield build.implies(guard, one.formula)
                if one.reverse is not None:
                    yield substitute(build.implies(guard, one.formula), {seen.cell: one.reverse})


@dataclass(frozen=True, slots=True)
class _Property:
    """Of the ghost cell: a formula, and on which of the array's points it holds, where that is known. What comes first
    of a group says most; its own is the first of `groups`, it says more than what follows in the others, too.
    `reverse` is the other cell's index, where that runs through the array the other way round. Of a `case` only the
    points where it is one are known: others tell nothing of the range."""

    formula: V
    holds: Truth
    known: Truth
    groups: tuple[object, ...]
    reverse: V | None = None
    case: bool = False


def _properties(seen: Scene, array: Array, stride: int | None) -> Iterator[_Property]:
    everywhere = np.ones(len(array.index), dtype=np.bool_)
    element = build.select(array.variable, seen.cell)
    for formula, holds, groups in _of_value(seen, array, element, stride):
        yield _Property(formula, holds, everywhere, groups)
    if stride is None:
        for other in seen.arrays:
            if other.width == array.width and not constant(array) and not constant(other):
                yield from _between(seen, array, other, element)
        yield from _of_two(seen, array, element)
        for formula, holds in (*equations(seen, array, DEGREE), *planes(seen, array)) if not constant(array) else ():
            yield _Property(formula, holds, everywhere, (("equation", formula),))
    if not constant(array):
        yield from _by_cases(seen, array, element)


# ---------------------------------------------------------------- one cell


_Test: TypeAlias = "tuple[V, Truth, tuple[object, ...]]"
"""A formula about the ghost cell, the points on which it holds, and its groups."""


def constant(array: Array) -> bool:
    """All its noted cells are the same: it says nothing about others."""
    return bool((array.value == array.value[0]).all())


def _of_value(seen: Scene, array: Array, element: V, stride: int | None) -> Iterator[_Test]:
    """Equal to a number, a line over its index, a variable; bounded by small numbers or a variable."""
    width, mask, values = array.width, (1 << array.width) - 1, array.value
    counts = Counter(values.tolist())
    for number, _ in counts.most_common(FREQUENT):
        yield build.eq(element, number & mask, width), values == number, ("number", "least", "most")
    if constant(array):
        return
    for formula, holds in _lines(seen, array, element, stride):
        yield formula, holds, ("line",)
    for column in seen.table.columns:
        if column.width == width:
            at = np.array(column.signed, dtype=np.int64)[array.visit]
            yield from _compared(element, column.variable, width, values, at)
    numbers = sorted(n for n in seen.table.numbers if abs(n) <= 1 << 20)
    for number in reversed(numbers):
        yield build.slt(number & mask, element, width), values > number, ("least",)
        yield build.sle(number & mask, element, width), values >= number, ("least",)
    for number in numbers:
        yield build.slt(element, number & mask, width), values < number, ("most",)
        yield build.sle(element, number & mask, width), values <= number, ("most",)
    for number in numbers:
        if counts[number] >= 2:
            yield build.ne(element, number & mask, width), values != number, (("not", number),)


def _compared(one: V, two: V, width: int, left: Numbers, right: Numbers) -> Iterator[_Test]:
    yield build.eq(one, two, width), left == right, ((two, 0), (two, 1), (two, -1))
    yield build.slt(one, two, width), left < right, ((two, 3),)
    yield build.sle(one, two, width), left <= right, ((two, 1),)
    yield build.slt(two, one, width), left > right, ((two, -3),)
    yield build.sle(two, one, width), left >= right, ((two, -1),)
    if 2 <= int((left == right).sum()) < len(left):
        yield build.ne(one, two, width), left != right, ((two, 2),)


def _lines(seen: Scene, array: Array, element: V, stride: int | None) -> Iterator[tuple[V, Truth]]:
    """slope * index + number or variable, with the most frequent slopes of neighbours; index divided by the stride."""
    width, bits, g = array.width, seen.bits, seen.cell
    indices: list[tuple[Numbers, V]] = [(array.index, g)]
    if stride is not None:
        indices.append((array.index // stride, build.udiv(g, stride, bits)))
        indices.append((array.index % stride, build.urem(g, stride, bits)))
    else:
        for large in (n for n in seen.strides if n > 4):
            indices.append((array.index // large, build.udiv(g, large, bits)))
    for index, term in indices:
        rise = np.diff(array.value)[(np.diff(array.visit) == 0) & (np.diff(index) == 1)]
        narrow = build.extract(width - 1, 0, term, bits) if width < bits else build.zext(term, bits, width)
        for slope, _ in Counter(rise.tolist()).most_common(3):
            if slope == 0 or abs(slope) > 1 << 16:
                continue
            line = build.mul(slope & ((1 << width) - 1), narrow, width)
            rest = array.value - slope * index
            for start, holds in _starts(seen, array, rest):
                yield build.eq(element, build.add(line, start, width), width), holds


def _starts(seen: Scene, array: Array, rest: Numbers) -> Iterator[tuple[V, Truth]]:
    """What a number at each point may be: frequent numbers, variables and those plus a small number."""
    mask = (1 << array.width) - 1
    for number, _ in Counter(rest.tolist()).most_common(3):
        yield number & mask, rest == number
    for column in seen.table.columns:
        if column.width == array.width and not column.constant:
            away = rest - np.array(column.signed, dtype=np.int64)[array.visit]
            number, count = Counter(away.tolist()).most_common(1)[0]
            if abs(number) <= 4 and count > len(away) // 4:
                yield build.add(column.variable, number & mask, array.width), away == number


# ---------------------------------------------------------------- two cells


def _between(seen: Scene, array: Array, other: Array, element: V) -> Iterator[_Property]:
    """How the cell compares with the other array's cell at the mapped index. What is symmetric is said of one of the
    two; where all cells are the same at the same index, other maps are not looked for."""
    width, bits = array.width, seen.bits
    first = seen.arrays.index(array) <= seen.arrays.index(other)
    known, values = other.at(array.visit, array.index)
    copied = other is not array and _is_copy(array, other)
    if copied and first:
        partner = build.select(other.variable, seen.cell)
        for formula, holds, groups in _compared(element, partner, width, array.value, values):
            yield _Property(formula, holds, known, groups)
    if copied and (values == array.value)[known].all():
        return
    for scale, shift, term in _maps(seen, array, other):
        itself = scale == 1 and (shift == 0 if isinstance(shift, int) else not shift.any())
        if itself and (copied or other is array):
            continue
        known, values = other.at(array.visit, scale * array.index + shift)
        outside = other.outside(array.visit, scale * array.index + shift)
        if known.sum() < 4:
            continue
        index = build.add(build.mul(scale & ((1 << bits) - 1), seen.cell, bits), term, bits)
        partner = build.select(other.variable, index)
        for formula, holds, groups in _compared(element, partner, width, array.value, values):
            yield _Property(formula, holds & ~outside, known | outside, groups, index if scale == -1 else None)
        if scale == 1 and isinstance(shift, int):
            away = array.value - values
            for number, count in Counter(away[known].tolist()).most_common(2):
                if number and count > 3:
                    moved = build.add(partner, number & ((1 << width) - 1), width)
                    yield _Property(build.eq(element, moved, width), away == number, known, ((partner, "away"),))


def _by_cases(seen: Scene, array: Array, element: V) -> Iterator[_Property]:
    """Where the cell is a number of the program, or is not, the same cell of another array is some number, or equal."""
    mask, counts = (1 << array.width) - 1, Counter(array.value.tolist())
    numbers = [n for n, _ in counts.most_common() if n in seen.table.numbers][:MOST_CASES]
    for other in [other for other in seen.arrays if other is not array][:MOST_OTHERS]:
        known, values = other.at(array.visit, array.index)
        partner = build.select(other.variable, seen.cell)
        for number in numbers:
            is_it = build.eq(element, number & mask, array.width)
            for case, here in ((is_it, array.value == number), (build.not_(is_it), array.value != number)):
                frequent = Counter(values[known & here].tolist()).most_common(1)
                if not frequent or frequent[0][1] < 2 or here.all() or frequent[0][0] == number:
                    continue  # the same number: rather a copy
                then = build.eq(partner, frequent[0][0] & ((1 << other.width) - 1), other.width)
                holds, group = values == frequent[0][0], ("case", case, partner)
                yield _Property(build.implies(case, then), holds, known & here, (group,), case=True)


def _is_copy(array: Array, other: Array) -> bool:
    """Most cells are the same, which says more of the two."""
    known, values = other.at(array.visit, array.index)
    return 2 * int((known & (values == array.value)).sum()) > len(values)


def _of_two(seen: Scene, array: Array, element: V) -> Iterator[_Property]:
    """The sum or a difference of the same cells of two other arrays."""
    width = array.width
    others = [other for other in seen.arrays if other is not array and other.width == width and not constant(other)]
    others = [other for other in others if not _is_copy(array, other)]
    if constant(array):
        return
    for one, two in combinations(others[:MOST_OTHERS], 2):
        (known, left), (also, right) = one.at(array.visit, array.index), two.at(array.visit, array.index)
        known = known & also
        if known.sum() < 4:
            continue
        first, second = (build.select(other.variable, seen.cell) for other in (one, two))
        for value, term in (
            (left + right, build.add(first, second, width)),
            (left - right, build.sub(first, second, width)),
            (right - left, build.sub(second, first, width)),
        ):
            away = array.value - value  # modulo 2^64
            same = away == 0 if width == 64 else away & ((1 << width) - 1) == 0
            yield _Property(build.eq(element, term, width), same, known, (("of two", first, second),))


def _maps(seen: Scene, array: Array, other: Array) -> Iterator[tuple[int, int | Numbers, V]]:
    """(scale, shift at each point, shift's term): the same index if it is another array; else where the same values
    are, at an index that is scale * index + shift."""
    mask = (1 << seen.bits) - 1
    first = seen.arrays.index(array) <= seen.arrays.index(other)
    if other is not array and first:
        yield 1, 0, 0
    for scale in (1, *([-1] if first else []), *(s for s in seen.strides if s <= 4)):
        shifts = _shifts(array, other, scale)
        if not shifts:
            continue
        for number in _frequent(list(shifts.values())):
            if (scale, number) != (1, 0) and abs(number) <= 1 << 20:
                yield scale, number, number & mask
        for one in (seen.indices if scale in (1, -1) else ()):
            yield from _by_variables(seen, array, scale, shifts, one.term, one.at)
        for one in seen.indices if scale == -1 else ():
            for two in seen.indices:
                if one is not two:
                    both = build.add(one.term, two.term, seen.bits)
                    yield from _by_variables(seen, array, scale, shifts, both, one.at + two.at)


def _by_variables(
    seen: Scene, array: Array, scale: int, shifts: dict[int, list[int]], term: V, at: Numbers
) -> Iterator[tuple[int, int | Numbers, V]]:
    away = [[number - int(at[visit]) for number in numbers] for visit, numbers in shifts.items()]
    for number in _frequent(away):
        if abs(number) <= 3:
            yield scale, (at + number)[array.visit], build.add(term, number & ((1 << seen.bits) - 1), seen.bits)


def _shifts(array: Array, other: Array, scale: int) -> dict[int, list[int]]:
    """By visit, the frequent distances of cells that hold the same value, where few do."""
    found: dict[int, list[int]] = {}
    for visit in np.unique(array.visit).tolist():
        mine, theirs = array.visit == visit, other.visit == visit
        if not 3 <= mine.sum() <= 64 or not 3 <= theirs.sum() <= 64:
            continue
        index, value = array.index[mine], array.value[mine]
        same = value[:, None] == other.value[theirs][None, :]
        same &= (same.sum(axis=1) <= 3)[:, None]
        shift = other.index[theirs][None, :] - scale * index[:, None]
        counts = Counter(shift[same].tolist())
        best = [number for number, count in counts.most_common(4) if count >= 2]
        if best:
            found[visit] = best
        if len(found) >= MOST_VOTES:
            break
    return found


MOST_OTHERS = 4
"""Arrays of which two are put together."""

MOST_CASES = 8
"""Numbers of a cell that are cases of what is said of another."""

MOST_VOTES = 40
"""Visits that vote for index maps."""


def _frequent(votes: Sequence[Sequence[int]]) -> list[int]:
    """The numbers that a third of the visits name."""
    counts = Counter(number for numbers in votes for number in set(numbers))
    return [number for number, count in counts.most_common(3) if 3 * count >= len(votes)]


# ---------------------------------------------------------------- single cells


def _below_lengths(seen: Scene) -> Iterator[V]:
    """Indices that are below, or at most, the length of an array of varying size."""
    for length in seen.indices:
        for index in seen.indices if length.length else ():
            if index is not length and (index.at < length.at).all():
                yield build.slt(index.term, length.term, seen.bits)
            elif index is not length and (index.at <= length.at).all():
                yield build.sle(index.term, length.term, seen.bits)


def _single(seen: Scene) -> Iterator[V]:
    """`a[v]` compared with variables and numbers, where v is always an index of the array, or under `v < w`."""
    for array in seen.arrays:
        visits = np.arange(len(seen.table.snapshots))
        mask = (1 << array.width) - 1
        for value in seen.indices:
            known, cells = array.at(visits, value.at)
            element = build.select(array.variable, value.term)
            if known.sum() < 3:
                continue
            tests: list[_Test] = []
            for column in seen.table.columns:
                if column.width == array.width:
                    at = np.array(column.signed, dtype=np.int64)
                    tests += _compared(element, column.variable, array.width, cells, at)
            frequent = Counter(cells[known].tolist()).most_common(2)
            tests += [(build.eq(element, n & mask, array.width), cells == n, ()) for n, _ in frequent]
            yield from _under(seen, tests, known, value.term, value.at)


def _under(seen: Scene, tests: Iterable[_Test], known: Truth, term: V, at: Numbers) -> Iterator[V]:
    """The tests by themselves, else where the index is below another number."""
    for formula, holds, _ in tests:
        if (known & holds).all():
            yield formula
            continue
        for other in seen.indices:
            inside = at < other.at
            if other.at is not at and inside.sum() >= 3 and (known & holds)[inside].all():
                yield build.implies(build.slt(term, other.term, seen.bits), formula)


SOURCE = LearnedCells()

