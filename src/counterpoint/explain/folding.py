"""Which steps of a run are shown: of loops the first iteration, those that take other lines, and the last.

Everything is folded as soon as it is over, so that memory is needed for what is shown only.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass

MOST_KINDS: Final = 4
"""Iterations of a loop with different lines that are shown; all others are folded."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its number and place, how many calls it is in."""

    number: int
    place: int
    depth: int


@dataclass(slots=True)
class Fold:
    """Steps `first` to `last`: so many iterations of the loop at `place`; `items` while it is only one."""

    first: int
    last: int
    place: int
    depth: int
    iterations: int
    items: list[Item]


Item: TypeAlias = Step | Fold


@dataclass(slots=True)
class Items:
    """What is shown of some steps, and the numbers of all lines that they visited."""

    items: list[Item] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)

    def add(self, step: Step, line: int) -> None:
        self.items.append(step)
        self.lines.add(line)

    def extend(self, other: Items) -> None:
        self.items += other.items
        self.lines |= other.lines

    def take_last(self, number: int) -> Step | None:
        """Removes the last item if it is the step of that number."""
        if self.items and isinstance(last := self.items[-1], Step) and last.number == number:
            self.items.pop()
            return last
        return None


@dataclass(slots=True)
class OpenLoop:
    """A loop that a run is in."""

    number: int
    place: int
    depth: int
    current: Items = field(default_factory=Items)
    _done: Items = field(default_factory=Items)
    _held: Items | None = None
    _kinds: set[frozenset[int]] = field(default_factory=set)

    def next(self) -> None:
        """Another iteration begins."""
        self._settle()
        self._held, self.current = self.current, Items()

    def _settle(self) -> None:
        """The iteration before the last is shown or folded."""
        held, self._held = self._held, None
        if held is None or not held.items:
            return
        kind = frozenset(held.lines)
        if kind not in self._kinds and len(self._kinds) < MOST_KINDS:
            self._kinds.add(kind)
            self._done.extend(held)
            return
        first, last = _first(held.items[0]), _last(held.items[-1])
        before = self._done.items[-1] if self._done.items else None
        if isinstance(before, Fold) and before.place == self.place and before.depth == self.depth:
            before.iterations, before.last, before.items = before.iterations + 1, last, []
        else:
            self._done.items.append(Fold(first, last, self.place, self.depth, 1, held.items))
        self._done.lines |= held.lines

    def closed(self) -> Items:
        """What is shown of the whole loop."""
        self._settle()
        done = self._done
        done.extend(self.current)
        unfolded: list[Item] = []
        for item in done.items:
            unfolded += item.items if isinstance(item, Fold) and item.items else [item]
        done.items = unfolded
        return done


def _first(item: Item) -> int:
    return item.number if isinstance(item, Step) else item.first


def _last(item: Item) -> int:
    return item.number if isinstance(item, Step) else item.last


@dataclass(slots=True)
class OpenCall:
    """A call that a run is in, with the loops that it is in there, innermost last."""

    shown: Items = field(default_factory=Items)
    loops: list[OpenLoop] = field(default_factory=list)

    @property
    def current(self) -> Items:
        return self.loops[-1].current if self.loops else self.shown

    def leave_loops(self, kept: tuple[int, ...]) -> None:
        """All loops end that are not among these."""
        while self.loops and self.loops[-1].number not in kept:
            self.close_loop()

    def close_loop(self) -> None:
        done = self.loops.pop().closed()
        self.current.extend(done)

    def closed(self) -> Items:
        while self.loops:
            self.close_loop()
        return self.shown
