"""Decides conjunctions with products by their abstraction, refined with lemmas that the models violate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from counterpoint.core import clock
from counterpoint.core.records import dataclass
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.polynomial.case import Case, is_product
from counterpoint.solver.polynomial.forms import NormalForms, width_of
from counterpoint.solver.polynomial.intervals import Contradiction, Intervals
from counterpoint.solver.polynomial.products import Abstraction, abstracted
from counterpoint.solver.polynomial.ring import OutOfSteps, Steps, to_term
from counterpoint.solver.protocol import Solver
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, reachable, substitute_all

MOST_PRODUCTS: Final = 60
MOST_REFINEMENTS: Final = 16
STEPS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Refuted:
    """The conjunction has no model, because `formulas` have none."""

    formulas: tuple[V, ...]


def by_abstraction(
    formulas: Sequence[V],
    connect: Callable[[], Solver],
    seconds: float,
    factored: Sequence[Term] = (),
    steps: int = STEPS,
) -> Refuted | Sat | SolverUnknown:
    """By intervals alone, else by fresh solvers of `connect` about the abstraction.

    A model is one of `formulas`: it is returned only if every product has its right value in it, and all formulas
    hold when they are evaluated. `factored` are products of sums whose bounds may be useful, as multiplied out their
    factors' bounds are lost: if half of the time is not enough without, they are variables as well in the other
    half, beside what they are multiplied out. `seconds` bounds all of the solvers' answers together, `steps` the
    work before.
    """
    deadline = clock.now() + seconds
    try:
        budget = Steps(steps)
        forms = NormalForms(formulas, budget)
        normal = [part for formula in formulas for part in conjuncts(forms.value(formula))]
        extra = _multiplied_out(factored, forms)
        plain = abstracted(normal, Intervals(normal, budget))
        answer = _refined(formulas, plain, connect, seconds / 2 if extra else seconds)
        if not extra or not isinstance(answer, SolverUnknown) or answer.reason == "interrupted":
            return answer
        normal += extra
        richer = abstracted(normal, Intervals(normal, budget))
    except Contradiction:
        return Refuted((0,))
    except OutOfSteps:
        return SolverUnknown("the steps are spent")
    return _refined(formulas, richer, connect, deadline - clock.now())


def _refined(
    formulas: Sequence[V], abstraction: Abstraction, connect: Callable[[], Solver], seconds: float
) -> Refuted | Sat | SolverUnknown:
    """Asks about the abstraction, with more lemmas after each wrong model."""
    deadline = clock.now() + seconds
    if len(abstraction.products) > MOST_PRODUCTS:
        return SolverUnknown("too many products")
    asserted = list(abstraction.formulas)
    solver = connect()
    try:
        for formula in asserted:
            solver.add(formula)
        for _ in range(MOST_REFINEMENTS):
            answer: Answer = solver.check((), max(0.0, deadline - clock.now()))
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


def factors_of(formulas: Sequence[V], case: Case) -> list[Term]:
    """The products in `formulas` of which a factor is a sum, in terms of what the case's formulas are about."""
    found: list[V] = [term for term in reachable(formulas) if is_product(term)]
    if len(found) > MOST_PRODUCTS:
        return []
    # A defined variable's value may mention those defined further to the front.
    for variable, value in reversed(case.definitions):
        found = substitute_all(found, {variable: value})
    return [term for term in dict.fromkeys(found) if isinstance(term, Term) and is_product(term)]


def _multiplied_out(factored: Sequence[Term], forms: NormalForms) -> list[V]:
    """product = its polynomial, which is true, for each that this changes."""
    found: list[V] = []
    for term in factored:
        width = width_of(term)
        left, right = (to_term(forms.form(arg, width)) for arg in term.args)
        found.append(build.eq(build.mul(left, right, width), to_term(forms.form(term, width)), width))
    return [formula for formula in dict.fromkeys(found) if isinstance(formula, Term)]
