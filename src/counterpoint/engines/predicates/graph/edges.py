"""Edges of the abstract program: from a place to the next one, to a callee's entry, or to a failing check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.encoded_steps import EncodedSteps, End, Finished
from counterpoint.regions.instance import placed
from counterpoint.regions.locations import ERROR, following
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

NO_CALL: Final = -1

Precision: TypeAlias = Mapping[Place, Sequence[V]]
"""The predicates that are tracked at each place, over the components there. A predicate stands for its negation too."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """All runs from `source` that get to `target` next (ERROR: that fail a check, or meet something without a meaning).

    `call` is the number of the call by contract on which the edge enters the callee (`target` is its entry), else
    NO_CALL: then the edge goes over such calls, which return as the callee's EXIT says.
    """

    source: Place
    target: Place
    call: int = NO_CALL


@dataclass(slots=True)
class EdgeFormulas:
    """What the edges mean. `returned_at` says what may be assumed of the state at a callee's EXIT after a call."""

    encoded: EncodedSteps
    returned_at: Callable[[Place], V]
    _edges: dict[Place, tuple[Edge, ...]] = field(default_factory=dict)
    _ends: dict[Edge, tuple[End, ...]] = field(default_factory=dict)
    _guards: dict[tuple[Edge, tuple[V, ...]], V] = field(default_factory=dict)
    _said: dict[tuple[Edge, V], Finished] = field(default_factory=dict)
    _values: dict[tuple[Edge, Term], Finished | None] = field(default_factory=dict)

    def edges_from(self, place: Place) -> tuple[Edge, ...]:
        """The edges that the step from the place has, the one to ERROR first. Raises OutOfBudget, GranuleConflict."""
        if place not in self._edges:
            found: list[Edge] = []
            next_ = following(self.encoded.where, place)
            inside = place[1] != EXIT
            if (next_.checks or (inside and self.encoded.step(place).step.blocks)) and self._leads(place, ERROR):
                found.append(Edge(place, ERROR))
            if inside:
                calls = self.encoded.step(place).step.calls
                found += [Edge(place, (call.callee, 0), n) for n, call in enumerate(calls) if call.formula != 0]
            found += (Edge(place, target) for target in next_.places if self._leads(place, target))
            self._edges[place] = tuple(found)
        return self._edges[place]

    def _leads(self, place: Place, target: Place) -> bool:
        return any(end.formula != 0 for end in self.encoded.ends(place, target))

    def calls_before(self, edge: Edge) -> int:
        """Calls by contract that may come before the edge's end."""
        return max((end.earlier for end in self.ends(edge)), default=0)

    def callees(self, edge: Edge) -> tuple[str, ...]:
        """Whom these call, in their order."""
        before = self.calls_before(edge)
        return tuple(call.callee for call in self.encoded.step(edge.source).step.calls[:before]) if before else ()

    def assumed(self, edge: Edge) -> tuple[V, ...]:
        """What is assumed of the states in which they return."""
        return tuple(self.returned_at((callee, EXIT)) for callee in self.callees(edge))

    def ends(self, edge: Edge) -> tuple[End, ...]:
        """Where the edge's runs get to its target."""
        if edge not in self._ends:
            if edge.call == NO_CALL:
                ends = tuple(self.encoded.ends(edge.source, edge.target))
            else:
                ends = (self.encoded.entering(edge.source, edge.call),)
            self._ends[edge] = tuple(end for end in ends if end.formula != 0)
        return self._ends[edge]

    def guard(self, edge: Edge, returned: Sequence[V] | None = None) -> V:
        """On exactly these runs the edge is taken; `returned` is what to assume of calls instead of `assumed`."""
        assumed = self.assumed(edge) if returned is None else tuple(returned)
        key = edge, assumed
        if key not in self._guards:
            back = [self.encoded.returned(edge.source, number, formula) for number, formula in enumerate(assumed)]
            ends = [build.conjunction([end.formula, *back[: end.earlier]]) for end in self.ends(edge)]
            finished = self.encoded.finish(edge.source, build.disjunction(ends))
            self._guards[key] = build.conjunction([finished.formula, *finished.axioms])
        return self._guards[key]

    def said(self, edge: Edge, formula: V) -> Finished:
        """What a formula about the state at the target means at the source, on runs that take the edge."""
        key = edge, formula
        if key not in self._said:
            ends = self.ends(edge)
            parts = [placed(formula, end.value) for end in ends]
            whole = parts[-1] if parts else 0
            for end, part in zip(reversed(ends[:-1]), reversed(parts[:-1]), strict=True):
                whole = build.or_(build.and_(end.formula, part), build.and_(build.not_(end.formula), whole))
            self._said[key] = self.encoded.finish(edge.source, whole)
        return self._said[key]

    def value(self, edge: Edge, variable: Term) -> Finished | None:
        """What a component at the target is, over the components at the source and unknowns. None without one."""
        key = edge, variable
        if key not in self._values:
            ends = self.ends(edge)
            values = [end.value(variable) for end in ends]
            merged: V | None = values[-1]
            for end, value in zip(reversed(ends[:-1]), reversed(values[:-1]), strict=True):
                if value is None or merged is None:
                    merged = None
                    break
                merged = build.ite(end.formula, value, merged, variable.sort)
            self._values[key] = None if merged is None else self.encoded.finish(edge.source, merged)
        return self._values[key]

    def values_into(self, place: Place, variable: Term) -> Iterator[V]:
        """What a component at the place is behind the edges that were found so far."""
        for edge in [edge for edges in self._edges.values() for edge in edges if edge.target == place]:
            value = self.value(edge, variable)
            if value is not None:
                yield value.formula

    def components_in(self, place: Place, formulas: Sequence[V]) -> list[Term]:
        """The components at the place that the formulas speak of."""
        return [v for v in variables(*formulas) if self.encoded.is_component(place, v)]
