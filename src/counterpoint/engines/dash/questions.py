"""The questions that DASH's loop asks, as values, so that someone else may answer them; and who does: this process.

Replies are those of Questions (frontier.py) and Refinement, except that a model becomes the values of a new test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit, given_by
from counterpoint.engines.dash.frontier import NoEdge, Questions
from counterpoint.engines.dash.refinement import Refinement
from counterpoint.engines.dash.region_graph import Region
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.tree import Node
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.term.evaluate import Given
from counterpoint.term.term import Term, V


@dataclass(frozen=True, slots=True)
class Extend:
    """Is there a run along the path to the visit's node that steps into states of the target with these literals?"""

    node: Node
    target: Place
    literals: tuple[V, ...]
    visit: Visit = field(compare=False)


@dataclass(frozen=True, slots=True)
class Impossible:
    """Can no state with the literals `before` step into one with those `after`, given so many facts at the source?"""

    source: Place
    before: tuple[V, ...]
    target: Place
    after: tuple[V, ...]
    facts: int


@dataclass(frozen=True, slots=True)
class Suggest:
    """Which predicate separates the states at the end of the visit's path from those that step into the target?"""

    node: Node
    target: Place
    literals: tuple[V, ...]
    visit: Visit = field(compare=False)


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to Extend: a run's assignment, as far as it is known; `values` are the model's, if it is from here."""

    assignment: Assignment
    values: Mapping[Term, Given] | None = None


Question: TypeAlias = Extend | Impossible | Suggest
Extended: TypeAlias = Found | Unsat | SolverUnknown
Reply: TypeAlias = Extended | NoEdge | V | None


class Asker(Protocol):
    """Who the loop asks. A visit is a state in region `source`; no run along its path steps into states with
    `literals`, some of the target's. All raise OutOfBudget and GranuleConflict."""

    def extend(self, visit: Visit, source: Region[Visit], target: Region[Visit]) -> Extended:
        """Questions.extend."""
        ...

    def impossible(
        self, source: Region[Visit], target: Region[Visit], visit: Visit | None = None, literals: Sequence[V] = ()
    ) -> NoEdge | None:
        """Questions.impossible; the visit, if there is one, only says what comes next."""
        ...

    def predicate(
        self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]
    ) -> V | None:
        """Refinement.predicate."""
        ...

    def close(self) -> None:
        """Ends all processes."""
        ...


@dataclass(slots=True)
class Here:
    """This process answers."""

    explored: Explored
    questions: Questions
    refinement: Refinement
    seed: int

    def extend(self, visit: Visit, source: Region[Visit], target: Region[Visit]) -> Extended:
        """See Asker."""
        answer = self.questions.extend(visit, target)
        if not isinstance(answer, Sat):
            return answer
        values = given_by(answer.model, self.questions.paths.last_leaves)
        return Found(visit.test.assignment.changed(values, self.seed + len(self.explored.tests)), values)

    def impossible(
        self, source: Region[Visit], target: Region[Visit], visit: Visit | None = None, literals: Sequence[V] = ()
    ) -> NoEdge | None:
        """See Asker."""
        return self.questions.impossible(source, target.place, target.literals())

    def predicate(
        self, visit: Visit, source: Region[Visit], target: Region[Visit], literals: Sequence[V]
    ) -> V | None:
        """See Asker."""
        return self.refinement.predicate(visit, target.place, literals)

    def close(self) -> None:
        """See Asker."""
        self.questions.paths.queries.close()
