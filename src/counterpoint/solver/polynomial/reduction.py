"""One conjunction's equations as rules for everything else in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from counterpoint.solver.polynomial.case import Case, equation_of
from counterpoint.solver.polynomial.forms import NormalForms, positive_power, width_of
from counterpoint.solver.polynomial.ideal import Rule, completed, interreduced, reduced
from counterpoint.solver.polynomial.ring import Polynomial, Steps, add_scaled, of_constant, to_equation
from counterpoint.term.term import Op, Term, V


def reduced_case(case: Case, steps: Steps) -> Case | None:
    """The equations reduced by each other, everything else by all of them; None if they contradict each other."""
    forms = NormalForms(case.formulas, steps)
    given: dict[int, list[Polynomial]] = {}
    rest: list[V] = []
    for formula in case.formulas:
        polynomial = equation_of(formula, forms)
        if polynomial is None:
            rest.append(formula)
        else:
            given.setdefault(polynomial.width, []).append(polynomial)
    derived = _exact_quotients(case.formulas, given, forms, steps)
    rules: dict[int, list[Rule]] = {}
    equations: list[V] = []
    for width in sorted(given.keys() | derived.keys()):
        kept = interreduced(given.get(width, ()), steps)
        equations.extend(to_equation(polynomial) for polynomial in kept)
        rules[width] = completed([*kept, *derived.get(width, ())], steps)
        if any(to_equation(found.polynomial) == 0 for found in rules[width]):
            return None
    reducing = NormalForms(case.formulas, steps, lambda p: reduced(p, rules.get(p.width, ()), steps))
    found_rest = [reducing.value(formula) for formula in rest]
    return Case((*equations, *found_rest), case.definitions)


def _exact_quotients(
    formulas: Sequence[V], given: dict[int, list[Polynomial]], forms: NormalForms, steps: Steps
) -> dict[int, list[Polynomial]]:
    """x - c - 2^k * (x divided by 2^k) = 0, where the low k bits of x are known to be c (0, for SDIV)."""
    derived: dict[int, list[Polynomial]] = {}
    for whole, low, bits, quotient in _exact(formulas, given, forms, steps):
        width = width_of(whole)
        rest = add_scaled(forms.form(whole, width), of_constant(bits, width), -1)
        derived.setdefault(width, []).append(add_scaled(rest, forms.form(quotient, width), -(1 << low)))
    return derived


def exact_quotients(formulas: Sequence[V], forms: NormalForms, steps: Steps) -> dict[Term, list[tuple[int, int, Term]]]:
    """For numbers x: (k, c, x divided by 2^k), where the low k bits of x are known to be c (0, for SDIV): then
    x = c + 2^k * (x divided by 2^k), as signed integers for SDIV, else as unsigned ones."""
    given: dict[int, list[Polynomial]] = {}
    for formula in formulas:
        if (polynomial := equation_of(formula, forms)) is not None:
            given.setdefault(polynomial.width, []).append(polynomial)
    found: dict[Term, list[tuple[int, int, Term]]] = {}
    for whole, low, bits, quotient in _exact(formulas, given, forms, steps):
        found.setdefault(whole, []).append((low, bits, quotient))
    return found


def _exact(
    formulas: Sequence[V], given: Mapping[int, list[Polynomial]], forms: NormalForms, steps: Steps
) -> Iterator[tuple[Term, int, int, Term]]:
    """(x, k, c, x divided by 2^k), where the low k bits of x are known to be c (0, for SDIV)."""
    rules: dict[int, list[Rule]] = {}
    for whole, low, quotient in forms.shifted:
        if low not in rules:
            known = [*given.get(low, ()), *_low_remainders(formulas, low, forms)]
            known += [forms.low_bits(p, low) for width in sorted(given) if width > low for p in given[width]]
            rules[low] = completed(known, steps)
        bits = reduced(forms.low_bits(forms.form(whole, width_of(whole)), low), rules[low], steps).constant()
        if bits is not None and not (bits and quotient.op is Op.SDIV):
            yield whole, low, bits, quotient


def _low_remainders(formulas: Sequence[V], low: int, forms: NormalForms) -> list[Polynomial]:
    """From `x srem 2^low = c`: the low bits of x are those of c."""
    found = []
    for formula in formulas:
        if isinstance(formula, Term) and formula.op is Op.EQ and isinstance(formula.args[1], int):
            left = formula.args[0]
            if isinstance(left, Term) and left.op is Op.SREM and positive_power(left.args[1], left) == low:
                whole = forms.form(left.args[0], width_of(left))
                found.append(add_scaled(forms.low_bits(whole, low), of_constant(formula.args[1], low), -1))
    return found
