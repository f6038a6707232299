"""Results in a folder that others write to, too: their evidence, checked again on what is asked now.

Nothing else of an entry is read. So whatever is in it, the answer is TRUE only with a proof that was re-checked now,
and FALSE only with an input that was replayed now.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Progress
from counterpoint.engines.protocol import usual_preparation
from counterpoint.evidence.verdict import Reason
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.answers import Known, with_answers
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.portfolio.result_file import stored_evidence
from counterpoint.portfolio.result_key import properties_of
from counterpoint.portfolio.run import Decide, ShowProgress, run
from counterpoint.portfolio.several import together
from counterpoint.portfolio.validation import Accepted, answered, judge

if TYPE_CHECKING:
    from counterpoint.execute.subject import Subject

ENGINE = "cache"
"""Whose answer it is."""


def checked_again(document: dict[str, Any], request: Request, show: ShowProgress | None) -> CheckResult | None:
    """None unless there is evidence for every property that is asked for, and it holds. Raises UnusableInput where the
    request does."""
    found: list[CheckResult] = []
    for name in properties_of(request):
        part = _part(Given(document, "an entry:"), name)
        one = run(replace(request, property=name), show, _decide(part)) if part is not None else None
        if one is None or one.outcome is Outcome.UNKNOWN:
            return None
        found.append(one)
    return together(found) if len(found) > 1 else found[0]


def _part(entry: Given, name: str) -> Given | None:
    """What is kept about the property."""
    try:
        result = entry.at("result")
        parts = tuple(result.at("parts").items()) or (result,)
        return next((part for part in parts if part.at("property").text() == name), None)
    except UnusableInput:
        return None


def _decide(part: Given) -> Decide:
    def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
        from counterpoint.execute.subject import compile_subject

        rejected = replace(base, reason=Reason.EVIDENCE_REJECTED)
        try:
            verdict = stored_evidence(part)
        except UnusableInput:
            return rejected
        send(Progress("front end", "compiling"))
        subject = compile_subject(task)
        send(Progress(ENGINE, "checking kept evidence"))
        seed = request.seed if request.proof_runs else None
        judgement = judge(verdict, subject, budget, seed=seed, shrink=request.shrink)
        if not isinstance(judgement, Accepted):
            return rejected
        base = replace(base, engine=ENGINE, warnings=subject.defined.warnings)
        return _told(answered(base, judgement), subject, request)

    return decide


def _told(result: CheckResult, subject: Subject, request: Request) -> CheckResult:
    """With what is known of each check."""
    found = result.counterexample
    if found is None:
        known = Known(dict.fromkeys(subject.focus, ENGINE))
    else:
        known = Known({}, {found.check: found}, "not decided beside the violation that was kept")
        result = replace(result, findings=(found,))
    return with_answers(result, subject, usual_preparation({"prepare": request.prepare}), known)
