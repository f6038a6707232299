"""Polynomials over Z/2^w in Terms that arithmetic does not look into (atoms), and their canonical Terms.

A monomial is the tuple of its atoms, oldest first, one entry per power; () is the constant. Equal polynomials
are equal functions; the converse does not hold (128*x*(x+1) is 0 modulo 2^8), which costs completeness only. It
does hold for single bits, whose powers are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

Monomial: TypeAlias = tuple[Term, ...]

MOST_MONOMIALS: Final = 2_000
MOST_DEGREE: Final = 32


class TooLarge(CounterpointError):
    """A product has more than MOST_MONOMIALS monomials or a degree above MOST_DEGREE."""


class OutOfSteps(CounterpointError):
    """The steps of a `Steps` are spent."""


class Steps:
    """How much work may still be done: one step is one node looked at or one monomial computed."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int = 1) -> None:
        """Raises OutOfSteps when fewer than `count` were left."""
        self.left -= count
        if self.left < 0:
            raise OutOfSteps("the steps of the polynomial simplification are spent")


@dataclass(frozen=True, slots=True)
class Polynomial:
    """The sum of coefficient * monomial modulo 2^width. Coefficients are in 1 .. 2^width - 1."""

    width: int
    terms: Mapping[Monomial, int]

    def is_zero(self) -> bool:
        """Whether it is the zero polynomial."""
        return not self.terms

    def constant(self) -> int | None:
        """Its value if it is constant."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def atoms(self) -> Iterator[Term]:
        """The atoms, each once, in order of first occurrence."""
        return iter(dict.fromkeys(atom for monomial in self.terms for atom in monomial))

    def leading(self) -> Monomial:
        """The largest monomial: by degree, then by older atoms. The polynomial must not be zero."""
        return max(self.terms, key=order)


def order(monomial: Monomial) -> tuple[int, ...]:
    """The key of the graded lexicographic order in which older atoms are larger."""
    return len(monomial), *(-atom.index for atom in monomial)


def of_constant(value: int, width: int) -> Polynomial:
    """The constant `value` modulo 2^width."""
    value &= (1 << width) - 1
    return Polynomial(width, {(): value} if value else {})


def of_atom(atom: Term) -> Polynomial:
    """The polynomial that is one bit-vector term."""
    assert isinstance(atom.sort, BitVec)
    return Polynomial(atom.sort.width, {(atom,): 1})


def add_scaled(p: Polynomial, q: Polynomial, factor: int, times: Monomial = ()) -> Polynomial:
    """p + factor * times * q."""
    mask = (1 << p.width) - 1
    terms = dict(p.terms)
    for monomial, coefficient in q.terms.items():
        key = product(monomial, times) if p.width > 1 else once(product(monomial, times))
        total = terms.get(key, 0) + factor * coefficient & mask
        if total:
            terms[key] = total
        else:
            terms.pop(key, None)
    return Polynomial(p.width, terms)


def scaled(p: Polynomial, factor: int) -> Polynomial:
    """factor * p."""
    return add_scaled(Polynomial(p.width, {}), p, factor)


def product(m: Monomial, n: Monomial) -> Monomial:
    """m * n."""
    if not n:
        return m
    return tuple(sorted(m + n, key=lambda atom: atom.index)) if m else n


def once(monomial: Monomial) -> Monomial:
    """The same product of single bits: a bit is its own square."""
    return tuple(dict.fromkeys(monomial))


def multiply(p: Polynomial, q: Polynomial, steps: Steps) -> Polynomial:
    """p * q. Raises TooLarge, OutOfSteps."""
    mask = (1 << p.width) - 1
    terms: dict[Monomial, int] = {}
    if p.terms and q.terms and max(map(len, p.terms)) + max(map(len, q.terms)) > MOST_DEGREE:
        raise TooLarge(f"a polynomial of degree above {MOST_DEGREE}")
    for left, a in p.terms.items():
        steps.spend(len(q.terms))
        for right, b in q.terms.items():
            key = product(left, right) if p.width > 1 else once(product(left, right))
            terms[key] = terms.get(key, 0) + a * b & mask
        if len(terms) > MOST_MONOMIALS:
            raise TooLarge(f"a polynomial of more than {MOST_MONOMIALS} monomials")
    return Polynomial(p.width, {monomial: c for monomial, c in terms.items() if c})


def to_term(p: Polynomial) -> V:
    """The canonical term (or int) of a polynomial: equal polynomials give the identical one."""
    positive, negative = _halves(p)
    return build.sub(positive, negative, p.width)


def to_equation(p: Polynomial) -> V:
    """The canonical formula for p = 0; p and -p give the identical one."""
    constant = p.constant()
    if constant is not None:
        return 0 if constant else 1
    powers = [power_of_two(c) for monomial, c in p.terms.items() if monomial]
    if power_of_two(p.terms.get((), 0) or 1 << p.width) < min(powers):
        return 0
    lead = p.terms[p.leading()]
    if lead & 1:
        p = scaled(p, inverse(lead, p.width)) if len(powers) == 1 else p
        lead = p.terms[p.leading()]
    if lead >> (p.width - 1):
        p = scaled(p, -1)
    positive, negative = _halves(p)
    return build.eq(positive, negative, p.width)


def power_of_two(coefficient: int) -> int:
    """How often 2 divides `coefficient`, which must not be 0."""
    return (coefficient & -coefficient).bit_length() - 1


def inverse(odd: int, width: int) -> int:
    """1 / odd modulo 2^width."""
    return pow(odd, -1, 1 << width)


def _halves(p: Polynomial) -> tuple[V, V]:
    """The sums of the monomials with coefficients below 2^(width-1), and of the others negated."""
    half = 1 << (p.width - 1)
    ordered = sorted(p.terms, key=order, reverse=True)
    positive = [(monomial, p.terms[monomial]) for monomial in ordered if p.terms[monomial] < half]
    negative = [(monomial, (1 << p.width) - p.terms[monomial]) for monomial in ordered if p.terms[monomial] >= half]
    return _sum(positive, p.width), _sum(negative, p.width)


def _sum(parts: Iterable[tuple[Monomial, int]], width: int) -> V:
    total: V = 0
    for monomial, coefficient in parts:
        value: V = 1
        for atom in monomial:
            value = build.mul(value, atom, width)
        total = build.add(total, build.mul(value, coefficient, width), width)
    return total
