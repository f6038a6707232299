"""Weakest preconditions along a trace, for what its interpolants cannot say: arrays and floats are substituted in a
trace's formula, so that its interpolants are silent about them where they change.

Source: Ball, Rajamani, "Automatically validating temporal safety properties of interfaces" (SPIN 2001): SLAM's first
refinement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from counterpoint.engines.predicates.graph.circuits import Circuits
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.logic.preimages import Preimages
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import ERROR
from counterpoint.solver.answers import Unsat
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V


def with_preconditions(
    trace: TraceFormula,
    formulas: Sequence[V | None],
    known: Sequence[Sequence[V]],
    circuits: Circuits,
    returned: Callable[[Place], V],
) -> list[V | None]:
    """Formulas at the start of each edge that exclude the trace edge by edge: `formulas`, with weakest preconditions
    where they speak of more than components (None), or where what comes later does not follow from them. `known` holds
    there as well. None from the first one on that does not follow: preconditions over-approximate."""
    found, edges = list(formulas), trace.edges
    if None not in found and in_variables(trace):
        return found
    preimages = Preimages(circuits.formulas.encoded, returned)
    for cut in reversed(range(1, len(found))):
        edge, after = edges[cut], found[cut + 1] if cut + 1 < len(found) else 0
        here = found[cut]
        if here is not None and after is not None and always_leads(circuits, [*known[cut], here], edge, after):
            continue
        literals = () if edge.target == ERROR else (build.not_(after if after is not None else 1),)
        precondition = build.not_(preimages.of(edge.source, edge.target, literals).formula)
        found[cut] = build.and_(precondition, 1 if here is None else here)
    for cut, edge in enumerate(edges[:-1]):
        here, after = found[cut], found[cut + 1]
        if here is None or after is None or not always_leads(circuits, [*known[cut], here], edge, after):
            return [*found[: cut + 1], *[None] * (len(found) - cut - 1)]
    return found


def always_leads(circuits: Circuits, before: Iterable[V], edge: Edge, after: V) -> bool:
    """All runs over the edge from states with `before` end in states with `after`."""
    circuit = circuits.of(edge)
    outside = 1 if edge.target == ERROR else build.not_(circuit.after(after))
    return isinstance(circuit.check([*map(circuit.before, before), outside]), Unsat)


def in_variables(trace: TraceFormula) -> bool:
    """All that its interpolants may depend on is in variables of their own."""
    return all(isinstance(v, Term) and v.op is Op.VARIABLE for here in trace.instances for v in here.values.values())
