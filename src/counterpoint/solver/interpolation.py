"""The capability to interpolate; each method is one file with this signature (logic/interpolation/methods)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Model, SolverUnknown
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Consistent:
    """The formulas have a common model: there is nothing to interpolate."""

    model: Model


@dataclass(frozen=True, slots=True)
class Interpolants:
    """One formula per cut: `formulas[i]` follows from the first i + 1 parts, contradicts the rest, and
    has only variables and addresses common to both sides; with formulas[i] part i + 1 implies formulas[i + 1].
    """

    formulas: tuple[V, ...]


Interpolation: TypeAlias = Interpolants | Consistent | SolverUnknown


class Interpolator(Protocol):
    """Explains why a sequence of formulas is contradictory."""

    @property
    def name(self) -> str:
        """How logs call the method."""
        ...

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        """Sequence interpolants of two or more parts: len(parts) - 1 formulas, after about `seconds` at most.

        Raises SolverError if a solver that checks fails.
        """
        ...
