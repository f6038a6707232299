"""What has to be shown so that a certificate proves its claim: questions that no run may answer with yes."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Goal:
    """No run may fulfil `violated`; `what` names it."""

    what: str
    violated: V


@dataclass(frozen=True, slots=True)
class Question:
    """The `hypotheses` exclude every goal's violation. `exact`: if they do not, the proof is wrong; otherwise some
    hypotheses were weakened, and it may only be too hard to check."""

    where: str
    hypotheses: tuple[V, ...]
    goals: tuple[Goal, ...]
    exact: bool

    def formulas(self, goals: Sequence[Goal]) -> list[V]:
        """Satisfiable if one of these goals can be violated."""
        return [build.disjunction([goal.violated for goal in goals]), *self.hypotheses]


@dataclass(frozen=True, slots=True)
class Conditions:
    """What has to be shown; `claims` counts all goals, also those that are plain; `hints` are the certificate's."""

    questions: tuple[Question, ...]
    claims: int
    instructions: int
    hints: tuple[tuple[str, ...], ...] = ()
