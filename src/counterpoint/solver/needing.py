"""Which goals need the hypotheses of their question: the others are asked about without, together and then in halves.

Most checks in a large region hold by what their own goals say of the way there. A solver sees that in a small part of
the time that it spends on what all memory is like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from counterpoint.core import clock
from counterpoint.term.term import V
from counterpoint.term.walk import size

MANY: Final = 300
"""Terms of a question from which this is tried, where at most half of them are its goals'."""

QUESTION_SECONDS, SHARE = 1.0, 0.15
"""Limits of one question without hypotheses, and of all of them, as a share of the time for the whole."""

MISSES: Final = 12
"""How many more questions there are without the answer than with it, at most."""

Goal = TypeVar("Goal")


def needing(
    formulas: Callable[[Sequence[Goal]], list[V]],
    goals: Sequence[Goal],
    refutes: Callable[[V, float], bool],
    seconds: float,
) -> list[Goal]:
    """Those that may need hypotheses. `formulas`: of a group, that one of them is violated, then all hypotheses;
    `refutes`: whether a formula is impossible, as far as is known in so many seconds."""
    whole = formulas(goals) if goals else []
    if not whole or not is_worth_it(whole[:1], whole):
        return list(goals)
    until = clock.now() + SHARE * seconds

    def excluded(group: Sequence[Goal]) -> bool | None:
        left = min(QUESTION_SECONDS, until - clock.now())
        return refutes(formulas(group)[0], left) if left > 0 else None

    return open_by_halves(goals, excluded)


def is_worth_it(goals: Sequence[V], whole: Sequence[V]) -> bool:
    """The question is large, and at most half of it is its goals'."""
    return size(*whole) >= max(MANY, 2 * size(*goals))


def open_by_halves(items: Sequence[Goal], excluded: Callable[[Sequence[Goal]], bool | None]) -> list[Goal]:
    """Those that may be possible, in their order. `excluded` tells of a group whether none of it is; None: there is no
    more time."""
    waiting, found, misses = [list(items)] if items else [], list[Goal](), 0
    while waiting:
        group = waiting.pop()
        answer = excluded(group) if misses < MISSES else None
        misses += 1 if answer is False else -1 if answer else 0
        if answer is False and len(group) > 1:
            middle = len(group) // 2
            waiting += [group[middle:], group[:middle]]
        elif not answer:
            found += group
    return found
