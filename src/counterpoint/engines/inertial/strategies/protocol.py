"""What a strategy is: the next thing to do about an error condition with placeholders."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.solver.answers import Model
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Excluded:
    """No run of the unfolding satisfies the condition, whatever the placeholders stand for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A run that passes no placeholder satisfies it."""

    model: Model


@dataclass(frozen=True, slots=True)
class Enter:
    """These placeholders have to be entered; at least one. `guessed`: a question about what has to be had no answer."""

    chosen: tuple[Placeholder, ...]
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """No solver could tell."""

    reason: str


Decision: TypeAlias = Excluded | Found | Enter | Undecided


class Strategy(Protocol):
    """Modules of `strategies/` expose one as STRATEGY. It may ask the unfolding what it likes."""

    @property
    def name(self) -> str: ...

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        """What is to be done about the condition, one of the unfolding's. Raises OutOfBudget."""
        ...
