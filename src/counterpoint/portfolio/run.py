"""The whole of a check, seen from outside: `run` returns within its limits and leaves nothing behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import (
    CounterpointError,
    OutOfBudget,
    OutOfMemory,
    Undecided,
    Unsupported,
    UnusableInput,
)
from counterpoint.core.events import Progress
from counterpoint.evidence.verdict import Reason
from counterpoint.frontend.task import SourceTask, digest
from counterpoint.portfolio.advice import advised
from counterpoint.portfolio.attending import Refused, Stop, Waiting, attended, kept
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Outcome
from counterpoint.portfolio.schedule import is_automatic, schedule_for
from counterpoint.property import DEFAULT

if TYPE_CHECKING:
    from counterpoint.execute.subject import Subject
    from counterpoint.portfolio.features import Features

GRACE = 0.7
"""Seconds after the limit at which the worker is killed if it has not ended by itself."""

PATIENCE = 0.6
"""Seconds in which the worker may end an engine that takes too much memory, before the whole check is ended."""

ShowProgress = Callable[[Progress | None], None]
"""Called with what is going on, and with None when only the time has moved on."""


Decide = Callable[[Request, SourceTask, CheckResult, Budget, Send], CheckResult]
"""What the worker does with the task; the result is the given one with the answer filled in."""


def run(request: Request, show: ShowProgress | None = None, decide: Decide | None = None) -> CheckResult:
    """Checks the request in processes of its own, within its time and memory.

    Raises UnusableInput (or CompilationFailed) for what cannot be checked. KeyboardInterrupt and whatever
    else is raised by signal handlers passes through after all processes are gone. An internal error is the
    result UNKNOWN(INTERNAL_ERROR) and names its crash report. `decide` stands for the standard portfolio.
    """
    started = time.monotonic() if request.begun is None else request.begun
    with kept(lambda send: _work(request, decide or _portfolio, started, send)) as worker:
        result = _attend(worker, request, started, show or (lambda progress: None))
    result = replace(result, seconds=round(time.monotonic() - started, 3))
    return result if decide is not None else advised(result, request)


def unanswered(request: Request, reason: str, detail: str) -> CheckResult:
    """An UNKNOWN for a request whose worker said nothing."""
    return CheckResult(
        outcome=Outcome.UNKNOWN,
        property=request.property or DEFAULT,
        files=tuple(map(str, request.files)),
        data_model=request.assumed_data_model(),
        entry=request.entry,
        compilation=request.compilation(),
        reason=reason,
        detail=detail,
    )


def _attend(worker: Child, request: Request, started: float, show: ShowProgress) -> CheckResult:
    """Waits for the worker's answer; passes on progress; watches the clock and the memory."""
    base = unanswered(request, "", "")
    state = "the front end"
    peak = 0
    over_since: float | None = None
    for message in attended(worker, started + request.timeout + GRACE):
        match message:
            case Waiting(resident):
                peak = max(peak, resident)
                over_since = (over_since or time.monotonic()) if resident > request.memory * 1.1 else None
                patience = PATIENCE if resident <= request.memory * 1.5 else 0.0
                if over_since is not None and time.monotonic() - over_since >= patience:
                    return _stopped(base, Reason.OUT_OF_MEMORY, f"{resident >> 20} MiB in use by {state}", peak)
                show(None)
            case Progress() as progress:
                state = f"{progress.engine} ({progress.state})" if progress.state else state
                show(progress)
            case CheckResult(outcome=Outcome.UNKNOWN, reason="") as base:
                pass
            case CheckResult() as result:
                return replace(result, memory=peak)
            case MemoryError():
                return _stopped(base, Reason.OUT_OF_MEMORY, f"{state}: {message}", peak)
            case Crashed(details):
                return _crashed(base, details, worker, peak)
            case Stop.ENDED:
                return _crashed(base, f"the worker ended without an answer while in {state}", worker, peak)
    return _stopped(base, Reason.OUT_OF_TIME, f"{round(request.timeout, 1):g} s were used up in {state}", peak)


def _stopped(base: CheckResult, reason: str, detail: str, peak: int) -> CheckResult:
    return replace(base, reason=reason, detail=detail, memory=peak)


def _crashed(base: CheckResult, details: str, worker: Child, peak: int) -> CheckResult:
    report = write_crash_report("internal error", details, worker.printed())
    last = details.strip().splitlines()[-1] if details.strip() else ""
    return replace(_stopped(base, INTERNAL_ERROR, last, peak), crash_reports=(report,))


# ---------------------------------------------------------------- in the worker


def _work(request: Request, decide: Decide, started: float, send: Send) -> None:
    budget = Budget(max(0.1, request.timeout - 0.2), started=started)
    base = unanswered(request, "", "")
    try:
        task = source_task(request)
        data_model = task.target or task.data_model
        files, digests = tuple(map(str, task.files)), tuple(map(digest, task.files))
        base = replace(base, property=task.property, files=files, digests=digests, data_model=data_model)
        send(base)
        send(Progress("front end", "compiling"))
        send(decide(request, task, base, budget, send))
    except UnusableInput as error:
        send(Refused.by(error))
    except CounterpointError as error:
        reason = _reason(error)
        if reason is None:
            raise
        send(_stopped(base, reason, str(error), 0))


def _portfolio(
    request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send
) -> CheckResult:
    from counterpoint.execute.subject import compile_subject
    from counterpoint.portfolio.named_contracts import check_contracts

    engines.check_options(request.options)
    subject = compile_subject(task)
    check_contracts(request.contracts, subject)
    return search(request, subject, base, budget, send)


def search(request: Request, subject: Subject, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
    """The standard portfolio's answer about a program that is compiled, in the worker of `run`."""
    from counterpoint.portfolio.early import early_tests
    from counterpoint.portfolio.findings import Investigation
    from counterpoint.portfolio.listing import listed
    from counterpoint.portfolio.reuse import Reuse, opened

    automatic = is_automatic(request.engines)
    reuse = opened(request.reuse)
    again, nothing = (reuse, None) if isinstance(reuse, Reuse) else (None, reuse)
    base = replace(base, warnings=subject.defined.warnings, compiled=round(budget.elapsed(), 3), reused=nothing)
    send(base)
    early = early_tests(subject, request, budget) if automatic else None
    features = _features(subject, request) if automatic else None
    if features is not None:
        base = replace(base, features=asdict(features))
    schedule = schedule_for(request.engines, request.jobs, features)
    with listed(subject, request.recording and request.listing, request.seed, budget) as listing:
        result = Investigation(subject, request, schedule, budget, base, send, early, again).result()
        return replace(result, listing=listing())


def _features(subject: Subject, request: Request) -> Features | None:
    """The program's features; None where it cannot be prepared, which each engine will say for itself."""
    from counterpoint.engines.protocol import usual_preparation
    from counterpoint.portfolio.features import features_of

    try:
        return features_of(subject.program(usual_preparation({"prepare": request.prepare})))
    except CounterpointError:
        return None


def _reason(error: CounterpointError) -> str | None:
    kinds: tuple[tuple[type[CounterpointError], Reason], ...] = (
        (OutOfBudget, Reason.OUT_OF_TIME),
        (OutOfMemory, Reason.OUT_OF_MEMORY),
        (Unsupported, Reason.UNSUPPORTED),
        (Undecided, Reason.SOLVER_UNKNOWN),
    )
    return next((reason for kind, reason in kinds if isinstance(error, kind)), None)
