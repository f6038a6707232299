"""A deadline and a way to cancel, handed to everything that may take long."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from counterpoint.core.errors import OutOfBudget


@dataclass(slots=True)
class Budget:
    """Wall-clock limit in seconds from its creation; `cancel()` ends it early.

    `spend()` raises OutOfBudget once it is used up; `remaining()` is in seconds, never negative.
    """

    seconds: float
    started: float = field(default_factory=time.monotonic)
    cancelled: bool = False

    def elapsed(self) -> float:
        return time.monotonic() - self.started

    def remaining(self) -> float:
        return 0.0 if self.cancelled else max(0.0, self.seconds - self.elapsed())

    def spend(self) -> None:
        if self.remaining() <= 0.0:
            raise OutOfBudget(f"{self.seconds:g} s are used up")

    def cancel(self) -> None:
        self.cancelled = True

    def share(self, fraction: float) -> Budget:
        """A budget of its own with this fraction of what remains."""
        return Budget(self.remaining() * fraction)
