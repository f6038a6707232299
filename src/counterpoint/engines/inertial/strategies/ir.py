"""Inertial refinement: a run within what is entered first; else the least is entered that lets one appear.

    block all placeholders: a run satisfies the condition: found
    no run does without blocks either: excluded
    enter a minimal correction set of the blocks

Source: [inertial refinement, section IV, algorithm 2].
Deviation: BLOCK comes before BEGIN, which then is asked only if the contradiction needs blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.correction import Blocks, Cone, Correction, hitting
from counterpoint.engines.inertial.strategies.dcr import relevant
from counterpoint.engines.inertial.strategies.protocol import Decision, Enter, Excluded, Found, Undecided
from counterpoint.engines.inertial.unfolding import Placeholder, Unfolding
from counterpoint.solver.answers import Model, Sat, SolverUnknown, Unsat
from counterpoint.term.term import V

BEGIN_SHARE = 0.25
"""Of a question's limit, for the one without blocks, where cores can tell as well."""


def blocked(unfolding: Unfolding, condition: V) -> Decision | Blocks:
    """What is decided with all placeholders blocked, and with none; else what has to be corrected."""
    cone = unfolding.in_cone(condition)
    core: list[Placeholder] | None = None
    match unfolding.ask(condition, cone, "blocked"):
        case Sat(model):
            return Found(model)
        case Unsat() as answer:
            core = unfolding.core(answer)
            if not core:
                return Excluded()
        case SolverUnknown(reason) if not cone:
            return Undecided(reason)
    match unfolding.ask(condition, share=BEGIN_SHARE if core else 1.0):
        case Unsat():
            return Excluded()
        case SolverUnknown(reason):
            return _without_model(Cone(unfolding, condition, cone), core) if core else Undecided(reason)
        case Sat(model):
            return Blocks(unfolding, condition, cone, core, model)


def _without_model(cone: Cone, core: Sequence[Placeholder]) -> Decision:
    """Cores tell as well what has to be entered, or that there is nothing. Each question about them has most blocks,
    and takes a hundredth of the time of one that has none, where memory behind many calls is unknown."""
    found = hitting(cone, core)
    match found.end:
        case Unsat():
            return Excluded()
        case Sat():
            return Enter(found.chosen)
    return Enter(found.chosen, guessed=True)


def answered(unfolding: Unfolding, condition: V, model: Model, chosen: list[Placeholder] | None) -> Decision:
    """The correction set is entered, or, where there is none for want of an answer, all that a model needs."""
    return Enter(tuple(chosen or relevant(unfolding, condition, model) or unfolding.in_cone(condition)))


@dataclass(frozen=True, slots=True)
class Inertial:
    correction: Correction
    name: str = "ir"

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        match blocked(unfolding, condition):
            case Blocks(model=model) as blocks:
                return answered(unfolding, condition, model, self.correction(blocks))
            case decision:
                return decision
