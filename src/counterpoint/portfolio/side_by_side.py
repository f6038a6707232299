"""Jobs in processes of their own, a few at a time, which share the time that is left by what each weighs."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Final, Generic, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.portfolio.attending import TICK
from counterpoint.portfolio.processes import Child, Crashed, Send, spawn

SHARE: Final = 2.0
"""Of an equal part of the time that is left, what one job may take where most take less."""

Job = TypeVar("Job")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Limits:
    """`at_once`: processes at a time. `deadline` (of the monotonic clock): beyond it none is begun. One job has between
    `least` and `most` seconds, never more than are left, and leaves `least` for each that waits; `share`: how often
    its part of the time the first one may take, the last one has its part. It is killed `grace` seconds later;
    `memory`: bytes of its address space."""

    at_once: int
    deadline: float
    least: float
    most: float
    grace: float
    memory: int | None = None
    share: float = SHARE

    def seconds(self, weight: float, waiting: Sequence[float], running: Sequence[float], jobs: int) -> float:
        """For the next job, by its weight and those of the ones that wait behind it and that run, of so many in all."""
        left = self.deadline - time.monotonic()
        part = left * self.at_once * weight / (weight + sum(waiting) + sum(running))
        share = 1.0 + (self.share - 1.0) * len(waiting) / max(1, jobs - 1)
        kept = self.least * len(waiting) / self.at_once
        return min(left, self.most, max(self.least, min(share * part, left - kept)))


@dataclass(frozen=True, slots=True)
class Lost:
    """A job's process gave no answer: why, and its `traceback` where it crashed."""

    why: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class _Answer(Generic[Found]):
    found: Found


@dataclass(frozen=True, slots=True)
class _SoFar(Generic[Found]):
    found: Found


@dataclass(slots=True)
class _Running(Generic[Job]):
    job: Job
    weight: float
    child: Child
    until: float
    so_far: _Answer[Any] | None = None

    def answer(self) -> _Answer[Any] | Lost | None:
        """None as long as it may still come."""
        for message in self.child.receive():
            match message:
                case _SoFar(found):
                    self.so_far = _Answer(found)
                case _Answer():
                    return message
                case MemoryError():
                    return self.so_far or Lost("the memory limit was reached")
                case Crashed(details):
                    return Lost("an internal error", details)
        if time.monotonic() >= self.until:
            return self.so_far or Lost("its time was used up")
        return self.so_far or Lost("its process ended without an answer") if self.child.ended else None


def side_by_side(
    jobs: Sequence[Job],
    work: Callable[[Job, float], Found],
    limits: Limits,
    tell: Callable[[Job, Found | Lost], None],
) -> None:
    """Calls `work` for each job, with its seconds, in a process of its own, and `tell` here with what it gave, in the
    order in which they end. Jobs that the deadline kept from beginning are not told of.

    No process is left, also where `tell` raises or the call is interrupted."""
    telling(jobs, lambda job, seconds, so_far: work(job, seconds), limits, tell)


def telling(
    jobs: Sequence[Job],
    work: Callable[[Job, float, Callable[[Found], None]], Found],
    limits: Limits,
    tell: Callable[[Job, Found | Lost], None],
    weight: Callable[[Job], float] = lambda _: 1.0,
) -> None:
    """As side_by_side, but `work` may call what it is handed with what it has found so far: `tell` gets that where time
    or memory ends before there is more. A job of twice the `weight` has twice the time."""
    pool = _Pool([(job, weight(job)) for job in jobs], work, limits, tell, len(jobs))
    try:
        pool.run()
    finally:
        for one in pool.running:
            one.child.kill()


@dataclass(slots=True)
class _Pool(Generic[Job, Found]):
    waiting: list[tuple[Job, float]]
    work: Callable[[Job, float, Callable[[Found], None]], Found]
    limits: Limits
    tell: Callable[[Job, Found | Lost], None]
    jobs: int
    running: list[_Running[Job]] = field(default_factory=list)

    def run(self) -> None:
        while self.running or (self.waiting and time.monotonic() < self.limits.deadline):
            while self.waiting and len(self.running) < self.limits.at_once and time.monotonic() < self.limits.deadline:
                self.start(*self.waiting.pop(0))
            if self.running:
                select.select([one.child.reader for one in self.running], [], [], TICK)
            for one in list(self.running):
                self.finish(one)

    def start(self, job: Job, weight: float) -> None:
        waiting, running = [one for _, one in self.waiting], [one.weight for one in self.running]
        seconds = self.limits.seconds(weight, waiting, running, self.jobs)

        def give(send: Send) -> None:
            send(_Answer(self.work(job, seconds, lambda found: send(_SoFar(found)))))

        child = spawn(give, self.limits.memory)
        self.running.append(_Running(job, weight, child, time.monotonic() + seconds + self.limits.grace))

    def finish(self, one: _Running[Job]) -> None:
        """Tells of the job if its process is done with, or is late."""
        answer = one.answer()
        if answer is None:
            return
        self.running.remove(one)
        one.child.kill()
        self.tell(one.job, answer if isinstance(answer, Lost) else answer.found)
