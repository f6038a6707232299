"""What holds of every quotient and remainder, as formulas: a solver that divides bit by bit finds hardly any of it.

Each law is valid: true for all values of its unknowns, a divisor of 0 included (SMT-LIB's meaning,
term/division.py), so that it may be asserted beside any formula. Only laws without products are made of divisions
by unknowns; of constants solvers know these. That quotient, divisor and remainder make up the number takes a
product: it is said where the product is there anyway, and where a number is divided by an unknown both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

MEANT: Final = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM, Op.MUL})
"""Operations of which there may be something to say."""

_SIGNED: Final = frozenset({Op.SDIV, Op.SREM})

_Key = tuple[bool, V, V]
"""Signed or not, a number, and what it is divided by."""


@dataclass(slots=True)
class DivisionLaws:
    """Laws of terms as they come, each once."""

    _quotients: dict[_Key, Term] = field(default_factory=dict)
    _remainders: dict[_Key, Term] = field(default_factory=dict)
    _products: set[_Key] = field(default_factory=set)
    _whole: set[_Key] = field(default_factory=set)

    def of(self, terms: Iterable[Term]) -> list[Term]:
        """The laws of new terms, none of which was given before; operations that are not MEANT have none."""
        return [law for term in terms for law in self._laws(term) if isinstance(law, Term)]

    def _laws(self, term: Term) -> Iterator[V]:
        if term.op is Op.MUL:
            for quotient, divisor in (term.args, term.args[::-1]):
                is_multiple = isinstance(quotient, Term) and quotient.op in (Op.UDIV, Op.SDIV)
                if is_multiple and isinstance(quotient, Term) and quotient.args[1] == divisor:
                    key = _key(quotient)
                    self._products.add(key)
                    if quotient.op is Op.UDIV:
                        yield build.ule(term, quotient.args[0], _width(term))
                    yield from self._made_up(key)
        elif term.op in _OF_ONE:
            divided = self._quotients if term.op in (Op.UDIV, Op.SDIV) else self._remainders
            divided[_key(term)] = term
            if isinstance(term.args[1], Term):
                yield from _OF_ONE[term.op](term)
            yield from self._made_up(_key(term))

    def _made_up(self, key: _Key) -> Iterator[V]:
        """number == quotient * divisor + remainder, once they are there."""
        quotient, remainder = self._quotients.get(key), self._remainders.get(key)
        known = key in self._products or isinstance(key[2], Term)
        if quotient is not None and remainder is not None and known and key not in self._whole:
            self._whole.add(key)
            width = _width(quotient)
            multiple = build.mul(quotient, key[2], width)
            yield build.eq(build.add(multiple, remainder, width), key[1], width)


def division_laws(formulas: Iterable[V]) -> list[Term]:
    """The laws of all that is divided in the formulas."""
    return DivisionLaws().of(term for term in reachable(formulas) if term.op in MEANT)


def _key(division: Term) -> _Key:
    number, divisor = division.args
    return division.op in _SIGNED, number, divisor


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _of_quotient(quotient: Term) -> Iterator[V]:
    (number, divisor), width = quotient.args, _width(quotient)
    divides = build.ne(divisor, 0, width)
    yield build.implies(divides, build.ule(quotient, number, width))
    yield build.implies(divides, build.iff(build.ult(number, divisor, width), build.eq(quotient, 0, width)))
    if width > 1:
        lessens = build.and_(build.ult(1, divisor, width), build.ne(number, 0, width))
        yield build.implies(lessens, build.ult(quotient, number, width))


def _of_remainder(remainder: Term) -> Iterator[V]:
    (number, divisor), width = remainder.args, _width(remainder)
    yield build.implies(build.ne(divisor, 0, width), build.ult(remainder, divisor, width))
    yield build.ule(remainder, number, width)
    yield build.implies(build.ult(number, divisor, width), build.eq(remainder, number, width))


def _of_signed_quotient(quotient: Term) -> Iterator[V]:
    (number, divisor), width = quotient.args, _width(quotient)
    positive = build.slt(0, divisor, width)
    yield build.implies(build.and_(positive, build.sle(0, number, width)), _between(0, quotient, number, width))
    yield build.implies(build.and_(positive, build.sle(number, 0, width)), _between(number, quotient, 0, width))


def _of_signed_remainder(remainder: Term) -> Iterator[V]:
    (number, divisor), width = remainder.args, _width(remainder)
    yield build.implies(build.sle(0, number, width), _between(0, remainder, number, width))
    yield build.implies(build.sle(number, 0, width), _between(number, remainder, 0, width))
    opposite, turned = build.neg(divisor, width), build.neg(remainder, width)
    smaller = build.and_(build.slt(opposite, remainder, width), build.slt(remainder, divisor, width))
    yield build.implies(build.slt(0, divisor, width), smaller)
    larger = build.and_(build.slt(divisor, remainder, width), build.slt(divisor, turned, width))
    yield build.implies(build.slt(divisor, 0, width), larger)


def _between(low: V, value: V, high: V, width: int) -> V:
    return build.and_(build.sle(low, value, width), build.sle(value, high, width))


_OF_ONE: Final[dict[Op, Callable[[Term], Iterator[V]]]] = {
    Op.UDIV: _of_quotient,
    Op.UREM: _of_remainder,
    Op.SDIV: _of_signed_quotient,
    Op.SREM: _of_signed_remainder,
}
"""The laws of one division by an unknown."""
