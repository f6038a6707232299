"""Inertial refinement, with correction sets only among the placeholders that a model needs.

Source: [inertial refinement, section VII]: future work, IR combined with DCR.
"""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.engines.inertial.correction import Blocks, grown
from counterpoint.engines.inertial.strategies.dcr import relevant
from counterpoint.engines.inertial.strategies.ir import answered, blocked
from counterpoint.engines.inertial.strategies.protocol import Decision
from counterpoint.engines.inertial.unfolding import Unfolding
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class InertialDontCares:
    name: str = "ir+dcr"

    def decide(self, unfolding: Unfolding, condition: V) -> Decision:
        match blocked(unfolding, condition):
            case Blocks(model=model) as blocks:
                needed = relevant(unfolding, condition, model)
                return answered(unfolding, condition, model, grown(blocks, needed))
            case decision:
                return decision


STRATEGY = InertialDontCares()
