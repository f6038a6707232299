"""Conditions of weakest preconditions along the trace, for what interpolants cannot speak of: contents of arrays that
the trace changes, and floats (refinement/weakest.py).

Source: Ball, Rajamani, "Automatically validating temporal safety properties of interfaces" (SPIN 2001).
"""

from __future__ import annotations

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.refinement.weakest import with_preconditions
from counterpoint.term.term import V


def preconditions(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """Refined if some are new."""
    formula = abstraction.formula(trace)
    silent: list[V | None] = [1, *([None] * (len(formula.edges) - 1))]
    found = with_preconditions(formula, silent, [()] * len(silent), abstraction.circuits, abstraction.returned)
    predicates = [() if said is None else abstraction.refinement.predicates(said) for said in found]
    return abstraction.cut(trace) if abstraction.track(trace, predicates) else None
