"""A proof without a bound: the summarised program as regions between places, its pairs, and invariants of its loops.

Source: [div, section 2.4]: the assertion is safe there up to the model checker's bound. Here the invariants that the
rest of the program needs are clauses from examples, what Houdini keeps, and Spacer's; the pairs are facts at EXITs, and
all of it is one certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import field
from functools import partial

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.answers import invariant_proof, proof_by
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.snapshots import Snapshots
from counterpoint.invariants import candidates as guesses
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.clauses import examples_of, known_values
from counterpoint.invariants.clauses.examples import Examples
from counterpoint.invariants.clauses.learner import GaveUp, Learner
from counterpoint.invariants.filtering import surviving
from counterpoint.invariants.houdini import Houdini
from counterpoint.logic.horn.attempts import CONFIGURATIONS, SpacerAttempt
from counterpoint.logic.horn.clauses import horn_clauses
from counterpoint.logic.horn.race import race
from counterpoint.logic.horn.view import Outcome, Solved, Undecided
from counterpoint.regions.cut_graph import START, CutGraph, Place
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact

STAGES = 4

MOST_PER_PLACE = 200

SOURCE_SECONDS = 1.0

CLAUSES_SHARE = 0.4
"""Of the time of one attempt, for what is known without learning, and for clauses from examples."""

HOUDINI_SHARE = 0.35
"""Of the time that is left then; Spacer has the rest."""

STATES = 300
"""Examples of one place that candidates are learned from, and filtered by."""

CHECKING = 0.15
"""Of Spacer's time, kept for what is made of its answers."""


@dataclass(slots=True)
class Proof:
    """Attempts at one graph, which get further each time. `known` facts are those of pairs. `own`: the graph is that of
    the task's program, of whose places others tell and hear facts."""

    graph: CutGraph
    preparation: str
    own: bool
    tools: Tools
    _houdini: Houdini = field(init=False)
    _examples: dict[Place, Examples] = field(default_factory=dict)
    _learner: Learner | None = None
    _stage: int = 0

    def __post_init__(self) -> None:
        self._houdini = Houdini(self.graph, self.tools.budget, self.tools.observe, self.tools.seed)

    def attempt(self, known: Iterable[Fact], seconds: float) -> Safe | None:
        """A proof with these facts and all that is found in so many seconds. Raises OutOfBudget when all time is
        up."""
        budget = Budget(min(seconds, self.tools.budget.remaining()), until=self.tools.budget.until)
        self._houdini.budget = budget
        try:
            self._houdini.extend(known)
            if not self._houdini.open_regions():
                return self._safe()
            return self._by_clauses(budget) or self._by_houdini(budget) or self._by_spacer(budget)
        except OutOfBudget:
            self.tools.budget.spend()
            return None

    def _safe(self) -> Safe:
        self._houdini.budget = self.tools.budget
        return proof_by(self._houdini, self.preparation)

    # ------------------------------------------------------------ clauses

    def _by_clauses(self, whole: Budget) -> Safe | None:
        """Those of `ice`: at EXITs of summarised functions, too. Where its time ends, the next attempt goes on."""
        limit = Budget(CLAUSES_SHARE * whole.remaining(), until=whole.until)
        self._houdini.budget = limit
        try:
            if not self._examples:
                self._houdini.extend(known_values(self.graph))
                if not self._houdini.open_regions():
                    return self._safe()
                self._examples = examples_of(self.graph, limit, self.tools.seed)
            if self._learner is None:
                self._learner = Learner(self._houdini, self._examples)
            self.tools.observe(Progress("summaries", "learning clauses"))
            outcome = self._learner.learn()
            learner, self._learner = self._learner, None
            if isinstance(outcome, GaveUp):
                return None
            self._houdini.budget = self.tools.budget
            return invariant_proof(self.graph, self.preparation, learner.needed())
        except OutOfBudget:
            whole.spend()
            return None
        finally:
            self._houdini.budget = whole

    @property
    def _snapshots(self) -> Snapshots:
        """Some of the examples, of the beginning, the end and between."""
        steps = {place: max(1, -(-len(known.states) // STATES)) for place, known in self._examples.items()}
        return Snapshots({p: known.states[:: steps[p]] for p, known in self._examples.items() if p != START})

    # ------------------------------------------------------------ Houdini

    def _by_houdini(self, budget: Budget) -> Safe | None:
        whole = budget.remaining()
        snapshots = self._snapshots
        heard = [told.fact for told in self.tools.facts.heard() if self.own or told.fact.block == EXIT]
        while self._stage < STAGES and (left := budget.remaining() - (1 - HOUDINI_SHARE) * whole) > 0:
            self.tools.observe(Progress("summaries", f"candidates of stage {self._stage}"))
            usable = _few(surviving(dict.fromkeys((*heard, *self._guessed(budget, snapshots))), snapshots))
            kept = self._houdini.extend(usable, left)
            if self.own:
                self.tools.facts.tell(kept, proved=True, source="summaries")
            self._stage += 1
            if kept and not self._houdini.open_regions():
                return self._safe()
        return None

    def _guessed(self, budget: Budget, snapshots: Snapshots) -> Iterator[Fact]:
        for source in guesses.sources():
            if source.stage == self._stage:
                limit = Budget.of_computing(min(SOURCE_SECONDS, 0.1 * budget.remaining()))
                try:
                    yield from source.candidates(Context(self.graph, snapshots, limit, self.tools.seed))
                except OutOfBudget:
                    budget.spend()

    # ------------------------------------------------------------ Spacer

    def _by_spacer(self, budget: Budget) -> Safe | None:
        """Of its answers Houdini keeps what is inductive over bit-vectors."""
        known = [fact for facts in self._houdini.facts.values() for fact in facts]
        horn = horn_clauses(self.graph, known)
        attempts: dict[str, tuple[Callable[[], SpacerAttempt], float]] = {
            name: (partial(SpacerAttempt, horn, one, self.tools.seed), one.weight)
            for name, one in CONFIGURATIONS.items()
        }
        self.tools.observe(Progress("summaries", f"{len(horn.clauses)} Horn clauses"))
        with closing(race(attempts, budget.share(1 - CHECKING))) as answers:
            for _, outcome in answers:
                facts = _said(outcome)
                if self.own:
                    self.tools.facts.tell(facts, proved=False, source="summaries")
                if facts and self._houdini.extend(facts) and not self._houdini.open_regions():
                    return self._safe()
        return None

    def close(self) -> None:
        self._houdini.close()


def _said(outcome: Outcome) -> tuple[Fact, ...]:
    match outcome:
        case Solved(facts) | Undecided(_, facts):
            return facts
    return ()


def _few(facts: Iterable[Fact]) -> list[Fact]:
    """The likeliest of each place."""
    count: dict[tuple[str, int], int] = {}
    found: list[Fact] = []
    for fact in facts:
        count[fact.place] = count.get(fact.place, 0) + 1
        if count[fact.place] <= MOST_PER_PLACE:
            found.append(fact)
    return found
