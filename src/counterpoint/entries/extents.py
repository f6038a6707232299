"""How long a block of unknown length has to be: runs like one that fails, in which that length alone is another.

The numbers that a function's text speaks of say so only where the length is one of them, which it is not in
`d[4 * i + 3]` of a loop to 4. What runs need does not depend on how the text is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from counterpoint.entries.given import Given, What
from counterpoint.entries.literals import holds
from counterpoint.entries.trials import Fate, Trials

LONG: Final = 1 << 12
"""Elements of a block that is tried first: where the run fails with so many as before, length has no part in it."""


OTHERS: Final = 24
"""Runs with other numbers, for which the length has to be enough as well."""


def needed(given: Sequence[Given], trials: Sequence[Trials]) -> Iterator[tuple[Given, int]]:
    """Each length that the failure hangs on, with the least number of elements that all runs of `trials`, which fail
    alike, need. Left out are lengths that hang on other choices: the runs need different numbers of elements, or one
    with other numbers needs more."""
    for one in given:
        if one.what is What.LENGTH:
            match list({least(one, run) for run in trials}):
                case [int(value)] if all(_is_enough(one, value, given, run) for run in trials):
                    yield one, value


def least(length: Given, run: Trials) -> int | None:
    """By halving: with that many the run ends as with LONG ones, with one less it does not. None where it then fails as
    it did, or neither passes nor fails. Takes up to 13 runs."""
    short, enough = run.state.get(length.source), LONG
    if short is None or short >= enough:
        return None
    ends = _fate(length, run, enough)
    if ends not in (Fate.PASSES, Fate.OTHER):
        return None
    while enough - short > 1:
        middle = (short + enough) // 2
        if _fate(length, run, middle) is ends:
            enough = middle
        else:
            short = middle
    return enough


def _is_enough(length: Given, elements: int, given: Sequence[Given], run: Trials) -> bool:
    """With other numbers no run with such a block fails as that one did, or ends otherwise than with a LONG one."""
    numbers = [one.source for one in given if one.what is What.NUMBER]
    for _ in range(OTHERS if numbers else 0):
        drawn = run.draw()
        state = {**run.state, **{one: drawn[one] for one in numbers if one in drawn}}
        short, long = ({**state, length.source: size} for size in (elements, LONG))
        if all(holds(clause, one) for clause in run.kept for one in (short, long)):
            ends = run.rerun(short)[0]
            if ends is Fate.SAME or ends is not run.rerun(long)[0]:
                return False
    return True


def _fate(length: Given, run: Trials, elements: int) -> Fate:
    fate, became = run.rerun({**run.state, length.source: elements})
    return fate if became.get(length.source) == elements else Fate.NONE
