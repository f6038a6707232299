"""The methods in an order, each with a time limit: the first good answer wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.interpolation.checked import LARGEST, Checked, explained, products_solved
from counterpoint.logic.interpolation.cuts import Clock, Core, core_of
from counterpoint.logic.interpolation.methods import method
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.interpolation import Interpolants, Interpolation, Interpolator
from counterpoint.solver.protocol import Solver
from counterpoint.term.term import V

ORDER: Final[tuple[tuple[str, float], ...]] = (
    ("weakest", 3.0),
    ("bitwuzla", 3.0),
    ("spacer", 5.0),
    ("newton", 3.0),
    ("integers", 5.0),
)
"""Names and limits in seconds. Each of the first four explains some trace that no other does; all orders take about
the same time, so what names fewest values comes first (docs/decisions/interpolants.md)."""

GENERAL_FIRST: Final[tuple[tuple[str, float], ...]] = (
    ("integers", 5.0),
    ("spacer", 5.0),
    ("weakest", 3.0),
    ("bitwuzla", 3.0),
    ("newton", 3.0),
)
"""Another order, for when the first repeats itself or its formulas grow: bounds and differences over integers come
first. About a quarter slower."""

DOMAINS_FIRST: Final[tuple[tuple[str, float], ...]] = (
    ("signs", 1.0),
    ("parity", 1.0),
    ("constants", 1.0),
    ("intervals", 3.0),
    *ORDER,
)
"""Another order: the numeric domains of one symbol at a time, the cheapest first, each only where those before it do
not refute the trace; then the others."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """Decides the conjunction once, then asks each method about the core; every answer is checked.

    SolverUnknown tells what each method said.
    """

    methods: tuple[tuple[Interpolator, float], ...]
    connect: Callable[[], Solver] = products_solved
    largest: int = LARGEST
    name: str = "standard"

    def interpolate(self, parts: Sequence[V], seconds: float | None = None) -> Interpolation:
        clock = Clock(seconds)
        core = core_of(parts, self.connect, clock)
        if not isinstance(core, Core):
            return core
        reasons: list[str] = []
        for inner, limit in self.methods:
            if clock.over:
                break
            how = Checked(inner, self.connect, self.largest)
            answer = explained(core, inner, Clock(clock.left(limit)), how)
            if isinstance(answer, Interpolants):
                return answer
            if isinstance(answer, SolverUnknown):
                reasons.append(f"{inner.name}: {answer.reason}")
        return SolverUnknown("; ".join(reasons) or "timeout")


def standard_interpolator(
    order: Sequence[tuple[str, float]] = ORDER,
    connect: Callable[[], Solver] = products_solved,
    largest: int = LARGEST,
) -> Interpolator:
    """The methods of these names, each with its limit in seconds. Raises UnusableInput for a name without a method."""
    methods = tuple((unchecked(method(name)), seconds) for name, seconds in order)
    return InOrder(methods, connect, largest)


def unchecked(inner: Interpolator) -> Interpolator:
    """The method without a check of its own: the combination checks."""
    return inner.inner if isinstance(inner, Checked) else inner
