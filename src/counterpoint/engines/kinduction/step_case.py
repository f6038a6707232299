"""The step case: of k + 1 consecutive regions, from anywhere in any state with the facts, the last does not fail."""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.records import dataclass
from counterpoint.engines.kinduction.chains import ChainSolver
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Answer, Sat
from counterpoint.term.term import V

SIMPLE_K = 64
"""Largest k at which states are compared: all pairs of them are."""


@dataclass(slots=True)
class StepCase:
    """Asked k by k. With `simple_path`, from the first counterexample on that is twice in the same state, only runs
    count that are not; `proved_simple`: the last refutation is about these only."""

    chains: ChainSolver
    simple_path: bool
    repeating: bool = False
    proved_simple: bool = False

    def fails(self, k: int, facts: Iterable[Fact], seconds: float) -> Answer:
        """A counterexample to induction, or that there is none for runs of k + 1 regions."""
        self.chains.assume(facts)
        simple = self.simple_path and k <= SIMPLE_K and self.chains.chain.comparable
        answer = self.chains.fails(k, seconds, simple=simple and self.repeating)
        if simple and not self.repeating and isinstance(answer, Sat) and self.chains.repeats(k, answer.model):
            self.repeating = True
            answer = self.chains.fails(k, seconds, simple=True)
        return answer

    def used(self, core: Iterable[V]) -> list[Fact]:
        """The facts that a refutation needed; notes whether it holds for simple paths only."""
        self.proved_simple = self.chains.used_simple(core)
        return self.chains.used(core)

    def not_compared(self) -> str:
        """What a person is told if the option had no effect."""
        refused = self.simple_path and not self.chains.chain.comparable
        return "; its states have arrays or floats, so they were not compared" if refused else ""
