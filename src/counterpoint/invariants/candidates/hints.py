"""The candidates that the program itself gives."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.invariants.candidates.protocol import Context
from counterpoint.invariants.guess import Guess, GuessSource
from counterpoint.term.walk import conjuncts


def _guesses(context: Context) -> Iterator[Guess]:
    """A hint at the start of its region, and at the ends of it: it may stand on either side of a loop's head."""
    for region in context.graph.regions:
        for part in (part for hint in region.hints for part in dict.fromkeys((hint, *conjuncts(hint)))):
            fact = region.start_values.back(part)
            if fact is not None:
                yield region.start, fact
            for way in region.ways:
                after = way.values.back(part) if way.leaves else None
                if after is not None:
                    yield way.target, after


SOURCE = GuessSource("hints", 0, "conditions that the program suggests (cand of Simple C)", _guesses)
