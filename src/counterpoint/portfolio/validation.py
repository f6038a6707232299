"""From an engine's verdict to one that may be printed: its evidence is checked, then explained.

Runs in a process of its own that no engine has touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, OutOfMemory, Undecided, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.verdict import Reason, Safe, Unsafe, Violation
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.portfolio.composition import Composed, composed_proof
from counterpoint.portfolio.result import CheckResult, Counterexample, Outcome, Proof
from counterpoint.program.inputs import Input
from counterpoint.property import check_kind
from counterpoint.static.placement import looked_at

if TYPE_CHECKING:
    from counterpoint.evidence.proof import ProofChecked
    from counterpoint.portfolio.replay import Confirmed
    from counterpoint.solver.known import KnownAnswers


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
class Refuted:
    """Runs contradict a proof that the checker accepted: nothing that it says of this program is to be believed."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unchecked:
    """The evidence could not be checked within the limits, or is about what has no exact model."""

    detail: str
    reason: Reason = Reason.EVIDENCE_UNCHECKED


INPUTS_PER_SECOND = 40_000
REPEATED_PER_SECOND = 150_000
"""Arbitrary values that surely get from here into the result, its text and its JSON within a second: different ones,
and those of which there is one object for many."""

LAYOUT = (
    "a violation was found for other places of the objects in memory than those of a replay, in which it does not"
    " happen: it depends on addresses, which the program looks at ({place})"
)

Judgement: TypeAlias = Accepted | Rejected | Refuted | Unchecked


def answered(base: CheckResult, accepted: Accepted) -> CheckResult:
    """The result TRUE or FALSE that the accepted evidence carries."""
    base = replace(base, assumptions=accepted.assumptions)
    match accepted.evidence:
        case Counterexample() as found:
            kind = check_kind(found.kind)
            violated = kind.shown if kind is not None else found.kind
            return replace(base, outcome=Outcome.FALSE, violated=violated, counterexample=found)
        case Proof() as proof:
            return replace(base, outcome=Outcome.TRUE, proof=proof)
        case other:
            assert_never(other)


def judge(
    verdict: Safe | Unsafe | Composed,
    subject: Subject,
    budget: Budget,
    strict: bool = False,
    seed: int | None = 0,
    shrink: bool = False,
    known: KnownAnswers | None = None,
    jobs: int = 1,
) -> Judgement:
    """Checks the verdict's evidence; never raises for evidence that fails. `strict`: by two solvers on their own;
    `seed` chooses the runs against proofs, None for none; `shrink`: a failing run is told with simpler inputs; answers
    that are `known` are not asked for again; so many `jobs` solvers compute at once.
    """
    how = strict, seed, known, jobs
    try:
        match verdict:
            case Safe(certificate, spare):
                judgement = _judge_proof(certificate, subject, budget, *how)
                if isinstance(judgement, Unchecked) and spare is not None and budget.remaining() > 0:
                    return _judge_proof(spare, subject, budget, *how)
                return judgement
            case Composed():
                return _judge_parts(verdict, subject, budget, *how)
            case Unsafe(violation):
                return _judge_violation(violation, subject, budget, shrink)
            case other:
                assert_never(other)
    except EvidenceRejected as error:
        place = looked_at(subject.program(UNPREPARED)) if isinstance(verdict, Unsafe) else None
        if place is not None:
            return Unchecked(LAYOUT.format(place=place), Reason.UNSUPPORTED)
        return Rejected(str(error))
    except (OutOfBudget, OutOfMemory, Undecided, Unsupported) as error:
        return Unchecked(str(error))


def _judge_proof(
    certificate: Certificate,
    subject: Subject,
    budget: Budget,
    strict: bool,
    seed: int | None,
    known: KnownAnswers | None,
    jobs: int,
) -> Judgement:
    from counterpoint.evidence.proof import STRICT, USUAL, EvidenceUnchecked, check_proof
    from counterpoint.evidence.runs import Contradicted
    from counterpoint.portfolio.proof_runs import runs_beside
    from counterpoint.portfolio.readable_proof import facts_of, invariants_of

    program = subject.program(certificate.preparation)
    with runs_beside(subject, certificate, budget, seed) as outcome:
        try:
            checked = check_proof(program, certificate, budget, STRICT if strict else USUAL, known, jobs)
            runs = outcome()
        except EvidenceUnchecked as error:
            return Unchecked(str(error))
        except Contradicted as error:
            return Refuted(f"the checker accepted a proof that a run contradicts: {error}")
    proof = replace(stored(certificate, checked), runs=runs)
    invariants = invariants_of(program, facts_of(program, certificate), unions=certificate.alternatives)
    proof = replace(proof, invariants=invariants)
    return Accepted(proof, program.assumptions)


def _judge_parts(
    composed: Composed,
    subject: Subject,
    budget: Budget,
    strict: bool,
    seed: int | None,
    known: KnownAnswers | None,
    jobs: int,
) -> Judgement:
    """Each part on its focus; together they have to be about all checks of the subject."""
    together = frozenset().union(*(checks for checks, _ in composed.parts))
    if together != subject.focus:
        return Rejected(f"the proof's parts are about {len(together)} checks, which are not those of the task")
    proofs: list[tuple[frozenset[int], Proof]] = []
    assumptions: dict[str, None] = {}
    for checks, certificate in composed.parts:
        judgement = _judge_proof(certificate, subject.focused(checks), budget, strict, seed, known, jobs)
        if not isinstance(judgement, Accepted):
            return judgement
        assert isinstance(judgement.evidence, Proof)
        proofs.append((checks, judgement.evidence))
        assumptions |= dict.fromkeys(judgement.assumptions)
    return Accepted(composed_proof(proofs), tuple(assumptions))


def stored(certificate: Certificate, checked: ProofChecked) -> Proof:
    """The accepted certificate as a result carries it: a sentence, and what `certify` needs."""
    title, size = certificate.described()
    how = f"of the {certificate.preparation} preparation, re-checked in {checked.seconds:.1f} s"
    work = f"{checked.claims:,} claims over {checked.instructions:,} instructions"
    fields = {name: encoding.written(getattr(certificate, name)) for name, encoding in certificate.encodings.items()}
    summary = f"{title} {how}: {size}{', ' * bool(size)}{work}"
    return Proof(certificate.kinds[0], summary, {"preparation": certificate.preparation, **fields})


def _judge_violation(violation: Violation, subject: Subject, budget: Budget, shrink: bool) -> Judgement:
    from counterpoint.portfolio.approximations import APPROXIMATED, decisive
    from counterpoint.portfolio.host_values import MODELS, with_host_values
    from counterpoint.portfolio.readable_run import explain
    from counterpoint.portfolio.replay import confirm
    from counterpoint.portfolio.shrinking import shrunk

    confirmed = confirm(subject, violation.inputs, budget)
    program = subject.program(UNPREPARED)
    hangs_on = decisive(program, confirmed)
    if hangs_on:
        sites = frozenset(site.index for site in program.sites if site.kind == APPROXIMATED)
        real, asked = with_host_values(program, confirmed.inputs, sites)
        if real is not None:
            confirmed, hangs_on = confirm(subject, real, budget), ()
    if hangs_on:
        parts = {site.name for site in program.sites if site.at.file == MODELS} if asked else set()
        names = ", ".join(sorted({*hangs_on, *asked} - parts))
        detail = f"an error was found that may hang on what is only approximated here: {names}"
        return Unchecked(f"{program.checks[confirmed.check].at}: {detail}", Reason.UNSUPPORTED)
    if shrink:
        confirmed = shrunk(subject, confirmed, budget)
    if _seconds_to_hand_over(confirmed.inputs) > budget.remaining():
        return Unchecked(f"no time is left to hand over a run with {len(confirmed.inputs):,} inputs")
    found = explain(subject, confirmed, violation.preparation, budget.remaining())
    return Accepted(replace(found, behind=_is_behind(subject, confirmed, budget)), program.assumptions)


def _seconds_to_hand_over(inputs: Sequence[Input]) -> float:
    different = len({id(item) for item in inputs})
    return different / INPUTS_PER_SECOND + (len(inputs) - different) / REPEATED_PER_SECOND


def _is_behind(subject: Subject, confirmed: Confirmed, budget: Budget) -> bool:
    """Whether the run violates another check first, which the subject's focus does not ask for (program/focus.py), as
    far as time is left to see it."""
    from counterpoint.execute.inputs import ReplayInputs
    from counterpoint.execute.interpreter import run
    from counterpoint.execute.outcome import Limits, Violated
    from counterpoint.portfolio.replay import STEPS

    if subject.whole is subject or confirmed.interpreted is None:
        return False
    limits = Limits(steps=STEPS, seconds=budget.remaining())
    outcome = run(subject.whole.program(UNPREPARED), ReplayInputs(confirmed.inputs), limits).outcome
    return isinstance(outcome, Violated) and outcome != confirmed.interpreted.outcome
