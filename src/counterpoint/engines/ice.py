"""Invariants learned from examples and counterexamples: clauses over conditions of the program's paths.

    examples := states that runs reached at the program's places; no clauses
    loop:
        a run of a region fails a check, or violates a clause behind it, from a state that the clauses allow?
            what its path asks of that state is too much for every example:
                a clause says that few of these conditions never hold together
            an example fulfils it all: where the path leads from it is an example, too, and refutes the clause
        no: safe, the clauses are the proof

Read first: invariants/clauses/learner.py. State machines and schedulers have such invariants: `t1_st == 0 && t1_pc == 1
-> token == local + 1`. The conditions need no templates: they are what weakest preconditions along one path consist of.

Source: Garg, Loeding, Madhusudan, Neider, "ICE: a robust framework for learning invariants" (CAV 2014): examples,
counterexamples and implications. Clauses against one counterexample at a time are those of Bradley, "SAT-based model
checking without unrolling" (VMCAI 2011). Deviations: no frames, since examples tell which clause is worth trying; an
implication whose premise an example fulfils gives an example, all others make a clause at the premise; no decision
trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from random import Random

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof, proof_by
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.invariants.clauses import examples_of, known_values, values_together
from counterpoint.invariants.clauses.learner import GaveUp, Learner
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.semantics.facts import Fact

VALUES_SHARE = 0.3
"""Of the time left, for the combinations of values that are reached, and for showing that nothing leads out of them."""

PATIENCE = 5.0
"""How many times as long as usual a question about these may take: it is about one large fact."""

KNOWN_SHARE = 0.2
"""Of the time left, for what is known without learning."""


@dataclass(slots=True)
class IceEngine:
    """The engine."""

    name: str = "ice"
    says: tuple[str, ...] = ("TRUE",)
    reference: str = "Garg, Loeding, Madhusudan, Neider: ICE: a robust framework for learning invariants, CAV 2014"
    summary: str = "clauses learned from counterexamples to induction and from states that runs reached"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        tools.observe(Progress(self.name, "summarising regions"))
        graph = cut_graph(task.program, tools.budget)
        first = Houdini(graph, tools.budget, tools.observe, tools.seed)
        try:
            if not first.open_regions():
                return proof_by(first, task.preparation)
        finally:
            first.close()
        # What solvers were asked decides which counterexamples they find: behind the question above these teach less.
        houdini = Houdini(graph, tools.budget, tools.observe, tools.seed)
        try:
            return self._prove(houdini, task, tools)
        finally:
            houdini.close()
            self.numbers["queries"] = first.statistics.queries + houdini.statistics.queries

    def _prove(self, houdini: Houdini, task: Task, tools: Tools) -> Verdict:
        graph = houdini.graph
        if self._enough_values(houdini, tools):
            return proof_by(houdini, task.preparation)
        examples = examples_of(graph, tools.budget, tools.seed)
        self.numbers["runs"] = sum(len(known.states) for known in examples.values())
        houdini.extend(_known(graph, tools), KNOWN_SHARE * tools.budget.remaining())
        learner = Learner(houdini, examples, Random(tools.seed))
        tools.observe(Progress(self.name, "learning clauses"))
        try:
            outcome = learner.learn()
        finally:
            self.numbers |= asdict(learner.statistics)
        if isinstance(outcome, GaveUp):
            return Unknown(Reason.NO_PROGRESS, outcome.why)
        proof = learner.needed()
        tools.facts.tell(proof, proved=True, source=self.name)
        return invariant_proof(graph, task.preparation, proof)


    def _enough_values(self, houdini: Houdini, tools: Tools) -> bool:
        """Which values the state variables have together, where these are few: often all that there is to know."""
        tools.observe(Progress(self.name, "values of state variables"))
        found = values_together(houdini.graph, tools.budget.share(VALUES_SHARE), tools.seed)
        self.numbers["places_with_values"] = len(found)
        kept = houdini.extend(found, VALUES_SHARE * tools.budget.remaining(), patience=PATIENCE)
        tools.facts.tell(kept, proved=True, source=self.name)
        return bool(kept) and not houdini.open_regions()


def _known(graph: CutGraph, tools: Tools) -> Iterator[Fact]:
    """Without learning, and what others proved."""
    yield from known_values(graph)
    yield from (told.fact for told in tools.facts.heard() if told.proved)


ENGINE = IceEngine()
