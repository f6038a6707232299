"""Sets of abstract states as unions of few cubes.

Source: Minato, "Fast generation of prime-irredundant covers from binary decision diagrams" (IEICE 1993).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.logic.state_sets import Bdd, States
from counterpoint.term import build
from counterpoint.term.term import V

MOST_STEPS: Final = 3_000
"""Calls of one minimisation."""


class TooLargeError(Exception):
    """It would take too long."""


def cover(states: States, order: Mapping[V, int], lower: Bdd, upper: Bdd) -> list[tuple[V, ...]]:
    """Cubes, as literals, whose union lies between the two sets; their predicates are split in the `order`. Raises
    TooLargeError."""
    return _Cover(states, order).between(lower, upper)[0]


@dataclass(slots=True)
class _Cover:
    states: States
    order: Mapping[V, int]
    steps: int = 0

    def between(self, lower: Bdd, upper: Bdd) -> tuple[list[tuple[V, ...]], Bdd]:
        """The cubes and their union. As deep as there are predicates."""
        states = self.states
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLargeError
        if lower == states.none:
            return [], states.none
        if upper == states.all:
            return [()], states.all
        predicate = min((p for side in (lower, upper) for p in states.predicates(side)), key=self.order.__getitem__)
        literal = states.literal(predicate)
        low0, low1, up0, up1 = (
            states.forget(side & way, [predicate]) for side in (lower, upper) for way in (~literal, literal)
        )
        zero, covered0 = self.between(low0 & ~up1, up0)
        one, covered1 = self.between(low1 & ~up0, up1)
        both, covered = self.between((low0 & ~covered0) | (low1 & ~covered1), up0 & up1)
        cubes = [(build.not_(predicate), *cube) for cube in zero] + [(predicate, *cube) for cube in one] + both
        return cubes, (covered0 & ~literal) | (covered1 & literal) | covered
