"""A contradictory sequence of formulas: what may be said at its cuts, and which conjuncts the contradiction needs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.interpolation import Consistent
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.sorts import Float
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, reachable, size

MAX_DELETIONS: Final = 24
"""Conjuncts of a core of which it is asked one by one whether they are needed."""

DELETION_SECONDS: Final = 0.5
"""Limit of such a question: a core that is larger than need be is no harm."""


class Clock:
    """What is left of a time limit; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def left(self, at_most: float | None = None) -> float | None:
        """Seconds, never negative, and not more than `at_most`."""
        if self._deadline is None:
            return at_most
        left = max(0.0, self._deadline - time.monotonic())
        return left if at_most is None else min(left, at_most)

    @property
    def over(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline


# ---------------------------------------------------------------- vocabulary


def symbols(formulas: Iterable[V]) -> list[Term]:
    """The variables and addresses that formulas are built of, oldest first."""
    return [term for term in reachable(formulas) if term.op is Op.VARIABLE or term.op is Op.ADDRESS]


def shared_symbols(parts: Sequence[V]) -> list[tuple[Term, ...]]:
    """For each cut, between part i and part i + 1, the symbols that occur on both sides, oldest first."""
    first: dict[Term, int] = {}
    last: dict[Term, int] = {}
    for number, part in enumerate(parts):
        for symbol in symbols([part]):
            first.setdefault(symbol, number)
            last[symbol] = number
    ordered = sorted(first, key=lambda symbol: symbol.index)
    return [tuple(s for s in ordered if first[s] <= cut < last[s]) for cut in range(len(parts) - 1)]


def has_floats(formulas: Iterable[V]) -> bool:
    """Whether a float occurs anywhere below."""
    return any(
        isinstance(term.sort, Float) or any(isinstance(arg, Term) and isinstance(arg.sort, Float) for arg in term.args)
        for term in reachable(formulas)
    )


# ---------------------------------------------------------------- cores


@dataclass(frozen=True, slots=True)
class Core:
    """The parts with only those conjuncts that the contradiction needs; 1 where none is needed."""

    parts: tuple[V, ...]


def core_of(parts: Sequence[V], connect: Callable[[], Solver], clock: Clock) -> Core | Consistent | SolverUnknown:
    """Decides the conjunction. A conjunct that occurs in several parts is kept in all of them or in none."""
    pieces = list(dict.fromkeys(piece for part in parts for piece in conjuncts(part)))
    if 0 in pieces:
        needed: Sequence[V] | SolverUnknown | Sat = (0,)
    else:
        solver = connect()
        try:
            needed = needed_for(solver, pieces, clock)
        finally:
            solver.close()
    if isinstance(needed, Sat):
        return Consistent(needed.model)
    if isinstance(needed, SolverUnknown):
        return needed
    kept = frozenset(needed)
    return Core(tuple(build.conjunction([piece for piece in conjuncts(part) if piece in kept]) for part in parts))


def needed_for(solver: Solver, pieces: Sequence[V], clock: Clock) -> Sequence[V] | Sat | SolverUnknown:
    """Some of `pieces`, in order, that suffice to contradict what is asserted; large ones are given up first."""
    answer: Answer = solver.check(pieces, clock.left())
    if not isinstance(answer, Unsat):
        return answer
    core = _among(pieces, answer.core)
    by_size = sorted(core, key=lambda piece: -size(piece))[:MAX_DELETIONS]
    for piece in by_size:
        if piece not in core or clock.over:
            continue
        without = [other for other in core if other is not piece]
        answer = solver.check(without, clock.left(DELETION_SECONDS))
        if isinstance(answer, Unsat):
            core = _among(without, answer.core)
    return core


def _among(pieces: Sequence[V], core: Iterable[V]) -> list[V]:
    """The pieces that are in the core, in their order."""
    needed = frozenset(core)
    return [piece for piece in pieces if piece in needed]
