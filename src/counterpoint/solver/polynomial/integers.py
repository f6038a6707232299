"""What follows from equations modulo 2^w where the integers that they are about surely fit.

Bounds come from the whole conjunction (intervals.py), so these are equations beside it, never in the place of one of
its formulas: each holds in every model.

- A power of two common to all coefficients is left out of an equation: 4x = 4y says x = y where x - y has fewer bits.
- The extension of a sum that cannot overflow is the sum of the extensions; of a number whose division by a power of
  two is exact, that power times the quotient's.
- An equation between extensions is one of the numbers that are extended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from counterpoint.solver.polynomial.case import equation_of
from counterpoint.solver.polynomial.forms import NormalForms, width_of
from counterpoint.solver.polynomial.ideal import Rule, reduced, rule
from counterpoint.solver.polynomial.intervals import VIEWS, Contradiction, Intervals, extremes, times
from counterpoint.solver.polynomial.ranges import Range, atom_range
from counterpoint.solver.polynomial.reduction import exact_quotients
from counterpoint.solver.polynomial.ring import (
    Monomial,
    OutOfSteps,
    Polynomial,
    Steps,
    TooLarge,
    add_scaled,
    multiply,
    of_constant,
    power_of_two,
    to_equation,
)
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

Exact = Mapping[Term, Sequence[tuple[int, int, Term]]]
"""For numbers x: (k, c, q) where q is x divided by 2^k, and surely x = 2^k q + c, as integers."""

STEPS: Final = 60_000
"""At most, as far as this goes: what it finds is rarely needed."""


def consequences(formulas: Sequence[V], steps: Steps) -> list[V]:
    """Equations that hold wherever all the formulas hold; [0] if these have no model. Raises OutOfSteps."""
    forms = NormalForms(formulas, steps)
    equations = [p for f in formulas if (p := equation_of(f, forms)) is not None and p.width > 1 and p.terms]
    extended = [t for t in reachable(formulas) if t.op is Op.ZEXT or t.op is Op.SEXT] if forms.shifted else []
    if not extended and not any(map(_content, equations)):
        return []
    mine = Steps(min(STEPS, steps.left))
    before = mine.left
    try:
        quotients = exact_quotients(formulas, forms, mine)
        said = list(_said(quotients, forms))
        intervals = Intervals([*formulas, *map(to_equation, said)], mine)
        found = [p for term in extended for p in _extension(term, forms, intervals, quotients, mine) if p.terms]
        rules: dict[int, list[Rule]] = {}
        for polynomial in [*found, *said]:
            rules.setdefault(polynomial.width, []).append(rule(polynomial))
        fewer = [reduced(equation, rules.get(equation.width, ()), mine) for equation in equations]
        small = [p for equation in fewer if equation.terms for p in _cancelled(equation, intervals)]
        found += [*small, *(p for equation in [*equations, *small] for p in _low(equation, forms))]
        known: dict[int, list[Rule]] = {}
        for equation in equations:
            known.setdefault(equation.width, []).append(rule(equation))
        found = [p for p in found if reduced(p, known.get(p.width, ()), mine).terms]
    except Contradiction:
        return [0]
    except OutOfSteps:
        return []
    finally:
        steps.spend(before - max(mine.left, 0))
    return [formula for formula in dict.fromkeys(map(to_equation, found)) if formula != 1]


def _said(quotients: Exact, forms: NormalForms) -> Iterator[Polynomial]:
    """x - c - 2^k q = 0: bounds of the one are bounds of the other."""
    for whole, parts in quotients.items():
        width = width_of(whole)
        for power, rest, quotient in parts:
            value = add_scaled(of_constant(rest, width), forms.form(quotient, width), 1 << power)
            yield add_scaled(forms.form(whole, width), value, -1)


def _content(polynomial: Polynomial) -> int:
    """How often 2 divides all coefficients."""
    return min(map(power_of_two, polynomial.terms.values()))


def _centred(coefficient: int, width: int) -> int:
    return coefficient - (1 << width) if coefficient >> (width - 1) else coefficient


def _range(terms: Mapping[Monomial, int], intervals: Intervals, width: int, signed: bool) -> Range:
    """What the sum, of integers, can be."""
    low = high = 0
    for monomial, coefficient in terms.items():
        ends: Range = (1, 1)
        for atom in dict.fromkeys(monomial):
            here = intervals.of(atom, width, signed), atom_range(atom, signed)
            one = max(a for a, _ in here), min(b for _, b in here)
            power: Range = (1, 1)
            for _ in range(monomial.count(atom)):
                power = times(power, one)
            ends = times(ends, (max(power[0], 0), power[1]) if monomial.count(atom) % 2 == 0 else power)
        ends = times(ends, (coefficient, coefficient))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _cancelled(equation: Polynomial, intervals: Intervals) -> Iterator[Polynomial]:
    """2^k g = 0 modulo 2^w says g = 0 modulo 2^(w-k): as an integer, where g is surely that small."""
    width, power = equation.width, _content(equation)
    parts = {monomial: _centred(c, width) >> power for monomial, c in equation.terms.items()}
    limit = 1 << (width - power)
    ranges = [_range(parts, intervals, width, signed) for signed in VIEWS] if power else []
    if any(-limit < low and high < limit for low, high in ranges):
        yield _as_polynomial(parts, width)


def _as_polynomial(parts: Mapping[Monomial, int], width: int) -> Polynomial:
    mask = (1 << width) - 1
    return Polynomial(width, {monomial: c & mask for monomial, c in parts.items() if c & mask})


def _low(equation: Polynomial, forms: NormalForms) -> Iterator[Polynomial]:
    """Of an equation between products of extensions, what it says of the numbers that are extended, in the width of
    the widest."""
    widths = [atom.payload if atom.op is Op.ZEXT or atom.op is Op.SEXT else None for atom in equation.atoms()]
    narrow = [width for width in widths if isinstance(width, int)]
    if len(narrow) == len(widths) and any(len(monomial) > 1 for monomial in equation.terms):
        yield forms.low_bits(equation, max(narrow))


def _extension(
    term: Term, forms: NormalForms, intervals: Intervals, exact: Exact, steps: Steps
) -> Iterator[Polynomial]:
    """What the extension is, by the extensions of parts; equations in its width."""
    width, narrow, inner = width_of(term), term.payload, term.args[0]
    if not isinstance(inner, Term) or not isinstance(narrow, int):
        return
    signed = term.op is Op.SEXT
    extend = build.sext if signed else build.zext
    whole = forms.form(term, width)
    for power, rest, quotient in exact.get(inner, ()):
        if (quotient.op is Op.SDIV) is signed or intervals.of(inner, narrow, True)[0] >= 0:
            part = forms.form(extend(quotient, narrow, width), width)
            yield add_scaled(add_scaled(whole, part, -(1 << power)), of_constant(rest, width), -1)
    sum_ = forms.form(inner, narrow)
    parts = {monomial: _centred(c, narrow) for monomial, c in sum_.terms.items()}
    if len(parts) < 2 and sum(map(len, parts)) < 2:
        return
    low, high = _range(parts, intervals, narrow, signed)
    least, greatest = extremes(narrow, signed)
    if not least <= low <= high <= greatest:
        return
    total = whole
    for monomial, coefficient in parts.items():
        value = of_constant(coefficient, width)
        try:
            for atom in monomial:
                value = multiply(value, forms.form(extend(atom, narrow, width), width), steps)
        except TooLarge:
            return
        total = add_scaled(total, value, -1)
    yield total
