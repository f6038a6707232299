"""One engine in its own process: what it is given and what it sends back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, OutOfMemory, Undecided, Unsupported, UnusableInput
from counterpoint.core.events import (
    BoundReached,
    Event,
    Precision,
    Progress,
    RegionEvent,
    SolverCall,
    TestsBegin,
    TestsRun,
)
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.ledger import Claim
from counterpoint.portfolio.pool import FilePool
from counterpoint.portfolio.processes import Send, Work
from counterpoint.portfolio.recording import shortened
from counterpoint.program.render import fingerprint

Number = int | float | str


@dataclass(frozen=True, slots=True)
class Answer:
    """The engine's verdict, not yet checked."""

    verdict: Verdict
    statistics: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Refusal:
    """The engine cannot use what the user gave it (an option's value)."""

    message: str


TOLD, HEARD = "facts_told", "facts_heard"
"""The names of the counters of facts in the statistics of every engine."""


@dataclass(slots=True)
class Counters:
    """An observer that counts, and passes on at most ten states a second; with `recording`, all region events."""

    send: Send
    engine: str
    pool: FilePool
    recording: bool = False
    numbers: dict[str, Number] = field(default_factory=dict)
    sent: float = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case SolverCall(purpose, answer, seconds):
                self._add("solver_calls", 1)
                self._add(f"solver_calls_{purpose}_{answer}".replace(" ", "_"), 1)
                self._add("solver_seconds", round(seconds, 6))
            case BoundReached(_, bound):
                self.numbers["bound"] = bound
                self.tell(Progress(self.engine, f"bound {bound}"), force=True)
            case TestsBegin(seconds):
                self.numbers.setdefault("first_run_seconds", round(seconds, 3))
                self.tell(Progress(self.engine, "testing"), force=True)
            case TestsRun(runs, branches):
                self.numbers.update(tests=runs, branches=branches)
                self.tell(Progress(self.engine, f"{runs:,} tests, {branches} branches"))
            case Progress():
                self.tell(event)
            case Precision():
                self.send(event)
            case RegionEvent() if self.recording:
                self.send(shortened(event))

    def reached(self, seconds: float) -> str:
        """How far the engine got, for a verdict without an answer."""
        spent = f"{self.engine} used up its {seconds:.1f} s"
        bound = self.numbers.get("bound")
        return spent if bound is None else f"{spent}; all runs up to bound {bound} are decided"

    def _add(self, name: str, amount: float) -> None:
        before = self.numbers.get(name, 0)
        assert not isinstance(before, str)
        self.numbers[name] = before + amount

    def tell(self, event: Progress, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self.sent >= 0.1:
            self.sent = now
            self.send((event, self.so_far()))

    def so_far(self) -> dict[str, Number]:
        """All numbers, with those of the facts if there were any."""
        facts = {TOLD: self.pool.told, HEARD: self.pool.heard_count}
        return {**self.numbers, **{name: count for name, count in facts.items() if count}}


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an engine is started with: its name, its limit in seconds, its options; `facts` is the pool's file.

    `recording`: the growth of its region graph is wanted.
    """

    engine: str
    seconds: float
    seed: int
    options: Mapping[str, str]
    facts: Path
    recording: bool = False


def engine_work(subject: Subject, given: Assignment) -> Work:
    """The work of an engine's process; it sends (Progress, statistics) pairs, RegionEvents, Precisions and Claims,
    then one Answer."""

    def work(send: Send) -> None:
        def claim(checks: frozenset[int], certificate: Certificate) -> None:
            send(Claim(given.engine, checks, certificate))

        from counterpoint import engines
        from counterpoint.engines.protocol import Tools

        try:
            engine, task = engines.get(given.engine), engines.task(given.engine, subject, given.options)
        except UnusableInput as error:
            send(Refusal(str(error)))
            return
        pool = FilePool(given.facts, lambda: fingerprint(subject.whole.program(task.preparation)))
        counters = Counters(send, given.engine, pool, given.recording)
        budget = Budget(given.seconds, until=time.monotonic() + given.seconds)
        tools = Tools(budget, counters, given.seed, pool, given.recording, claim)
        try:
            verdict = engine.verify(task, tools)
        except UnusableInput as error:
            send(Refusal(str(error)))
            return
        except OutOfBudget:
            verdict = Unknown(Reason.OUT_OF_TIME, counters.reached(given.seconds))
        except OutOfMemory as error:
            verdict = Unknown(Reason.OUT_OF_MEMORY, str(error))
        except Unsupported as error:
            verdict = Unknown(Reason.UNSUPPORTED, str(error))
        except Undecided as error:
            verdict = Unknown(Reason.SOLVER_UNKNOWN, str(error))
        counters.numbers.update(_own_statistics(engine))
        send(Answer(verdict, counters.so_far()))

    return work


def _own_statistics(engine: object) -> Mapping[str, Number]:
    statistics = getattr(engine, "statistics", None)
    found = statistics() if callable(statistics) else {}
    return dict(found) if isinstance(found, Mapping) else {}
