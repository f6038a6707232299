"""What a source of candidate invariants is, and what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Snapshots
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import Fact


@dataclass(frozen=True, slots=True)
class Context:
    """What candidates are guessed from. `snapshots` are states at cut points of concrete runs (maybe none)."""

    graph: CutGraph
    snapshots: Snapshots
    budget: Budget
    seed: int = 0


class CandidateSource(Protocol):
    """Guesses facts. `stage` orders the work of Houdini: 0 is cheap and nearly always of use, 3 is the last."""

    @property
    def name(self) -> str: ...

    @property
    def stage(self) -> int: ...

    @property
    def summary(self) -> str:
        """One sentence: what it guesses, after which source (paper, section)."""
        ...

    def candidates(self, context: Context) -> Iterator[Fact]:
        """Guesses in a deterministic order, the likeliest first; the same one may come twice."""
        ...
