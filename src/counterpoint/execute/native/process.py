"""The process of a native executable: started with limits, fed inputs, read line by line, killed when it is late."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

from counterpoint.core import clock
from counterpoint.core.records import dataclass
from counterpoint.execute.native.instrument import NotNative

GRACE = 1.0
"""Seconds that a process may overrun its own time limit before it is killed."""

NO_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What the executable is told to do (runtime_start.c), and how far."""

    mode: str
    seed: int = 0
    seconds: float = 60.0
    runs: int = NO_LIMIT
    steps: int = NO_LIMIT
    told: int = 0
    total: int = NO_LIMIT
    dull: int = NO_LIMIT
    onward: int = 0
    assumed: str = ""

    def arguments(self) -> list[str]:
        milliseconds = max(1, round(self.seconds * 1000))
        seed = self.seed & (2**63 - 1)
        numbers = (seed, milliseconds, self.runs, self.steps, self.told, self.total, self.dull, self.onward)
        return [self.mode, *map(str, numbers), self.assumed]


class Process:
    """One process in a group of its own, limited in wall-clock time without pauses; leaving the `with` kills it.

    It reads what is `given` and then the end of its input; without, what it is told by `send`.
    """

    def __init__(self, file: int, limits: ProcessLimits, given: bytes | None = None) -> None:
        self.late = False
        self._deadline = clock.now() + limits.seconds + GRACE
        self._given = given
        try:
            self._child = subprocess.Popen(
                ["counterpoint-run", *limits.arguments()],
                executable=f"/proc/self/fd/{file}",
                pass_fds=(file,),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={},
                process_group=0,
            )
        except OSError as error:
            raise NotNative(f"the executable does not start: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Kills what still runs. Harmless when repeated."""
        with suppress(ProcessLookupError):
            if self._child.poll() is None:
                os.killpg(self._child.pid, signal.SIGKILL)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._child.wait()

    def put_off(self, seconds: float) -> None:
        """It is late that much later."""
        self._deadline += seconds

    def feed(self) -> None:
        """Hands over the inputs, after which the process is at work."""
        assert self._child.stdin is not None
        with suppress(BrokenPipeError):
            if self._given is not None:
                self._child.stdin.write(self._given)
                self._child.stdin.close()
        self._given = None

    def send(self, data: bytes) -> None:
        """Raises NotNative if it has ended."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(data)
            self._child.stdin.flush()
        except OSError as error:
            raise NotNative(f"the executable has ended: {error.strerror}") from None

    def lines(self) -> Iterator[str]:
        """What the process prints, line by line, until it ends or is late."""
        self.feed()
        assert self._child.stdout is not None
        output = self._child.stdout.fileno()
        rest = b""
        while True:
            if not self._ready(output):
                self.late = True
                return
            read = os.read(output, 1 << 20)
            if not read:
                return
            *complete, rest = (rest + read).split(b"\n")
            for line in complete:
                yield line.decode("ascii", "replace")

    def _ready(self, output: int) -> bool:
        """Waits for output until the deadline, which pauses of this process and its child put off."""
        while (left := self._deadline - clock.now()) > 0:
            if select.select([output], [], [], left)[0]:
                return True
        return False

    def complaint(self, lines: list[str]) -> str:
        status = self._child.returncode
        last = lines[-1] if lines else "nothing"
        return f"the executable ended with status {status} after saying `{last}`"
