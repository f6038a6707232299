"""The loop of slide 29: check the abstraction, explain its counterexample, refine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from counterpoint.core.events import Progress
from counterpoint.engines.predicates.calls import Calls, Run, Wanted
from counterpoint.engines.predicates.graph.abstraction import Abstraction
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.graph.events import Drawn, nodes_of
from counterpoint.engines.predicates.graph.reachability import Graph, Node
from counterpoint.engines.predicates.options import FLAT
from counterpoint.engines.predicates.proof import certificate
from counterpoint.engines.predicates.refinement.families import families, growing
from counterpoint.engines.predicates.refinement.traces import Explained, Feasible, Unexplained
from counterpoint.engines.predicates.refinement.weakest import completed
from counterpoint.engines.predicates.reports import stuck, stuck_over_calls
from counterpoint.engines.predicates.state import State
from counterpoint.engines.predicates.traces.formulas import Abstract, TraceFormula, trace_formula
from counterpoint.engines.predicates.traces.runs import nested_inputs_of
from counterpoint.engines.predicates.traces.slicing import sliced, sliced_behind_loops
from counterpoint.evidence.verdict import Safe, Unsafe, Verdict
from counterpoint.invariants.learning import Learning
from counterpoint.logic.state_sets import States
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import ERROR, LARGE
from counterpoint.term.term import V

SPLITS = 4
"""A refinement counts as so many splits of DASH's regions, when it is time for facts (invariants/learning.py)."""

MOST_PATHS = 12
"""Paths of one error trace that are looked at before the graph grows again."""


@dataclass(slots=True)
class Trace:
    """An abstract error trace: the nodes that it visits, and the edge to the error from the last one. `pivot` is the
    number of the first node that lacks a predicate."""

    nodes: list[Node]
    last: Edge
    pivot: int | None = None

    @property
    def edges(self) -> list[Edge]:
        return [*(node.edge for node in self.nodes if node.edge is not None), self.last]


@dataclass(slots=True)
class Search(State):
    """Predicate abstraction."""

    abstraction: Abstraction = field(init=False)
    graph: Graph = field(init=False)
    learning: Learning = field(init=False)
    calls: Calls = field(init=False)
    predicates: dict[Place, list[V]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        State.__post_init__(self)
        self.abstraction = Abstraction(States(), self.circuits, self.tools.budget, self.options.boolean)
        self.learning = Learning(self.program, self.tools.budget, self.tools.observe, self.tools.seed, {})
        self.graph = Graph(self.abstraction.states, self.ranked)
        self.calls = Calls(
            self.formulas, self.graph, self.refinement, self.predicates, self._abstract_node, self.tools.budget
        )

    # ------------------------------------------------------------ slide 29

    def run(self) -> Verdict:
        """Raises OutOfBudget, and GranuleConflict."""
        while True:
            trace = self._grow()
            self.story.grown(self._drawn, [] if trace is None else trace.nodes)
            if trace is None:
                facts = self.learning.needed(everything=True)
                return Safe(certificate(self.graph, self.options.preparation, self.granules, facts))
            verdict = self._refine(trace)
            self.story.refined(self._drawn, self.predicates, verdict)
            if verdict is not None:
                return verdict

    def _grow(self) -> Trace | None:
        """Follows nodes until an edge leads to the error."""
        while (node := self.graph.next()) is not None:
            self.tools.budget.spend()
            for edge in self.formulas.edges_from(node.place):
                tracked = self.predicates.get(edge.target, ())
                facts = self.learning.facts.get(node.place, ())
                post = self.abstraction.post(edge, node.ahead, tracked, facts)
                if post == self.abstraction.states.none:
                    continue
                if edge.target == ERROR:
                    self.graph.wait(node)
                    return Trace(node.path(), edge)
                child = self.graph.add(node, edge, post, len(tracked))
                if child is not None:
                    self.calls.returns(child)
        return None

    def _refine(self, trace: Trace) -> Verdict | None:
        """Adds predicates and cuts the graph where they are new; or the verdict."""
        self.refinements += 1
        self.tools.observe(Progress("predicates", self.told()))
        met = self.trials.after(self.refinements) if self.options.trials else None
        if met is not None:
            return Unsafe(met)
        if self._learned():
            return None
        found = self._sliced(trace)
        if found is not None:
            return None if found is True else found
        formula = trace_formula(self.formulas, trace.edges, self._abstract(trace))
        reason = ""
        for answer in self.refinement.explanations(formula, self._growing(trace)):
            self.tools.budget.spend()
            match answer:
                case Feasible() if any(map(self.formulas.calls_before, trace.edges)):
                    return self._with_calls(trace)
                case Feasible(model):
                    return self.violation(formula, model)
                case Unexplained(why):
                    reason = reason or why
                case Explained(predicates=predicates):
                    if self._track(trace, predicates):
                        if self.options.block == LARGE:
                            self._other_paths(trace)
                        self._cut(trace)
                        return None
        if self._track(trace, self._preconditions(formula)):
            self._cut(trace)
            return None
        return stuck(self.story.words, trace.nodes, self.options.single, reason)

    def _preconditions(self, formula: TraceFormula) -> list[tuple[V, ...]]:
        """Conditions of weakest preconditions along the trace, for what interpolants cannot speak of."""
        silent: list[V | None] = [1, *([None] * (len(formula.edges) - 1))]
        found = completed(formula, silent, [()] * len(silent), self.circuits, self.returned)
        return [() if said is None else self.refinement.predicates(said) for said in found]

    def _sliced(self, trace: Trace) -> Verdict | Literal[True] | None:
        """What does not matter for the error is left out of the trace (between large blocks now and then). True if the
        rest has no run, and what excludes it is new; if the program, run on inputs of the rest, violates the property,
        that; None if the whole trace is to be looked at."""
        large = self.options.block == LARGE
        if large and self.refinements & (self.refinements - 1):
            return None
        slice_ = sliced(self.formulas, trace.edges, self._abstract(trace))
        if not slice_.whole:
            match self.refinement.explain(slice_.formula):
                case Explained(predicates=predicates) if self._track(trace, predicates):
                    self._cut(trace)
                    return True
                case Feasible(model):
                    return self.tried(slice_, model)
        behind = sliced_behind_loops(self.formulas, trace.edges) if large else None
        if behind is not None:
            match self.refinement.explain(behind.formula):
                case Feasible(model):
                    return self.tried(behind, model)
        return None

    def _other_paths(self, trace: Trace) -> None:
        """The same for other paths of the trace, as long as the new predicates leave some, and speak of what others do:
        cheaper than to meet it again."""
        for _ in range(MOST_PATHS):
            self.tools.budget.spend()
            formula = trace_formula(self.formulas, trace.edges, self._abstract(trace, now=True))
            answer = self.refinement.another(formula, self._growing(trace))
            if not isinstance(answer, Explained) or not self._track(trace, answer.predicates):
                return

    def _learned(self) -> bool:
        """New facts at loop heads, if it is time to look for some: the graph grows again with these."""
        if not self.options.facts or not self.learning.due(SPLITS * self.refinements, self.spent):
            return False
        self.tools.observe(Progress("predicates", "looking for invariants"))
        flat = self.options.preparation == FLAT
        if not self.learning.attempt([told.fact for told in self.tools.facts.heard()] if flat else []):
            return False
        self.graph.restart()
        return True

    def _with_calls(self, trace: Trace) -> Verdict | None:
        """The same for a trace that has a run if its calls return as they might."""
        match self.calls.look_into(trace.nodes, trace.last):
            case Run(formula, model):
                return self.replayed(nested_inputs_of(self.formulas, formula, model))
            case Unexplained(reason):
                return stuck_over_calls(self.story.words, trace.nodes, [reason], known=False)
            case Wanted(predicates, reasons):
                for place, new in predicates.items():
                    self.predicates.setdefault(place, []).extend(new)
                if predicates:
                    self.graph.restart()
                    return None
        return stuck_over_calls(self.story.words, trace.nodes, reasons, known=True)

    def _abstract(self, trace: Trace, now: bool = False) -> list[Abstract]:
        """The abstract states of its nodes; with `now`, with all predicates that are tracked at their places by now."""
        return [self._abstract_node(node, now) for node in trace.nodes]

    def _abstract_node(self, node: Node, now: bool = False) -> Abstract:
        tracked = self.predicates.get(node.place, [])
        facts = tuple(self.learning.facts.get(node.place, ()))
        states = self.abstraction.states.formula(node.ahead)
        return Abstract(states, tuple(tracked if now else tracked[: node.tracked]), facts)

    def _track(self, trace: Trace, found: Sequence[Sequence[V]]) -> bool:
        """The predicates are tracked from now on; notes the first node of the trace that was made without one of its
        own. False if all were made with theirs, or if nothing is new."""
        news = False
        for number, (node, wanted) in enumerate(zip(trace.nodes, found, strict=True)):
            known = self.predicates.setdefault(node.place, [])
            before = known[: node.tracked]
            fresh = [predicate for predicate in wanted if predicate not in known]
            known += fresh
            if fresh:
                given = partial(self.formulas.values_into, node.place)
                known += families(known, self._guards(node.place), given)
            if any(predicate not in before for predicate in wanted):
                news = news or bool(fresh) or trace.pivot is None
                trace.pivot = number if trace.pivot is None else min(number, trace.pivot)
        return news

    def _cut(self, trace: Trace) -> None:
        """The graph grows again from the first node with new predicates."""
        assert trace.pivot is not None
        if self.calls.any:
            self.graph.restart()  # what may be assumed of returns has become less
        else:
            self.graph.cut(trace.nodes[trace.pivot])

    def _growing(self, trace: Trace) -> bool:
        """Refinement at its places does not seem to end."""
        return any(growing(self.predicates.get(node.place, ())) for node in trace.nodes)

    def _guards(self, place: Place) -> list[V]:
        """What the code at the place asks."""
        return [self.formulas.guard(edge) for edge in self.formulas.edges_from(place)]

    def returned(self, place: Place) -> V:
        return self.abstraction.states.formula(self.graph.reached(place))

    def _drawn(self) -> list[Drawn]:
        return nodes_of(self.graph)

    # ------------------------------------------------------------ numbers

    @property
    def spent(self) -> float:
        """Seconds in the abstraction's solvers and in refinement."""
        return self.circuits.counts.seconds + self.refinement.seconds

    def told(self) -> str:
        """Progress in a few words."""
        tracked = sum(map(len, self.predicates.values()))
        return f"{self.refinements} refinements, {tracked} predicates, {self.graph.made - self.graph.removed} nodes"

    def statistics(self) -> dict[str, int | float]:
        """The columns of the slides' table (68), and what else tells how hard it was. `average` is per place with
        predicates."""
        places = [predicates for predicates in self.predicates.values() if predicates]
        total = len({predicate for predicates in places for predicate in predicates})
        return {
            "predicates": total,
            "average": round(sum(map(len, places)) / len(places), 2) if places else 0.0,
            "nodes": self.graph.made,
            "cut": self.graph.removed,
            "posts": self.abstraction.posts,
            "remembered_posts": self.abstraction.hits,
            "capped_posts": self.abstraction.capped,
            "facts": len(self.learning.known),
            "calls_entered": self.calls.entered,
            **State.statistics(self),
        }

    def close(self) -> None:
        self.story.grown(self._drawn)
        self.story.precision(self.predicates)
        self.graph.clear()
        self.abstraction.clear()
        self.learning.close()
        State.close(self)
