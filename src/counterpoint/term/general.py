"""Equations between terms, made general: what lies deep below both sides becomes an unknown.

An equation that holds for all values of these unknowns holds for the terms in their place. So general ones are asked
about: they are small, and few are different. One that is too general may fail; then less of it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term.sorts import BOOL, BitVec, Float, Sort
from counterpoint.term.term import Op, Term, V, intern, variable

MORE = 2
"""So many steps more are looked at below an answer: it may be built of several operators."""

End: TypeAlias = int | tuple[int]
"""A constant, or a term by its number (in a tuple)."""


@dataclass(slots=True)
class General:
    """`applied = answer`, with an unknown for each term that is not `opened`.

    `terms` are those looked at, in the order in which they are met, nearest first. Equations with one `shape` have
    the same formula.
    """

    sort: Sort
    terms: list[Term]
    opened: set[int]
    ends: tuple[End, End]
    shape: tuple[object, ...]

    @property
    def constant(self) -> bool:
        """Nothing in it is unknown."""
        known = self.opened
        return all(n in known and term.op is not Op.BITS_FROM_FP for n, term in enumerate(self.terms))

    def formula(self) -> Term:
        """The equation, as no constructor has simplified it."""
        return _Renamed(self).equation()


def general(applied: V, answer: V, sort: Sort, depth: int) -> General:
    """Opens the terms less than `depth` steps below `applied`, MORE below `answer`. Linear in these."""
    numbers: dict[Term, int] = {}
    terms: list[Term] = []
    opened: set[int] = set()
    shape: list[object] = [sort]

    def end(value: V) -> End:
        value = seen(value)
        if isinstance(value, int):
            return value
        number = numbers.get(value)
        if number is None:
            number = numbers[value] = len(terms)
            terms.append(value)
        return (number,)

    def look(steps: int, at: int) -> int:
        while at < len(terms):
            level = len(terms)
            for number in range(at, level):
                term = terms[number]
                if steps > 0 and term.args:
                    opened.add(number)
                    shape.append((term.op, term.payload, term.sort, *map(end, term.args)))
                else:
                    shape.append(term.sort)
            at, steps = level, steps - 1
        return at

    one = end(applied)
    looked = look(depth, 0)
    two = end(answer)
    look(depth + MORE, looked)
    return General(sort, terms, opened, (one, two), (one, two, *shape))


def falsified(formulas: Iterable[Term]) -> Term:
    """That one of them is false, as no constructor has simplified it."""
    return intern(Op.NOT, (all_of(formulas),), None, BOOL)


def all_of(formulas: Iterable[Term]) -> Term:
    """That all of them are true, as no constructor has simplified it."""
    level: list[V] = [1, *formulas]
    while len(level) > 1:
        pairs = [intern(Op.AND, (level[i], level[i + 1]), None, BOOL) for i in range(0, len(level) - 1, 2)]
        level = [*pairs, *level[2 * len(pairs) :]]
    return level[0] if isinstance(level[0], Term) else intern(Op.AND, (1, 1), None, BOOL)


def seen(value: V) -> V:
    """What formulas see of a value: owners are no part of it."""
    while isinstance(value, Term) and value.op is Op.OWNED:
        value = value.args[0]
    return value


class _Renamed:
    """The formula of a General: what is not opened is an unknown by its number."""

    def __init__(self, whole: General) -> None:
        self.whole = whole
        self.given: list[Term] = []
        self.done: dict[Term, Term] = {}

    def equation(self) -> Term:
        # arguments are older than what is built on them
        for number, term in sorted(enumerate(self.whole.terms), key=lambda entry: entry[1].index):
            self.done[term] = self._renamed(number, term)
        left, right = (self._end(end) for end in self.whole.ends)
        formula = intern(Op.EQ, (left, right), 1, BOOL)
        for known in self.given:
            wrong = intern(Op.AND, (known, intern(Op.NOT, (formula,), None, BOOL)), None, BOOL)
            formula = intern(Op.NOT, (wrong,), None, BOOL)
        return formula

    def _end(self, end: End) -> Term:
        if isinstance(end, int):  # a constant as a term: an ITE of equal branches
            return intern(Op.ITE, (1, end, end), None, self.whole.sort)
        return self.done[self.whole.terms[end[0]]]

    def _renamed(self, number: int, term: Term) -> Term:
        if number not in self.whole.opened:
            return variable(f"?{number} {term.sort!r}", term.sort)
        args = tuple(value if isinstance(value := seen(arg), int) else self.done[value] for arg in term.args)
        if term.op is not Op.BITS_FROM_FP:
            return intern(term.op, args, term.payload, term.sort)
        assert isinstance(args[0], Term) and isinstance(args[0].sort, Float)
        bits = variable(f"?{number} bits of {args[0].sort!r}", BitVec(args[0].sort.width))
        read = intern(Op.FP_FROM_BITS, (bits,), None, args[0].sort)
        self.given.append(intern(Op.EQ, (read, args[0]), 1, BOOL))
        return bits
