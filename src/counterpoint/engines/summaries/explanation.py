"""Where does an output have the value that it has here? A precondition from rows of samples.

`pre` is a conjunction of comparisons that hold for one input, and hold on no row on which the post does not: greedily
the one that excludes most of those rows, and loses fewest others. It is the left branch of a decision tree, as for
Daikon's splitting conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.records import dataclass
from counterpoint.engines.summaries.rows import Rows, State, equal, width
from counterpoint.inference.numbers import mask_of, signed, signed_number
from counterpoint.inference.table import Table
from counterpoint.inference.vectors import possible, true_rows
from counterpoint.term import build
from counterpoint.term.term import Term, V

MOST_CONJUNCTS = 6

MOST_INPUTS_IN_PAIRS = 24
"""Inputs up to which they are compared with each other."""

FEW_INPUTS = 8
"""Inputs up to which they are compared with each other even where comparisons with numbers are enough."""

NEAR = 64
"""How far away a number of the program may be that an input is told from."""

LOSS = 0.5
"""How much a row that is lost counts, against one that is excluded."""

Truth = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A formula that holds for the input, and on which rows it does."""

    formula: V
    true: Truth


@dataclass(frozen=True, slots=True)
class Explained:
    """Wherever `pre` holds on the rows, which are `covered` ones, `post` does."""

    pre: V
    post: V
    covered: int


@dataclass(slots=True)
class Explainer:
    """Comparisons of a function's inputs, over the rows that there are now, that hold for `given`; `parent` holds for
    all rows that are looked at."""

    rows: Rows
    given: State
    parent: V = 1
    table: Table = field(init=False)
    inside: Truth = field(init=False)
    _numbers: list[Comparison] | None = None
    _pairs: list[Comparison] | None = None

    def __post_init__(self) -> None:
        self.table = self.rows.table()
        self.inside = true_rows(self.parent, self.table)

    def best(self, posts: Iterable[V]) -> Explained | None:
        """The post that is explained on most rows, the first of several."""
        found: Explained | None = None
        for post in posts:
            if possible(post, self.table):
                explained = self.explain(post)
                if explained is not None and (found is None or explained.covered > found.covered):
                    found = explained
        return found

    def agrees(self, post: V) -> bool:
        """It holds on all rows that are looked at."""
        return possible(post, self.table) and not (self.inside & ~true_rows(post, self.table)).any()

    def explain(self, post: V) -> Explained | None:
        """With the parent's; None if comparisons are not enough."""
        good = true_rows(post, self.table)
        pre = self.separating(good & self.inside, ~good & self.inside)
        if pre is None:
            return None
        pre = build.and_(pre, self.parent)
        return Explained(pre, post, int(true_rows(pre, self.table).sum()))

    def excluding_all(self) -> V | None:
        """A formula over inputs that holds for the input, and on no row."""
        none = np.zeros(self.table.count, dtype=np.bool_)
        return self.separating(none, self.inside)

    def separating(self, good: Truth, bad: Truth) -> V | None:
        """By comparisons with numbers, or, where that covers no fewer rows, with other inputs as well."""
        numbers = self._separating(good, bad, self._with_numbers())
        if numbers is not None and len(self.rows.inputs) > FEW_INPUTS:
            return numbers
        inputs = self._separating(good, bad, [*self._with_numbers(), *self._with_each_other()])
        if numbers is None or inputs is None:
            return inputs if numbers is None else numbers
        kept = [int(true_rows(build.and_(pre, self.parent), self.table).sum()) for pre in (numbers, inputs)]
        return inputs if kept[1] >= kept[0] else numbers

    def _separating(self, good: Truth, bad: Truth, among: Sequence[Comparison]) -> V | None:
        chosen: list[Comparison] = []
        good, bad = good.copy(), bad.copy()
        while bad.any():
            best = _best(good, bad, among)
            if best is None or len(chosen) == MOST_CONJUNCTS:
                return None
            chosen.append(best)
            good &= best.true
            bad &= best.true
        return build.conjunction([one.formula for one in chosen])

    def _with_numbers(self) -> list[Comparison]:
        if self._numbers is None:
            self._numbers = [one for variable in self._inputs() for one in self._of(variable)]
        return self._numbers

    def _with_each_other(self) -> list[Comparison]:
        if self._pairs is None:
            pairs = combinations(self._inputs()[:MOST_INPUTS_IN_PAIRS], 2)
            self._pairs = [one for a, b in pairs if a.sort is b.sort and width(a) > 1 for one in self._of_two(b, a)]
        return self._pairs

    def _inputs(self) -> list[Term]:
        return [v for v in self.rows.inputs if isinstance(self.given.get(v), int)]

    def _of(self, variable: Term) -> Iterator[Comparison]:
        bits, column = width(variable), self._column(variable)
        if bits == 1:
            here = self._number(variable)
            yield Comparison(equal(variable, here), (column != 0) == bool(here))
            return
        here = signed_number(self._number(variable), bits)
        limits = {-1, 0, 1, here}
        limits.update(signed_number(n, bits) for n in self.rows.pool if n < 1 << bits)
        if len(np.unique(column)) <= 1:
            return
        mask = mask_of(bits)
        yield Comparison(build.eq(variable, here & mask, bits), column == here)
        for limit in sorted(limits):
            if here != limit and (limit in (-1, 0, 1) or abs(limit - here) < NEAR):
                yield Comparison(build.ne(variable, limit & mask, bits), column != limit)
            if here <= limit < mask >> 1:
                yield Comparison(build.sle(variable, limit & mask, bits), column <= limit)
            if here > limit:
                yield Comparison(build.slt(limit & mask, variable, bits), column > limit)

    def _of_two(self, one: Term, other: Term) -> Iterator[Comparison]:
        bits, a, b = width(one), self._column(one), self._column(other)
        x, y = (signed_number(self._number(v), bits) for v in (one, other))
        if x < y:
            yield Comparison(build.slt(one, other, bits), a < b)
        if x > y:
            yield Comparison(build.slt(other, one, bits), a > b)
        if x == y:
            yield Comparison(build.eq(one, other, bits), a == b)
        else:
            yield Comparison(build.ne(one, other, bits), a != b)
        if len(self.rows.inputs) <= FEW_INPUTS:
            yield from self._apart(one, other)

    def _apart(self, one: Term, other: Term) -> Iterator[Comparison]:
        """By a number of the program."""
        bits, mask = width(one), mask_of(width(one))
        apart = self.table.numbers(self.table.position[one]) - self.table.numbers(self.table.position[other])
        here = (self._number(one) - self._number(other)) & mask
        for number in dict.fromkeys((*self.rows.pool, *(-n & mask for n in self.rows.pool))):
            if 1 < number <= mask:
                second, same = build.add(other, number, bits), (apart & np.uint64(mask)) == number
                if number == here:
                    yield Comparison(build.eq(one, second, bits), same)
                else:
                    yield Comparison(build.ne(one, second, bits), ~same)

    def _number(self, variable: Term) -> int:
        value = self.given[variable]
        assert isinstance(value, int)
        return value

    def _column(self, variable: Term) -> NDArray[np.int64]:
        return signed(self.table.numbers(self.table.position[variable]), width(variable))


def _best(good: Truth, bad: Truth, among: Sequence[Comparison]) -> Comparison | None:
    best, most = None, 0.0
    bads, goods = int(bad.sum()), max(1, int(good.sum()))
    for one in among:
        excluded = int((bad & ~one.true).sum()) / bads
        lost = int((good & ~one.true).sum()) / goods
        score = excluded - LOSS * lost
        if excluded > 0 and (best is None or score > most):
            best, most = one, score
    return best
