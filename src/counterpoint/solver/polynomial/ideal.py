"""Equations as rewrite rules: reduction modulo polynomials that are 0, and a bounded completion of them.

Z/2^w is a chain ring: of two coefficients that are powers of 2 one divides the other, so strong reduction
and S-polynomials work as over a field once leading coefficients are powers of 2 (Norton and Salagean,
"Strong Groebner bases for polynomials over a principal ideal ring", 2001). All that is derived is a
combination of the given equations, so whatever bound stops the completion, reductions stay exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.solver.polynomial.ring import (
    Monomial,
    Polynomial,
    Steps,
    add_scaled,
    inverse,
    order,
    power_of_two,
    scaled,
)

MOST_RULES: Final = 48
MOST_PAIRS: Final = 300
MOST_LEADING_DEGREE: Final = 8


@dataclass(frozen=True, slots=True)
class Rule:
    """2^power * leading = -(the rest of `polynomial`), for a polynomial that is 0."""

    polynomial: Polynomial
    leading: Monomial
    power: int


def rule(polynomial: Polynomial) -> Rule:
    """A polynomial that is 0 and not the zero polynomial, scaled by a unit to a leading power of 2."""
    leading = polynomial.leading()
    coefficient = polynomial.terms[leading]
    power = power_of_two(coefficient)
    return Rule(scaled(polynomial, inverse(coefficient >> power, polynomial.width)), leading, power)


def quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """monomial / divisor, or None if it is no monomial."""
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def reduced(polynomial: Polynomial, rules: Iterable[Rule], steps: Steps) -> Polynomial:
    """A polynomial with the same value wherever the rules hold, irreducible by them. Raises OutOfSteps."""
    rules = list(rules)
    if not rules:
        return polynomial
    rest = polynomial
    done: dict[Monomial, int] = {}
    while rest.terms:
        leading = rest.leading()
        coefficient = rest.terms[leading]
        for found in rules:
            times = quotient(leading, found.leading) if coefficient >> found.power else None
            if times is not None:
                steps.spend(len(found.polynomial.terms) + len(rest.terms))
                rest = add_scaled(rest, found.polynomial, -(coefficient >> found.power), times)
                coefficient &= (1 << found.power) - 1
                if not coefficient:
                    break
        if coefficient:
            done[leading] = coefficient
            terms = dict(rest.terms)
            del terms[leading]
            rest = Polynomial(rest.width, terms)
        steps.spend(len(rules) + len(rest.terms))
    return Polynomial(polynomial.width, done)


def interreduced(polynomials: Iterable[Polynomial], steps: Steps) -> list[Polynomial]:
    """Polynomials of one width with the same common zeros, each irreducible by the others' leading monomials."""
    pending = sorted((p for p in polynomials if p.terms), key=_size, reverse=True)
    rules: list[Rule] = []
    while pending:
        new = reduced(pending.pop(), rules, steps)
        if not new.terms:
            continue
        added = rule(new)
        kept: list[Rule] = []
        for old in rules:
            touched = any(
                c >> added.power and quotient(m, added.leading) is not None for m, c in old.polynomial.terms.items()
            )
            if touched:
                pending.append(old.polynomial)
            else:
                kept.append(old)
        rules = [*kept, added]
    return [found.polynomial for found in rules]


def completed(polynomials: Iterable[Polynomial], steps: Steps) -> list[Rule]:
    """Rules for polynomials of one width that are 0: these, and what follows by S-polynomials within the bounds."""
    rules: list[Rule] = []
    pairs: list[tuple[int, int, int]] = []

    def include(polynomial: Polynomial) -> None:
        added = rule(polynomial)
        rules.append(added)
        for i, other in enumerate(rules):
            degree = len(added.leading) + len(quotient_part(other.leading, added.leading))
            if degree <= MOST_LEADING_DEGREE and not _is_idle(other, added, degree):
                heappush(pairs, (degree, i, len(rules) - 1))
        steps.spend(len(rules))

    for polynomial in interreduced(polynomials, steps):
        include(polynomial)
    for _ in range(MOST_PAIRS):
        if not pairs or len(rules) >= MOST_RULES:
            break
        _, i, j = heappop(pairs)
        new = reduced(_s_polynomial(rules[i], rules[j]), rules, steps)
        if new.terms:
            include(new)
    return rules


def _size(polynomial: Polynomial) -> tuple[object, ...]:
    return len(polynomial.terms), order(polynomial.leading())


def quotient_part(monomial: Monomial, divisor: Monomial) -> Monomial:
    """What is in `monomial` beyond its common factor with `divisor`."""
    rest = list(monomial)
    for atom in divisor:
        if atom in rest:
            rest.remove(atom)
    return tuple(rest)


def _is_idle(first: Rule, second: Rule, degree: int) -> bool:
    """Whether the S-polynomial surely reduces to 0: leading coefficients 1 without a common atom.

    `degree` is that of the least common multiple of the leading monomials.
    """
    if first is second:
        return first.power == 0
    return first.power == 0 and second.power == 0 and degree == len(first.leading) + len(second.leading)


def _s_polynomial(first: Rule, second: Rule) -> Polynomial:
    """The combination in which the leading monomials cancel; of a rule with itself, 2^(w-power) times it."""
    width = first.polynomial.width
    if first is second:
        return scaled(first.polynomial, 1 << (width - first.power))
    power = max(first.power, second.power)
    times_first = quotient_part(second.leading, first.leading)
    times_second = quotient_part(first.leading, second.leading)
    left = add_scaled(Polynomial(width, {}), first.polynomial, 1 << (power - first.power), times_first)
    return add_scaled(left, second.polynomial, -(1 << (power - second.power)), times_second)
