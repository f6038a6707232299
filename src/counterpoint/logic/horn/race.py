"""Several solvers' attempts at the clauses, each in a process of its own, on one core.

The processes take turns: all but one are stopped by signals, so that no work is lost and turns can be short. Killing
a process is the way to end z3 when it does not listen. Killed processes leave nothing behind: they hold pipes only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar, cast

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.logic.horn.view import Outcome, Undecided

FIRST_TURN = 0.5
"""Seconds of the first turn of an attempt of weight 1; each further one is longer by GROWTH."""

GROWTH = 1.5

LAST_WORDS = 1.0
"""Seconds before the end of the budget in which attempts may still tell what they learned."""


R_co = TypeVar("R_co", covariant=True)


class Attempt(Protocol[R_co]):
    """Something that runs in the child; `interrupt` comes from another thread and makes `run` return soon.

    What `run` returns is pickled.
    """

    def run(self) -> R_co: ...

    def interrupt(self) -> None: ...


@dataclass(slots=True)
class _Racer:
    name: str
    process: BaseProcess
    pipe: Connection
    weight: float
    stopped: bool = False
    ended: bool = False

    def stop(self) -> None:
        if not self.stopped:
            self._signal(signal.SIGSTOP)
            self.stopped = True

    def go_on(self) -> None:
        if self.stopped:
            self._signal(signal.SIGCONT)
            self.stopped = False

    def kill(self) -> None:
        if not self.ended:
            self.ended = True
            self._signal(signal.SIGKILL)
            self.process.join()
            self.pipe.close()

    def _signal(self, number: int) -> None:
        if self.process.pid is not None and self.process.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, number)


def race(
    attempts: Mapping[str, tuple[Callable[[], Attempt[Outcome]], float]], budget: Budget
) -> Generator[tuple[str, Outcome], None, None]:
    """Each attempt's outcome as it comes, Undecided("timeout") for those that end with the budget.

    `attempts` gives what runs, and how long its turns are compared to others'. Closing the iterator ends the
    processes. They share what exists now, so nothing is copied to them.
    """
    racers: list[_Racer] = []
    try:
        for name, (make, weight) in attempts.items():
            racers.append(_start(name, make, weight))
            racers[-1].stop()
        yield from _turns(racers, budget)
        yield from _last_words(racers)
    finally:
        for racer in racers:
            racer.kill()


def alone(make: Callable[[], Attempt[R_co]], seconds: float) -> R_co | Undecided:
    """What one attempt returns in a process of its own; Undecided("timeout") if that is killed after `seconds`."""
    racer = _start("", make, 1.0)
    try:
        for _, outcome in _turn(racer, seconds):
            return cast("R_co | Undecided", outcome)
        return Undecided("timeout")
    finally:
        racer.kill()


def _start(name: str, make: Callable[[], Attempt[object]], weight: float) -> _Racer:
    context = get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_child, args=(make, theirs, ours), daemon=True)
    process.start()
    theirs.close()
    return _Racer(name, process, ours, weight)


def _turns(racers: list[_Racer], budget: Budget) -> Generator[tuple[str, Outcome], None, None]:
    """One at a time until all have ended or the budget nearly has; those that ended are taken out of `racers`."""
    turn = FIRST_TURN
    while racers:
        for racer in list(racers):
            left = budget.remaining() - LAST_WORDS
            if left <= 0:
                return
            racer.go_on()
            yield from _turn(racer, min(left, turn * racer.weight if len(racers) > 1 else left))
            if racer.ended:
                racers.remove(racer)
            else:
                racer.stop()
        turn *= GROWTH


def _turn(racer: _Racer, seconds: float) -> Generator[tuple[str, Outcome], None, None]:
    """Lets it run and tells what it says, until it ends or the time is over."""
    until = clock.now() + seconds
    if not racer.ended and wait([racer.pipe], timeout=max(0.0, until - clock.now())):
        yield _received(racer)


def _last_words(racers: list[_Racer]) -> Generator[tuple[str, Outcome], None, None]:
    for racer in racers:
        racer.go_on()
        with contextlib.suppress(OSError):
            racer.pipe.send(None)
    deadline = clock.now() + LAST_WORDS * 2 / 3
    for racer in racers:
        yield from _turn(racer, deadline - clock.now())
        if not racer.ended:
            yield racer.name, Undecided("timeout")


def _received(racer: _Racer) -> tuple[str, Outcome]:
    try:
        outcome: Outcome = racer.pipe.recv()
    except (EOFError, OSError):
        outcome = Undecided("the process ended")
    racer.kill()
    return racer.name, outcome


# ---------------------------------------------------------------- in the child


def _child(make: Callable[[], Attempt[object]], pipe: Connection, other: Connection) -> None:
    _end_with_parent()
    _be_silent()
    other.close()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    outcome: object
    try:
        attempt = make()
        threading.Thread(target=_listen, args=(attempt, pipe), daemon=True).start()
        outcome = attempt.run()
    except MemoryError:
        outcome = Undecided("memory")
    pipe.send(outcome)
    pipe.close()
    os._exit(0)


def _listen(attempt: Attempt[object], pipe: Connection) -> None:
    """The parent says one thing only: time is up."""
    with contextlib.suppress(EOFError, OSError):
        pipe.recv()
    attempt.interrupt()


def _be_silent() -> None:
    """z3 prints to standard output when it trips over itself."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _end_with_parent() -> None:
    """On Linux: be killed when the parent dies, also while stopped."""
    if sys.platform == "linux":
        import ctypes

        parent_death_signal = 1
        libc: Any = ctypes.CDLL(None)
        with contextlib.suppress(OSError, AttributeError):
            libc.prctl(parent_death_signal, signal.SIGKILL)
