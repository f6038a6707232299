"""Terms as polynomials over what they cannot be taken apart into, and the cases that choices make of them.

All arithmetic is that of integers of one width: a wider term counts by its low bits, which sums and products respect.
A narrower one is an unknown of its own; `optimistic`, it is taken for an integer without overflow instead, which is a
guess.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.invariants.nullspace import PRIME
from counterpoint.logic.intervals import Evaluation
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V

Monomial: TypeAlias = tuple[Term, ...]
"""A product of unknowns, by their indices; the empty one is 1."""

Polynomial: TypeAlias = Mapping[Monomial, int]
"""Coefficients modulo PRIME, none of them 0."""

MAX_CASES = 48
"""Cases of one way that are told apart: all of them, or so many by chance."""

MAX_MONOMIALS = 60
"""Monomials of one polynomial; what has more is an unknown."""

MAX_DEPTH = 150
"""Nodes on top of one another that are looked through."""


class Undecided(Exception):
    """A choice depends on this condition."""

    def __init__(self, condition: Term) -> None:
        self.condition = condition


@dataclass(slots=True)
class Reading:
    """Terms as polynomials of at most `degree` in `width` bits, where the conditions are as in `known`."""

    width: int
    degree: int
    optimistic: bool
    known: dict[Term, bool] = field(default_factory=dict)
    _done: dict[Term, Polynomial] = field(default_factory=dict)

    def of(self, value: V, depth: int = 0) -> Polynomial:
        """The value's low bits. Raises Undecided."""
        if isinstance(value, int):
            return constant(value, self.width)
        found = self._done.get(value)
        if found is None:
            made = self._of(value, depth) if depth < MAX_DEPTH else None
            found = self._done[value] = made if made is not None and self._fits(made) else {(value,): 1}
        return found

    def _fits(self, made: Polynomial) -> bool:
        return len(made) <= MAX_MONOMIALS and all(len(product) <= self.degree for product in made)

    def _of(self, term: Term, depth: int) -> Polynomial | None:
        """None: it is an unknown."""
        args, below = term.args, depth + 1
        match term.op:
            case Op.ITE:
                condition = args[0]
                assert isinstance(condition, Term)
                return self.of(args[1] if self.holds(condition) else args[2], below)
            case Op.OWNED:
                return self.of(args[0], below)
            case Op.ADD:
                return added(self.of(args[0], below), self.of(args[1], below), 1)
            case Op.SUB:
                return added(self.of(args[0], below), self.of(args[1], below), -1)
            case Op.NEG:
                return added({}, self.of(args[0], below), -1)
            case Op.BVNOT:
                return added({(): PRIME - 1}, self.of(args[0], below), -1)
            case Op.MUL:
                return multiplied(self.of(args[0], below), self.of(args[1], below))
            case Op.SHL if isinstance(args[1], int) and args[1] < 64:
                return multiplied(self.of(args[0], below), {(): 1 << args[1]})
            case Op.EXTRACT if term.payload == 0:
                return self._part(term, args[0], below)
            case Op.ZEXT | Op.SEXT:
                return self._extended(term, below)
            case Op.CONCAT:
                low = term.payload
                assert isinstance(low, int)
                return self.of(args[1], below) if low >= self.width else None
        return None

    def _part(self, term: Term, whole: V, depth: int) -> Polynomial | None:
        assert isinstance(term.sort, BitVec)
        return self.of(whole, depth) if term.sort.width >= self.width or self.optimistic else None

    def _extended(self, term: Term, depth: int) -> Polynomial | None:
        narrow = term.payload
        assert isinstance(narrow, int)
        return self.of(term.args[0], depth) if narrow >= self.width or (self.optimistic and narrow > 1) else None

    def holds(self, condition: Term) -> bool:
        """Whether it does in this case. Raises Undecided."""
        if condition.op is Op.NOT and isinstance(condition.args[0], Term):
            return not self.holds(condition.args[0])
        found = self.known.get(condition)
        if found is None and condition.op is Op.AND:
            known = [self._known(arg) for arg in condition.args if isinstance(arg, Term)]
            found = False if False in known else None if None in known else True
        if found is None:
            raise Undecided(condition)
        return found

    def tried(self, value: V) -> Polynomial | None:
        """`of`; None if it depends on a condition that is not known."""
        try:
            return self.of(value)
        except Undecided:
            return None

    def _known(self, condition: Term) -> bool | None:
        try:
            return self.holds(condition)
        except Undecided:
            return None

    def equations(self) -> Iterator[Polynomial]:
        """Polynomials that are 0 in this case, as its conditions say. Raises Undecided."""
        for condition, holds in self.known.items():
            if holds and condition.op is Op.EQ and self._respects(condition.payload):
                yield added(self.of(condition.args[0]), self.of(condition.args[1]), -1)

    def _respects(self, width: object) -> bool:
        """An equation of so many bits is one of integers, as far as is looked at."""
        return isinstance(width, int) and (width >= self.width or (self.optimistic and width > 1))


def assumed(formula: V, holds: bool = True) -> dict[Term, bool]:
    """The conditions that a true (or false) one settles."""
    found: dict[Term, bool] = {}
    stack = [(formula, holds)]
    while stack:
        condition, value = stack.pop()
        if isinstance(condition, int):
            continue
        if condition.op is Op.NOT:
            stack.append((condition.args[0], not value))
            continue
        found[condition] = value
        if condition.op is Op.AND and value:
            stack += ((arg, True) for arg in condition.args)
    return found


def possible(known: dict[Term, bool]) -> bool:
    """Intervals do not exclude the conditions; adds those that the others settle."""
    for condition, holds in list(known.items()):
        if condition.op is Op.AND and not holds:
            open_ = [arg for arg in condition.args if isinstance(arg, Term) and not _settled(known, arg, True)]
            if not open_:
                return False
            if len(open_) == 1:
                known.update(assumed(open_[0], False))
    formula = build.conjunction(condition if holds else build.not_(condition) for condition, holds in known.items())
    return Evaluation({}).assume(formula)


def _settled(known: Mapping[Term, bool], condition: Term, holds: bool) -> bool:
    return all(known.get(term) is value for term, value in assumed(condition, holds).items())


Read = Callable[[Reading], object]
"""Something that is done with a reading; it may raise Undecided."""


def cases(width: int, degree: int, optimistic: bool, formula: V, read: Read) -> Iterator[Reading]:
    """A reading for each combination of conditions that `read` asks for, where `formula` holds."""
    choose = random.Random(0)
    waiting = [assumed(formula)]
    made = 0
    while waiting and made < MAX_CASES:
        known = waiting.pop(choose.randrange(len(waiting)) if len(waiting) > MAX_CASES // 4 else -1)
        if not possible(known):
            continue
        reading = Reading(width, degree, optimistic, known)
        try:
            read(reading)
        except Undecided as undecided:
            waiting += [{**known, **assumed(undecided.condition, value)} for value in (False, True)]
            continue
        made += 1
        yield reading


# ---------------------------------------------------------------- polynomials


def constant(value: int, width: int) -> Polynomial:
    """A number, by its sign."""
    value &= (1 << width) - 1
    signed = value - (1 << width) if value >> (width - 1) else value
    return {(): signed % PRIME} if signed % PRIME else {}


def added(a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
    """a + factor * b."""
    total = dict(a)
    for product, value in b.items():
        new = (total.get(product, 0) + factor * value) % PRIME
        if new:
            total[product] = new
        else:
            total.pop(product, None)
    return total


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    total: dict[Monomial, int] = {}
    for one, x in a.items():
        for two, y in b.items():
            product = together(one, two)
            total[product] = (total.get(product, 0) + x * y) % PRIME
    return {product: value for product, value in total.items() if value}


def together(one: Monomial, two: Monomial) -> Monomial:
    """The product of two."""
    return tuple(sorted((*one, *two), key=lambda term: term.index)) if one and two else one or two


