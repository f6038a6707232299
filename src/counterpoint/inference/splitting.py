"""Conditions under which more may hold than always: of branches that the caller knows, Bools, and comparisons of
inputs that explain what the results are.

What a result is on some rows and not on others, an input or one of few numbers, is explained by a decision tree over
comparisons of inputs; its leaves' paths are conditions. Labels of branches without a formula are explained likewise.
Source: Daikon's splitting conditions; trees as in Quinlan's ID3, with the rows that are left unexplained for entropy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.columns import Role
from counterpoint.inference.numbers import Truth, signed
from counterpoint.inference.statistics import FEW
from counterpoint.inference.vectors import possible, true_rows
from counterpoint.inference.view import View
from counterpoint.term import build
from counterpoint.term.term import Term, V

DEPTH = 3
"""Comparisons on one path of a tree."""

MOST_TESTS = 200
"""Comparisons that trees choose from."""

MOST_NUMBERS = 8
"""Numbers that one input is compared with."""


@dataclass(frozen=True, slots=True)
class Split:
    """A condition; `given`: by the caller, so that each template is tried under it."""

    condition: Term
    given: bool = False


Test: TypeAlias = tuple[Term, Truth]
"""A comparison and where on the sample it holds."""


def splits(view: View) -> list[Split]:
    """Given conditions, those of Bools, paths of trees, then single comparisons, each with its negation; each holds on
    some rows of the sample and not on others."""
    found: dict[Term, Split] = {}
    for _, formula in sorted(view.table.conditions.items()):
        if possible(formula, view.table):
            found[formula] = Split(formula, given=True)
    if not view.options.splits:
        return list(found.values())
    tests = list(_different(view, _comparisons(view)))[:MOST_TESTS]
    plain: list[V] = [view.variable(k) for k in _inputs(view) if view.column(k).is_bool]
    conditions = [side for p in plain for side in (p, build.not_(p))]
    conditions += _learned(view, tests)
    conditions += [side for test, _ in tests for side in (test, build.not_(test))]
    for condition in conditions:
        if isinstance(condition, Term):
            found.setdefault(condition, Split(condition))
    return list(found.values())[: view.options.splits + len(view.table.conditions)]


def _inputs(view: View) -> list[int]:
    inputs = view.inputs()
    if inputs or any(column.role is Role.OUTPUT for column in view.table.columns):
        return inputs
    return [k for k, column in enumerate(view.table.columns) if not column.is_array and not column.border]


# ---------------------------------------------------------------- comparisons


def _different(view: View, formulas: Iterator[V]) -> Iterator[Test]:
    """Those that are true on some rows only, each set of rows once."""
    seen: set[bytes] = set()
    for formula in formulas:
        if not isinstance(formula, Term):
            continue
        truth = true_rows(formula, view.sample)
        key = (truth if truth[0] else ~truth).tobytes()
        if key not in seen and truth.any() and not truth.all():
            seen.add(key)
            yield formula, truth


def _comparisons(view: View) -> Iterator[V]:
    inputs = _inputs(view)
    for k in inputs:
        yield from _with_numbers(view, k)
    for a, b in combinations(inputs, 2):
        if view.alike(a, b) and view.width(a) == view.width(b) and view.related((a, b)) and not view.column(a).is_bool:
            one, two, width = view.variable(a), view.variable(b), view.width(a)
            if not view.column(a).pointer:
                yield build.slt(one, two, width)
                yield build.slt(two, one, width)
                yield build.ult(one, two, width)
            yield build.eq(one, two, width)


def _with_numbers(view: View, k: int) -> Iterator[V]:
    variable, width, mask = view.variable(k), view.width(k), (1 << view.width(k)) - 1
    if view.column(k).is_bool:
        yield variable
        return
    if view.column(k).pointer:
        yield build.eq(variable, 0, width)
        return
    yield build.slt(variable, 0, width)
    yield build.slt(0, variable, width)
    yield build.eq(variable, 0, width)
    values = np.unique(view.numbers(k))
    if len(values) <= MOST_NUMBERS:
        yield from (build.eq(variable, int(value), width) for value in values)
    numbers = signed(view.numbers(k), width)
    low, high = int(numbers.min()), int(numbers.max())
    inner = [number for number in sorted(view.options.numbers, key=lambda n: (abs(n), n)) if low <= number <= high]
    for number in inner[:MOST_NUMBERS]:
        yield build.slt(variable, number & mask, width)
        yield build.sle(variable, number & mask, width)
        yield build.eq(variable, number & mask, width)


# ---------------------------------------------------------------- trees


def _learned(view: View, tests: Sequence[Test]) -> list[V]:
    """The paths of trees that explain labels, and what results are; then what several paths have in common, at whose
    end there is more than one explanation."""
    found: dict[V, None] = {}
    inner: dict[V, None] = {}
    for explanations in _questions(view):
        everywhere = np.ones(view.sample.count, dtype=np.bool_)
        for path, explained in _tree(tests, explanations, everywhere, (), DEPTH):
            if path and (explained or len(path) > 1):
                (found if explained else inner)[build.conjunction(path)] = None
    return [*found, *(path for path in inner if path not in found)]


def _questions(view: View) -> Iterator[list[Truth]]:
    """For labels, then for each result: where it is what."""
    sites = view.sample.sites
    if sites is not None:
        labels = [label for label in np.unique(sites) if int(label) not in view.table.conditions]
        yield [sites == label for label in labels]
    for y, column in enumerate(view.table.columns):
        if column.role is not Role.OUTPUT or column.is_array or y in view.fixed or y in view.same:
            continue
        numbers = view.numbers(y)
        same = [x for x in view.inputs() if view.alike(x, y) and view.width(x) == view.width(y)]
        explanations = [numbers == view.numbers(x) for x in same if view.related((x, y))]
        values = np.unique(numbers)
        if len(values) <= FEW:
            explanations += [numbers == value for value in values]
        yield [truth for truth in explanations if truth.any()]


def _tree(
    tests: Sequence[Test], explanations: Sequence[Truth], rows: Truth, path: tuple[V, ...], depth: int
) -> Iterator[tuple[tuple[V, ...], bool]]:
    """Paths, and whether the rows at their ends have one explanation; leaves that have none are left out."""
    unexplained = _unexplained(explanations, rows)
    if unexplained == 0:
        yield path, True
        return
    if depth == 0:
        return
    yield path, False
    best: tuple[int, Term, Truth] | None = None
    for test, truth in tests:
        inside, outside = rows & truth, rows & ~truth
        if inside.any() and outside.any():
            left = _unexplained(explanations, inside) + _unexplained(explanations, outside)
            if best is None or left < best[0]:
                best = left, test, truth
    if best is None or best[0] >= unexplained:
        return
    _, test, truth = best
    yield from _tree(tests, explanations, rows & truth, (*path, test), depth - 1)
    yield from _tree(tests, explanations, rows & ~truth, (*path, build.not_(test)), depth - 1)


def _unexplained(explanations: Sequence[Truth], rows: Truth) -> int:
    """How many of the rows are left by the best explanation."""
    most = max((int(np.count_nonzero(rows & truth)) for truth in explanations), default=0)
    return int(np.count_nonzero(rows)) - most

