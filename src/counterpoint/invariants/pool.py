"""The pool of facts: what engines tell one another about a program while they work.

A fact from the pool is a candidate for whoever takes it, unless it was `proved` on the same program: then it
holds at its cut point on every run. Either way a certificate carries all facts that it uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Protocol

from counterpoint.core.records import dataclass
from counterpoint.semantics.facts import Fact


@dataclass(frozen=True, slots=True)
class Told:
    """A fact, whether it was proved, and who said so (an engine's name, or what made a candidate)."""

    fact: Fact
    proved: bool
    source: str


class FactPool(Protocol):
    """Facts on one program, as one preparation made it: only engines that work on the same tell each other some."""

    def tell(self, facts: Iterable[Fact], *, proved: bool, source: str) -> None:
        """Hands facts to all engines. Facts that were told before are dropped."""
        ...

    def heard(self) -> list[Told]:
        """What others have told since the last call, in the order of telling; never what this engine told."""
        ...


@dataclass(slots=True)
class Alone:
    """The pool of an engine that runs by itself."""

    told: list[Told] = field(default_factory=list)

    def tell(self, facts: Iterable[Fact], *, proved: bool, source: str) -> None:
        self.told += (Told(fact, proved, source) for fact in facts)

    def heard(self) -> list[Told]:
        return []
