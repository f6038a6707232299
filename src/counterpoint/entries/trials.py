"""Whether a failure hangs on what a clause speaks of: runs like a failing one, in which one choice alone is another.

A clause that fits the runs may do so by chance: in `a[k] = v` all calls that fail may have `v == 0`. Calls that fail
still, whatever `v` is, tell that it has no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum
from itertools import islice
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.entries.literals import Clause, Literal, Rank, State, holds

ENOUGH: Final = 3
"""Runs with another value of one choice alone, in which a literal holds, that all fail as before: it has no part."""

VALUES: Final = 8
"""Other values that are tried of one choice, for one literal."""

DRAWN: Final = 60
"""Values of a choice that are drawn until enough fulfil a literal."""

FAR: Final = (0, 1, -1, 2, -2, 7, -7, 100, -100, 40_000, -40_000)
"""How far from what it is compared with a choice is put."""


class Fate(Enum):
    """How a run with one other choice ends."""

    PASSES = "passes"
    SAME = "fails in the same check"
    OTHER = "fails in another check"
    NONE = "neither"


Rerun: TypeAlias = Callable[[State], tuple[Fate, State]]
"""The run that failed once more, with these choices of its caller; what they came to in their types."""

Draw: TypeAlias = Callable[[], State]
"""Choices of a caller, at random."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A run that differs from the failing one in the choice `source`."""

    source: str
    state: State
    fate: Fate


@dataclass(slots=True)
class Trials:
    """What is known of one run that failed, whose caller chose `state` and keeps the clauses `kept`."""

    state: State
    kept: Sequence[Clause]
    rerun: Rerun
    draw: Draw
    made: list[Trial] = field(default_factory=list)

    def fates(self, literal: Literal, source: str) -> list[Fate]:
        """Of runs in which the literal holds by another value of that choice."""
        if literal.is_met(self.state):
            return []
        return [one.fate for one in self.made if one.source == source and literal.is_met(one.state)]

    def try_literal(self, literal: Literal) -> None:
        """Runs for each choice that it speaks of, until one passes or enough fail."""
        if literal.holds(self.state):
            return
        for source in sources(literal):
            fates = self.fates(literal, source)
            if Fate.PASSES in fates:
                continue
            for state in islice(self.others(literal, source), max(0, VALUES - len(fates))):
                fate, became = self.rerun(state)
                if fate is not Fate.NONE:
                    self.made.append(Trial(source, became, fate))
                if fate is Fate.PASSES:
                    break

    def others(self, literal: Literal, source: str) -> Iterator[State]:
        """Choices that differ in that one, in which the literal holds and all else that is required."""
        known = {one.state[source] for one in self.made if one.source == source}
        for value in self.values(literal, source):
            state = {**self.state, source: value}
            if value not in known and literal.is_met(state) and all(holds(clause, state) for clause in self.kept):
                if literal.rank is not Rank.NOT_NULL:  # behind a pointer that is there now, much is drawn
                    known.add(value)
                yield state

    def values(self, literal: Literal, source: str) -> Iterator[int]:
        """Near what it is compared with, then any."""
        other = literal.right if source == literal.left else literal.left
        beside = other if isinstance(other, int) else self.state.get(other)
        if beside is not None:
            yield from (beside + far for far in FAR)
        for _ in range(DRAWN):
            drawn = self.draw().get(source)
            if drawn is not None:
                yield drawn


def is_ruled_out(literal: Literal, trials: Sequence[Trials]) -> bool:
    """It may hold, by one of its choices alone, and nothing changes."""
    for source in sources(literal):
        fates = [fate for one in trials for fate in one.fates(literal, source)]
        if len(fates) >= ENOUGH and all(fate is Fate.SAME for fate in fates):
            return True
    return False


def sources(literal: Literal) -> tuple[str, ...]:
    """The choices that it compares."""
    return (literal.left,) if isinstance(literal.right, int) else (literal.left, literal.right)
