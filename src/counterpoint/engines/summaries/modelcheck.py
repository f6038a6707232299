"""modelcheck(S^, phi): a counterexample of the summarised program, up to a bound on its loops.

The program is walked once per bound, as `bmc` does, but for calls of summarised functions, which leave what they may
change arbitrary. What their pairs say of each call is added as it is learned, under a condition of what comes later: a
postcondition helps only checks behind its call.

Source: [div, algorithm 1, line 4].
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.events import SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Tools
from counterpoint.engines.summaries.summary import CallMade
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.execute.unit import Interface
from counterpoint.program.inputs import Input
from counterpoint.regions.cut_graph import CutGraph
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.instance import by_component
from counterpoint.regions.pending import first_frame
from counterpoint.regions.region import assumptions, cut_at
from counterpoint.regions.summary import ContractCall, Failure, RegionSummary
from counterpoint.regions.walk import ENTERED, BackEdge, Called, Contract, Ends, Walk
from counterpoint.semantics.cutpoint import EXIT, first_state
from counterpoint.semantics.facts import Fact
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.objects import World
from counterpoint.solver.answers import Answer, Model, Sat, Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.protocol import Solver
from counterpoint.static.points_to import PointsTo
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute

BEYOND_SECONDS = 10.0
"""Limit of asking whether any run goes beyond the bound."""

FEW_STEPS = 1_000
"""Instructions per iteration of the bound, up to which loops that constants decide are walked to their ends."""

MOST_STEPS = 400_000
"""Instructions of one walk; what comes later is cut."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run of the summarised program that violates the check. `calls` in the order of the run."""

    check: int
    inputs: tuple[Input, ...]
    calls: tuple[CallMade, ...]


@dataclass(slots=True)
class UpTo(Ends):
    """Back edges and recursive calls are followed up to `bound` times that constants do not decide; those that they
    decide count as well once the walk is long."""

    bound: int

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        if so_far.steps > MOST_STEPS:
            return False
        if edge.path == 1 and not so_far.failures:
            return True
        counted = edge.undecided if so_far.steps <= FEW_STEPS * self.bound else edge.repeated
        return counted <= self.bound


@dataclass(frozen=True, slots=True)
class ByPairs:
    """Calls of `functions` go by contract, all others are entered."""

    points: PointsTo
    functions: Collection[str]

    def of(self, callee: str, instance: str) -> Called:
        if callee not in self.functions:
            return ENTERED
        return Contract(cut_at(self.points, (callee, 0)), cut_at(self.points, (callee, EXIT)))


@dataclass(slots=True)
class Bounded:
    """The summarised program up to a bound, and what is known of its calls so far."""

    unrolled: RegionSummary
    faced: Mapping[str, Interface]
    preparation: str
    tools: Tools
    _solver: Solver = field(init=False)
    _beyond: Term = field(init=False)
    _failing: Term = field(init=False)
    _after: list[Term] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._solver = standard_solver(seed=self.tools.seed)
        self._after = [build.variable(f"returned.{n}", BOOL) for n in range(len(self.unrolled.calls) + 1)]
        failing = [build.and_(f.formula, self._after[n]) for f, n in self._failures()]
        formulas = [*failing, *(v for call in self.unrolled.calls for v in (call.formula, *self._spoken_of(call)))]
        for formula in assumptions(self.unrolled.world, formulas):
            self._solver.add(formula)
        for earlier, later in zip(self._after, self._after[1:], strict=False):
            self._solver.add(build.implies(later, earlier))
        self._failing, self._beyond = (build.variable(name, BOOL) for name in ("failing", "beyond"))
        self._solver.add(build.implies(self._failing, build.disjunction(failing)))

    def complete(self) -> bool:
        """No run goes on where the walk was cut, or meets what has no meaning, as far as is known of the calls."""
        met = [*(cut.formula for cut in self.unrolled.cuts), *(block.formula for block in self.unrolled.blocks)]
        beyond = build.disjunction(met)
        if beyond == 0:
            return True
        self._solver.add(build.implies(self._beyond, build.and_(beyond, self._after[-1])))
        seconds = min(BEYOND_SECONDS, self.tools.budget.remaining())
        return isinstance(self._solver.check([self._beyond], seconds), Unsat)

    def unrolling(self) -> CompleteUnrolling | None:
        """What a complete unrolling claims, where all calls are walked through."""
        if self.unrolled.calls:
            return None
        return CompleteUnrolling(self.preparation, tuple(sorted({cut.instance for cut in self.unrolled.cuts})))

    def _failures(self) -> Iterable[tuple[Failure, int]]:
        calls = self.unrolled.calls
        for number, failure in enumerate(self.unrolled.failures):
            yield failure, sum(call.failures <= number for call in calls)

    def learn(self, facts: Iterable[Fact]) -> None:
        """Facts at EXIT of summarised functions, of each call."""
        for fact in facts:
            for number, call in enumerate(self.unrolled.calls):
                if call.callee == fact.function:
                    meant = substitute(fact.formula, self._values(call))
                    returned = build.and_(self._after[number + 1], call.formula)
                    self._solver.add(build.implies(returned, meant))

    def _spoken_of(self, call: ContractCall) -> Iterable[V]:
        """The values of the call's inputs and outputs: no addresses, about which much would have to be told."""
        faced, values = self.faced[call.callee], self._values(call)
        return (values[v] for v in (*faced.inputs, *faced.outputs) if v in values)

    def _values(self, call: ContractCall) -> dict[Term, V]:
        return by_component(call.values.after, self.unrolled.world.pointer_bits)

    def ask(self) -> tuple[Answer, Counterexample | None]:
        """Whether the summarised program has a run to a failing check, and that run."""
        before = self.tools.budget.elapsed()
        answer = self._solver.check([self._failing], self.tools.budget.remaining())
        spent = self.tools.budget.elapsed() - before
        self.tools.observe(SolverCall("counterexample", type(answer).__name__.lower(), spent))
        return answer, self._counterexample(answer.model) if isinstance(answer, Sat) else None

    def _counterexample(self, model: Model) -> Counterexample:
        failing = (f for f, n in self._failures() if model.value(f.formula) == 1 and model.value(self._after[n]) == 1)
        failure = next(failing)
        calls = tuple(self._made(call, model) for call in self.unrolled.calls if model.value(call.formula) == 1)
        return Counterexample(failure.check, inputs_from(self.unrolled.world, model), calls)

    def _made(self, call: ContractCall, model: Model) -> CallMade:
        faced, values = self.faced[call.callee], self._values(call)
        wanted = [v for v in (*faced.inputs, *faced.outputs) if v in values]
        found = model.values([values[v] for v in wanted])
        return CallMade(call.callee, dict(zip(wanted, found, strict=True)))

    def close(self) -> None:
        self._solver.close()


def bounded(
    graph: CutGraph, bound: int, faced: Mapping[str, Interface], preparation: str, tools: Tools
) -> Bounded:
    """The program with the functions of `faced` summarised, each loop up to `bound` times."""
    known = dict(graph.granules)
    unrolled = with_granules(lambda sizes: _unrolled(graph.points, bound, faced, sizes, tools.budget), known)
    return Bounded(unrolled, faced, preparation, tools)


def _unrolled(
    points: PointsTo, bound: int, functions: Collection[str], granules: dict[str, int], budget: Budget
) -> RegionSummary:
    world, program = World(points.program, granules), points.program
    start = first_state(world, cut_at(points, (program.entry, 0)))
    walk = Walk(world, UpTo(bound), ByPairs(points, functions), budget)
    return walk.from_block(first_frame(program.main), 0, start)
