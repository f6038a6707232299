"""What cannot fail in a region by what its own formulas say of the way there, whatever memory is like.

Most checks in a large region are of this kind: a solver sees it at once where it is not told beside it where all
objects lie and what all blocks hold. What is left is for the region's solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from counterpoint.core import clock
from counterpoint.regions.cut_graph import Region
from counterpoint.regions.summary import Block, Failure
from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.needing import is_worth_it, open_by_halves
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors

QUESTION_SECONDS: Final = 0.5
"""Limit of one question."""

One = TypeVar("One", Failure, Block)


def possible(region: Region, seconds: float, seed: int = 0) -> Region:
    """The region without those failures and blocks that are shown to be impossible in so many seconds."""
    formulas = [one.formula for one in region.failures] + [one.formula for one in region.blocks]
    formulas = [formula for formula in formulas if formula != 0]
    if not formulas or not is_worth_it(formulas, [*formulas, *region.assumed]):
        return region
    asking = _Asking(Selectors(backend("bitwuzla").connect(Settings(seed)), "plain"), clock.now() + seconds)
    try:
        blocks = asking.left(region.blocks)
        return replace(region, blocks=blocks, failures=asking.left(region.failures))
    finally:
        asking.selectors.solver.close()


class _Asking:
    def __init__(self, selectors: Selectors[int], until: float) -> None:
        self.selectors, self.until = selectors, until

    def left(self, items: Sequence[One]) -> tuple[One, ...]:
        """Those that may be possible, in their order."""
        return tuple(open_by_halves([one for one in items if one.formula != 0], self.is_excluded))

    def is_excluded(self, group: Sequence[One]) -> bool | None:
        """None of them is possible, as far as that is known; None: there is no more time."""
        seconds = min(QUESTION_SECONDS, self.until - clock.now())
        if seconds <= 0:
            return None
        switches = [self.selectors.switch(id(one), [one.formula]) for one in group]
        return isinstance(self.selectors.solver.check([self.selectors.one_of(switches)], seconds), Unsat)
