"""Bounded model checking by region summaries, with complete unrolling as its proof.

Read first: regions/unroll.py. The program is unrolled up to a bound on the iterations whose continuation is
not decided by constants; all states are merged, so one formula says how a check can fail and another
how a run can go beyond the bound. No failure and no such run: TRUE. The bound then doubles.

Source: the bounded model checker of [srtool, sections III and V], composed from the summaries of
[inertial refinement, LocSummarize]; unwinding assertions as in CBMC.
Deviations: loops unwind one instance at a time, by need, and recursion is unwound like a loop; the bound counts
only iterations that constants do not decide. A bound given by the user counts all and ends the search: without
unwinding assertions (the paper's unsound mode) the answer then is UNKNOWN(BOUND_REACHED), never "correct".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from counterpoint.core.budget import Budget
from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import BoundReached, Progress, SolverCall
from counterpoint.engines.bmc.acceleration import accelerate
from counterpoint.engines.protocol import Option, Task, Tools, unmodelled
from counterpoint.evidence.verdict import (
    CompleteUnrolling,
    Reason,
    Safe,
    Unknown,
    Unsafe,
    Verdict,
    Violation,
)
from counterpoint.execute.subject import UNPREPARED
from counterpoint.program.model import Program
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.unroll import BackEdge, Unrolling, unroll
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


OPTIONS = (
    Option("bmc.bound", "none", "iterations per loop at which to end; none: deepen until decided"),
    Option("bmc.sound", "true", "unwinding assertions, without which nothing is proved; false if there is a bound"),
)


@dataclass(slots=True)
class Bounded:
    """Follows back edges up to `bound` undecided iterations and `steps` instructions in all.

    A run that nothing but constants decided so far, and that may not have failed yet, is all there is: it goes on,
    because stopping there would tell nothing and a later round would have to begin anew.
    At undecided iterations 4, 8, 16, ... and at every deeper recursion it asks the solver whether a
    run gets there at all. With `every` all iterations count, decided or not, and steps do not.
    """

    bound: int
    steps: int
    context: SolverContext
    budget: Budget
    every: bool = False
    hit_bound: bool = False
    hit_steps: bool = False

    def follow(self, edge: BackEdge, unrolling: Unrolling) -> bool:
        if self.every:
            return edge.repeated <= self.bound
        if edge.path == 1 and not unrolling.failures:
            return True
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
    """The engine; `max_bound` limits undecided iterations per loop instance.

    `final`: it limits all iterations, and the search ends there. `sound`: asks whether any run goes
    beyond the bound; without it only a program whose unrolling is complete is proved.
    """

    max_bound: int = 1 << 20
    preparation: str = "flat"
    final: bool = False
    sound: bool = True

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
        return self._with(task.options)._verify(task, tools)

    def _with(self, options: Mapping[str, str]) -> BoundedModelChecking:
        """Raises UnusableInput for a bound that is none."""
        preparation = UNPREPARED if options.get("prepare") == UNPREPARED else self.preparation
        text = options.get("bmc.bound", "none")
        sound = options.get("bmc.sound", "true" if text == "none" else "false")
        if sound not in ("true", "false"):
            raise UnusableInput(f"option bmc.sound: `{sound}` is neither true nor false")
        if text == "none":
            return replace(self, preparation=preparation, sound=sound == "true")
        if not text.isdecimal() or not 1 <= int(text) <= self.max_bound:
            raise UnusableInput(f"option bmc.bound: `{text}` is not a number from 1 to {self.max_bound}")
        return replace(self, preparation=preparation, max_bound=int(text), final=True, sound=sound == "true")

    def _verify(self, task: Task, tools: Tools) -> Verdict:
        program = task.subject.program(self.preparation)
        short = program if self.final else accelerate(program)
        granules: dict[str, int] = {}
        bound, steps = 1, FIRST_STEPS
        while bound <= self.max_bound:
            tools.budget.spend()
            tools.observe(Progress(self.name, f"bound {bound}"))
            if short is not program:
                found = self._shortcut(short, granules, bound, steps, tools)
                if isinstance(found, Unsafe):
                    return found
                if found is not None:
                    short = program
            before = dict(granules)
            try:
                verdict, policy = self._round(program, granules, bound, steps, tools)
            except GranuleConflict as conflict:
                if granules == before:
                    return Unknown(Reason.UNSUPPORTED, f"no array of bytes for {conflict}")
                continue
            if verdict is not None:
                return verdict
            tools.observe(BoundReached(self.name, bound))
            if self.final and bound == self.max_bound:
                break
            if policy.hit_bound or not policy.hit_steps:
                bound = min(2 * bound, self.max_bound) if self.final else 2 * bound
            if policy.hit_steps:
                steps *= 4
        reached = bound if self.final else bound // 2
        return Unknown(Reason.BOUND_REACHED, f"no violation within {reached} iterations of each loop")

    def _shortcut(
        self, short: Program, granules: dict[str, int], bound: int, steps: int, tools: Tools
    ) -> Verdict | None:
        """A round on the accelerated program: for violations only, a proof has to be about the loops themselves."""
        known = dict(granules)
        for _ in range(2):
            try:
                return self._round(short, known, bound, steps, tools)[0]
            except GranuleConflict:
                continue
        return None

    def _round(
        self, program: Program, granules: dict[str, int], bound: int, steps: int, tools: Tools
    ) -> tuple[Verdict | None, Bounded]:
        """Unrolls up to the bound and decides; no verdict where a larger bound is needed."""
        world = World(program, granules)
        context = SolverContext(standard_solver(seed=tools.seed), tools)
        policy = Bounded(bound, steps, context, tools.budget, every=self.final)
        try:
            unrolling = unroll(world, policy, tools.budget)
            return self._decide(unrolling, context, tools), policy
        finally:
            context.solver.close()

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
        if not self.sound:
            return None
        blocked = build.disjunction([block.formula for block in unrolling.blocks])
        cut = build.disjunction([cut.formula for cut in unrolling.cuts])
        met: list[str] = []
        match self._ask("beyond", build.or_(blocked, cut), context, world, tools):
            case Unsat():
                return Safe(CompleteUnrolling(self.preparation, _names(unrolling)))
            case Sat(model):
                met = [block.reason for block in unrolling.blocks if model.value(block.formula) == 1]
            case SolverUnknown(reason):
                return _undecided(reason, tools)
        if blocked == 0:
            return None
        match self._ask("beyond", cut, context, world, tools):
            case Unsat():
                return replace(unmodelled(met), exhaustive=all(block.for_all for block in unrolling.blocks))
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
