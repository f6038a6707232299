"""Which of many small formulas hold for all values of their unknowns, by a solver in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.core import clock
from counterpoint.solver.processes import Solvers
from counterpoint.solver.race import RACERS
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term

TOGETHER = 2_000
"""So many formulas are handed over at a time, at about 0.2 ms for each."""


class NotAsked(Exception):
    """A solver's process ended without an answer; the message says how."""


class Asked:
    """A process that was asked which of some formulas `backend` does not show to be valid; it is busy until it is
    listened to."""

    def __init__(self, solvers: Solvers, formulas: Sequence[Term], seconds: float, backend: str) -> None:
        if backend not in RACERS:
            raise ValueError(backend)
        self.solvers = solvers
        self.deadline = clock.now() + seconds + 1
        self.process = solvers.ask(backend, "each", to_smtlib(formulas), max(0.001, seconds))

    def not_valid(self) -> list[int]:
        """Their positions: falsified, or no answer in time. Raises NotAsked where the solver as a whole did not
        answer within a second after the time."""
        answer = self.process.answer_within(self.deadline - clock.now())
        words = (answer or "").split()
        if not words or words[0] != "not":
            why = "timeout" if answer is None else answer.removeprefix("failed ") or self.process.why()
            self.solvers.end([self.process])
            raise NotAsked(f"{self.process.backend}: {why}")
        self.solvers.give_back(self.process)
        return [int(word) for word in words[1:]]


def not_valid(solvers: Solvers, formulas: Sequence[Term], seconds: float, backend: str) -> list[int]:
    """The positions of those that `backend` did not show to be valid, as Asked says them."""
    deadline, found = clock.now() + seconds, list[int]()
    for first in range(0, len(formulas), TOGETHER):
        part = formulas[first : first + TOGETHER]
        found += (first + number for number in Asked(solvers, part, deadline - clock.now(), backend).not_valid())
    return found
