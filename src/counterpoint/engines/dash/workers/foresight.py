"""What DASH's loop will probably ask next, as far as the abstraction and the answers that are known tell.

The loop goes backwards along a path (figures 3.8 and 3.9) until a target turns out to be impossible, which is rare,
and then to the next frontier. Wrong guesses cost a question that nobody wanted, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit
from counterpoint.engines.dash.frontier import NoEdge
from counterpoint.engines.dash.questions import Extend, Impossible, Question, Reply, Suggest
from counterpoint.engines.dash.region_graph import Region
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.tree import Node
from counterpoint.solver.answers import Unsat
from counterpoint.term.term import Term, V

MOST_FRONTIERS = 12
"""Frontiers that are looked at for questions."""

MOST_VISITS = 2
"""Runs up to the same frontier."""

MOST_STEPS = 30
"""Places backwards along a path."""


@dataclass(frozen=True, slots=True)
class Work:
    """Where the loop is: no run along the visit's path steps from `source` into states of the target with these
    literals. `whole` are all literals of the target's region."""

    visit: Visit
    source: Region[Visit]
    target: Place
    whole: tuple[V, ...]
    literals: tuple[V, ...]


@dataclass(frozen=True, slots=True)
class Foresight:
    """`stuck`: pairs of node and target that are not tried again; `facts`: how many there are at a place; `goals`: what
    frontiers are wanted of; `excluded`: nobody else is asked about steps between these places; `goes_back`: splits go
    on at the place before."""

    explored: Explored
    known: Mapping[Question, Reply]
    stuck: Callable[[Node, Region[Visit]], bool]
    facts: Callable[[Place], int]
    goals: Callable[[], list[Region[Visit]]]
    excluded: Callable[[Place, Place], bool]
    goes_back: bool

    def after(self, work: Work) -> Iterator[Question]:
        """Questions without a known answer, the most probable first; some more than once."""
        return chain(self.back(work), self._frontiers())

    def edges(self, target: Region[Visit]) -> Iterator[Question]:
        """Section 3.4 for all edges from regions that no test has visited."""
        whole = tuple(target.literals())
        for source in target.before:
            if not source.visits and not self.excluded(source.place, target.place):
                question = self.impossible(source, target.place, whole)
                if question not in self.known:
                    yield question

    def impossible(self, source: Region[Visit], target: Place, whole: tuple[V, ...]) -> Impossible:
        """The question about these two."""
        return Impossible(source.place, tuple(source.literals()), target, whole, self.facts(source.place))

    def back(self, work: Work, others: int = MOST_VISITS) -> Iterator[Question]:
        """Figures 3.8 and 3.9 from there on; then at the same frontier for so many runs that are left there."""
        for _ in range(MOST_STEPS):
            if self.excluded(work.source.place, work.target):
                return
            impossible = self.impossible(work.source, work.target, work.whole)
            if impossible not in self.known:
                yield impossible
            elif isinstance(self.known[impossible], NoEdge):
                return
            node = work.visit.node
            if node.place == START:
                return
            suggest = Suggest(node, work.target, work.literals, work.visit)
            if suggest not in self.known:
                yield suggest
                return
            predicate = self.known[suggest]
            if not isinstance(predicate, Term):
                return
            left = [visit for visit in work.source.visits if self.explored.holds(visit, predicate)]
            if left:
                if others:
                    yield from self._extend(left[0], work.source, work.target, work.whole, others - 1)
                return
            before = self._before(work, predicate)
            if before is None:
                return
            work = before

    def _before(self, work: Work, predicate: V) -> Work | None:
        """The step after the split by the predicate, if there will be one."""
        parent = work.visit.node.parent
        if parent is None or not self.goes_back:
            return None
        visit = Visit(work.visit.test, parent)
        found = self.explored.region(visit)
        if found is None or work.source not in found.after:
            return None
        whole = (predicate, *work.source.literals())
        return Work(visit, found, work.source.place, whole, (predicate,))

    def _frontiers(self) -> Iterator[Question]:
        """Of the frontiers as they are now."""
        forest = self.explored.forest
        found = (frontier for goal in self.goals() for frontier in forest.frontiers(goal))
        for frontier in islice(found, MOST_FRONTIERS):
            target = frontier.target
            visits = sorted(frontier.source.visits, key=lambda visit: visit.node.depth)
            free = (visit for visit in visits if not self.stuck(visit.node, target))
            for visit in islice(free, MOST_VISITS):
                yield from self._extend(visit, frontier.source, target.place, tuple(target.literals()), MOST_VISITS)

    def _extend(
        self, visit: Visit, source: Region[Visit], target: Place, whole: tuple[V, ...], others: int
    ) -> Iterator[Question]:
        """Figure 3.3 at one frontier."""
        if self.excluded(source.place, target):
            return
        question = Extend(visit.node, target, whole, visit)
        if question not in self.known:
            yield question
            yield from self.back(Work(visit, source, target, whole, whole), others)
            return
        match self.known[question]:
            case Unsat(core):
                yield from self.back(Work(visit, source, target, whole, tuple(core)), others)
