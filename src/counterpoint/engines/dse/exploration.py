"""All paths of a program, one by one: the execution tree with the ways off it that were not taken yet.

A test makes a path; every way off it that no test has gone is asked about once, and leads to a new test if some run
goes there. The next one is the way that is nearest to a branch that no test has taken, with a malus for edges that
were tried before. Tests stop at a depth, which grows when all else is explored.

Source: dynamic symbolic execution (the DASH thesis, section 2.1). Deviations: docs/engines/dse.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.events import Observer, Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.dse.branch_distance import BranchDistance, CfgEdge
from counterpoint.engines.dse.ways import WayOff, Ways
from counterpoint.execute.coverage import source_branches
from counterpoint.execute.snapshots import constants
from counterpoint.logic.path_queries import PathQueries, Queries
from counterpoint.program.model import Program
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.cut_graph import START
from counterpoint.regions.locations import BASIC, locations
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.tests import End, Test, run_test
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.granules import with_granules
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V

FIRST_DEPTH = 400
"""Places after which tests stop at first; four times as many whenever all other paths are explored."""

QUERY_SECONDS = 5.0
"""Limit of one query; a way without an answer is left out, and nothing is proved then."""


NO_ANSWER = "the solver gave no answer"
ADDRESSES = "a path depends on where objects lie"
"""Why a way was left out, beside constructs without a meaning (by their own words)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to explore: tests stop for good after `depth` places; at most `most` tests, 0 for all; the solver's name."""

    budget: Budget
    observe: Observer
    seed: int = 0
    depth: int = 100_000
    most: int = 0
    solver: str = "bitwuzla"


@dataclass(slots=True)
class Exploration:
    """The execution tree of a program with its unexplored ways, for one set of encodings.

    `wanted` are the edges that guide the order; `unanswered` says why not everything was explored, if so;
    `ends` are the last nodes of all tests.
    """

    program: Program
    settings: Settings
    granules: dict[str, int]
    wanted: set[CfgEdge]
    tree: ExecutionTree = field(init=False)
    queries: PathQueries = field(init=False)
    ways: Ways = field(init=False)
    depth: int = 0
    count: int = 0
    explored: bool = False
    unanswered: dict[str, int] = field(default_factory=dict)
    ends: list[Node] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    _stopped: list[Test] = field(default_factory=list)
    _blocks: dict[Node, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tree = ExecutionTree(locations(self.program, BASIC), self.granules, self.settings.budget)
        queries = Queries(self.settings.solver, self.settings.seed, self.settings.observe)
        self.queries = PathQueries(self.tree, queries)
        self.ways = Ways(BranchDistance(self.program, self.wanted))
        self.numbers = dict.fromkeys(("tests", "queries", "unsat", "diverged", "branches_reached"), 0)
        self.numbers["branches"] = len(self.wanted)
        self.depth = min(FIRST_DEPTH, self.settings.depth)

    def tests(self) -> Iterator[Test]:
        """Every test, the first one with values drawn at random. At the end `explored` says whether these were all
        paths. Raises OutOfBudget, Unsupported, and GranuleConflict."""
        yield self._run(Assignment(self.tree.world, self.settings.seed, {}, constants(self.program)), self.tree.root)
        while not self._enough():
            way = self.ways.next()
            if way is not None:
                test = self._leave(way)
                if test is not None:
                    yield test
            elif self._stopped and self.depth < self.settings.depth:
                yield from self._deeper()
            else:
                self.explored = not self.unanswered and not self._stopped
                return

    def close(self) -> None:
        self.queries.queries.close()

    def statistics(self) -> dict[str, int]:
        """Tests, queries and their answers, branches of the source (those wanted, and how many of them were taken)."""
        queries = self.queries.queries
        return {**self.numbers, "solver_calls": queries.asked, "remembered": queries.hits, "depth": self.depth}

    def longest(self) -> tuple[int, int]:
        """How often a path visits one place in one activation, and how deep a function calls itself."""
        visits = depth = 0
        for end in self.ends:
            path = end.path()
            visits = max(visits, *Counter((id(node.frame), node.place) for node in path).values())
            depth = max(depth, *(node.frame.depth for node in path))
        return visits, depth

    def _enough(self) -> bool:
        return 0 < self.settings.most <= self.count

    # ------------------------------------------------------------ queries

    def _leave(self, way: WayOff) -> Test | None:
        """Asks for a run that gets to the node and goes that way; None if there is none."""
        self.settings.budget.spend()
        self.numbers["queries"] += 1
        seconds = min(QUERY_SECONDS, self.settings.budget.remaining())
        match self.queries.along(way.node, [way.formula], seconds, "path"):
            case Unsat():
                self.numbers["unsat"] += 1
                return None
            case SolverUnknown():
                self._unanswered(NO_ANSWER)
                return None
            case Sat(model):
                leaves = (leaf for leaf in self.queries.last_leaves if leaf.op is Op.VARIABLE)
                values = {leaf: _given(model, leaf) for leaf in leaves}
        assignment = way.test.assignment.changed(values, self.settings.seed + self.count)
        if not assignment.value(way.formula):
            # The model's addresses are not those of the run.
            self.numbers["diverged"] += 1
            self._unanswered(ADDRESSES)
        return self._run(assignment, way.node)

    def _unanswered(self, reason: str) -> None:
        self.unanswered[reason] = self.unanswered.get(reason, 0) + 1

    # ------------------------------------------------------------ tests

    def _run(self, assignment: Assignment, through: Node) -> Test:
        self.count += 1
        test = run_test(self.tree, assignment, self.count, self.depth)
        self.numbers["tests"] = self.count
        self.ends.append(test.nodes[-1])
        shared = through.depth if len(test.nodes) > through.depth and test.nodes[through.depth] is through else 0
        self._enter(test, shared)
        if test.end is End.STOPPED:
            self._stopped.append(test)
        if test.end is End.BLOCKED:
            self._unanswered(test.detail)
        self.settings.observe(Progress("dse", f"{self.count:,} paths, {len(self.ways):,} ways off them"))
        return test

    def _deeper(self) -> Iterator[Test]:
        self.depth = min(4 * self.depth, self.settings.depth)
        again, self._stopped = self._stopped, []
        for test in again:
            if self._enough():
                self._stopped.append(test)
            else:
                yield self._run(test.assignment, test.nodes[-1])

    def _enter(self, test: Test, first: int) -> None:
        """Notes the ways off the test's path, from its `first` node on; those that it takes are explored."""
        taken: list[CfgEdge] = []
        for index in range(first, len(test.nodes)):
            node = test.nodes[index]
            step = self.tree.step(node)
            goes = self._way_of(test, index, step)
            if self.ways.enter(node):
                self._blocks[node] = self._block(node)
                for number, way in enumerate(self._ways(test, node, step)):
                    if isinstance(way.formula, Term) and number != goes:
                        self.ways.add(number, way)
            self.ways.gone(node, goes)
            edge = self._edge(node, step, goes)
            if edge is not None:
                taken.append(edge)
        self.numbers["branches_reached"] += self.ways.covered(taken)

    def _way_of(self, test: Test, index: int, step: RegionSummary) -> int:
        """The number of the way that the test takes from its node of that index; -1 for none."""
        if index + 1 < len(test.nodes):
            at = test.nodes[index + 1].at
            return next(number for number, other in enumerate(step.exits) if other is at)
        return next((n for n, formula in enumerate(_formulas(step)) if test.assignment.value(formula)), -1)

    def _ways(self, test: Test, node: Node, step: RegionSummary) -> Iterator[WayOff]:
        """All that a run may do at the node, in the order of `_formulas`."""
        for number, formula in enumerate(_formulas(step)):
            fails = len(step.exits) <= number < len(step.exits) + len(step.failures)
            yield WayOff(test, node, formula, self._edge(node, step, number), fails)

    def covered(self, edges: Iterable[CfgEdge]) -> None:
        """Others have taken these edges."""
        self.ways.covered(edges)

    # ------------------------------------------------------------ places in the program

    def _block(self, node: Node) -> tuple[str, int]:
        """The function and the block in which the node's step begins: behind EXIT, that of the call."""
        if node.place == START:
            return self.program.entry, 0
        if node.place[1] != EXIT:
            return node.place
        at: Node | None = node.parent
        while at is not None and (node.frame.caller is None or at.frame is not node.frame.caller.frame):
            at = at.parent
        return self._blocks[at] if at is not None else node.place

    def _edge(self, node: Node, step: RegionSummary, number: int) -> CfgEdge | None:
        """The control-flow edge that the way takes, None for what ends the run, calls and returns."""
        if not 0 <= number < len(step.exits):
            return None
        (function, block), (other, target) = self._blocks[node], step.exits[number].target
        return (function, block, target) if function == other and target not in (0, EXIT) else None


def _formulas(step: RegionSummary) -> list[V]:
    """What a run may do in the step, each once: ways first, then failing checks, what has no meaning, the end."""
    found = [exit_.formula for exit_ in step.exits]
    found += [failure.formula for failure in step.failures]
    found += [block.formula for block in step.blocks]
    return [*found, step.ended]


def _given(model: Model, leaf: Term) -> Given:
    if isinstance(leaf.sort, ArraySort):
        found = model.array(leaf)
        assert not isinstance(found, int)
        return found
    return model.value(leaf)


def conditional_edges(program: Program) -> set[CfgEdge]:
    """The edges of the source's branches that are left in the program."""
    blocks = {name: function.blocks for name, function in program.functions.items()}
    return {
        (edge.function, edge.block, blocks[edge.function][edge.block].edges[edge.edge].target)
        for edge in source_branches(program).edges
    }


def explore(
    program: Program, settings: Settings, wanted: set[CfgEdge], see: Callable[[Exploration, Test], bool]
) -> Exploration:
    """The exploration, at its end or where `see` asked to stop.

    `see` is shown every test, with the exploration that it belongs to: it begins anew when the encoding of an array
    changes. `wanted` shrinks. Raises OutOfBudget, Unsupported.
    """

    def attempt(granules: dict[str, int]) -> Exploration:
        exploration = Exploration(program, settings, granules, wanted)
        try:
            for test in exploration.tests():
                if see(exploration, test):
                    break
            return exploration
        finally:
            exploration.close()

    return with_granules(attempt)
