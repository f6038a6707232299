"""The worker's part of a check: compile, run the schedule's engines, have verdicts checked, sum up."""

from __future__ import annotations

import os
import select
import tempfile
import time
from dataclasses import field, replace
from pathlib import Path

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Precision, Progress, RegionEvent
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.child_process import Running
from counterpoint.portfolio.composition import composed_proof
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.engine_process import Answer, Assignment, Refusal, engine_work
from counterpoint.portfolio.ledger import Claim, Ledger, Part
from counterpoint.portfolio.pool import size_of
from counterpoint.portfolio.processes import Crashed, Send, memory_of, spawn
from counterpoint.portfolio.reasons import most_telling
from counterpoint.portfolio.recording import Recorder
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Counterexample, EngineRun, Proof
from counterpoint.portfolio.reuse import Reuse, Told, tell_candidates, with_answers
from counterpoint.portfolio.schedule import SEARCHERS, Schedule, Slice, is_automatic
from counterpoint.portfolio.scheduler import LEAST, Turns
from counterpoint.portfolio.settling import RESERVED, SUMMARISER, judged, last_claims
from counterpoint.portfolio.validation import Accepted, Judgement, Refuted, Rejected, Unchecked, answered, judge

EVIDENCE_SHARE = 0.15
"""Part of the time that engines may not use where claims wait to be judged: it belongs to the re-check of these."""

LATE_SHARE = 0.07
"""Where none waits: a verdict that comes as late as that would not be re-checked in time."""

PAUSABLE = 0.6
"""Part of the memory up to which an engine is paused after its turn; beyond it is ended, and may begin anew."""

OVERTIME = 0.5
"""Seconds that an engine gets beyond its own limit before it is killed."""

YIELD = 1.0
"""Seconds for which engines stand still while evidence is checked: most checks are over by then, and all is decided."""

EARLY_LANE = -1
"""The number of what runs beside the schedule's lanes, and was started before them."""

STOPPED = "stopped"
"""The answer of an engine that was at work when another one had a checked verdict."""

PROVED = "PROVED"
"""The answer of an engine whose checked proof is about some of the checks."""


@dataclass(slots=True)
class Portfolio:
    """Runs a schedule on a subject. `result` is the answer once `run()` returned. `limit`: seconds of engines, where
    that is less than what the budget leaves them. `reuse`: what may be had from earlier checks."""

    subject: Subject
    request: Request
    schedule: Schedule
    budget: Budget
    base: CheckResult
    send: Send
    ledger: Ledger
    early: Running | None = None
    limit: float | None = None
    reuse: Reuse | None = None
    runs: list[EngineRun] = field(default_factory=list)
    unknowns: list[tuple[str, Unknown]] = field(default_factory=list)
    accepted: list[tuple[str, Accepted]] = field(default_factory=list)
    crash_reports: list[str] = field(default_factory=list)
    refuted: str = ""
    exhausted: Unknown | None = None
    recorders: list[Recorder] = field(default_factory=list)
    current: dict[int, Running] = field(default_factory=dict)
    paused: dict[tuple[str, ...], Running] = field(default_factory=dict)
    turns: Turns = field(init=False)
    facts: Path = field(init=False)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.turns = Turns(self.schedule)
        descriptor, name = tempfile.mkstemp(prefix="facts-")
        os.close(descriptor)
        self.facts = Path(name)
        if self.reuse is not None:
            tell_candidates(self.reuse, self.subject, self.facts)
        if self.early is not None:
            self.current[EARLY_LANE] = self.early
            self.recorders.append(self.early.recorder)

    def run(self) -> CheckResult:
        """The first checked verdict, or the most telling UNKNOWN. Raises UnusableInput for an option's value."""
        try:
            self._work()
            while self._settled() and self._engine_seconds() > LEAST:
                self._work()
            self._close_open_runs()
            self._summarise()
        finally:
            for running in (*self.current.values(), *self.paused.values()):
                running.child.kill()
            self.facts.unlink(missing_ok=True)
        return self._result()

    def _work(self) -> None:
        self._start_idle_lanes()
        while self.current and self._open() and self.budget.remaining() > 0:
            self._wait()
            self._watch_limits()
            self._start_idle_lanes()

    def _open(self) -> bool:
        """Whether an answer, or a better one, may still come."""
        judging = any(running.verdict is not None for running in self.current.values())
        searching = self.exhausted is None and self.ledger.worth(self.ledger.unclaimed)
        return not self.accepted and not self.refuted and (searching or judging)

    # ---------------------------------------------------------------- claims

    def _settled(self) -> bool:
        """Has claims about open checks judged. Whether there were some, and checks are open that nobody claims."""
        claims = self.ledger.news()
        for claim in claims:
            if self.accepted or self.refuted or self.budget.remaining() <= RESERVED:
                return False
            if self.ledger.worth(claim.checks & self.ledger.open):
                self._judge_claim(claim)
        return bool(claims) and self.ledger.worth(self.ledger.unclaimed)

    def _judge_claim(self, claim: Claim) -> None:
        self.send(Progress(claim.engine, "checking what it proved"))
        self.ledger.claims.remove(claim)
        checks = claim.checks & self.ledger.open
        subject = self.subject.focused(checks)
        given = self._settling(), self._seed_of_runs(), self._address_space(), self.reuse, self.request.jobs
        match judged(Safe(claim.certificate), subject, *given):
            case Accepted(Proof() as proof, assumptions):
                self.ledger.parts.append(Part(claim.engine, subject.focus, claim.certificate, proof, assumptions))
                self.runs.append(EngineRun(claim.engine, PROVED, _count(checks), 0.0))
            case Rejected(detail):
                self._reported(f"evidence of {claim.engine} was rejected", detail, claim)
            case Refuted(detail):
                self._reported(f"runs contradict the proof of {claim.engine}", detail, claim)
                self.refuted = detail
            case _:
                pass

    def _settling(self) -> Budget:
        """For what is settled once engines are at their end: behind a violation, as long as they had for it."""
        left = self.budget.remaining()
        return Budget(left if self.limit is None else min(left, self.limit))

    def _reported(self, what: str, detail: str, evidence: object) -> None:
        self.crash_reports.append(write_crash_report(what, f"{detail}\n\n{evidence!r}"))

    def _summarise(self) -> None:
        """At the end: what houdini has, where it was cut off."""
        running = self.paused.get((SUMMARISER,))
        if running is None or self.accepted or self.refuted or len(self.ledger.for_provers()) < 2:
            return
        for other in (*self.current.values(), *self.paused.values()):
            if other is not running:
                other.child.kill()
        self.send(Progress(SUMMARISER, "summing up"))
        running.resume(float("inf"))
        self.ledger.claims += last_claims(running.child, self._settling())
        self._settled()

    # ---------------------------------------------------------------- one lane

    def _start_idle_lanes(self) -> None:
        for number in range(len(self.schedule.lanes)):
            if number not in self.current and self._open() and self.exhausted is None:
                self._start(number)

    def _start(self, number: int) -> None:
        """The lane's next engine, if it has one and there is time."""
        remaining = self._engine_seconds()
        while (turn := self.turns.next(number, self._elapsed(), remaining, size_of(self.facts))) is not None:
            focus = self._focus(turn.part, turn.before == 0)
            if self.ledger.worth(focus):
                break
            self.turns.ended(turn.part, None, size_of(self.facts))
        if turn is None:
            return
        part, now = turn.part, time.monotonic()
        waiting = self.paused.pop(part.key, None)
        if waiting is not None:
            waiting.resume(now + turn.seconds)
            self.current[number] = waiting
            return
        seconds = remaining if self._may_pause(part) else turn.seconds
        options = self._options() | dict(part.options) | dict(self.request.options)
        subject = self.subject.focused(focus)
        seed, recording = self.request.seed + turn.before, self.request.recording
        given = Assignment(part.engine, seconds, seed, options, self.facts, recording)
        self.send(Progress(part.engine, "starting"))
        child = spawn(engine_work(subject, given), self._address_space())
        self.current[number] = running = Running(
            part, child, now + turn.seconds, begun=self.budget.elapsed(), focus=subject.focus
        )
        self.recorders.append(running.recorder)

    def _options(self) -> dict[str, str]:
        return {"prepare": self.request.prepare, "contracts": self.request.contracts}

    def _focus(self, part: Slice, first: bool) -> frozenset[int]:
        """The checks that it works on. Proofs by invariants do without what others are done with, and without lost
        memory where they are no proof of that; who was named and finds violations looks for all."""
        named = not is_automatic(self.request.engines) and "FALSE" in engines.get(part.engine).says
        if part.engine in SEARCHERS or named:
            return self.ledger.open
        return self.ledger.unclaimed if part.whole and first else self.ledger.for_provers()

    def _may_pause(self, part: Slice) -> bool:
        """It goes on where it was when it is its turn again; else it is stopped and may begin anew."""
        return self.schedule.shared and part.pause

    def _elapsed(self) -> float:
        return time.monotonic() - self.started

    def _start_judge(self, number: int, running: Running, verdict: Safe | Unsafe) -> None:
        if isinstance(verdict, Unsafe):
            running.focus |= self.ledger.open
        subject, seconds = self.subject.focused(running.focus), self.budget.remaining()
        seed, shrink, jobs, reuse = self._seed_of_runs(), self.request.shrink, self.request.jobs, self.reuse

        def work(send: Send) -> None:
            given = verdict, subject, Budget(seconds), False, seed, shrink
            with_answers(reuse, send, lambda known: judge(*given, known, jobs))

        self.send(Progress(running.engine, "checking the evidence"))
        child = spawn(work, self._address_space())
        running.child, running.verdict, running.deadline = child, verdict, float("inf")
        for other in self.current.values():
            if other.verdict is None and not other.paused:
                other.pause()

    def _seed_of_runs(self) -> int | None:
        return self.request.seed if self.request.proof_runs else None

    def _address_space(self) -> int:
        return self.request.memory + (2 << 30)

    # ---------------------------------------------------------------- messages

    def _wait(self) -> None:
        readers = {running.child.reader: number for number, running in self.current.items()}
        seconds = max(0.0, min(0.2, self.budget.remaining(), self.turns.next_due(self._elapsed())))
        ready = select.select(list(readers), [], [], seconds)[0]
        for reader in ready:
            number = readers[reader]
            running = self.current.get(number)
            if running is None or running.child.reader != reader:
                continue  # what another one said has ended it
            for message in running.child.receive():
                self._handle(number, running, message)
            if running.child.ended and self.current.get(number) is running:
                self._ended_silently(number, running)

    def _handle(self, number: int, running: Running, message: object) -> None:
        match message:
            case (Progress() as progress, dict() as statistics):
                running.statistics, running.state = statistics, progress.state
                self.send(progress)
            case Precision(places):
                running.precision = places
            case RegionEvent() as event:
                running.recorder.add(event)
            case Answer(verdict, statistics):
                running.statistics = statistics
                running.child.kill()
                if isinstance(verdict, Unknown):
                    if verdict.exhaustive:
                        self.exhausted = verdict
                    self._finish(number, running, verdict)
                else:
                    self._start_judge(number, running, verdict)
            case Claim():
                self.ledger.claims.append(message)
            case Refusal(text):
                raise UnusableInput(text)
            case Told() if self.reuse is not None:
                self.reuse.add(message)
            case Accepted() | Refuted() | Rejected() | Unchecked():
                running.child.kill()
                self._judged(number, running, message)
            case MemoryError():
                self._finish(number, running, Unknown(Reason.OUT_OF_MEMORY, f"{running.engine}: {message}"))
            case Crashed(details):
                self._crashed(number, running, details)
            case _:
                self._crashed(number, running, f"unexpected message {message!r}")

    def _judged(self, number: int, running: Running, judgement: Judgement) -> None:
        match judgement:
            case Accepted(Proof() as proof) if running.focus != self.ledger.all:
                self._proved_some(number, running, proof, judgement.assumptions)
            case Accepted():
                self.accepted.append((running.engine, judgement))
                self.runs.append(running.record("TRUE" if isinstance(running.verdict, Safe) else "FALSE", ""))
                del self.current[number]
            case Rejected(detail):
                self._reported(f"evidence of {running.engine} was rejected", detail, running.verdict)
                self._finish(number, running, Unknown(Reason.EVIDENCE_REJECTED, detail))
            case Refuted(detail):
                self._reported(f"runs contradict the proof of {running.engine}", detail, running.verdict)
                self.refuted = detail
                self._finish(number, running, Unknown(Reason.EVIDENCE_REJECTED, detail))
            case Unchecked(detail, reason):
                self._finish(number, running, Unknown(reason, detail))

    def _proved_some(self, number: int, running: Running, proof: Proof, assumptions: tuple[str, ...]) -> None:
        """The lane is free; whoever works only on what is known by now ends. All of them may begin anew, with what is
        open: lost memory is asked of a prover once it has proved the rest."""
        assert isinstance(running.verdict, Safe)
        focus = running.focus
        self.ledger.parts.append(Part(running.engine, focus, running.verdict.certificate, proof, assumptions))
        self.runs.append(running.record(PROVED, _count(focus)))
        self._leave(number, running, Reason.OUT_OF_TIME)
        self.turns.proved_some(number, running.part)
        for lane, other in list(self.current.items()):
            if other.verdict is None and not self.ledger.worth(other.focus & self.ledger.open):
                self.runs.append(other.record(STOPPED, ""))
                self._leave(lane, other, Reason.OUT_OF_TIME)
        for engine, other in list(self.paused.items()):
            if not self.ledger.worth(other.focus & self.ledger.open):
                del self.paused[engine]
                other.child.kill()
                self.runs.append(other.record(STOPPED, ""))
                self.turns.ended(other.part, Reason.OUT_OF_TIME, size_of(self.facts))

    def _ended_silently(self, number: int, running: Running) -> None:
        status = running.child.wait()
        if status == -9:
            self._finish(number, running, Unknown(Reason.OUT_OF_MEMORY, "the system killed the process"))
        else:
            self._crashed(number, running, f"the process ended with status {status} and no answer")

    def _crashed(self, number: int, running: Running, details: str) -> None:
        printed = running.child.printed()
        what = f"internal error in {running.engine}"
        self.crash_reports.append(write_crash_report(what, details, printed))
        last = details.strip().splitlines()[-1] if details.strip() else ""
        self.runs.append(running.record(INTERNAL_ERROR, last))
        self._leave(number, running, None)

    def _finish(self, number: int, running: Running, unknown: Unknown) -> None:
        self._note(running, unknown)
        self._leave(number, running, unknown.reason)

    def _leave(self, number: int, running: Running, reason: Reason | None) -> None:
        """The lane is free for whoever is next."""
        running.child.kill()
        del self.current[number]
        self.send(Progress(running.engine, ""))
        self.turns.ended(running.part, reason, size_of(self.facts))

    def _note(self, running: Running, unknown: Unknown) -> None:
        self.unknowns.append((running.engine, unknown))
        self.runs.append(running.record(f"UNKNOWN({unknown.reason})", unknown.detail))

    # ---------------------------------------------------------------- limits

    def _watch_limits(self) -> None:
        self._watch_yielding()
        self._watch_turns()
        everyone = (*self.current.values(), *self.paused.values())
        used = {id(running): running.memory() for running in everyone}
        if not used or sum(used.values()) + memory_of(os.getpid()) <= self.request.memory:
            return
        largest = max(everyone, key=lambda running: used[id(running)])
        limit = f"more than {self.request.memory >> 20} MiB in use, of which {used[id(largest)] >> 20} MiB"
        unknown = Unknown(Reason.OUT_OF_MEMORY, f"{limit} by {largest.engine}")
        lane = next((number for number, running in self.current.items() if running is largest), None)
        if lane is not None:
            self._finish(lane, largest, unknown)
        else:
            del self.paused[largest.part.key]
            largest.child.kill()
            self._note(largest, unknown)
            self.turns.ended(largest.part, unknown.reason, size_of(self.facts))

    def _watch_yielding(self) -> None:
        """Engines go on where the check they made way for has ended, or takes long; their turns are as long as ever."""
        checking = any(running.verdict is not None for running in self.current.values())
        for running in self.current.values():
            if (paused := running.paused) and (paused > YIELD or not checking):
                running.resume(running.deadline + paused)

    def _watch_turns(self) -> None:
        """Whose turn is over is paused; who cannot be gets a little more time to say how far it got."""
        now = time.monotonic()
        for number, running in list(self.current.items()):
            if running.verdict is not None or running.paused or now <= running.deadline:
                continue
            if self._may_pause(running.part) and self._engine_seconds() > LEAST:
                if self._much_memory_is_left():
                    self._pause(number, running)
                else:
                    self._finish(number, running, Unknown(Reason.OUT_OF_TIME, running.where()))
            elif running.engine == SUMMARISER and len(self.ledger.for_provers()) > 1:
                self._pause(number, running)
            elif now > running.deadline + OVERTIME:
                self._finish(number, running, Unknown(Reason.OUT_OF_TIME, running.where()))

    def _much_memory_is_left(self) -> bool:
        used = sum(running.memory() for running in (*self.current.values(), *self.paused.values()))
        return used + memory_of(os.getpid()) <= PAUSABLE * self.request.memory

    def _pause(self, number: int, running: Running) -> None:
        running.pause()
        del self.current[number]
        self.paused[running.part.key] = running
        self.send(Progress(running.engine, ""))
        self.turns.ended(running.part, Reason.OUT_OF_TIME, size_of(self.facts))

    def _engine_seconds(self) -> float:
        """What is left for engines: the rest belongs to the check of their evidence."""
        share = EVIDENCE_SHARE if self.ledger.claims else LATE_SHARE
        left = self.budget.remaining() - share * self.budget.seconds
        return left if self.limit is None else min(left, self.limit - self._elapsed())

    def _close_open_runs(self) -> None:
        """Records what was cut off: by the end of the time, or by another engine's last word."""
        for running in (*self.current.values(), *self.paused.values()):
            for message in running.child.receive():
                match message:
                    case (Progress(), dict() as statistics) | Answer(_, statistics):
                        running.statistics = statistics
            if self.accepted or self.exhausted is not None:
                self.runs.append(running.record(STOPPED, ""))
            else:
                reason = Reason.OUT_OF_TIME if running.verdict is None else Reason.EVIDENCE_UNCHECKED
                self._note(running, Unknown(reason, running.where()))

    # ---------------------------------------------------------------- summing up

    def _result(self) -> CheckResult:
        contradiction = self._contradiction()
        base = replace(
            self.base,
            engines=tuple(self.runs),
            crash_reports=tuple(self.crash_reports),
            recordings=tuple(kept for recorder in self.recorders if (kept := recorder.recording()) is not None),
        )
        if self.refuted or contradiction:
            self.ledger.parts.clear()
        if self.refuted:
            return self._unknown(base, Reason.EVIDENCE_REJECTED, self.refuted)
        if contradiction:
            return self._unknown(base, INTERNAL_ERROR, contradiction)
        if self.accepted:
            engine, accepted = self.accepted[0]
            return answered(replace(base, engine=engine), accepted)
        if self.ledger.done:
            return self._composed(base)
        crashes = [f"{run.engine} crashed: {run.detail}" for run in self.runs if run.answer == INTERNAL_ERROR]
        if crashes and self.exhausted is None and all(engine == "random" for engine, _ in self.unknowns):
            return self._unknown(base, INTERNAL_ERROR, crashes[0])
        best = self.exhausted or most_telling(self.unknowns, late=self._engine_seconds() <= LEAST)
        return self._unknown(base, best.reason, "; ".join(filter(None, (best.detail, *dict.fromkeys(crashes)))))

    def _contradiction(self) -> str:
        """What contradicts itself of all that was checked, which is reported; "" if nothing does."""
        checked = [accepted.evidence for _, accepted in self.accepted]
        if len({type(evidence) for evidence in checked}) > 1:
            detail, evidence = "two engines' checked verdicts contradict each other", repr(self.accepted)
        elif any(isinstance(found, Counterexample) and found.check in self.ledger.proved for found in checked):
            detail = "a checked violation contradicts a checked proof"
            evidence = f"{self.accepted!r}\n\n{self.ledger.parts!r}"
        else:
            return ""
        self.crash_reports.append(write_crash_report(detail, evidence))
        return detail

    def _composed(self, base: CheckResult) -> CheckResult:
        parts = self.ledger.parts
        proof = composed_proof([(part.checks, part.proof) for part in parts])
        assumptions = tuple(dict.fromkeys(sentence for part in parts for sentence in part.assumptions))
        engine = ", ".join(dict.fromkeys(part.engine for part in parts))
        return answered(replace(base, engine=engine), Accepted(proof, assumptions))

    @staticmethod
    def _unknown(base: CheckResult, reason: str, detail: str) -> CheckResult:
        return replace(base, reason=reason, detail=detail)


def _count(checks: frozenset[int]) -> str:
    return f"{len(checks)} check{'s' * (len(checks) != 1)}"
