"""The server: has the abstraction, and clients that answer its questions at the same time.

Each question that the loop asks starts a round: it goes to the first client, and the others are given those that will
probably come next, along the same path and at other frontiers (foresight.py). Replies are kept until the loop asks for
them. So the loop is the same for any number of clients, and what it does depends on their number and the seed only,
not on who answers first. A client that is gone, or cannot do its job, has no reply; the server then answers itself.

Source: thesis, sections 4.2 and 4.4; there, with one client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Protocol, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.events import SolverCall
from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Visit
from counterpoint.engines.dash.frontier import NoEdge
from counterpoint.engines.dash.questions import Extend, Extended, Found, Here, Impossible, Question, Reply, Suggest
from counterpoint.engines.dash.region_graph import Region
from counterpoint.engines.dash.replayed import replayed
from counterpoint.engines.dash.workers import jobs
from counterpoint.engines.dash.workers.foresight import Foresight, Work
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import ERROR
from counterpoint.regions.tests import End, run_test
from counterpoint.regions.tree import Node
from counterpoint.semantics.granules import GranuleConflict
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.term.term import Term, V
from counterpoint.term.transport import pack, unpack

MOST_BACK = 20
"""Places before a visit for which predicates are sought along with its own."""

GUESS_SECONDS = 1.0
"""Limit of a query that nobody has asked for yet; without an answer it is asked again when it is wanted."""

MOST_KNOWN = 100_000
"""Replies that are kept."""


Guesses: TypeAlias = Iterator[Question]


class Crew(Protocol):
    """Clients in processes: here (workers.py), or on other machines (cluster.py)."""

    @property
    def number(self) -> int: ...

    def work(self, parcels: Mapping[int, jobs.Parcel], budget: Budget) -> dict[int, jobs.Reply]:
        """Has each parcel done by the client of that number, all at the same time; without those that are gone.

        Raises OutOfBudget.
        """
        ...

    def close(self) -> None:
        """Ends all clients. Harmless when repeated."""
        ...


@dataclass(slots=True)
class Server:
    """An Asker (asking.py). `here` is the one without clients; it also has the questions about steps over calls by
    contract. `stuck`, `goals` and `goes_back`: see Foresight.

    `asked` are the clients' solver calls, `longest` the sum over rounds of the most that one client made: how long
    it would take if calls were all that takes time. `unanswered` counts the jobs without a reply.
    """

    crew: Crew
    here: Here
    granules: dict[str, int]
    budget: Budget
    stuck: Callable[[Node, Region[Visit]], bool]
    goals: Callable[[], list[Region[Visit]]]
    goes_back: bool
    asked: int = 0
    longest: int = 0
    rounds: int = 0
    unanswered: int = 0
    _foresight: Foresight = field(init=False)
    _known: dict[Question, Reply] = field(default_factory=dict)
    _runs: dict[int, jobs.Run] = field(default_factory=dict)
    _told: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        facts = self.here.questions.facts
        self._foresight = Foresight(
            self.here.explored,
            self._known,
            self.stuck,
            lambda place: len(facts.get(place, ())),
            self.goals,
            self._over_calls,
            self.goes_back,
        )

    # ------------------------------------------------------------ the loop's questions

    def extend(self, visit: Visit, source: Region[Visit], target: Region[Visit]) -> Extended:
        """See Asker."""
        whole = tuple(target.literals())
        question = Extend(visit.node, target.place, whole, visit)
        work = Work(visit, source, target.place, whole, whole)
        if self._answered(question, source, target, lambda foresight: foresight.after(work)):
            reply = self._known.pop(question)
            assert isinstance(reply, Found | Unsat | SolverUnknown)
            if not isinstance(reply, Found) or self._arrives(reply, visit, target):
                return reply
        return self.here.extend(visit, source, target)

    def _arrives(self, found: Found, visit: Visit, target: Region[Visit]) -> bool:
        """A client's run, told by its inputs, is what it should be here as well."""
        explored, depth = self.here.explored, visit.node.depth + 1
        test = run_test(explored.tree, found.assignment, -1, depth, explored.single)
        if target.place == ERROR:
            return test.end in (End.VIOLATED, End.BLOCKED)
        return len(test.nodes) > depth and explored.region(Visit(test, test.nodes[depth])) is target

    def impossible(
        self, source: Region[Visit], target: Region[Visit], visit: Visit | None = None, literals: Sequence[V] = ()
    ) -> NoEdge | None:
        """See Asker."""
        whole = tuple(target.literals())
        question = self._foresight.impossible(source, target.place, whole)
        work = None if visit is None else Work(visit, source, target.place, whole, tuple(literals))

        def next_(foresight: Foresight) -> Guesses:
            return foresight.edges(target) if work is None else foresight.after(work)

        if self._answered(question, source, target, next_):
            reply = self._known[question]
            assert reply is None or isinstance(reply, NoEdge)
            return reply
        return self.here.impossible(source, target)

    def predicate(
        self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]
    ) -> V | None:
        """See Asker."""
        whole = tuple(target.literals())
        question = Suggest(visit.node, target.place, tuple(literals), visit)
        work = Work(visit, source, target.place, whole, tuple(literals))
        if self._answered(question, source, target, lambda foresight: foresight.after(work)):
            reply = self._known[question]
            if reply is None or (isinstance(reply, Term | int) and not self.here.explored.holds(visit, reply)):
                return reply
        return self.here.predicate(visit, source, target, literals)

    def close(self) -> None:
        """See Asker."""
        self.crew.close()
        self.here.close()

    # ------------------------------------------------------------ a round

    def _answered(
        self, question: Question, source: Region[Visit], target: Region[Visit], next_: Callable[[Foresight], Guesses]
    ) -> bool:
        """The reply is known, perhaps after a round."""
        if self._over_calls(source.place, target.place):
            return False
        if question not in self._known:
            self._round(question, next_(self._foresight))
        return question in self._known

    def _round(self, question: Question, guesses: Guesses) -> None:
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        questions = self._chosen(question, guesses)
        parcels = {number: self._parcel(number, asked) for number, asked in enumerate(questions)}
        replies = self.crew.work(parcels, self.budget)
        self.rounds += 1
        self.longest += max((reply.asked for reply in replies.values()), default=0)
        for number, reply in sorted(replies.items()):
            self._account(reply, number == 0)
        for number, asked in enumerate(questions):
            done = replies.get(number)
            if done is None or isinstance(done.result, jobs.Failed):
                self.unanswered += 1
            elif number == 0 or not done.unknown:
                self._keep(asked, done.result)

    def _chosen(self, question: Question, guesses: Guesses) -> list[Question]:
        """The question, and as many probable ones as there are clients."""
        found = dict.fromkeys([question])
        while len(found) < self.crew.number:
            guess = next(guesses, None)
            if guess is None:
                break
            found[guess] = None
        return list(found)

    def _over_calls(self, place: Place, target: Place) -> bool:
        return self.here.questions.passes_calls(place, target)

    def _account(self, reply: jobs.Reply, wanted: bool) -> None:
        """Its calls count as this process's own; what it learned of arrays holds here as well."""
        queries = self.here.questions.paths.queries
        self.asked += reply.asked
        queries.asked += reply.asked
        queries.hits += reply.hits
        queries.unknown += reply.unknown if wanted else 0
        queries.seconds += reply.seconds
        for purpose, answer, seconds in reply.calls:
            queries.observe(SolverCall(purpose, answer, seconds))
        for origin, granule in reply.granules.items():
            if self.granules.setdefault(origin, granule) != granule:
                self.granules[origin] = 1
                raise GranuleConflict(origin)
        if isinstance(reply.result, jobs.Conflict):
            raise GranuleConflict("found by a worker")

    # ------------------------------------------------------------ out

    def _parcel(self, number: int, question: Question) -> jobs.Parcel:
        job: jobs.Job
        match question:
            case Extend(node, target, literals, visit):
                seed = self.here.seed + len(self.here.explored.tests)
                job = jobs.ExtendJob(visit.test.number, node.depth, target, pack(literals), seed)
            case Impossible(place, before, target, after, _):
                facts = self.here.questions.facts.get(place, ())
                job = jobs.ImpossibleJob(place, pack(before), target, pack(after), pack(facts))
            case Suggest(node, target, literals, visit):
                back = MOST_BACK if self.goes_back else 0
                job = jobs.SuggestJob(visit.test.number, node.depth, target, pack(literals), back)
        run = None if isinstance(question, Impossible) else self._run(number, question.visit)
        return jobs.Parcel(job, run, dict(self.granules), GUESS_SECONDS if number else jobs.NO_LIMIT)

    def _run(self, number: int, visit: Visit) -> jobs.Run | None:
        """The visit's test, for a client that does not know it."""
        test = visit.test
        if (number, test.number) in self._told:
            return None
        self._told.add((number, test.number))
        if test.number not in self._runs:
            places = tuple(node.place for node in test.nodes)
            self._runs[test.number] = jobs.Run(test.number, test.inputs(self.here.explored.tree), places)
        return self._runs[test.number]

    # ------------------------------------------------------------ back

    def _keep(self, question: Question, result: jobs.Result) -> None:
        """The reply; predicates are replies to the questions that come after one another."""
        if not isinstance(question, Suggest) or not isinstance(result, jobs.Suggested):
            self._known[question] = self._answer(question, result)
            return
        counts = self.here.refinement.counts
        for way in result.ways:
            counts[way] = counts.get(way, 0) + 1
        self._known[question] = None
        node: Node | None = question.node
        for predicate in unpack(result.predicates):
            assert node is not None
            self._known[question] = predicate
            before = node.parent
            if before is None:
                return
            question = Suggest(before, node.place, (predicate,), Visit(question.visit.test, before))
            node = before

    def _answer(self, question: Question, result: jobs.Result) -> Reply:
        match question, result:
            case Extend(visit=visit), jobs.Crossed(inputs):
                explored = self.here.explored
                seed = self.here.seed + len(explored.tests)
                found = replayed(explored.tree, inputs, seed, explored.single)
                found.pool = visit.test.assignment.pool
                return Found(found)
            case Extend(literals=literals), jobs.NotCrossed(core):
                return Unsat(_at(literals, core))
            case Extend(), jobs.NoAnswer(reason):
                return SolverUnknown(reason)
            case Impossible(place, before, _, after), jobs.Impossible(mine, theirs, used):
                facts = self.here.questions.facts.get(place, ())
                return NoEdge(_at(before, mine), _at(after, theirs), _at(facts, used))
            case Impossible(), jobs.Possible():
                return None
        raise AssertionError(f"{type(result).__name__} is no reply to {type(question).__name__}")


def _at(literals: Sequence[V], positions: Sequence[int]) -> tuple[V, ...]:
    return tuple(literals[position] for position in positions)
