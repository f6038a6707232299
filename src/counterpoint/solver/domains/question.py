"""One question, by values: encoded, asked, and its model evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Timer

from pysat.solvers import Glucose4

from counterpoint.core import clock
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Model, Sat, Unsat
from counterpoint.solver.domains.clauses import Clauses, TooManyClauses
from counterpoint.solver.domains.values import domains
from counterpoint.term.evaluate import Given
from counterpoint.term.term import Op, Term, V


def by_values(formulas: Sequence[V], seconds: float) -> Sat | Unsat | None:
    """Whether the formulas hold together, by the values that their unknowns may have; None where these are too many,
    or time is over."""
    begun = clock.now()
    found = domains(formulas)
    if found is None:
        return None
    try:
        clauses = Clauses(found)
    except TooManyClauses:
        return None
    with Glucose4(bootstrap_with=clauses.clauses) as solver:
        timer = Timer(max(0.0, seconds - (clock.now() - begun)), solver.interrupt)
        timer.start()
        try:
            satisfiable = solver.solve_limited(expect_interrupt=True)
        finally:
            timer.cancel()
        if satisfiable is None:
            return None
        if not satisfiable:
            return Unsat()
        model = Model(_Values(clauses, tuple(solver.get_model() or ())))
    return Sat(model) if all(value == 1 for value in model.values(list(formulas))) else None


@dataclass(frozen=True, slots=True)
class _Values:
    """The values that a model of the clauses gives to variables."""

    clauses: Clauses
    model: tuple[int, ...]

    def value(self, leaf: Term) -> Given | None:
        return self.clauses.value(leaf, self.model) if leaf.op is Op.VARIABLE else None
