"""The loop of slide 29: check the abstraction, explain its counterexample, refine.

Source: Sagiv, "Counter Example Guided Refinement" (slides), slides 29 to 32; Henzinger, Jhala, Majumdar, Sutre,
"Lazy abstraction" (POPL 2002). What explains a counterexample, in which order: engines/predicates/tactics.
"""

from __future__ import annotations

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.reachability import Node
from counterpoint.engines.predicates.lazy_abstraction import ErrorTrace, LazyAbstraction, Refined
from counterpoint.engines.predicates.proof import certificate
from counterpoint.engines.predicates.reports import stuck
from counterpoint.engines.predicates.tactics import TACTICS
from counterpoint.evidence.verdict import Safe, Verdict
from counterpoint.regions.locations import ERROR


@dataclass(slots=True)
class Search(LazyAbstraction):
    """Predicate abstraction."""

    def run(self) -> Verdict:
        while (trace := self._check()) is not None:
            verdict = self._refine(trace)
            self.events.refined(self.drawn, self.predicates, verdict)
            if verdict is not None:
                return verdict
        facts = self.learning.needed(everything=True)
        return Safe(certificate(self.graph, self.options.preparation, self.granules, facts))

    def _check(self) -> ErrorTrace | None:
        """Follows nodes until an edge leads to the error, or all are followed or covered."""
        trace = None
        while trace is None and (node := self.graph.next()) is not None:
            self.tools.budget.spend()
            trace = self._follow(node)
        self.events.grown(self.drawn, [] if trace is None else trace.nodes)
        return trace

    def _follow(self, node: Node) -> ErrorTrace | None:
        """Adds what the node's edges lead to, by abstract posts."""
        for edge in self.formulas.edges_from(node.place):
            tracked = self.predicates.get(edge.target, ())
            post = self.abstraction.post(edge, node.ahead, tracked, self.learning.facts.get(node.place, ()))
            if post == self.abstraction.states.none:
                continue
            if edge.target == ERROR:
                self.graph.wait(node)
                return ErrorTrace(node.path(), edge)
            child = self.graph.add(node, edge, post, len(tracked))
            if child is not None:
                self.calls.returns(child)
        return None

    def _refine(self, trace: ErrorTrace) -> Verdict | None:
        """The first tactic that helps; the verdict if one has it, or none helps."""
        self.refinements += 1
        self.tools.observe(Progress("predicates", self.progress()))
        for tactic in TACTICS:
            outcome = tactic(self, trace)
            if isinstance(outcome, Refined):
                return None
            if outcome is not None:
                return outcome
        return stuck(self.events.texts, trace.nodes, self.options.single, trace.unexplained)
