"""A deadline and a way to cancel, handed to everything that may take long."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import field

from counterpoint.core import clock
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass


@dataclass(slots=True)
class Budget:
    """A limit in seconds of work from its creation; `cancel()` ends it early.

    `spend()` raises OutOfBudget once it is used up; `remaining()` is in seconds, never negative. Time in which
    the process was paused (core/clock.py) does not count, but at `until` (`time.monotonic()`) it ends in any case.
    """

    seconds: float
    started: float = field(default_factory=clock.now)
    until: float = math.inf
    cancelled: bool = False
    clock: Callable[[], float] = clock.now

    @staticmethod
    def of_computing(seconds: float) -> Budget:
        """Counts this process's CPU time: for work of its own, whose extent should not hang on what else runs."""
        return Budget(seconds, started=time.process_time(), clock=time.process_time)

    def elapsed(self) -> float:
        return self.clock() - self.started

    def remaining(self) -> float:
        if self.cancelled:
            return 0.0
        return max(0.0, min(self.seconds - self.elapsed(), self.until - time.monotonic()))

    def spend(self) -> None:
        if self.remaining() <= 0.0:
            raise OutOfBudget(f"{self.seconds:g} s are used up")

    def cancel(self) -> None:
        self.cancelled = True

    def share(self, fraction: float) -> Budget:
        """A budget of its own with this fraction of what remains."""
        return Budget(self.remaining() * fraction, self.clock(), self.until, clock=self.clock)
