"""Bitwuzla's own interpolants: from the SAT solver's proof, lifted to words where they can be.

Right, but often bit by bit and large; substitution (an option) gives words for what are equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.by_cut import Sides, Text, by_cut
from counterpoint.logic.interpolation.cuts import Clock
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.backends.bitwuzla import _BitwuzlaTarget
from counterpoint.solver.interpolation import Interpolation
from counterpoint.solver.translation import Translation
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Bitwuzla:
    """Whatever Bitwuzla decides, but for the bits of floats. Never answers Consistent: SolverUnknown("consistent")."""

    name: str = "bitwuzla"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        return by_cut(parts, _Terms().interpolant, Clock(seconds))


class _Terms:
    """The terms of one run."""

    def __init__(self) -> None:
        import bitwuzla

        self._package = bitwuzla
        self._target = _BitwuzlaTarget(bitwuzla)
        self._translation: Translation[Any] = Translation(self._target, {})

    def interpolant(self, sides: Sides, clock: Clock) -> Text | SolverUnknown:
        """Bitwuzla prints with a name for each shared term, so that the text is not larger than the formula."""
        package = self._package
        first = self._translation.of(sides.first)
        rest = [self._translation.of(part) for part in sides.rest]
        solver = package.Bitwuzla(self._target.manager, self._options())
        solver.configure_terminator(lambda: clock.over)
        try:
            for formula in (first, *rest):
                solver.assert_formula(formula)
            result = solver.check_sat()
            if result == package.Result.SAT:
                return SolverUnknown("consistent")
            if result != package.Result.UNSAT:
                return SolverUnknown("timeout")
            return Text(str(solver.get_interpolant([first])))
        except package.BitwuzlaException as error:
            return SolverUnknown(f"bitwuzla: {error}")

    def _options(self) -> Any:
        option, options = self._package.Option, self._package.Options()
        options.set(option.PRODUCE_INTERPOLANTS, True)
        options.set(option.INTERPOLANTS_SUBST, True)
        return options


METHOD: Final = Bitwuzla()
