"""Runs beside the refinement: what a long loop hides from an abstraction, a run may just do.

A spurious trace through a loop says how the loop does not end so early; the next one says the same of one more
iteration. After some refinements (more and more of them) the program is run, with simple inputs, at random, and with
loops extrapolated (invariants/deep_runs.py). A violation that a run meets needs no trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Violation
from counterpoint.execute.inputs import InputSource, RandomInputs, ReplayInputs, SmallInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import NotNative
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import Subject
from counterpoint.invariants.deep_runs import confirmed_violation
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import cut_graph

AFTER = (3, 8, 20, 50, 120)
"""Refinements after which the program is run."""

DEEP_AFTER = 8
"""Refinements after which loops are extrapolated."""

STEPS = 1_000_000
"""Instructions of the first run of a round; the others have a tenth."""

SPAN = 8
"""How large small inputs are."""

DEEP_SECONDS = 1.0
REPLAY_SECONDS = 8.0
"""Limits of extrapolating loops, and of running what was found."""


@dataclass(slots=True)
class DeepTests:
    """Runs of the program; `subject` is None where it cannot be run natively."""

    program: Program
    preparation: str
    tools: Tools
    subject: Subject | None

    def after(self, refinements: int) -> Violation | None:
        """A violation, if it is time for a round of runs and one of them has one. Raises OutOfBudget."""
        if refinements not in AFTER:
            return None
        for number, inputs in enumerate(self._inputs(refinements)):
            self.tools.budget.spend()
            done = run(self.program, inputs, Limits(steps=STEPS if number == 0 else STEPS // 10))
            if isinstance(done.outcome, Violated):
                return Violation(done.outcome.check, done.inputs, self.preparation)
        return self._behind_loops() if refinements == DEEP_AFTER else None

    def _inputs(self, refinements: int) -> Iterator[InputSource]:
        seed = self.tools.seed + refinements
        yield ReplayInputs(())
        yield SmallInputs(seed, SPAN)
        yield RandomInputs(seed, sorted(constants(self.program)))

    def _behind_loops(self) -> Violation | None:
        if self.subject is None:
            return None
        left = self.tools.budget.remaining()
        with suppress(OutOfBudget, Unsupported, NotNative):
            limit = Budget(min(DEEP_SECONDS, left / 8))
            graph = cut_graph(self.program, limit)
            replay = min(REPLAY_SECONDS, left / 3)
            found = confirmed_violation(self.subject, self.preparation, graph, limit, self.tools.seed, replay)
            if found is not None:
                return Violation(found.check, found.inputs, self.preparation)
        self.tools.budget.spend()
        return None
