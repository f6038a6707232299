"""From an engine's verdict to one that may be printed: its evidence is checked, then explained.

Runs in a process of its own that no engine has touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, OutOfMemory, Undecided, Unsupported
from counterpoint.evidence.verdict import Safe, Unsafe, Violation
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.result import Counterexample, Proof


@dataclass(frozen=True, slots=True)
class Accepted:
    """The evidence holds."""

    evidence: Proof | Counterexample
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """The evidence is wrong: a bug of ours, worth a crash report."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The evidence could not be checked within the limits."""

    detail: str


Judgement: TypeAlias = Accepted | Rejected | Unchecked


def judge(verdict: Safe | Unsafe, subject: Subject, budget: Budget) -> Judgement:
    """Checks the verdict's evidence; never raises for evidence that fails."""
    try:
        match verdict:
            case Safe():
                return _judge_proof(verdict, subject, budget)
            case Unsafe(violation):
                return _judge_violation(violation, subject, budget)
            case other:
                assert_never(other)
    except EvidenceRejected as error:
        return Rejected(str(error))
    except (OutOfBudget, OutOfMemory, Undecided, Unsupported) as error:
        return Unchecked(str(error))


def _judge_proof(verdict: Safe, subject: Subject, budget: Budget) -> Judgement:
    raise Undecided("proofs cannot be checked yet")


def _judge_violation(violation: Violation, subject: Subject, budget: Budget) -> Judgement:
    raise Undecided("violations cannot be replayed yet")
