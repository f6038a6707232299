"""Which formulas are worth saying: those that the others do not imply, the simplest first."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size

PRUNING_SECONDS: Final = 0.5
"""For one question whether a clause follows from others."""

MOST_CLAUSES: Final = 60
"""Clauses of a view that are looked through for what follows from others."""


def essential(
    formulas: Sequence[V], known: Sequence[V], budget: Budget, computed: Container[V] = frozenset()
) -> list[V]:
    """Formulas that together with what is `known` imply the others, first those that are `computed` by the code
    (contracts/computed.py), then the simplest; where a solver does not answer, the formula stays."""
    kept: list[V] = []
    solver = backend("bitwuzla").connect(Settings())
    try:
        for formula in known:
            solver.add(formula)
        ranked = sorted(dict.fromkeys(formulas), key=lambda one: (one not in computed, _plainness(one)))
        for formula in ranked[:MOST_CLAUSES]:
            if budget.remaining() <= 0:
                break
            seconds = min(PRUNING_SECONDS, budget.remaining())
            if not isinstance(solver.check([build.not_(formula)], seconds), Unsat):
                solver.add(formula)
                kept.append(formula)
    finally:
        solver.close()
    return _without_repetitions(kept, known, budget)


def follows(formula: V, known: Sequence[V], budget: Budget) -> bool:
    """Whether what is known implies the formula; not where a solver does not answer, or no time is left."""
    if budget.remaining() <= 0:
        return False
    solver = backend("bitwuzla").connect(Settings())
    try:
        for other in known:
            solver.add(other)
        return isinstance(solver.check([build.not_(formula)], min(PRUNING_SECONDS, budget.remaining())), Unsat)
    finally:
        solver.close()


def _without_repetitions(formulas: list[V], known: Sequence[V], budget: Budget) -> list[V]:
    """Without those that the rest implies, looked at from the last one."""
    left = list(formulas)
    for formula in reversed(formulas):
        if budget.remaining() <= 0 or len(left) == 1:
            break
        if follows(formula, (*known, *(one for one in left if one is not formula)), budget):
            left.remove(formula)
    return left


def _plainness(formula: V) -> tuple[int, int, int]:
    """Equations first, then short ones."""
    if not isinstance(formula, Term):
        return 0, 0, 0
    kind = 0 if formula.op is Op.EQ else 1 if formula.op is not Op.NOT else 2
    return kind, size(formula), formula.index
