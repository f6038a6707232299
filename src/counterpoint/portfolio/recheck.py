"""Stored evidence, checked again: a counterexample or a proof out of a result file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason, Safe, Unsafe
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.composition import Composed
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import NO_EVIDENCE, CheckResult
from counterpoint.portfolio.result_file import NoEvidence, part_about, read_result, refuse_differences
from counterpoint.portfolio.run import ShowProgress, run
from counterpoint.portfolio.validation import Accepted, Refuted, Rejected, Unchecked, answered, judge

if TYPE_CHECKING:
    from counterpoint.execute.subject import Subject

Stored = Callable[[Given], Safe | Unsafe | Composed]
"""Takes the evidence out of a result (portfolio/result_file.py)."""


@dataclass(frozen=True, slots=True)
class Rechecking:
    """How a proof is checked again: `strict`, by two solvers on their own; its claims written to `claims`.

    `absent`: a result without such evidence is the answer UNKNOWN(NO_EVIDENCE), and no error; with `all_parts` that
    counts among those of several properties.
    """

    strict: bool = False
    claims: Path | None = None
    absent: bool = False
    all_parts: bool = False


def check_again(
    origin: Path,
    stored: Stored,
    request: Request,
    show: ShowProgress | None = None,
    how: Rechecking | None = None,
) -> CheckResult:
    """Judges the evidence of the result in `origin` on what `request` asks; EVIDENCE_REJECTED where it does not hold.

    Reading it counts against the request's limits. Raises UnusableInput as `run` does, for a result that is none, and
    for one that was made for something else than the request asks.
    """
    how = how or Rechecking()

    def decide(
        request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send
    ) -> CheckResult:
        from counterpoint.execute.subject import compile_subject

        send(Progress("evidence", "reading"))
        document = read_result(origin)
        if request.property is not None:
            document = part_about(document, base.property)
        refuse_differences(document, base)
        try:
            verdict = stored(document)
        except NoEvidence as error:
            if not how.absent:
                raise
            return replace(base, reason=NO_EVIDENCE, detail=str(error))
        send(Progress("front end", "compiling"))
        subject = compile_subject(task)
        send(Progress("evidence", "checking"))
        if how.claims is not None and not isinstance(verdict, Unsafe):
            _export(verdict, subject, base, how.claims, budget)
        match judge(verdict, subject, budget, how.strict, request.seed, jobs=request.jobs):
            case Accepted() as accepted:
                return answered(base, accepted)
            case Rejected(detail):
                return replace(base, reason=Reason.EVIDENCE_REJECTED, detail=detail)
            case Refuted(detail):
                report = write_crash_report("runs contradict a stored proof", f"{detail}\n\n{verdict!r}")
                return replace(base, reason=Reason.EVIDENCE_REJECTED, detail=detail, crash_reports=(report,))
            case Unchecked(detail, reason):
                return replace(base, reason=reason, detail=detail)
            case other:
                assert_never(other)

    result = run(request, show, decide)
    late = result.reason in (Reason.OUT_OF_TIME, Reason.EVIDENCE_UNCHECKED)
    return replace(result, advice=("give more time with --timeout",)) if late else result


def _export(verdict: Safe | Composed, subject: Subject, base: CheckResult, directory: Path, budget: Budget) -> None:
    from counterpoint.portfolio.claims import scripts
    from counterpoint.portfolio.export import export

    parts = ((subject.focus, verdict.certificate),) if isinstance(verdict, Safe) else verdict.parts
    about: dict[str, object] = {"files": list(base.files), "property": base.property, "data_model": base.data_model}
    about["preparation"] = ", ".join(dict.fromkeys(certificate.preparation for _, certificate in parts))
    written = (
        scripts(subject.focused(checks & subject.focus).program(certificate.preparation), certificate, budget)
        for checks, certificate in parts
    )
    try:
        export(chain.from_iterable(written), about, directory)
    except EvidenceRejected as error:
        raise UnusableInput(f"{directory}: not written: {error}") from None
