"""Exit statuses, and the exceptions that signals become."""

from __future__ import annotations

import signal
from types import FrameType

from counterpoint.portfolio.result import INTERNAL_ERROR, CheckResult, Outcome

PROVED = 0
REFUTED = 1
UNUSABLE = 2
UNDECIDED = 3
INTERNAL = 4


class Terminated(BaseException):
    """A signal asks the command to end; `status` is 128 plus its number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.status = 128 + number


def turn_signals_into_exceptions() -> None:
    """Ctrl-C, kill and a closed terminal end the command through its `finally` blocks."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)  # the way out must not be interrupted again
    raise Terminated(number)


def status_of(result: CheckResult) -> int:
    """The exit status that tells the result."""
    if result.outcome is Outcome.UNKNOWN:
        return INTERNAL if result.reason == INTERNAL_ERROR else UNDECIDED
    return PROVED if result.outcome is Outcome.TRUE else REFUTED


