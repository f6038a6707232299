"""Re-checks certificates: own verification conditions, fresh solvers in fresh processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget
from counterpoint.evidence.unrolling import obligation
from counterpoint.evidence.verdict import Certificate
from counterpoint.program.model import Program
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.race import Satisfiable, Unsatisfiable, check_in_processes
from counterpoint.term.smtlib import to_smtlib


@dataclass(frozen=True, slots=True)
class ProofChecked:
    """What the checker did: claims proved impossible, instructions unrolled, seconds."""

    claims: int
    instructions: int
    seconds: float


class EvidenceUnchecked(EvidenceRejected):
    """The proof was neither confirmed nor refuted in the time that was left."""


def check_proof(program: Program, certificate: Certificate, budget: Budget) -> ProofChecked:
    """Returns if the certificate proves that no check of `program` fails.

    `program` is the preparation that the certificate names. Raises EvidenceRejected where it does not, and
    EvidenceUnchecked where it cannot be told in time.
    """
    try:
        condition = obligation(program, frozenset(certificate.cuts), budget)
    except OutOfBudget as late:
        raise EvidenceUnchecked(f"the proof's conditions could not be built in time: {late}") from late
    done = ProofChecked(condition.claims, condition.instructions, budget.elapsed())
    if condition.formulas[0] == 0:
        return done
    answer = check_in_processes(to_smtlib(condition.formulas), budget.remaining())
    match answer:
        case Unsatisfiable():
            return ProofChecked(condition.claims, condition.instructions, budget.elapsed())
        case Satisfiable():
            raise EvidenceRejected("the proof does not hold: one of its claims can be violated")
        case SolverUnknown(reason):
            raise EvidenceUnchecked(f"no solver re-checked the proof in {budget.seconds:.1f} s: {reason}")
        case other:
            assert_never(other)
