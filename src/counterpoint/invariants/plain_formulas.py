"""What formulas are made of, as far as solvers are quick or slow for it."""

from __future__ import annotations

from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

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


def with_any_products(formula: V) -> V:
    """The formula with arbitrary numbers for its products of unknowns: what it excludes, the formula does."""
    taken = [term for term in reachable([formula]) if _is_product(term)]
    names = (f"product!{number}!{term.sort}" for number, term in enumerate(taken))
    return substitute(formula, {term: build.variable(name, term.sort) for name, term in zip(names, taken, strict=True)})


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
