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
from counterpoint.solver.protocol import Settings
from counterpoint.solver.selectors import Selectors
from counterpoint.term.walk import size

LARGE: Final = 300
"""Terms of a region from which this is tried."""

QUESTION_SECONDS: Final = 0.5
MISSES: Final = 12
"""Limits: of one question, and of how many more there are without the answer than with it."""

One = TypeVar("One", Failure, Block)


def possible(region: Region, seconds: float, seed: int = 0) -> Region:
    """The region without those failures and blocks that are shown to be impossible in so many seconds."""
    formulas = [one.formula for one in region.failures] + [one.formula for one in region.blocks]
    formulas = [formula for formula in formulas if formula != 0]
    if not formulas or size(*formulas, *region.assumed) < max(LARGE, 2 * size(*formulas)):
        return region
    asking = _Asking(Selectors(backend("bitwuzla").connect(Settings(seed)), "plain"), clock.now() + seconds)
    try:
        blocks = asking.left(region.blocks)
        return replace(region, blocks=blocks, failures=asking.left(region.failures))
    finally:
        asking.selectors.solver.close()


class _Asking:
    def __init__(self, selectors: Selectors[int], until: float) -> None:
        self.selectors, self.until, self.misses = selectors, until, 0

    def left(self, items: Sequence[One]) -> tuple[One, ...]:
        """Those that may be possible, in their order."""
        waiting, kept = [[one for one in items if one.formula != 0]], list[One]()
        while waiting:
            group = waiting.pop()
            if group and not self.is_excluded(group):
                middle = len(group) // 2
                if middle and self.misses < MISSES and clock.now() < self.until:
                    waiting += [group[middle:], group[:middle]]
                else:
                    kept += group
        return tuple(kept)

    def is_excluded(self, group: Sequence[One]) -> bool:
        """None of them is possible, as far as that is known in time."""
        seconds = min(QUESTION_SECONDS, self.until - clock.now())
        if seconds <= 0 or self.misses >= MISSES:
            return False
        switches = [self.selectors.switch(id(one), [one.formula]) for one in group]
        excluded = isinstance(self.selectors.solver.check([self.selectors.one_of(switches)], seconds), Unsat)
        self.misses += -1 if excluded else 1
        return excluded
