"""A function with some of the calls below it entered, and a placeholder for each of the others.

A placeholder is a variable pi (some path leads through the call and returns) with fresh values lambda for everything
that mod/ref says the call may change. Blocked, it is what unrolling calls a cut; not blocked, runs go on behind it in
any way. So the formulas of an unfolding hold on more runs than there are, and with all placeholders blocked on no
others.

Source: [inertial refinement, section III]: structural abstraction, local summaries (psi, sigma, Phi).
Deviation: entering a call walks the root again with it entered, rather than equating lambdas with the callee's summary.
Terms are interned, so that what stays the same is the same, and memory behind the call is then that of the callee
instead of arrays that equal it; docs/engines/inertial.md says what that costs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import inf

from counterpoint.core.budget import Budget
from counterpoint.core.events import SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.contexts import Context
from counterpoint.engines.inertial.maxsat import given_up
from counterpoint.engines.protocol import Tools
from counterpoint.program.graph import by_contract
from counterpoint.program.inline import size
from counterpoint.program.model import Program
from counterpoint.regions.pending import first_frame
from counterpoint.regions.region import assumptions, cut_at
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import ENTERED, BackEdge, Called, Contract, Ends, Walk
from counterpoint.semantics.cutpoint import EXIT, arbitrary_state, first_state
from counterpoint.semantics.granules import with_granules
from counterpoint.semantics.objects import World
from counterpoint.solver.answers import Answer, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import Caching
from counterpoint.solver.lazily import Lazily, parts
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.static.points_to import PointsTo, points_to
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

PLAIN_ITERATIONS = 4
"""Undecided iterations of loops that are no regions."""

PLAIN_REPEATED = 64
"""The same, of all iterations."""

MOST_KEPT = 6
"""Unfoldings that are kept with their solvers."""

_PI = "pi "


@dataclass(slots=True)
class Setting:
    """The program whose calls are the regions, and what all of its unfoldings share."""

    program: Program
    own: Mapping[str, frozenset[str]]
    tools: Tools
    query_seconds: float
    points: PointsTo = field(init=False)
    granules: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.program = by_contract(self.program, self.program.functions)
        self.points = points_to(self.program)

    def count(self, what: str, more: float = 1) -> None:
        """Adds to one of the engine's statistics."""
        self.numbers[what] = round(self.numbers.get(what, 0) + more, 3)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A call that is not entered. `weight`: instructions that entering it would add."""

    instance: str
    callee: str
    pi: Term
    weight: int


@dataclass(frozen=True, slots=True)
class _Entering:
    """Calls of the context and those chosen are entered, the others skipped."""

    setting: Setting
    context: Context
    entered: frozenset[str]

    def of(self, callee: str, instance: str) -> Called:
        if instance in self.entered or self.context.enters(instance, self.setting.own):
            return ENTERED
        points = self.setting.points
        pi = build.variable(f"{_PI}{instance}", BOOL)
        return Contract(cut_at(points, (callee, 0)), cut_at(points, (callee, EXIT)), pi)


@dataclass(frozen=True, slots=True)
class _Acyclic(Ends):
    """Recursion is entered as chosen; what loops are left are unrolled a little."""

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return edge.recursion or (edge.undecided <= PLAIN_ITERATIONS and edge.repeated <= PLAIN_REPEATED)


@dataclass(slots=True)
class Unfolding:
    """The walk of one root, and the solver that is asked about it."""

    setting: Setting
    context: Context
    entered: frozenset[str]
    summary: RegionSummary
    placeholders: dict[Term, Placeholder] = field(default_factory=dict)
    _solver: Solver | None = None
    _conditions: dict[int, V] = field(default_factory=dict)

    def __post_init__(self) -> None:
        functions = self.setting.program.functions
        for call in self.summary.calls:
            pi = build.variable(f"{_PI}{call.instance}", BOOL)
            self.placeholders[pi] = Placeholder(call.instance, call.callee, pi, size(functions[call.callee]))

    def condition(self, check: int) -> V:
        """On which runs of the unfolding the check fails. What is behind a cut, in loops that are no regions, is not
        known: such runs are none of these."""
        if check not in self._conditions:
            self._conditions[check] = build.disjunction([f.formula for f in self.summary.failures if f.check == check])
        return self._conditions[check]

    @property
    def cut(self) -> V:
        """Runs that go on where the walk was cut."""
        return build.disjunction([cut.formula for cut in self.summary.cuts])

    def in_cone(self, formula: V) -> list[Placeholder]:
        """The placeholders that the formula mentions, in the order of the walk."""
        if isinstance(formula, int):
            return []
        mentioned = set(variables(formula))
        return [placeholder for pi, placeholder in self.placeholders.items() if pi in mentioned]

    def passing(self, instance: str) -> V:
        """Runs that get to that call, which is not entered."""
        return build.disjunction([call.formula for call in self.summary.calls if call.instance == instance])

    def ask(
        self,
        formula: V,
        blocked: Iterable[Placeholder] = (),
        purpose: str = "condition",
        seconds: float = inf,
        share: float = 1.0,
    ) -> Answer:
        """Whether a run satisfies the formula that passes none of the blocked; a core has their negated pi. Takes at
        most so many seconds, and that share of the time that a question may take."""
        if formula == 0:
            return Unsat(())
        tools, before = self.setting.tools, self.setting.tools.budget.elapsed()
        tools.budget.spend()
        solver = self._asked()
        seconds = min(seconds, share * self.setting.query_seconds, tools.budget.remaining())
        answer = solver.check([formula, *(build.not_(one.pi) for one in blocked)], seconds)
        spent = tools.budget.elapsed() - before
        self.setting.count("queries")
        self.setting.count("solver_seconds", spent)
        tools.observe(SolverCall(purpose, type(answer).__name__.lower(), spent))
        if isinstance(answer, SolverUnknown):
            tools.budget.spend()  # what is not known at the end of the time might have been
        return answer

    def given_up(self, formula: V, soft: Sequence[tuple[V, int]]) -> list[int] | None:
        """Which of the soft formulas a run that satisfies the formula has to violate at the least (maxsat.py)."""
        tools = self.setting.tools
        tools.budget.spend()
        self.setting.count("maxsat")
        seconds = min(self.setting.query_seconds, tools.budget.remaining())
        return given_up([formula, *self._assumed()], soft, seconds)

    def core(self, answer: Unsat) -> list[Placeholder]:
        """The blocked placeholders of an unsat core."""
        named = [v.args[0] for v in answer.core if isinstance(v, Term) and v.op is Op.NOT]
        return [self.placeholders[pi] for pi in named if isinstance(pi, Term) and pi in self.placeholders]

    def _asked(self) -> Solver:
        if self._solver is None:
            settings = Settings(self.setting.tools.seed, normalize=False)
            self._solver = Lazily(Caching(backend("bitwuzla").connect(settings)), parts(self._assumed()))
        return self._solver

    def _assumed(self) -> list[V]:
        """What holds on every run."""
        mentioned = [f.formula for f in self.summary.failures] + [c.formula for c in self.summary.calls]
        mentioned += [c.formula for c in self.summary.cuts]
        return assumptions(self.summary.world, mentioned)

    def close(self) -> None:
        """Ends the solver."""
        if self._solver is not None:
            self._solver.close()
            self._solver = None


def unfolded(setting: Setting, context: Context, entered: frozenset[str], budget: Budget) -> Unfolding:
    """The context's root, in any state (the program's entry: from the start), with the calls of the context and those
    `entered`. Linear in what is entered. Raises OutOfBudget, and Unsupported where memory has no common
    element size."""
    program, points = setting.program, setting.points
    before = budget.elapsed()

    def walked(granules: dict[str, int]) -> RegionSummary:
        world = World(program, granules)
        cut = cut_at(points, (context.root, 0))
        state = first_state(world, cut) if context.root == program.entry else arbitrary_state(world, cut)
        walk = Walk(world, _Acyclic(), _Entering(setting, context, entered), budget)
        return walk.from_block(first_frame(program.functions[context.root]), 0, state)

    summary = with_granules(walked, setting.granules)
    setting.count("walks")
    setting.count("walk_seconds", budget.elapsed() - before)
    setting.count("walked_instructions", summary.steps)
    return Unfolding(setting, context, entered, summary)


@dataclass(slots=True)
class Unfoldings:
    """The latest unfoldings, with their solvers: conditions of one context often enter the same."""

    setting: Setting
    _kept: OrderedDict[tuple[Context, frozenset[str]], Unfolding] = field(default_factory=OrderedDict)

    def of(self, context: Context, entered: frozenset[str]) -> Unfolding:
        """As `unfolded`, unless it is still there. It lasts until MOST_KEPT others were asked for."""
        key = context, entered
        if key not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                self._kept.popitem(last=False)[1].close()
            self._kept[key] = unfolded(self.setting, context, entered, self.setting.tools.budget)
        self._kept.move_to_end(key)
        return self._kept[key]

    def close(self) -> None:
        """Ends their solvers."""
        for one in self._kept.values():
            one.close()
        self._kept.clear()
