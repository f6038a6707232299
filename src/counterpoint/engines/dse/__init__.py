"""Dynamic symbolic execution: all paths of the program, one solver query for each way off a path that was run.

Source: the DASH thesis (engines/dash), section 2.1 and the row DSE of table 5.3.
Deviations: the next way is the one nearest to a branch that no test has taken, with a malus for edges that were tried
before; memory is symbolic as well, so nothing is made concrete; a query holds only the conjuncts that the way depends
on (logic/path_queries.py), the rest keeps the values of the test that it leaves; tests stop at a depth, which
grows when all else is explored. Calls are put in place of their bodies first, else their paths would be merged.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import unmodelled
from counterpoint.engines.dse.branch_distance import CfgEdge
from counterpoint.engines.dse.exploration import (
    ADDRESSES,
    NO_ANSWER,
    Exploration,
    Settings,
    conditional_edges,
    explore,
)
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict, Violation
from counterpoint.program.inline import inline
from counterpoint.program.model import Program
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.tests import End, Test
from counterpoint.regions.walk import BackEdge, Ends, unroll
from counterpoint.semantics.objects import World

__all__ = ["ENGINE", "OPTIONS", "CfgEdge", "Exploration", "Settings", "explore", "settings"]

PROOF_STEPS = 1_000_000
"""Instructions of the unrolling that becomes the proof."""

OPTIONS = (
    Option("dse.depth", "100000", "places (basic blocks) after which a test is stopped for good"),
    Option("dse.tests", "0", "tests after which to end; 0: no limit"),
    Option("dse.solver", "bitwuzla", "the backend of its queries"),
)


def settings(options: Mapping[str, str], tools: Tools) -> Settings:
    """From OPTIONS. Raises UnusableInput for what is not a number."""
    numbers = []
    for name, default, least in (("dse.depth", "100000", 1), ("dse.tests", "0", 0)):
        text = options.get(name, default)
        if not text.isdecimal() or int(text) < least:
            raise UnusableInput(f"option {name}: `{text}` is not a number from {least} up")
        numbers.append(int(text))
    solver = options.get("dse.solver", "bitwuzla")
    return Settings(tools.budget, tools.observe, tools.seed, numbers[0], numbers[1], solver)


# ---------------------------------------------------------------- the proof


@dataclass(slots=True)
class _AsLong(Ends):
    """Follows back edges as often as some path did, and recursion as deep."""

    iterations: int
    activations: int

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        if so_far.steps > PROOF_STEPS:
            return False
        return edge.repeated <= (self.activations if edge.recursion else self.iterations)


def complete_unrolling(program: Program, preparation: str, exploration: Exploration) -> Verdict:
    """The proof that there are no paths but the explored ones, as a claim for evidence to check.

    The loops are unrolled as often as any path visits one place; that no run goes on is then claimed.
    """
    visits, activations = exploration.longest()
    world = World(program, dict(exploration.granules))
    unrolling = unroll(world, _AsLong(visits - 1, activations), exploration.settings.budget)
    if unrolling.steps > PROOF_STEPS or unrolling.blocks:
        detail = f"all {exploration.count:,} paths were explored without a violation, but their proof is too large"
        return Unknown(Reason.NO_PROGRESS, detail)
    return Safe(CompleteUnrolling(preparation, tuple(sorted({cut.instance for cut in unrolling.cuts}))))


# ---------------------------------------------------------------- the engine


_REASONS = {NO_ANSWER: Reason.SOLVER_UNKNOWN, ADDRESSES: Reason.NO_PROGRESS}


@dataclass(slots=True)
class DynamicSymbolicExecution:
    """The engine."""

    name: str = "dse"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Saarikivi, Test-Guided Proofs for C Programs on LLVM (2013), 2.1; DART (PLDI 2005); KLEE (2008)"
    summary: str = "dynamic symbolic execution: a test for every path; TRUE when there are no more of them"
    _seen: Exploration | None = None

    def statistics(self) -> Mapping[str, int]:
        """Counts of the last search: tests, queries, unsat ones, branches."""
        return {} if self._seen is None else self._seen.statistics()

    def verify(self, task: Task, tools: Tools) -> Verdict:
        """Unsafe at the first test that fails a check. Raises OutOfBudget."""
        chosen = settings(task.options, tools)
        inlined = inline(task.program)
        violations: list[Violation] = []

        def see(exploration: Exploration, test: Test) -> bool:
            self._seen = exploration
            if test.end is End.VIOLATED:
                violations.append(Violation(test.check, test.inputs(exploration.tree), task.preparation))
            return bool(violations)

        exploration = explore(inlined, chosen, conditional_edges(inlined), see)
        return Unsafe(violations[0]) if violations else _end(task, exploration)


def _end(task: Task, exploration: Exploration) -> Verdict:
    if exploration.explored:
        return complete_unrolling(task.program, task.preparation, exploration)
    if exploration.unanswered:
        reason = _REASONS.get(next(iter(exploration.unanswered)))
        said = unmodelled(exploration.unanswered)
        return said if reason is None else Unknown(reason, said.detail)
    reached = f"{exploration.count:,} tests, the longest stopped after {exploration.depth:,} blocks"
    return Unknown(Reason.BOUND_REACHED, reached)


ENGINE = DynamicSymbolicExecution()
