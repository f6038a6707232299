"""A process of the portfolio as its worker sees it: an engine, or the check of its verdict; it can be paused."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.events import PlacePredicates
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.portfolio.engine_process import HEARD, TOLD, Number
from counterpoint.portfolio.processes import Child, descendants, memory_of
from counterpoint.portfolio.recording import Recorder
from counterpoint.portfolio.result import EngineRun
from counterpoint.portfolio.schedule import Slice


@dataclass(slots=True)
class Running:
    """An engine that was started for `part`, or the check of its verdict (`verdict` is set then).

    `deadline` (monotonic seconds) is the end of its turn; what happens then is the worker's business. `recorder` takes
    its region events. `state` is what it said last that it was at. `begun`: seconds after the check's own start.
    `focus`: the checks that it is about.
    """

    part: Slice
    child: Child
    deadline: float
    verdict: Safe | Unsafe | None = None
    statistics: Mapping[str, Number] = field(default_factory=dict)
    precision: tuple[PlacePredicates, ...] = ()
    state: str = ""
    begun: float = 0.0
    focus: frozenset[int] = frozenset()
    recorder: Recorder = field(init=False)
    _resumed: float | None = field(default_factory=time.monotonic)
    _before: float = 0.0
    _paused: float = 0.0

    def __post_init__(self) -> None:
        self.recorder = Recorder(self.part.engine)

    @property
    def engine(self) -> str:
        return self.part.engine

    @property
    def seconds(self) -> float:
        """How long it has run, pauses left out."""
        return self._before + (time.monotonic() - self._resumed if self._resumed is not None else 0.0)

    def pause(self) -> None:
        """Stops it and all processes below it where they are; they keep their memory."""
        self._before, self._resumed = self.seconds, None
        stopped: set[int] = set()
        while new := [pid for pid in descendants(self.child.pid) if pid not in stopped]:
            for pid in new:
                _tell(pid, signal.SIGSTOP)
            stopped.update(new)
        self._paused = time.monotonic()

    @property
    def paused(self) -> float:
        """For how long it has been paused by now; 0 if it is not."""
        return time.monotonic() - self._paused if self._resumed is None else 0.0

    def resume(self, deadline: float) -> None:
        """Lets it go on until the deadline."""
        self._resumed, self.deadline = time.monotonic(), deadline
        self.child.pauses.add(self._resumed - self._paused)
        for pid in descendants(self.child.pid):
            _tell(pid, signal.SIGCONT)

    def memory(self) -> int:
        """Private bytes of all its processes."""
        return sum(memory_of(pid) for pid in descendants(self.child.pid))

    def where(self) -> str:
        """How far it got, for an UNKNOWN."""
        if self.verdict is not None:
            return f"the evidence of {self.engine} was still being checked"
        bound = self.statistics.get("bound")
        decided = f"; all runs up to bound {bound} are decided" if bound is not None else ""
        state = f" at {self.state}" if self.state and not decided else ""
        return f"{self.engine} was stopped after {self.seconds:.1f} s{state}{decided}"

    def record(self, answer: str, detail: str) -> EngineRun:
        """The line for the result."""
        numbers = dict(self.statistics)
        told, heard = int(numbers.pop(TOLD, 0)), int(numbers.pop(HEARD, 0))
        seconds, begun = round(self.seconds, 3), round(self.begun, 3)
        return EngineRun(self.engine, answer, detail, seconds, numbers, told, heard, self.precision, begun)


def _tell(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)
