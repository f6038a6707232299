"""Shortest traces to ERROR, by layers of equal distance.

Within a procedure, layer d of a place has the pairs of an entry state and a state there that is d edges away from it;
a call takes one edge in, the callee's edges, and one edge (for all calls of a step) on behind it. Entry states of
procedures have layers of their own, by their distance from START.

Source: the rings of Bebop (SPIN 2000, section 3.4), by distance instead of iteration, which makes traces shortest
(as in Knuth, "A generalization of Dijkstra's algorithm", 1977: the derivation of least cost).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.errors import InternalError
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge
from counterpoint.engines.predicates.slam.program import Transition
from counterpoint.engines.predicates.slam.relations import Bdd, Relations, Values
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR
from counterpoint.semantics.cutpoint import EXIT


@dataclass(frozen=True, slots=True)
class Trace:
    """A shortest abstract run from START to ERROR, and the state behind each of its edges (() at ERROR).

    The edges are in the order of the run. An edge with a `call` enters a callee, and the next edges are the callee's,
    in the same manner, up to one that ends at its EXIT. Behind that come the step's next call, by another edge from the
    same source with a larger `call`, or the caller's own edge (NO_CALL) from that source, which goes over all these
    calls. Where ERROR is in a callee, the callers' own edges are missing.
    """

    edges: tuple[Edge, ...]
    states: tuple[Values, ...]


@dataclass(frozen=True, slots=True)
class _Emit:
    """An edge of the trace and the state behind it."""

    edge: Edge
    state: Values


@dataclass(frozen=True, slots=True)
class _Walk:
    """From a procedure's entry state to a state at a place of it, in so many edges."""

    place: Place
    distance: int
    entry: Values
    state: Values


_Part: TypeAlias = _Emit | _Walk
_Model: TypeAlias = Mapping[str, bool]


class Layers:
    """`reachable` are the path edges of an exploration that found ERROR."""

    def __init__(self, relations: Relations, reachable: Mapping[Place, Bdd], budget: Budget) -> None:
        self.relations, self.budget = relations, budget
        self.program = relations.program
        self.transitions = list(self.program.all_transitions())
        self.levels: dict[Place, list[Bdd]] = {place: [] for place in self.program.tracked}
        self.seen: dict[Place, Bdd] = dict.fromkeys(self.program.tracked, relations.false)
        self.passing: dict[tuple[Transition, int], list[Bdd]] = {}
        self.entries: dict[str, list[Bdd]] = {name: [relations.false] for name in self.program.procedures}
        self.entries[self.program.entry] = [relations.true]
        first = {p: bdd for p, bdd in reachable.items() if p == START or p[1] == 0}
        self._advance(first)

    def trace(self) -> Trace:
        """Raises OutOfBudget."""
        distance = 0
        while True:
            distance += 1
            self.budget.spend()
            for transition in self.transitions:
                if transition.edge.target == ERROR:
                    for start, taken, relation in self._arriving(transition, distance):
                        return self._whole(transition, start, taken, relation)
            self._enter(distance)
            self._advance(self._next(distance))

    # ------------------------------------------------------------ forwards

    def _next(self, distance: int) -> dict[Place, Bdd]:
        """What is that far from the entry states."""
        found: dict[Place, Bdd] = {}
        for transition in self.transitions:
            edge = transition.edge
            if edge.call == NO_CALL and edge.target != ERROR:
                before = self.passing[transition, len(transition.made)][distance - 1]
                after = self.relations.image(before, transition)
                found[edge.target] = found.get(edge.target, self.relations.false) | after
        return found

    def _advance(self, new: Mapping[Place, Bdd]) -> None:
        """One more layer everywhere."""
        for place, levels in self.levels.items():
            fresh = new.get(place, self.relations.false) & ~self.seen[place]
            self.seen[place] |= fresh
            levels.append(fresh)
        for transition in self.transitions:
            self._pass(transition)

    def _pass(self, transition: Transition) -> None:
        """`passing[t, k]`: the inputs behind the first k calls, by distance."""
        place = transition.edge.source
        self.passing.setdefault((transition, 0), []).append(self.levels[place][-1])
        for call in range(len(transition.made)):
            before = self.passing[transition, call]
            found = before[-1] & self.relations.left_out(transition, call)
            for made, summary in self._ways(place, call, len(before) - 1):
                if before[made] != self.relations.false:
                    found |= self.relations.called(before[made], place, call, summary)
            self.passing.setdefault((transition, call + 1), []).append(found)

    def _ways(self, place: Place, call: int, distance: int) -> Iterator[tuple[int, Bdd]]:
        """Distances at which the call may be made to be back at `distance`, with the callee's summaries for them."""
        callee = self.program.calls[place][call]
        for made in range(distance):
            level = self.levels[callee, EXIT][distance - made - 1]
            if level != self.relations.false:
                yield made, self.relations.summary(place, call, level)

    def _enter(self, distance: int) -> None:
        """Entry states that are that far from START."""
        new: dict[str, Bdd] = {}
        for transition in self.transitions:
            if transition.edge.call != NO_CALL:
                callee = transition.edge.target[0]
                for _, _, relation in self._arriving(transition, distance):
                    entered = self.relations.image(relation, transition)
                    new[callee] = new.get(callee, self.relations.false) | entered
        for name, layers in self.entries.items():
            found = new.get(name, self.relations.false)
            for earlier in layers:
                found &= ~earlier
            layers.append(found)

    def _arriving(self, transition: Transition, distance: int) -> Iterator[tuple[int, int, Bdd]]:
        """Inputs from which the transition ends that far from START: how far the procedure's entry state is, how far
        from that the inputs are, and the inputs with the entry states."""
        function = self.program.procedure(transition.edge.source)
        for start in range(distance):
            taken = distance - 1 - start
            relation = self.passing[transition, len(transition.made)][taken] & self.entries[function][start]
            relation &= self._moves(transition)
            if relation != self.relations.false:
                yield start, taken, relation

    def _moves(self, transition: Transition) -> Bdd:
        """Inputs from which the transition leads on."""
        return self.relations.without("n", self.relations.relation(transition))

    # ------------------------------------------------------------ backwards

    def _whole(self, transition: Transition, start: int, taken: int, relation: Bdd) -> Trace:
        """From the failure back to START, by way of the callers' entry states."""
        found = [_Emit(transition.edge, ())]
        model = self._model(relation, transition)
        while True:
            place = transition.edge.source
            found += self._expanded(self._before(transition, len(transition.made), taken, model))
            function = self.program.procedure(place)
            if function == self.program.entry:
                found.reverse()
                return Trace(tuple(emit.edge for emit in found), tuple(emit.state for emit in found))
            entry = self._values((function, 0), "e", model)
            transition, start, taken, model = self._caller(function, start, entry)
            found.append(_Emit(transition.edge, entry))

    def _caller(self, function: str, distance: int, entry: Values) -> tuple[Transition, int, int, _Model]:
        """A way into the function's entry state that long."""
        wanted = self.relations.state((function, 0), entry, "n")
        for transition in self.transitions:
            if transition.edge.call != NO_CALL and transition.edge.target[0] == function:
                for start, taken, relation in self._arriving(transition, distance):
                    arrived = relation & self.relations.relation(transition) & wanted
                    if arrived != self.relations.false:
                        return transition, start, taken, self._model(arrived, transition)
        raise InternalError("an entry state without a caller")

    def _expanded(self, parts: list[_Part]) -> list[_Emit]:
        """Parts and result are backwards: the last edge first."""
        found: list[_Emit] = []
        stack = parts[::-1]
        while stack:
            part = stack.pop()
            match part:
                case _Emit():
                    found.append(part)
                case _Walk(distance=distance) if distance > 0:
                    stack += self._last_step(part)[::-1]
        return found

    def _last_step(self, walk: _Walk) -> list[_Part]:
        """The walk's last edge, and what comes before it."""
        relations = self.relations
        function = self.program.procedure(walk.place)
        wanted = relations.state(walk.place, walk.state, "n") & self._entry(function, walk.entry)
        for transition in self.transitions:
            if transition.edge.call == NO_CALL and transition.edge.target == walk.place:
                before = self.passing[transition, len(transition.made)][walk.distance - 1]
                arrived = before & relations.relation(transition) & wanted
                if arrived != relations.false:
                    model = self._model(arrived, transition)
                    taken = walk.distance - 1
                    last = _Emit(transition.edge, walk.state)
                    return [last, *self._before(transition, len(transition.made), taken, model)]
        raise InternalError("a layer without a way to it")

    def _before(self, transition: Transition, calls: int, distance: int, model: _Model) -> list[_Part]:
        """What leads to the inputs behind the first `calls` calls: these, from the last to the first, and the walk."""
        relations, place = self.relations, transition.edge.source
        names = relations.inputs(place)
        owners = [call for call, _ in self.program.inputs(place)]
        found: list[_Part] = []
        for call in reversed(range(calls)):
            known = {name: model[name] for name, owner in zip(names, owners, strict=True) if owner < call}
            here = relations.bdd.cube(known) & self._entry(self.program.procedure(place), self._entry_of(place, model))
            skipping = self.passing[transition, call][distance] & relations.left_out(transition, call) & here
            if skipping != relations.false:
                continue
            made, entry = self._call(transition, call, distance, here, model)
            callee = self.program.calls[place][call]
            result = self._values((callee, EXIT), f"r{call}_", model)
            found.append(_Walk((callee, EXIT), distance - made - 1, entry, result))
            found.append(_Emit(Edge(place, (callee, 0), call), entry))
            distance = made
        found.append(_Walk(place, distance, self._entry_of(place, model), self._values(place, "c", model)))
        return found

    def _call(
        self, transition: Transition, call: int, distance: int, here: Bdd, model: _Model
    ) -> tuple[int, Values]:
        """At which distance the call was made, and the callee's entry state."""
        relations, place = self.relations, transition.edge.source
        callee = self.program.calls[place][call]
        back = relations.state((callee, EXIT), self._values((callee, EXIT), f"r{call}_", model), f"r{call}_")
        for made, summary in self._ways(place, call, distance):
            relation = self.passing[transition, call][made] & here & relations.entry(place, call) & summary & back
            if relation != relations.false:
                entry = relations.variables((callee, 0), "n")
                values = relations.picked(relation, entry)
                return made, tuple(values[name] for name in entry)
        raise InternalError("a call that does not come back")

    # ------------------------------------------------------------ models

    def _model(self, relation: Bdd, transition: Transition) -> _Model:
        """Values of the inputs (results of later calls are arbitrary) and of the entry state."""
        place = transition.edge.source
        function = self.program.procedure(place)
        names = [*self.relations.inputs(place), *self.relations.variables((function, 0), "e")]
        return self.relations.picked(relation, names)

    def _values(self, place: Place, family: str, model: _Model) -> Values:
        return tuple(model[name] for name in self.relations.variables(place, family))

    def _entry_of(self, place: Place, model: _Model) -> Values:
        return self._values((self.program.procedure(place), 0), "e", model)

    def _entry(self, function: str, values: Values) -> Bdd:
        return self.relations.state((function, 0), values, "e")
