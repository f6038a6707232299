"""A worker that a call waits for: started with a folder of its own, attended to within its time and memory, and gone
with everything below it when the call ends."""

from __future__ import annotations

import os
import select
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import Final

from counterpoint.core.errors import CompilationFailed, UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.portfolio.processes import Child, Kept, Send, Work, keep

TICK: Final = 0.1
"""Seconds between two looks at a worker that says nothing."""


class Stop(Enum):
    """Why a worker says nothing more: it ended, its deadline passed, it holds more memory than it may."""

    ENDED = auto()
    LATE = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing has arrived; the worker and all below it hold so many bytes."""

    resident: int


@dataclass(frozen=True, slots=True)
class Refused:
    """What a worker sends that cannot use its input; `diagnostics` are the compiler's, all of them."""

    message: str
    diagnostics: str = ""

    @classmethod
    def by(cls, error: UnusableInput) -> Refused:
        """What the error says."""
        return cls(str(error), error.diagnostics if isinstance(error, CompilationFailed) else "")

    def error(self) -> UnusableInput:
        """The error again, on the other side."""
        return CompilationFailed(self.message, self.diagnostics) if self.diagnostics else UnusableInput(self.message)


@contextmanager
def kept(work: Work) -> Iterator[Child]:
    """Runs `work` in a worker whose temporary files are in a folder of its own; the folder and all processes are gone
    at the end of the block, and however this process ends."""
    scratch = tempfile.mkdtemp(prefix="counterpoint-")

    def in_folder(send: Send) -> None:
        tempfile.tempdir = scratch
        os.environ["TMPDIR"] = scratch
        work(send)

    worker: Kept | None = None
    try:
        worker = keep(in_folder, scratch)
        yield worker.child
    finally:
        if worker is not None:
            worker.close()
        shutil.rmtree(scratch, ignore_errors=True)


def attended(worker: Child, deadline: float, memory: int | None = None) -> Iterator[object]:
    """What the worker sends, as it arrives; Waiting at every tick between; at last a Stop.

    `deadline` in seconds of the monotonic clock, `memory` in bytes. Who does not take all of it only stops listening:
    the worker is ended by whoever started it. Raises UnusableInput for a Refused.
    """
    while True:
        for message in worker.receive():
            if isinstance(message, Refused):
                raise message.error()
            yield message
        left = deadline - time.monotonic()
        if worker.ended or left <= 0:
            yield Stop.ENDED if worker.ended else Stop.LATE
            return
        resident = worker.resident()
        if memory is not None and resident > memory:
            yield Stop.FULL
            return
        yield Waiting(resident)
        select.select([worker.reader], [], [], min(left, TICK))
