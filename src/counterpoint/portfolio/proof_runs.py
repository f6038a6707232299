"""Runs against proofs: each accepted certificate has to survive a fixed number of concrete runs.

Native search attacks the checks of the unprepared program; the interpreter runs the program that the certificate is
about, on inputs that the search kept and on biased ones, and the certificate's claims are evaluated at each place that
a run visits (evidence/runs.py). Solvers, their formulas and the static analyses have no part in either; native code
shares not even the meaning of operations. Only runs of the model count: what is arbitrary comes from the inputs, each
access goes through the table of objects, and a run ends without a word where an assumption is false, a limit is
reached or something is met that only an executor cannot do.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, Unsupported
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.places import Place
from counterpoint.evidence.runs import Claims, Contradicted
from counterpoint.execute.accesses import WatchedAccesses, moved
from counterpoint.execute.inputs import InputSource, RandomInputs, ReplayInputs, SmallInputs
from counterpoint.execute.interpreter import Run
from counterpoint.execute.interpreter import run as interpret
from counterpoint.execute.native.build import NativeRun, NotNative, SearchEnd
from counterpoint.execute.native.build import Outcome as NativeOutcome
from counterpoint.execute.outcome import Limits, StepLimit, UnsupportedAt, Violated
from counterpoint.execute.snapshots import SPANS, constants
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.execute.visits import Visited, VisitedProgram
from counterpoint.portfolio.processes import Child, Crashed, Send, spawn
from counterpoint.portfolio.result import ProofRuns
from counterpoint.program import model as m
from counterpoint.program.inputs import Input
from counterpoint.program.names import original

SECONDS = 4.0
"""Of one proof's runs: beyond it nothing new is begun. Counts end them long before, as a rule."""

NATIVE_SECONDS = 1.5
"""Of the native search."""

BEHIND = 15
"""How much nicer than the checker they are: without it the proof is worth nothing."""

RESERVED = 0.3
"""Seconds of the check that are left for the report."""

NATIVE_RUNS, NATIVE_STEPS, ALL_NATIVE_STEPS = 20_000, 3_000_000, 10_000_000
"""Runs of native search, block entries of each, and of all together."""

KEPT = 20
"""Inputs of the native search that the interpreter runs as well."""

RUNS, FEW_RUNS = 40, 8
"""Runs of the interpreter with inputs of its own, and of a proof that claims nothing of states and ways."""

STEPS, LONG_STEPS, ALL_STEPS = 3_000, 60_000, 400_000
"""Instructions of a run of the interpreter, of one that needs more (LONG_RUNS of them), and of all together."""

LONG_RUNS = 4

LONGEST_STEPS = 1_000_000
"""Instructions of one more run, where such a one ended at its limit and no run was at some place."""

VISITS = 500
"""Visits of a run that are noted."""

WORK, SHARE = 120_000, 8
"""Terms that are evaluated, or visits that are followed, in all; one run has at most a SHARE-th of it."""

CONFIRMING_STEPS = 2_000_000
"""Instructions within which the interpreter repeats what native code found."""


_CANNOT_TELL = (
    NativeOutcome.STRAYED, NativeOutcome.TIME, NativeOutcome.MEMORY, NativeOutcome.DEPTH, NativeOutcome.INPUTS,
)  # fmt: skip


def run_proof(subject: Subject, certificate: Certificate, budget: Budget, seed: int = 0) -> ProofRuns:
    """What was run without a contradiction. Raises Contradicted.

    The same runs for the same seed, unless time runs out: then fewer of them.
    """
    limit = Budget(min(SECONDS, budget.remaining() - RESERVED))
    if limit.seconds <= 0:
        return ProofRuns(note="no time was left for runs")
    attack = _Attack(subject, limit, seed)
    attack.search()
    attack.follow(certificate)
    return attack.done()


@dataclass(frozen=True, slots=True)
class _Contradiction:
    """What another process's Contradicted says."""

    detail: str


@contextmanager
def runs_beside(
    subject: Subject, certificate: Certificate, budget: Budget, seed: int | None
) -> Iterator[Callable[[], ProofRuns]]:
    """`run_proof` in a process of its own while the proof is checked; the call waits for what it says, or raises
    Contradicted. Runs that break off, or do not end in time, are a note: they contradict nothing. No seed: no runs.
    """
    if seed is None:
        yield lambda: ProofRuns(note="not asked for")
        return

    def work(send: Send) -> None:
        os.nice(BEHIND)
        try:
            send(run_proof(subject, certificate, Budget(budget.remaining()), seed))
        except Contradicted as error:
            send(_Contradiction(str(error)))

    child = spawn(work)
    try:
        yield lambda: _outcome(child, budget)
    finally:
        child.kill()


def _outcome(child: Child, budget: Budget) -> ProofRuns:
    while True:
        for message in child.receive():
            match message:
                case ProofRuns() as runs:
                    return runs
                case _Contradiction(detail):
                    raise Contradicted(detail)
                case Crashed(details):
                    return ProofRuns(note=f"the runs broke off: {details.strip().splitlines()[-1]}")
                case _:
                    return ProofRuns(note="the runs needed too much memory")
        left = budget.remaining() - RESERVED
        if child.ended or left <= 0:
            return ProofRuns(note="the runs broke off" if child.ended else "the runs did not end in time")
        select.select([child.reader], [], [], left)


@dataclass(slots=True)
class _Attack:
    subject: Subject
    limit: Budget
    seed: int
    native_runs: int = 0
    runs: int = 0
    steps: int = 0
    states: int = 0
    kept: tuple[tuple[Input, ...], ...] = ()
    claims: Claims | None = None
    notes: list[str] = field(default_factory=list)

    def done(self) -> ProofRuns:
        total, evaluated = (self.claims.total, self.claims.evaluated()) if self.claims is not None else (0, 0)
        seconds = round(self.limit.elapsed(), 3)
        note = "; ".join(self.notes)
        return ProofRuns(self.native_runs, self.runs, self.states, total, evaluated, seconds, note)

    # ------------------------------------------------------------ the unprepared program

    def search(self) -> None:
        """Native search for a failing check."""
        seconds = min(NATIVE_SECONDS, self.limit.remaining())
        try:
            executable = self.subject.native(UNPREPARED)
            found = executable.search(
                seed=self.seed,
                seconds=seconds,
                runs=NATIVE_RUNS,
                steps=NATIVE_STEPS,
                told=KEPT,
                total=ALL_NATIVE_STEPS,
            )
            end: SearchEnd | None = None
            with closing(found):
                for told in found:
                    end = told if isinstance(told, SearchEnd) else end
        except NotNative as error:
            self.notes.append(f"no native runs: {error}")
            self._interpret_unprepared()
            return
        if end is not None:
            self.native_runs, self.kept = end.state.runs, end.corpus
            if end.violation is not None:
                self._violated(end.violation)

    def _violated(self, found: NativeRun) -> None:
        """Both executors see the check fail; native code alone is enough, where it sees it twice."""
        program = self.subject.program(UNPREPARED)
        interpreted = interpret(program, ReplayInputs(found.inputs), Limits(steps=CONFIRMING_STEPS)).outcome
        said = "the interpreter as well"
        if interpreted != Violated(found.detail):
            again = self.subject.native(UNPREPARED).replay(found.inputs, seconds=max(0.1, self.limit.remaining()))
            if again.outcome is not NativeOutcome.VIOLATED or again.detail != found.detail:
                self.notes.append("a native run that failed a check could not be repeated")
                return
            said = f"the interpreter says {interpreted}"
        raise Contradicted(f"native code of the unprepared program fails {_named(program, found.detail)}; {said}")

    def _interpret_unprepared(self) -> None:
        program = self.subject.program(UNPREPARED)
        for source in self._sources(program):
            if not self._may_go_on():
                return
            done = interpret(program, source, Limits(steps=STEPS, seconds=self.limit.remaining()))
            self.runs += 1
            self.steps += done.steps
            self._judge(done, "the unprepared program")

    # ------------------------------------------------------------ the certificate's program

    def follow(self, certificate: Certificate) -> None:
        """The interpreter's runs of the program that the certificate is about, with its claims at its places."""
        program = self.subject.program(certificate.preparation)
        try:
            claims = self.claims = certificate.claims(program)
        except (EvidenceRejected, Unsupported) as error:
            self.notes.append(f"the claims were not run: {error}")
            return
        watched = None if claims.points is None else WatchedAccesses(claims.points)
        visited = VisitedProgram(program, claims.cuts, claims.wanted, watched)
        what, long_runs, unseen = f"the {certificate.preparation} preparation", LONG_RUNS, set(claims.cuts)
        longest: Run | None = None
        for source in self._sources(program):
            if not self._may_go_on() or claims.work >= WORK:
                break
            steps = LONG_STEPS if long_runs and self.runs % 4 == 0 else STEPS
            try:
                done, places = self._follow(visited, claims, source, min(steps, ALL_STEPS - self.steps), what)
            except Unsupported as error:
                self.notes.append(f"the claims were not run: {error}")
                return
            unseen -= places
            long_runs -= done.steps > STEPS
            if isinstance(done.outcome, StepLimit) and steps == LONG_STEPS:
                longest = done
            if not done.inputs:  # the only run there is
                break
        if unseen and longest is not None and self.limit.remaining() > 0:
            self._follow(visited, claims, ReplayInputs(longest.inputs), LONGEST_STEPS, what)

    def _follow(
        self, visited: VisitedProgram, claims: Claims, source: InputSource, steps: int, what: str
    ) -> tuple[Run, set[Place]]:
        """One run with its claims, and the places where it was."""
        limits = Limits(steps=steps, depth=2_000, seconds=self.limit.remaining())
        seen = visited.run(source, limits, most=VISITS, whole=claims.whole)
        done = seen.run
        self.runs += 1
        self.steps += done.steps
        self.states += len(seen.visits)
        claims.see(seen.visits, WORK // SHARE)
        self._judge(done, what)
        if seen.excluded and visited.watched is not None:
            self._confirm(seen, visited.watched, limits)
        return done, {place for place, _ in seen.visits}

    def _confirm(self, seen: Visited, watched: WatchedAccesses, limits: Limits) -> None:
        """Raises Contradicted if what analyses exclude is touched again where objects lie elsewhere."""
        points = watched.points
        elsewhere = VisitedProgram(moved(points.program), {}, {}, watched, apart=True)
        again = elsewhere.run(ReplayInputs(seen.run.inputs), limits, most=0, whole=False)
        for excluded in seen.excluded:
            if excluded in again.excluded:
                function, block, position = excluded.at
                at = points.program.functions[function].blocks[block].instructions[position].at
                touched = points.objects[excluded.number].name
                raise Contradicted(f"a run touches {shown(original(touched))} at {at}, which {excluded.by} excludes")

    def _judge(self, done: Run, what: str) -> None:
        """Raises Contradicted where a proof excludes the end of the interpreter's run, and another executor sees it."""
        program = self.subject.program(UNPREPARED)
        match done.outcome:
            case Violated(check):
                end, said = (NativeOutcome.VIOLATED, check), f"fail {_named(program, check)}"
            case UnsupportedAt(site, "") if site >= 0:
                at = program.sites[site]
                end, said = (NativeOutcome.UNSUPPORTED, site), f"get to what has no meaning: {at.name} ({at.at})"
            case _:
                return
        if self._seen_again(done, end):
            raise Contradicted(f"the interpreter sees a run of {what} {said}")
        self.notes.append(f"the interpreter alone sees a run of {what} {said}")

    def _seen_again(self, done: Run, end: tuple[NativeOutcome, int]) -> bool:
        """Native code of the unprepared program ends in that way; where it cannot tell, the interpreter there."""
        try:
            native = self.subject.native(UNPREPARED).replay(done.inputs, seconds=max(0.1, self.limit.remaining()))
            if native.outcome not in _CANNOT_TELL:
                return (native.outcome, native.detail) == end
        except NotNative:
            pass
        program = self.subject.program(UNPREPARED)
        return interpret(program, ReplayInputs(done.inputs), Limits(steps=CONFIRMING_STEPS)).outcome == done.outcome

    def _may_go_on(self) -> bool:
        return self.steps < ALL_STEPS and self.limit.remaining() > 0

    def _sources(self, program: m.Program) -> Iterator[InputSource]:
        yield ReplayInputs(())
        for inputs in self.kept:
            yield ReplayInputs(inputs)
        pool = constants(program)
        for number in range(RUNS if self.claims is None or self.claims.total else FEW_RUNS):
            span, seed = SPANS[number % len(SPANS)], self.seed * 1_000_003 + number
            yield SmallInputs(seed, span, pool) if span else RandomInputs(seed, pool)


def _named(program: m.Program, check: int) -> str:
    site = program.checks[check]
    return f"the check `{site.message}` ({site.at})"
