"""Bitwuzla's own interpolants: from the SAT solver's proof, lifted to words where they can be.

Right, but often bit by bit and large; substitution (an option) gives words for what are equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from counterpoint.analysis.interpolation.cuts import Clock, symbols
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.backends.bitwuzla import _BitwuzlaTarget
from counterpoint.solver.interpolation import Interpolants, Interpolation
from counterpoint.solver.protocol import SolverError
from counterpoint.solver.translation import Translation
from counterpoint.term import build
from counterpoint.term.smtlib import sort_text
from counterpoint.term.smtlib_parser import SmtLibError, parse_smtlib
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute_all

LONGEST_TEXT: Final = 200_000
"""Characters of one interpolant that are read back; longer ones are given up."""


@dataclass(frozen=True, slots=True)
class Bitwuzla:
    """One query per cut, with the interpolant of the cut before as its first side, so that the sequence is inductive.

    Everything that Bitwuzla decides, but for the bits of floats. Never answers Consistent: SolverUnknown("consistent").
    Raises SolverError if Bitwuzla fails.
    """

    name: str = "bitwuzla"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        if any(term.op is Op.BITS_FROM_FP for term in reachable(parts)):
            return SolverUnknown("the bits of a float")
        clock = Clock(seconds)
        names: dict[Term, V] = {s: build.variable(f"s{k}", s.sort) for k, s in enumerate(symbols(parts))}
        renamed = substitute_all(parts, names)
        run = _Run({variable: symbol for symbol, variable in names.items() if isinstance(variable, Term)})
        formulas: list[V] = []
        before: V = 1
        for cut in range(1, len(parts)):
            first = build.and_(before, renamed[cut - 1])
            found = run.interpolant(first, renamed[cut:], clock)
            if isinstance(found, SolverUnknown):
                return found
            before = found
            formulas.append(before)
        return Interpolants(tuple(substitute_all(formulas, run.meaning)))


class _Run:
    """Queries about terms of one term manager; `meaning` gives the variables' symbols."""

    def __init__(self, meaning: dict[Term, V]) -> None:
        import bitwuzla

        self.meaning = meaning
        self._package = bitwuzla
        self._target = _BitwuzlaTarget(bitwuzla)
        self._translation: Translation[Any] = Translation(self._target, {})

    def interpolant(self, first: V, rest: Sequence[V], clock: Clock) -> V | SolverUnknown:
        """A formula that follows from `first` and contradicts `rest`."""
        package = self._package
        rest = [part for part in rest if part != 1]
        if first in (0, 1) or not rest:
            return first if rest or first == 0 else 0
        one = self._translation.of(first)
        others = [self._translation.of(part) for part in rest]
        solver = package.Bitwuzla(self._target.manager, self._options())
        solver.configure_terminator(lambda: clock.over)
        try:
            for formula in (one, *others):
                solver.assert_formula(formula)
            result = solver.check_sat()
            if result == package.Result.SAT:
                return SolverUnknown("consistent")
            if result != package.Result.UNSAT:
                return SolverUnknown("timeout")
            return self._read(str(solver.get_interpolant([one])))
        except package.BitwuzlaException as error:
            raise SolverError(f"bitwuzla: {error}") from error

    def _options(self) -> Any:
        option, options = self._package.Option, self._package.Options()
        options.set(option.PRODUCE_INTERPOLANTS, True)
        options.set(option.INTERPOLANTS_SUBST, True)
        return options

    def _read(self, text: str) -> V | SolverUnknown:
        """Bitwuzla prints with a name for each shared term, so that the text is not larger than the formula."""
        if len(text) > LONGEST_TEXT:
            return SolverUnknown(f"large: {len(text)} characters")
        try:
            (formula,) = parse_smtlib("\n".join([*self._declarations(), f"(assert {text})"])).assertions
        except SmtLibError as error:
            return SolverUnknown(f"no meaning: {error}")
        return formula

    def _declarations(self) -> Iterator[str]:
        for variable in self.meaning:
            yield f"(declare-const {variable.payload} {sort_text(variable.sort)})"


METHOD: Final = Bitwuzla()
