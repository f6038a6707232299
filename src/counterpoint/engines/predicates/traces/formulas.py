"""The formula of an error trace, in parts: one per edge, with variables of their own for the state at each cut.

A component that an edge leaves as it is keeps its variable; one that changes gets a new one, and the part says what it
is (static single assignment). So does a copy of another component: that they are equal is for a predicate to say.
Arrays and floats are substituted instead: no solver's interpolants speak of their equality; of arrays that later parts
read at constant indices only, these elements are followed. Only components that later parts depend on are.

Source: slides 34 to 39 and 53 to 58 (trace feasibility formulas, predicate maps).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from counterpoint.engines.predicates.graph.edges import Edge, EdgeFormulas
from counterpoint.engines.predicates.traces import cells
from counterpoint.regions.encoded_steps import STATIC, Finished
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute, substitute_all, variables


@dataclass(frozen=True, slots=True)
class TraceFormula:
    """The trace is feasible if `parts` have a model. `states[i]` are the components at the start of part i, as far as
    they are followed, in the parts' terms; `renamed[i]` are its unknowns. `abstract[i]` is what the abstract state
    there says, and `tracked[i]` are the predicates it is made of; the parts imply neither."""

    edges: tuple[Edge, ...]
    parts: tuple[V, ...]
    states: tuple[Mapping[Term, V], ...]
    renamed: tuple[Mapping[Term, V], ...]
    abstract: tuple[V, ...]
    tracked: tuple[tuple[V, ...], ...]

    def over_components(self, cut: int, formula: V) -> V | None:
        """A formula in the parts' terms at the start of part `cut`, over the components there; None if it speaks of
        anything else."""
        known: dict[Term, V] = {}
        for component, value in self.states[cut].items():
            if isinstance(value, Term) and value.op is Op.VARIABLE:
                known.setdefault(value, component)
        if any(variable not in known for variable in variables(formula)):
            return None
        return substitute(formula, known)


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract state: the set as a formula over components, the predicates that were tracked there, and facts: what
    holds at its place on every run."""

    formula: V = 1
    tracked: tuple[V, ...] = ()
    facts: tuple[V, ...] = ()


def trace_formula(formulas: EdgeFormulas, edges: Sequence[Edge], abstract: Sequence[Abstract] = ()) -> TraceFormula:
    """Of the runs along the edges, from the start; `abstract` is the abstract state at the start of each edge. Linear
    in the edges' formulas. Raises OutOfBudget and GranuleConflict."""
    abstract = tuple(abstract) or (Abstract(),) * len(edges)
    followed = _followed(formulas, edges, abstract)
    state: dict[Term, V] = {}
    parts: list[V] = []
    states: list[Mapping[Term, V]] = []
    renamed: list[Mapping[Term, V]] = []
    for number, edge in enumerate(edges):
        states.append(state)
        guard = formulas.guard(edge)
        values = {v: _value(formulas, edge, v) for v in followed[number + 1]}
        told = [part for value in values.values() if value is not None for part in (value.formula, *value.axioms)]
        names = {
            v: build.variable(f"{v.payload}@{number}", v.sort)
            for v in variables(guard, *told)
            if not formulas.encoded.is_component(edge.source, v) and not str(v.payload).startswith(STATIC)
        }
        here = {**state, **names}
        part = substitute_all((guard, *abstract[number].facts), here)
        following: dict[Term, V] = {}
        taken: set[V] = set()
        for component, value in values.items():
            fresh = build.variable(f"{_name(component)}@{number + 1}", component.sort)
            if value is None:
                following[component] = fresh
                continue
            what, *axioms = substitute_all((value.formula, *value.axioms), here)
            part += axioms
            renames = isinstance(what, Term) and what.op is Op.VARIABLE and what not in taken
            if renames or not comparable(component):
                following[component] = what
                taken.add(what)
            else:
                following[component] = fresh
                part.append(equal(component, fresh, what))
        parts.append(build.conjunction(part))
        renamed.append(names)
        state = following
    said = tuple(substitute(there.formula, known) for there, known in zip(abstract, states, strict=True))
    tracked = tuple(tuple(substitute_all(a.tracked, known)) for a, known in zip(abstract, states, strict=True))
    return TraceFormula(tuple(edges), tuple(parts), tuple(states), tuple(renamed), said, tracked)


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


def _name(component: Term) -> str:
    if component.op is Op.SELECT and isinstance(component.args[0], Term):
        return f"{component.args[0].payload}[{component.args[1]}]"
    return str(component.payload)


def comparable(component: Term) -> bool:
    """Interpolants may speak of its equality."""
    return isinstance(component.sort, BitVec) or component.sort is BOOL


def equal(component: Term, left: V, right: V) -> V:
    """Two values of a component that is comparable are the same."""
    if isinstance(component.sort, BitVec):
        return build.eq(left, right, component.sort.width)
    return build.iff(left, right)
