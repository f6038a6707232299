"""cvc5's interpolants: found by syntax-guided synthesis, so the simplest formulas come first.

Fast where a formula with a few operators will do, without hope where it takes more. Needs the extra `cvc5`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.horn.race import alone
from counterpoint.logic.horn.view import Undecided
from counterpoint.logic.interpolation.by_cut import Sides, Text, by_cut
from counterpoint.logic.interpolation.cuts import Clock, has_floats
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolation
from counterpoint.term import build
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import V

LONGEST: Final = 60.0
"""Seconds where no limit is given."""

_ANSWER: Final = "(define-fun I () Bool"


@dataclass(frozen=True, slots=True)
class Cvc5:
    """Bools, bit-vectors, arrays; SolverUnknown for floats, without the package, and for what cvc5 refuses.

    Each question has a process of its own, because cvc5 was seen to pass its time limit tenfold. For contradictions
    only: cvc5 may look for the interpolants of something consistent until the time is over.
    """

    name: str = "cvc5"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        try:
            importlib.import_module("cvc5")  # before the fork, so that it is done once
        except ImportError:
            return SolverUnknown("cvc5 is not installed (pip install 'counterpoint[cvc5]')")
        if has_floats(parts):
            return SolverUnknown("floats")
        return by_cut(parts, _ask, Clock(seconds))


def _ask(sides: Sides, clock: Clock) -> Text | SolverUnknown:
    answer = alone(lambda: _Question(sides), clock.left(LONGEST) or 0.0)
    return SolverUnknown(answer.reason) if isinstance(answer, Undecided) else answer


@dataclass(slots=True)
class _Question:
    """One script, in the child."""

    sides: Sides

    def run(self) -> Text | SolverUnknown:
        import cvc5  # type: ignore[import-not-found, unused-ignore]

        claim = build.not_(build.conjunction(self.sides.rest))
        *lines, asserted, _ = to_smtlib((self.sides.first, claim)).splitlines()
        goal = asserted.removeprefix("(assert ").removesuffix(")")
        manager = cvc5.TermManager()
        solver = cvc5.Solver(manager)
        solver.setOption("produce-interpolants", "true")
        names = cvc5.SymbolManager(manager)
        parser = cvc5.InputParser(solver, names)
        script = "\n".join([*lines, f"(get-interpolant I {goal})"])
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "")
        said = ""
        try:
            while not (command := parser.nextCommand()).isNull():
                said = command.invoke(solver, names).strip()
        except RuntimeError as error:
            return SolverUnknown(f"cvc5: {error}")
        if not said.startswith(_ANSWER):
            return SolverUnknown(f"cvc5: {said or 'no answer'}")
        definitions = [line for line in lines if line.startswith("(define-fun")]
        return Text(said[len(_ANSWER) : -1], "\n".join(definitions))

    def interrupt(self) -> None:
        """The process is killed."""


METHOD: Final = Cvc5()
