"""A certificate's claims as SMT-LIB scripts that anyone can check: each has to be unsatisfiable.

The scripts are what the checker asks, one claim at a time, and the equations of what constructors folded on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.proof import USUAL, EvidenceUnchecked
from counterpoint.program.model import Program
from counterpoint.solver.folding import Confirmation, Unconfirmed
from counterpoint.solver.processes import Solvers
from counterpoint.term.folds import Folds, recording
from counterpoint.term.general import falsified
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import V

EQUATIONS = 500
"""So many equations make one script."""


@dataclass(frozen=True, slots=True)
class Script:
    """`text` is unsatisfiable if what it is about, in the words of `claim`, is as the certificate says."""

    claim: str
    text: str


def scripts(program: Program, certificate: Certificate, budget: Budget) -> Iterator[Script]:
    """The claims in the checker's order, then the equations. Raises EvidenceUnchecked, and as `Certificate.conditions`
    does."""
    with recording() as folds:
        for question in certificate.conditions(program, budget, apart=True).questions:
            for goal in question.goals:
                budget.spend()
                formulas = question.formulas([goal])
                if 0 not in formulas:
                    yield _script(f"from {question.where}: no run violates {goal.what}", formulas)
    yield from _equations(folds, budget)


def _equations(folds: Folds, budget: Budget) -> Iterator[Script]:
    """As general as a solver shows them to be, in full where it does not: so the scripts are few and small, and linear
    in what was folded, while terms in full are as large as the proof each."""
    try:
        with Solvers() as solvers:
            general, in_full = Confirmation(folds, USUAL.folding, budget).settled(solvers)
    except Unconfirmed as open_:
        raise EvidenceUnchecked(f"no solver generalised the simplifications: {open_}") from open_
    rest = iter((*general, *in_full))
    while some := list(islice(rest, EQUATIONS)):
        claim = f"{len(some)} simplifications made on the way are equations"
        yield _script(claim, [falsified(some)])


def _script(claim: str, formulas: list[V]) -> Script:
    comment = f"{claim}\nexpected: unsat"
    return Script(claim, to_smtlib(formulas, comment))
