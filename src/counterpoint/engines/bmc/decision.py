"""What an unrolling says: a violation, a proof that there is none, or that a larger bound is needed."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import unanswered, unmodelled
from counterpoint.engines.bmc.unwinding import SolverContext
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict, Violation
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.summary import RegionSummary
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.polynomial import STEPS_PER_SECOND, has_identities, simplify
from counterpoint.term import build
from counterpoint.term.term import V

IDENTITIES = 1.0
"""Seconds for polynomial arithmetic before a solver is asked."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The questions about one unrolling of the program after `preparation`.

    Without `sound` it is not asked whether any run goes beyond the cuts: only an unrolling without cuts is a proof.
    """

    unrolling: RegionSummary
    context: SolverContext
    preparation: str
    sound: bool

    def verdict(self) -> Verdict | None:
        """None if a larger bound is needed."""
        self.context.tools.observe(Progress("bmc", f"solving, {self.unrolling.steps:,} instructions"))
        return self._failure() or self._beyond()

    def _failure(self) -> Verdict | None:
        """A violation within the cuts; undecided where no solver can tell."""
        failures = self.unrolling.failures
        world = self.unrolling.world
        failure = build.disjunction([f.formula for f in failures])
        if self._refuted_by_arithmetic(failure):
            return None
        match self.context.ask("failure", failure, world):
            case Sat(model):
                first = next(f for f in failures if model.value(f.formula) == 1)
                return Unsafe(Violation(first.check, inputs_from(world, model), self.preparation))
            case SolverUnknown(reason):
                return unanswered(reason, self.context.tools.budget)
        return None

    def _refuted_by_arithmetic(self, failure: V) -> bool:
        """Ring arithmetic alone refutes it: the same sums in another order, which bits are slow to show."""
        if not has_identities((failure,)):
            return False
        seconds = min(IDENTITIES, 0.1 * self.context.tools.budget.remaining())
        return not simplify((failure,), int(seconds * STEPS_PER_SECOND)).cases

    def _beyond(self) -> Verdict | None:
        """Whether a run meets a cut, or what has no meaning: the unwinding assertions."""
        cuts, blocks, world = self.unrolling.cuts, self.unrolling.blocks, self.unrolling.world
        if not cuts and not blocks:
            return Safe(CompleteUnrolling(self.preparation, ()))
        if not self.sound:
            return None
        blocked = build.disjunction([block.formula for block in blocks])
        cut = build.disjunction([cut.formula for cut in cuts])
        met: list[str] = []
        match self.context.ask("beyond", build.or_(blocked, cut), world):
            case Unsat():
                names = tuple(sorted({cut.instance for cut in cuts}))
                return Safe(CompleteUnrolling(self.preparation, names))
            case Sat(model):
                met = [block.reason for block in blocks if model.value(block.formula) == 1]
            case SolverUnknown(reason):
                return unanswered(reason, self.context.tools.budget)
        if blocked != 0 and isinstance(self.context.ask("beyond", cut, world), Unsat):
            return replace(unmodelled(met), exhaustive=all(block.for_all for block in blocks))
        return None
