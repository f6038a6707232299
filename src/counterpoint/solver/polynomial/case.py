"""A conjunction on its way through the simplification, and what all steps ask about formulas."""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.records import dataclass
from counterpoint.solver.polynomial.forms import NormalForms, operand_width
from counterpoint.solver.polynomial.ring import Polynomial, add_scaled, of_constant
from counterpoint.term.evaluate import Evaluation, Given
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

_OF_A_SUM = frozenset({Op.UDIV, Op.SDIV, Op.UREM, Op.SREM, Op.EXTRACT, Op.ZEXT, Op.SEXT})
"""What is the same of two sums that are."""

LONG_SUM = 6
"""Summands on both sides of an equation together, from which solvers are slow to see that they are the same."""

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


def abs_literal(formula: Term) -> Term:
    """The formula without its negation."""
    if formula.op is Op.NOT:
        inner = formula.args[0]
        assert isinstance(inner, Term)
        return inner
    return formula


def is_product(term: Term) -> bool:
    """Whether a term is a product of two unknown bit-vectors."""
    return term.op is Op.MUL and not isinstance(term.args[0], int) and not isinstance(term.args[1], int)


def products(values: Iterable[V]) -> int:
    """How many different products of two unknown bit-vectors occur."""
    return sum(map(is_product, reachable(values)))


def has_identities(formulas: Iterable[V]) -> bool:
    """Whether a product of two unknowns occurs, or a long sum in an equation: bits are slow to show such identities."""
    terms = reachable(formulas)
    if any(map(is_product, terms)):
        return True
    added: dict[Term, int] = {}
    for term in terms:
        inner = [added.get(arg, 1) for arg in term.args if isinstance(arg, Term)]
        if term.op is Op.ADD or term.op is Op.SUB:
            added[term] = sum(inner)
        elif term.op in _OF_A_SUM:
            added[term] = max(inner, default=1)
        elif term.op is Op.ITE:
            added[term] = max(added.get(arg, 1) if isinstance(arg, Term) else 1 for arg in term.args[1:])
        elif term.op is Op.EQ and sum(inner) >= LONG_SUM:
            return True
    return False


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


def below_float_bits(formulas: Iterable[V]) -> set[Term]:
    """What is below a BITS_FROM_FP, which must stay as it is: each is an unknown of its own where its float is NaN."""
    opaque = [term for term in reachable(formulas) if term.op is Op.BITS_FROM_FP]
    return set(reachable(arg for term in opaque for arg in term.args))
