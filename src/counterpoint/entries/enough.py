"""Whether a block just as long as a clause asks is enough for other calls too: with other numbers, blocks and memory.

The runs that a clause comes from may need more or less by chance: how much a loop writes that goes on to the end of a
string hangs on the string. What calls need more and more of has no least length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from counterpoint.core.budget import Budget
from counterpoint.entries.environment import Environment
from counterpoint.entries.explored import Explored, Place, Sample
from counterpoint.entries.extents import LONG, least
from counterpoint.entries.given import What, settled
from counterpoint.entries.literals import Clause, Literal, Rank, State, holds, with_lengths
from counterpoint.entries.trials import Trials

CALLS: Final = 48
"""That would show that the block has to be longer."""

RAISED: Final = 2
"""How often a least length is made larger, as a call needs more, before there is none."""

LIKE: Final = 0.5
"""How often a value in memory is that of the failing run, in every other call."""


class Runs(Protocol):
    """Of a function from its arbitrary caller (entries/exploring.py)."""

    @property
    def environment(self) -> Environment: ...

    @property
    def found(self) -> Explored: ...

    def drawn(self) -> dict[str, int]: ...

    def sample(self, state: State, budget: Budget, like: Sample | None = None, same: float = 1.0) -> Sample | None: ...

    def place_of(self, sample: Sample) -> Place | None: ...

    def trials(self, failing: Sample, budget: Budget) -> Trials: ...


def lengthened(
    runs: Runs, vocabulary: Sequence[Literal], clause: Clause, failing: Sample, place: Place, raised: Counter[str],
    budget: Budget,
) -> Sequence[Literal] | None:
    """The vocabulary without what is too short for some call, as runs show, and with what that call needs; None where
    nothing in the clause is. `raised`: how often that was so of a block."""
    for one in clause:
        longer = _needs_more(runs, one, failing, place, budget) if one.rank is Rank.LENGTH else None
        if longer is None:
            continue
        kept = [other for other in vocabulary if not is_no_longer(other, one)]
        if not isinstance(one.right, int):
            return kept
        raised[one.left] += 1
        if raised[one.left] > RAISED:
            return [other for other in kept if other.left != one.left or not isinstance(other.right, int)]
        length = next(given for given in runs.environment.given if given.source == one.left)
        value = least(length, runs.trials(longer, budget))
        return with_lengths(runs.environment, kept, [(length, value)] if value is not None else [])
    return None


def is_no_longer(one: Literal, other: Literal) -> bool:
    """Both are about the length of one block, and the first never asks for more than the second."""
    if one.rank is not Rank.LENGTH or _block(one) != _block(other):
        return False
    if isinstance(one.right, int) and isinstance(other.right, int):
        return one.right <= other.right
    alike = isinstance(one.right, str) and one.left == other.left and one.times <= other.times
    return alike and (one == other or one.operator == "<=")


def _needs_more(runs: Runs, literal: Literal, failing: Sample, place: Place, budget: Budget) -> Sample | None:
    """A call that fails there as the block is just as long as the literal asks, and not where it is LONG."""
    for number in range(CALLS):
        like = failing if number % 2 and failing.failed is not None else None
        for state in _just_as_long(runs, literal, failing.state):
            sample = runs.sample(state, budget, like, LIKE) if budget.remaining() > 0 else None
            if sample is None or runs.place_of(sample) != place or not literal.is_met(sample.state):
                continue
            longer = runs.sample({**sample.state, _block(literal): LONG}, budget, sample, 1.0)
            if longer is not None and runs.place_of(longer) != place:
                return sample
    return None


def _just_as_long(runs: Runs, literal: Literal, state: State) -> Iterator[State]:
    """Choices with these pointers, and others drawn anew, that keep what is required; none if they do not."""
    given, drawn = runs.environment.given, runs.drawn()
    about = {literal.left, literal.right} if isinstance(literal.right, int) else {literal.right}
    free = {one.source for one in given if one.what is not What.POINTER} - about
    other: dict[str, int] = {**state, **{source: value for source, value in drawn.items() if source in free}}
    if isinstance(literal.right, int):
        other[literal.left] = literal.right
    else:
        number = other.get(literal.left, 0)
        other[literal.right] = max(1, number * literal.times + (literal.operator == "<"))
    other = settled(given, other)
    if literal.is_met(other) and all(holds(clause, other) for clause in runs.found.clauses):
        yield other


def _block(literal: Literal) -> str:
    """The length that it speaks of."""
    return literal.left if isinstance(literal.right, int) else literal.right
