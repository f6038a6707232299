"""The facts that both cases assume, and how they become more: told by others, guessed, or made of counterexamples.

Source: invariants that arrive while k grows after Beyer, Dangl, Wendler (CAV 2015), counterexamples to induction as
candidates after Bradley (VMCAI 2011).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.kinduction.blocking import Blocker, against
from counterpoint.engines.kinduction.chains import Reached, states
from counterpoint.engines.protocol import Tools
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.chain import Chain
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Model

MOST_CANDIDATES = 200
"""Candidates from one counterexample; those about the states next to the failure first."""

GUESS_SECONDS = 0.7
"""Limit for the guesses of one source."""

LEARNING_SECONDS = 1.5
"""Limit of one attempt to find facts. Over all, they take at most a third of the time."""

TEST_SECONDS = 0.5
"""Limit of the concrete runs that refute candidates."""

OPEN_SECONDS = 0.5
"""Limit of the question, by region, whether facts alone exclude failures."""


@dataclass(slots=True)
class Strengthening:
    """`houdini` has the facts, which are inductive by themselves. `guessed`: the cheapest guesses were tried;
    `learned` facts came from counterexamples; `seconds` were spent on these."""

    graph: CutGraph
    tools: Tools
    houdini: Houdini = field(init=False)
    blocker: Blocker = field(init=False)
    guessed: bool = False
    learned: int = 0
    seconds: float = 0.0
    _tried: set[Fact] = field(default_factory=set)
    _snapshots: Snapshots | None = None

    def __post_init__(self) -> None:
        tools = self.tools
        self.houdini = Houdini(self.graph, tools.budget, tools.observe, tools.seed)
        known = self.houdini.facts
        self.blocker = Blocker(self.graph, lambda place: known.get(place, ()), tools.observe, tools.seed)

    def facts(self) -> list[Fact]:
        return [fact for facts in self.houdini.facts.values() for fact in facts]

    def exclude_failures(self) -> bool:
        """The facts alone exclude every failure."""
        began = self.tools.budget.elapsed()
        excluded = not self.houdini.open_regions(OPEN_SECONDS)
        self.seconds += self.tools.budget.elapsed() - began
        return excluded

    def hear(self) -> list[Fact]:
        """What holds of what others tell; also of what they have proved, which may rest on other places."""
        return self._inductive([told.fact for told in self.tools.facts.heard()], LEARNING_SECONDS)

    def guess(self) -> list[Fact]:
        """What holds of the cheapest guesses, source by source, so that a hard one spoils no other. Once only."""
        if self.guessed:
            return []
        self.guessed = True
        context = Context(self.graph, self._tests(), self.tools.budget, self.tools.seed)
        kept: list[Fact] = []
        for source in guesses.sources():
            if source.stage == 0:
                kept += self._inductive(list(source.candidates(context)), GUESS_SECONDS)
        return kept

    def learn(self, chain: Chain, k: int, counterexample: Model) -> bool:
        """Facts that exclude the run of this counterexample to induction, if any of the candidates is inductive."""
        allowed = self.tools.budget.elapsed() / 3 + LEARNING_SECONDS / 4
        if not self.guessed or self.seconds > allowed:
            return False
        run = states(chain, k, counterexample)
        found = [fact for fact in against(reversed(run)) if fact not in self._tried]
        candidates = surviving(found[: 2 * MOST_CANDIDATES], self._tests())[:MOST_CANDIDATES]
        self._tried.update(candidates)
        began = self.tools.budget.elapsed()
        kept = self._inductive(candidates, LEARNING_SECONDS) or self._blocked(run[0])
        self.seconds += self.tools.budget.elapsed() - began
        if kept:
            self._tried.clear()
        self.learned += len(kept)
        self.tools.facts.tell(kept, proved=True, source="kinduction")
        return bool(kept)

    def _blocked(self, state: Reached) -> list[Fact]:
        """Clauses that exclude the state, and others that they needed."""
        self.blocker.found.clear()
        with suppress(OutOfBudget):
            self.blocker.block(state, Budget(min(LEARNING_SECONDS, self.tools.budget.remaining())))
        return self._inductive(self.blocker.found, LEARNING_SECONDS)

    def _inductive(self, candidates: list[Fact], seconds: float) -> list[Fact]:
        """Those that hold; none if that takes too long."""
        if not candidates:
            return []
        self.houdini.budget = Budget(min(seconds, self.tools.budget.remaining()))
        try:
            return self.houdini.extend(surviving(candidates, self._tests()))
        except OutOfBudget:
            return []
        finally:
            self.houdini.budget = self.tools.budget

    def _tests(self) -> Snapshots:
        """States of concrete runs, which refute most candidates."""
        if self._snapshots is None:
            limits = RecordingLimits(seconds=min(TEST_SECONDS, self.tools.budget.remaining()))
            graph, seed = self.graph, self.tools.seed
            self._snapshots = record(graph.program, graph.cuts, graph.granules, seed=seed, limits=limits)
        return self._snapshots

    def close(self) -> None:
        self.houdini.close()
        self.blocker.close()
