"""k-induction over the cut graph, strengthened while k grows.

Read first: regions/cut_graph.py, evidence/chains.KInductive. A step is one region between cut points. The base case
(`base_case.py`) unrolls from the start of the run; the step case (`step_case.py`) starts at any cut point in any state.
Both are unrolled depth by depth in incremental solvers (`chains.py`). Facts that Houdini has shown inductive are
assumed at every cut point (`strengthening.py`).

    while k <= max_k:
        take facts from others, and once k is not tiny the cheapest guesses; keep the inductive ones
        if no run of k + 1 regions from anywhere fails in its last:      (step)
            if no run of at most k + 1 regions from the start fails:     (base)
                safe
        else (after the guesses) turn the counterexample into candidates; ask again if one of them is inductive
        k grows

Source: Sheeran, Singh, Stålmarck (FMCAD 2000); invariants that arrive while k grows after Beyer, Dangl, Wendler
(CAV 2015), counterexamples to induction as candidates after Bradley (VMCAI 2011).
Option: in the step case, no state is met twice (Sheeran, Singh, Stålmarck's simple paths; evidence/chains.py says why).
Deviations: the base case runs behind the step case when it is slower; recursive functions are started at their
entries in the base case, in any state that the facts there allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.events import BoundReached, Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import proof_by, unanswered
from counterpoint.engines.kinduction.base_case import BaseCase
from counterpoint.engines.kinduction.chains import ChainSolver
from counterpoint.engines.kinduction.options import OPTIONS, Options
from counterpoint.engines.kinduction.step_case import StepCase
from counterpoint.engines.kinduction.strengthening import Strengthening
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.chains import KInductive
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Verdict
from counterpoint.regions.chain import Chain
from counterpoint.regions.cut_graph import START, CutGraph, Place, cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.layers import standard_solver

__all__ = ["ENGINE", "OPTIONS", "KInduction"]

PLAIN_K = 8
PLAIN_SECONDS = 0.4
"""Up to this k, and for this time in the solvers, nothing is guessed: many proofs and violations need no more."""

ROUNDS = 8
"""Counterexamples to induction that become candidates, for one k."""

BEHIND_SECONDS = 1.0
"""By so much more time than the step case the base case may have taken, and still be asked first."""


@dataclass(slots=True)
class KInduction:
    """The engine."""

    name: str = "kinduction"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Sheeran, Singh, Stålmarck (FMCAD 2000); Beyer, Dangl, Wendler (CAV 2015)"
    summary: str = "k-induction with invariants that arrive or are learned from counterexamples while k grows"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        options, program = Options.of(task.options), task.program
        tools.observe(Progress(self.name, "summarising regions"))
        search = Search(task, cut_graph(program, tools.budget), options, tools)
        try:
            return search.run()
        finally:
            search.close()
            self.numbers = search.statistics()


@dataclass(slots=True)
class Search:
    """One search for a k: the two cases, and the facts that they assume."""

    task: Task
    graph: CutGraph
    options: Options
    tools: Tools
    k: int = 0
    known: Strengthening = field(init=False)
    step: StepCase = field(init=False)
    base: BaseCase = field(init=False)

    def __post_init__(self) -> None:
        anywhere = [place for place in self.graph.cuts if place[1] != EXIT]
        entries: list[Place] = [(function, 0) for function in self.graph.contracts]
        self.known = Strengthening(self.graph, self.tools)
        self.step = StepCase(self._chains(anywhere, "step"), self.options.simple_path)
        begin = self._chains([START, *entries], "base")
        self.base = BaseCase(begin, self.task.program, self.task.preparation, self.tools.budget)

    def _chains(self, starts: list[Place], name: str) -> ChainSolver:
        solver = standard_solver(self.options.solver, seed=self.tools.seed)
        return ChainSolver(Chain(self.graph, starts, name[0]), solver, self.tools.observe, name)

    def run(self) -> Verdict:
        """The loop. Raises OutOfBudget."""
        if self.known.exclude_failures():
            return self._invariants()
        while self.k < self.options.max_k:
            self.k = self._next_k()
            self.tools.budget.spend()
            self.tools.observe(Progress("kinduction", f"k = {self.k}, {len(self.known.facts())} facts"))
            if self._strengthen() and self.known.exclude_failures():
                return self._invariants()
            verdict = (None if self._base_is_behind() else self._base()) or self._step()
            if verdict is not None:
                return verdict
            self.tools.observe(BoundReached("kinduction", self.base.checked))
        said = f"no proof for k up to {self.k}{self.step.not_compared()}"
        return self.base.spurious or Unknown(Reason.BOUND_REACHED, said)

    def _next_k(self) -> int:
        """One more at first, then by an eighth: what is proved for k is proved for more."""
        return min(self.options.max_k, self.k + max(1, self.k // 8))

    def _strengthen(self) -> bool:
        """Takes what others found, and after the plain rounds our own first guesses. Says if there are more facts."""
        if not self.options.facts:
            return False
        kept = self.known.hear()
        plain = self.k <= PLAIN_K and self.step.chains.seconds + self.base.chains.seconds < PLAIN_SECONDS
        if not plain:
            kept += self.known.guess()
        return bool(kept)

    def _base_is_behind(self) -> bool:
        return self.base.chains.seconds > self.step.chains.seconds + BEHIND_SECONDS

    def _base(self) -> Verdict | None:
        return self.base.fails(self.k, self.known.facts())

    def _step(self) -> Verdict | None:
        """Asks the step case, with more facts as long as counterexamples yield some."""
        for _ in range(ROUNDS):
            match self.step.fails(self.k, self.known.facts(), self.tools.budget.remaining()):
                case Unsat(core):
                    self.base.used.update(dict.fromkeys(self.step.used(core)))
                    self.base.spurious = None  # there may be more facts by now
                    return self._base() or self.base.spurious or self._k_inductive()
                case SolverUnknown(reason):
                    return unanswered(reason, self.tools.budget)
                case Sat(model):
                    if not self.known.learn(self.step.chains.chain, self.k, model):
                        return None
                    if self.known.exclude_failures():
                        return self._invariants()
        return None

    # ------------------------------------------------------------ the end

    def _k_inductive(self) -> Safe:
        facts = tuple(self.known.houdini.support(self.base.used))
        granules = tuple(sorted(self.graph.granules.items()))
        simple, contracts = self.step.proved_simple, self.graph.program.contracts
        return Safe(KInductive(self.task.preparation, self.k, facts, granules, simple, contracts))

    def _invariants(self) -> Safe:
        """Facts that exclude every failure within one region."""
        return proof_by(self.known.houdini, self.task.preparation)

    def statistics(self) -> dict[str, int | float]:
        return {
            "k": self.k,
            "base_depth": self.base.checked,
            "simple_path": int(self.step.proved_simple),
            "step_calls": self.step.chains.queries,
            "base_calls": self.base.chains.queries,
            "step_seconds": round(self.step.chains.seconds, 3),
            "base_seconds": round(self.base.chains.seconds, 3),
            "facts": len(self.known.facts()),
            "facts_used": len(self.base.used),
            "facts_learned": self.known.learned,
            "learning_seconds": round(self.known.seconds, 3),
        }

    def close(self) -> None:
        self.known.close()
        self.step.chains.close()
        self.base.chains.close()


ENGINE = KInduction()
