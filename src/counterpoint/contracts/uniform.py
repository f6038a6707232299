"""What an element of an array of known length is, said of all elements at once.

Where cells are told apart by number, the value of `a[k]` is a choice by k: `k == 0 ? v0 : k == 1 ? v1 : ...`. Put each
number for k, and the values that come out often differ in their numbers only: `old(top) == 0 ? x : old(a[0])`,
`old(top) == 1 ? x : old(a[1])`. Then what stands at each place of them is one term over k, `old(top) == k ? x :
old(a[k])`. Each number is put for k again, to see whether that is the value.

Source: least general generalisation (Plotkin, Machine Intelligence 5, 1970); numbers are generalised to linear terms
over k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec, Sort
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import conjuncts, reachable, size, substitute

LONGEST: Final = 64
"""Elements of an array that is looked at."""

MOST_PLACES: Final = 80
"""Places of the values that are compared."""


@dataclass(frozen=True, slots=True)
class Index:
    """The term that stands for k, of 64 bits or fewer, and which numbers it is: those below `length`. What was read at
    k before the call, by the variable that shows it."""

    term: Term
    length: int
    before: Mapping[Term, V]


def uniform(value: V, index: Index, same: Callable[[V, V], bool]) -> V | None:
    """The value without choices by the index, over what is shown of the element before the call; None where there is
    none, or where `same` does not say for each number that the value is the one before."""
    if not 1 < index.length <= LONGEST or not _chosen(value, index.term):
        return None
    # The first number and the last often fold what others leave: these are left to the solver.
    for numbers in (range(index.length), range(1, index.length - 1)):
        found = _generalised(value, index, numbers) if len(numbers) > 1 else None
        if found is not None and _is_value(value, found, index, same):
            return found
    return None


def _generalised(value: V, index: Index, numbers: range) -> V | None:
    shown = {tuple(substitute(read, {index.term: i}) for i in numbers): one for one, read in index.before.items()}
    columns = tuple(substitute(value, {index.term: i}) for i in numbers)
    try:
        return _Generalised(index.term, numbers, shown).of(columns, value.sort if isinstance(value, Term) else None)
    except _Unlike:
        return None


def _is_value(value: V, found: V, index: Index, same: Callable[[V, V], bool]) -> bool:
    """Each number is put for the index, in both."""
    whole = substitute(found, dict(index.before))
    return all(
        same(substitute(value, {index.term: i}), substitute(whole, {index.term: i})) for i in range(index.length)
    )


def without_implied(value: V, implies: Callable[[Sequence[V], V], bool]) -> V:
    """The value with none of the parts of its choices' conditions that the other parts imply."""
    for term in reachable([value]):
        if term.op is not Op.ITE:
            continue
        left = list(conjuncts(term.args[0]))
        for part in list(left):
            others = [one for one in left if one is not part]
            if others and implies(others, part):
                left = others
        value = substitute(value, {term.args[0]: build.conjunction(left)} if isinstance(term.args[0], Term) else {})
    return value


def _chosen(value: V, index: Term) -> bool:
    """A choice hangs on the index."""
    return any(index in reachable([term.args[0]]) for term in reachable([value]) if term.op is Op.ITE)


class _Unlike(Exception):
    """The terms do not differ in numbers only."""


@dataclass(slots=True)
class _Generalised:
    """Terms, one for each of the numbers, as one term over the index."""

    index: Term
    numbers: range
    shown: Mapping[tuple[V, ...], V]
    made: dict[tuple[V, ...], V] = field(default_factory=dict)

    def of(self, column: tuple[V, ...], sort: Sort | None) -> V:
        """Raises _Unlike."""
        if column in self.made:
            return self.made[column]
        if len(self.made) >= MOST_PLACES:
            raise _Unlike
        if column in self.shown:
            found = self.shown[column]
        elif all(one is column[0] or one == column[0] for one in column):
            found = column[0]
        else:
            found = self._number(column, sort) if any(isinstance(one, int) for one in column) else self._term(column)
        self.made[column] = found
        return found

    def _number(self, column: tuple[V, ...], sort: Sort | None) -> V:
        if not isinstance(sort, BitVec) or not isinstance(self.index.sort, BitVec):
            raise _Unlike
        width, own = sort.width, self.index.sort.width
        numbers = [one for one in column if isinstance(one, int)]
        if len(numbers) < len(column):
            raise _Unlike
        step, modulus = numbers[1] - numbers[0], 1 << width
        start = numbers[0] - step * self.numbers[0]
        if numbers != [(start + step * i) % modulus for i in self.numbers]:
            raise _Unlike
        index = build.extract(width - 1, 0, self.index, own) if width < own else build.zext(self.index, own, width)
        return build.add(build.mul(index, step % modulus, width), start % modulus, width)

    def _term(self, column: tuple[V, ...]) -> V:
        terms = [one for one in column if isinstance(one, Term)]
        first, arguments = terms[0], [_in_order(one) for one in terms]
        alike = (first.op, first.payload, first.sort, len(first.args))
        if not first.args or any((t.op, t.payload, t.sort, len(t.args)) != alike for t in terms):
            raise _Unlike
        sorts = argument_sorts(first)
        columns = zip(*arguments, strict=True)
        return rebuild(first, [self.of(tuple(one), sort) for one, sort in zip(columns, sorts, strict=True)])


def _in_order(term: Term) -> Sequence[V]:
    """The arguments; those of a conjunction stand in the order in which they were made, which differs."""
    if term.op is not Op.AND:
        return term.args
    return sorted(term.args, key=lambda one: (size(one), one.op.value) if isinstance(one, Term) else (0, 0))
