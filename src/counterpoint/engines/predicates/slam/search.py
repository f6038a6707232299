"""SLAM's loop: a Boolean program of the predicates, a check of it, an explanation of its error trace, more predicates.

    loop:
        c2bp:    the Boolean program over the predicates
        bebop:   its error is not reachable: safe, the reachable states are the proof
        newton:  the trace has a run: unsafe; else its interpolants' atoms are new predicates

Source: Ball, Rajamani, "Automatically validating temporal safety properties of interfaces" (SPIN 2001); slides 20 to 24
and 29. Deviations: predicates come from interpolants, of the whole trace, instead of Newton's strongest postconditions;
they are tracked in all places of the function that have their variables, or only where they were found
(`predicates.scope`); the first Boolean program has no predicates, not those of the property.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from time import monotonic
from typing import Final

from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.options import Options
from counterpoint.engines.predicates.refinement.explanations import (
    Explained,
    Feasible,
    Unexplained,
)
from counterpoint.engines.predicates.refinement.interprocedural import cuts_of
from counterpoint.engines.predicates.reports import stuck_in_boolean_program
from counterpoint.engines.predicates.slam.activations import activation_of, nothing_else
from counterpoint.engines.predicates.slam.bebop import NoError, check
from counterpoint.engines.predicates.slam.c2bp import Abstraction, places
from counterpoint.engines.predicates.slam.implications import Implications
from counterpoint.engines.predicates.slam.layers import Trace
from counterpoint.engines.predicates.slam.program import BooleanProgram
from counterpoint.engines.predicates.slam.proof import certificate
from counterpoint.engines.predicates.strategy import Strategy
from counterpoint.engines.predicates.traces.building import formula_of
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.runs import inputs_of
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Verdict
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.steps import by_variable
from counterpoint.semantics.granules import GranuleConflict, with_granules
from counterpoint.solver.answers import Sat, SolverUnknown
from counterpoint.solver.layers import decide
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import variables

LONGER_CUBES: Final = 6
"""Literals of a cube when those of c2bp.LARGEST_CUBE exclude nothing."""


@dataclass(slots=True)
class Slam(Strategy):
    """The strategy. `predicates` are tracked at each place; `made` is the last Boolean program, None before the first;
    `seconds` are those of c2bp, bebop and newton."""

    abstraction: Abstraction = field(init=False)
    predicates: dict[Place, list[V]] = field(default_factory=dict)
    made: BooleanProgram | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Strategy.__post_init__(self)
        implications = Implications(self.options.solver, self.tools.seed)
        self.abstraction = Abstraction(self.formulas.encoded, implications=implications)

    # ------------------------------------------------------------ slide 29

    def run(self) -> Verdict:
        while True:
            verdict = self.step()
            if verdict is not None:
                return verdict

    def step(self) -> Verdict | None:
        """Once around the loop: the verdict, or None after a refinement. Raises as `run`."""
        with self._timed("c2bp"):
            program = self.made = self.abstraction.program(self.predicates)
        with self._timed("bebop"):
            checked = check(program, self.tools.budget)
        if isinstance(checked, NoError):
            return Safe(certificate(program, checked.states, self.options.preparation, self.granules))
        with self._timed("newton"):
            return self._newton(program, checked)

    def _newton(self, program: BooleanProgram, trace: Trace) -> Verdict | None:
        """Adds predicates that exclude the trace; or the verdict."""
        self.tools.observe(Progress("predicates", self.progress()))
        met = self.tested()
        if met is not None:
            return met
        formula = formula_of(self.formulas, activation_of(program, trace), nothing_else)
        calls = any(program.calls[edge.source] for edge in trace.edges)
        return self._over_calls(trace, formula) if calls else self._explained(trace, formula)

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        started = monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + monotonic() - started

    # ------------------------------------------------------------ newton

    def _explained(self, trace: Trace, formula: TraceFormula) -> Verdict | None:
        reason = ""
        for answer in self.refinement.explanations(formula):
            self.tools.budget.spend()
            match answer:
                case Feasible(model):
                    return self.violation(formula, model)
                case Unexplained(why):
                    reason = reason or why
                case Explained(predicates=predicates):
                    found = zip((edge.source for edge in trace.edges), predicates, strict=True)
                    if self._track(found):
                        return None
        return self._unexplained(trace, reason)

    def _over_calls(self, trace: Trace, formula: TraceFormula) -> Verdict | None:
        """The same for a trace with the runs of callees inside."""
        answer = decide(formula.pieces(), self.refinement.limit())
        if isinstance(answer, Sat):
            return self.replayed(inputs_of(self.formulas, formula, answer.model))
        if isinstance(answer, SolverUnknown):
            return self._unexplained(trace, answer.reason)
        reasons: list[str] = []
        for cuts in cuts_of(formula, self.refinement, self.tools.budget):
            reasons += cuts.reasons
            if self._track(cuts.found.items()):
                return None
        return self._unexplained(trace, reasons[0] if reasons else "")

    def _unexplained(self, trace: Trace, reason: str) -> Verdict | None:
        """Nothing new: cubes of more literals may exclude the trace, once."""
        if reason or self.abstraction.largest >= LONGER_CUBES:
            return stuck_in_boolean_program(len(trace.edges), reason)
        known = self.abstraction
        self.abstraction = Abstraction(known.encoded, LONGER_CUBES, known.implications)
        return None

    def _track(self, found: Iterable[tuple[Place, Sequence[V]]]) -> bool:
        """The predicates are tracked from now on. False if none of them is new."""
        new = False
        for place, predicates in found:
            for predicate in predicates:
                for tracking in self._scope(place, predicate):
                    known = self.predicates.setdefault(tracking, [])
                    if predicate not in known and build.not_(predicate) not in known:
                        known.append(predicate)
                        new = True
        self.refinements += new
        return new

    def _scope(self, place: Place, predicate: V) -> list[Place]:
        if not self.options.functions or place == START:
            return [place]
        where = self.formulas.encoded.where
        used, there = set(variables(predicate)), [p for p in places(where) if p[0] == place[0]]
        return [p for p in there if used <= by_variable(where, p, self.granules).keys()]

    def returned(self, place: Place) -> V:
        return 1

    # ------------------------------------------------------------ numbers

    def precision(self) -> Mapping[Place, Sequence[V]]:
        return self.predicates

    def progress(self) -> str:
        different = {predicate for predicates in self.predicates.values() for predicate in predicates}
        return f"{self.refinements} refinements, {len(different)} predicates"

    def statistics(self) -> dict[str, int | float]:
        """Solver calls are those of c2bp, `cubes` those of the last Boolean program."""
        asked = self.abstraction.implications
        return {
            **Strategy.statistics(self),
            "solver_calls": asked.asked,
            "remembered_questions": asked.hits + asked.refuted,
            "unanswered": asked.unknown,
            "cubes": 0 if self.made is None else _cubes(self.made),
            **{f"{phase}_seconds": round(seconds, 3) for phase, seconds in self.seconds.items()},
        }

    def close(self) -> None:
        Strategy.close(self)
        self.abstraction.implications.close()


def after(program: Program, options: Options, tools: Tools, refinements: float) -> tuple[Slam, Verdict | None]:
    """The loop after that many refinements; or, with a verdict, where it ended before. Out of budget is one. The caller
    closes what it gets. Raises Unsupported, and SolverError."""

    def attempt(granules: dict[str, int]) -> tuple[Slam, Verdict | None]:
        slam = Slam(program, options, tools, granules)
        verdict: Verdict | None = None
        try:
            while verdict is None and slam.refinements < refinements:
                verdict = slam.step()
            return slam, verdict
        except OutOfBudget:
            return slam, Unknown(Reason.OUT_OF_TIME, slam.progress())
        except GranuleConflict:
            slam.close()
            raise

    return with_granules(attempt)


def _cubes(program: BooleanProgram) -> int:
    """How many there are in the guards and assignments."""
    return sum(
        len(t.blocked) + sum(len(choice.positive) + len(choice.negative) for choice in t.choices)
        for t in program.all_transitions()
    )
