"""k-induction over the cut graph, strengthened while k grows.

Read first: regions/cut_graph.py, evidence/verdict.KInductive. A step is one region between cut points. The base case
unrolls from the start of the run; the step case starts at any cut point in any state. Both are unrolled
depth by depth in incremental solvers. Facts that Houdini has shown inductive are assumed at every cut point.

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
from contextlib import suppress
from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.events import BoundReached, Progress
from counterpoint.engines.kinduction.blocking import Blocker, against
from counterpoint.engines.kinduction.chains import ChainSolver, Reached, inputs_of, states, visited
from counterpoint.engines.protocol import Option, Task, Tools, unmodelled
from counterpoint.evidence.verdict import (
    FunctionSummaries,
    InductiveInvariants,
    KInductive,
    Reason,
    Safe,
    Unknown,
    Unsafe,
    Verdict,
    Violation,
)
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Outcome, UnsupportedAt, Violated
from counterpoint.execute.snapshots import RecordingLimits, Snapshots, record
from counterpoint.execute.subject import UNPREPARED
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.regions.chain import Chain
from counterpoint.regions.cut_graph import START, CutGraph, Place, cut_graph
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.layers import standard_solver

OPTIONS = (
    Option("kinduction.max_k", "4096", "the k at which to end"),
    Option("kinduction.facts", "true", "use facts of other engines, and make some of counterexamples to induction"),
    Option("kinduction.simple_path", "false", "in the step case, no state is met twice"),
    Option("kinduction.solver", "bitwuzla", "the backend of its queries"),
)

MAX_K = 1 << 12
PLAIN_K = 8
PLAIN_SECONDS = 0.4
"""Up to this k, and for this time in the solvers, nothing is guessed: many proofs and violations need no more."""

ROUNDS = 8
"""Counterexamples to induction that become candidates, for one k."""

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

SIMPLE_K = 64
"""Largest k at which states are compared: all pairs of them are."""

REPLAY_STEPS = 10_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """`max_k` limits k; `facts=false` uses no facts and makes none; `solver` names the backend;
    `simple_path` compares states in the step case."""

    max_k: int = MAX_K
    facts: bool = True
    solver: str = "bitwuzla"
    simple_path: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """From `kinduction.max_k` and so on. Raises UnusableInput for a limit that is no number from 1 up, and for a
        `simple_path` that is neither true nor false."""
        text = options.get("kinduction.max_k", str(MAX_K))
        if not text.isdigit() or int(text) < 1:
            raise UnusableInput(f"option kinduction.max_k: `{text}` is not a number from 1 up")
        facts = options.get("kinduction.facts", "true") != "false"
        simple = options.get("kinduction.simple_path", "false")
        if simple not in ("true", "false"):
            raise UnusableInput(f"option kinduction.simple_path: `{simple}` is neither true nor false")
        return cls(int(text), facts, options.get("kinduction.solver", "bitwuzla"), simple == "true")


@dataclass(slots=True)
class KInduction:
    """The engine."""

    preparation: str = "flat"
    numbers: dict[str, int | float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "kinduction"

    @property
    def reference(self) -> str:
        return "Sheeran, Singh, Stålmarck (FMCAD 2000); Beyer, Dangl, Wendler (CAV 2015)"

    @property
    def summary(self) -> str:
        return "k-induction with invariants that arrive or are learned from counterexamples while k grows"

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        preparation = UNPREPARED if task.options.get("prepare") == UNPREPARED else self.preparation
        options = Options.of(task.options)
        program = task.subject.program(preparation)
        tools.observe(Progress(self.name, "summarising regions"))
        graph = cut_graph(program, tools.budget)
        proof = _Proof(program, preparation, graph, options, tools)
        try:
            return proof.search()
        finally:
            proof.close()
            self.numbers = proof.statistics()


class _Proof:
    """One search: the two chains, the facts, and k."""

    def __init__(self, program: Program, preparation: str, graph: CutGraph, options: Options, tools: Tools) -> None:
        self.program = program
        self.preparation = preparation
        self.graph = graph
        self.options = options
        self.tools = tools
        self.k = 0
        self.used: dict[Fact, None] = {}
        self.checked = -1  # the base case holds up to this depth
        self.spurious: Verdict | None = None
        self.repeating = False  # a counterexample to induction was twice in the same state
        self.simple = False  # the step case holds for simple paths only
        self.guessed = False
        self.learned = 0
        self.learning = 0.0  # seconds
        self.tried: set[Fact] = set()
        self.snapshots: Snapshots | None = None
        places = [place for place in graph.cuts if place[1] != EXIT]
        entries: list[Place] = [(function, 0) for function in graph.contracts]
        self.houdini = Houdini(graph, tools.budget, tools.observe, tools.seed)
        known = self.houdini.facts
        self.blocker = Blocker(graph, lambda place: known.get(place, ()), tools.observe, tools.seed)
        self.step = self._chain(places, "step")
        self.base = self._chain([START, *entries], "base")

    def _chain(self, starts: list[Place], name: str) -> ChainSolver:
        solver = standard_solver(self.options.solver, seed=self.tools.seed)
        return ChainSolver(Chain(self.graph, starts, name[0]), solver, self.tools.observe, name)

    # ------------------------------------------------------------ the search

    def search(self) -> Verdict:
        if self._excluded():
            return self._invariants()
        while self.k < self.options.max_k:
            self.k = self._next_k()
            self.tools.budget.spend()
            self.tools.observe(Progress("kinduction", f"k = {self.k}, {len(self._facts())} facts"))
            if self._strengthen() and self._excluded():
                return self._invariants()
            verdict = self._base() if self.base.seconds <= self.step.seconds + 1.0 else None
            verdict = verdict or self._step()
            if verdict is not None:
                return verdict
            self.tools.observe(BoundReached("kinduction", self.checked))
        return self.spurious or Unknown(Reason.BOUND_REACHED, f"no proof for k up to {self.k}{self._not_compared()}")

    def _next_k(self) -> int:
        """One more at first, then by an eighth: what is proved for k is proved for more."""
        return min(self.options.max_k, self.k + max(1, self.k // 8))

    def _step(self) -> Verdict | None:
        """Asks the step case, with more facts as long as counterexamples yield some."""
        for _ in range(ROUNDS):
            self.step.assume(self._facts())
            match self._step_fails():
                case Unsat(core):
                    self.simple = self.step.used_simple(core)
                    self.used.update(dict.fromkeys(self.step.used(core)))
                    self.spurious = None  # there may be more facts by now
                    return self._base() or self.spurious or self._safe()
                case SolverUnknown(reason):
                    return _undecided(reason, self.tools.budget)
                case Sat(model):
                    if not self._learn(model):
                        return None
                    if self._excluded():
                        return self._invariants()
        return None

    def _step_fails(self) -> Answer:
        """The step case; on simple paths if that is an option, and one of its counterexamples was none."""
        seconds = self.tools.budget.remaining
        simple = self.options.simple_path and self.k <= SIMPLE_K and self.step.chain.comparable
        answer = self.step.fails(self.k, seconds(), simple=simple and self.repeating)
        if simple and not self.repeating and isinstance(answer, Sat) and self.step.repeats(self.k, answer.model):
            self.repeating = True
            answer = self.step.fails(self.k, seconds(), simple=True)
        return answer

    def _not_compared(self) -> str:
        refused = self.options.simple_path and not self.step.chain.comparable
        return "; its states have arrays or floats, so they were not compared" if refused else ""

    # ------------------------------------------------------------ facts

    def _strengthen(self) -> bool:
        """Takes what others found, and after the plain rounds our own first guesses. Says if there are more facts."""
        if not self.options.facts:
            return False
        kept = self._inductive([told.fact for told in self.tools.facts.heard()], LEARNING_SECONDS)
        plain = self.k <= PLAIN_K and self.step.seconds + self.base.seconds < PLAIN_SECONDS
        if not plain and not self.guessed:
            self.guessed = True
            kept += self._guessed()
        return bool(kept)

    def _excluded(self) -> bool:
        """The facts alone exclude every failure."""
        began = self.tools.budget.elapsed()
        excluded = not self.houdini.open_regions(OPEN_SECONDS)
        self.learning += self.tools.budget.elapsed() - began
        return excluded

    def _guessed(self) -> list[Fact]:
        """What holds of the cheapest guesses, source by source, so that a hard one spoils no other."""
        context = Context(self.graph, self._tests(), self.tools.budget, self.tools.seed)
        kept: list[Fact] = []
        for source in guesses.sources():
            if source.stage == 0:
                kept += self._inductive(list(source.candidates(context)), GUESS_SECONDS)
        return kept

    def _learn(self, model: Model) -> bool:
        """Facts that exclude the model's run, if any of the candidates is inductive."""
        allowed = self.tools.budget.elapsed() / 3 + LEARNING_SECONDS / 4
        if not self.guessed or self.learning > allowed:
            return False
        found = [f for f in against(reversed(states(self.step.chain, self.k, model))) if f not in self.tried]
        candidates = surviving(found[: 2 * MOST_CANDIDATES], self._tests())[:MOST_CANDIDATES]
        self.tried.update(candidates)
        began = self.tools.budget.elapsed()
        kept = self._inductive(candidates, LEARNING_SECONDS) or self._blocked(states(self.step.chain, self.k, model)[0])
        self.learning += self.tools.budget.elapsed() - began
        if kept:
            self.tried.clear()
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
        if self.snapshots is None:
            limits = RecordingLimits(seconds=min(TEST_SECONDS, self.tools.budget.remaining()))
            graph = self.graph
            self.snapshots = record(graph.program, graph.cuts, graph.granules, seed=self.tools.seed, limits=limits)
        return self.snapshots

    def _facts(self) -> list[Fact]:
        return [fact for facts in self.houdini.facts.values() for fact in facts]

    # ------------------------------------------------------------ the base case

    def _base(self) -> Verdict | None:
        """A violation within the first k + 1 regions, or None."""
        if self.spurious is not None:
            return None
        self.base.assume(self._facts())
        while self.checked < self.k:
            depth = self.checked + 1
            match self.base.fails(depth, self.tools.budget.remaining()):
                case Unsat(core):
                    self.used.update(dict.fromkeys(self.base.used(core)))
                    self.checked = depth
                case SolverUnknown(reason):
                    return _undecided(reason, self.tools.budget)
                case Sat(model):
                    return self._violation(depth, model)
        return None

    def _violation(self, depth: int, model: Model) -> Verdict | None:
        """The run of the model, if it is one: memory outside of the program is arbitrary at each cut point."""
        first = visited(self.base.chain, depth, model)[0]
        if first.place == START:
            inputs = inputs_of(self.base.chain, depth, model)
            outcome = self._replayed(inputs)
            if isinstance(outcome, Violated):
                return Unsafe(Violation(outcome.check, inputs, self.preparation))
            if isinstance(outcome, UnsupportedAt):
                return unmodelled(self._blocks(depth, model))
        self.spurious = Unknown(Reason.NO_PROGRESS, f"a run through {depth + 1} regions could not be replayed")
        return None

    def _replayed(self, inputs: tuple[Input, ...]) -> Outcome:
        limits = Limits(steps=REPLAY_STEPS, seconds=self.tools.budget.remaining())
        return run(self.program, ReplayInputs(inputs), limits).outcome

    def _blocks(self, depth: int, model: Model) -> list[str]:
        """What the last of the regions meets that has no meaning."""
        last = visited(self.base.chain, depth, model)[-1]
        return [block.reason for block in last.region.blocks] or ["a construct without a meaning"]

    # ------------------------------------------------------------ the end

    def _safe(self) -> Safe:
        facts = tuple(self.houdini.support(self.used))
        return Safe(KInductive(self.preparation, self.k, facts, self._granules(), self.simple))

    def _invariants(self) -> Safe:
        """Facts that exclude every failure within one region."""
        facts = tuple(self.houdini.needed())
        if self.graph.contracts:
            return Safe(FunctionSummaries(self.preparation, facts, self._granules()))
        return Safe(InductiveInvariants(self.preparation, facts, self._granules()))

    def _granules(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(self.graph.granules.items()))

    def statistics(self) -> dict[str, int | float]:
        return {
            "k": self.k,
            "base_depth": self.checked,
            "simple_path": int(self.simple),
            "step_calls": self.step.queries,
            "base_calls": self.base.queries,
            "step_seconds": round(self.step.seconds, 3),
            "base_seconds": round(self.base.seconds, 3),
            "facts": len(self._facts()),
            "facts_used": len(self.used),
            "facts_learned": self.learned,
            "learning_seconds": round(self.learning, 3),
        }

    def close(self) -> None:
        self.houdini.close()
        self.blocker.close()
        self.step.close()
        self.base.close()


def _undecided(reason: str, budget: Budget) -> Verdict:
    if budget.remaining() <= 0:
        return Unknown(Reason.OUT_OF_TIME, "while solving")
    return Unknown(Reason.SOLVER_UNKNOWN, reason)


ENGINE = KInduction()
