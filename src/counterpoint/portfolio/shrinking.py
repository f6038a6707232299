"""A confirmed violation with simpler inputs and a shorter run, confirmed again; the original where that is not so."""

from __future__ import annotations

import time
from collections.abc import Sequence

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, OutOfBudget, OutOfMemory, Undecided, Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import NotNative
from counterpoint.execute.native.trials import Edits, Trials, edited
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.shrinking import Allowance, Failing, shrink
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.portfolio.approximations import APPROXIMATED, decisive
from counterpoint.portfolio.replay import Confirmed, confirm
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program

SECONDS = 1.0
SHARE = 0.1
"""At most as many seconds, and this part of what is left of the check's time."""

LEAST_SECONDS = 0.1
"""With less nothing is tried: confirming and telling the run takes time as well."""

TRIES = 10_000
WORK = 40_000_000
"""Native runs at most, and their blocks in all: most shrinking ends before any of them."""

INTERPRETED_TRIES = 200
INTERPRETED_WORK = 3_000_000
"""The same for the interpreter, in instructions."""

LONGEST = 10_000_000
"""Blocks of a run that is shrunk at all."""

MOST_INPUTS = 20_000


def shrunk(subject: Subject, confirmed: Confirmed, budget: Budget) -> Confirmed:
    """A run that fails the same check with simpler inputs, confirmed; `confirmed` itself where none was found or time
    is short, or where simpler ones depend on what `confirmed` does not depend on."""
    program = subject.program(UNPREPARED)
    if not 0 < len(confirmed.inputs) <= MOST_INPUTS or _approximates(program, confirmed.inputs):
        return confirmed
    seconds = min(SECONDS, SHARE * budget.remaining())
    if seconds < LEAST_SECONDS:
        return confirmed
    inputs = _simpler_inputs(subject, confirmed, seconds)
    if inputs is None:
        return confirmed
    try:
        again = confirm(subject, inputs, budget)
    except (EvidenceRejected, OutOfBudget, OutOfMemory, Undecided, Unsupported):
        return confirmed
    depends = set(again.notes) > set(confirmed.notes) or bool(decisive(program, again))
    return confirmed if depends or again.check != confirmed.check else again


def _approximates(program: Program, inputs: tuple[Input, ...]) -> bool:
    """Whether the run has values that only a model gives: they belong to the other inputs of the run."""
    return any(program.sites[given.site].kind == APPROXIMATED for given in inputs if given.site >= 0)


def _simpler_inputs(subject: Subject, confirmed: Confirmed, seconds: float) -> tuple[Input, ...] | None:
    program = subject.program(UNPREPARED)
    until = time.monotonic() + seconds
    if "native code" in confirmed.ways:
        try:
            with subject.native(UNPREPARED).trials(seconds) as trials:
                tries = _Native(trials, confirmed.check)
                return shrink(tries, confirmed.inputs, program.sites, Allowance(TRIES, WORK, until), LONGEST)
        except NotNative:
            return None
    if confirmed.interpreted is None:
        return None
    allowance = Allowance(INTERPRETED_TRIES, INTERPRETED_WORK, until)
    interpreted = _Interpreted(program, confirmed.check, until)
    return shrink(interpreted, confirmed.inputs, program.sites, allowance, INTERPRETED_WORK // 2)


@dataclass(frozen=True, slots=True)
class _Native:
    trials: Trials
    check: int

    def first(
        self, base: tuple[Input, ...], candidates: Sequence[Edits], steps: int
    ) -> tuple[int, Failing] | None:
        found = self.trials.first(base, candidates, self.check, steps)
        if found is None or found[1].steps is None:
            return None
        return found[0], Failing(found[1].inputs, found[1].steps)


@dataclass(frozen=True, slots=True)
class _Interpreted:
    program: Program
    check: int
    until: float

    def first(
        self, base: tuple[Input, ...], candidates: Sequence[Edits], steps: int
    ) -> tuple[int, Failing] | None:
        for index, edits in enumerate(candidates):
            limits = Limits(steps=steps, seconds=max(0.0, self.until - time.monotonic()))
            done = run(self.program, ReplayInputs(edited(base, edits)), limits)
            if done.outcome == Violated(self.check):
                return index, Failing(done.inputs, done.steps)
        return None
