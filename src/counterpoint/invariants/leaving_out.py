"""Which hypotheses a question needs, where the answer does not say: what it is answered without is left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Answer, Unsat

MOST_TRIALS = 4
"""Rounds of leaving out facts, in halves, quarters and so on."""


def left_out(
    hypotheses: Sequence[Fact], ask: Callable[[Sequence[Fact], float], Answer], usual: float, until: float
) -> list[Fact]:
    """Those that are left when parts are left out without which the answer, in the `usual` time, is the same."""
    if isinstance(ask([], usual), Unsat):
        return []
    kept = list(hypotheses)
    size = len(kept)
    for _ in range(MOST_TRIALS):
        size = size // 2
        for start in range(len(kept) - size, -1, -size) if size else ():
            if time.monotonic() > until:
                return kept
            rest = kept[:start] + kept[start + size :]
            if isinstance(ask(rest, usual), Unsat):
                kept = rest
    return kept
