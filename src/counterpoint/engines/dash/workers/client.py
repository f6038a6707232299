"""A client: has the program and an execution tree of its own, follows tests, and answers jobs about them.

It knows nothing of the abstraction (thesis, sections 4.2 and 4.4). Its answers depend on its earlier jobs only in
which of several right ones they are.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.core.events import Event, SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit, given_by
from counterpoint.engines.dash.frontier import Questions
from counterpoint.engines.dash.refinement import Refinement
from counterpoint.engines.dash.region_graph import Region
from counterpoint.engines.dash.replayed import replayed
from counterpoint.engines.dash.workers.jobs import (
    Conflict,
    Crossed,
    ExtendJob,
    Failed,
    Impossible,
    ImpossibleJob,
    Job,
    NoAnswer,
    NotCrossed,
    Parcel,
    Possible,
    Reply,
    Result,
    Run,
    Setup,
    Suggested,
    SuggestJob,
)
from counterpoint.logic.path_queries import PathQueries, Queries
from counterpoint.logic.preimages import Preimages
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.encoded_steps import EncodedSteps
from counterpoint.regions.locations import Locations, locations
from counterpoint.regions.tests import Test, run_test
from counterpoint.regions.tree import ExecutionTree
from counterpoint.semantics.granules import GranuleConflict
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.term.term import V
from counterpoint.term.transport import pack, unpack


@dataclass(slots=True)
class Client:
    """Answers parcels one after the other. `where` may be handed in if it was made in this process or forked."""

    setup: Setup
    where: Locations | None = None
    tests: dict[int, Test] = field(default_factory=dict)
    questions: Questions = field(init=False)
    refinement: Refinement = field(init=False)
    _granules: dict[str, int] = field(init=False)
    _calls: list[tuple[str, str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        setup = self.setup
        where = self.where or locations(setup.program, setup.block)
        budget = Budget(setup.seconds)
        self._granules = dict(setup.granules)
        explored = Explored(ExecutionTree(where, self._granules, budget), 0, setup.single)
        paths = PathQueries(explored.tree, Queries(setup.backend, setup.seed, self._observe))
        preimages = Preimages(EncodedSteps(where, self._granules, budget), lambda place: 1)
        self.questions = Questions(explored, preimages, paths)
        self.refinement = Refinement(explored, preimages, paths, setup.interpolate)

    def _observe(self, event: Event) -> None:
        if isinstance(event, SolverCall):
            self._calls.append((event.purpose, event.answer, event.seconds))

    def answer(self, parcel: Parcel) -> Reply:
        """Raises nothing: what goes wrong is a Conflict or Failed."""
        queries = self.questions.paths.queries
        asked, hits, unknown, seconds = queries.asked, queries.hits, queries.unknown, queries.seconds
        self._calls.clear()
        result: Result
        try:
            self._take(parcel)
            result = self._result(parcel.job)
        except GranuleConflict:
            result = Conflict()
        except OutOfBudget as error:
            result = Failed(str(error))
        except Exception:
            result = Failed(traceback.format_exc())
        return Reply(
            result,
            dict(self._granules),
            tuple(self._calls),
            queries.asked - asked,
            queries.hits - hits,
            queries.unknown - unknown,
            queries.seconds - seconds,
        )

    def ready(self) -> bool:
        """It is there."""
        return True

    def close(self) -> None:
        """Ends its solver."""
        self.questions.paths.queries.close()

    # ------------------------------------------------------------ what comes with a job

    def _take(self, parcel: Parcel) -> None:
        self.questions.paths.queries.limit = parcel.seconds
        for origin, granule in parcel.granules.items():
            if self._granules.setdefault(origin, granule) != granule:
                self._granules[origin] = 1
                raise GranuleConflict(origin)
        if parcel.run is not None:
            self.tests[parcel.run.number] = self._follow(parcel.run)

    def _follow(self, run: Run) -> Test:
        """The run with these inputs, as far as the server knows it. Raises ValueError where it goes elsewhere."""
        tree, single = self.questions.explored.tree, self.setup.single
        assignment = replayed(tree, run.inputs, self.setup.seed, single)
        assignment.pool = self.setup.pool
        test = run_test(tree, assignment, run.number, len(run.places) - 1, single)
        if tuple(node.place for node in test.nodes) != run.places:
            raise ValueError(f"test {run.number} takes another path here")
        return test

    # ------------------------------------------------------------ jobs

    def _result(self, job: Job) -> Result:
        match job:
            case ExtendJob():
                return self._extend(job)
            case ImpossibleJob():
                return self._impossible(job)
            case SuggestJob():
                return self._suggest(job)

    def _visit(self, run: int, depth: int) -> Visit:
        test = self.tests[run]
        return Visit(test, test.nodes[depth])

    def _extend(self, job: ExtendJob) -> Result:
        visit, literals = self._visit(job.run, job.depth), unpack(job.literals)
        match self.questions.extend(visit, region_of(job.target, literals)):
            case Sat(model):
                values = given_by(model, self.questions.paths.last_leaves)
                changed = visit.test.assignment.changed(values, job.seed)
                tree = self.questions.explored.tree
                return Crossed(run_test(tree, changed, -1, job.depth + 1, self.setup.single).inputs(tree))
            case Unsat(core):
                return NotCrossed(_positions(literals, core))
            case SolverUnknown(reason):
                return NoAnswer(reason)

    def _impossible(self, job: ImpossibleJob) -> Result:
        before, after = unpack(job.before), unpack(job.after)
        facts = self.questions.facts[job.source] = unpack(job.facts)
        found = self.questions.impossible(region_of(job.source, before), job.target, after)
        if found is None:
            return Possible()
        used = _positions(facts, found.facts)
        return Impossible(_positions(before, found.before), _positions(after, found.after), used)

    def _suggest(self, job: SuggestJob) -> Result:
        target, literals = job.target, unpack(job.literals)
        asked = self.questions.paths.queries.asked
        predicates: list[V] = []
        ways: list[str] = []
        for depth in range(job.depth, max(job.depth - job.back, 1) - 1, -1):
            if predicates and self.questions.paths.queries.asked > asked:
                break
            visit = self._visit(job.run, depth)
            if self.questions.passes_calls(visit.node.place, target):
                break
            counts = dict(self.refinement.counts)
            found = self.refinement.predicate(visit, target, literals)
            if found is None:
                break
            predicates.append(found)
            ways += [name for name, count in self.refinement.counts.items() if count != counts.get(name, 0)]
            target, literals = visit.node.place, [found]
        return Suggested(pack(predicates), tuple(ways))


def region_of(place: Place, literals: Sequence[V]) -> Region[Visit]:
    """The states at the place with these literals: a region of no forest, good for `place` and `literals()`."""
    region: Region[Visit] = Region(-1, place)
    for literal in reversed(literals):
        region = Region(-1, place, region, literal)
    return region


def _positions(literals: Sequence[V], chosen: Sequence[V]) -> tuple[int, ...]:
    wanted = set(chosen)
    return tuple(position for position, literal in enumerate(literals) if literal in wanted)
