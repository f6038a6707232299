"""Which of many small formulas hold for all values of their unknowns, by a solver in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from counterpoint.solver.race import RACERS
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term

TOGETHER = 2_000
"""So many formulas are handed over at a time: a solver's start costs 0.2 s, one such formula about 0.2 ms."""


class NotAsked(Exception):
    """A solver's process ended without an answer; the message says how."""


def not_valid(formulas: Sequence[Term], seconds: float, backend: str) -> list[int]:
    """The positions of those that `backend` did not show to be valid: falsified, or no answer in time.

    Raises NotAsked where the solver as a whole did not answer within a second after `seconds`.
    """
    if backend not in RACERS:
        raise ValueError(backend)
    found: list[int] = []
    for first in range(0, len(formulas), TOGETHER):
        part = formulas[first : first + TOGETHER]
        found += (first + number for number in _asked(to_smtlib(part), seconds, backend))
    return found


def _asked(text: str, seconds: float, backend: str) -> list[int]:
    command = [sys.executable, "-m", "counterpoint.solver.worker", f"{backend}-each", f"{seconds:.3f}", "0"]
    try:
        ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds + 1, check=False)
    except subprocess.TimeoutExpired:
        raise NotAsked(f"{backend}: timeout") from None
    words = ended.stdout.split()
    if ended.returncode or not words or words[0] != "not":
        raise NotAsked(f"{backend}: {ended.stderr.strip()[-200:] or f'exit status {ended.returncode}'}")
    return [int(word) for word in words[1:]]
