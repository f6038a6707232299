"""The base case: no run fails within its first regions; or one does, and can be replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import unanswered, unmodelled
from counterpoint.engines.kinduction.chains import ChainSolver, inputs_of, visited
from counterpoint.evidence.verdict import Reason, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Outcome, UnsupportedAt, Violated
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat

REPLAY_STEPS = 10_000_000


@dataclass(slots=True)
class BaseCase:
    """Runs from the start, and activations of recursive functions from their entries in any state with the facts there.

    No such run fails at a depth up to `checked`; the facts `used` say so. `spurious`: one was found that cannot be
    replayed, because memory outside of the program is arbitrary at each cut point; until there are facts that exclude
    it, nothing is asked.
    """

    chains: ChainSolver
    program: Program
    preparation: str
    budget: Budget
    checked: int = -1
    spurious: Unknown | None = None
    used: dict[Fact, None] = field(default_factory=dict)

    def fails(self, k: int, facts: Iterable[Fact]) -> Verdict | None:
        """A violation within the first k + 1 regions, why that is not known, or None."""
        if self.spurious is not None:
            return None
        self.chains.assume(facts)
        while self.checked < k:
            depth = self.checked + 1
            match self.chains.fails(depth, self.budget.remaining()):
                case Unsat(core):
                    self.used.update(dict.fromkeys(self.chains.used(core)))
                    self.checked = depth
                case SolverUnknown(reason):
                    return unanswered(reason, self.budget)
                case Sat(model):
                    return self._violation(depth, model)
        return None

    def _violation(self, depth: int, model: Model) -> Verdict | None:
        """The run of the model, if it is one."""
        if visited(self.chains.chain, depth, model)[0].place == START:
            inputs = inputs_of(self.chains.chain, depth, model)
            outcome = self._replayed(inputs)
            if isinstance(outcome, Violated):
                return Unsafe(Violation(outcome.check, inputs, self.preparation))
            if isinstance(outcome, UnsupportedAt):
                return unmodelled(self._blocks(depth, model))
        self.spurious = Unknown(Reason.NO_PROGRESS, f"a run through {depth + 1} regions could not be replayed")
        return None

    def _replayed(self, inputs: tuple[Input, ...]) -> Outcome:
        limits = Limits(steps=REPLAY_STEPS, seconds=self.budget.remaining())
        return run(self.program, ReplayInputs(inputs), limits).outcome

    def _blocks(self, depth: int, model: Model) -> list[str]:
        """What the last of the regions meets that has no meaning."""
        last = visited(self.chains.chain, depth, model)[-1]
        return [block.reason for block in last.region.blocks] or ["a construct without a meaning"]
