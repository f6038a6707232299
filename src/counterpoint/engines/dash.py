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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterpoint.analysis.first_facts import first_facts
from counterpoint.analysis.path_queries import PathQueries, Queries
from counterpoint.analysis.preimages import Crossing, Preimage, Preimages
from counterpoint.analysis.region_events import RegionEvents
from counterpoint.analysis.region_graph import Frontier, Region, RegionForest
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.engines.protocol import Option, Task, Tools
from counterpoint.evidence.verdict import Reason, RegionGraph, Safe, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated
from counterpoint.execute.snapshots import constants
from counterpoint.execute.subject import UNPREPARED
from counterpoint.paths.assignment import Assignment
from counterpoint.paths.cut_graph import START, Place
from counterpoint.paths.locations import BASIC, ERROR, LARGE, Granularity, Locations, following, locations
from counterpoint.paths.tests import End, Test, run_test
from counterpoint.paths.tree import ExecutionTree, Node
from counterpoint.program.model import Program
from counterpoint.semantics.facts import Fact
from counterpoint.semantics.objects import GranuleConflict
from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.term import build
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, size, substitute, variables

OPTIONS = (
    Option("dash.block", LARGE, "where regions are: at every basic block (basic), or at loop heads only (large)"),
    Option("dash.depth", "100", "places after which a test is stopped, counted from the frontier that it extends"),
    Option("dash.facts", "true", "assume cheap invariants at loop heads once refinement does not end at once"),
    Option("dash.solver", "bitwuzla", "the backend of its queries"),
)

QUERY_SECONDS = 10.0
"""Limit of one query."""

FACTS_AFTER = ((12, 1.0, 1, 4.0), (150, 10.0, 2, 10.0))
"""When cheap facts are looked for: after that many splits or seconds; from so many stages, for so many seconds (at most
a fifth of the time that is left)."""

PATIENCE = 5
"""Runs for which no suitable predicate was found, before a frontier is given up."""

REPLAY_STEPS = 2_000_000
"""Steps of a run that is tried in full, behind the depth at which tests are stopped."""


@dataclass(frozen=True, slots=True)
class Options:
    """See OPTIONS."""

    block: Granularity = LARGE
    depth: int = 100
    solver: str = "bitwuzla"
    facts: bool = True

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Raises UnusableInput for what is not one of the values."""
        block = options.get("dash.block", LARGE)
        if block not in (BASIC, LARGE):
            raise UnusableInput(f"option dash.block: `{block}` is neither {BASIC} nor {LARGE}")
        depth = options.get("dash.depth", "100")
        if not depth.isdigit() or int(depth) < 1:
            raise UnusableInput(f"option dash.depth: `{depth}` is not a number from 1 up")
        return cls(BASIC if block == BASIC else LARGE, int(depth), options.get("dash.solver", "bitwuzla"), options.get("dash.facts") != "false")


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A state that a test is known to reach."""

    test: Test
    node: Node


@dataclass(slots=True)
class Search:
    """One run of the algorithm over one set of encodings."""

    program: Program
    options: Options
    tools: Tools
    granules: dict[str, int]
    where: Locations = field(init=False)
    tree: ExecutionTree = field(init=False)
    paths: PathQueries = field(init=False)
    preimages: Preimages = field(init=False)
    told: RegionEvents = field(init=False)
    forest: RegionForest[Visit] = field(default_factory=RegionForest)
    tests: list[Test] = field(default_factory=list)
    stuck: set[tuple[Node, int]] = field(default_factory=set)
    numbers: dict[str, int | float] = field(default_factory=dict)
    facts: dict[Place, list[V]] = field(default_factory=dict)
    learned: int = 0
    used: bool = False
    violation: Violation | None = None
    blocked: str = ""
    pool: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.where = locations(self.program, self.options.block)
        self.tree = ExecutionTree(self.where, self.granules, self.tools.budget)
        self.paths = PathQueries(self.tree, Queries(self.options.solver, self.tools.seed, self.tools.observe))
        self.preimages = Preimages(self.where, self.granules, self.tools.budget, self._formula_at)
        self.numbers = dict.fromkeys(("solve_runs", "unsat_targets", "splits"), 0)
        self.pool = constants(self.program)
        self.told = RegionEvents(
            self.where,
            self.tools.observe,
            self.tools.recording,
            lambda test, node, predicate: self._holds(Visit(test, node), predicate),
        )

    # ------------------------------------------------------------ figure 3.3

    def run(self) -> Verdict:
        """Raises OutOfBudget, and GranuleConflict."""
        self._first_abstraction()
        self.told.changed(self.forest)
        self._test(Assignment(self.tree.world, self.tools.seed, {}, self.pool))
        while self.violation is None:
            self.tools.budget.spend()
            chosen = self._choose()
            if chosen is None:
                missing = self._met_beyond()
                if missing:
                    continue
                return self._end()
            frontier, visit = chosen
            self._learn()
            self.numbers["solve_runs"] += 1
            self._progress()
            answer = self._extend(visit, frontier.target)
            self.told.tried(frontier.source, frontier.target, answer, visit.test, visit.node)
            match answer:
                case Sat(model):
                    self._follow(visit, frontier.target, model)
                case Unsat(core):
                    self._refine(visit, frontier.source, frontier.target, core)
                case SolverUnknown():
                    self.stuck.add((visit.node, frontier.target.number))
        return Unsafe(self.violation)

    def _first_abstraction(self) -> None:
        """Section 3.1: one region per place, an edge wherever control can go."""
        self.forest.add_place(START)
        self.forest.add_place(ERROR)
        waiting = [START]
        seen = {START}
        while waiting:
            place = waiting.pop()
            source = self.forest.add_place(place)
            after = following(self.where, place)
            targets = [*after.places, *((callee, 0) for callee in after.calls)]
            for target in targets:
                self.forest.connect(source, self.forest.add_place(target))
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
            if after.checks:
                self.forest.connect(source, self.forest.error)

    def _choose(self) -> tuple[Frontier[Visit], Visit] | None:
        """GetAbstractTrace: the frontier nearest to the error, and the shortest run up to it."""
        for frontier in self.forest.frontiers():
            for visit in sorted(frontier.source.visits, key=lambda v: v.node.depth):
                if (visit.node, frontier.target.number) not in self.stuck:
                    return frontier, visit
        return None

    def _learn(self) -> None:
        """Facts that narrow all regions at a place. They hold on every run, so no test has to be looked at again."""
        if not self.options.facts or self.learned == len(FACTS_AFTER):
            return
        splits, seconds, stages, limit = FACTS_AFTER[self.learned]
        if self.numbers["splits"] < splits and self.tools.budget.elapsed() < seconds:
            return
        self.learned += 1
        self.tools.observe(Progress("dash", "looking for invariants"))
        budget = Budget(min(limit, self.tools.budget.remaining() / 5))
        told = [told.fact for told in self.tools.facts.heard()] if self.preparation == "flat" else []
        for fact in first_facts(self.program, budget, self.tools.observe, self.tools.seed, told, stages):
            known = self.facts.setdefault(fact.place, [])
            if fact.formula not in known:
                known.append(fact.formula)
        self.numbers["facts"] = sum(map(len, self.facts.values()))

    # ------------------------------------------------------------ tests

    def _test(self, assignment: Assignment, start: int = 0) -> Test:
        """RunTest: follows the run, and notes which regions it visits. `start` is how far it is known to get."""
        test = run_test(self.tree, assignment, len(self.tests) + 1, start + self.options.depth)
        self.tests.append(test)
        for node in test.nodes:
            region = self._region(Visit(test, node))
            if region is not None and all(visit.node is not node for visit in region.visits):
                region.visits.append(Visit(test, node))
        self.told.walked(test, self.tree, lambda node: self._region(Visit(test, node)))
        if test.end is End.BLOCKED:
            self.blocked = test.detail
        if test.end in (End.VIOLATED, End.STOPPED):
            self._confirm(test)
        return test

    def _confirm(self, test: Test) -> None:
        """The inputs in the interpreter, to the end of the run."""
        inputs = test.inputs(self.tree)
        outcome = run(self.program, ReplayInputs(inputs), Limits(steps=REPLAY_STEPS)).outcome
        if isinstance(outcome, Violated):
            preparation = self.preparation
            self.violation = Violation(outcome.check, inputs, preparation)

    preparation: str = "flat"

    def _region(self, visit: Visit) -> Region[Visit] | None:
        return self.forest.leaf(visit.node.place, lambda predicate: self._holds(visit, predicate))

    def _holds(self, visit: Visit, predicate: V) -> bool:
        """The predicate in the test's state at the node."""
        return bool(visit.test.assignment.value(self._at(visit.node, predicate)))

    def _at(self, node: Node, predicate: V) -> V:
        """The predicate over the inputs of runs that get to the node. A component without a value there is 0: the
        same in all questions about the node."""
        values: dict[Term, V] = {}
        for variable in variables(predicate):
            value = self.tree.value(node, variable)
            if value is not None:
                values[variable] = value
            elif not isinstance(variable.sort, ArraySort):
                values[variable] = 0
        return substitute(predicate, values)

    # ------------------------------------------------------------ the frontier

    def _extend(self, visit: Visit, target: Region[Visit]) -> Answer:
        """GetCombinedConstraint and Solve: a run along the visit's path that steps into the target. An Unsat has a
        core of the target's literals."""
        literals = target.literals()
        if self._passes_calls(visit.node.place, target.place):
            crossing = self._across_calls(visit.node, target.place, literals)
        else:
            crossing = self._crossing(visit.node, target.place, literals)
        formulas, assumptions = [crossing.formula], crossing.literals
        match self.paths.along(visit.node, formulas, QUERY_SECONDS, "frontier", assumptions):
            case Unsat(core):
                chosen = set(core)
                return Unsat(tuple(p for p, v in zip(literals, assumptions, strict=True) if v in chosen))
            case answer:
                return answer

    def _crossing(self, node: Node, target: Place, literals: Sequence[V]) -> Crossing:
        """Over the inputs: runs that are at the node step into states of the target with these literals."""
        step = self.tree.step(node)
        if target == ERROR:
            return Crossing(build.disjunction(step.failing), ())
        ends = [
            (way.formula, self.tree.child(node, number))
            for number, way in enumerate(step.ways)
            if way.target == target
        ]
        conditions = [
            build.conjunction([build.implies(formula, self._at(child, literal)) for formula, child in ends])
            for literal in literals
        ]
        return Crossing(build.disjunction([formula for formula, _ in ends]), tuple(conditions))

    def _passes_calls(self, place: Place, target: Place) -> bool:
        """The step goes over calls by contract, while tests go through them."""
        calls = following(self.where, place).calls
        return bool(calls) and not (target[0] in calls and target[1] == 0)

    def _across_calls(self, node: Node, target: Place, literals: Sequence[V]) -> Crossing:
        """As `_crossing`, but calls leave behind whatever their contracts allow: there may be no such run."""
        crossing = self.preimages.crossing(node.place, target, literals)
        if node.place == START:
            return crossing
        return Crossing(self._at(node, crossing.formula), tuple(self._at(node, part) for part in crossing.literals))

    def _follow(self, visit: Visit, target: Region[Visit], model: Model) -> None:
        """The new test. If it does not get to the target after all, this path is not tried again."""
        values = {leaf: _given(model, leaf) for leaf in self.paths.last_leaves if leaf.op is Op.VARIABLE}
        test = self._test(visit.test.assignment.changed(values, self.tools.seed + len(self.tests)), visit.node.depth)
        arrived = self.violation is not None if target.place == ERROR else any(v.test is test for v in target.visits)
        if not arrived:
            self.stuck.add((visit.node, target.number))

    # ------------------------------------------------------------ refinement

    def _refine(self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]) -> None:
        """RefinePred and SplitFrontier, backwards along the path that cannot be extended: no run along the path to
        the visit's node steps into states of the target's place with these literals, which the target has."""
        node = visit.node
        place = target.place
        while True:
            self.tools.budget.spend()
            if node.place == START:
                self.forest.disconnect_all((START, ()), (place, literals))
                self.told.changed(self.forest, "the program cannot start there")
                return
            if self._impossible(source, place, target.literals()):
                return
            preimage = self.preimages.of(node.place, place, literals)
            predicate = self._suitable(node, preimage)
            if predicate is None:
                self._give_up(node, source, target)
                return
            holds, fails = self._split(source, predicate)
            self.forest.disconnect_all((source.place, fails.known), (place, literals))
            self.told.changed(self.forest)
            if holds.visits or node.parent is None:
                return
            node = node.parent
            found = self._region(Visit(visit.test, node))
            if found is None or holds not in found.after:
                return
            source, target, place, literals = found, holds, holds.place, [holds.literal]

    def _impossible(self, source: Region[Visit], target: Place, literals: Sequence[V]) -> bool:
        """Section 3.4: no state of the region steps into the target, whatever path led to it. The same is true of all
        regions with the literals in the core."""
        mine = source.literals()
        crossing = self.preimages.crossing(source.place, target, literals)
        facts = self.facts.get(source.place, ())
        assumptions = [*mine, *crossing.literals, *facts]
        match self.paths.queries.check([crossing.formula], assumptions, QUERY_SECONDS, "target"):
            case Unsat(core):
                chosen = set(core)
                self.used = self.used or not chosen.isdisjoint(facts)
                before = [literal for literal in mine if literal in chosen]
                after = [p for p, v in zip(literals, crossing.literals, strict=True) if v in chosen]
                self.numbers["unsat_targets"] += 1
                self.forest.disconnect_all((source.place, before), (target, after))
                self.told.changed(self.forest, "target unsatisfiable")
                return True
            case _:
                return False

    def _give_up(self, node: Node, source: Region[Visit], target: Region[Visit]) -> None:
        """No predicate was found for this run; after some runs, none is expected for the others in the region."""
        self.stuck.add((node, target.number))
        failed = sum((visit.node, target.number) in self.stuck for visit in source.visits)
        if failed >= PATIENCE:
            self.stuck.update((visit.node, target.number) for visit in source.visits)

    def _suitable(self, node: Node, preimage: Preimage) -> V | None:
        """Conjuncts of the preimage that no run along the path to the node fulfils together; None if there are none."""
        parts = sorted(conjuncts(preimage.formula), key=lambda part: (len(variables(part)), size(part)))
        values = [self._at(node, part) for part in parts]
        for part, value in zip(parts, values, strict=True):
            if value == 0:
                return part
        if preimage.exact and len(parts) == 1:
            return parts[0]  # the question is that of the frontier
        match self.paths.along(node, [], QUERY_SECONDS, "core", values):
            case Unsat(core):
                chosen = set(core)
                return build.conjunction([p for p, v in zip(parts, values, strict=True) if v in chosen])
            case _:
                return None

    def _split(self, source: Region[Visit], predicate: V) -> tuple[Region[Visit], Region[Visit]]:
        """Figure 3.9: the halves where the predicate holds and where it fails, with the visits sorted."""
        holds, fails = self.forest.split(source, predicate)
        self.numbers["splits"] += 1
        for visit in source.visits:
            (holds if self._holds(visit, predicate) else fails).visits.append(visit)
        return holds, fails

    # ------------------------------------------------------------ the end

    def _formula_at(self, place: Place) -> V:
        """The states at a place that some leaf allows to which edges lead from the start."""
        leaves = [leaf for leaf in self.forest.leaves(place) if leaf.before]
        return build.disjunction([leaf.formula for leaf in leaves])

    def _met_beyond(self) -> bool:
        """Places in the proof where a construct without a meaning may be met get an edge to ERROR."""
        found = False
        for region in self.forest.reachable([self.forest.start]):
            if region.place in (START, ERROR) or region.place[1] == -1 or self.forest.error in region.after:
                continue
            root = self.forest.roots[region.place]
            if root.number in self._examined:
                continue
            self._examined.add(root.number)
            if self.preimages.step(region.place).step.blocks:
                for leaf in self.forest.leaves(region.place):
                    self.forest.connect(leaf, self.forest.error)
                self.told.changed(self.forest)
                found = True
        return found

    _examined: set[int] = field(default_factory=set)

    def _end(self) -> Verdict:
        reached = self.forest.reachable([self.forest.start])
        if self.forest.error in reached:
            if self.blocked:
                return Unknown(Reason.UNSUPPORTED, self.blocked)
            left = next(iter(self.forest.frontiers()))
            where = self.where.name(left.source.place)
            if self.paths.queries.unknown:
                return Unknown(Reason.SOLVER_UNKNOWN, f"a query at {where} had no answer")
            return Unknown(Reason.NO_PROGRESS, f"no suitable predicate was found at {where}")
        return Safe(self._certificate(reached))

    def _certificate(self, reached: list[Region[Visit]]) -> RegionGraph:
        regions = [region for region in reached if region.place != START]
        number = {region: index for index, region in enumerate(regions)}
        number[self.forest.start] = -1
        facts = tuple(
            Fact(*region.place, build.conjunction([region.formula, *(self.facts.get(region.place, ()) if self.used else ())]))
            for region in regions
        )
        edges = tuple((number[a], number[b]) for a in reached for b in a.after)
        return RegionGraph(self.preparation, facts, edges, tuple(sorted(self.granules.items())))

    def _progress(self) -> None:
        text = f"{len(self.tests)} tests, {self.forest.regions} regions, {self.paths.queries.asked} queries"
        self.tools.observe(Progress("dash", text))

    def statistics(self) -> dict[str, int | float]:
        queries = self.paths.queries
        return {
            "tests": len(self.tests),
            **self.numbers,
            "solver_calls": queries.asked,
            "solver_seconds": round(queries.seconds, 3),
            "regions": self.forest.regions,
            "steps": self.tree.steps,
        }


def _given(model: Model, leaf: Term) -> Given:
    if isinstance(leaf.sort, ArraySort):
        found = model.array(leaf)
        assert not isinstance(found, int)
        return found
    return model.value(leaf)


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
        preparation = UNPREPARED if task.options.get("prepare") == UNPREPARED else "flat"
        program = task.subject.program(preparation)
        granules: dict[str, int] = {}
        while True:
            before = dict(granules)
            search = Search(program, options, tools, granules, preparation=preparation)
            try:
                return search.run()
            except GranuleConflict:
                if granules == before:
                    raise
            except OutOfBudget:
                return Unknown(Reason.OUT_OF_TIME, f"{len(search.tests)} tests, {search.forest.regions} regions")
            finally:
                self.numbers = search.statistics()
                search.paths.queries.close()


ENGINE = Dash()
