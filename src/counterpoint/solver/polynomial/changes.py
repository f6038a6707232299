"""The steps of the simplification that keep a conjunction's models, but for variables that they define."""

from __future__ import annotations

from typing import Final

from counterpoint.solver.polynomial.case import Case, abs_literal, below_float_bits, equation_of
from counterpoint.solver.polynomial.forms import NormalForms, operand_width, width_of
from counterpoint.solver.polynomial.ring import Polynomial, Steps, add_scaled, inverse, scaled, to_equation, to_term
from counterpoint.term import build
from counterpoint.term.rebuild import rebuild
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, substitute_all, variables

LONGEST_VALUE: Final = 200
"""A variable is not eliminated for a value with more monomials."""


def flattened(case: Case, steps: Steps) -> Case | None:
    """Conjunctions as separate formulas, each once; None if one is false or two contradict each other."""
    found: dict[V, None] = {}
    for formula in case.formulas:
        for part in conjuncts(formula):
            if isinstance(part, int):
                if not part:
                    return None
            elif part.negation is not None and part.negation in found:
                return None
            else:
                found[part] = None
    return Case(tuple(found), case.definitions)


def with_facts(case: Case, steps: Steps) -> Case:
    """Each formula holds, so it is true wherever it occurs inside another one.

    A formula may be used inside formulas that it is a proper part of; that order is well-founded, so the new
    conjunction implies the old one.
    """
    facts: dict[Term, V] = {}
    opaque = below_float_bits(case.formulas)
    for formula in case.formulas:
        if isinstance(formula, Term) and abs_literal(formula) not in opaque:
            facts[abs_literal(formula)] = 0 if formula.op is Op.NOT else 1
    steps.spend(len(reachable(case.formulas)))
    heads = [abs_literal(formula) for formula in case.formulas if isinstance(formula, Term)]
    parts = iter(substitute_all([arg for head in heads for arg in head.args], facts))
    formulas: list[V] = []
    for formula, head in zip(case.formulas, heads, strict=True):
        args = [next(parts) for _ in head.args]
        changed = any(new is not old for new, old in zip(args, head.args, strict=True))
        value = rebuild(head, args) if changed else head
        formulas.append(build.not_(value) if formula is not head else value)
    return Case(tuple(formulas), case.definitions)


def unsigned(case: Case, steps: Steps) -> Case:
    """Signed division of what some formula says is not negative, by a positive constant, as unsigned division.

    The division properly contains what the formula is about, so the order is well-founded as for `with_facts`.
    """
    opaque = below_float_bits(case.formulas)
    known = {low for formula in case.formulas if (low := _not_negative(formula)) is not None}
    mapping: dict[Term, V] = {}
    for term in reachable(case.formulas) if known else ():
        if term.op in (Op.SDIV, Op.SREM) and term.args[0] in known and term not in opaque:
            width, divisor = width_of(term), term.args[1]
            if isinstance(divisor, int) and not divisor >> (width - 1):
                divide = build.udiv if term.op is Op.SDIV else build.urem
                mapping[term] = divide(term.args[0], divisor, width)
    return Case(tuple(substitute_all(case.formulas, mapping)), case.definitions) if mapping else case


def _not_negative(formula: V) -> Term | None:
    """x if the formula is c <= x, or c < x, for a constant c that is not negative, or -1 < x."""
    if not isinstance(formula, Term):
        return None
    head = abs_literal(formula)
    if head.op is not Op.SLT:
        return None
    top = operand_width(head) - 1
    bound, value = head.args if head is formula else head.args[::-1]
    if not isinstance(bound, int) or not isinstance(value, Term):
        return None
    least = bound + 1 if head is formula else bound
    return value if not least >> top or least >> (top + 1) else None


def normalised(case: Case, steps: Steps) -> Case:
    """Everything in polynomial normal form."""
    forms = NormalForms(case.formulas, steps)
    return Case(tuple(forms.value(formula) for formula in case.formulas), case.definitions)


def antisymmetric(case: Case, steps: Steps) -> Case:
    """p <= q beside q <= p as p = q; q <= p + 1 beside p < q as q = p + 1, and q - 1 <= p beside it as q - 1 = p, for
    what is above something is no least number; signed and unsigned."""
    forms = NormalForms(case.formulas, steps)
    below: dict[tuple[Op, int, V], list[V]] = {}
    above: dict[tuple[Op, int, V], list[V]] = {}
    at_most: set[tuple[Op, int, V, V]] = set()
    for formula in case.formulas:
        head = abs_literal(formula) if isinstance(formula, Term) else None
        if head is None or head.op not in (Op.SLT, Op.ULT):
            continue
        left, right = head.args
        if head is formula:
            below.setdefault((head.op, operand_width(head), right), []).append(left)
            above.setdefault((head.op, operand_width(head), left), []).append(right)
        else:
            at_most.add((head.op, operand_width(head), right, left))
    formulas: list[V] = []
    for formula in case.formulas:
        head = abs_literal(formula) if isinstance(formula, Term) else None
        if head is not None and head is not formula and head.op in (Op.SLT, Op.ULT):
            high, low = head.args
            width = operand_width(head)
            highest, lowest = forms.form(high, width), forms.form(low, width)
            steps_of_one = [(highest, forms.form(p, width)) for p in below.get((head.op, width, low), ())]
            steps_of_one += [(forms.form(q, width), lowest) for q in above.get((head.op, width, high), ())]
            equal = (head.op, width, high, low) in at_most or any(
                add_scaled(upper, lower, -1).constant() == 1 for upper, lower in steps_of_one
            )
            formulas.append(to_equation(add_scaled(highest, lowest, -1)) if equal else formula)
        else:
            formulas.append(formula)
    return Case(tuple(formulas), case.definitions)


def eliminated(case: Case, steps: Steps) -> Case:
    """Without the variables that some formula determines: one round, of definitions independent of each other."""
    forms = NormalForms(case.formulas, steps)
    blocked = below_float_bits(case.formulas)
    solved: dict[Term, V] = {}
    rest: list[V] = []
    for formula, polynomial in sorted(
        ((formula, equation_of(formula, forms)) for formula in case.formulas),
        key=lambda pair: 0 if pair[1] is None else len(pair[1].terms),
    ):
        assert isinstance(formula, Term)
        occurring = variables(formula)
        steps.spend(len(occurring))
        found = None
        if solved.keys().isdisjoint(occurring):
            found = _solve_bool(formula, blocked) if polynomial is None else _solve(polynomial, blocked)
        if found is None:
            rest.append(formula)
        else:
            solved[found[0]] = found[1]
            blocked.update(occurring)
    if not solved:
        return case
    steps.spend(len(reachable(rest)))
    definitions = tuple(reversed(solved.items()))
    return Case(tuple(substitute_all(rest, solved)), definitions + case.definitions)


def _solve(polynomial: Polynomial, blocked: set[Term]) -> tuple[Term, V] | None:
    """A variable with an odd coefficient that occurs nowhere else in the equation, and its value."""
    if len(polynomial.terms) > LONGEST_VALUE + 1:
        return None
    elsewhere = set(variables(*(atom for atom in polynomial.atoms() if atom.op is not Op.VARIABLE)))
    for monomial in polynomial.terms:
        if len(monomial) > 1:
            elsewhere.update(monomial)
    candidates = [
        m[0]
        for m, c in polynomial.terms.items()
        if len(m) == 1 and m[0].op is Op.VARIABLE and c & 1 and m[0] not in elsewhere and m[0] not in blocked
    ]
    if not candidates:
        return None
    chosen = max(candidates, key=lambda atom: atom.index)
    rest = dict(polynomial.terms)
    coefficient = rest.pop((chosen,))
    value = scaled(Polynomial(polynomial.width, rest), -inverse(coefficient, polynomial.width))
    return chosen, to_term(value)


def _solve_bool(formula: Term, blocked: set[Term]) -> tuple[Term, V] | None:
    """A Bool variable that the formula, itself or `variable xor other`, determines, and its value."""
    head = abs_literal(formula)
    positive = head is formula
    if head.op is Op.VARIABLE and head not in blocked:
        return head, int(positive)
    if head.op is Op.XOR:
        for chosen, other in (head.args, head.args[::-1]):
            assert isinstance(chosen, Term)
            if chosen.op is Op.VARIABLE and chosen not in blocked and chosen not in variables(other):
                return chosen, build.not_(other) if positive else other
    return None
