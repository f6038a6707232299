"""DASH: tests and a region graph that refine each other.

    abstraction := one region per place;  run a first test
    loop:
        choose an abstract error trace whose regions behind the frontier no test has visited
        if there is none: safe, the region graph is the proof
        extend the frontier: path condition of a test up to it, and across it into the target region
        satisfiable:   run the new test; if a check fails in it: unsafe
        unsatisfiable: split the frontier by a suitable predicate, and remove the edge

Source: Saarikivi, "Test-Guided Proofs for C Programs on LLVM" (papers/), figures 3.2 to 3.9; Beckman, Nori, Rajamani,
Simmons, "Proofs from Tests" (ISSTA 2008).
Deviations: places are basic blocks or loop heads (`dash.block`); the split goes on backwards along the path as long
as no test is known in the half that leads to the error, because the question is the same there; of a predicate only
the conjuncts in the unsat core are used (Nori, Rajamani, "An empirical study of optimizations in Yogi", ICSE 2010);
predicates are evaluated on the symbolic states of the execution tree, nothing is run again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from counterpoint.analysis.dash.asking import Asker, Found, Here
from counterpoint.analysis.dash.calls import Calls
from counterpoint.analysis.dash.explored import Explored, Visit
from counterpoint.analysis.dash.frontier import Questions
from counterpoint.analysis.dash.jobs import Setup
from counterpoint.analysis.dash.learning import ATTEMPTS, Learning
from counterpoint.analysis.dash.path_queries import PathQueries, Queries
from counterpoint.analysis.dash.preimages import Preimages
from counterpoint.analysis.dash.refinement import Refinement
from counterpoint.analysis.dash.region_events import RegionEvents
from counterpoint.analysis.dash.region_graph import Frontier, Region, RegionForest, first_abstraction
from counterpoint.analysis.dash.server import Server
from counterpoint.analysis.dash.summaries import Needed, Summaries
from counterpoint.analysis.dash.workers import crew
from counterpoint.analysis.deep_runs import confirmed_violation
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.evidence.verdict import Reason, RegionGraph, Safe, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import NotNative
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import CALLED, INLINED, UNPREPARED, Subject
from counterpoint.paths.assignment import Assignment
from counterpoint.paths.cut_graph import START, Place, cut_graph
from counterpoint.paths.locations import BASIC, ERROR, LARGE, Granularity, Locations, locations
from counterpoint.paths.tests import End, Test
from counterpoint.paths.tree import ExecutionTree, Node
from counterpoint.program.model import Program
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact
from counterpoint.semantics.objects import GranuleConflict
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.term import build
from counterpoint.term.term import V

FLAT: Final = "flat"
MODULAR: Final = "modular"

OPTIONS = (
    Option("dash.block", LARGE, "where regions are: at every basic block (basic), or at loop heads only (large)"),
    Option("dash.calls", FLAT, "calls are inlined unless they are recursive (flat), or functions are kept (modular)"),
    Option("dash.refine", "wp", "what splits a region: weakest preconditions (wp), or interpolants (interpolant)"),
    Option("dash.targets", "true", "remove edges that no state of a region can take, whatever its past (section 3.4)"),
    Option("dash.paths", "single", "states of tests are those of one path (single) or of all up to a place (merged)"),
    Option("dash.facts", "true", "assume cheap invariants at loop heads when refinement takes long (large only)"),
    Option("dash.depth", "100", "places after which a test is stopped, from the frontier that it extends"),
    Option("dash.solver", "bitwuzla", "the backend of its queries"),
    Option("dash.workers", "1", "processes that answer queries at the same time, the probable next ones as well"),
    Option("dash.cluster", "", "run them with Ray, on the cluster at this address, or `local`"),
)

REPLAY_STEPS = 2_000_000
"""Steps of a run that is tried in full, behind the depth at which tests are stopped."""

LONG_REPLAYS = 5
"""Tests that were stopped and are tried with that many steps, before the others get fewer."""

SHORT_REPLAY_STEPS = 10_000

MOST_SWEPT = 60
"""Edges of regions not visited that are asked about when facts have been found."""

REPLAY_SECONDS = 8.0
DEEP_SECONDS = 1.0
"""Limits of running a violation behind long loops, and of the search for one."""

DEEPEST = 1_000
"""Places after which a test is stopped in any case."""

MOST_GRANTED = 50
"""Regions at callees' EXITs that are assumed to be reachable without a test."""

PATIENCE = 5
"""Runs for which no suitable predicate was found, before a frontier is given up."""

Refine: TypeAlias = Literal["wp", "interpolant"]


@dataclass(frozen=True, slots=True)
class Options:
    """See OPTIONS."""

    block: Granularity = LARGE
    refine: Refine = "wp"
    targets: bool = True
    facts: bool = True
    depth: int = 100
    solver: str = "bitwuzla"
    single: bool = True
    preparation: str = FLAT
    workers: int = 1
    cluster: str = ""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Raises UnusableInput for what is not one of the values."""
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        block, refine = chosen["dash.block"], chosen["dash.refine"]
        for name, allowed in (
            ("dash.block", get_args(Granularity)),
            ("dash.calls", (FLAT, MODULAR)),
            ("dash.refine", get_args(Refine)),
            ("dash.targets", ("true", "false")),
            ("dash.paths", ("single", "merged")),
            ("dash.facts", ("true", "false")),
        ):
            if chosen[name] not in allowed:
                raise UnusableInput(f"option {name}: `{chosen[name]}` is not one of {', '.join(allowed)}")
        for name in ("dash.depth", "dash.workers"):
            if not chosen[name].isdecimal() or int(chosen[name]) < 1:
                raise UnusableInput(f"option {name}: `{chosen[name]}` is not a number from 1 up")
        return cls(
            BASIC if block == BASIC else LARGE,
            "interpolant" if refine == "interpolant" else "wp",
            chosen["dash.targets"] == "true",
            chosen["dash.facts"] == "true",
            int(chosen["dash.depth"]),
            chosen["dash.solver"],
            chosen["dash.paths"] == "single",
            FLAT if chosen["dash.calls"] == FLAT else CALLED,
            int(chosen["dash.workers"]),
            chosen["dash.cluster"],
        )


@dataclass(slots=True)
class Search:
    """One run of the algorithm over one set of encodings."""

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
    _examined: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        tools = self.tools
        self.where = locations(self.program, self.options.block)
        tree = ExecutionTree(self.where, self.granules, tools.budget)
        self.explored = Explored(tree, self.options.depth, self.options.single)
        paths = PathQueries(self.explored.tree, Queries(self.options.solver, tools.seed, tools.observe))
        self.calls = Calls(self.where, self.explored)
        preimages = Preimages(self.where, self.granules, tools.budget, self._returned)
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
            self._goals,
            self._same_paths,
        )

    @property
    def forest(self) -> RegionForest[Visit]:
        return self.explored.forest

    # ------------------------------------------------------------ figure 3.3

    def run(self) -> Verdict:
        """Raises OutOfBudget, and GranuleConflict."""
        self.explored.forest = first_abstraction(self.where)
        self.calls.begin()
        self.told.changed(self.forest)
        tree = self.explored.tree
        self._test(Assignment(tree.world, self.tools.seed, {}, constants(self.program)))
        while self.violation is None:
            self.tools.budget.spend()
            chosen = self._abstract_trace()
            if chosen is None:
                if self._beyond_model():
                    continue
                proved = self._proved()
                if proved is not None:
                    return Safe(self._certificate(self._without_splits() or proved))
                if self._deepened() or self._grant() or self._learn(at_once=True):
                    continue
                return self._gave_up()
            self._learn()
            if self.violation is not None:
                break
            self._progress()
            frontier, visit = chosen
            self.solve_runs += 1
            answer = self.asker.extend(visit, frontier.source, frontier.target)
            self.told.tried(frontier.source, frontier.target, answer, visit.test, visit.node)
            match answer:
                case Found():
                    self._extend(visit, frontier.source, frontier.target, answer)
                case Unsat(core):
                    self._refine(visit, frontier.source, frontier.target, core)
                case SolverUnknown():
                    self.stuck.add((visit.node, frontier.target.number))
        return Unsafe(self.violation)

    def _abstract_trace(self) -> tuple[Frontier[Visit], Visit] | None:
        """GetAbstractTrace: the frontier nearest to the error, and the shortest run up to it; if there is none, of a
        closed region at a callee's EXIT."""
        for goal in self._goals():
            for frontier in self.forest.frontiers(goal):
                for visit in sorted(frontier.source.visits, key=lambda v: v.node.depth):
                    if (visit.node, frontier.target.number) not in self.stuck:
                        return frontier, visit
        return None

    def _goals(self) -> list[Region[Visit]]:
        return [self.forest.error, *self.calls.goals()]

    # ------------------------------------------------------------ tests

    def _extend(self, visit: Visit, source: Region[Visit], target: Region[Visit], found: Found) -> None:
        """The new test. If it does not get to the target after all, summaries of calls on the way are refined; if they
        cannot be, this path is not tried again."""
        test = self._test(found.assignment, visit.node.depth)
        if self._arrived(test, target):
            return
        values, seed = found.values, found.assignment.seed
        if values is not None and self.questions.passes_calls(visit.node.place, target.place):
            number = None
            likely = self.summaries.likely(visit, target, test)
            if likely is not None:
                number, values = likely
                if number is None:
                    test = self._test(visit.test.assignment.changed(values, seed), visit.node.depth)
                    if self._arrived(test, target):
                        return
            needed = self.summaries.needed(visit, source, target, values, test, number)
            if self._spliced(visit, target, needed) or self.summaries.refined(needed):
                return
        self.stuck.add((visit.node, target.number))

    def _arrived(self, test: Test, target: Region[Visit]) -> bool:
        if target.place == ERROR or self.violation is not None:
            return self.violation is not None
        there = [Visit(test, node) for node in test.nodes if node.place == target.place]
        return any(self.explored.region(visit) is target for visit in there)

    def _spliced(self, visit: Visit, target: Region[Visit], needed: Sequence[Needed]) -> bool:
        """Known runs of a callee, in the place of its call, make a test that gets to the target."""
        for wanted in needed:
            for known, assignment in self.summaries.splices(visit, target, wanted):
                depth = visit.node.depth + known.length
                test = self._test(assignment, depth)
                if not self._arrived(test, target):
                    again = self.summaries.with_inputs_of(known, visit.node, wanted.number, test)
                    test = test if again is None else self._test(again, depth)
                if self._arrived(test, target):
                    return True
        return False

    def _test(self, assignment: Assignment, start: int = 0) -> Test:
        """RunTest; a violation, also one behind the depth at which the test was stopped, ends the search."""
        test = self.explored.run(assignment, start)
        self.told.walked(test, self.explored.tree, lambda node: self.explored.region(Visit(test, node)))
        if test.end is End.BLOCKED:
            self.blocked = test.detail
        if test.end in (End.VIOLATED, End.STOPPED):
            inputs = test.inputs(self.explored.tree)
            self.stopped += test.end is End.STOPPED
            long = not self.where.contracts and self.stopped <= LONG_REPLAYS  # recursion is slow to interpret
            steps = REPLAY_STEPS if long or test.end is End.VIOLATED else SHORT_REPLAY_STEPS
            outcome = run(self.program, ReplayInputs(inputs), Limits(steps=steps)).outcome
            if isinstance(outcome, Violated):
                self.violation = Violation(outcome.check, inputs, self.preparation)
        if self.calls.visited():
            self.calls.check_again(self.questions)
        return test

    # ------------------------------------------------------------ figures 3.8 and 3.9

    def _refine(self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]) -> None:
        """RefinePred and SplitFrontier, backwards along the path that cannot be extended: no run along the path to
        the visit's node steps into states of the target's place with these literals, which the target has."""
        while True:
            self.tools.budget.spend()
            if self._no_edge(source, target, visit, literals):
                return
            node = visit.node
            predicate = None
            if node.place != START:
                predicate = self.asker.predicate(visit, source, target, literals)
            if predicate is None:
                self._give_up(node, source, target)
                return
            holds, fails = self.explored.split(source, predicate)
            self.splits += 1
            self.calls.claim((source.place, fails.literals()), (target.place, literals), self.questions)
            self.told.changed(self.forest)
            if holds.visits or node.parent is None or not self._same_paths:
                return
            visit = Visit(visit.test, node.parent)
            found = self.explored.region(visit)
            if found is None or holds not in found.after:
                return
            source, target, literals = found, holds, [holds.literal]

    @property
    def _same_paths(self) -> bool:
        """What no run along the path to a node fulfils there, none fulfils that gets to its place from the node before:
        there is no other path between the two."""
        return not self.options.single or self.options.block == BASIC

    def _no_edge(
        self, source: Region[Visit], target: Region[Visit], visit: Visit | None = None, literals: Sequence[V] = ()
    ) -> bool:
        """Section 3.4, for all regions that what was shown is about. From START there is nothing else to do."""
        if not self.options.targets and source.place != START:
            return False
        found = self.asker.impossible(source, target, visit, literals)
        if found is None:
            return False
        self.unsat_targets += 1
        self.learning.use(source.place, found.facts)
        self.calls.claim((source.place, found.before), (target.place, found.after), self.questions)
        self.told.changed(self.forest, "target unsatisfiable")
        return True

    def _give_up(self, node: Node, source: Region[Visit], target: Region[Visit]) -> None:
        """No predicate was found for this run; after some runs, none is expected for the others in the region."""
        self.stuck.add((node, target.number))
        failed = sum((visit.node, target.number) in self.stuck for visit in source.visits)
        if failed >= PATIENCE:
            self.stuck.update((visit.node, target.number) for visit in source.visits)

    def _learn(self, at_once: bool = False) -> bool:
        """Looks for facts if that is due, or `at_once`; whether that was tried."""
        learning = self.learning
        if not self.options.facts or self.options.block == BASIC or learning.tried == len(ATTEMPTS):
            return False  # from one loop head to the next they are inductive, from block to block they need not be
        if not at_once and not learning.due(self.splits, self.questions.paths.queries.seconds):
            return False
        if not learning.tried:
            self._look_behind_loops()
        self.tools.observe(Progress("dash", "looking for invariants"))
        told = [told.fact for told in self.tools.facts.heard()] if self.preparation == "flat" else []
        if learning.attempt(told):
            self.stuck.clear()
            self._sweep()
        return True

    def _sweep(self) -> None:
        """Asks about the edges of regions between the frontiers and ERROR again, those next to ERROR first."""
        asked = 0
        seen = {self.forest.error}
        waiting = deque([self.forest.error])
        while waiting and asked < MOST_SWEPT:
            target = waiting.popleft()
            for source in list(target.before):
                if asked >= MOST_SWEPT or source.visits or target not in source.after:
                    continue
                self.tools.budget.spend()
                asked += 1
                if not self._no_edge(source, target) and source not in seen:
                    seen.add(source)
                    waiting.append(source)

    def _look_behind_loops(self) -> None:
        """A test whose loops are too long to be followed: what they do is extrapolated, and then run natively."""
        if self.subject is None or all(test.end is not End.STOPPED for test in self.explored.tests):
            return
        try:
            limit = Budget(min(DEEP_SECONDS, self.tools.budget.remaining() / 8))
            graph = cut_graph(self.program, limit)
            replay = min(REPLAY_SECONDS, self.tools.budget.remaining() / 3)
            found = confirmed_violation(self.subject, self.preparation, graph, limit, self.tools.seed, replay)
        except (OutOfBudget, Unsupported, NotNative):
            return
        if found is not None:
            self.violation = Violation(found.check, found.inputs, self.preparation)

    # ------------------------------------------------------------ the end

    def _returned(self, place: Place) -> V:
        """What may be assumed at a callee's EXIT after a call."""
        return build.conjunction([self.calls.allowed(place), *self.questions.facts.get(place, ())])

    def _deepened(self) -> bool:
        """Calls that were left by no test, because it was stopped in them, are followed further."""
        stopped = [test for test in self.explored.tests if test.end is End.STOPPED]
        if not stopped or not self.where.contracts or self.explored.depth >= DEEPEST:
            return False
        self.explored.depth *= 4
        self.stuck.clear()
        self._test(stopped[0].assignment)
        return True

    def _grant(self) -> bool:
        """Nothing is left to try, but edges lead to closed regions: they are opened. False if there are none."""
        reached = set(self.forest.reachable([self.forest.start]))
        left = [region for region in self.calls.goals() if region in reached]
        if self.forest.error in reached or not left or self.calls.granted > MOST_GRANTED:
            return False
        self.calls.grant(left)
        self.calls.check_again(self.questions)
        return True

    def _beyond_model(self) -> bool:
        """Places in the proof where a construct without a meaning may be met get an edge to ERROR."""
        found = False
        for region in self.forest.reachable([self.forest.start]):
            place = region.place
            if place in self._examined or place == ERROR or place[1] == EXIT or self.forest.error in region.after:
                continue
            self._examined.add(place)
            if self.questions.preimages.step(place).step.blocks:
                for leaf in self.forest.leaves(place):
                    self.forest.connect(leaf, self.forest.error)
                self.told.changed(self.forest)
                found = True
        return found

    def _proved(self) -> list[Region[Visit]] | None:
        """The regions that edges lead to, if these are neither ERROR nor assumed to be out of reach."""
        reached = self.forest.reachable([self.forest.start])
        if self.forest.error in reached or any(region in self.calls.closed for region in reached):
            return None
        return reached

    def _gave_up(self) -> Unknown:
        """No abstract error trace that could be tried is left."""
        if self.blocked:
            return Unknown(Reason.UNSUPPORTED, self.blocked)
        where = self.where.name(next(f for goal in self._goals() for f in self.forest.frontiers(goal)).source.place)
        if self.questions.paths.queries.unknown:
            return Unknown(Reason.SOLVER_UNKNOWN, f"a query at {where} had no answer")
        return Unknown(Reason.NO_PROGRESS, f"no suitable predicate was found at {where}")

    def _without_splits(self) -> list[Region[Visit]] | None:
        """The regions of the first abstraction, if facts alone keep them from ERROR."""
        if not self.learning.known or not self.calls.untouched:
            return None
        first: RegionForest[Visit] = first_abstraction(self.where)
        for source in list(first.error.before):
            found = self.questions.impossible(source, ERROR, ())
            if found is None:
                return None
            self.learning.use(source.place, found.facts)
            first.disconnect(source, first.error)
        return first.reachable([first.start])

    def _certificate(self, reached: list[Region[Visit]]) -> RegionGraph:
        """Theorem 1: the regions that edges lead to, and these edges."""
        regions = [region for region in reached if region.place != START]
        number = {region: index for index, region in enumerate(regions)}
        number |= {region: -1 for region in reached if region.place == START}
        facts = self.learning.needed(everything=self.calls.facts_used)
        states = tuple(
            Fact(*region.place, build.conjunction([region.formula, *facts.get(region.place, ())])) for region in regions
        )
        edges = tuple((number[source], number[target]) for source in reached for target in source.after)
        return RegionGraph(self.preparation, states, edges, tuple(sorted(self.granules.items())))

    def _progress(self) -> None:
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


@dataclass(slots=True)
class Dash:
    """The engine."""

    name: str = "dash"
    reference: str = "papers/dash-test-guided-proofs-llvm, figures 3.2 to 3.9"
    summary: str = "tests and a region graph refine each other; weakest preconditions split regions"
    numbers: dict[str, int | float] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int | float]:
        return self.numbers

    def verify(self, task: Task, tools: Tools) -> Verdict:
        options = Options.of(task.options)
        preparation = INLINED if task.options.get("prepare") == UNPREPARED else options.preparation
        program = task.subject.program(preparation)
        granules: dict[str, int] = {}
        while True:
            before = dict(granules)
            search = Search(program, preparation, options, tools, granules, task.subject)
            try:
                return search.run()
            except GranuleConflict:
                if granules == before:
                    raise
            except OutOfBudget:
                tests, regions = len(search.explored.tests), search.forest.regions
                return Unknown(Reason.OUT_OF_TIME, f"{tests} tests, {regions} regions")
            finally:
                self.numbers = search.statistics()
                search.asker.close()
                search.learning.close()


ENGINE = Dash()
