"""Case distinctions: the quantifier goes into disjunctions, and past conditions that hide a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.logic.elimination.unknowns import Unknowns
from counterpoint.term import build
from counterpoint.term.boolean import negated
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, substitute_all

MOST_DISJUNCTS: Final = 6


def cases(parts: Sequence[V], unknowns: Unknowns) -> list[list[V]] | None:
    """Lists of conjuncts whose disjunction is equivalent to `parts` (under the quantifier); None if none is seen.

    First on conditions without unwanted variables, which both hide and decide most: of ites above unwanted variables
    and of disjunctions. Then Shannon's expansion of unwanted Bools, disjunctions, other conditions.
    """
    terms = [term for term in reachable(parts) if unknowns.of(term)]
    conditions = [term.args[0] for term in terms if term.op is Op.ITE and isinstance(term.args[0], Term)]
    disjunctions = [found for part in parts if (found := _disjuncts(part))]
    sides = [side for disjuncts in disjunctions for side in disjuncts]
    sides += [arg for term in terms if term.op is Op.XOR for arg in term.args if isinstance(arg, Term)]
    for condition in (*conditions, *sides):
        if not unknowns.of(condition):
            return _both_ways(condition, parts)
    for term in terms:
        if term.op is Op.VARIABLE and (term.sort is BOOL or (isinstance(term.sort, BitVec) and term.sort.width == 1)):
            return [substitute_all(parts, {term: value}) for value in (0, 1)]
    for part in parts:
        disjuncts = _disjuncts(part)
        if 2 <= len(disjuncts) <= MOST_DISJUNCTS:
            others = [other for other in parts if other is not part]
            return [[disjunct, *others] for disjunct in disjuncts]
    for condition in (*reversed(conditions), *sides):
        return _both_ways(condition, parts)
    return None


def _disjuncts(part: V) -> list[Term]:
    """The terms of a disjunction; none for anything else."""
    if isinstance(part, Term) and part.op is Op.NOT:
        inner = negated(part)
        if inner.op is Op.AND:
            return [negated(value) for value in conjuncts(inner) if isinstance(value, Term)]
    return []


def _both_ways(condition: Term, parts: Sequence[V]) -> list[list[V]]:
    atom = negated(condition) if condition.op is Op.NOT else condition
    return [[build.not_(atom), *substitute_all(parts, {atom: 0})], [atom, *substitute_all(parts, {atom: 1})]]
