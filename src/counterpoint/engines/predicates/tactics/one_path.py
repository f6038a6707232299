"""Interpolants of one path of the trace, whose edges merge many: its predicates are new as long as the abstraction is
exact, and plain conjunctions are what interpolation methods are best at.

Source: slides 43 to 58; Henzinger, Jhala, Majumdar, McMillan, "Abstractions from proofs" (POPL 2004). Deviation: with
large blocks other paths of the trace are explained at once, which is cheaper than to meet the trace again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.refinement.explanations import Explained, Explanation, Feasible, Unexplained
from counterpoint.regions.locations import LARGE

MOST_PATHS: Final = 12
"""Paths of one error trace that are looked at before the graph grows again."""


def one_path(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """Refined if its interpolants' predicates are new, with the methods in one order or the other; the verdict if the
    trace has a run."""
    formula = abstraction.formula(trace)
    return first_new(abstraction, trace, abstraction.refinement.of_one_path(formula, abstraction.growing(trace)))


def first_new(abstraction: LazyAbstraction, trace: ErrorTrace, answers: Iterable[Explanation]) -> Outcome:
    """What is made of the first explanation that says something new, or that the trace has a run."""
    for answer in answers:
        abstraction.tools.budget.spend()
        match answer:
            case Feasible(model):
                return abstraction.feasible(trace, model)
            case Unexplained(reason):
                trace.unexplained = trace.unexplained or reason
            case Explained(predicates=predicates) if abstraction.track(trace, predicates):
                if abstraction.options.block == LARGE:
                    _other_paths(abstraction, trace)
                return abstraction.cut(trace)
    return None


def _other_paths(abstraction: LazyAbstraction, trace: ErrorTrace) -> None:
    """The predicates of other paths as well, as long as the new ones leave some, and speak of what others do."""
    for _ in range(MOST_PATHS):
        abstraction.tools.budget.spend()
        answer = abstraction.refinement.another(abstraction.formula_now(trace), abstraction.growing(trace))
        if not isinstance(answer, Explained) or not abstraction.track(trace, answer.predicates):
            return
