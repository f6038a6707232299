"""Strongest postconditions along the core of a contradiction, dead variables eliminated.

Source: the Newton tool of SLAM [Ball, Rajamani 2002]; with unsat cores and live variables [Dietsch, Heizmann, Musa,
Nutz, Podelski: Craig vs. Newton in software model checking, FSE 2017].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.elimination import eliminate
from counterpoint.logic.interpolation.checked import Checked
from counterpoint.logic.interpolation.cuts import Clock, shared_symbols, symbols
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolants, Interpolation
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size, substitute

LARGEST: Final = 3000
"""Terms of a formula on the way; beyond, the method gives up."""


@dataclass(frozen=True, slots=True)
class Strongest:
    """Formula i + 1 is `exists what is not shared: formula i and part i + 1`.

    Where a variable cannot be eliminated, what is said about it is forgotten: then the formulas may no longer
    contradict the last part, which `Checked` finds out. No solver is used. What is not needed makes the formulas
    large: hand in a core.
    """

    name: str = "newton"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        clock = Clock(seconds)
        formulas: list[V] = []
        known: V = 1
        for part, shared in zip(parts[:-1], shared_symbols(parts), strict=True):
            known = project(build.and_(known, part), shared)
            if clock.over or size(known) > LARGEST:
                return SolverUnknown("timeout" if clock.over else f"large: a formula of {size(known)} terms")
            formulas.append(known)
        return Interpolants(tuple(formulas))


@dataclass(frozen=True, slots=True)
class Weakest:
    """Backwards: formula i is `not exists what is not shared: part i + 1 and not formula i + 1`.

    Where a variable cannot be eliminated, the formulas are stronger than weakest preconditions: they contradict what
    comes after, but may not follow from the first part, which `Checked` finds out.
    """

    name: str = "weakest"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        clock = Clock(seconds)
        formulas: list[V] = []
        bad: V = 1
        for part, shared in zip(reversed(parts[1:]), reversed(shared_symbols(parts)), strict=True):
            bad = project(build.and_(part, bad), shared)
            if clock.over or size(bad) > LARGEST:
                return SolverUnknown("timeout" if clock.over else f"large: a formula of {size(bad)} terms")
            formulas.append(build.not_(bad))
        return Interpolants(tuple(reversed(formulas)))


def project(formula: V, wanted: Sequence[Term]) -> V:
    """What the formula says about the wanted symbols, or less."""
    keep = frozenset(wanted)
    unwanted: dict[Term, Term] = {}  # addresses become variables, which is what can be eliminated
    for symbol in symbols([formula]):
        if symbol not in keep:
            is_address = symbol.op is Op.ADDRESS
            unwanted[symbol] = build.variable(f"&{symbol.payload}", symbol.sort) if is_address else symbol
    if not unwanted:
        return formula
    return eliminate(substitute(formula, unwanted), list(unwanted.values())).formula


METHOD: Final = Checked(Strongest())
