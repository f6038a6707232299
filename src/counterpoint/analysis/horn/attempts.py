"""The attempts at the clauses that race: Spacer in one theory, with several views and options in growing slices.

Small changes of Spacer's options decide whether it generalises or enumerates, and none is best for all programs
(docs/engines/spacer.md has the table), so each gets a slice of CPU time, then each a longer one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from counterpoint.analysis.horn.bitvectors import BitVectorView
from counterpoint.analysis.horn.clauses import Horn
from counterpoint.analysis.horn.integers import IntegerView
from counterpoint.analysis.horn.race import MORE
from counterpoint.analysis.horn.spacer import Run
from counterpoint.analysis.horn.view import Outcome, Refuted, Solved, Undecided, View

FIRST_SLICE: Final = 2.0
"""CPU seconds of each configuration's first run."""

GROWTH: Final = 2.0


@dataclass(frozen=True, slots=True)
class Configuration:
    """A view and Spacer's options in it."""

    view: Callable[[Horn], View]
    options: Mapping[str, object]


def _checked(horn: Horn) -> View:
    return IntegerView(horn, checked=True)


CONFIGURATIONS: Final[Mapping[str, tuple[Configuration, ...]]] = {
    "bv": (
        Configuration(lambda horn: BitVectorView(), {}),
        Configuration(lambda horn: BitVectorView(), {"spacer.eq_prop": False}),
    ),
    "int": (
        Configuration(_checked, {"spacer.global": True}),
        Configuration(_checked, {"spacer.iuc": 2, "spacer.iuc.arith": 2}),
        Configuration(_checked, {"spacer.eq_prop": False}),
        Configuration(IntegerView, {"spacer.eq_prop": False}),
    ),
}
"""By theory, in the order in which they get their slices."""


@dataclass(slots=True)
class SpacerAttempt:
    """Spacer on the clauses in the theory `name`."""

    horn: Horn
    name: str
    seed: int = 0
    _view: View | None = None
    _stopped: bool = False
    _running: bool = False
    _deadline: float = field(default=0.0)

    def run(self, tell: Callable[[Undecided], None]) -> Outcome:
        """The first proof; Refuted where the exact view has a counterexample."""
        threading.Thread(target=self._watch, daemon=True).start()
        waiting = list(CONFIGURATIONS[self.name])
        seconds, last = FIRST_SLICE, Undecided("no configuration")
        while waiting and not self._stopped:
            for configuration in list(waiting):
                outcome = self._slice(configuration, seconds)
                match outcome:
                    case Solved():
                        return outcome
                    case Refuted() if self.name == "bv":
                        return outcome
                    case Refuted():
                        waiting.remove(configuration)
                        last = Undecided("refuted in the integers")
                        continue
                    case Undecided(_, facts):
                        last = outcome
                if self._stopped:
                    return outcome
                if time.process_time() < self._deadline:  # z3 gave up by itself: more time would not help
                    waiting.remove(configuration)
                if facts:
                    tell(Undecided(MORE, facts))
            seconds *= GROWTH
        return last

    def interrupt(self) -> None:
        self._stopped = True
        self._deadline = 0.0

    def _slice(self, configuration: Configuration, seconds: float) -> Outcome:
        self._view = configuration.view(self.horn)
        run = Run(self.horn, self._view, self.seed, configuration.options)
        if not self._stopped:
            self._deadline = time.process_time() + seconds
        self._running = True
        try:
            return run.solve()
        finally:
            self._running = False

    def _watch(self) -> None:
        """Interrupts z3 when the slice is used up; CPU time, so that turns in which we are stopped do not count."""
        while True:
            time.sleep(0.05)
            view = self._view
            if self._running and view is not None and time.process_time() >= self._deadline:
                view.context.interrupt()
