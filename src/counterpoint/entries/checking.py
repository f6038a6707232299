"""One function from its arbitrary caller: runs tell what it requires, engines what holds then, judgement what is left.

    explore (runs of the unprepared program)  ->  clauses, contradictions
    check under the clauses (the portfolio)   ->  proofs, further failures  ->  more clauses, again
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from counterpoint.contracts.declarations import Declarations
from counterpoint.core.budget import Budget
from counterpoint.core.clock import now
from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, CheckSite, SourceLocation
from counterpoint.entries.apart import apart, called_at, places
from counterpoint.entries.asked import Asked, detail, is_settled, never_lost, proved_keys, under, violations
from counterpoint.entries.behind import still_behind
from counterpoint.entries.contents import look_at_contents
from counterpoint.entries.environment import CALLER, Environment, header
from counterpoint.entries.explored import Explored, Sample, signed_value
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.findings import AT_START, Entry, Finding, Grade, once_a_line
from counterpoint.entries.fixed import at_start
from counterpoint.entries.given import What
from counterpoint.entries.judging import Judged, excusing, judged, required
from counterpoint.entries.kept import kept_for
from counterpoint.entries.literals import Clause, State, condition_of, holds, literals, text_of
from counterpoint.entries.natively import explore_natively
from counterpoint.entries.needed import look_again, review
from counterpoint.entries.own_numbers import LARGEST, functions_of, numbers_in, offsets_in, ones_in
from counterpoint.entries.rungs import Again, climbed, is_recursive
from counterpoint.entries.spots import key, line_of, site_key, spot, where
from counterpoint.entries.told import without_caller
from counterpoint.entries.why import look_why
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import MODULAR, UNPREPARED, Subject
from counterpoint.frontend.c.clang import Compiled, compile_file
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.answers import rows_of
from counterpoint.portfolio.claimed import claim_of
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.readable_run import explain
from counterpoint.portfolio.replay import confirm
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.portfolio.run import Decide, run, search
from counterpoint.program.model import LOST

ROUNDS: Final = 4
"""Checks of one function: each but the last may find what the next one's precondition excludes."""

EXPLORING: Final = 0.25
REVIEWING: Final = 0.05
CHALLENGING: Final = 0.1
"""Of a function's time, for runs; of what is left then, for those that tell which clauses are needed, and for those
that speak against findings."""

LOOKING: Final = 0.2
CONFIRMING: Final = 0.2
REPLAYED: Final = 3
"""Of what is left, for what failures are about, and for the replay of a finding; runs that are tried."""

OWN_SHARE: Final = 0.75
"""Of what is left, for the checks of the function's own code."""

CLIMBING: Final = 0.6
"""Of that, at most, for what costs little (rungs.py)."""

HURRIED: Final = (0.92, 0.7, 0.95)
OTHERS: Final = 0.5
"""Where other functions wait for the time: the same two, then of what is left, for what engines say of them at once;
and for all that they say of others."""

LEAST_SECONDS: Final = 1.5
"""Below which no further check is begun."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A function with what it is compiled with: `file` is its own among those of `task`, whose compiled forms are
    `compiled` in the same order, with the drivers of all functions of the file in that of `file`: `callers` is where
    they stand, as the front end may compile them again. `hurried`: others wait for the time that it leaves. `others`:
    what the other files declare; `share`: seconds that each function has, if all have as many."""

    request: Request
    task: SourceTask
    file: Path
    declared: Declarations
    environment: Environment
    compiled: tuple[Compiled, ...]
    callers: Path
    hurried: bool = False
    others: tuple[Declarations, ...] = ()
    share: float = 0.0

    @property
    def entry_task(self) -> SourceTask:
        return replace(self.task, entry=self.environment.entry)

    def defined(self, callers: Path, compiled: Sequence[Compiled]) -> Subject:
        """The program of these compiled forms, whose drivers stand there."""
        task = self.entry_task
        return Subject(task, define_task(task.instead({self.file: callers}), list(compiled)))


def checked(unit: Unit, seconds: float, so_far: Callable[[Entry], None] = lambda _: None) -> Entry:
    """What is known of the function after so many seconds."""
    began = now()
    function = unit.environment.function
    found = Entry(function.name, function.file or str(unit.file), function.line)
    kept = kept_for(
        unit.request, unit.entry_task, (unit.declared, *unit.others), unit.environment, unit.compiled
    )
    again = kept.get(found, seconds, unit.share) if kept is not None else None
    if again is not None:
        return replace(again, seconds=round(now() - began, 2))
    try:
        found = _Checking(unit, Budget(seconds), found, so_far).result()
    except CounterpointError as error:
        found = replace(found, missing=_reason(error))
    if kept is not None:
        kept.put(found, seconds, unit.share)
    return replace(found, seconds=round(now() - began, 2))


NOT_ASKED: Final = "no time was left for it"
USED_UP: Final = "its time was used up, but for runs"


def _reason(error: CounterpointError) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


@dataclass(slots=True)
class _Checking:
    unit: Unit
    budget: Budget
    entry: Entry
    so_far: Callable[[Entry], None] = lambda _: None
    plain: Subject = field(init=False)
    explored: Explored = field(default_factory=Explored)
    reports: tuple[str, ...] = ()
    confirmed: list[tuple[Judged, Counterexample]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    composed: frozenset[Clause] | None = None
    outermost: bool = False
    left: tuple[str, ...] = ()
    lacking: bool = False
    failing: set[object] = field(default_factory=set)
    subjects: dict[tuple[Clause, ...], Subject] = field(default_factory=dict)

    def result(self) -> Entry:
        unit, environment = self.unit, self.unit.environment
        subject = self.plain = self.subjects[()] = unit.defined(unit.callers, unit.compiled)
        program = subject.program(UNPREPARED)
        pool = tuple(value for value in constants(program, 400) if 1 < value < LARGEST)
        mine = functions_of(program, environment.function.name)
        own = tuple(dict.fromkeys((*environment.sizes, *numbers_in(mine))))
        vocabulary = literals(environment, (*ones_in(mine), *own), offsets_in(mine))
        copied = apart(program, environment.function.name)
        exploration = Exploration(copied.program, environment, vocabulary, pool, unit.request.seed, own, copied.origin)
        self.left = at_start(program, environment.entry)
        self.lacking = bool(at_start(program, environment.entry, tables=False))
        self.explored = exploration.run(self.budget.share(EXPLORING))
        explore_natively(exploration, self.subject, self.budget, unit.hurried)
        review(exploration, self.budget.share(REVIEWING))
        self.confirm(exploration, self.challenged(exploration))
        self.so_far(replace(self.as_far_as_known(exploration), missing=USED_UP))
        stopped = ""
        try:
            self.check(exploration)
        except CounterpointError as error:
            stopped = _reason(error)
        return replace(self.as_far_as_known(exploration), missing=stopped)

    def as_far_as_known(self, exploration: Exploration) -> Entry:
        return self.told(self.judged(exploration), exploration, self.plain.program(UNPREPARED).assumptions)

    def challenged(self, exploration: Exploration) -> list[Judged]:
        """The same after runs that would show a finding to be none."""
        first = self.doubted(exploration)
        exploration.challenge(first, self.budget.share(CHALLENGING))
        exploration.look_near(self.budget.share(CHALLENGING))
        look_at_contents(exploration, self.budget.share(CHALLENGING))
        look_why(self.plain, exploration, self.budget.share(LOOKING))
        later = [clause for clause in self.doubted(exploration) if clause not in first]
        exploration.challenge(later, self.budget.share(CHALLENGING))
        return self.judged(exploration)

    def doubted(self, exploration: Exploration) -> list[Clause]:
        """What findings say that no call keeps."""
        clauses = (one.failure.clause for one in self.judged(exploration) if one.contradiction)
        return [clause for clause in clauses if clause is not None]

    def judged(self, exploration: Exploration) -> list[Judged]:
        """What is to be thought of all failures that are known."""
        caller = self.unit.environment
        return judged(self.explored, exploration.lines, replace(caller, fixed=caller.fixed or self.lacking))

    def confirm(self, exploration: Exploration, verdicts: Sequence[Judged]) -> None:
        """Replays a run for each finding that runs have shown already."""
        excused = [one.failure.clause for one in verdicts if one.failure.clause is not None and not one.contradiction]
        known = set[int]()
        for one in verdicts:
            check = one.failure.site.index
            if not one.contradiction or check in known:
                continue
            known.add(check)
            samples = [sample for sample in self.explored.samples if sample.failed == check]
            samples.sort(key=lambda one: self.strangeness(one, excused))
            for sample in samples[:REPLAYED]:
                with suppress(CounterpointError):
                    seen = confirm(self.plain, sample.inputs, self.budget.share(CONFIRMING))
                    if seen.check != exploration.origin(check):
                        continue
                    told = explain(self.plain, seen, UNPREPARED, self.budget.remaining())
                    self.confirmed.append((one, replace(told, at=called_at(told.at, one.failure.site))))
                    break

    def strangeness(self, sample: Sample, excused: Sequence[Clause]) -> tuple[int, int, int]:
        """Told is the least: a run that keeps most of what is required, with pointers that are there."""
        kept = sum(holds(clause, sample.state) for clause in excused)
        pointers = [one.source for one in self.unit.environment.given if one.what is What.POINTER]
        return -kept, sum(sample.state.get(one) == 0 for one in pointers), len(sample.inputs)

    # ------------------------------------------------------------ checks

    def check(self, exploration: Exploration) -> None:
        """Those of the function's own code first, of runs on which all others hold; then the others."""
        hurried = self.unit.hurried
        mine, climbing, engines = HURRIED if hurried else (OWN_SHARE, CLIMBING, 0.6)
        for own, share in ((True, mine), (False, OTHERS if hurried else 1.0)):
            budget = self.budget.share(share)
            for number in range(ROUNDS):
                if self.asked and budget.remaining() < LEAST_SECONDS:
                    break
                verdicts = self.judged(exploration)
                clauses = excusing(verdicts)
                later = engines if number < ROUNDS - 1 else 1.0
                if own:
                    self.climb(clauses, budget.remaining() * climbing, exploration.again)
                    self.so_far(self.as_far_as_known(exploration))
                result = self.ask(clauses, own, budget.remaining() * later)
                if result is None or not self.learn(exploration, result, verdicts):
                    break

    def ask(self, clauses: tuple[Clause, ...], own: bool, seconds: float) -> CheckResult | None:
        """What engines say of what is open of one group of checks, None if nothing is."""
        result = self.answer(clauses, own, seconds)
        if not own and (result is None or result.outcome is Outcome.TRUE) and not self.some_fail(clauses, own):
            self.composed = frozenset(clauses)
        if result is None:
            return None
        self.asked.append(Asked(frozenset(clauses), self.places(clauses, own), result))
        self.reports += result.crash_reports
        return result

    def climb(self, clauses: tuple[Clause, ...], seconds: float, again: Again) -> None:
        """What costs little, of the function's own checks that are open."""
        subject = self.subject(clauses)
        others = self.still_open(subject, clauses, own=False)
        wanted = self.still_open(subject, clauses, own=True) | others & (self.in_models(subject) | never_lost(subject))
        if not wanted or seconds < LEAST_SECONDS:
            return
        subject, seed = subject.focused(wanted), self.unit.request.seed

        def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
            return climbed(subject, base, budget, seed, again, send)

        result = self.run(subject, seconds, decide)
        if is_recursive(subject, self.unit.environment.function.name):
            self.outermost |= any(one.answer is Answer.PROVED for one in result.checks)
        self.asked.append(Asked(frozenset(clauses), self.places(clauses, own=True), result))
        self.reports += result.crash_reports

    def answer(self, clauses: tuple[Clause, ...], own: bool, seconds: float) -> CheckResult | None:
        subject = self.subject(clauses)
        wanted = self.still_open(subject, clauses, own)
        if not wanted:
            return None
        subject = subject.focused(wanted)

        def decide(request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send) -> CheckResult:
            return search(request, subject, base, budget, send)

        return self.run(subject, seconds, decide)

    def run(self, subject: Subject, seconds: float, decide: Decide) -> CheckResult:
        """What is known of the subject's checks after so many seconds."""
        unit = self.unit
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
        found = run(request, decide=decide)
        # Of what is out of focus the result knows nothing: such checks are not in the program that it is about.
        return replace(found, checks=tuple(one for one in found.checks if one.check in subject.focus))

    def subject(self, clauses: tuple[Clause, ...]) -> Subject:
        """The program with a caller that fulfils the clauses."""
        if clauses not in self.subjects:
            with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
                callers = Path(folder) / CALLER
                self.subjects[clauses] = self.unit.defined(callers, self.compiled(clauses, callers))
        return self.subjects[clauses]

    def group(self, subject: Subject, own: bool) -> frozenset[int]:
        """The checks in the function's own code, or all others, without those that runs have shown to fail."""
        name = self.unit.environment.function.name
        shown = {(one.failure.site.kind, spot(one.failure.site.at)) for one, _ in self.confirmed}
        return frozenset(
            site.index
            for site in subject.defined.checks
            if (site.at.function == name and site.kind != LOST) is own and (site.kind, spot(site.at)) not in shown
        )

    def still_open(self, subject: Subject, clauses: tuple[Clause, ...], own: bool) -> frozenset[int]:
        """Those of the group that were not proved of all callers that keep the clauses, nor shown to fail whatever is
        required of them."""
        proved = frozenset[object]().union(*(proved_keys(one) for one in self.asked if one.clauses <= set(clauses)))
        sites = subject.defined.checks
        return frozenset(
            index
            for index in self.group(subject, own)
            if site_key(sites[index]) not in proved and line_of(sites[index]) not in self.failing
        )

    def in_models(self, subject: Subject) -> frozenset[int]:
        """The checks in models of library functions that are shown at a place of the function's own code."""
        name = self.unit.environment.function.name
        rows = rows_of(subject, subject.program(MODULAR))
        mine = (row for row in rows if row.kind != LOST and row.at.function == name)
        return frozenset(check for row in mine for check in row.checks)

    def some_fail(self, clauses: tuple[Clause, ...], own: bool) -> bool:
        subject = self.subject(clauses)
        return any(line_of(subject.defined.checks[index]) in self.failing for index in self.group(subject, own))

    def places(self, clauses: tuple[Clause, ...], own: bool) -> frozenset[object]:
        """Where the checks of one group stand, whatever their indices are under the clauses."""
        subject = self.subject(clauses)
        wanted = self.group(subject, own)
        return frozenset(where(site.kind, site.at) for site in subject.defined.checks if site.index in wanted)

    def compiled(self, clauses: Sequence[Clause], path: Path) -> tuple[Compiled, ...]:
        """The files, with the function's own driver alone, which assumes the clauses; it is written there."""
        unit = self.unit
        text = header(str(unit.file.absolute())) + unit.environment.text([condition_of(one) for one in clauses])
        path.write_text(text, "utf-8")
        mine = compile_file(unit.entry_task.alone(unit.file).instead({unit.file: path}), path)
        pairs = zip(unit.task.files, unit.compiled, strict=True)
        return tuple(mine if file == unit.file else code for file, code in pairs)

    def learn(self, exploration: Exploration, result: CheckResult, verdicts: Sequence[Judged]) -> bool:
        """Clauses for failures that are new; whether the function has to be checked again."""
        known = {line_of(one.failure.site) for one in verdicts if one.contradiction or one.failure.clause is None}
        new = False
        for found in violations(result):
            site = CheckSite(found.check, found.kind, found.message, found.at)
            inner = self.subject(excusing(verdicts)).defined.checks[found.check]  # in a model, where runs know it
            if line_of(site) not in known and not exploration.is_given_up(inner):
                failing = exploration.failing(self.state(found), inner, self.budget)
                if failing.failed is not None:
                    exploration.found.samples.append(failing)
                    site = exploration.program.checks[failing.failed]
                if exploration.exclude(site, [failing], self.budget):
                    look_again(exploration, self.budget.share(REVIEWING))
                    new = True
                    continue
            new = new or line_of(site) not in self.failing  # what is beside it is still to be decided
            self.failing.add(line_of(site))
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

    def told(self, verdicts: Sequence[Judged], exploration: Exploration, assumptions: Sequence[str]) -> Entry:
        environment = self.unit.environment
        excused, clauses = [one for one in verdicts if not one.contradiction], frozenset(excusing(verdicts))
        latent = (one for one in excused if not is_settled(one.failure, clauses, self.explored, self.asked))
        requires = once_a_line(required(one, self.explored.shown, self.place) for one in latent)
        findings = self.findings(verdicts)
        fixed = [f"{name} {AT_START}" for name in self.left]
        said = (one for one in assumptions if "counterpoint_" not in one)
        return replace(
            self.entry,
            given=environment.requires,
            requires=requires,
            assumed=tuple(dict.fromkeys((*environment.assumed, *fixed, *said))),
            checks=self.own_checks(clauses),
            findings=findings,
            detail=detail(self.asked),
            relies=self.relies(clauses),
            runs=len(exploration.found.samples),
            crash_reports=self.reports,
        )

    def findings(self, verdicts: Sequence[Judged]) -> tuple[Finding, ...]:
        """Violations that no precondition excuses, as they were replayed."""
        excused = {line_of(one.failure.site) for one in verdicts if not one.contradiction}
        against = {line_of(one.failure.site): one for one in reversed(verdicts) if one.contradiction}
        found = {tuple(map(spot, places(told.at))): self.finding(one, told) for one, told in self.confirmed}
        shown = {spots[0] for spots in found}
        for told in (violation for one in self.asked for violation in violations(one.result)):
            line = line_of(CheckSite(told.check, told.kind, told.message, told.at))
            if line in against and line not in excused and spot(told.at) not in shown:
                found.setdefault((spot(told.at),), self.finding(against[line], told))
        return tuple(found.values())

    def finding(self, one: Judged, violation: Counterexample) -> Finding:
        name = self.unit.environment.function.name
        told = self.as_told(violation)
        grade = Grade.MANIFEST if told.at.function == name or _is_model(told) else Grade.CALLER
        clause = one.failure.clause
        return Finding(grade, told, f"in {name}: {one.contradiction}", text_of(clause) if clause is not None else "")

    def own_checks(self, required: frozenset[Clause]) -> tuple[CheckAnswer, ...]:
        """Those in the function's own code; what is lost counts as one of it. Where several checks were made, what was
        proved once holds, unless it was where callers keep more than what is `required` now."""
        name = self.unit.environment.function.name
        answers: dict[object, CheckAnswer] = {key(one): one for one in self.not_asked()}
        for one in (one for asked in self.asked for one in under(asked, required)):
            if one.kind == LOST or one.at.function == name:
                earlier = answers.get(key(one))
                if earlier is None or earlier.answer is not Answer.PROVED:
                    answers[key(one)] = still_behind(earlier, one)
        own = list(answers.values())
        seen = {(told.kind, spot(told.at)): told for _, told in self.confirmed}
        known = {(one.kind, spot(one.at)) for one in own}
        more = [
            CheckAnswer(told.check, told.kind, told.at, without_caller(told.message), Answer.REFUTED, told.cause)
            for shown, told in seen.items()
            if shown not in known and (told.at.function == name or told.kind == LOST)
        ]
        said = (self.refuted(one) if (one.kind, spot(one.at)) in seen else one for one in own)
        return tuple(replace(one, at=self.place(one.at)) for one in (*said, *more))

    def relies(self, required: frozenset[Clause]) -> bool:
        """Whether it is open, of callers that keep what is required, if the checks in other functions' code hold, or
        those in its own where it calls itself."""
        if self.outermost:
            return True
        proved = self.composed is not None and self.composed <= required
        return not proved and bool(self.group(self.plain, own=False))

    def not_asked(self) -> list[CheckAnswer]:
        """The function's own checks of which no engine said anything, because time or memory ended before, but those
        that runs have shown to fail."""
        known = frozenset[object]().union(*(one.wanted for one in self.asked if one.result.checks))
        own, others = self.group(self.plain, True), self.group(self.plain, False)
        lost = [one.index for one in self.plain.defined.checks if one.kind == LOST and one.index in others]
        sites = [one for one in self.plain.defined.checks if one.index in own or one.index in lost]
        return [
            CheckAnswer(one.index, one.kind, one.at, claim_of(one.message), Answer.UNKNOWN, why=NOT_ASKED)
            for one in sites
            if where(one.kind, one.at) not in known
        ]

    def refuted(self, one: CheckAnswer) -> CheckAnswer:
        return replace(one, answer=Answer.REFUTED, why="", by="")

    def place(self, at: SourceLocation) -> SourceLocation:
        """The function itself stands for its arbitrary caller, and for what clang gave no place."""
        if at.file != NOWHERE.file and not at.file.endswith(CALLER):
            return at
        return SourceLocation(self.entry.file, self.entry.line, 0, self.entry.function)

    def as_told(self, found: Counterexample) -> Counterexample:
        """Without places in the arbitrary caller."""
        said = tuple(without_caller(sentence) for sentence in found.explanation)
        return replace(found, at=self.place(found.at), message=without_caller(found.message), explanation=said)


def _is_model(violation: Counterexample) -> bool:
    return violation.at.file.startswith("<")
