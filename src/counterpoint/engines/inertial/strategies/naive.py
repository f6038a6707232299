"""Everything that the condition mentions is entered.

Source: [inertial refinement, algorithm 1, and the column "Naive" of figure 3].
"""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.strategies.protocol import Decision, Enter, Excluded, Found, Undecided
from counterpoint.engines.inertial.unfolding import Unfolding
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class Naive:
    name: str = "naive"

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        cone = unfolding.in_cone(condition)
        match unfolding.ask(condition):
            case Unsat():
                return Excluded()
            case SolverUnknown(reason) if not cone:
                return Undecided(reason)
            case Sat(model) if not cone:
                return Found(model)
        return Enter(tuple(cone))


STRATEGY = Naive()
