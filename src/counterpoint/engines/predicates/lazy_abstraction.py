"""What the loop of slide 29 (search.py) works on, and what its tactics do to it.

The abstract reachability graph grows by abstract posts over the predicates that are tracked at each place. An abstract
error trace is *refined* if something new is known that may exclude it: predicates at places that it visits, from where
the graph then grows again, or facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.calls import Calls, Run, Spurious
from counterpoint.engines.predicates.graph.abstraction import Abstraction
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.graph.events import DrawnNode, nodes_of
from counterpoint.engines.predicates.graph.reachability import Graph, Node
from counterpoint.engines.predicates.refinement.explanations import Unexplained
from counterpoint.engines.predicates.refinement.related_constants import growing, related
from counterpoint.engines.predicates.reports import stuck_over_calls
from counterpoint.engines.predicates.strategy import Strategy
from counterpoint.engines.predicates.traces.activations import Abstract
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.runs import inputs_of
from counterpoint.evidence.verdict import Verdict
from counterpoint.invariants.learning import Learning
from counterpoint.logic.state_sets import States
from counterpoint.regions.cut_graph import Place
from counterpoint.solver.answers import Model
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Refined:
    """Something new may exclude the trace: the graph is to grow again."""


Outcome: TypeAlias = Verdict | Refined | None
"""What was made of a trace: the verdict, a refinement, or nothing."""


@dataclass(slots=True)
class ErrorTrace:
    """An abstract error trace: the nodes that it visits, and the edge to the error from the last one. `pivot` is the
    number of the first node that lacks a predicate, `unexplained` why some explanation of the trace failed."""

    nodes: list[Node]
    last: Edge
    formula: TraceFormula | None = None
    pivot: int | None = None
    unexplained: str = ""

    @property
    def edges(self) -> list[Edge]:
        return [*(node.edge for node in self.nodes if node.edge is not None), self.last]


@dataclass(slots=True)
class LazyAbstraction(Strategy):
    """`predicates` are tracked at each place, in the order in which they were found."""

    abstraction: Abstraction = field(init=False)
    graph: Graph = field(init=False)
    learning: Learning = field(init=False)
    calls: Calls = field(init=False)
    predicates: dict[Place, list[V]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Strategy.__post_init__(self)
        self.abstraction = Abstraction(States(), self.circuits, self.tools.budget, self.options.boolean)
        self.learning = Learning(self.program, self.tools.budget, self.tools.observe, self.tools.seed, {})
        self.graph = Graph(self.abstraction.states, self.ranked)
        self.calls = Calls(
            self.formulas, self.graph, self.refinement, self.predicates, self.abstract, self.tools.budget
        )

    def returned(self, place: Place) -> V:
        return self.abstraction.states.formula(self.graph.reached(place))

    def precision(self) -> Mapping[Place, Sequence[V]]:
        return self.predicates

    # ------------------------------------------------------------ traces

    def formula(self, trace: ErrorTrace) -> TraceFormula:
        """Of the trace, with the abstract states of its nodes as they were made."""
        if trace.formula is None:
            trace.formula = trace_formula(self.formulas, trace.edges, [self.abstract(node) for node in trace.nodes])
        return trace.formula

    def formula_now(self, trace: ErrorTrace) -> TraceFormula:
        """The same with all predicates that are tracked at the places by now."""
        there = [self.abstract(node, self.predicates.get(node.place, ())) for node in trace.nodes]
        return trace_formula(self.formulas, trace.edges, there)

    def abstract(self, node: Node, tracked: Sequence[V] | None = None) -> Abstract:
        """A node's abstract state, with the predicates that it was made of unless others are given."""
        if tracked is None:
            tracked = self.predicates.get(node.place, [])[: node.tracked]
        facts = tuple(self.learning.facts.get(node.place, ()))
        return Abstract(self.abstraction.states.formula(node.ahead), tuple(tracked), facts)

    def feasible(self, trace: ErrorTrace, model: Model) -> Outcome:
        """A trace that has a run as far as its formula says: the violation, or what calls by contract leave of it."""
        if not any(map(self.formulas.calls_before, trace.edges)):
            return self.violation(self.formula(trace), model)
        match self.calls.look_into(trace.nodes, trace.last):
            case Run(formula, found):
                return self.replayed(inputs_of(self.formulas, formula, found))
            case Unexplained(reason):
                return stuck_over_calls(self.events.texts, trace.nodes, [reason], known=False)
            case Spurious(predicates) if predicates:
                for place, new in predicates.items():
                    self.predicates.setdefault(place, []).extend(new)
                self.graph.restart()
                return Refined()
            case Spurious(reasons=reasons):
                return stuck_over_calls(self.events.texts, trace.nodes, reasons, known=True)

    # ------------------------------------------------------------ refinement

    def track(self, trace: ErrorTrace, found: Sequence[Sequence[V]]) -> bool:
        """The predicates are tracked from now on; notes the first node of the trace that was made without one of its
        own. False if all were made with theirs, or if nothing is new."""
        news = False
        for number, (node, wanted) in enumerate(zip(trace.nodes, found, strict=True)):
            known = self.predicates.setdefault(node.place, [])
            before = known[: node.tracked]
            fresh = [predicate for predicate in wanted if predicate not in known]
            known += fresh
            if fresh:
                known += related(known, self._guards(node.place), partial(self.formulas.values_into, node.place))
            if any(predicate not in before for predicate in wanted):
                news = news or bool(fresh) or trace.pivot is None
                trace.pivot = number if trace.pivot is None else min(number, trace.pivot)
        return news

    def cut(self, trace: ErrorTrace) -> Refined:
        """The graph grows again from the first node with new predicates."""
        assert trace.pivot is not None
        if self.calls.any:
            self.graph.restart()  # what may be assumed of returns has become less
        else:
            self.graph.cut(trace.nodes[trace.pivot])
        return Refined()

    def growing(self, trace: ErrorTrace) -> bool:
        """Refinement at its places does not seem to end."""
        return any(growing(self.predicates.get(node.place, ())) for node in trace.nodes)

    def _guards(self, place: Place) -> list[V]:
        """What the code at the place asks."""
        return [self.formulas.guard(edge) for edge in self.formulas.edges_from(place)]

    # ------------------------------------------------------------ numbers

    @property
    def spent(self) -> float:
        """Seconds in the abstraction's solvers and in refinement."""
        return self.circuits.counts.seconds + self.refinement.seconds

    def progress(self) -> str:
        tracked = sum(map(len, self.predicates.values()))
        return f"{self.refinements} refinements, {tracked} predicates, {self.graph.made - self.graph.removed} nodes"

    def drawn(self) -> list[DrawnNode]:
        """The graph as it is now, for pictures."""
        return nodes_of(self.graph)

    def statistics(self) -> dict[str, int | float]:
        return {
            **Strategy.statistics(self),
            "nodes": self.graph.made,
            "cut": self.graph.removed,
            "posts": self.abstraction.posts,
            "remembered_posts": self.abstraction.hits,
            "capped_posts": self.abstraction.capped,
            "facts": len(self.learning.known),
            "calls_entered": self.calls.entered,
        }

    def close(self) -> None:
        self.events.grown(self.drawn)
        self.graph.clear()
        self.abstraction.clear()
        self.learning.close()
        Strategy.close(self)
