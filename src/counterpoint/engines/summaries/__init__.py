"""Functions summarised from runs, proved alone, composed: DIV's counterexample-guided refinement of summaries.

Read first: `check.py`, which is algorithm 1 of the paper; docs/engines/summaries.md maps its lines and figures to
files.

    each function off the way to a check is replaced by pairs of pre- and postconditions, (true, true) at first
    while the summarised program has a counterexample:
        a run has it: unsafe
        the first function that does otherwise gets pairs that exclude it: inferred from runs, proved of it alone
    no counterexample up to a bound: a proof without one, by the pairs and invariants of what is left; or the bound
    grows

Source: Yeolekar, Unadkat: Assertion checking using dynamic inference (HVC 2013), sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.summaries.check import Check
from counterpoint.engines.summaries.options import OPTIONS, Options
from counterpoint.evidence.verdict import Verdict
from counterpoint.execute.subject import MODULAR, UNPREPARED

__all__ = ["ENGINE", "OPTIONS", "TURN", "preparation"]

TURN = 1.0


def preparation(options: Mapping[str, str]) -> str:
    """The modular one, or with "prepare" `none` the unprepared one."""
    return UNPREPARED if options.get("prepare") == UNPREPARED else MODULAR


@dataclass(slots=True)
class SummariesEngine:
    """The engine."""

    name: str = "summaries"
    says: tuple[str, ...] = ("TRUE", "FALSE")
    reference: str = "Yeolekar, Unadkat: Assertion checking using dynamic inference, HVC 2013"
    summary: str = "functions summarised by pre- and postconditions from runs, refined by counterexamples (DIV)"
    _numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        """Of the last run."""
        return self._numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        tools.observe(Progress(self.name, "regions"))
        check = Check(task, tools, Options.of(task.options))
        try:
            return check.check()
        finally:
            self._numbers.clear()
            self._numbers.update(check.numbers())
            check.close()


ENGINE = SummariesEngine()
