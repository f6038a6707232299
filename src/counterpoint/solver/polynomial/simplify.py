"""Conjunctions with polynomial equations modulo 2^w: eliminate, reduce, split into cases.

Bit-blasting cannot decide ring identities of 32 or 64 bits; as polynomials they are `0 = 0`. What is returned
has a model exactly if the formulas have one, and the definitions of the eliminated variables extend it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from counterpoint.solver.polynomial.forms import NormalForms, operand_width, positive_power, width_of
from counterpoint.solver.polynomial.ideal import Rule, completed, interreduced, reduced
from counterpoint.solver.polynomial.ring import (
    OutOfSteps,
    Polynomial,
    Steps,
    add_scaled,
    inverse,
    of_constant,
    scaled,
    to_equation,
    to_term,
)
from counterpoint.term import build
from counterpoint.term.evaluate import Evaluation, Given
from counterpoint.term.rebuild import rebuild
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, substitute_all, variables

STEPS: Final = 400_000
MOST_CASES: Final = 64
MOST_CONDITIONS: Final = 8
FEW_OPEN_CASES: Final = 4
MOST_ROUNDS: Final = 60
LONGEST_VALUE: Final = 200
"""A variable is not eliminated for a value with more monomials."""

Definitions = tuple[tuple[Term, V], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A conjunction and the values of variables that do not occur in it any more.

    Each value mentions only variables of the formulas, free ones, and variables defined further to the front.
    """

    formulas: tuple[V, ...]
    definitions: Definitions = ()

    def defined(self, given: Evaluation) -> dict[Term, Given]:
        """The values of the defined variables where `given` evaluates what a model of the formulas is about."""
        known: dict[Term, Given] = {}

        def leaf(term: Term) -> Given | None:
            return known[term] if term in known else given.of((term,))[0]

        for variable, value in self.definitions:
            (known[variable],) = Evaluation(leaf).of((value,))
        return known


@dataclass(frozen=True, slots=True)
class Simplified:
    """The formulas have a model exactly if one of the cases has; no cases: they have none."""

    cases: tuple[Case, ...]
    changed: bool


def is_product(term: Term) -> bool:
    """Whether a term is a product of two unknown bit-vectors."""
    return term.op is Op.MUL and not isinstance(term.args[0], int) and not isinstance(term.args[1], int)


def products(values: Iterable[V]) -> int:
    """How many different products of two unknown bit-vectors occur."""
    return sum(map(is_product, reachable(values)))


def simplify(formulas: Sequence[V], steps: int = STEPS) -> Simplified:
    """Cases that together are satisfiable exactly if the conjunction is; few, or the only one is unsplit.

    `steps` bounds the work, and with it time and memory (10^5 take about a second at most); when they are
    spent, what was reached so far is returned.
    """
    left = Steps(steps)
    start = Case(tuple(formulas))
    whole = _simplified(start, left)
    if whole is None:
        return Simplified((), True)
    open_cases: list[Case] | None = [whole]
    if products(whole.formulas):
        open_cases = _split(whole, left)
    if open_cases is None or len(open_cases) > FEW_OPEN_CASES:
        open_cases = [whole]
    return Simplified(tuple(open_cases), tuple(open_cases) != (start,))


def _split(whole: Case, steps: Steps) -> list[Case] | None:
    """The cases that stay open when conditions are decided one after another; None if there are too many."""
    pending = [(whole, 0)]
    open_cases: list[Case] = []
    looked_at = 1
    while pending:
        case, depth = pending.pop()
        condition = _condition(case.formulas) if depth < MOST_CONDITIONS and steps.left > 0 else None
        if condition is None:
            open_cases.append(case)
            if len(open_cases) > FEW_OPEN_CASES:
                return None
            continue
        looked_at += 2
        if looked_at > 2 * MOST_CASES:
            return None
        for literal in (build.not_(condition), condition):
            decided = _simplified(Case((*case.formulas, literal), case.definitions), steps)
            if decided is not None:
                pending.append((decided, depth + 1))
    return open_cases


def _condition(formulas: Sequence[V]) -> Term | None:
    """What to decide next: the condition of most ITEs, else an equation inside a formula; None if nothing helps."""
    if not products(formulas):
        return None
    counts: dict[Term, int] = {}
    known = {abs_literal(formula) for formula in formulas if isinstance(formula, Term)}
    for term in reachable(formulas):
        if term.op is Op.ITE and isinstance(term.sort, BitVec):
            condition = term.args[0]
            assert isinstance(condition, Term)
            counts[condition] = counts.get(condition, 0) + 1
    if not counts:
        for term in reachable(formulas):
            if term.op is Op.EQ and term not in known and products((term,)):
                counts[term] = 1
    return max(counts, key=lambda term: (counts[term], -term.index)) if counts else None


def abs_literal(formula: Term) -> Term:
    """The formula without its negation."""
    if formula.op is Op.NOT:
        inner = formula.args[0]
        assert isinstance(inner, Term)
        return inner
    return formula


def _simplified(case: Case, steps: Steps) -> Case | None:
    """An equisatisfiable conjunction (None: false), as far as the steps go."""
    present: Case | None = case
    try:
        for _ in range(MOST_ROUNDS):
            before = present
            for change in (_flattened, _with_facts, _unsigned, _normalised, _flattened, _eliminated):
                assert present is not None
                present = change(present, steps)
                if present is None:
                    return None
            assert present is not None
            if present == before:
                present = _reduced(present, steps)
                if present is None or present == before:
                    return present
    except OutOfSteps:
        pass
    return None if present is None else _flattened(present, steps)


def _flattened(case: Case, steps: Steps) -> Case | None:
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


def _with_facts(case: Case, steps: Steps) -> Case:
    """Each formula holds, so it is true wherever it occurs inside another one.

    A formula may be used inside formulas that it is a proper part of; that order is well-founded, so the new
    conjunction implies the old one.
    """
    facts: dict[Term, V] = {}
    opaque = _below_float_bits(case.formulas)
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


def _unsigned(case: Case, steps: Steps) -> Case:
    """Signed division of what some formula says is not negative, by a positive constant, as unsigned division.

    The division properly contains what the formula is about, so the order is well-founded as for `_with_facts`.
    """
    opaque = _below_float_bits(case.formulas)
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


def _normalised(case: Case, steps: Steps) -> Case:
    """Everything in polynomial normal form."""
    forms = NormalForms(case.formulas, steps)
    return Case(tuple(forms.value(formula) for formula in case.formulas), case.definitions)


def equation_of(formula: V, forms: NormalForms) -> Polynomial | None:
    """The polynomial that a conjunct says is 0, if it is an equation of bit-vectors (or negated, of one bit)."""
    if not isinstance(formula, Term):
        return None
    head = abs_literal(formula)
    if head.op is not Op.EQ:
        return None
    width = operand_width(head)
    difference = add_scaled(forms.form(head.args[0], width), forms.form(head.args[1], width), -1)
    if head is formula:
        return difference
    return add_scaled(difference, of_constant(1, 1), 1) if width == 1 else None


def _eliminated(case: Case, steps: Steps) -> Case:
    """Without the variables that some formula determines: one round, of definitions independent of each other."""
    forms = NormalForms(case.formulas, steps)
    blocked = _below_float_bits(case.formulas)
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


def _below_float_bits(formulas: Iterable[V]) -> set[Term]:
    """What is below a BITS_FROM_FP, which must stay as it is: each is an unknown of its own where its float is NaN."""
    opaque = [term for term in reachable(formulas) if term.op is Op.BITS_FROM_FP]
    return set(reachable(arg for term in opaque for arg in term.args))


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


def _reduced(case: Case, steps: Steps) -> Case | None:
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
    rules: dict[int, list[Rule]] = {}
    for whole, low, quotient in forms.shifted:
        if low not in rules:
            known = [*given.get(low, ()), *_low_remainders(formulas, low, forms)]
            known += [forms.low_bits(p, low) for width in sorted(given) if width > low for p in given[width]]
            rules[low] = completed(known, steps)
        width = width_of(whole)
        value = forms.form(whole, width)
        bits = reduced(forms.low_bits(value, low), rules[low], steps).constant()
        if bits is None or (bits and quotient.op is Op.SDIV):
            continue
        rest = add_scaled(value, of_constant(bits, width), -1)
        derived.setdefault(width, []).append(add_scaled(rest, forms.form(quotient, width), -(1 << low)))
    return derived


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
