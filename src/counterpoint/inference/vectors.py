"""What formulas are on all rows of a table at once; what an array does not know makes nothing false.

A formula with a ghost (one at most) is judged on the known indices of its arrays (execute/component_values.py: an
index that is not among the entries is unknown). Operators mean what term/meaning.py says, at most 64 bits wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from counterpoint.core.records import dataclass
from counterpoint.inference.numbers import Numbers, Rows, Truth, mask_of, ordered, signed
from counterpoint.inference.table import Table
from counterpoint.semantics.facts import ghosts, is_ghost
from counterpoint.term.sorts import BOOL, ArraySort, BitVec
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.walk import reachable, variables

CHUNK = 1 << 15
"""Rows that formulas are evaluated on together: what fits into a processor's cache."""

SMALL_CHUNK = 1 << 10
"""The same where there are arrays, and at the beginning, where most formulas end."""


@dataclass(frozen=True, slots=True)
class Vector:
    """Values (Bools as truth, bit-vectors as numbers); `known` says where, None: everywhere."""

    values: Any
    known: Truth | None = None


def possible(formula: V, table: Table) -> bool:
    """It is made of the table's variables, one ghost at most, and operators that are known here."""
    if len(ghosts(formula)) > 1:
        return False
    for term in reachable([formula]):
        if term.op is Op.VARIABLE:
            if not is_ghost(term) and term not in table.position:
                return False
        elif term.op not in _STEPS and term.op not in (Op.AND, Op.SELECT):
            return False
        if isinstance(term.sort, BitVec) and term.sort.width > 64:
            return False
    return True


def are_vectors(terms: Iterable[Term]) -> bool:
    """Each of these, which are all that some values are made of, is a Bool or a bit-vector of 64 bits at most, by
    operators that are known here."""
    return all(
        (term.op in _STEPS or term.op in (Op.AND, Op.VARIABLE))
        and (term.sort is BOOL or (isinstance(term.sort, BitVec) and term.sort.width <= 64))
        for term in terms
    )


def true_rows(formula: V, table: Table) -> Truth:
    """Where the formula is true, or not known to be false, for all ghosts."""
    if isinstance(formula, int):
        return np.full(table.count, bool(formula))
    if not ghosts(formula):
        return _truth(_Evaluation(table, np.arange(table.count)).of(formula))
    rows, chosen = _choices(formula, table)
    found = _truth(_Evaluation(table, rows, chosen).of(formula))
    result = np.ones(table.count, dtype=np.bool_)
    result[rows[~found]] = False
    return result


def values_of(term: V, table: Table) -> Numbers:
    """The numbers of a bit-vector term without arrays."""
    if isinstance(term, int):
        return np.full(table.count, term, dtype=np.uint64)
    found: Numbers = _Evaluation(table, np.arange(table.count)).of(term).values
    return found


def values_of_all(values: Sequence[V], table: Table, count: int) -> list[Any]:
    """Of each value, made as `are_vectors` says, the numbers or the truth at `count` rows, which are the table's where
    it has columns; shared parts are looked at once."""
    terms = [value for value in values if isinstance(value, Term)]
    found = _Evaluation(table, np.arange(count)).all_of(terms)
    numbers = [np.uint64(value) if isinstance(value, int) else found[value].values for value in values]
    return [np.broadcast_to(one, (count,)) for one in numbers]


def at_entries(term: V, table: Table, position: int) -> tuple[Numbers, Truth]:
    """What a term over a ghost is at each known element of an array's column (a Bool: 0 or 1), and where that is known.
    """
    entries = table.entries(position)
    everywhere = np.ones(len(entries.indices), dtype=np.bool_)
    if isinstance(term, int):
        return np.full(len(entries.indices), term, dtype=np.uint64), everywhere
    found = _Evaluation(table, entries.owners, entries.indices).of(term)
    values: Numbers = np.asarray(found.values).astype(np.uint64)
    return values, everywhere if found.known is None else found.known


def refuting_rows(formulas: Sequence[V], table: Table, spend: Callable[[], None]) -> list[int | None]:
    """For each formula the first row of a chunk in which it is false; None where there is none. `spend` is called for
    every chunk."""
    found: list[int | None] = [None] * len(formulas)
    left = list(range(len(formulas)))
    usual = SMALL_CHUNK if any(column.is_array for column in table.columns) else CHUNK
    start, length = 0, SMALL_CHUNK
    while left and start < table.count:
        spend()
        part = table.part(start, start + length)
        for k in left:
            truth = true_rows(formulas[k], part)
            if not truth.all():
                found[k] = start + int(np.argmin(truth))
        left = [k for k in left if found[k] is None]
        start, length = start + length, usual
    return found


def _choices(formula: Term, table: Table) -> tuple[Rows, Numbers]:
    """Rows, and the ghost's value there: each index that is known of any of the formula's arrays."""
    positions = [table.position[v] for v in variables(formula) if isinstance(v.sort, ArraySort)]
    rows = np.concatenate([np.empty(0, np.int64), *(table.entries(k).owners for k in positions)])
    indices = np.concatenate([np.empty(0, np.uint64), *(table.entries(k).indices for k in positions)])
    return rows, indices


def _truth(found: Vector) -> Truth:
    values: Truth = found.values
    return values if found.known is None else values | ~found.known


# ---------------------------------------------------------------- evaluation


@dataclass(slots=True)
class _Evaluation:
    """Of formulas at rows of a table: all of them, or with a value of the ghost for each."""

    table: Table
    rows: Rows
    chosen: Numbers | None = None

    def of(self, formula: Term) -> Vector:
        return self.all_of([formula])[formula]

    def all_of(self, terms: Sequence[Term]) -> dict[Term, Vector]:
        """Of all that the terms are made of."""
        done: dict[Term, Vector] = {}
        with np.errstate(all="ignore"):
            for term in reachable(terms):
                done[term] = self._step(term, done)
        return done

    def _step(self, term: Term, done: dict[Term, Vector]) -> Vector:
        if term.op is Op.VARIABLE:
            return self._leaf(term)
        if term.op is Op.SELECT:
            array = term.args[0]
            assert isinstance(array, Term)
            index = self._argument(term, 1, done)
            numbers = np.broadcast_to(np.asarray(index.values, dtype=np.uint64), self.rows.shape)
            values, there = self.table.entries(self.table.position[array]).find(self.rows, numbers)
            return Vector(values, _both(there, index.known))
        arguments = [self._argument(term, k, done) for k in range(len(term.args))]
        if term.op is Op.AND:
            return _and(*arguments)
        if term.op is Op.ITE:
            return _choice(*arguments)
        known: Truth | None = None
        for argument in arguments:
            known = _both(known, argument.known)
        return Vector(_STEPS[term.op](term, [a.values for a in arguments]), known)

    def _argument(self, term: Term, k: int, done: dict[Term, Vector]) -> Vector:
        value = term.args[k]
        if isinstance(value, Term):
            return done[value]
        sort = argument_sorts(term)[k]
        return Vector(np.bool_(value) if sort is BOOL else np.uint64(value))

    def _leaf(self, variable: Term) -> Vector:
        if is_ghost(variable):
            return Vector(self.chosen)
        if isinstance(variable.sort, ArraySort):
            return Vector(None)
        numbers = self.table.numbers(self.table.position[variable])
        if self.chosen is not None:
            numbers = numbers[self.rows]
        return Vector(numbers != 0 if variable.sort is BOOL else numbers)


def _both(a: Truth | None, b: Truth | None) -> Truth | None:
    if a is None:
        return b
    return a if b is None else a & b


def _and(a: Vector, b: Vector) -> Vector:
    values = a.values & b.values
    known = _both(a.known, b.known)
    if known is None:
        return Vector(values)
    surely_false = np.zeros_like(known)
    for side in (a, b):
        surely_false = surely_false | (~side.values if side.known is None else ~side.values & side.known)
    return Vector(np.where(surely_false, False, values), known | surely_false)


def _choice(condition: Vector, a: Vector, b: Vector) -> Vector:
    values = np.where(condition.values, a.values, b.values)
    if condition.known is None and a.known is None and b.known is None:
        return Vector(values)
    whole = np.ones(values.shape, dtype=np.bool_)
    known = np.where(condition.values, whole if a.known is None else a.known, whole if b.known is None else b.known)
    return Vector(values, _both(known, condition.known))


# ---------------------------------------------------------------- operators


def _mask(term: Term) -> Any:
    return np.uint64(term.sort.mask) if isinstance(term.sort, BitVec) else np.uint64(1)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _payload(term: Term) -> int:
    assert isinstance(term.payload, int)
    return term.payload


def _shifted(left: bool) -> Callable[[Term, Sequence[Any]], Any]:
    def step(term: Term, a: Sequence[Any]) -> Any:
        inside = a[1] < np.uint64(_width(term))
        by = np.where(inside, a[1], np.uint64(0))
        moved = (a[0] << by) & _mask(term) if left else a[0] >> by
        return np.where(inside, moved, np.uint64(0))

    return step


def _ashr(term: Term, a: Sequence[Any]) -> Any:
    width = _width(term)
    by = np.minimum(a[1], np.uint64(width - 1)).astype(np.int64)
    return (signed(np.asarray(a[0]), width) >> by).view(np.uint64) & _mask(term)


def _udiv(term: Term, a: Sequence[Any]) -> Any:
    zero = a[1] == np.uint64(0)
    return np.where(zero, _mask(term), a[0] // np.where(zero, np.uint64(1), a[1]))


def _urem(term: Term, a: Sequence[Any]) -> Any:
    zero = a[1] == np.uint64(0)
    return np.where(zero, a[0], a[0] % np.where(zero, np.uint64(1), a[1]))


def _absolute(numbers: Any, width: int) -> tuple[Any, Any]:
    negative = numbers >> np.uint64(width - 1) == np.uint64(1)
    return negative, np.where(negative, (~numbers + np.uint64(1)) & np.uint64(mask_of(width)), numbers)


def _sdiv(term: Term, a: Sequence[Any]) -> Any:
    (one, above), (two, below) = (_absolute(np.asarray(v), _width(term)) for v in a)
    quotient = _udiv(term, (above, below))
    return np.where(one != two, ~quotient + np.uint64(1), quotient) & _mask(term)


def _srem(term: Term, a: Sequence[Any]) -> Any:
    (one, above), (_, below) = (_absolute(np.asarray(v), _width(term)) for v in a)
    rest = _urem(term, (above, below))
    return np.where(one, ~rest + np.uint64(1), rest) & _mask(term)


def _sext(term: Term, a: Sequence[Any]) -> Any:
    return signed(np.asarray(a[0]), _payload(term)).view(np.uint64) & _mask(term)


_STEPS: dict[Op, Callable[[Term, Sequence[Any]], Any]] = {
    Op.NOT: lambda t, a: ~a[0],
    Op.XOR: lambda t, a: a[0] ^ a[1],
    Op.ITE: lambda t, a: np.where(a[0], a[1], a[2]),
    Op.EQ: lambda t, a: a[0] == a[1],
    Op.ULT: lambda t, a: a[0] < a[1],
    Op.SLT: lambda t, a: ordered(a[0], _payload(t)) < ordered(a[1], _payload(t)),
    Op.ADD: lambda t, a: (a[0] + a[1]) & _mask(t),
    Op.SUB: lambda t, a: (a[0] - a[1]) & _mask(t),
    Op.NEG: lambda t, a: (~a[0] + np.uint64(1)) & _mask(t),
    Op.MUL: lambda t, a: (a[0] * a[1]) & _mask(t),
    Op.UDIV: _udiv,
    Op.UREM: _urem,
    Op.SDIV: _sdiv,
    Op.SREM: _srem,
    Op.BVAND: lambda t, a: a[0] & a[1],
    Op.BVOR: lambda t, a: a[0] | a[1],
    Op.BVXOR: lambda t, a: a[0] ^ a[1],
    Op.BVNOT: lambda t, a: a[0] ^ _mask(t),
    Op.SHL: _shifted(True),
    Op.LSHR: _shifted(False),
    Op.ASHR: _ashr,
    Op.CONCAT: lambda t, a: a[0] << np.uint64(_payload(t)) | a[1],
    Op.EXTRACT: lambda t, a: a[0] >> np.uint64(_payload(t)) & _mask(t),
    Op.ZEXT: lambda t, a: a[0],
    Op.SEXT: _sext,
}
