"""DASH: tests and a region graph that refine each other.

    abstraction := one region per place;  run a first test
    loop:
        choose an abstract error trace whose regions behind the frontier no test has visited
        if there is none: safe, the region graph is the proof
        extend the frontier: path condition of a test up to it, and across it into the target region
        satisfiable:   run the new test; if a check fails in it: unsafe
        unsatisfiable: split the frontier by a suitable predicate, and remove the edge

Source: Saarikivi, "Test-Guided Proofs for C Programs on LLVM" (2013), figures 3.2 to 3.9; Beckman, Nori, Rajamani,
Simmons, "Proofs from Tests" (ISSTA 2008).
Deviations: places are basic blocks or loop heads (`dash.block`); the split goes on backwards along the path as long
as no test is known in the half that leads to the error, because the question is the same there; of a predicate only
the conjuncts in the unsat core are used (Nori, Rajamani, "An empirical study of optimizations in Yogi", ICSE 2010);
predicates are evaluated on the symbolic states of the execution tree, nothing is run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.errors import OutOfBudget
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.options import OPTIONS, Options, preparation
from counterpoint.engines.dash.search import Search
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.semantics.granules import with_granules

__all__ = ["ENGINE", "OPTIONS", "Dash", "Options", "Search", "preparation"]


@dataclass(slots=True)
class Dash:
    """The engine."""

    name: str = "dash"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Saarikivi, Test-Guided Proofs for C Programs on LLVM (2013), figures 3.2 to 3.9"
    summary: str = "tests and a region graph refine each other; weakest preconditions split regions"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        options = Options.of(task.options)

        def attempt(granules: dict[str, int]) -> Verdict:
            search = Search(task.program, task.preparation, options, tools, granules, task.subject)
            try:
                return search.run()
            except OutOfBudget:
                tests, regions = len(search.explored.tests), search.forest.regions
                return Unknown(Reason.OUT_OF_TIME, f"{tests} tests, {regions} regions")
            finally:
                self.numbers = search.statistics()
                search.close()

        return with_granules(attempt)


ENGINE = Dash()
