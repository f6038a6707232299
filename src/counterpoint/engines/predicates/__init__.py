"""Lazy predicate abstraction: an abstract graph grows over predicates, and spurious error traces add predicates.

    graph := the start;  no predicates
    loop:
        grow the graph until all is followed or covered, or an edge leads to the error
        no error: safe, the abstract states are the proof
        feasible trace: unsafe
        spurious: interpolate it; the interpolants' atoms are tracked where the trace was cut, and the graph
                  grows again from the first place where one is new

Source: Sagiv, "Counter Example Guided Refinement" (slides), slides 29 to 58; Henzinger, Jhala, Majumdar, Sutre (POPL
2002) and with McMillan (POPL 2004). Deviations: blocks reach from loop head to loop head (`predicates.block`);
everything is computed on bit-vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial

from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.impact.search import Impact
from counterpoint.engines.predicates.options import OPTIONS, Options, preparation
from counterpoint.engines.predicates.search import Search
from counterpoint.engines.predicates.slam.search import Slam
from counterpoint.engines.predicates.strategy import Inexact, Strategy
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.region_graph import RegionGraph
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Verdict
from counterpoint.semantics.granules import with_granules

__all__ = ["ENGINE", "OPTIONS", "Options", "Predicates", "Search", "preparation"]


@dataclass(slots=True)
class Predicates:
    """The engine."""

    name: str = "predicates"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Sagiv, Counter Example Guided Refinement (slides), slides 29 to 58"
    summary: str = "lazy predicate abstraction: interpolants of spurious traces become predicates where they are needed"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        options = Options.of(task.options)
        strategy: type[Strategy] = Slam if options.slam else Impact if options.impact else Search
        granules: dict[str, int] = {}

        def attempt(granules: dict[str, int], exact: bool = False) -> Verdict:
            search = strategy(task.program, options, tools, granules, task.subject, exact)
            try:
                return search.run()
            except OutOfBudget:
                return Unknown(Reason.OUT_OF_TIME, search.events.stopped(search.progress()))
            finally:
                self.numbers = search.statistics()
                search.close()

        try:
            verdict = with_granules(attempt, granules)
        except Inexact:
            verdict = with_granules(partial(attempt, exact=True), granules)
        match verdict:
            case Safe(RegionGraph() as proof):
                return Safe(replace(proof, contracts=task.program.contracts))
        return verdict


ENGINE = Predicates()
