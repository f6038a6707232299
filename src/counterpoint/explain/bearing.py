"""Which steps bear on a failure: a backward slice over data, step by step.

A step depends on the steps that last wrote what it reads, a call's first line on the line that calls, and the line that
goes on behind a call on the line that returned. Of control only the branch nearest to the failure counts.
"""

from __future__ import annotations

from typing import Final

from counterpoint.execute.memory import Memory
from counterpoint.explain.walking import Frame, Walk
from counterpoint.explain.watching import Watched
from counterpoint.program import model as p
from counterpoint.program.graph import predecessors

MOST_STEPS: Final = 100_000
"""Steps of a run that is sliced."""

FIRST_CALLS: Final = 6
LAST_CALLS: Final = 20
"""Of the calls that lead to the failure, those that are shown."""

MOST_BYTES: Final = 256
"""Bytes of a copy that are followed one by one."""


class Bearing(Walk):
    """Records what each step depends on."""

    def __init__(self, watched: Watched, memory: Memory) -> None:
        super().__init__(watched)
        self._mask = memory.owners.mask
        self._writer: dict[int, int] = {}
        self._needs: list[set[int]] = []
        self._blocks: list[dict[int, int]] = [{}]
        self._returned = -1
        self.gave_up = False

    def stepped(self, frame: Frame, place: int) -> None:
        needs: set[int] = set()
        if len(self._needs) >= MOST_STEPS:
            self.gave_up = True
        if self._returned >= 0:
            needs.add(self._returned)
            self._returned = -1
        if frame.before >= 0:
            needs.add(frame.before)
            frame.before = -1
        self._needs.append(needs)

    def at(self, place: int) -> None:
        super().at(place)
        self._blocks[-1][self.places[place].block] = self.step

    def entered(self, frame: Frame) -> None:
        self._blocks.append({})
        if not frame.library:
            frame.before = self._user_step()

    def left(self, frame: Frame) -> None:
        self._blocks.pop()
        if not frame.library:
            self._returned = self.step
            self.frames[-1].before = self.frames[-1].step

    def _user_step(self) -> int:
        return next((frame.step for frame in reversed(self.frames) if frame.step >= 0), -1)

    # ---------------------------------------------------------------- memory

    def read(self, address: int, size: int) -> None:
        if self.gave_up or not self._needs:
            return
        step, writer = self._needs[self._now()], self._writer
        address &= self._mask
        for at in (address, address + size - 1) if size <= 16 else range(address, address + min(size, MOST_BYTES)):
            before = writer.get(at)
            if before is not None:
                step.add(before)

    def wrote(self, place: int, address: int, size: int) -> None:
        if self.gave_up:
            return
        now, address = self._now(), address & self._mask
        for at in range(address, address + min(size, MOST_BYTES)):
            self._writer[at] = now

    def _now(self) -> int:
        """The step that memory is used by: that of the user's innermost call."""
        frame = self.frames[-1]
        return frame.step if frame.step >= 0 and not frame.library else max(0, self._user_step())

    # ---------------------------------------------------------------- answers

    def relevant(self, others: set[int], guarded: bool) -> set[int] | None:
        """The steps that bear on the last one and on `others`, with the calls that lead to it. `guarded`: and on the
        branch before it. None if there were too many."""
        if self.gave_up or not self._needs:
            return None
        stack = [*self.frames[:FIRST_CALLS], *self.frames[FIRST_CALLS:][-LAST_CALLS:]]
        shown = {step for frame in stack for step in (frame.step, frame.entry) if step >= 0}
        waiting = [self.step, *others]
        branch = self._branch()
        if branch is not None:
            shown.add(branch)
            if guarded:
                waiting.append(branch)
        found: set[int] = set()
        while waiting:
            step = waiting.pop()
            if step not in found and step >= 0:
                found.add(step)
                waiting += self._needs[step]
        return found | shown

    def _branch(self) -> int | None:
        """The step of the nearest branch that decided that the last step was reached."""
        pairs = zip(reversed(self.frames), reversed(self._blocks), strict=True)
        frame, blocks = next((pair for pair in pairs if not pair[0].library), (self.frames[0], {}))
        function = self.watched.program.functions.get(frame.function)
        here = self.places[self.place]
        if function is None or here.function != frame.function:
            return None
        return _deciding(function, here.block, blocks)


def _deciding(function: p.Function, block: int, steps: dict[int, int]) -> int | None:
    """The step of the nearest block before this one that has several ways out and was visited."""
    before = predecessors(function)
    waiting, seen = list(before[block]), {block}
    while waiting:
        inner = waiting.pop(0)
        if inner in seen:
            continue
        seen.add(inner)
        if len(function.blocks[inner].edges) > 1 and inner in steps:
            return steps[inner]
        waiting += before[inner]
    return None
