"""A proof of what no run of the unfoldings violates: regions with contracts for what stayed abstract, or an unrolling.

The functions that no excluded condition had to enter go by contract; Houdini finds what is inductive of the cheap
candidates, if facts are needed at all. Before that, loops are unrolled as far as they were entered: where no run goes
on, that is the proof. Each is one certificate, which is re-checked as any other.

Source: none; the paper's method has no proofs ([inertial refinement, section III]: SAR is under-approximate).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof, proof_by, unmodelled
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Reason, Safe, Unknown
from counterpoint.execute.snapshots import record
from counterpoint.execute.subject import MODULAR
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.contract_facts import extend_with_contracts
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.focus import asked, proved_without
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, Region, cut_graph
from counterpoint.regions.region import assumptions
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import BackEdge, Ends, unroll
from counterpoint.semantics.facts import Fact
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.objects import World
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build

STAGES = 4

PLAIN_STEPS = 200_000
"""Instructions of an unrolling, as far as constants decide how it goes on."""

UNROLLED_SECONDS = 20.0
UNROLLED_SHARE = 0.3
"""Limits of asking whether an unrolling is complete."""

SOURCE_SECONDS = 1.0
CONTRACT_SHARE = 0.3
STAGE_SHARE = 0.5
"""Of the time that is left."""


def proof(task: Task, entered: Iterable[str], deepest: int, tools: Tools) -> Safe | Unknown:
    """A proof in which the functions `entered` are walked through, or one that unrolls loops and recursion up to
    `deepest` times; else why there is none. What is proved of some checks is claimed. Raises OutOfBudget."""
    program = task.subject.program(MODULAR)
    abstract = tuple(sorted(program.functions.keys() - set(entered) - {program.entry}))
    graph = cut_graph(task.subject.program(MODULAR, abstract), tools.budget)
    with closing(Houdini(graph, tools.budget, tools.observe, tools.seed)) as houdini:
        if not houdini.open_regions():
            return proof_by(houdini, MODULAR)
        unrolled = _unrolled(program, deepest, tools)
        if unrolled is not None:
            return Safe(unrolled)
        if _enough(houdini, graph, tools):
            return proof_by(houdini, MODULAR)
        _claim(houdini, graph, task, tools)
        return _gave_up(houdini.open_regions())


def _gave_up(open_: Sequence[Region]) -> Unknown:
    """A check can fail as far as the facts tell, or what has no meaning can be met."""
    if any(failure.formula != 0 for region in open_ for failure in region.failures):
        return Unknown(Reason.NO_PROGRESS, "no condition can be satisfied, but no facts that were found prove it")
    return unmodelled(block.reason for region in open_ for block in region.blocks)


# ---------------------------------------------------------------- without facts


@dataclass(frozen=True, slots=True)
class _UpTo(Ends):
    """Back edges and calls of oneself are followed so often, or as long as constants decide them."""

    most: int

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return edge.undecided <= self.most and edge.repeated <= self.most + PLAIN_STEPS // (so_far.steps + 1)


def _unrolled(program: Program, most: int, tools: Tools) -> CompleteUnrolling | None:
    """What a complete unrolling claims, if no run goes beyond so many iterations."""
    tools.observe(Progress("inertial", f"unrolling {most} times"))
    summary = with_granules(lambda sizes: unroll(World(program, sizes), _UpTo(most), tools.budget))
    beyond = build.disjunction([*summary.failing, *(cut.formula for cut in summary.cuts)])
    with closing(standard_solver(seed=tools.seed)) as solver:
        for fact in (beyond, *assumptions(summary.world, [beyond])):
            solver.add(fact)
        seconds = min(UNROLLED_SECONDS, UNROLLED_SHARE * tools.budget.remaining())
        if not isinstance(solver.check(seconds=seconds), Unsat):
            return None
    return CompleteUnrolling(MODULAR, tuple(sorted({cut.instance for cut in summary.cuts})))


# ---------------------------------------------------------------- with facts


def _enough(houdini: Houdini, graph: CutGraph, tools: Tools) -> bool:
    if not houdini.open_regions():
        return True
    tools.observe(Progress("inertial", "facts for what stayed abstract"))
    seen = record(graph.program, graph.cuts, graph.granules, seed=tools.seed)
    learned = extend_with_contracts(houdini, tools.budget.share(CONTRACT_SHARE), tools.seed, seen)
    if learned and not houdini.open_regions():
        return True
    for stage in range(STAGES):
        found = [*(told.fact for told in tools.facts.heard()), *_guessed(Context(graph, seen, tools.budget), stage)]
        kept = houdini.extend(surviving(dict.fromkeys(found), seen), STAGE_SHARE * tools.budget.remaining())
        tools.facts.tell(kept, proved=True, source="inertial")
        if kept and not houdini.open_regions():
            return True
    return False


def _guessed(context: Context, stage: int) -> Iterator[Fact]:
    for source in guesses.sources():
        if source.stage == stage:
            limit = Budget.of_computing(min(SOURCE_SECONDS, 0.1 * context.budget.remaining()))
            with suppress(OutOfBudget):
                yield from source.candidates(Context(context.graph, context.snapshots, limit, context.seed))
            context.budget.spend()
    if stage == 0:
        for place in context.graph.cuts:
            yield Fact(*place, 0)


def _claim(houdini: Houdini, graph: CutGraph, task: Task, tools: Tools) -> None:
    """Tells which checks the facts exclude, where that are some of several."""
    wanted = task.subject.focus & asked(graph.program)
    if len(wanted) > 1:
        excluded, facts = houdini.excluded(wanted, 0.2 * tools.budget.remaining())
        if excluded:
            left = proved_without(task.subject.focus, wanted - excluded, graph.program)
            tools.claim(left, invariant_proof(graph, MODULAR, facts).certificate)
