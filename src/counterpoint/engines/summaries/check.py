"""Algorithm 1: check(S, phi).

Read first: `summary.py`; `modelcheck.py` is line 4, `refinement.py` are lines 8 to 32. Deviations: the bound of the
model checker grows, and where there is no counterexample up to it, a proof without one is tried (`proof.py`); of the
functions on a spurious counterexample the first is refined whose real outcome differs from the model's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf

from counterpoint.core.events import BoundReached, Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import unanswered
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.summaries.functions import roots
from counterpoint.engines.summaries.modelcheck import Bounded, Counterexample, bounded
from counterpoint.engines.summaries.options import ALL, EAGER, Options
from counterpoint.engines.summaries.proof import Proof
from counterpoint.engines.summaries.refinement import Refinement
from counterpoint.engines.summaries.rows import Rows
from counterpoint.engines.summaries.summary import CallMade, Summary, agree, facts_of
from counterpoint.engines.summaries.unit_proof import UnitProof
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.snapshots import Snapshots, constants, record
from counterpoint.execute.subject import CALLED, MODULAR
from counterpoint.execute.unit import RunUnit, interface, unit_of
from counterpoint.program.graph import by_contract
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import SolverUnknown

PROOF_SHARES = (0.1, 0.2, 0.4, 0.5)
"""Of the time left, for the first attempts at a proof without a bound, and all further ones."""

LARGEST_BOUND = 1 << 16

REPLAY_STEPS = 20_000
"""Of a counterexample's run, beside a few times those of the summarised program."""


@dataclass(slots=True)
class Check:
    """One search. `names`: the functions that are summarised; `graph`: all units, and the program around
    them; `now`: the same without those that are entered. It ends after `most` refinements."""

    task: Task
    tools: Tools
    options: Options
    most: float = inf
    program: Program = field(init=False)
    names: tuple[str, ...] = field(init=False)
    graph: CutGraph = field(init=False)
    now: CutGraph = field(init=False)
    snapshots: Snapshots = field(init=False)
    summaries: dict[str, Summary] = field(default_factory=dict)
    refinements: dict[str, Refinement] = field(default_factory=dict)
    _proof: Proof | None = None
    _attempts: int = 0

    def __post_init__(self) -> None:
        self.program = self.task.program
        self.names = roots(self.program)

    # ------------------------------------------------------------ lines 1 to 7

    def check(self) -> Verdict:
        self.start()  # line 2
        if self.options.strategy == EAGER:
            for refinement in self.refinements.values():
                refinement.ahead()
        bound = self.options.bound or 1
        while bound <= LARGEST_BOUND:  # line 3
            self.tools.observe(Progress("summaries", f"bound {bound}"))
            verdict, complete = self._up_to(bound)
            if verdict is None:
                verdict = self._without_bound()
            if verdict is not None:
                return verdict
            if complete:
                return Unknown(Reason.NO_PROGRESS, "no counterexample, but no invariants that would be a proof either")
            self.tools.observe(BoundReached("summaries", bound))
            if self.options.bound:
                break
            bound *= 2
        return Unknown(Reason.BOUND_REACHED, f"no violation within {bound} iterations of each loop")

    def _up_to(self, bound: int) -> tuple[Verdict | None, bool]:
        """Refines until there is a violation or no counterexample up to the bound; whether that is all there is."""
        search: Bounded | None = None
        try:
            while True:
                self.tools.budget.spend()
                if search is None:
                    search = self._search(bound)
                answer, found = search.ask()  # line 4
                if isinstance(answer, SolverUnknown):
                    return unanswered(answer.reason, self.tools.budget), False
                if found is None:  # line 5
                    complete = search.complete()
                    unrolling = search.unrolling() if complete else None
                    return (None if unrolling is None else Safe(unrolling)), complete
                limits = Limits(steps=REPLAY_STEPS + 4 * search.unrolled.steps, seconds=5.0)
                ended = run(self.program, ReplayInputs(found.inputs), limits)
                if isinstance(ended.outcome, Violated):
                    return Unsafe(Violation(ended.outcome.check, ended.inputs, self.task.preparation)), False
                if sum(summary.refinements for summary in self.summaries.values()) >= self.most:
                    return Unknown(Reason.BOUND_REACHED, "no more refinements are wanted"), False
                refined = self._refine(found)  # lines 8 to 32
                if refined is None:
                    return Unknown(Reason.NO_PROGRESS, "a counterexample without a run that blames no summary"), False
                if refined.entered:
                    search.close()
                    search = None
                else:
                    search.learn(refined.facts())
        finally:
            if search is not None:
                search.close()

    # ------------------------------------------------------------ line 2

    def start(self) -> None:
        """The initial summaries {(true, true)}, and what is known from runs of the whole program."""
        program = by_contract(self.program, self.names)
        self.tools.observe(Progress("summaries", f"{len(self.names)} functions"))
        self.graph = self.now = cut_graph(program, self.tools.budget)
        self.snapshots = record(program, self.graph.cuts, self.graph.granules, seed=self.tools.seed)
        pool = constants(program)
        for name in self.names:
            faced = interface(self.graph.cuts[name, EXIT], self.graph.granules)
            summary = self.summaries[name] = Summary(faced)
            rows = Rows(faced, RunUnit(unit_of(faced)), pool, self.tools.seed)
            rows.note(visit.values for visit in self.snapshots.at.get((name, EXIT), ()))
            proof = UnitProof(self.graph, faced, self.summaries, self.snapshots, self.tools)
            self.refinements[name] = Refinement(
                summary, rows, proof, self.refinements, self.tools.budget, self.options.points
            )

    def _search(self, bound: int) -> Bounded:
        faced = {name: summary.faced for name, summary in self.summaries.items() if not summary.entered}
        search = bounded(self.graph, bound, faced, self.task.preparation, self.tools)
        search.learn(facts_of(self.summaries[name] for name in faced))
        return search

    # ------------------------------------------------------------ lines 8 to 32

    def _refine(self, found: Counterexample) -> Summary | None:
        """Refines the summary to blame; where its pairs do not exclude the counterexample then, its calls are walked
        through from now on, which is progress as well."""
        for call in found.calls:
            refinement = self.refinements[call.function]
            done = refinement.run(call.state)
            if done is None:
                return self._entered(call)
            if done.left is not None and agree(call.state, done.left):
                continue
            self.tools.observe(Progress("summaries", f"refining {call.function}"))
            if not refinement.corrected(call.state) or refinement.exhausted:
                return self._entered(call)
            self.tools.facts.tell(refinement.summary.facts(), proved=True, source="summaries")
            return refinement.summary
        return self._entered(found.calls[0]) if found.calls else None

    def _entered(self, call: CallMade) -> Summary:
        summary = self.summaries[call.function]
        summary.entered = True
        if self._proof is not None:
            self._proof.close()
            self._proof = None
        graph = cut_graph(by_contract(self.program, self._kept()), self.tools.budget)
        for name in self._kept():
            self.refinements[name].proof.move(graph)
        self.now = graph
        return summary

    # ------------------------------------------------------------ without a bound

    def _without_bound(self) -> Safe | None:
        if self._proof is None:
            graph, preparation = self._proof_graph()
            self._proof = Proof(graph, preparation, preparation == self.task.preparation, self.tools)
        share = PROOF_SHARES[min(self._attempts, len(PROOF_SHARES) - 1)]
        self._attempts += 1
        return self._proof.attempt(self._facts(), share * self.tools.budget.remaining())

    def _proof_graph(self) -> tuple[CutGraph, str]:
        """All functions go by contract, or those that are summarised. Where others have loops, those that are called in
        one place only become parts of their callers, so that what holds in their loops may speak of these."""
        if self.options.choose == ALL:
            graph = cut_graph(by_contract(self.program, self.program.functions), self.tools.budget)
            return graph, self.task.preparation
        others = set(self.now.contracts).difference(self._kept())
        if self.task.preparation != MODULAR or not others:
            return self.now, self.task.preparation
        program = self.task.subject.program(CALLED, self.task.contracts)
        return cut_graph(by_contract(program, {*program.contracts, *self._kept()}), self.tools.budget), CALLED

    def _kept(self) -> list[str]:
        return [name for name, summary in self.summaries.items() if not summary.entered]

    def _facts(self) -> list[Fact]:
        """What the pairs say, with the invariants that their proofs need."""
        kept = [self.refinements[name] for name in self._kept()]
        return [*facts_of(r.summary for r in kept), *(fact for r in kept for fact in r.proof.proved)]

    # ------------------------------------------------------------ the end

    def numbers(self) -> Mapping[str, int | float]:
        """Table 1's columns 6 to 10."""
        summaries = list(self.summaries.values())
        pairs = [pair for s in summaries for pair in s.pairs if not pair.point]
        posts = [len(pair.post) for pair in pairs]
        iterations = [n for s in summaries for n in s.iterations]
        return {
            "abstracted_functions": len(summaries),
            "partitions": len(pairs) + sum(not s.pairs for s in summaries),
            "points": sum(len(s.points) for s in summaries),
            "invariants_per_partition": round(sum(posts) / len(posts), 2) if posts else 0,
            "inner_refinements": round(sum(iterations) / len(iterations), 2) if iterations else 0,
            "refinements": sum(s.refinements for s in summaries),
            "entered_functions": sum(s.entered for s in summaries),
            "unit_runs": sum(r.rows.runs for r in self.refinements.values()),
            "unit_questions": sum(r.proof.questions for r in self.refinements.values()),
        }

    def close(self) -> None:
        if self._proof is not None:
            self._proof.close()
        for refinement in self.refinements.values():
            refinement.proof.close()
