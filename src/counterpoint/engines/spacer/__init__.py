"""Constrained Horn clauses, solved by z3's Spacer: property-directed reachability for loops and recursion.

Read first: logic/horn/clauses.py (the encoding); `proof.py` is what is made of answers. The clauses are tried in two
views, which take turns: over bit-vectors (bitvectors.py, exact) and over integers that wrap around (integers.py, which
finds linear invariants that bit-vectors hide). What Spacer answers is translated to facts at the cut points, and every
clause is checked with them over bit-vectors; if that fails, Houdini keeps what is inductive of them.

Source: Komuravelli, Gurfinkel, Chaki, "SMT-based model checking for recursive programs" (CAV 2014); the two views
as in docs/engines/spacer.md. Deviation: a counterexample in a view has no inputs and is not reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import field
from functools import partial
from typing import assert_never

from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.events import Progress, SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import proof_by
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.engines.spacer.proof import SpacerProof, SpacerStatistics
from counterpoint.engines.spacer.scalars import scalar_clauses
from counterpoint.evidence.verdict import Reason, Unknown, Verdict
from counterpoint.execute.snapshots import Snapshots
from counterpoint.invariants.candidates import affine
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.contract_facts import extend_with_contracts
from counterpoint.invariants.houdini import Houdini
from counterpoint.logic.horn.attempts import CONFIGURATIONS, SpacerAttempt
from counterpoint.logic.horn.clauses import Horn, horn_clauses
from counterpoint.logic.horn.race import race
from counterpoint.logic.horn.view import Outcome, Refuted, Solved, Undecided
from counterpoint.regions.cut_graph import CutGraph, cut_graph
from counterpoint.regions.pointees import pointees
from counterpoint.semantics.facts import Fact

OPTIONS = (Option("spacer.view", "both", "bv: clauses over bit-vectors; int: over integers that wrap around; both"),)

VIEWS = {"bv": ("bv",), "int": ("int",), "both": ("bv", "int")}
"""What the option `view` may be, and how the names of the configurations begin that are then tried."""

CHECKING = 0.15
"""The part of the budget that is kept for checking what the views have found."""

CONTRACTS = 0.25
"""The part of the budget for contracts from runs, where functions change memory."""

EQUATIONS = 0.2
"""The part of the budget for equations from abstract interpretation."""

MAX_KNOWN = 60
"""Facts of others that are assumed."""


@dataclass(frozen=True, slots=True)
class Spacer:
    """The engine; option `view` is bv, int or both."""

    name: str = "spacer"
    says: tuple[str, ...] = ("TRUE",)
    reference: str = "Komuravelli, Gurfinkel, Chaki: SMT-based model checking for recursive programs, CAV 2014"
    summary: str = "Horn clauses over bit-vectors and over integers, solved by z3's Spacer; TRUE by its invariants"
    _statistics: SpacerStatistics = field(default_factory=SpacerStatistics)

    def statistics(self) -> dict[str, object]:
        """Of the last run."""
        s = self._statistics
        views = {f"view_{name}": answer for name, answer in s.answers.items()}
        sizes = {"relations": s.relations, "arguments": s.arguments, "clauses": s.clauses, "facts": s.facts}
        return {**sizes, **views, "proved_by": s.proved_by}

    def verify(self, task: Task, tools: Tools) -> Verdict:
        choice = task.options.get("spacer.view", "both")
        if choice not in VIEWS:
            raise UnusableInput(f"option view of the engine spacer is one of {', '.join(VIEWS)}, not {choice!r}")
        self._forget()
        tools.observe(Progress(self.name, "regions"))
        graph = cut_graph(task.program, tools.budget)
        houdini = Houdini(graph, tools.budget, tools.observe, tools.seed)
        try:
            known = _known(graph, houdini, tools)
            if any(houdini.facts.values()) and not houdini.open_regions():
                self._statistics.proved_by = "what was known"
                return proof_by(houdini, task.preparation)
            horn = horn_clauses(graph, known)
            self._describe(horn)
            scalars = scalar_clauses(graph, known) if any(pointees(graph, place) for place in horn.relations) else None
            proof = SpacerProof(graph, horn, scalars, task.preparation, tools, self._statistics, houdini)
            return self._prove(proof, VIEWS[choice], tools)
        finally:
            houdini.close()

    def _prove(self, proof: SpacerProof, views: Iterable[str], tools: Tools) -> Verdict:
        if all(clause.head is not None for clause in proof.horn.clauses):
            return proof.safe((), "no failing check")
        return self._race(proof, views, tools)

    def _forget(self) -> None:
        s = self._statistics
        s.relations = s.arguments = s.clauses = s.facts = 0
        s.answers.clear()
        s.proved_by = ""

    def _describe(self, horn: Horn) -> None:
        s = self._statistics
        s.relations, s.clauses = len(horn.relations), len(horn.clauses)
        s.arguments = sum(map(len, horn.relations.values()))

    def _race(self, proof: SpacerProof, views: Iterable[str], tools: Tools) -> Verdict:
        attempts: dict[str, tuple[Callable[[], SpacerAttempt], float]] = {}
        for name, configuration in CONFIGURATIONS.items():
            horn = proof.scalars if configuration.scalars else proof.horn
            if horn is not None and name.startswith(tuple(views)):
                attempts[name] = partial(SpacerAttempt, horn, configuration, tools.seed), configuration.weight
        tools.observe(Progress(self.name, f"{len(proof.horn.clauses)} clauses, {' and '.join(attempts)}"))
        last: dict[str, Outcome] = {}
        with closing(race(attempts, tools.budget.share(1 - CHECKING))) as answers:
            for name, outcome in answers:
                last[name] = outcome
                self._statistics.answers[name] = _word(outcome)
                tools.observe(SolverCall(f"horn {name}", _word(outcome), tools.budget.elapsed()))
                verdict = _judged(proof, name, outcome)
                if verdict is not None:
                    return verdict
        return _undecided(last, tools)


def _judged(proof: SpacerProof, name: str, outcome: Outcome) -> Verdict | None:
    """What the answer of one configuration comes to, with the bit-vectors' meaning of its facts."""
    match outcome:
        case Solved(facts) if CONFIGURATIONS[name].scalars:
            return proof.by_houdini(facts, name)
        case Solved(facts):
            return proof.by(facts, name)
        case Undecided(_, facts):
            return proof.by_houdini(facts, name)
        case Refuted():
            if CONFIGURATIONS[name].exact:
                return Unknown(Reason.NO_PROGRESS, "a counterexample to the clauses exists but has no inputs")
            return None
        case other:
            assert_never(other)


def _known(graph: CutGraph, houdini: Houdini, tools: Tools) -> list[Fact]:
    """What others have proved by now, affine equations, and cheap contracts of functions that change memory, as far as
    it is inductive by itself: a certificate has to carry it."""
    proved = [told.fact for told in tools.facts.heard() if told.proved][:MAX_KNOWN]
    with suppress(OutOfBudget):
        houdini.extend(proved)
    with suppress(OutOfBudget):
        limit = tools.budget.share(EQUATIONS)
        equations = list(affine.SOURCE.candidates(Context(graph, Snapshots(), limit, tools.seed)))
        houdini.extend(equations, limit.remaining())
    with suppress(OutOfBudget):
        extend_with_contracts(houdini, tools.budget.share(CONTRACTS), tools.seed)
    return [fact for facts in houdini.facts.values() for fact in facts]


def _word(outcome: Outcome) -> str:
    match outcome:
        case Solved(facts):
            return f"solved, {len(facts)} facts"
        case Refuted():
            return "refuted"
        case Undecided(reason, facts):
            return f"undecided ({reason}), {len(facts)} facts"
        case other:
            assert_never(other)


def _undecided(last: dict[str, Outcome], tools: Tools) -> Unknown:
    if tools.budget.remaining() <= max(1.0, 2 * CHECKING * tools.budget.seconds):
        return Unknown(Reason.OUT_OF_TIME, "while solving the clauses")
    said = "; ".join(f"{name}: {_word(outcome)}" for name, outcome in last.items())
    return Unknown(Reason.NO_PROGRESS, f"no view of the clauses has a proof: {said}")


ENGINE = Spacer()
