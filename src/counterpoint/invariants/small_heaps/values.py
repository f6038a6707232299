"""Values in a small heap: a number is one of a few, each under its condition; an array is a table.

What formulas say of addresses becomes propositional where all addresses are known numbers: two choices are equal where
both are the same number. Values that are no addresses (counters, data) stay terms, one alternative of many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from itertools import product
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Sort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable_outside

MOST: Final = 96
"""Pairs of alternatives that an operation looks at one by one; of more it is made as of any terms."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values; exactly one of the conditions holds."""

    options: Mapping[V, V]


Scalar: TypeAlias = V | Choice


@dataclass(frozen=True, slots=True)
class Table:
    """An array: `entries` by index, and what other elements are."""

    entries: Mapping[int, Scalar]
    other: Callable[[int], Scalar]
    element: BitVec

    def at(self, index: int) -> Scalar:
        found = self.entries.get(index)
        return self.other(index) if found is None else found


Value: TypeAlias = Scalar | Table


def options(value: Scalar) -> Mapping[V, V]:
    """Its alternatives, by value, and their conditions."""
    return value.options if isinstance(value, Choice) else {value: 1}


def choice(found: Iterable[tuple[V, V]]) -> Scalar:
    """One of the values, each where its condition holds."""
    joined: dict[V, V] = {}
    for value, condition in found:
        if condition != 0:
            joined[value] = build.or_(joined[value], condition) if value in joined else condition
    if len(joined) == 1:
        return next(iter(joined))
    return Choice(joined)


def plain(value: Scalar, sort: Sort) -> V:
    """The value as a term."""
    if not isinstance(value, Choice):
        return value
    items = list(value.options.items())
    found = items[-1][0] if items else 0
    for one, condition in items[:-1]:
        found = build.ite(condition, one, found, sort)
    return found


def either(condition: V, yes: Scalar, no: Scalar) -> Scalar:
    """`yes` where the condition holds."""
    if condition == 1 or yes == no:
        return yes
    if condition == 0:
        return no
    other = build.not_(condition)
    found = [(value, build.and_(condition, where)) for value, where in options(yes).items()]
    return choice([*found, *((value, build.and_(other, where)) for value, where in options(no).items())])


def condition(values: Iterable[tuple[V, V]]) -> V:
    """Of truth values, each where its condition holds."""
    return build.disjunction([build.and_(where, value) for value, where in values])


@dataclass(slots=True)
class Evaluation:
    """Values of terms where variables and addresses are what `leaf` says; each term once."""

    leaf: Callable[[Term], Value]
    _done: dict[Term, Value] = field(default_factory=dict)

    def of(self, value: V) -> Value:
        if isinstance(value, int):
            return value
        for term in reachable_outside((value,), self._done):
            self._done[term] = self._step(term)
        return self._done[value]

    def truth(self, formula: V) -> V:
        """Of a formula."""
        found = self.of(formula)
        assert not isinstance(found, Choice | Table)
        return found

    def _step(self, term: Term) -> Value:
        if not term.args:
            return self.leaf(term) if term.op in (Op.VARIABLE, Op.ADDRESS) else _filled(term, 0)
        args: list[Value] = [arg if isinstance(arg, int) else self._done[arg] for arg in term.args]
        match term.op:
            case Op.OWNED:
                return args[0]
            case Op.CONSTANT_ARRAY:
                return _filled(term, args[0])
            case Op.SELECT:
                return selected(_table(args[0]), _scalar(args[1]), term.args[0])
            case Op.STORE:
                return stored(_table(args[0]), _scalar(args[1]), _scalar(args[2]), term)
            case Op.ITE if isinstance(args[1], Table):
                return _joined(_truth(args[0]), args[1], _table(args[2]))
            case Op.ITE if term.sort != BOOL:
                return either(_truth(args[0]), _scalar(args[1]), _scalar(args[2]))
            case Op.EQ if isinstance(args[0], Table):
                return _equal(args[0], _table(args[1]))
        return applied(term, [_scalar(arg) for arg in args])


def _truth(value: Value) -> V:
    assert not isinstance(value, Choice | Table)
    return value


def _scalar(value: Value) -> Scalar:
    assert not isinstance(value, Table)
    return value


def _table(value: Value) -> Table:
    assert isinstance(value, Table)
    return value


def _filled(term: Term, value: Value) -> Table:
    assert isinstance(term.sort, ArraySort)
    element = _scalar(value)
    return Table({}, lambda _: element, _element(term))


def _element(array: Term) -> BitVec:
    assert isinstance(array.sort, ArraySort)
    return BitVec(array.sort.element)


def applied(like: Term, args: list[Scalar]) -> Scalar:
    """The operator of `like` on each combination of alternatives."""
    if not any(isinstance(arg, Choice) for arg in args):
        return rebuild(like, [arg for arg in args if not isinstance(arg, Choice)])
    count = 1
    for arg in args:
        count *= len(options(arg))
    if count > MOST:
        return rebuild(like, [_as_term(arg, was) for arg, was in zip(args, like.args, strict=True)])
    found: list[tuple[V, V]] = []
    for chosen in product(*(options(arg).items() for arg in args)):
        where = build.conjunction([where for _, where in chosen])
        if where != 0:
            found.append((rebuild(like, [value for value, _ in chosen]), where))
    return condition(found) if like.sort == BOOL else choice(found)


def _as_term(value: Scalar, like: V) -> V:
    if isinstance(value, Choice):
        assert isinstance(like, Term)
        return plain(value, like.sort)
    return value


def selected(table: Table, index: Scalar, array: V) -> Scalar:
    """The element at the index."""
    found: list[tuple[V, V]] = []
    for where, value in ((where, _element_at(table, one, array)) for one, where in options(index).items()):
        found += [(each, build.and_(where, also)) for each, also in options(value).items()]
    return choice(found)


def _element_at(table: Table, index: V, array: V) -> Scalar:
    if isinstance(index, int):
        return table.at(index)
    assert isinstance(array, Term) and isinstance(array.sort, ArraySort)
    found = table.other(-1)
    for known, value in table.entries.items():
        found = either(build.eq(index, known, array.sort.index), value, found)
    return found


def stored(table: Table, index: Scalar, value: Scalar, like: Term) -> Table:
    """The array with the value at the index."""
    assert isinstance(like.sort, ArraySort)
    entries = dict(table.entries)
    for one, where in options(index).items():
        if isinstance(one, int):
            entries[one] = either(where, value, entries[one] if one in entries else table.other(one))
        else:
            for known, old in entries.items():
                here = build.and_(where, build.eq(one, known, like.sort.index))
                entries[known] = either(here, value, old)
    return Table(entries, table.other, table.element)


def _joined(where: V, yes: Table, no: Table) -> Table:
    if where in (0, 1):
        return yes if where == 1 else no
    keys = dict.fromkeys([*yes.entries, *no.entries])
    entries = {key: either(where, yes.at(key), no.at(key)) for key in keys}
    if yes.other is no.other:
        return Table(entries, yes.other, yes.element)
    return Table(entries, lambda index: either(where, yes.other(index), no.other(index)), yes.element)


def _equal(one: Table, two: Table) -> V:
    keys = dict.fromkeys([*one.entries, *two.entries])
    return build.conjunction([same(one.at(key), two.at(key), one.element) for key in keys])


def same(one: Scalar, two: Scalar, sort: BitVec) -> V:
    """Both are the same value."""
    return build.disjunction(
        [
            build.conjunction([here, there, build.eq(a, b, sort.width)])
            for a, here in options(one).items()
            for b, there in options(two).items()
        ]
    )
