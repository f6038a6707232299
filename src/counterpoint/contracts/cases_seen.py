"""What held in all samples of a view under a condition on the index or on a result: guesses in parts.

`index && result => body`: how an element (in views of one) or a value that the call leaves compares with numbers and
other values; where the index lies to an argument or a result (`k < result`, `k == top`); which of few numbers, or which
argument, a result is. All pairs are judged on all samples at once, as products of truth matrices; of a body the widest
conditions are kept, and nothing that stronger bodies say as widely. The learner (inference) looks for conditions on
inputs, of equally wide numbers; these are the others.
Source: segmentation by variables (Cousot, Cousot, Logozzo, POPL 2011); cells from traces (Nguyen et al., ICSE 2012).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from counterpoint.contracts.views import Seen, View
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshot
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

Truth: TypeAlias = Any
"""A vector of truth values, one for each sample."""

FEWEST: Final = 4
"""Samples on which something has to hold."""

FREQUENT: Final = 3
"""Numbers that a value is compared with: the most frequent."""

USUAL: Final = 0.6
"""Of the samples, on which an index that the call leaves lies in the array."""

GIVEN: Final = 0.1
"""The same of one that it is given: arguments are drawn at random."""

MOST_CONDITIONS: Final = 4
"""Conditions of one body that are kept."""

MOST: Final = 40
"""Guesses of one view."""


@dataclass(frozen=True, slots=True)
class Guess:
    """`index && result => body`; parts may be 1."""

    index: V
    result: V
    body: V

    @property
    def formula(self) -> V:
        return build.implies(build.and_(self.index, self.result), self.body)


@dataclass(frozen=True, slots=True)
class _Test:
    formula: V
    truth: Truth
    groups: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class _Column:
    """A number that is shown, at each sample; `signed` and `plain` read its bits."""

    variable: Term
    seen: Seen
    width: int
    signed: Any
    plain: Any

    @property
    def output(self) -> bool:
        return not (self.seen.old or self.seen.argument)


def cases(
    view: View, names: Mapping[Term, Seen], snapshots: Sequence[Snapshot], numbers: Collection[int]
) -> list[Guess]:
    """Of the view's values, the likeliest first: those under fewer conditions, of more samples. `numbers`: those that
    the program knows, with which values are compared."""
    columns = _columns(names, snapshots)
    if not columns or not any(column.output for column in columns):
        return []
    constant = bool(view.array) and _unchanging(view, columns)
    known = {0, 1, -1, *numbers}
    bodies = list(_about_element(view, columns, constant, known) if view.array else _about_values(columns, known))
    indices = list(_on_index(view, columns)) if view.array else [_everywhere(columns)]
    results = list(_on_results(view, columns, known))
    return _chosen(bodies, indices, results, {v for v in names if _news(names[v], view, constant)})


def _news(seen: Seen, view: View, constant: bool) -> bool:
    """What the call leaves, but for elements that it never changes."""
    return not (seen.old or seen.argument) and not (constant and seen.text == view.element)


def _columns(names: Mapping[Term, Seen], snapshots: Sequence[Snapshot]) -> list[_Column]:
    numbers = {v: s for v, s in names.items() if isinstance(v.sort, BitVec) and v.sort.width <= 64}
    rows = [one for one in snapshots if all(isinstance(one.values.get(v), int) for v in numbers)]
    found = []
    for variable, seen in numbers.items() if rows else ():
        width = variable.sort.width if isinstance(variable.sort, BitVec) else 1
        plain = np.array([one.values[variable] for one in rows], dtype=np.uint64)
        shift = np.int64(64 - width)
        signed = (plain.astype(np.int64) << shift) >> shift
        found.append(_Column(variable, seen, width, signed, plain))
    return found


def _unchanging(view: View, columns: Sequence[_Column]) -> bool:
    element = [c for c in columns if c.seen.text == view.element]
    return len(element) == 2 and bool((element[0].plain == element[1].plain).all())


def _everywhere(columns: Sequence[_Column]) -> _Test:
    return _Test(1, np.ones(len(columns[0].plain), dtype=np.bool_))


# ---------------------------------------------------------------- bodies


def _about_element(
    view: View, columns: Sequence[_Column], constant: bool, numbers: Collection[int]
) -> Iterator[_Test]:
    """How the element as it is behind the call compares with numbers, and with what is as wide."""
    here = [c for c in columns if c.seen.text == view.element]
    now = next((c for c in here if c.output), None)
    before = next((c for c in here if not c.output), None)
    if now is None or before is None:
        return
    own = (view.element, view.index, view.length)
    others = [c for c in columns if c.width == now.width and c.seen.text not in own]
    if not constant:
        yield from _same(now, before)
    yield from _with_numbers(now, numbers)
    for other in others:
        if not other.seen.pointer:
            yield from _compared(now, other)
            if not constant and other.output:
                yield from _same(other, before)


def _about_values(columns: Sequence[_Column], numbers: Collection[int]) -> Iterator[_Test]:
    """How what the call leaves compares with what else there is."""
    outputs = [c for c in columns if c.output]
    for number, one in enumerate(outputs):
        if one.seen.pointer:
            yield _Test(build.eq(one.variable, 0, one.width), one.plain == 0)
            yield _Test(build.ne(one.variable, 0, one.width), one.plain != 0)
        else:
            yield from _with_numbers(one, numbers)
        for other in columns:
            later = not other.output or other in outputs[number + 1 :]
            if later and other.width == one.width and other.seen.pointer is one.seen.pointer:
                yield from _same(one, other) if one.seen.pointer else _compared(one, other)


def _same(one: _Column, two: _Column) -> Iterator[_Test]:
    yield _Test(build.eq(one.variable, two.variable, one.width), one.plain == two.plain)


def _frequent(one: _Column, numbers: Collection[int]) -> list[int]:
    """The most frequent of the numbers, as bits."""
    found = Counter(int(n) for n in one.signed.tolist() if n in numbers)
    return [number & ((1 << one.width) - 1) for number, _ in found.most_common(FREQUENT)]


def _with_numbers(one: _Column, numbers: Collection[int]) -> Iterator[_Test]:
    """Equal to a frequent number, or different from it."""
    key = one.variable
    for number in _frequent(one, numbers):
        equal = one.plain == np.uint64(number)
        yield _Test(build.eq(key, number, one.width), equal, ((key, number, "="),))
        yield _Test(build.ne(key, number, one.width), ~equal, ((key, number, "!"),))


def _compared(one: _Column, two: _Column) -> Iterator[_Test]:
    """Equal, ordered as the values' signs say, different; `groups` are what else it says."""
    width, a, b = one.width, one.variable, two.variable
    unsigned = one.seen.signed is False or two.seen.signed is False
    below = build.ult if unsigned else build.slt
    left, right = (one.plain, two.plain) if unsigned else (one.signed, two.signed)
    less, more, other = (a, b, "<="), (a, b, ">="), (a, b, "!=")
    yield _Test(build.eq(a, b, width), left == right, ((a, b, "=="), less, more))
    yield _Test(below(a, b, width), left < right, ((a, b, "<"), less, other))
    yield _Test(below(b, a, width), left > right, ((a, b, ">"), more, other))
    yield _Test(build.not_(below(b, a, width)), left <= right, (less,))
    yield _Test(build.not_(below(a, b, width)), left >= right, (more,))
    yield _Test(build.ne(a, b, width), left != right, (other,))


# ---------------------------------------------------------------- conditions


def _on_index(view: View, columns: Sequence[_Column]) -> Iterator[_Test]:
    """Where the index lies to each number that is not an element: in front of it, at it, behind it."""
    yield _everywhere(columns)
    index = next(c for c in columns if c.seen.text == view.index)
    k = index.variable
    for one in columns:
        if one is index or one.seen.pointer or "[" in one.seen.text or not _is_index(view, columns, one):
            continue
        signed = one.seen.signed is not False
        wide = build.sext if signed else build.zext
        value = one.variable if one.width == index.width else wide(one.variable, one.width, index.width)
        left, right = (index.signed, one.signed) if signed else (index.plain, one.plain)
        below = build.slt if signed else build.ult
        bits = index.width
        yield _Test(build.eq(k, value, bits), left == right)
        yield _Test(build.ne(k, value, bits), left != right)
        yield _Test(below(k, value, bits), left < right)
        yield _Test(build.not_(below(k, value, bits)), left >= right)
        yield _Test(below(value, k, bits), left > right)
        yield _Test(build.not_(below(value, k, bits)), left <= right)


def _is_index(view: View, columns: Sequence[_Column], one: _Column) -> bool:
    """It lies in the array, or at an end of it, nearly always; as what the call is given, often enough."""
    if one.width < 16 or one.seen.text == view.length:
        return False
    share = USUAL if one.output else GIVEN
    if view.length.isdecimal():
        return bool(((one.signed >= -1) & (one.signed <= int(view.length))).mean() >= share)
    length = next((c for c in columns if c.seen.text == view.length), None)
    return length is None or bool(((one.signed >= -1) & (one.signed <= length.signed)).mean() >= share)


def _on_results(view: View, columns: Sequence[_Column], numbers: Collection[int]) -> Iterator[_Test]:
    """That a result is a frequent number or not, null or not, or the length."""
    yield _everywhere(columns)
    for one in columns:
        if not one.seen.result:
            continue
        for number in [0] if one.seen.pointer else _frequent(one, numbers):
            equal = one.plain == np.uint64(number)
            yield _Test(build.eq(one.variable, number, one.width), equal)
            yield _Test(build.ne(one.variable, number, one.width), ~equal)
        for other in columns:
            if other.seen.text == view.length and other.width == one.width:
                yield from _same(one, other)


# ---------------------------------------------------------------- choice


def _chosen(
    bodies: Sequence[_Test], indices: Sequence[_Test], results: Sequence[_Test], news: set[Term]
) -> list[Guess]:
    conditions = [(i, r, i.truth & r.truth) for i in indices for r in results]
    conditions = [one for one in conditions if one[2].sum() >= FEWEST]
    conditions.sort(key=lambda one: ((one[0].formula != 1) + (one[1].formula != 1), -int(one[2].sum())))
    if not conditions or not bodies:
        return []
    holds = np.array([one[2] for one in conditions], dtype=np.float32)
    wrong = holds @ np.array([~one.truth for one in bodies], dtype=np.float32).T
    said: dict[object, list[Truth]] = {}
    found: list[tuple[int, int, Guess]] = []
    for column, body in enumerate(bodies):
        groups = [said.setdefault(group, []) for group in body.groups or ((body.formula,),)]
        count = 0
        for row in np.flatnonzero(wrong[:, column] == 0):
            index, result, truth = conditions[int(row)]
            guess = Guess(index.formula, result.formula, body.formula)
            if count >= MOST_CONDITIONS or not news.intersection(variables(guess.formula)):
                continue
            if any(not (truth & ~other).any() for other in groups[0]) or _is_plain(guess):
                continue
            for group in groups:
                group.append(truth)
            count += 1
            found.append(((index.formula != 1) + (result.formula != 1), -int(truth.sum()), guess))
    found.sort(key=lambda one: one[:2])
    return [guess for _, _, guess in found[:MOST]]


def _is_plain(guess: Guess) -> bool:
    """The condition says all of it by itself."""
    return guess.formula == 1 or guess.body in (guess.index, guess.result)
