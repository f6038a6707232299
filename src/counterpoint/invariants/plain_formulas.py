"""What formulas are made of, as far as solvers are quick or slow for it."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.semantics.facts import ghosts
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, substitute, variables

LONG_SUM = 5
"""Unknowns of an equation that is asked about by itself."""

QUOTIENTS = frozenset({Op.UDIV, Op.SDIV, Op.UREM, Op.SREM})
_SUMS = frozenset({Op.ADD, Op.SUB, Op.NEG, Op.MUL, Op.SHL})


def is_long_sum(formula: V) -> bool:
    """An equation of many unknowns."""
    return isinstance(formula, Term) and formula.op is Op.EQ and len(variables(formula)) >= LONG_SUM


def is_nonlinear(formula: V) -> bool:
    """It multiplies unknowns."""
    return any(map(_is_product, reachable([formula])))


def has_equation_of_products(formula: V) -> bool:
    """It is an equation, or says one of cells where conditions without products hold."""
    if not ghosts(formula):
        return isinstance(formula, Term) and formula.op is Op.EQ
    parts = [build.not_(part) for part in conjuncts(build.not_(formula)) if is_nonlinear(part)]
    return all(isinstance(part, Term) and part.op is Op.EQ for part in parts)


@dataclass(slots=True)
class AnyProducts:
    """Formulas with an arbitrary number for each product of unknowns, the same wherever it stands: what is impossible
    for any numbers is so for the products."""

    _numbers: dict[Term, V] = field(default_factory=dict)
    _known: dict[V, V] = field(default_factory=dict)

    def of(self, formula: V) -> V:
        if formula not in self._known:
            for term in reachable([formula]):
                if _is_product(term) and term not in self._numbers:
                    self._numbers[term] = build.variable(f"product!{len(self._numbers)}", term.sort)
            self._known[formula] = substitute(formula, self._numbers)
        return self._known[formula]


def _is_product(term: Term) -> bool:
    return term.op is Op.MUL and not any(isinstance(arg, int) for arg in term.args)


def is_plain(formula: V) -> bool:
    """A linear equation, or comparisons of variables and constants: no other sum or multiple, and no quotient. Solvers
    decide these at once."""
    terms = reachable([formula])
    if any(term.op in QUOTIENTS for term in terms) or is_nonlinear(formula):
        return False
    equation = isinstance(formula, Term) and formula.op is Op.EQ
    return equation or not any(term.op in _SUMS and not _is_shift(term) for term in terms)


def _is_shift(term: Term) -> bool:
    """A sum with a constant."""
    return term.op is Op.ADD and any(isinstance(arg, int) for arg in term.args)
