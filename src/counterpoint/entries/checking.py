"""One function from its arbitrary caller: runs tell what it requires, engines what holds then, judgement what is left.

    explore (runs of the unprepared program)  ->  clauses, contradictions
    check under the clauses (the portfolio)   ->  proofs, further failures  ->  more clauses, again
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.clock import now
from counterpoint.core.errors import CounterpointError
from counterpoint.core.source import CheckSite, SourceLocation
from counterpoint.entries.environment import CALLER, Environment, header
from counterpoint.entries.exploring import Exploration, Explored, signed_value
from counterpoint.entries.findings import Entry, Finding, Grade, Required
from counterpoint.entries.judging import Judged, judged
from counterpoint.entries.literals import Clause, State, condition_of, literals, text_of
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.frontend.c.clang import Compiled, compile_file
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.portfolio.run import run, search
from counterpoint.program.model import LOST
from counterpoint.program.names import original

ROUNDS: Final = 4
"""Checks of one function: each but the last may find what the next one's precondition excludes."""

EXPLORING: Final = 0.3
"""Of a function's time, for runs."""

LEAST_SECONDS: Final = 1.5
"""Below which no further check is begun."""

_BY_CALLER: Final = rf"called at [^\s()]*{re.escape(CALLER)}:\d+"
_CALLED: Final = re.compile(rf" \({_BY_CALLER}\)|, {_BY_CALLER}")
"""How messages speak of the arbitrary caller."""

LARGEST_CONSTANT: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Unit:
    """A function with what it is compiled with: `file` is its own among those of `task`, whose compiled forms are
    `compiled` in the same order, with the drivers of all functions of the file in that of `file`."""

    request: Request
    task: SourceTask
    file: Path
    environment: Environment
    compiled: tuple[Compiled, ...]

    @property
    def entry_task(self) -> SourceTask:
        return replace(self.task, entry=self.environment.entry)


def checked(unit: Unit, seconds: float) -> Entry:
    """What is known of the function after so many seconds."""
    began = now()
    function = unit.environment.function
    found = Entry(function.name, function.file or str(unit.file), function.line)
    try:
        found = _Checking(unit, Budget(seconds), found).result()
    except CounterpointError as error:
        found = replace(found, missing=str(error).partition("\n")[0] or type(error).__name__)
    return replace(found, seconds=round(now() - began, 2))


@dataclass(slots=True)
class _Checking:
    unit: Unit
    budget: Budget
    entry: Entry
    plain: Subject = field(init=False)
    explored: Explored = field(default_factory=Explored)
    reports: tuple[str, ...] = ()

    def result(self) -> Entry:
        unit, environment = self.unit, self.unit.environment
        subject = self.plain = Subject(unit.entry_task, define_task(unit.entry_task, list(unit.compiled)))
        program = subject.program(UNPREPARED)
        pool = tuple(value for value in constants(program, 400) if 1 < value < LARGEST_CONSTANT)
        own = self.own_constants(subject)
        exploration = Exploration(program, environment, literals(environment, own), pool, unit.request.seed)
        self.explored = exploration.run(self.budget.share(EXPLORING))
        result, verdicts = self.check(exploration)
        return self.told(result, verdicts, exploration, program.assumptions)

    def own_constants(self, subject: Subject) -> tuple[int, ...]:
        """Those in the function's own code."""
        program = subject.program(UNPREPARED)
        name = self.unit.environment.function.name
        mine = {key: function for key, function in program.functions.items() if original(key) == name}
        found = constants(replace(program, functions=mine)) if mine else ()
        own = tuple(value for value in found if 1 < value < LARGEST_CONSTANT)
        return tuple(dict.fromkeys((*self.unit.environment.sizes, *own)))

    # ------------------------------------------------------------ checks

    def check(self, exploration: Exploration) -> tuple[CheckResult | None, list[Judged]]:
        """The last result, and what is to be thought of all failures that are known."""
        result: CheckResult | None = None
        for number in range(ROUNDS):
            verdicts = judged(self.explored, exploration.lines)
            clauses = tuple(
                one.failure.clause for one in verdicts if one.failure.clause is not None and not one.contradiction
            )
            if result is not None and self.budget.remaining() < LEAST_SECONDS:
                break
            share = 0.5 if number < ROUNDS - 1 else 1.0
            result = self.answer(tuple(dict.fromkeys(clauses)), self.budget.remaining() * share)
            self.reports += result.crash_reports
            if not self.learn(exploration, result, verdicts):
                break
        return result, judged(self.explored, exploration.lines)

    def answer(self, clauses: Sequence[Clause], seconds: float) -> CheckResult:
        unit = self.unit
        if clauses:
            subject = Subject(unit.entry_task, define_task(unit.entry_task, list(self.compiled(clauses))))
        else:
            subject = self.plain
        request = replace(
            unit.request,
            entry=unit.environment.entry,
            files=unit.task.files,
            property=unit.task.property,
            timeout=max(1.0, seconds),
            proof_runs=False,
            shrink=False,
            findings="more",
            jobs=1,
        )

        def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
            return search(request, subject, base, budget, send)

        return run(request, decide=decide)

    def compiled(self, clauses: Sequence[Clause]) -> tuple[Compiled, ...]:
        """The files, with the function's own driver alone, which assumes the clauses."""
        unit = self.unit
        text = header(str(unit.file.absolute())) + unit.environment.text([condition_of(one) for one in clauses])
        with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
            path = Path(folder) / CALLER
            path.write_text(text, "utf-8")
            mine = compile_file(replace(unit.entry_task, files=(path,)), path)
        pairs = zip(unit.task.files, unit.compiled, strict=True)
        return tuple(mine if file == unit.file else code for file, code in pairs)

    def learn(self, exploration: Exploration, result: CheckResult, verdicts: Sequence[Judged]) -> bool:
        """Clauses for failures that are new; whether the function has to be checked again."""
        known = {_place(one.failure.site) for one in verdicts if one.contradiction or one.failure.clause is None}
        new = False
        for found in _violations(result):
            site = CheckSite(found.check, found.kind, found.message, found.at)
            if _place(site) in known or exploration.is_given_up(site):
                continue
            exploration.exclude(site, [self.state(found)])
            new = new or exploration.found.failures[-1].clause is not None
        return new

    def state(self, found: Counterexample) -> State:
        """What the caller of the failing run chose."""
        given = {one.source: one for one in self.unit.environment.given}
        state: dict[str, int] = {}
        for value in found.inputs:
            one = given.get(value.name)
            if one is not None and value.value is not None:
                state.setdefault(one.source, signed_value(one, value.value, value.bits))
        return state

    # ------------------------------------------------------------ what is told

    def told(
        self, result: CheckResult | None, verdicts: Sequence[Judged], exploration: Exploration,
        assumptions: Sequence[str],
    ) -> Entry:  # fmt: skip
        environment = self.unit.environment
        excused = [one for one in verdicts if not one.contradiction]
        requires = dict.fromkeys(_required(one) for one in excused)
        findings = self.findings(result, verdicts) if result is not None else ()
        said = (one for one in assumptions if "counterpoint_" not in one)
        return replace(
            self.entry,
            given=environment.requires,
            requires=tuple(requires),
            assumed=tuple(dict.fromkeys((*environment.assumed, *said))),
            checks=self.own_checks(result),
            findings=findings,
            detail=_detail(result),
            runs=len(exploration.found.samples),
            crash_reports=self.reports,
        )

    def findings(self, result: CheckResult, verdicts: Sequence[Judged]) -> tuple[Finding, ...]:
        """Violations that no precondition excuses, as they were replayed."""
        against = {_place(one.failure.site): one for one in reversed(verdicts) if one.contradiction}
        name = self.unit.environment.function.name
        found = []
        for violation in _violations(result):
            place = _place(CheckSite(violation.check, violation.kind, violation.message, violation.at))
            if place not in against:
                continue
            one = against[place]
            told = self.as_told(violation)
            grade = Grade.MANIFEST if told.at.function == name or _is_model(told) else Grade.CALLER
            why = f"in {name}: {one.contradiction}"
            found.append(Finding(grade, told, why, text_of(one.failure.clause) if one.failure.clause else ""))
        return tuple(found)

    def own_checks(self, result: CheckResult | None) -> tuple[CheckAnswer, ...]:
        """Those in the function's own code; what is lost counts as one of it."""
        if result is None:
            return ()
        name = self.unit.environment.function.name
        own = (one for one in result.checks if one.kind == LOST or one.at.function == name)
        return tuple(replace(one, at=self.place(one.at)) for one in own)

    def place(self, at: SourceLocation) -> SourceLocation:
        """The function itself stands for its arbitrary caller."""
        if not at.file.endswith(CALLER):
            return at
        return SourceLocation(self.entry.file, self.entry.line, 0, self.entry.function)

    def as_told(self, found: Counterexample) -> Counterexample:
        """Without places in the arbitrary caller."""
        said = tuple(_CALLED.sub("", sentence) for sentence in found.explanation)
        return replace(found, at=self.place(found.at), message=_CALLED.sub("", found.message), explanation=said)


def _violations(result: CheckResult) -> tuple[Counterexample, ...]:
    first = (result.counterexample,) if result.counterexample is not None else ()
    return result.findings or first


def _required(one: Judged) -> Required:
    site, clause = one.failure.site, one.failure.clause
    said = _CALLED.sub("", site.message)
    return Required(text_of(clause) if clause is not None else "", site.kind, str(site.at), said)


def _detail(result: CheckResult | None) -> str:
    if result is None or result.outcome is not Outcome.UNKNOWN:
        return ""
    return f"{result.reason}: {result.detail}" if result.detail else result.reason


def _is_model(violation: Counterexample) -> bool:
    return violation.at.file.startswith("<")


def _place(site: CheckSite) -> tuple[str, str, int]:
    return (site.kind, site.at.file, site.at.line)


