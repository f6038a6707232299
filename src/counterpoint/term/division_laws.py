"""What holds of every quotient and remainder, as formulas: a solver that divides bit by bit finds hardly any of it.

Each law is valid: true for all values of its unknowns, a divisor of 0 included (SMT-LIB's meaning,
term/division.py), so that it may be asserted beside any formula. Only laws without products are made of divisions
by unknowns; of constants solvers know these. That quotient, divisor and remainder make up the number takes a
product: it is said where the product is there anyway, and where a number is divided by an unknown both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

MEANT: Final = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM, Op.MUL})
"""Operations of which there may be something to say."""

_Pair = tuple[V, V]


@dataclass(slots=True)
class DivisionLaws:
    """Laws of terms as they come, each once."""

    _quotients: dict[_Pair, Term] = field(default_factory=dict)
    _remainders: dict[_Pair, Term] = field(default_factory=dict)
    _products: dict[_Pair, Term] = field(default_factory=dict)
    _whole: set[_Pair] = field(default_factory=set)

    def of(self, terms: Iterable[Term]) -> list[Term]:
        """The laws of new terms, none of which was given before; operations that are not MEANT have none."""
        return [law for term in terms for law in self._laws(term) if isinstance(law, Term)]

    def _laws(self, term: Term) -> Iterator[V]:
        match term.op:
            case Op.UDIV:
                self._quotients[term.args[0], term.args[1]] = term
                yield from _of_quotient(term)
                yield from self._made_up(term.args[0], term.args[1])
            case Op.UREM:
                self._remainders[term.args[0], term.args[1]] = term
                yield from _of_remainder(term)
                yield from self._made_up(term.args[0], term.args[1])
            case Op.SDIV:
                yield from _of_signed_quotient(term)
            case Op.SREM:
                yield from _of_signed_remainder(term)
            case Op.MUL:
                for quotient, divisor in (term.args, term.args[::-1]):
                    if isinstance(quotient, Term) and quotient.op is Op.UDIV and quotient.args[1] == divisor:
                        number = quotient.args[0]
                        self._products[number, divisor] = term
                        yield build.ule(term, number, _width(term))
                        yield from self._made_up(number, divisor)

    def _made_up(self, number: V, divisor: V) -> Iterator[V]:
        """number == quotient * divisor + remainder, once they are there."""
        pair = (number, divisor)
        quotient, remainder = self._quotients.get(pair), self._remainders.get(pair)
        known = pair in self._products or isinstance(divisor, Term)
        if quotient is not None and remainder is not None and known and pair not in self._whole:
            self._whole.add(pair)
            width = _width(quotient)
            multiple = build.mul(quotient, divisor, width)
            yield build.eq(build.add(multiple, remainder, width), number, width)


def division_laws(formulas: Iterable[V]) -> list[Term]:
    """The laws of all that is divided in the formulas."""
    return DivisionLaws().of(term for term in reachable(formulas) if term.op in MEANT)


def _width(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.width


def _of_quotient(quotient: Term) -> Iterator[V]:
    (number, divisor), width = quotient.args, _width(quotient)
    if isinstance(divisor, int):
        return
    divides = build.ne(divisor, 0, width)
    yield build.implies(divides, build.ule(quotient, number, width))
    yield build.implies(divides, build.iff(build.ult(number, divisor, width), build.eq(quotient, 0, width)))
    if width > 1:
        lessens = build.and_(build.ult(1, divisor, width), build.ne(number, 0, width))
        yield build.implies(lessens, build.ult(quotient, number, width))


def _of_remainder(remainder: Term) -> Iterator[V]:
    (number, divisor), width = remainder.args, _width(remainder)
    if isinstance(divisor, int):
        return
    yield build.implies(build.ne(divisor, 0, width), build.ult(remainder, divisor, width))
    yield build.ule(remainder, number, width)
    yield build.implies(build.ult(number, divisor, width), build.eq(remainder, number, width))


def _of_signed_quotient(quotient: Term) -> Iterator[V]:
    (number, divisor), width = quotient.args, _width(quotient)
    if isinstance(divisor, int):
        return
    positive = build.slt(0, divisor, width)
    yield build.implies(build.and_(positive, build.sle(0, number, width)), _between(0, quotient, number, width))
    yield build.implies(build.and_(positive, build.sle(number, 0, width)), _between(number, quotient, 0, width))


def _of_signed_remainder(remainder: Term) -> Iterator[V]:
    (number, divisor), width = remainder.args, _width(remainder)
    if isinstance(divisor, int):
        return
    yield build.implies(build.sle(0, number, width), _between(0, remainder, number, width))
    yield build.implies(build.sle(number, 0, width), _between(number, remainder, 0, width))
    opposite, turned = build.neg(divisor, width), build.neg(remainder, width)
    smaller = build.and_(build.slt(opposite, remainder, width), build.slt(remainder, divisor, width))
    yield build.implies(build.slt(0, divisor, width), smaller)
    larger = build.and_(build.slt(divisor, remainder, width), build.slt(divisor, turned, width))
    yield build.implies(build.slt(divisor, 0, width), larger)


def _between(low: V, value: V, high: V, width: int) -> V:
    return build.and_(build.sle(low, value, width), build.sle(value, high, width))
