"""How a run ends, and its limits."""

from __future__ import annotations

import math
from typing import TypeAlias

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Violated:
    """The check (index into Program.checks) did not hold."""

    check: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The run ended normally."""


@dataclass(frozen=True, slots=True)
class AssumptionFailed:
    """An assumption was false: there is no such run."""


@dataclass(frozen=True, slots=True)
class UnsupportedAt:
    """A construct without a meaning was met (index into Program.sites), or memory beyond the model.

    `site` is negative where the program has none for it; `reason` then says what it was.
    """

    site: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StepLimit:
    """A limit was reached; `reason` says which: steps, seconds, call depth or memory."""

    reason: str = "steps"


@dataclass(frozen=True, slots=True)
class InputsExhausted:
    """A strict replay asked for a value of this site that is not there."""

    site: int


Outcome: TypeAlias = Violated | Finished | AssumptionFailed | UnsupportedAt | StepLimit | InputsExhausted


class EndOfRun(CounterpointError):
    """Unwinds the interpreted frames; never leaves the interpreter."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class Limits:
    """`steps`: instructions (checked once per loop iteration and call); `depth`: nested calls;
    `memory`: bytes of all live objects; `seconds` of wall-clock time, looked at now and then."""

    steps: int = 10_000_000
    depth: int = 250_000
    memory: int = 1 << 30
    seconds: float = math.inf
