"""What every solver, and every layer around one, can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import Protocol

from counterpoint.core.errors import CounterpointError
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Answer
from counterpoint.term.term import V


class SolverError(CounterpointError):
    """A backend refused a formula or failed; the message is its own words."""


class Solver(Protocol):
    """A stack of assertions and questions about them. Formulas are Bool values: Terms, or ints 0 and 1."""

    @property
    def name(self) -> str:
        """The backend's name."""
        ...

    def add(self, formula: V) -> None:
        """Assert in the present scope."""
        ...

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        """Is there a model of the assertions and the assumptions?

        Ends within about half a second after `seconds`, with SolverUnknown("timeout"). Raises SolverError
        if the backend fails, KeyboardInterrupt if that came meanwhile.
        """
        ...

    def scope(self) -> AbstractContextManager[None]:
        """What is added inside the `with` block is taken back at its end, also after an exception."""
        ...

    def interrupt(self) -> None:
        """End a check that runs in another thread, and the next one if none runs."""
        ...

    def close(self) -> None:
        """Free what the backend holds; the solver cannot be used afterwards, its models can."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How a solver is set up. `addresses` gives ADDRESS terms their meaning (absent: a variable of its own);
    it must not change for an id once a formula with it was added. `memory_megabytes` 0 means no limit; z3 cannot be
    limited alone (its limit is the whole process's). `normalize`: whether Bitwuzla looks for a form of sums with fewer
    gates first, which no limit ends and which costs more than it gains where questions are short.
    """

    seed: int = 0
    addresses: Mapping[int, V] = field(default_factory=dict)
    memory_megabytes: int = 0
    normalize: bool = True


class Backend(Protocol):
    """A solver program: `BACKEND` of each module in `solver.backends`."""

    @property
    def name(self) -> str:
        """How users and logs call it; the module's name."""
        ...

    def connect(self, settings: Settings) -> Solver:
        """A fresh solver."""
        ...


class SolverFactory(Protocol):
    """What engines are handed to get solvers."""

    def __call__(self, addresses: Mapping[int, V] | None = None) -> Solver:
        """A fresh solver; `addresses` as in Settings."""
        ...
