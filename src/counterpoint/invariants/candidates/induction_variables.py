"""Counters: bounds, strides, and the closed forms of what linear loops compute.

Closed forms are loop acceleration (SRTool, section IX.2) stated as invariants of the original loop. All arithmetic
is that of the widths at hand, where the equations are exact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from math import gcd

from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.comparisons import comparable
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.invariants.samples import signed_constants
from counterpoint.logic.atoms import atoms, both_ways
from counterpoint.logic.intervals import Evaluation
from counterpoint.logic.loop_shape import LoopShape, Passage, leaves, loop_shapes
from counterpoint.regions.cut_graph import Region
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute, variables

MAX_PAIRS = 60
"""Pairs of counters of one loop that are related."""

MAX_THRESHOLDS = 4
"""Constants of the program that bound what a loop keeps of two counters, on either side."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A component that each round of a loop changes by one of `steps` (terms that the loop keeps)."""

    variable: Term
    width: int
    steps: tuple[V, ...]

    @property
    def constants(self) -> list[int] | None:
        """The steps as signed ints, if they are known."""
        half = 1 << (self.width - 1)
        known = [(step ^ half) - half for step in self.steps if isinstance(step, int)]
        return known if len(known) == len(self.steps) else None


def counters(loop: LoopShape) -> list[Counter]:
    """The counters of a loop that do change, in the order of its components."""
    found: list[Counter] = []
    for variable in loop.variables:
        if variable in loop.modified and isinstance(variable.sort, BitVec):
            steps = loop.steps(variable)
            if steps and any(step != 0 for step in steps):
                found.append(Counter(variable, variable.sort.width, tuple(steps)))
    return found


def _guesses(context: Context) -> Iterator[Guess]:
    numbers = signed_constants(context)
    for place, loop in loop_shapes(context.graph).items():
        found = counters(loop)
        for formula in _of_loop(loop, found, numbers):
            yield place, formula
            for inside in sorted({region.start for region in loop.regions} - {place}):
                yield inside, formula  # what the outer loop keeps holds at the heads in it, however deep


def _of_loop(loop: LoopShape, found: list[Counter], numbers: Collection[int]) -> Iterator[V]:
    for counter in found:
        yield from _bounds(loop, counter)
        yield from _strides(loop, counter)
    single = [counter for counter in found if len(counter.steps) == 1]
    single.sort(key=lambda c: (not isinstance(c.steps[0], int), c.width))
    for x, y in list(combinations(single, 2))[:MAX_PAIRS]:
        yield from _relation(loop, x, y, numbers)
    units = [counter for counter in single if counter.constants in ([1], [-1])]
    for y in found:
        for x in units[:4]:
            if x is not y and x.width == y.width and (len(y.steps) > 1 or not loop.initial(y.variable)):
                yield from _slower(loop, x, y)
    for x in units[:4]:
        yield from _growing(loop, x, {counter.variable for counter in found})
    for variable in loop.variables:
        if variable in loop.modified:
            yield from _sums(loop, variable, single)


# ---------------------------------------------------------------- one counter


def _bounds(loop: LoopShape, counter: Counter) -> Iterator[V]:
    """First value and last one; what the guard says of the value before the last step."""
    x, width, steps = counter.variable, counter.width, counter.constants
    starts = loop.initial(x)
    if steps is not None:
        for first in starts:
            if all(step >= 0 for step in steps):
                yield build.sle(first, x, width)
                yield build.ule(first, x, width)
            if all(step <= 0 for step in steps):
                yield build.sle(x, first, width)
                yield build.ule(x, first, width)
    asked = (atom for region in loop.regions for atom in region.start_values.back_all(_tests(region)))
    tests = [atom for atom in asked if isinstance(atom, Term)]
    about = [test for test in dict.fromkeys(tests) if x in variables(test) and test.op is not Op.VARIABLE]
    for step in counter.steps:
        for condition in (condition for test in about for condition in both_ways(test)):
            before = substitute(condition, {x: build.sub(x, step, width)})
            for first in starts:
                yield build.or_(before, build.eq(x, first, width))
            yield before


def _tests(region: Region) -> list[V]:
    return list(atoms([way.formula for way in region.ways]))


def _strides(loop: LoopShape, counter: Counter) -> Iterator[V]:
    x, width, steps = counter.variable, counter.width, counter.constants
    if steps is None and len(counter.steps) == 1:
        for first in loop.initial(x):
            yield build.eq(build.urem(build.sub(x, first, width), counter.steps[0], width), 0, width)
    stride = gcd(*steps) if steps else 0
    if stride < 2:
        return
    for first in loop.initial(x):
        yield build.eq(build.urem(build.sub(x, first, width), stride, width), 0, width)
        if isinstance(first, int):
            yield build.eq(build.urem(x, stride, width), first % stride, width)


# ---------------------------------------------------------------- two counters


def _relation(loop: LoopShape, x: Counter, y: Counter, numbers: Collection[int]) -> Iterator[V]:
    """`step_x * y - step_y * x` keeps the value that it had at the start."""
    width = min(x.width, y.width)
    for entry in loop.entries:
        yield from _kept_combination(loop, entry, x, y, width, numbers)
    for a, b in ((x, y), (y, x)):
        unit = a.constants
        if unit is not None and a.width <= b.width and (a.width != b.width or abs(unit[0]) > 1):
            yield from _by_rounds(loop, a, unit[0], b)


def _slower(loop: LoopShape, x: Counter, y: Counter) -> Iterator[V]:
    """After each round, counted by x, y is between its first value plus the least and the largest steps so far."""
    if y.constants is not None:
        yield from _between(loop, x, y.variable, min(y.constants), max(y.constants))


def _growing(loop: LoopShape, x: Counter, known: Collection[Term]) -> Iterator[V]:
    """The same of what each round changes by a number that it reads or computes, as far as its type and the round's
    conditions bound that."""
    for variable in loop.variables:
        if variable not in known and variable.sort == BitVec(x.width) and variable in loop.modified and not loop.inner:
            limits = _change(loop, variable, x.width)
            if limits is not None:
                yield from _between(loop, x, variable, *limits)


def _change(loop: LoopShape, variable: Term, width: int) -> tuple[int, int] | None:
    """The least and the largest number by which a round changes it; None where that may be most of the type's."""
    found: list[tuple[int, int]] = []
    for passage in loop.rounds:
        before, after = passage.region.start_values.values.get(variable), passage.way.values.values.get(variable)
        choices = None if before is None or after is None else leaves(after)
        evaluation = Evaluation({})
        if choices is None or before is None or not evaluation.assume(passage.way.formula):
            return None
        for leaf in choices:
            limits = evaluation.of(build.sub(leaf, before, width), width)
            if limits is None or limits.highest - limits.lowest >= 1 << (width - 2):
                return None
            found.append((limits.lowest, limits.highest))
    return (min(low for low, _ in found), max(high for _, high in found)) if found else None


def _between(loop: LoopShape, x: Counter, y: Term, slowest: int, fastest: int) -> Iterator[V]:
    """y is between its first value plus `slowest`, and plus `fastest`, for each round that x counts."""
    width, mask = x.width, (1 << x.width) - 1
    for first in loop.initial(x.variable):
        up = x.steps[0] == 1
        rounds = build.sub(x.variable, first, width) if up else build.sub(first, x.variable, width)
        for low, high in _entering_limits(loop, y, width):
            least = build.add(low, build.mul(slowest & mask, rounds, width), width)
            most = build.add(high, build.mul(fastest & mask, rounds, width), width)
            yield build.sle(least, y, width)
            yield build.sle(y, most, width)
            yield build.ule(least, y, width)
            yield build.ule(y, most, width)


def _entering_limits(loop: LoopShape, variable: Term, width: int) -> Iterator[tuple[V, V]]:
    """The first value as a term that the loop keeps, or what the condition of the way in says of it."""
    for entry in loop.entries:
        value = entry.way.values.values.get(variable)
        if value is None:
            continue
        known = loop.entering(entry, value)
        if known is not None:
            yield known, known
            continue
        evaluation = Evaluation({})
        if evaluation.assume(entry.way.formula) and (limits := evaluation.of(value, width)) is not None:
            mask = (1 << width) - 1
            yield limits.lowest & mask, limits.highest & mask


def _kept_combination(
    loop: LoopShape, entry: Passage, x: Counter, y: Counter, width: int, numbers: Collection[int]
) -> Iterator[V]:
    step_x, step_y = _low(x.steps[0], x.width, width), _low(y.steps[0], y.width, width)
    if isinstance(step_x, int) and isinstance(step_y, int):
        step_x, step_y = _reduced(step_x, step_y, width)
    first = entry.way.values.values
    if any(v not in first for v in (x.variable, y.variable, *variables(step_x, step_y))):
        return
    of = entry.way.values.of

    def combined(a: V, b: V, factor_a: V, factor_b: V) -> V:
        return build.sub(build.mul(factor_a, b, width), build.mul(factor_b, a, width), width)

    now = combined(_low(x.variable, x.width, width), _low(y.variable, y.width, width), step_x, step_y)
    a, b = _low(first[x.variable], x.width, width), _low(first[y.variable], y.width, width)
    then = loop.entering(entry, combined(a, b, of(step_x), of(step_y)))
    if then is not None:
        yield build.eq(now, then, width)
        return
    for side in (now, build.neg(now, width)):  # its first value is no such term, but may be bounded by one
        for bound in _bounds_of(loop, width):
            yield build.sle(bound, side, width)
            yield build.sle(side, bound, width)
            yield build.eq(side, bound, width)
        largest = sorted(number for number in numbers if 1 < number < 1 << (width - 1))[-MAX_THRESHOLDS:]
        yield from (build.sle(side, number, width) for number in largest)


def _bounds_of(loop: LoopShape, width: int) -> list[V]:
    """0, what the loop's conditions compare with, and other variables, as far as the loop keeps them."""
    found: dict[V, None] = {0: None}
    for region in loop.regions:
        for atom in region.start_values.back_all(_tests(region)):
            if isinstance(atom, Term) and atom.payload == width:
                found.update((arg, None) for arg in atom.args if loop.keeps(arg))
    found.update((v, None) for v in comparable(loop.kept) if v.sort == BitVec(width))
    return list(found)[:8]


def _by_rounds(loop: LoopShape, x: Counter, step: int, y: Counter) -> Iterator[V]:
    """y is its start plus its step for each round, which x counts as long as it does not wrap around."""
    for first in loop.initial(x.variable):
        for start in loop.initial(y.variable):
            far = build.sub(x.variable, first, x.width) if step > 0 else build.sub(first, x.variable, x.width)
            rounds = far if abs(step) == 1 else build.udiv(far, abs(step), x.width)
            for extend in (build.zext, build.sext) if x.width < y.width else (build.zext,):
                many = build.mul(y.steps[0], extend(rounds, x.width, y.width), y.width)
                yield build.eq(y.variable, build.add(start, many, y.width), y.width)


def _low(value: V, width: int, wanted: int) -> V:
    return value if width == wanted else build.extract(wanted - 1, 0, value, width)


def _reduced(a: int, b: int, width: int) -> tuple[int, int]:
    """Both divided by their common divisor, with signs (so that nothing is lost to a factor of 2)."""
    half, mask = 1 << (width - 1), (1 << width) - 1
    a, b = (a ^ half) - half, (b ^ half) - half
    common = gcd(a, b) or 1
    if a < 0:
        common = -common
    return a // common & mask, b // common & mask


# ---------------------------------------------------------------- sums of a counter


def _sums(loop: LoopShape, variable: Term, single: list[Counter]) -> Iterator[V]:
    """s grows by a*x + b, and x by 1: 2*(s - s0) = a*(x*(x-1) - x0*(x0-1)) + 2*b*(x - x0); likewise for -1."""
    step = _growth(loop, variable)
    if step is None or loop.keeps(step) or not isinstance(variable.sort, BitVec):
        return
    width = variable.sort.width
    for counter in single:
        x, unit = counter.variable, counter.constants
        if counter.width != width or x is variable or unit is None or abs(unit[0]) != 1 or x not in variables(step):
            continue
        form = _linear(step, x, width)
        if form is None or not all(loop.keeps(part) for part in form):
            continue
        for first in loop.initial(x):
            for start in loop.initial(variable):
                yield _sum_equation(variable, start, x, first, form, unit[0], width)


def _sum_equation(s: V, s0: V, x: V, x0: V, form: tuple[V, V], unit: int, width: int) -> V:
    a, b = form
    shift = -unit & ((1 << width) - 1)  # going up the last value added is x - 1, going down it is x + 1

    def squares(value: V) -> V:
        return build.mul(value, build.add(value, shift, width), width)

    quadratic = build.mul(a, build.sub(squares(x), squares(x0), width), width)
    linear = build.mul(build.mul(2, b, width), build.sub(x, x0, width), width)
    total = build.add(quadratic, linear, width)
    if unit < 0:
        total = build.neg(total, width)
    return build.eq(build.mul(2, build.sub(s, s0, width), width), total, width)


def _growth(loop: LoopShape, variable: Term) -> V | None:
    """By what the only round changes the component, as a term over the head's components."""
    if len(loop.rounds) != 1 or loop.inner or not isinstance(variable.sort, BitVec):
        return None
    region, way = loop.rounds[0].region, loop.rounds[0].way
    before, after = region.start_values.values.get(variable), way.values.values.get(variable)
    if before is None or after is None or len(leaves(after) or ()) != 1:
        return None
    return region.start_values.back(build.sub(after, before, variable.sort.width))


def _linear(term: V, x: Term, width: int) -> tuple[V, V] | None:
    """(a, b) with term = a*x + b, checked on a few values."""
    constant = substitute(term, {x: 0})
    factor = build.sub(substitute(term, {x: 1}), constant, width)
    claimed = build.add(build.mul(factor, x, width), constant, width)
    difference = build.sub(term, claimed, width)
    if isinstance(difference, int):
        return (factor, constant) if difference == 0 else None
    names = [str(v.payload) for v in variables(difference)]
    for seed in (3, 77, 0x5DEECE66D, (1 << width) - 9):
        if evaluate(difference, {name: seed * (7 * k + 5) for k, name in enumerate(names)}) != 0:
            return None
    return factor, constant


SOURCE = GuessSource(
    "induction_variables", 0, "bounds, strides and closed forms of counters (SRTool IX.2 as invariants)", _guesses
)
