"""From facts of a view to a proof over bit-vectors, or to candidates for all engines."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof
from counterpoint.engines.protocol import Tools
from counterpoint.engines.spacer.inductive import inductive
from counterpoint.evidence.verdict import Safe, Verdict
from counterpoint.invariants.houdini import Houdini
from counterpoint.logic.horn.clauses import Horn
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import Fact

REDUCING = 0.3
"""The part of what then remains that may go into finding out which facts of a proof are needed."""


@dataclass(slots=True)
class SpacerStatistics:
    """Sizes of the encoding, and what became of each view."""

    relations: int = 0
    arguments: int = 0
    clauses: int = 0
    answers: dict[str, str] = field(default_factory=dict)
    facts: int = 0
    proved_by: str = ""


@dataclass(slots=True)
class SpacerProof:
    """Turns facts into a proof where they are one, and into candidates for all engines.

    The facts of `houdini` are inductive, and assumed in `horn`. `scalars` are the clauses without memory, if it
    matters.
    """

    graph: CutGraph
    horn: Horn
    scalars: Horn | None
    preparation: str
    tools: Tools
    statistics: SpacerStatistics
    houdini: Houdini

    def by(self, facts: tuple[Fact, ...], view: str) -> Verdict | None:
        """All the facts together, or what Houdini keeps of them."""
        self.statistics.facts += len(facts)
        if not inductive(self.horn, facts, self.tools.budget):
            return self.by_houdini(facts, view)
        for fact in facts:
            self.houdini.facts.setdefault(fact.place, []).append(fact)
        return self.safe(self._needed(), view)

    def by_houdini(self, facts: tuple[Fact, ...], view: str) -> Verdict | None:
        """What is inductive of the facts, if that excludes all failing checks. All are told as candidates."""
        if not facts:
            return None
        self.tools.facts.tell(facts, proved=False, source="spacer")
        try:
            self.tools.facts.tell(self.houdini.extend(facts), proved=True, source="spacer")
            if not self.houdini.open_regions():
                return self.safe(self._needed(), f"{view} and Houdini")
        except OutOfBudget:
            pass
        return None

    def _needed(self) -> tuple[Fact, ...]:
        """Those of the proved facts that suffice, if they are found in time: the checker has less to do."""
        proved = tuple(fact for facts in self.houdini.facts.values() for fact in facts)
        if len(proved) < 2:
            return proved
        whole = self.houdini.budget
        self.houdini.budget = whole.share(REDUCING)
        try:
            return tuple(self.houdini.needed())
        except OutOfBudget:
            return proved
        finally:
            self.houdini.budget = whole

    def safe(self, facts: tuple[Fact, ...], how: str) -> Safe:
        self.statistics.proved_by = how
        self.tools.facts.tell(facts, proved=True, source="spacer")
        return invariant_proof(self.graph, self.preparation, facts)
