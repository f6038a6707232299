"""Re-checks certificates: own verification conditions, fresh solvers in fresh processes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.program.model import Program
from counterpoint.semantics.facts import block_indices
from counterpoint.semantics.terms import constants_by_constructors
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.folding import Unconfirmed, confirming
from counterpoint.solver.lazily import Hinted, excluded_by_few
from counterpoint.solver.needing import needing
from counterpoint.solver.polynomial.case import products
from counterpoint.solver.processes import Known, Solvers
from counterpoint.solver.race import RACERS, Outcome, Satisfiable, Unsatisfiable, independent, race
from counterpoint.term.by_cases import ByCases
from counterpoint.term.division_laws import division_laws
from counterpoint.term.folds import recording
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import V
from counterpoint.term.walk import size

TOGETHER = 1 / 2
"""The part of the time that is left for the goals of a region together; then they are asked one by one."""

LARGE = 100_000
"""Terms of a question beyond which it is asked as it is."""

GROWTH, CASES = 10, 2 / 3
"""How many times as many terms comparisons by cases may take, and the part of the time that is theirs."""


@dataclass(frozen=True, slots=True)
class ProofChecked:
    """What the checker did: claims proved impossible, instructions walked, equations of simplifications, seconds."""

    claims: int
    instructions: int
    folded: int
    seconds: float


class EvidenceUnchecked(EvidenceRejected):
    """The proof was neither confirmed nor refuted in the time that was left."""


@dataclass(frozen=True, slots=True)
class Standard:
    """Whose word counts: `agreeing` of the `backends` (None: those that fit the question) refute a claim, and all of
    `folding` confirm what constructors folded; with `constants` also what instructions on constants alone give. With
    `cases` questions are asked with their comparisons by cases first (term/by_cases.py)."""

    backends: tuple[str, ...] | None
    agreeing: int
    folding: tuple[str, ...]
    constants: bool
    cases: bool


USUAL = Standard(None, 1, RACERS[:1], constants=False, cases=True)
STRICT = Standard(independent(), 2, RACERS, constants=True, cases=False)


def check_proof(
    program: Program, certificate: Certificate, budget: Budget, standard: Standard = USUAL, known: Known = None,
    jobs: int = 1,
) -> ProofChecked:
    """Returns if the certificate proves that no check of `program` fails.

    `program` is the preparation that the certificate names; so many `jobs` solvers compute at once. Raises
    EvidenceRejected where it does not, EvidenceUnchecked where it cannot be told, in time or by the checker's means.
    """
    try:
        with recording() as folds, Solvers(known=known, at_once=jobs) as solvers:
            solvers.expect(RACERS[0])
            with constants_by_constructors() if standard.constants else nullcontext():
                conditions = certificate.conditions(program, budget, apart=False)
            with confirming(folds, standard.folding, budget, solvers) as confirmed:
                _answer_all(conditions, _Asking(solvers, standard, budget), budget)
                folded = confirmed()
    except (OutOfBudget, Unsupported) as late:
        raise EvidenceUnchecked(f"the proof's conditions could not be built: {late}") from late
    except Unconfirmed as open_:
        raise EvidenceUnchecked(f"no solver confirmed a simplification in {budget.seconds:.1f} s: {open_}") from open_
    return ProofChecked(conditions.claims, conditions.instructions, folded, budget.elapsed())


def _answer_all(conditions: Conditions, asking: _Asking, budget: Budget) -> None:
    """Raises as `check_proof` for the first question that is not answered as it should be."""
    for question in conditions.questions:
        goals = [goal for goal in question.goals if goal.violated != 0]
        if block_indices(question.hypotheses):
            given = question.hypotheses, asking.refutes_all, budget, Hinted(conditions.hints)
            goals = [goal for goal in goals if not excluded_by_few(goal.violated, *given)]
        if goals := needing(question.formulas, goals, asking.refutes, budget.remaining()):
            asking.answer(question, goals, budget.remaining() * (TOGETHER if len(goals) > 1 else 1))


# ---------------------------------------------------------------- questions


@dataclass(frozen=True, slots=True)
class _Asking:
    solvers: Solvers
    standard: Standard
    budget: Budget

    def refutes(self, formula: V, seconds: float) -> bool:
        return isinstance(self._ask([[formula]], seconds, self.standard), Unsatisfiable)

    def refutes_all(self, formulas: Sequence[V], seconds: float) -> bool:
        return isinstance(self._ask(_versions(formulas, self.standard), seconds, self.standard), Unsatisfiable)

    def answer(self, question: Question, goals: Sequence[Goal], seconds: float) -> None:
        """Returns if none of the goals can be violated; asks about all together, then one by one."""
        versions = _versions(question.formulas(goals), self.standard)
        match self._ask(versions, seconds, self.standard):
            case Unsatisfiable():
                return
            case Satisfiable():
                raise _refused(question, self._first_violated(question, goals))
            case SolverUnknown(reason):
                if len(goals) == 1:
                    said = f"from {question.where}, {goals[0].what}: {reason}"
                    raise EvidenceUnchecked(f"no solver re-checked the proof in {self.budget.seconds:.1f} s: {said}")
                for number, goal in enumerate(goals):
                    self.budget.spend()
                    self.answer(question, [goal], self.budget.remaining() * max(1 / 3, 1 / (len(goals) - number)))
                for version in versions:
                    self.solvers.conclude(to_smtlib(version))
            case other:
                assert_never(other)

    def _first_violated(self, question: Question, goals: Sequence[Goal]) -> str:
        """For the message: the first goal that is violated by itself, as far as that is found out quickly."""
        while len(goals) > 1:
            half = goals[: len(goals) // 2]
            versions = _versions(question.formulas(half), USUAL)
            match self._ask(versions, min(2.0, self.budget.remaining()), USUAL):
                case Satisfiable():
                    goals = half
                case Unsatisfiable():
                    goals = goals[len(half) :]
                case _:
                    return "one of its claims"
        return goals[0].what

    def _ask(self, versions: Sequence[Sequence[V]], seconds: float, standard: Standard) -> Outcome:
        """Each equivalent form, until one has an answer."""
        for said in versions:
            if any(formula == 0 for formula in said):
                return Unsatisfiable("folding")  # which is confirmed afterwards
            part = seconds if len(versions) == 1 else seconds * (CASES if said is versions[0] else 1 - CASES)
            outcome = race(self.solvers, to_smtlib(said), part, standard.backends, standard.agreeing)
            if not isinstance(outcome, SolverUnknown):
                break
        return outcome


def _versions(formulas: Sequence[V], standard: Standard) -> list[Sequence[V]]:
    """Equivalent forms of the formulas, the one to be asked first before the others; where unknowns are multiplied as
    they are: what polynomials see in an equation they do not see in its cases."""
    if not standard.cases or size(*formulas) > LARGE:
        return [formulas]
    formulas = [*formulas, *division_laws(formulas)]
    split = list(map(ByCases().of, formulas))
    same = all(new is old for new, old in zip(split, formulas, strict=True))
    if same or size(*split) > GROWTH * size(*formulas):
        return [formulas]
    return [formulas, split] if products(formulas) else [split, formulas]


def _refused(question: Question, what: str) -> EvidenceRejected:
    if question.exact:
        return EvidenceRejected(f"the proof does not hold: from {question.where}, {what} can be violated")
    return EvidenceUnchecked(
        f"the proof could not be confirmed: from {question.where}, {what} does not follow from the instances of "
        "its quantified facts that were tried"
    )
