"""The formula of an error trace, in parts: one per edge, with variables of their own for the state at each cut.

A component that an edge leaves as it is keeps its variable; one that changes gets a new one, and the part says what it
is (static single assignment). So does a copy of another component: that they are equal is for a predicate to say.
Arrays and floats are substituted instead: no solver's interpolants speak of their equality; of arrays that later parts
read at constant indices only, these elements are followed. Only components that later parts depend on are.

Source: slides 34 to 39 and 53 to 58 (trace feasibility formulas, predicate maps).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces import cells
from counterpoint.regions.encoded_steps import Finished
from counterpoint.regions.instance import Instance, is_static, tagged
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V


@dataclass(frozen=True, slots=True)
class TraceFormula:
    """The trace is feasible if `parts` have a model. `instances[i]` says what edge i's components at its start, as far
    as they are followed, and its unknowns are in the parts' terms. `abstract[i]` is what the abstract state there says,
    and `tracked[i]` are the predicates it is made of; the parts imply neither."""

    edges: tuple[Edge, ...]
    parts: tuple[V, ...]
    instances: tuple[Instance, ...]
    abstract: tuple[V, ...]
    tracked: tuple[tuple[V, ...], ...]


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract state: the set as a formula over components, the predicates that were tracked there, and facts: what
    holds at its place on every run."""

    formula: V = 1
    tracked: tuple[V, ...] = ()
    facts: tuple[V, ...] = ()


def trace_formula(formulas: EdgeFormulas, edges: Sequence[Edge], abstract: Sequence[Abstract] = ()) -> TraceFormula:
    """Of the runs along the edges, from the start, or from any state there (whose components keep their names);
    `abstract` is the abstract state at the start of each edge. Linear in the edges' formulas. Raises OutOfBudget and
    GranuleConflict."""
    abstract = tuple(abstract) or (Abstract(),) * len(edges)
    followed = _followed(formulas, edges, abstract)
    here = Instance({}, "@0", lambda v: is_static(v) or formulas.encoded.is_component(edges[0].source, v))
    parts: list[V] = []
    instances: list[Instance] = []
    for number, edge in enumerate(edges):
        instances.append(here)
        values = {v: _value(formulas, edge, v) for v in followed[number + 1]}
        part = here.of_all((formulas.guard(edge), *abstract[number].facts))
        following: dict[Term, V] = {}
        taken: set[V] = set()
        for component, value in values.items():
            fresh = tagged(component, f"@{number + 1}")
            if value is None:
                following[component] = fresh
                continue
            what, *axioms = here.of_all((value.formula, *value.axioms))
            part += axioms
            renames = isinstance(what, Term) and what.op is Op.VARIABLE and what not in taken
            if renames or not comparable(component):
                following[component] = what
                taken.add(what)
            else:
                following[component] = fresh
                part.append(equal(component, fresh, what))
        parts.append(build.conjunction(part))
        here = Instance(following, f"@{number + 1}")
    said = tuple(now.of(there.formula) for there, now in zip(abstract, instances, strict=True))
    tracked = tuple(tuple(now.of_all(there.tracked)) for there, now in zip(abstract, instances, strict=True))
    return TraceFormula(tuple(edges), tuple(parts), tuple(instances), said, tracked)


def _followed(formulas: EdgeFormulas, edges: Sequence[Edge], abstract: Sequence[Abstract]) -> list[list[Term]]:
    """For the start of each edge, and the end, the components that what comes later depends on."""
    followed: list[list[Term]] = [[]]
    for edge, state in zip(reversed(edges), reversed(abstract), strict=True):
        values = [_value(formulas, edge, v) for v in followed[-1]]
        said = [part for value in values if value is not None for part in (value.formula, *value.axioms)]
        asked = [state.formula, *state.tracked, *state.facts, formulas.guard(edge), *said]
        followed.append(cells.followed(formulas.components_in(edge.source, asked), asked))
    return followed[::-1]


def _value(formulas: EdgeFormulas, edge: Edge, component: Term) -> Finished | None:
    """What a component at the edge's target, or an element of one, is at its source."""
    if component.op is not Op.SELECT:
        return formulas.value(edge, component)
    array, index = component.args
    assert isinstance(array, Term) and isinstance(index, int)
    whole = formulas.value(edge, array)
    if whole is None or not isinstance(whole.formula, Term):
        return None
    return Finished(cells.element(whole.formula, index), whole.axioms)


def comparable(component: Term) -> bool:
    """Interpolants may speak of its equality."""
    return isinstance(component.sort, BitVec) or component.sort is BOOL


def equal(component: Term, left: V, right: V) -> V:
    """Two values of a component that is comparable are the same."""
    if isinstance(component.sort, BitVec):
        return build.eq(left, right, component.sort.width)
    return build.iff(left, right)
