"""Equations between terms, made general: what lies deep below both sides becomes an unknown.

An equation that holds for all values of these unknowns holds for the terms in their place. So general ones are asked
about: they are small, and few are different. One that is too general may fail; then less of it is left out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.term.alone import alone
from counterpoint.term.sorts import BOOL, BitVec, Float, Sort
from counterpoint.term.term import Op, Term, V, intern, variable

MORE = 2
"""So many steps more are looked at below an answer: it may be built of several operators."""

NEAR = 1
"""So many steps below an application are open whatever they share."""

MOST_COMPARED = 4_000
"""Terms of which it is found out what they share."""

MOST_PARTS = 4
"""So many equations of one term are given, the newest ones."""

Part: TypeAlias = tuple[int, Term]
"""The number of an equation, and the application that it is of."""

End: TypeAlias = int | tuple[int]
"""A constant, or a term by its number (in a tuple)."""


@dataclass(slots=True)
class General:
    """`applied = answer`, with an unknown for each term that is not `opened`.

    `terms` are those looked at, in the order in which they are met, nearest first. Equations with one `shape` have
    the same formula. `given`: terms with applications that they are equal to.
    """

    sort: Sort
    terms: list[Term]
    opened: set[int]
    given: list[tuple[Term, Term]]
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


def general(
    applied: V, answer: V, sort: Sort, depth: int, whole: bool = True,
    parts: Mapping[Term, Sequence[Part]] | None = None, number: int = 0,
) -> General:
    """Opens the terms less than `depth` steps below `applied`, MORE below `answer`. Linear in these.

    `parts` are terms with applications that they are equal to by equations: those that are older than the `number` of
    this one are given, and such terms stay closed. If all equations hold like that, they hold, by induction on numbers.

    Unless `whole`, those stay closed that share no part with anything else in it (term/alone.py), except for `applied`
    and MORE steps of `answer`: an equation says something of what it has more than once. Quadratic, up to MOST_COMPARED
    terms.
    """
    known = {} if parts is None else parts
    found = _Looking(sort, known, number)
    found.look(applied, answer, depth)
    if not whole and depth > NEAR and len(found.terms) <= MOST_COMPARED and (closed := found.alone()):
        found = _Looking(sort, known, number, closed)
        found.look(applied, answer, depth)
    return found.made()


class _Looking:
    """A walk over both sides of an equation, that goes past `closed` terms near their tops only."""

    def __init__(
        self, sort: Sort, parts: Mapping[Term, Sequence[Part]], number: int, closed: Container[Term] = ()
    ) -> None:
        self.sort, self.parts, self.number, self.closed = sort, parts, number, closed
        self.given: list[tuple[Term, Term]] = []
        self.numbers: dict[Term, int] = {}
        self.terms: list[Term] = []
        self.opened: set[int] = set()
        self.shape: list[object] = [sort]
        self.ends: list[End] = []

    def look(self, applied: V, answer: V, depth: int) -> None:
        """From `applied` so many steps, then from `answer`."""
        self.ends.append(self._end(applied))
        self._levels(0, depth, NEAR)
        at = len(self.terms)
        self.ends.append(self._end(answer))
        self._levels(at, depth + MORE, NEAR + MORE)

    def _levels(self, at: int, steps: int, near: int) -> None:
        while at < len(self.terms):
            level = len(self.terms)
            for number in range(at, level):
                term = self.terms[number]
                if steps > 0 and (given := self._given(term)):
                    self.given.extend((term, one) for one in given)
                    self.shape.append((term.sort, *((one.op, one.payload, *map(self._end, one.args)) for one in given)))
                elif steps > 0 and term.args and (near > 0 or term not in self.closed):
                    self.opened.add(number)
                    self.shape.append((term.op, term.payload, term.sort, *map(self._end, term.args)))
                else:
                    self.shape.append(term.sort)
            at, steps, near = level, steps - 1, near - 1

    def _given(self, term: Term) -> list[Term]:
        """Applications that it is known to be equal to."""
        known = self.parts.get(term, ()) if self.parts else ()
        return [applied for number, applied in known if number < self.number][-MOST_PARTS:]

    def _end(self, value: V) -> End:
        value = seen(value)
        if isinstance(value, int):
            return value
        number = self.numbers.get(value)
        if number is None:
            number = self.numbers[value] = len(self.terms)
            self.terms.append(value)
        return (number,)

    def alone(self) -> set[Term]:
        """Of the terms looked at."""
        tops = [self.terms[end[0]] for end in self.ends if isinstance(end, tuple)]
        for term, applied in self.given:
            tops += [term, *(arg for arg in map(seen, applied.args) if isinstance(arg, Term))]

        def is_unknown(term: Term) -> bool:
            return self.numbers[term] not in self.opened

        def parts(term: Term) -> list[Term]:
            args = [] if is_unknown(term) else map(seen, term.args)
            return [arg for arg in args if isinstance(arg, Term)]

        return alone(self.terms, tops, parts, is_unknown)

    def made(self) -> General:
        """What was looked at, as an equation."""
        one, two = self.ends
        return General(self.sort, self.terms, self.opened, self.given, (one, two), (one, two, *self.shape))


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
        for term, applied in self.whole.given:
            known = intern(applied.op, self._arguments(applied), applied.payload, applied.sort)
            self.given.append(intern(Op.EQ, (self.done[term], known), 1, BOOL))
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
        args = self._arguments(term)
        if term.op is not Op.BITS_FROM_FP:
            return intern(term.op, args, term.payload, term.sort)
        assert isinstance(args[0], Term) and isinstance(args[0].sort, Float)
        bits = variable(f"?{number} bits of {args[0].sort!r}", BitVec(args[0].sort.width))
        read = intern(Op.FP_FROM_BITS, (bits,), None, args[0].sort)
        self.given.append(intern(Op.EQ, (read, args[0]), 1, BOOL))
        return bits

    def _arguments(self, term: Term) -> tuple[V, ...]:
        return tuple(value if isinstance(value := seen(arg), int) else self.done[value] for arg in term.args)
