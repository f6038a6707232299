"""The attempts at the clauses that race: Spacer in one view with one set of options.

Small changes of Spacer's options decide whether it generalises or enumerates, and none is best for all programs
(docs/engines/spacer.md has the table), so each has its turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.bitvectors import BitVectorView
from counterpoint.logic.horn.clauses import Horn
from counterpoint.logic.horn.integers import IntegerView
from counterpoint.logic.horn.spacer import Run
from counterpoint.logic.horn.view import Outcome, Undecided, View


@dataclass(frozen=True, slots=True)
class Configuration:
    """A view and Spacer's options in it. `exact`: what is derived in it is derived over bit-vectors.

    `weight`: how long its turns are, compared to those of others. `scalars`: of the clauses over numbers (scalars.py).
    """

    view: Callable[[Horn], View]
    options: Mapping[str, object] = field(default_factory=dict)
    exact: bool = False
    weight: float = 1.0
    scalars: bool = False


def _bits(horn: Horn) -> View:
    return BitVectorView()


def _checked(horn: Horn) -> View:
    return IntegerView(horn, checked=True)


CONFIGURATIONS: Final[Mapping[str, Configuration]] = {
    "bv-scalars": Configuration(_bits, weight=2.0, scalars=True),
    "int-scalars": Configuration(_checked, {"spacer.global": True}, weight=1.5, scalars=True),
    "int-wrap-scalars": Configuration(IntegerView, {"spacer.global": True}, weight=1.5, scalars=True),
    "bv": Configuration(_bits, exact=True, weight=2.0),
    "int": Configuration(_checked, {"spacer.global": True}, weight=1.5),
    "int-iuc": Configuration(_checked, {"spacer.iuc": 2, "spacer.iuc.arith": 2}),
    "bv-noeq": Configuration(_bits, {"spacer.eq_prop": False}, exact=True),
    "int-wrap": Configuration(IntegerView, {"spacer.global": True}),
}
"""By name, in the order of their turns."""


@dataclass(slots=True)
class SpacerAttempt:
    """Spacer on the clauses in one configuration."""

    horn: Horn
    configuration: Configuration
    seed: int = 0
    _view: View | None = None
    _stopped: bool = False

    def run(self) -> Outcome:
        self._view = self.configuration.view(self.horn)
        if self._stopped:
            return Undecided("timeout")
        return Run(self.horn, self._view, self.seed, self.configuration.options).solve()

    def interrupt(self) -> None:
        self._stopped = True
        if self._view is not None:
            self._view.context.interrupt()
