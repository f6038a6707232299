"""The attempts at the clauses that race: Spacer in one view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from counterpoint.analysis.horn.bitvectors import BitVectorView
from counterpoint.analysis.horn.clauses import Horn
from counterpoint.analysis.horn.spacer import Run
from counterpoint.analysis.horn.view import Outcome, Undecided, View
from counterpoint.core.errors import InternalError


def view_of(horn: Horn, name: str) -> View:
    """The view by its name: bv or int."""
    if name == "bv":
        return BitVectorView()
    raise InternalError(f"the clauses have no view {name}")


@dataclass(slots=True)
class SpacerAttempt:
    """Spacer on the clauses in one view."""

    horn: Horn
    name: str
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    _view: View | None = None
    _stopped: bool = False

    def run(self) -> Outcome:
        self._view = view_of(self.horn, self.name)
        if self._stopped:
            return Undecided("timeout")
        return Run(self.horn, self._view, self.seed, self.options).solve()

    def interrupt(self) -> None:
        self._stopped = True
        if self._view is not None:
            self._view.context.interrupt()
