"""A certificate's claims as SMT-LIB scripts that anyone can check: each has to be unsatisfiable.

The scripts are what the checker asks, one claim at a time, and the equations of what constructors folded on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from counterpoint.core.budget import Budget
from counterpoint.evidence.proof import conditions_of
from counterpoint.evidence.verdict import Certificate
from counterpoint.program.model import Program
from counterpoint.term.folds import Folds, recording
from counterpoint.term.general import falsified, general
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term, V

EQUATIONS = 500
"""So many equations make one script."""


@dataclass(frozen=True, slots=True)
class Script:
    """`text` is unsatisfiable if what it is about, in the words of `claim`, is as the certificate says."""

    claim: str
    text: str


def scripts(program: Program, certificate: Certificate, budget: Budget) -> Iterator[Script]:
    """The claims in the checker's order, then the equations. Raises as `conditions_of` does."""
    with recording() as folds:
        for question in conditions_of(program, certificate, budget, apart=True).questions:
            for goal in question.goals:
                budget.spend()
                formulas = question.formulas([goal])
                if 0 not in formulas:
                    yield _script(f"from {question.where}: no run violates {goal.what}", formulas)
    yield from _equations(folds, budget)


def _equations(folds: Folds, budget: Budget) -> Iterator[Script]:
    """Each in full."""
    asked: dict[Term, None] = {}
    for applied, answer, sort in folds.equations():
        budget.spend()
        asked[general(applied, answer, sort, 1 << 20).formula()] = None
    rest = iter(asked)
    while some := list(islice(rest, EQUATIONS)):
        claim = f"{len(some)} simplifications made on the way are equations"
        yield _script(claim, [falsified(some)])


def _script(claim: str, formulas: list[V]) -> Script:
    comment = f"{claim}\nexpected: unsat"
    return Script(claim, to_smtlib(formulas, comment))
