"""Interpolants of all paths of the trace together, where those of one path say nothing new: a path is not the whole
reason if the abstraction is coarser than its predicates, or there was no path to be found in time."""

from __future__ import annotations

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.tactics.one_path import first_new


def all_paths(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """Refined if the interpolants' predicates are new, with the methods in one order or the other, or by conjuncts; the
    verdict if the trace has a run."""
    formula = abstraction.formula(trace)
    return first_new(abstraction, trace, abstraction.refinement.of_all_paths(formula, abstraction.growing(trace)))
