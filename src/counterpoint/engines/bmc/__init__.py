"""Bounded model checking by region summaries, with complete unrolling as its proof.

Read first: regions/walk.py; `unwinding.py` says where an unrolling stops, `decision.py` what it shows. The program is
unrolled up to a bound on the iterations whose continuation is not decided by constants; all states are merged, so one
formula says how a check can fail and another how a run can go beyond the bound:

    while bound <= largest bound:
        unroll the program (first a copy in which loops are replaced by their closed forms, for violations only)
        a run fails: unsafe
        no run goes beyond the bound: safe
        the bound doubles

Source: the bounded model checker of [srtool, sections III and V], composed from the summaries of
[inertial refinement, LocSummarize]; unwinding assertions as in CBMC.
Deviations: loops unwind one instance at a time, by need, and recursion is unwound like a loop; the bound counts
only iterations that constants do not decide. A bound given by the user counts all and ends the search: without
unwinding assertions (the paper's unsound mode) the answer then is UNKNOWN(BOUND_REACHED), never "correct".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import BoundReached, Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.bmc.acceleration import accelerate
from counterpoint.engines.bmc.decision import Decision
from counterpoint.engines.bmc.unwinding import Bounded, SolverContext
from counterpoint.engines.protocol import Option, Task, Tools, usual_preparation
from counterpoint.evidence.verdict import Reason, Unknown, Unsafe, Verdict
from counterpoint.execute.subject import CASES, FLAT
from counterpoint.program.graph import loop_heads
from counterpoint.program.model import Program
from counterpoint.regions.walk import unroll
from counterpoint.semantics.granules import GranuleConflict, with_granules
from counterpoint.semantics.objects import World
from counterpoint.solver.layers import standard_solver

OPTIONS = (
    Option("bmc.bound", "none", "iterations per loop at which to end; none: deepen until decided"),
    Option("bmc.cases", "false", "true: a case for each value of an input that has few and decides sizes or loops"),
    Option("bmc.sound", "true", "unwinding assertions, without which nothing is proved; false if there is a bound"),
)

LARGEST_BOUND = 1 << 20


def preparation(options: Mapping[str, str]) -> str:
    """The usual one, or with bmc.cases the flat program split into cases. Raises UnusableInput for another value."""
    cases = options.get("bmc.cases", "false")
    if cases not in ("true", "false"):
        raise UnusableInput(f"option bmc.cases: `{cases}` is neither true nor false")
    usual = usual_preparation(options)
    return CASES if cases == "true" and usual == FLAT else usual

MANY_LOOPS = 3
"""Loops from which copies of one multiply with the ways out of the others, so that it is often asked which exist."""

FIRST_STEPS = 20_000
"""Instructions that loops which are decided by constants may run in the first round."""


@dataclass(frozen=True, slots=True)
class Options:
    """`max_bound` limits undecided iterations per loop instance.

    `final`: it limits all iterations, and the search ends there. `sound`: asks whether any run goes
    beyond the bound; without it only a program whose unrolling is complete is proved.
    """

    max_bound: int = LARGEST_BOUND
    final: bool = False
    sound: bool = True

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Raises UnusableInput for a bound that is none."""
        text = options.get("bmc.bound", "none")
        sound = options.get("bmc.sound", "true" if text == "none" else "false")
        if sound not in ("true", "false"):
            raise UnusableInput(f"option bmc.sound: `{sound}` is neither true nor false")
        if text == "none":
            return cls(sound=sound == "true")
        if not text.isdecimal() or not 1 <= int(text) <= LARGEST_BOUND:
            raise UnusableInput(f"option bmc.bound: `{text}` is not a number from 1 to {LARGEST_BOUND}")
        return cls(int(text), final=True, sound=sound == "true")


@dataclass(frozen=True, slots=True)
class BoundedModelChecking:
    """The engine."""

    name: str = "bmc"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "SRTool, sections III and V; inertial refinement, LocSummarize"
    summary: str = "bounded model checking by merged unrolling; TRUE when no run goes beyond the bound"

    def verify(self, task: Task, tools: Tools) -> Verdict:
        return Deepening(task, tools, Options.of(task.options)).search()


@dataclass(slots=True)
class Deepening:
    """Rounds with larger and larger bounds, and numbers of steps for loops that constants decide."""

    task: Task
    tools: Tools
    options: Options
    bound: int = 1
    steps: int = FIRST_STEPS
    fruitless: Counter[str] = field(default_factory=Counter)
    program: Program = field(init=False)
    short: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = self.task.program
        in_cases = self.task.preparation == CASES
        self.short = self.program if self.options.final or in_cases else accelerate(self.program)

    def search(self) -> Verdict:
        granules: dict[str, int] = {}
        while self.bound <= self.options.max_bound:
            verdict, unwound = with_granules(self._round, granules)
            if verdict is not None:
                return self._of_the_program(verdict)
            self.tools.observe(BoundReached("bmc", self.bound))
            if self.options.final and self.bound == self.options.max_bound:
                break
            self._deepen(unwound)
        reached = self.bound if self.options.final else self.bound // 2
        return Unknown(Reason.BOUND_REACHED, f"no violation within {reached} iterations of each loop")

    def _of_the_program(self, verdict: Verdict) -> Verdict:
        """What has no meaning in the cases may have one in the program."""
        if self.task.preparation == CASES and isinstance(verdict, Unknown) and verdict.reason is Reason.UNSUPPORTED:
            return Unknown(Reason.NO_PROGRESS, f"the cases are not enough: {verdict.detail}")
        return verdict

    def _deepen(self, unwound: Bounded) -> None:
        if unwound.hit_bound or not unwound.hit_steps:
            self.bound = min(2 * self.bound, self.options.max_bound) if self.options.final else 2 * self.bound
        if unwound.hit_steps:
            self.steps *= 4

    def _round(self, granules: dict[str, int]) -> tuple[Verdict | None, Bounded]:
        """Unrolls up to the bound and decides; no verdict where a larger bound is needed."""
        self.tools.budget.spend()
        self.tools.observe(Progress("bmc", f"bound {self.bound}"))
        if self.short is not self.program:
            found = self._shortcut(granules)
            if found is not None and isinstance(found[0], Unsafe):
                return found
            if found is not None and found[0] is not None:
                self.short = self.program
        return self._decided(self.program, granules)

    def _shortcut(self, granules: dict[str, int]) -> tuple[Verdict | None, Bounded] | None:
        """A round on the accelerated program: for violations only, a proof has to be about the loops themselves."""
        known = dict(granules)
        for _ in range(2):
            try:
                return self._decided(self.short, known)
            except GranuleConflict:
                continue
        return None

    def _decided(self, program: Program, granules: dict[str, int]) -> tuple[Verdict | None, Bounded]:
        context = SolverContext(standard_solver(seed=self.tools.seed, few_values=True), self.tools)
        many = sum(len(loop_heads(function)) for function in program.functions.values()) >= MANY_LOOPS
        policy = Bounded(self.bound, self.steps, context, self.fruitless, every=self.options.final, often=many)
        try:
            unrolling = unroll(World(program, granules), policy, self.tools.budget)
            return Decision(unrolling, context, self.task.preparation, self.options.sound).verdict(), policy
        finally:
            context.solver.close()


ENGINE = BoundedModelChecking()
