"""Jobs on the workers of a cluster, which share the time that is left in equal parts: `side_by_side`, elsewhere.

What no worker carries out, and what a worker answered about other files than those that are here, is done here at the
end: so there is one answer for each job, about these files, whatever became of the workers.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from counterpoint.cluster.workers import Call, WorkerLost, Workers
from counterpoint.core.records import dataclass
from counterpoint.portfolio.errand import Errand, Reply, carried_out
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side

LOOK: Final = 0.2
"""Seconds between two looks at workers of which none ends."""

Job = TypeVar("Job")
Found = TypeVar("Found")


def afar(
    jobs: Sequence[Job],
    work: Callable[[Job, float], Found],
    limits: Limits,
    tell: Callable[[Job, Found | Lost], None],
    workers: Workers,
    about: Callable[[Job], object],
) -> int:
    """As side_by_side, but on the workers, in the folder where this process works. How many jobs were left for here.

    `about` says what the job is about, here and there: digests of texts, or None where that is not known. The
    functions and the jobs can be pickled.
    """
    crowd = _Crowd(list(jobs), work, limits, tell, workers, about)
    try:
        crowd.run()
    finally:
        for call in crowd.running:
            workers.stop(call)
    side_by_side(crowd.left, work, limits, tell)
    return len(crowd.left)


@dataclass(slots=True)
class _Crowd(Generic[Job, Found]):
    """`left`: what no worker carried out."""

    waiting: list[Job]
    work: Callable[[Job, float], Found]
    limits: Limits
    tell: Callable[[Job, Found | Lost], None]
    workers: Workers
    about: Callable[[Job], object]
    running: dict[Call, Job] = field(default_factory=dict)
    left: list[Job] = field(default_factory=list)
    jobs: int = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = len(self.waiting)

    def run(self) -> None:
        while self.running or (self.waiting and self._may_begin()):
            while self.waiting and len(self.running) < self.workers.number and self._may_begin():
                self._begin(self.waiting.pop(0))
            for call in self.workers.ended(list(self.running), LOOK):
                self._end(call, self.running.pop(call))

    def _may_begin(self) -> bool:
        return time.monotonic() < self.limits.deadline

    def _begin(self, job: Job) -> None:
        seconds = self.limits.seconds(1.0, [1.0] * len(self.waiting), [1.0] * len(self.running), self.jobs)
        errand = Errand(self.work, job, self.about, seconds, self.limits.grace, self.limits.memory)
        self.running[self.workers.begin(carried_out, pickle.dumps(errand), str(Path.cwd()))] = job

    def _end(self, call: Call, job: Job) -> None:
        reply = self._reply(call)
        about = self.about(job) if reply is not None else None
        if reply is None or about is None or reply.about != about:
            self.left.append(job)
        else:
            self.tell(job, reply.found)

    def _reply(self, call: Call) -> Reply | None:
        try:
            given: Any = self.workers.result(call)
        except WorkerLost:
            return None
        reply: Reply | None = pickle.loads(given) if given is not None else None
        return reply
