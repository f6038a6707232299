"""Path slices: what of an error trace matters for whether the error can be reached.

The trace is walked backwards with the live components (those that what was kept depends on) and the place from which
the last edge was kept. An edge is left out if it leaves the live components as they are and

- starts at that very place: the trace comes back there with the same live components, or
- all runs from its start that end and violate nothing come to that place, with the same live components whatever way
  they take (engines/predicates/traces/effects.py: By and WrBt).

Of an edge that leaves a loop and goes on to another place, what comes behind the loop is kept alone if the loop and
its exit can be left out so.

A slice without a model proves that the trace has no run: its formula is the trace's, weakened. The parts of edges
that are left out become true, and the live components have one name before and behind them, which they are equal to
in every run along the edge. For the same reason its interpolants are the trace's: what is known of live components in
front of an edge that is left out is known behind it. A slice with a model says that the error can be reached if the
parts that were left out end, though not along the trace.

Source: Jhala, Majumdar, "Path slicing" (PLDI 2005), figures 3 and 4; slides 74 to 77. Deviations: edges are merged
paths between places, so dependences are read off their formulas; what other ways may write is static, of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge, EdgeFormulas
from counterpoint.engines.predicates.traces.activations import Abstract, flat
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.effects import effects_between
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.loop_exits import calling_blocks, exits, exits_on_the_way, failing_blocks
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.instance import Instance
from counterpoint.regions.locations import ERROR
from counterpoint.regions.steps import by_variable
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class Slice:
    """`formula` has a part for each edge of the trace, 1 where it was left out: it goes where the trace's goes, to be
    interpolated. `kept` says the same with the kept edges alone (they may start behind a loop where the trace's edge
    starts at its head); `numbers` are their positions in the trace."""

    formula: TraceFormula
    kept: TraceFormula
    numbers: tuple[int, ...]

    @property
    def whole(self) -> bool:
        """Nothing was left out."""
        return self.kept.edges == self.formula.edges


def sliced(formulas: EdgeFormulas, edges: Sequence[Edge], abstract: Sequence[Abstract] = ()) -> Slice:
    """The slice of an error trace: its last edge leads to ERROR. `abstract` is the abstract state at the start of each
    edge; it makes nothing live. Linear in the edges' formulas, and for each pair of places in the function. Raises
    OutOfBudget and GranuleConflict."""
    walk = _Walk(formulas, edges[-1].source)
    for number in reversed(range(len(edges))):
        walk.edge(number, edges[number])
    return _slice(formulas, edges, walk.kept[::-1], tuple(abstract) or (Abstract(),) * len(edges))


def sliced_behind_loops(formulas: EdgeFormulas, edges: Sequence[Edge]) -> Slice | None:
    """For an error trace whose last edge may fail in a loop as well as behind it: the slice of the runs that fail
    behind it, if the loop can be left out. It finds errors; without a model it proves nothing about the trace."""
    last = edges[-1]
    walk = _Walk(formulas, last.source)
    for ending in walk.endings(last):
        live = walk.needs(ending)
        if walk.surely_reached(last.source, ending.source, live):
            walk.keep(len(edges) - 1, ending, live)
            for number in reversed(range(len(edges) - 1)):
                walk.edge(number, edges[number])
            return _slice(formulas, edges, walk.kept[::-1], (Abstract(),) * len(edges))
    return None


def _slice(
    formulas: EdgeFormulas, edges: Sequence[Edge], kept: Sequence[tuple[int, Edge]], abstract: Sequence[Abstract]
) -> Slice:
    """With a part for each edge of the trace again; a state in front of what is left out is that behind it."""
    inner = trace_formula(formulas, [edge for _, edge in kept])
    parts: list[V] = []
    instances: list[Instance] = []
    said: list[V] = []
    tracked: list[tuple[V, ...]] = []
    following = 0
    for number, known in enumerate(abstract):
        here, now = kept[following][0] == number, inner.instances[following]
        weakened = Instance(now.values, f"@any{number}")  # to what is said of components that are live
        formula, *predicates = weakened.of_all((known.formula, *known.tracked))
        parts.append(inner.parts[following] if here else 1)
        instances.append(now if here else weakened)
        said.append(formula)
        tracked.append(tuple(predicates))
        following += here
    whole = TraceFormula(
        flat(edges, abstract), tuple(parts), (*instances, inner.instances[-1]), (*said, 1), (*tracked, ())
    )
    return Slice(whole, inner, tuple(number for number, _ in kept))


@dataclass(slots=True)
class _Walk:
    """Backwards along the trace: `at` is where the edge that was kept last starts, `live` what it and those behind it
    depend on there."""

    formulas: EdgeFormulas
    at: Place
    live: list[Term] = field(default_factory=list)
    kept: list[tuple[int, Edge]] = field(default_factory=list)
    _behind: dict[Edge, tuple[Edge, ...]] = field(default_factory=dict)
    _components: dict[Place, dict[Term, Component]] = field(default_factory=dict)

    def edge(self, number: int, edge: Edge) -> None:
        """Keeps the edge, or what is behind loops, or nothing."""
        if self.kept and self._irrelevant(edge):
            return
        for piece in self._behind_loops(edge):
            live = self.needs(piece)
            if self.surely_reached(edge.source, piece.source, live):
                self.keep(number, piece, live)
                return
        self.keep(number, edge, self.needs(edge))

    def keep(self, number: int, edge: Edge, live: list[Term]) -> None:
        """The edge belongs to the slice; `live` is what it needs."""
        self.kept.append((number, edge))
        self.at, self.live = edge.source, live

    def _irrelevant(self, edge: Edge) -> bool:
        if not all(self._unchanged(edge, variable) for variable in self.live):
            return False
        back = edge.source == self.at
        return back or (edge.call == NO_CALL and self.surely_reached(edge.source, self.at, self.live))

    def _unchanged(self, edge: Edge, variable: Term) -> bool:
        """It is a component before and behind the edge, the same one."""
        value = self.formulas.value(edge, variable)
        is_component = self.formulas.encoded.is_component(edge.source, variable)
        return is_component and value is not None and value.formula == variable

    def surely_reached(self, source: Place, target: Place, live: Sequence[Term]) -> bool:
        """All runs from `source` that end and violate nothing get to `target`, and leave these components alone."""
        where = self.formulas.encoded.where
        if source == START:
            source = (where.program.entry, 0)
        if source[0] != target[0] or EXIT in (source[1], target[1]):
            return False
        way = effects_between(where, source[0], source[1], target[1])
        if way.leaves:
            return False
        here, there = self._at(source), self._at(target)
        return all(v in here and v in there and not way.writes(there[v], where.points) for v in live)

    def _at(self, place: Place) -> dict[Term, Component]:
        if place not in self._components:
            encoded = self.formulas.encoded
            self._components[place] = by_variable(encoded.where, place, encoded.granules)
        return self._components[place]

    def needs(self, edge: Edge) -> list[Term]:
        """What the edge's being taken depends on, and its results as far as they are live."""
        values = [self.formulas.value(edge, variable) for variable in self.live]
        said = [part for value in values if value is not None for part in (value.formula, *value.axioms)]
        return self.formulas.components_in(edge.source, [self.formulas.guard(edge), *said])

    def _behind_loops(self, edge: Edge) -> tuple[Edge, ...]:
        """What is left of the edge behind loops that it leaves, from blocks that all its runs meet, last ones first."""
        if edge not in self._behind:
            name = edge.source[0]
            blocks = self._met_behind_loops(edge)
            pieces = (self._piece((name, block), edge) for block in reversed(blocks))
            self._behind[edge] = tuple(piece for piece in pieces if piece is not None)
        return self._behind[edge]

    def _met_behind_loops(self, edge: Edge) -> tuple[int, ...]:
        encoded = self.formulas.encoded
        name, block = edge.source
        if edge.source == START or edge.target[1] == EXIT:
            return ()
        function = encoded.where.program.functions[name]
        targets: Sequence[int]
        if edge.target == ERROR:
            if encoded.step(edge.source).step.blocks:  # what has no meaning may be anywhere on the way
                return ()
            targets = failing_blocks(encoded.where, function, block)
        elif edge.call != NO_CALL:
            targets = calling_blocks(encoded.where, function, block, edge.target[0])
        else:
            targets = (edge.target[1],)
        return exits_on_the_way(encoded.where, function, block, targets) if targets else ()

    def endings(self, edge: Edge) -> tuple[Edge, ...]:
        """What fails behind loops that checks of their own keep from being left out; the last one first."""
        encoded = self.formulas.encoded
        if edge.source == START or self._behind_loops(edge):
            return ()
        name, block = edge.source
        found = [Edge((name, b), ERROR) for b in exits(encoded.where, encoded.where.program.functions[name], block)]
        return tuple(ending for ending in reversed(found) if self.formulas.guard(ending) != 0)

    def _piece(self, source: Place, edge: Edge) -> Edge | None:
        """The edge as one from a later place; None if it is not clear which of several calls enters the callee."""
        if edge.call == NO_CALL:
            return Edge(source, edge.target)
        step = self.formulas.encoded.step
        before, after = ([c.callee for c in step(p).step.calls] for p in (edge.source, source))
        callee = edge.target[0]
        if before.count(callee) != 1 or after.count(callee) != 1:
            return None
        return Edge(source, edge.target, after.index(callee))
