"""Comparisons inside formulas, and what they are relaxed to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable

COMPARISONS = frozenset({Op.EQ, Op.ULT, Op.SLT})
_FLOATS = frozenset({Op.FP_EQ, Op.FP_LT, Op.FP_LE, Op.FP_IS_NAN, Op.FP_IS_INF, Op.FP_IS_ZERO, Op.FP_IS_NEGATIVE})


def atoms(formulas: Iterable[V]) -> list[Term]:
    """The smallest conditions in the formulas, also in those of choices: comparisons and truth variables."""
    return [
        term
        for term in reachable(formulas)
        if term.op in COMPARISONS or term.op in _FLOATS or (term.op is Op.VARIABLE and term.sort == BOOL)
    ]


def literals(formula: V) -> Iterator[V]:
    """The formula's parts under AND and OR, with the sign that they have there; choices are not opened."""
    seen: set[tuple[Term, bool]] = set()
    stack: list[tuple[V, bool]] = [(formula, True)]
    while stack:
        value, positive = stack.pop()
        if not isinstance(value, Term) or (value, positive) in seen:
            continue
        seen.add((value, positive))
        if value.op is Op.NOT:
            stack.append((value.args[0], not positive))
        elif value.op is Op.AND:
            stack += ((arg, positive) for arg in reversed(value.args))
        else:
            yield value if positive else build.not_(value)


def relaxed(atom: V) -> Iterator[V]:
    """The condition and weaker ones of its kind: `a < b` gives `a <= b` as well, `a != b` both directions."""
    yield atom
    if not isinstance(atom, Term):
        return
    negative = atom.op is Op.NOT
    inner = atom.args[0] if negative else atom
    if not isinstance(inner, Term) or inner.op not in COMPARISONS:
        return
    a, b, width = inner.args[0], inner.args[1], inner.payload
    assert isinstance(width, int)
    match inner.op:
        case Op.ULT if not negative:
            yield build.ule(a, b, width)
        case Op.SLT if not negative:
            yield build.sle(a, b, width)
        case Op.EQ:
            yield build.sle(a, b, width)
            yield build.sle(b, a, width)
            yield build.ule(a, b, width)
            yield build.ule(b, a, width)


def both_ways(atom: Term) -> Iterator[V]:
    """The condition, its relaxations, its complement and the complement's relaxations."""
    yield from relaxed(atom)
    yield from relaxed(build.not_(atom))
