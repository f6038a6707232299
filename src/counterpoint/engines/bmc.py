"""Bounded model checking by region summaries, with complete unrolling as its proof.

Read first: paths/unroll.py. The program is unrolled up to a bound on the iterations whose continuation is
not decided by constants; all states are merged, so one formula says how a check can fail and another
how a run can go beyond the bound. No failure and no such run: TRUE. The bound then doubles.

Source: the bounded model checker of [srtool, sections III and V], composed from the summaries of
[inertial refinement, LocSummarize]; unwinding assertions as in CBMC.
Deviation: loops unwind one instance at a time, by need, and recursion is unwound like a loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from counterpoint.core.budget import Budget
from counterpoint.core.events import BoundReached, Progress, SolverCall
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import CompleteUnrolling, Reason, Safe, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.subject import UNPREPARED
from counterpoint.paths.inputs import inputs_from
from counterpoint.paths.unroll import BackEdge, Unrolling, unroll
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.objects import GranuleConflict, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import V

FIRST_STEPS = 20_000
"""Instructions that loops which are decided by constants may run in the first round."""

PRUNE_SECONDS = 1.0
"""Limit of one feasibility query while unrolling."""


@dataclass(slots=True)
class Bounded:
    """Follows back edges up to `bound` undecided iterations and `steps` instructions in all.

    At undecided iterations 4, 8, 16, ... and at every deeper recursion it asks the solver whether a
    run gets there at all.
    """

    bound: int
    steps: int
    context: SolverContext
    budget: Budget
    hit_bound: bool = False
    hit_steps: bool = False

    def follow(self, edge: BackEdge, unrolling: Unrolling) -> bool:
        if unrolling.steps > self.steps and (edge.repeated > self.bound or unrolling.steps > 4 * self.steps):
            self.hit_steps = True
            return False
        if edge.undecided > self.bound:
            self.hit_bound = True
            return False
        return not self._worth_asking(edge) or self.context.feasible(edge.path, unrolling.world)

    @staticmethod
    def _worth_asking(edge: BackEdge) -> bool:
        count = edge.undecided
        if edge.recursion:
            return count >= 2
        return count >= 4 and count & (count - 1) == 0 and edge.repeated == count


@dataclass(slots=True)
class SolverContext:
    """One solver that is told the axioms of a world as they come up."""

    solver: Solver
    tools: Tools
    told: int = 0
    placed: set[int] = field(default_factory=set)

    def ask(self, purpose: str, question: V, world: World, seconds: float) -> Answer:
        """Whether a run satisfies `question`; at most `seconds`."""
        self._tell(question, world)
        before = self.tools.budget.elapsed()
        with self.solver.scope():
            self.solver.add(question)
            answer = self.solver.check(seconds=min(seconds, self.tools.budget.remaining()))
        spent = self.tools.budget.elapsed() - before
        self.tools.observe(SolverCall(purpose, type(answer).__name__.lower(), spent))
        return answer

    def feasible(self, path: V, world: World) -> bool:
        """False only if no run has this path."""
        if isinstance(path, int):
            return path == 1
        return not isinstance(self.ask("prune", path, world, PRUNE_SECONDS), Unsat)

    def _tell(self, question: V, world: World) -> None:
        new = world.axioms[self.told :]
        self.told = len(world.axioms)
        indices = set(mentioned_objects(question))
        for axiom in new:
            indices |= mentioned_objects(axiom)
            self.solver.add(axiom)
        if not indices <= self.placed:
            everything = self.placed | indices
            for axiom in address_axioms(world, everything, self.placed):
                self.solver.add(axiom)
            self.placed = everything


@dataclass(frozen=True, slots=True)
class BoundedModelChecking:
    """The engine; `max_bound` limits undecided iterations per loop instance."""

    max_bound: int = 1 << 20
    preparation: str = "flat"

    @property
    def name(self) -> str:
        return "bmc"

    @property
    def reference(self) -> str:
        return "SRTool, sections III and V; inertial refinement, LocSummarize"

    @property
    def summary(self) -> str:
        return "bounded model checking by merged unrolling; TRUE when no run goes beyond the bound"

    def verify(self, task: Task, tools: Tools) -> Verdict:
        if task.options.get("prepare") == UNPREPARED and self.preparation != UNPREPARED:
            return replace(self, preparation=UNPREPARED).verify(task, tools)
        program = task.subject.program(self.preparation)
        granules: dict[str, int] = {}
        bound, steps = 1, FIRST_STEPS
        while bound <= self.max_bound:
            tools.budget.spend()
            tools.observe(Progress(self.name, f"bound {bound}"))
            before = dict(granules)
            world = World(program, granules)
            context = SolverContext(standard_solver(seed=tools.seed), tools)
            policy = Bounded(bound, steps, context, tools.budget)
            try:
                unrolling = unroll(world, policy, tools.budget)
                verdict = self._decide(unrolling, context, tools)
            except GranuleConflict as conflict:
                if granules == before:
                    return Unknown(Reason.UNSUPPORTED, f"no array of bytes for {conflict}")
                continue
            finally:
                context.solver.close()
            if verdict is not None:
                return verdict
            tools.observe(BoundReached(self.name, bound))
            if policy.hit_bound or not policy.hit_steps:
                bound *= 2
            if policy.hit_steps:
                steps *= 4
        return Unknown(Reason.BOUND_REACHED, f"no violation within {bound // 2} iterations of each loop")

    def _decide(self, unrolling: Unrolling, context: SolverContext, tools: Tools) -> Verdict | None:
        """A verdict on what was unrolled, or None if a larger bound is needed."""
        world = unrolling.world
        tools.observe(Progress(self.name, f"solving, {unrolling.steps:,} instructions"))
        failing = build.disjunction([failure.formula for failure in unrolling.failures])
        match self._ask("failure", failing, context, world, tools):
            case Sat(model):
                inputs = inputs_from(world, model)
                first = next(f for f in unrolling.failures if model.value(f.formula) == 1)
                return Unsafe(Violation(first.check, inputs, self.preparation))
            case SolverUnknown(reason):
                return _undecided(reason, tools)
        if not unrolling.cuts and not unrolling.blocks:
            return Safe(CompleteUnrolling(self.preparation, ()))
        blocked = build.disjunction([block.formula for block in unrolling.blocks])
        cut = build.disjunction([cut.formula for cut in unrolling.cuts])
        match self._ask("beyond", build.or_(blocked, cut), context, world, tools):
            case Unsat():
                return Safe(CompleteUnrolling(self.preparation, _names(unrolling)))
            case SolverUnknown(reason):
                return _undecided(reason, tools)
        if blocked == 0:
            return None
        match self._ask("beyond", cut, context, world, tools):
            case Unsat():
                return Unknown(Reason.UNSUPPORTED, "; ".join(dict.fromkeys(b.reason for b in unrolling.blocks)))
        return None

    def _ask(self, purpose: str, question: V, context: SolverContext, world: World, tools: Tools) -> Answer:
        if question == 0:
            return Unsat(())
        return context.ask(purpose, question, world, tools.budget.remaining())


def _names(unrolling: Unrolling) -> tuple[str, ...]:
    return tuple(sorted({cut.instance for cut in unrolling.cuts}))


def _undecided(reason: str, tools: Tools) -> Verdict:
    if tools.budget.remaining() <= 0:
        return Unknown(Reason.OUT_OF_TIME, "while solving")
    return Unknown(Reason.SOLVER_UNKNOWN, reason)


ENGINE = BoundedModelChecking()
