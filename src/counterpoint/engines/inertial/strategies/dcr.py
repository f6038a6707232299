"""Of the placeholders on the way of a model those that it needs are entered: the first one, or all.

Source: [inertial refinement, sections II and V]: DCR (one at a time, as Calysto does) and DCR+ (all of them).
"""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.dont_care import cared_about
from counterpoint.engines.inertial.strategies.protocol import Decision, Enter, Excluded, Found, Undecided
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.term.term import V


def relevant(unfolding: Unfolding, condition: V, model: Model) -> list[Placeholder]:
    """The placeholders that the model needs to satisfy the condition; with all others blocked it can be satisfied."""
    needed = cared_about(condition, model)
    return [one for one in unfolding.in_cone(condition) if one.pi in needed]


@dataclass(frozen=True, slots=True)
class DontCares:
    name: str
    all_at_once: bool

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        match unfolding.ask(condition):
            case Unsat():
                return Excluded()
            case SolverUnknown(reason):
                return Undecided(reason)
            case Sat(model):
                chosen = relevant(unfolding, condition, model)
                if not chosen:
                    return Found(model)
                return Enter(tuple(chosen if self.all_at_once else chosen[:1]))


ONE = DontCares("dcr", all_at_once=False)
ALL = DontCares("dcr+", all_at_once=True)
