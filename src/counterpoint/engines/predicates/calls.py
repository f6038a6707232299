"""Calls by contract in the loop of slide 29: what has to be followed again when more returns are found, and abstract
error traces that go over calls.

A trace over calls whose formula has a model, with no more assumed of the calls than what is known at the EXITs, is
looked into: for each call that the model makes, a node at the callee's EXIT that allows what the call returned gives
the trace that is entered there. That goes on until the formula has no model, or nothing is left to be entered: a run.
A node at an EXIT is made from older ones, so nesting ends. But a node says the same of many runs, and the one that is
looked for may nest deeper than the first that gave it: where older ones exclude the trace for reasons that are known,
all are allowed once, then others are chosen. All might nest for ever; so first it is asked for runs that nest no
deeper (stratified inlining: Lal, Qadeer, Lahiri, CAV 2012).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Final, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL, Edge, EdgeFormulas
from counterpoint.engines.predicates.graph.reachability import Graph, Node, entry_of, is_exit, ways_out
from counterpoint.engines.predicates.refinement.explanations import Refinement, Unexplained
from counterpoint.engines.predicates.refinement.interprocedural import cuts_of
from counterpoint.engines.predicates.traces.activations import Abstract, Activation
from counterpoint.engines.predicates.traces.building import formula_of
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.path_choice import one_path_with_calls
from counterpoint.engines.predicates.traces.runs import StepValues
from counterpoint.logic.state_sets import Bdd
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.instance import by_component, placed
from counterpoint.regions.locations import following
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.solver.answers import Model, Sat, SolverUnknown
from counterpoint.solver.layers import decide
from counterpoint.term.term import V

MOST_ENTERED: Final = 40
"""Activations in one trace."""

DEEP_FROM: Final = 4
"""The trace from which on each one whose number is a power of two is first looked into without regard to age: a
recursion of some depth is then understood at once, not by one level with each trace."""

MOST_CHOICES: Final = 8
"""How often other nodes at EXITs are tried where a trace is excluded for reasons that are known."""


@dataclass(frozen=True, slots=True)
class Run:
    """The trace with all its calls has a run: a model of its formula."""

    formula: TraceFormula
    model: Model


@dataclass(frozen=True, slots=True)
class Spurious:
    """The trace has no run: predicates that may say why, where they are new; `reasons` if there are none."""

    predicates: dict[Place, list[V]]
    reasons: tuple[str, ...]


LookedInto: TypeAlias = Run | Spurious | Unexplained


@dataclass(slots=True)
class Calls:
    """The part of predicate abstraction that is about calls by contract. `predicates` are tracked at each place,
    `abstract` tells a node's abstract state; `entered` counts activations in traces. With `older`, calls return as
    nodes say that are older than what the trace comes to next."""

    formulas: EdgeFormulas
    graph: Graph
    refinement: Refinement
    predicates: Mapping[Place, Sequence[V]]
    abstract: Callable[[Node], Abstract]
    budget: Budget
    entered: int = 0
    traces: int = 0
    older: bool = True
    _unions: dict[tuple[str, float], V] = field(default_factory=dict)
    _nodes: dict[Activation, list[Node]] = field(default_factory=dict)
    _ways: dict[Node, dict[Node, list[tuple[Node, Node]]]] = field(default_factory=dict)
    _chosen_now: set[Node] = field(default_factory=set)
    _avoided: set[Node] = field(default_factory=set)

    @property
    def any(self) -> bool:
        """There are such functions at all."""
        return bool(self.formulas.encoded.where.contracts)

    # ------------------------------------------------------------ growing

    def returns(self, node: Node) -> None:
        """A new node. At an EXIT, all who call the function are to be followed again: more returns."""
        if not is_exit(node) or node.covered_by is not None:
            return
        callee = node.place[0]
        for place, there in self.graph.at.items():
            if callee in following(self.formulas.encoded.where, place).calls:
                for caller in there:
                    if caller.covered_by is None:
                        self.graph.wait(caller, last=True)

    # ------------------------------------------------------------ traces

    def look_into(self, nodes: Sequence[Node], last: Edge) -> LookedInto:
        """Enters calls until it is known whether the trace has a run. Raises OutOfBudget and GranuleConflict."""
        for known in (self._avoided, self._nodes, self._ways):
            known.clear()
        way = [(node, node) for node in nodes]
        self.traces += 1
        if self.traces >= DEEP_FROM and self.traces.bit_count() == 1:
            self.older = False
            found = self._chosen(self._activation("", way, last))
            if isinstance(found, Run) or (isinstance(found, Spurious) and found.predicates):
                return found
        for number in range(MOST_CHOICES):
            self.older = number != 1
            found = self._chosen(self._activation("", way, last))
            if not (isinstance(found, Spurious) and not found.predicates and self._chosen_now):
                break
            if number:
                self._avoided |= self._chosen_now
        return found

    def _chosen(self, trace: Activation) -> LookedInto:
        """The trace with one choice of nodes at EXITs."""
        self._unions.clear()
        self._chosen_now.clear()
        fresh: list[Activation] = []
        while True:
            self.budget.spend()
            if not self.older and trace.entered:
                formula = formula_of(self.formulas, trace, _never)
                answer = decide(formula.pieces(), self.refinement.limit())
                if isinstance(answer, Sat):
                    return Run(formula, answer.model)
            formula = formula_of(self.formulas, trace, self._returned)
            answer = decide(formula.pieces(), self.refinement.limit())
            if isinstance(answer, SolverUnknown):
                return Unexplained(answer.reason)
            if not isinstance(answer, Sat):
                return self._explained(one_path_with_calls(formula, fresh) if self.refinement.single else formula)
            opened = [self._enter(part, answer.model) for part in (formula, *formula.inside())]
            fresh = [activation for found in opened for activation in found or ()]
            if None in opened:
                return Unexplained("no single node at an EXIT allows what a call returns")
            if not fresh:
                return Run(formula, answer.model)
            if len(formula.inside()) > MOST_ENTERED:
                return Unexplained(f"more than {MOST_ENTERED} calls in each other")

    def _activation(self, name: str, way: Sequence[tuple[Node, Node]], last: Edge | None = None) -> Activation:
        """Along the nodes, and on to the error over the last edge."""
        edges = [Edge(before.place, made.place, made.edge.call if made.edge is not None else NO_CALL)
                 for (_, before), (made, _) in pairwise(way)]
        limits = [float(made.number) for made, _ in way[1:]]
        abstract = [self.abstract(node) for _, node in way]
        if last is not None:
            edges, limits, abstract = [*edges, last], [*limits, math.inf], [*abstract, Abstract()]
        found = Activation(name, tuple(edges), tuple(limits), tuple(abstract))
        self._nodes[found] = [node for _, node in way]
        return found

    def _explained(self, formula: TraceFormula) -> Spurious:
        """Cuts the trace in one way after the other until there is a predicate that is new at its place."""
        reasons: dict[str, None] = {}
        for cuts in cuts_of(formula, self.refinement, self.budget):
            reasons |= dict.fromkeys(cuts.reasons)
            new = {place: self._new(place, found) for place, found in cuts.found.items()}
            if any(new.values()):
                return Spurious(new, ())
        return Spurious({}, tuple(reasons))

    def _new(self, place: Place, found: Sequence[V]) -> list[V]:
        known = self.predicates.get(place, ())
        return [predicate for predicate in found if predicate not in known]

    def _returned(self, callee: str, limit: float) -> V:
        key = callee, limit
        if key not in self._unions:
            sets = self.graph.sets
            found: Bdd = sets.none
            for node in self._exits(callee, limit):
                found |= node.states
            self._unions[key] = sets.formula(found)
        return self._unions[key]

    def _exits(self, callee: str, limit: float) -> list[Node]:
        there = self.graph.at.get((callee, EXIT), ())
        return [n for n in there if (n.number < limit or not self.older) and n not in self._avoided]

    # ------------------------------------------------------------ entering calls

    def _enter(self, part: TraceFormula, model: Model) -> list[Activation] | None:
        """Enters the calls of the activation that the model makes. None if one returns in no way that is known."""
        trace = part.trace
        opened: list[Activation] = []
        for number in range(len(trace.edges)):
            view = _View(self.formulas, part, number, model)
            for call in view.made():
                if (number, call) in trace.entered:
                    continue
                way = self._way(view, call, self._nodes[trace][number], trace.limits[number])
                if way is None:
                    return None
                self.entered += 1
                self._chosen_now.add(way[-1][1])
                trace.entered[number, call] = self._activation(f"{self.entered}.", way)
                opened.append(trace.entered[number, call])
        return opened

    def _way(self, view: _View, call: int, caller: Node, limit: float) -> list[tuple[Node, Node]] | None:
        """To the oldest node that allows what the call returned; best of all from the node at which the call enters,
        then from one that allows such values."""
        contains, callee = self.graph.sets.contains, view.callee(call)
        before, behind = (self._abstracted(view, call, (callee, block)) for block in (0, EXIT))
        exits = [node for node in self._exits(callee, limit) if contains(node.states, behind)]
        entry = Edge(caller.place, (callee, 0), call)
        for child in caller.children:
            if child.edge == entry and contains(child.states, before):
                ways = self._ways_from(child)
                for node in exits:
                    if node in ways:
                        return ways[node]
        for node in exits:
            if contains(entry_of(node).states, before):
                return _straight(node)
        return _straight(exits[0]) if exits else None

    def _abstracted(self, view: _View, call: int, place: Place) -> Bdd:
        """The state at the callee's entry or EXIT in the model, as far as predicates tell."""
        tracked = self.predicates.get(place, ())
        return self.graph.sets.cube({p: view.holds(call, p, behind=place[1] == EXIT) for p in tracked})

    def _ways_from(self, entry: Node) -> dict[Node, list[tuple[Node, Node]]]:
        if entry not in self._ways:
            self._ways[entry] = ways_out(entry)
        return self._ways[entry]


def _never(callee: str, limit: float) -> V:
    """Nothing returns but what was entered: no deeper run than there has to be."""
    return 0


def _straight(node: Node) -> list[tuple[Node, Node]]:
    """From the entry of its activation."""
    return [(before, before) for before in node.path() if before.depth >= entry_of(node).depth]


@dataclass(frozen=True, slots=True)
class _View:
    """What a model says of the calls of one edge of an activation."""

    formulas: EdgeFormulas
    part: TraceFormula
    number: int
    model: Model

    @property
    def edge(self) -> Edge:
        return self.part.edges[self.number]

    def value(self, term: V) -> int:
        """Of a term of the step."""
        return StepValues(self.formulas, self.edge.source, self.part.instances[self.number], self.model).value(term)

    def callee(self, call: int) -> str:
        return self.formulas.encoded.step(self.edge.source).step.calls[call].callee

    def made(self) -> list[int]:
        """The calls that come before the edge's end."""
        edge = self.edge
        if edge.call != NO_CALL:
            before = edge.call
        else:
            before = min((end.earlier for end in self.formulas.ends(edge) if self.value(end.formula)), default=0)
        calls = self.formulas.encoded.step(edge.source).step.calls
        return [number for number, call in enumerate(calls[:before]) if self.value(call.formula)]

    def holds(self, call: int, formula: V, *, behind: bool) -> bool:
        """A formula about the callee's components, at its EXIT or at its entry."""
        values = self.formulas.encoded.step(self.edge.source).step.calls[call].values
        bits = self.formulas.encoded.where.program.layout.pointer_bits
        return bool(self.value(placed(formula, by_component(values.after if behind else values.before, bits).get)))
