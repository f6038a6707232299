"""The whole of a check's search: the first verdict, and behind a violation what else there is.

After a confirmed violation its check counts as refuted, and the search goes on for the others, on runs that do not
violate it (program/focus.py), for as long again as it took to get to the first. It ends there, where nothing more is
found, where all other checks are proved, and with the limit of the check.

Findings of one kind at one line are one finding, the first; so are all that tell of lost memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import field, replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import usual_preparation
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.answers import Known, held_anyway, with_answers
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.kept_proofs import ENGINE, Candidates
from counterpoint.portfolio.ledger import Ledger
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Counterexample, Outcome, later
from counterpoint.portfolio.reuse import Reuse
from counterpoint.portfolio.schedule import Schedule
from counterpoint.portfolio.worker import Portfolio
from counterpoint.program.focus import lost_among
from counterpoint.program.held import may_lose_without_end
from counterpoint.program.model import Program

MORE = "more"
"""The value of Request.findings with which the search goes on behind a violation; FIRST: it ends there."""

FIRST = "first"

LEAST_SECONDS = 3.0
"""Of the search behind a violation."""

LEAST_LEFT = 0.5
"""Seconds of it below which no further search is begun."""

MOST = 50
"""Violations after which the search ends."""


@dataclass(slots=True)
class Investigation:
    """One task's search; `ledger` is what is known of its checks, `early` what runs already."""

    subject: Subject
    request: Request
    schedule: Schedule
    budget: Budget
    base: CheckResult
    send: Send
    early: Running | None = None
    reuse: Reuse | None = None
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        lost = lost_among(tuple(self.subject.defined.checks))
        program = self._program()
        apart = bool(lost) and program is not None and may_lose_without_end(program)
        held = held_anyway(program) if program is not None else frozenset()
        self.ledger = Ledger(self.subject.focus, lost, apart, held)

    @property
    def preparation(self) -> str:
        return usual_preparation({"prepare": self.request.prepare})

    def result(self) -> CheckResult:
        """With all that was found and what is known of each check."""
        began = time.monotonic()
        result = self._again() or self._search()
        if result.counterexample is not None:
            self.ledger.findings.append(result.counterexample)
            if self.request.findings == MORE:
                result = self._behind(result, time.monotonic() - began)
            result = replace(result, findings=tuple(_joined(self.ledger.findings)))
        if self.reuse is not None:
            self._candidates(self.reuse).keep(result, self.budget)
            result = replace(result, reused=self.reuse.said())
        return with_answers(result, self.subject, self.preparation, _known(result, self.ledger))

    def _candidates(self, reuse: Reuse) -> Candidates:
        return Candidates(reuse, self.subject, self.request, self.preparation, self.base)

    def _again(self) -> CheckResult | None:
        """The answer by what is kept of earlier checks, if there is one."""
        if self.reuse is None or self._program() is None:
            return None
        self.send(Progress(ENGINE, "checking an earlier proof"))
        found = self._candidates(self.reuse).accepted(self.budget)
        self.send(Progress(ENGINE, ""))
        if found is not None and self.early is not None:
            self.early.child.kill()
        return found

    def _search(self, limit: float | None = None) -> CheckResult:
        """The first verdict on what is open, by engines that have so many seconds, or all that there is."""
        early, self.early = self.early, None
        budget = self.budget if limit is None else Budget(self.budget.remaining())
        given = self.subject, self.request, self.schedule, budget, self.base, self.send
        return Portfolio(*given, self.ledger, early, limit, self.reuse).run()

    def _behind(self, result: CheckResult, spent: float) -> CheckResult:
        """The result with the engines' runs behind its violation; the ledger gets what they found."""
        ledger, limit = self.ledger, Budget(min(max(LEAST_SECONDS, spent), self.budget.remaining()))
        while ledger.worth(ledger.open) and len(ledger.findings) < MOST and limit.remaining() > LEAST_LEFT:
            ledger.claims.clear()
            before = self.budget.elapsed()
            more = self._search(limit.remaining())
            reports = tuple(dict.fromkeys((*result.crash_reports, *more.crash_reports)))
            result = replace(result, engines=(*result.engines, *later(more.engines, before)), crash_reports=reports)
            if more.counterexample is None:
                break
            ledger.findings.append(more.counterexample)
        return result

    def _program(self) -> Program | None:
        try:
            return self.subject.program(self.preparation)
        except CounterpointError:
            return None


def _joined(findings: Iterable[Counterexample]) -> list[Counterexample]:
    """One of those that have one cause: of one kind at one line."""
    found: dict[object, Counterexample] = {}
    for finding in findings:
        found.setdefault((finding.kind, finding.at.file, finding.at.line), finding)
    return list(found.values())


def _known(result: CheckResult, ledger: Ledger) -> Known:
    refuted = {finding.check: finding for finding in reversed(ledger.findings)}
    proved = {check: part.engine for part in reversed(ledger.parts) for check in part.checks}
    if result.outcome is Outcome.TRUE and len(proved) < len(ledger.all):
        proved = dict.fromkeys(ledger.all, result.engine)
    return Known(proved, refuted, _why(result, ledger))


def _why(result: CheckResult, ledger: Ledger) -> str:
    """Why checks are open."""
    if not ledger.findings:
        return result.reason
    more = len(ledger.findings) > 1
    return "not decided beside what was found" if more else "not decided beside the violation that was found first"
