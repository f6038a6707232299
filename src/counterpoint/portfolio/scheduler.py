"""Whose turn it is in a lane: walks through a schedule while engines end by themselves or by their limits."""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason
from counterpoint.portfolio.schedule import Lane, Schedule, Slice

Key: TypeAlias = tuple[str, ...]
"""Slice.key."""

GROWTH = 2
"""How much longer an engine may take each time it begins anew."""

LEAST = 0.05
"""Seconds below which nothing is started."""

_MAY_GET_FURTHER = frozenset({Reason.NO_PROGRESS, Reason.BOUND_REACHED, Reason.SOLVER_UNKNOWN})
"""Answers of an engine that more facts may change; any other but OUT_OF_TIME it would give again."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A slice, its seconds, and how often its engine has begun before."""

    part: Slice
    seconds: float
    before: int


@dataclass(slots=True)
class Turns:
    """The state of a schedule. `news` is a number that grows when facts are told (the pool's size)."""

    schedule: Schedule
    _done: list[int] = field(default_factory=list)
    _running: set[Key] = field(default_factory=set)
    _begun: dict[Key, int] = field(default_factory=dict)
    _repeated: dict[Key, int] = field(default_factory=dict)
    _finished: dict[Key, int | None] = field(default_factory=dict)
    _further: list[tuple[int, Slice]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._done = [0] * len(self.schedule.lanes)

    def next(self, lane: int, elapsed: float, remaining: float, news: int = 0) -> Turn | None:
        """What the lane runs now, or None. `elapsed` and `remaining` are the seconds since and to the ends."""
        if remaining <= LEAST or elapsed < self.schedule.lanes[lane].after:
            return None
        turn = self._once(lane, remaining, news) or self._go_further(lane, remaining)
        turn = turn or self._again(lane, remaining, news)
        if turn is None and self.schedule.idle is not None and self._worth(self.schedule.idle.key, news):
            turn = self._turn(self.schedule.idle, remaining)
        if turn is not None:
            self._running.add(turn.part.key)
            self._begun[turn.part.key] = turn.before + 1
        return turn

    def ended(self, part: Slice, reason: Reason | None, news: int) -> None:
        """The slice is over: with an UNKNOWN of that reason, or None for a crash."""
        self._running.discard(part.key)
        if reason is Reason.OUT_OF_TIME or (part.options and reason in _MAY_GET_FURTHER):
            self._finished.pop(part.key, None)
        else:
            self._finished[part.key] = news if reason in _MAY_GET_FURTHER else None

    def proved_some(self, lane: int, part: Slice) -> None:
        """There is more to prove for a slice that has ended in that lane, also where engines have but one turn each."""
        if not any(part.key == one.key for other in self.schedule.lanes for one in other.again):
            self._further.append((lane, part))

    def next_due(self, elapsed: float) -> float:
        """Seconds until a lane that still waits may start; infinite if none does."""
        waiting = (lane.after - elapsed for lane in self.schedule.lanes)
        return min((seconds for seconds in waiting if seconds > 0), default=float("inf"))

    # ---------------------------------------------------------------- the sources of turns

    def _once(self, number: int, remaining: float, news: int) -> Turn | None:
        lane = self.schedule.lanes[number]
        while self._done[number] < len(lane.once):
            part = lane.once[self._done[number]]
            self._done[number] += 1
            if self._worth(part.key, news):
                return self._turn(part, _seconds_once(lane, self._done[number] - 1, remaining))
        return None

    def _go_further(self, number: int, remaining: float) -> Turn | None:
        found = next((one for one in self._further if one[0] == number and one[1].key not in self._running), None)
        if found is None:
            return None
        self._further.remove(found)
        return self._turn(found[1], remaining)

    def _again(self, number: int, remaining: float, news: int) -> Turn | None:
        parts = self.schedule.lanes[number].again
        if self.schedule.shared and not any(self._worth(part.key, news) for part in parts):
            parts = tuple(part for lane in self.schedule.lanes for part in lane.again)
        worth = [part for part in parts if self._worth(part.key, news)]
        if not worth:
            return None
        part = min(worth, key=lambda part: self._repeated.get(part.key, 0))
        count = self._repeated.get(part.key, 0)
        self._repeated[part.key] = count + 1
        if part.seconds is None or len(worth) == 1:
            return self._turn(part, remaining)
        wanted = part.seconds * GROWTH**count
        return self._turn(part, remaining if remaining < 1.5 * wanted else wanted)

    def _worth(self, engine: Key, news: int) -> bool:
        """It is not running, and may get further than it did."""
        if engine in self._running:
            return False
        if engine not in self._finished:
            return True
        told = self._finished[engine]
        return told is not None and news > told

    def _turn(self, part: Slice, seconds: float) -> Turn:
        return Turn(part, seconds, self._begun.get(part.key, 0))


def _seconds_once(lane: Lane, position: int, remaining: float) -> float:
    """Slices without limits share fairly what is left, among themselves."""
    here = lane.once[position]
    limits = [] if here.seconds is None else [here.seconds]
    limits += [] if here.share is None else [here.share * remaining]
    if limits:
        return min(remaining, *limits)
    return remaining / sum(1 for part in lane.once[position:] if part.seconds is None and part.share is None)
