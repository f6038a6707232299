"""What constructors folded while a proof's conditions were built: confirmed by solvers, as equations.

Then every formula says what it was built to say, and a claim that folded to nothing is impossible by a solver's word.
Most equations hold whatever stands below their top; what does not is asked again with more of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.solver.race import Satisfiable, check_in_processes
from counterpoint.solver.valid import TOGETHER, NotAsked, asking, not_valid
from counterpoint.term.folds import Equation, Folds
from counterpoint.term.general import General, falsified, general
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.term import Term

DEPTHS = (3, 8, 1 << 20)
"""How far below an application its equation looks; the last one is all of it."""


class Unconfirmed(Exception):
    """No solver's word for some equations; the message names one."""


@contextmanager
def confirming(folds: Folds, backends: Sequence[str], budget: Budget) -> Iterator[Callable[[], int]]:
    """Has what was folded so far confirmed while other things are done; the call, as `confirm`, says how that ended,
    and asks about what was folded since."""
    begun = _generalised(folds.equations(), DEPTHS[0], budget)
    first = list(begun)[:TOGETHER]
    if not first:
        yield lambda: confirm(folds, backends, budget)
        return
    with asking(first, budget.remaining(), backends[0]) as asked:

        def end() -> int:
            wrong = {first[number] for number in _answered(asked.not_valid)}
            return confirm(folds, backends, budget, {formula: formula not in wrong for formula in first})

        yield end


def confirm(folds: Folds, backends: Sequence[str], budget: Budget, known: Mapping[Term, bool] | None = None) -> int:
    """The number of equations that each of the backends confirmed; the first one finds out how general they may be.

    `known`: general formulas of which the first one has said whether they are valid. Raises EvidenceRejected for an
    equation that is wrong (a constructor's fault), Unconfirmed for one that stayed open, OutOfBudget.
    """
    known = known or {}
    equations = folds.equations()
    confirmed: dict[Term, Equation] = {}
    rest: Sequence[Equation] = equations
    for depth in DEPTHS:
        asked = _generalised(rest, depth, budget)
        failed = _failed([formula for formula in asked if formula not in known], backends[0], budget)
        failed |= {formula: None for formula in asked if not known.get(formula, True)}
        confirmed.update((formula, group[0]) for formula, group in asked.items() if formula not in failed)
        rest = [equation for formula in failed for equation in asked[formula]]
        if not rest:
            break
    if rest:
        _refuse(rest[0], general(*rest[0], DEPTHS[-1]).formula(), backends[0], budget)
    for backend in backends[1:]:
        for formula in _failed(list(confirmed), backend, budget):
            _refuse(confirmed[formula], formula, backend, budget)
    return len(equations)


def _failed(formulas: Sequence[Term], backend: str, budget: Budget) -> dict[Term, None]:
    return dict.fromkeys(
        formulas[number] for number in _answered(lambda: not_valid(formulas, budget.remaining(), backend))
    )


def _answered(positions: Callable[[], list[int]]) -> list[int]:
    try:
        return positions()
    except NotAsked as missing:
        raise Unconfirmed(str(missing)) from None


def _generalised(equations: Sequence[Equation], depth: int, budget: Budget) -> dict[Term, list[Equation]]:
    """The equations by their general formula."""
    groups: dict[object, tuple[General, list[Equation]]] = {}
    for equation in equations:
        budget.spend()
        found = general(*equation, depth)
        groups.setdefault(found.shape, (found, []))[1].append(equation)
    return {found.formula(): group for found, group in groups.values()}


def _refuse(equation: Equation, formula: Term, backend: str, budget: Budget) -> NoReturn:
    what = f"{equation[0]} = {equation[1]}"
    match check_in_processes(to_smtlib([falsified([formula])]), budget.remaining(), (backend,)):
        case Satisfiable():
            raise EvidenceRejected(f"a constructor folded what is not equal: {what}")
    raise Unconfirmed(f"{backend} did not confirm in time that {what}")
