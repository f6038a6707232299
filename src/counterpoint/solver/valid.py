"""Which of many small formulas hold for all values of their unknowns, by a solver in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from counterpoint.core import clock
from counterpoint.solver.race import RACERS
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term

TOGETHER = 2_000
"""So many formulas are handed over at a time: a solver's start costs 0.2 s, one such formula about 0.2 ms."""


class NotAsked(Exception):
    """A solver's process ended without an answer; the message says how."""


class Asked:
    """A process that was asked which of some formulas `backend` does not show to be valid."""

    def __init__(self, formulas: Sequence[Term], seconds: float, backend: str) -> None:
        if backend not in RACERS:
            raise ValueError(backend)
        self.backend = backend
        self.deadline = clock.now() + seconds + 1
        command = [sys.executable, "-m", "counterpoint.solver.worker", f"{backend}-each", f"{seconds:.3f}", "0"]
        with tempfile.TemporaryFile("w+", encoding="utf-8") as script:
            script.write(to_smtlib(formulas))
            script.seek(0)
            self.process = subprocess.Popen(
                command, stdin=script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )

    def not_valid(self) -> list[int]:
        """Their positions: falsified, or no answer in time. Raises NotAsked where the solver as a whole did not
        answer within a second after the time."""
        try:
            out, err = self.process.communicate(timeout=max(0.0, self.deadline - clock.now()))
        except subprocess.TimeoutExpired:
            raise NotAsked(f"{self.backend}: timeout") from None
        words, status = out.split(), self.process.returncode
        if status or not words or words[0] != "not":
            raise NotAsked(f"{self.backend}: {err.strip()[-200:] or f'exit status {status}'}")
        return [int(word) for word in words[1:]]


@contextmanager
def asking(formulas: Sequence[Term], seconds: float, backend: str) -> Iterator[Asked]:
    """Asks about the formulas; no process is left behind."""
    asked = Asked(formulas, seconds, backend)
    try:
        yield asked
    finally:
        asked.process.kill()
        asked.process.communicate()


def not_valid(formulas: Sequence[Term], seconds: float, backend: str) -> list[int]:
    """The positions of those that `backend` did not show to be valid, as Asked says them."""
    found: list[int] = []
    for first in range(0, len(formulas), TOGETHER):
        with asking(formulas[first : first + TOGETHER], seconds, backend) as asked:
            found += (first + number for number in asked.not_valid())
    return found
