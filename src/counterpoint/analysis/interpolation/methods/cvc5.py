"""cvc5's interpolants: found by syntax-guided synthesis, so the simplest formulas come first.

Fast where a formula with a few operators will do, without hope where it takes more. Needs the extra `cvc5`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from counterpoint.analysis.interpolation.by_cut import Sides, by_cut
from counterpoint.analysis.interpolation.cuts import Clock, has_floats
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolation
from counterpoint.term import build
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import V

_ANSWER: Final = "(define-fun I () Bool"


@dataclass(frozen=True, slots=True)
class Cvc5:
    """Bools, bit-vectors, arrays; SolverUnknown for floats, without the package, and for what cvc5 refuses.

    Contradictions only: cvc5 may look for the interpolants of something consistent until the time is over.
    """

    name: str = "cvc5"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        try:
            import cvc5  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
        except ImportError:
            return SolverUnknown("cvc5 is not installed (pip install 'counterpoint[cvc5]')")
        if has_floats(parts):
            return SolverUnknown("floats")
        return by_cut(parts, _ask, Clock(seconds))


def _ask(sides: Sides, clock: Clock) -> str | SolverUnknown:
    import cvc5

    if clock.over:
        return SolverUnknown("timeout")
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("produce-interpolants", "true")
    left = clock.left()
    if left is not None:
        solver.setOption("tlimit-per", str(max(1, round(left * 1000))))
    names = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, names)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, _question(sides), "")
    said = ""
    try:
        while not (command := parser.nextCommand()).isNull():
            said = command.invoke(solver, names)
    except RuntimeError as error:
        return SolverUnknown(f"cvc5: {error}")
    said = said.strip()
    if not said.startswith(_ANSWER):
        return SolverUnknown("timeout" if clock.over else f"cvc5: {said or 'no answer'}")
    return said[len(_ANSWER) : -1]


def _question(sides: Sides) -> str:
    """The script that asserts the first side and the claim, with the claim as what is to be explained."""
    claim = build.not_(build.conjunction(sides.rest))
    *lines, asserted, _ = to_smtlib((sides.first, claim)).splitlines()
    return "\n".join([*lines, f"(get-interpolant I {asserted.removeprefix('(assert ').removesuffix(')')})"])


METHOD: Final = Cvc5()
