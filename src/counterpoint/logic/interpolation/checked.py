"""What a method of interpolation answers, checked and made small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.cuts import Clock, Core, core_of, needed_for, shared_symbols, symbols
from counterpoint.solver.answers import Sat, SolverUnknown
from counterpoint.solver.interpolation import Consistent, Interpolants, Interpolation, Interpolator
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts, size

LARGEST: Final = 200
"""Terms of one formula; larger ones explain nothing."""


def products_solved() -> Solver:
    """The solver that checks."""
    return standard_solver(polynomials=True)


@dataclass(frozen=True, slots=True)
class Checked:
    """`inner` on the conjuncts of an unsat core; its answer is returned only if it is a sequence of interpolants.

    Formulas lose the conjuncts that the next one does not need, from the last cut to the first: this is also the
    check. SolverUnknown("no interpolants: ...") if the check fails, ("large: ...") if a formula has more than
    `largest` terms. At most one query per cut, and MAX_DELETIONS short ones (cuts.py).
    """

    inner: Interpolator
    connect: Callable[[], Solver] = products_solved
    largest: int = LARGEST

    @property
    def name(self) -> str:
        return self.inner.name

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        clock = Clock(seconds)
        core = core_of(parts, self.connect, clock)
        return explained(core, self.inner, clock, self) if isinstance(core, Core) else core


def explained(core: Core, inner: Interpolator, clock: Clock, how: Checked) -> Interpolation:
    """Interpolants of the core's parts by `inner`, checked as `how` says. It does not see parts that play no role."""
    places = [number for number, part in enumerate(core.parts) if part != 1]
    parts = [core.parts[place] for place in places]
    formulas: Sequence[V] = ()
    if len(parts) > 1:
        answer = inner.interpolate(parts, clock.left())
        if isinstance(answer, Consistent):
            return SolverUnknown(f"no interpolants: {inner.name} finds a contradiction consistent")
        if isinstance(answer, SolverUnknown):
            return answer
        tidied = needed_conjuncts(parts, answer.formulas, how.connect, clock)
        if isinstance(tidied, SolverUnknown):
            return tidied
        formulas = tidied
        largest = max(size(formula) for formula in formulas)
        if largest > how.largest:
            return SolverUnknown(f"large: a formula of {largest} terms")
    return Interpolants(tuple(_spread(formulas, places, len(core.parts) - 1)))


def _spread(formulas: Sequence[V], places: Sequence[int], cuts: int) -> list[V]:
    """The formulas of the cuts between `places`, at all cuts: before the first place 1, behind the last 0."""
    known = (1, *formulas, 0)
    return [known[sum(1 for place in places if place <= cut)] for cut in range(cuts)]


def needed_conjuncts(
    parts: Sequence[V], formulas: Sequence[V], connect: Callable[[], Solver], clock: Clock
) -> list[V] | SolverUnknown:
    """The formulas with only those conjuncts over shared symbols that later ones need; SolverUnknown if they are no
    sequence of interpolants, or if that could not be shown in time."""
    goal: V = 0
    found: list[V] = []
    for cut, shared in reversed(list(enumerate(shared_symbols(parts)))):
        allowed = frozenset(shared)
        pieces = [piece for piece in conjuncts(formulas[cut]) if allowed.issuperset(symbols([piece]))]
        needed = _step(pieces, parts[cut + 1], goal, connect, clock)
        if isinstance(needed, SolverUnknown):
            return needed
        goal = build.conjunction(needed)
        found.append(goal)
    first = _step([], parts[0], goal, connect, clock)
    return first if isinstance(first, SolverUnknown) else list(reversed(found))


def _step(
    pieces: Sequence[V], part: V, goal: V, connect: Callable[[], Solver], clock: Clock
) -> Sequence[V] | SolverUnknown:
    """Those of `pieces` from which, with `part`, the goal follows."""
    if 0 in pieces:
        return [0]
    solver = connect()
    try:
        solver.add(part)
        solver.add(build.not_(goal))
        needed = needed_for(solver, pieces, clock)
    finally:
        solver.close()
    if isinstance(needed, Sat):
        return SolverUnknown("no interpolants: a formula does not follow from what is before it")
    return needed
