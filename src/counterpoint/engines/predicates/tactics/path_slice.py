"""What does not matter for the error is left out of the trace: without a run, the slice's interpolants are the trace's;
with one, the error may be reached by inputs of the slice.

Source: slides 74 to 77; Jhala, Majumdar, "Path slicing" (PLDI 2005).
"""

from __future__ import annotations

from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Outcome
from counterpoint.engines.predicates.refinement.explanations import Explained, Feasible
from counterpoint.engines.predicates.traces.slicing import sliced, sliced_behind_loops
from counterpoint.regions.locations import LARGE


def path_slice(abstraction: LazyAbstraction, trace: ErrorTrace) -> Outcome:
    """Refined if what excludes the slice is new; the verdict, if the program, run on inputs of the slice, violates the
    property. Between large blocks now and then: they rarely leave anything out."""
    large = abstraction.options.block == LARGE
    if large and abstraction.refinements & (abstraction.refinements - 1):
        return None
    found = sliced(abstraction.formulas, trace.edges, [abstraction.abstract(node) for node in trace.nodes])
    if not found.whole:
        match abstraction.refinement.explain(found.formula):
            case Explained(predicates=predicates) if abstraction.track(trace, predicates):
                return abstraction.cut(trace)
            case Feasible(model):
                return abstraction.run_of_slice(found, model)
    behind = sliced_behind_loops(abstraction.formulas, trace.edges) if large else None
    if behind is not None:
        match abstraction.refinement.explain(behind.formula):
            case Feasible(model):
                return abstraction.run_of_slice(behind, model)
    return None
