"""What a strategy of predicate abstraction is, and what all of them share.

A strategy must supply

    run()          its loop: Safe with the abstraction as a proof, Unsafe with a run, or Unknown with a reason
    precision()    the predicates at each place by now
    progress()     how far it got, in a few words
    returned(p)    what is known of the states at the EXIT p in which a callee returns

and may extend `statistics` and `close`. It works with `formulas` (what edges mean), `circuits` (edges in solvers),
`refinement` (explains traces) and `events` (what happens, for whoever draws it). When a trace has a run as far as its
formula says, `violation`, `replayed` and `run_of_slice` make the verdict: no strategy says Unsafe without a run of the
program. `tested` runs the program without any trace.

One object serves one attempt. Its `run` raises GranuleConflict and Inexact, and the engine begins again with what that
taught (engines/predicates/__init__.py), and OutOfBudget.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.answers import unmodelled
from counterpoint.engines.predicates.deep_tests import DeepTests
from counterpoint.engines.predicates.graph.circuits import Circuits
from counterpoint.engines.predicates.graph.edges import EdgeFormulas
from counterpoint.engines.predicates.graph.events import GraphEvents
from counterpoint.engines.predicates.graph.places import PlaceTexts
from counterpoint.engines.predicates.options import Options
from counterpoint.engines.predicates.refinement.explanations import Refinement
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.engines.predicates.traces.plain_models import plain_model
from counterpoint.engines.predicates.traces.runs import inputs_of, without_meaning
from counterpoint.engines.predicates.traces.sliced_runs import violating_inputs
from counterpoint.engines.predicates.traces.slicing import Slice
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.subject import Subject
from counterpoint.program.graph import reverse_postorder
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.encoded_steps import EVERYTHING, MAX_AXIOMS, MAX_PLACED, EncodedSteps
from counterpoint.regions.locations import locations
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.solver.answers import Model
from counterpoint.term.term import V

REPLAY_STEPS = 2_000_000
"""Instructions of a run that is tried."""


class Inexact(Exception):
    """A trace is feasible only as far as the encodings say, which leave something open."""


@dataclass(slots=True)
class Strategy(ABC):
    """One run of a strategy over one set of encodings; with `exact`, these say all that is known of addresses and
    arbitrary values."""

    program: Program
    options: Options
    tools: Tools
    granules: dict[str, int]
    subject: Subject | None = None
    exact: bool = False
    formulas: EdgeFormulas = field(init=False)
    circuits: Circuits = field(init=False)
    refinement: Refinement = field(init=False)
    deep_tests: DeepTests = field(init=False)
    events: GraphEvents = field(init=False)
    refinements: int = 0
    _rank: dict[Place, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tools = self.tools
        where = locations(self.program, self.options.block)
        limits = (EVERYTHING, EVERYTHING) if self.exact else (MAX_AXIOMS, MAX_PLACED)
        encoded = EncodedSteps(where, self.granules, tools.budget, *limits)
        self.formulas = EdgeFormulas(encoded, self.returned)
        self.circuits = Circuits(self.formulas, self.options.solver, tools.seed, tools.observe)
        self.refinement = Refinement(self.options.split, self.options.single, budget=tools.budget)
        self.events = GraphEvents(PlaceTexts(where), tools.observe, tools.recording)
        self.deep_tests = DeepTests(self.program, self.options.preparation, tools, self.subject)

    # ------------------------------------------------------------ what each supplies

    @abstractmethod
    def run(self) -> Verdict:
        """Raises OutOfBudget, GranuleConflict, Inexact, and SolverError."""

    @abstractmethod
    def precision(self) -> Mapping[Place, Sequence[V]]:
        """The predicates that are tracked, or are in labels, at each place."""

    @abstractmethod
    def progress(self) -> str:
        """How far it got, in a few words."""

    @abstractmethod
    def returned(self, place: Place) -> V:
        """What is known of the states in which a callee returns."""

    # ------------------------------------------------------------ from a trace to a verdict

    def tested(self) -> Unsafe | None:
        """A violation of a run without a trace, if it is time to look for one and some run has one."""
        met = self.deep_tests.after(self.refinements) if self.options.trials else None
        return None if met is None else Unsafe(met)

    def violation(self, formula: TraceFormula, model: Model) -> Verdict:
        """The run of the model, if it violates the property."""
        model = plain_model(formula.parts, model, self.program.layout.pointer_bits)
        met = without_meaning(self.formulas, formula, model)
        return self.replayed(inputs_of(self.formulas, formula, model), met)

    def replayed(self, inputs: tuple[Input, ...], met: str = "") -> Verdict:
        """The run with these inputs, if it violates the property; `met` is what it meets that has no meaning. Raises
        Inexact if it does not."""
        outcome = run(self.program, ReplayInputs(inputs), Limits(steps=REPLAY_STEPS)).outcome
        if isinstance(outcome, Violated):
            return Unsafe(Violation(outcome.check, inputs, self.options.preparation))
        if not self.exact:
            raise Inexact
        return unmodelled([met or f"the run of a feasible trace ends otherwise: {outcome}"])

    def run_of_slice(self, slice_: Slice, model: Model) -> Verdict | None:
        """A run of the program on what the model of a path slice says, if it violates the property."""
        limits = Limits(steps=REPLAY_STEPS)
        found = violating_inputs(self.program, self.formulas, slice_, model, self.tools.seed, limits)
        return None if found is None else self.replayed(found)

    def ranked(self, place: Place) -> int:
        """Places in the order in which runs meet them first, EXIT last."""
        if place[1] == EXIT:
            return 1 << 30
        if place not in self._rank and place != START:
            for number, block in enumerate(reverse_postorder(self.program.functions[place[0]])):
                self._rank[place[0], block] = number
        return self._rank.get(place, 0)

    # ------------------------------------------------------------ numbers

    def statistics(self) -> dict[str, int | float]:
        """How hard it was. `predicates` are different ones, `average` is per place with any (slide 68)."""
        counts = self.circuits.counts
        used = [found for found in self.precision().values() if found]
        return {
            "predicates": len(set().union(*used)),
            "average": round(sum(map(len, used)) / len(used), 2) if used else 0.0,
            "refinements": self.refinements,
            "solver_calls": counts.asked,
            "solver_seconds": round(counts.seconds, 3),
            "unanswered": counts.unknown,
            **self.refinement.counts,
        }

    def close(self) -> None:
        """Tells of the predicates, and frees the solvers."""
        self.events.precision(self.precision())
        self.circuits.close()
        self.refinement.close()
