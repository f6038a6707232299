"""A command under limits: its output, its time, and what stopped it."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from threading import Event
from typing import BinaryIO

from counterpoint.core.records import dataclass

GRACE = 3.0
"""Seconds after its limit at which a command is killed."""

_LARGEST_OUTPUT = 1 << 16


@dataclass(frozen=True, slots=True)
class Execution:
    """How a command ended; `killed` if it was still running `GRACE` seconds after its limit."""

    stdout: str
    stderr: str
    status: int
    seconds: float
    killed: bool


def execute(
    command: Sequence[str], seconds: float, stop: Event, memory: int | None = None, folder: str | None = None
) -> Execution:
    """Runs the command in a session of its own. `memory` limits its address space (bytes).

    Everything of its session is killed at the end, at its limit, or when `stop` is set. Raises
    OSError if it cannot be started. It works in `folder`.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            cwd=folder,
        )
        try:
            if memory is not None:
                _limit(process.pid, memory)
            killed = not _ended(process, started + seconds + GRACE, stop)
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        spent = time.monotonic() - started
        return Execution(_end(out), _end(err), process.returncode, spent, killed)


def _ended(process: subprocess.Popen[bytes], deadline: float, stop: Event) -> bool:
    """Waits until the process ends (True), the deadline passes or `stop` is set."""
    while not stop.is_set() and time.monotonic() < deadline:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
            return True
    return False


def _limit(pid: int, memory: int) -> None:
    if hasattr(resource, "prlimit"):
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))


def _end(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LARGEST_OUTPUT))
    return file.read().decode(errors="replace")

