"""A clock that stands still while its process is paused: a limit of some seconds means seconds of work.

The portfolio pauses engines whose turn is over (SIGSTOP) and lets them go on later. With a plain clock, every limit
inside an engine would have passed by then, and what was under way would be given up for want of time it never had.
Whoever pauses a process tells how long, through memory shared with that process and all that it forks; programs that
it starts (exec) have a plain clock.
"""

from __future__ import annotations

import mmap
import struct
import time

_SECONDS = struct.Struct("d")


class Pauses:
    """The seconds for which a process was paused so far; made before the process is forked."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _SECONDS.size)

    def add(self, seconds: float) -> None:
        """Called before the process goes on."""
        _SECONDS.pack_into(self._shared, 0, self.total() + seconds)

    def total(self) -> float:
        total: float = _SECONDS.unpack_from(self._shared)[0]
        return total


_own: Pauses | None = None


def subtract(pauses: Pauses) -> None:
    """From now on `now()` of this process, and of those it forks, leaves these pauses out."""
    global _own
    _own = pauses


def now() -> float:
    """Seconds since some moment, pauses left out; never goes back."""
    return time.monotonic() - (0.0 if _own is None else _own.total())
