"""Solver processes (solver/worker.py), which are asked one script after another."""

from __future__ import annotations

import selectors
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self, TypeAlias

from counterpoint.solver.known import KnownAnswers

WORKER = Path(__file__).with_name("worker.py")

Known: TypeAlias = KnownAnswers | None

What = Literal["check", "each"]
"""Whether a script's assertions can all be true; which of them are not shown to be valid."""


class SolverProcess:
    """A process of one backend. After `ask`, its answer is a line that can be read from `output`."""

    def __init__(self, backend: str, memory_megabytes: int) -> None:
        self.backend = backend
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER), backend, str(memory_megabytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def ask(self, what: What, script: str, seconds: float) -> None:
        """Hands the script over; what goes wrong with it shows in the answer."""
        assert self.process.stdin is not None
        data = script.encode()
        try:
            self.process.stdin.write(b"%s %.3f %d\n" % (what.encode(), seconds, len(data)))
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: so does its output

    def answer(self) -> str:
        """The line that it answers, waited for; empty where it has ended without one."""
        return self.output.readline().decode("utf-8", "replace").strip()

    def answer_within(self, seconds: float) -> str | None:
        """The same, or None where there is none in time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.output, selectors.EVENT_READ)
            return self.answer() if selector.select(max(0.0, seconds)) else None

    def stop(self) -> None:
        """It computes nothing until it goes on; its limits of time go on."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def why(self) -> str:
        """How it ended, after an empty answer."""
        status = self.process.wait()
        if status < 0:
            return f"killed by signal {-status}"
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode("utf-8", "replace").strip()
        return said[-200:] or f"exit status {status}"


class Solvers:
    """Processes that wait for their next script, one for a backend at most; none is left after `close()`. `known`: what
    need not be asked. Where several are asked the same, so many compute `at_once`."""

    def __init__(self, memory_megabytes: int = 0, known: KnownAnswers | None = None, at_once: int = 1) -> None:
        self.memory_megabytes = memory_megabytes
        self.known = known
        self.at_once = at_once
        self._won_last = ""
        self._waiting: dict[str, SolverProcess] = {}
        self._busy: dict[str, SolverProcess] = {}
        self._concluded: list[str] = []

    def expect(self, backend: str) -> None:
        """`prepare`, where it is sure to be needed: not where answers are known."""
        if self.known is None:
            self.prepare(backend)

    def prepare(self, backend: str) -> None:
        """Starts the backend's process, which will be needed soon."""
        if backend not in self._waiting:
            self._waiting[backend] = SolverProcess(backend, self.memory_megabytes)

    def is_there(self, backend: str) -> bool:
        return backend in self._waiting

    def has_won(self, backend: str) -> None:
        """It was the first to answer a question that took long."""
        self._won_last = backend

    def won_last(self, backend: str) -> bool:
        """Whether it answered the last one of these."""
        return backend == self._won_last

    def ask(self, backend: str, what: What, script: str, seconds: float) -> SolverProcess:
        """The backend's process, at work on the script until it is given back or ended."""
        self.prepare(backend)
        process = self._busy[backend] = self._waiting.pop(backend)
        process.ask(what, script, seconds)
        return process

    def conclude(self, script: str) -> None:
        """All cases of the script were refuted, one by one: so it is, if simplifications are right (`settle`)."""
        if self.known is not None:
            self._concluded.append(self.known.key(script))

    def settle(self) -> None:
        """A solver has confirmed all simplifications that were made for what was asked so far."""
        for key in self._concluded:
            if self.known is not None:
                self.known.learn(key, "cases")
        self._concluded.clear()

    def give_back(self, process: SolverProcess) -> None:
        """It has answered."""
        del self._busy[process.backend]
        self._waiting[process.backend] = process

    def end(self, processes: Iterable[SolverProcess]) -> None:
        """Kills them, wherever they are."""
        ended = list(processes)
        for process in ended:
            process.process.kill()
        for process in ended:
            process.process.communicate()
            self._busy.pop(process.backend, None)

    def close(self) -> None:
        self.end([*self._busy.values(), *self._waiting.values()])
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
