"""Decides conjunctions with products by their abstraction, refined with lemmas that the models violate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.polynomial.forms import NormalForms
from counterpoint.solver.polynomial.intervals import Contradiction, Intervals
from counterpoint.solver.polynomial.products import abstracted
from counterpoint.solver.polynomial.ring import OutOfSteps, Steps
from counterpoint.solver.protocol import Solver
from counterpoint.term.term import V
from counterpoint.term.walk import conjuncts

MOST_PRODUCTS: Final = 60
MOST_REFINEMENTS: Final = 16
STEPS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Refuted:
    """The conjunction has no model, because `formulas` have none."""

    formulas: tuple[V, ...]


def by_abstraction(
    formulas: Sequence[V], connect: Callable[[], Solver], seconds: float, steps: int = STEPS
) -> Refuted | Sat | SolverUnknown:
    """By intervals alone, else by a fresh solver of `connect` about the abstraction.

    A model is one of `formulas`: it is returned only if every product has its right value in it, and all formulas
    hold when they are evaluated. `seconds` bounds all of the solver's answers together, `steps` the work before.
    """
    deadline = time.monotonic() + seconds
    try:
        budget = Steps(steps)
        forms = NormalForms(formulas, budget)
        normal = [part for formula in formulas for part in conjuncts(forms.value(formula))]
        abstraction = abstracted(normal, Intervals(normal, budget))
    except Contradiction:
        return Refuted((0,))
    except OutOfSteps:
        return SolverUnknown("the steps are spent")
    if len(abstraction.products) > MOST_PRODUCTS:
        return SolverUnknown("too many products")
    asserted = list(abstraction.formulas)
    solver = connect()
    try:
        for formula in asserted:
            solver.add(formula)
        for _ in range(MOST_REFINEMENTS):
            answer: Answer = solver.check((), max(0.0, deadline - time.monotonic()))
            if isinstance(answer, SolverUnknown):
                return answer
            if isinstance(answer, Unsat):
                return Refuted(tuple(asserted))
            lemmas = abstraction.violated(answer.model.value)
            if not lemmas:
                holds = all(value == 1 for value in answer.model.values(list(formulas)))
                return answer if holds else SolverUnknown("a model of the abstraction only")
            for lemma in lemmas:
                solver.add(lemma)
            asserted.extend(lemmas)
        return SolverUnknown("refined too often")
    finally:
        solver.close()
