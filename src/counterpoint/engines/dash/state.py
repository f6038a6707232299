"""What DASH knows while it runs: the parts of the search, and its numbers."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.calls import Calls
from counterpoint.engines.dash.explored import Explored, Visit
from counterpoint.engines.dash.frontier import Questions
from counterpoint.engines.dash.options import Options
from counterpoint.engines.dash.questions import Asker, Here
from counterpoint.engines.dash.refinement import Refinement
from counterpoint.engines.dash.region_events import RegionEvents
from counterpoint.engines.dash.region_graph import Region, RegionForest
from counterpoint.engines.dash.summaries import Summaries
from counterpoint.engines.dash.workers.jobs import Setup
from counterpoint.engines.dash.workers.processes import crew
from counterpoint.engines.dash.workers.server import Server
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.verdict import Violation
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import Subject
from counterpoint.invariants.learning import Learning
from counterpoint.logic.path_queries import PathQueries, Queries
from counterpoint.logic.preimages import Preimages
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import BASIC, Locations, locations
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(slots=True)
class State:
    """What one run of the algorithm over one set of encodings knows."""

    program: Program
    preparation: str
    options: Options
    tools: Tools
    granules: dict[str, int]
    subject: Subject | None = None
    where: Locations = field(init=False)
    explored: Explored = field(init=False)
    questions: Questions = field(init=False)
    calls: Calls = field(init=False)
    summaries: Summaries = field(init=False)
    refinement: Refinement = field(init=False)
    asker: Asker = field(init=False)
    learning: Learning = field(init=False)
    told: RegionEvents = field(init=False)
    stuck: set[tuple[Node, int]] = field(default_factory=set)
    violation: Violation | None = None
    blocked: str = ""
    solve_runs: int = 0
    unsat_targets: int = 0
    splits: int = 0
    stopped: int = 0
    examined: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        tools = self.tools
        self.where = locations(self.program, self.options.block)
        tree = ExecutionTree(self.where, self.granules, tools.budget)
        self.explored = Explored(tree, self.options.depth, self.options.single)
        paths = PathQueries(self.explored.tree, Queries(self.options.solver, tools.seed, tools.observe))
        self.calls = Calls(self.where, self.explored)
        preimages = Preimages(EncodedSteps(self.where, self.granules, tools.budget), self._returned)
        self.questions = Questions(self.explored, preimages, paths)
        self.learning = Learning(self.program, tools.budget, tools.observe, tools.seed, self.questions.facts)
        self.summaries = Summaries(self.calls, self.questions)
        self.refinement = Refinement(self.explored, preimages, paths, self.options.refine == "interpolant")
        self.asker = self._asker(Here(self.explored, self.questions, self.refinement, tools.seed))
        self.told = RegionEvents(
            self.where,
            tools.observe,
            tools.recording,
            lambda test, node, predicate: self.explored.holds(Visit(test, node), predicate),
        )

    def _asker(self, here: Here) -> Asker:
        """Who answers questions: this process, or a server of clients."""
        options, tools = self.options, self.tools
        if options.workers == 1 and not options.cluster:
            return here
        setup = Setup(
            self.program,
            options.block,
            options.single,
            options.refine == "interpolant",
            options.solver,
            tools.seed,
            tools.budget.remaining(),
            tuple(constants(self.program)),
            dict(self.granules),
        )
        return Server(
            crew(options.workers, setup, self.where, options.cluster),
            here,
            self.granules,
            tools.budget,
            lambda node, target: (node, target.number) in self.stuck,
            self.goals,
            self.same_paths,
        )

    @property
    def forest(self) -> RegionForest[Visit]:
        return self.explored.forest

    def goals(self) -> list[Region[Visit]]:
        return [self.forest.error, *self.calls.goals()]

    @property
    def same_paths(self) -> bool:
        """What no run along the path to a node fulfils there, none fulfils that gets to its place from the node before:
        there is no other path between the two."""
        return not self.options.single or self.options.block == BASIC

    def _returned(self, place: Place) -> V:
        """What may be assumed at a callee's EXIT after a call."""
        return build.conjunction([self.calls.allowed(place), *self.questions.facts.get(place, ())])

    def close(self) -> None:
        """Ends solvers and processes."""
        self.asker.close()
        self.learning.close()

    def progress(self) -> None:
        queries = self.questions.paths.queries.asked
        text = f"{len(self.explored.tests)} tests, {self.forest.regions} regions, {queries} queries"
        self.tools.observe(Progress("dash", text))

    def statistics(self) -> dict[str, int | float]:
        """The columns of the thesis's table 5.1, and what else tells how hard it was."""
        queries, server = self.questions.paths.queries, self.asker
        together = server.asked - server.longest if isinstance(server, Server) else 0
        return {
            "tests": len(self.explored.tests),
            "solve_runs": self.solve_runs,
            "solver_calls": queries.asked,
            "critical_path": queries.asked - together,
            "unsat_targets": self.unsat_targets,
            "solver_seconds": round(queries.seconds, 3),
            "splits": self.splits,
            "regions": self.forest.regions,
            "facts": len(self.learning.known),
            "steps": self.explored.tree.steps,
            **{f"split_by_{name}": count for name, count in self.refinement.counts.items()},
        }
