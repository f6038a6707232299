"""The steps of a run: one as long as it stays on a line of one call. All walks over the same run number them alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.explain.folding import Item, OpenCall, OpenLoop, Step
from counterpoint.explain.watching import CallPlace, Place, Watched, is_library
from counterpoint.program import model as p

MOST_CALLS = 30
"""Calls of a stack that are kept, the innermost."""


@dataclass(slots=True)
class Frame:
    """A call that a run is in. `call` is its number in Watched.calls (-1: the entry), `line` that of its `step`,
    `locals` the addresses of its variables; `entry` is its first step; its next step goes on from `before`."""

    call: int
    function: str
    depth: int
    library: bool
    line: tuple[str, int] | None = None
    locals: list[int] = field(default_factory=list)
    step: int = -1
    entry: int = -1
    before: int = -1


class Walk:
    """Listens to places and calls; what is overridden is told of steps."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.places: list[Place] = watched.places
        self.calls: list[CallPlace] = watched.calls
        self.lines = [(place.at.file, place.at.line) for place in watched.places]
        self._functions = watched.program.functions
        self._known = watched.program.names.functions
        self.frames = [Frame(-1, watched.program.entry, -1, watched.program.entry not in self._known)]
        self.step = -1
        self.place = 0

    # ---------------------------------------------------------------- what is told

    def stepped(self, frame: Frame, place: int) -> None:
        """Another step begins; its number is `step`."""

    def entered(self, frame: Frame) -> None:
        """A call begins; a step for its first line follows if it is the user's."""

    def left(self, frame: Frame) -> None:
        """A call has ended; it is no more among the frames."""

    # ---------------------------------------------------------------- listening

    def at(self, place: int) -> None:
        frame, line = self.frames[-1], self.lines[place]
        if frame.line != line:
            frame.line = line
            self._step(frame, place)

    def _step(self, frame: Frame, place: int) -> None:
        self.step += 1
        frame.step = self.step
        self.place = place
        self.stepped(frame, place)

    def head(self, place: int, loop: int) -> None:
        pass

    def enter(self, call: int) -> None:
        outer, callee = self.frames[-1], self.calls[call].callee
        function = self._functions[callee]
        library = is_library(function.at) or callee not in self._known
        frame = Frame(call, callee, outer.depth + (not library), library)
        self.frames.append(frame)
        self.entered(frame)
        if not library:
            self._step(frame, self.watched.entries[callee])
            frame.entry = self.step

    def leave(self, call: int) -> None:
        frame = self.frames.pop()
        if not frame.library:
            self.frames[-1].line = None
        self.left(frame)

    def read(self, address: int, size: int) -> None:
        pass

    def wrote(self, place: int, address: int, size: int) -> None:
        pass

    def local(self, place: int, site: int, address: int, size: int) -> None:
        pass

    def block(self, place: int, address: int, size: int) -> None:
        pass

    def ended(self, place: int, address: int) -> None:
        pass

    def freed(self, place: int, address: int) -> None:
        pass

    def computed(self, check: int, *values: int) -> None:
        pass

    # ---------------------------------------------------------------- where a run is

    def stack(self) -> tuple[SourceLocation, ...]:
        """The places of the calls that the run is in, innermost first: of library models only where they are called."""
        return tuple(
            self.places[self.calls[frame.call].place].at
            for frame in reversed(self.frames[1:][-MOST_CALLS:])
            if not self.in_library(self.calls[frame.call].place)
            and self.places[self.calls[frame.call].place].function in self._known
        )

    def in_library(self, place: int) -> bool:
        return is_library(self.places[place].at)

    def model(self) -> p.Call | None:
        """The user's call of the library model that the run is in."""
        for frame in self.frames:
            if frame.library and frame.call >= 0 and frame.function in self._known:
                return self.calls[frame.call].call
        return None


class Outline(Walk):
    """Finds which steps are shown."""

    def __init__(self, watched: Watched) -> None:
        super().__init__(watched)
        self._kinds = {line: number for number, line in enumerate(dict.fromkeys(self.lines))}
        self._line = [self._kinds[line] for line in self.lines]
        self._open = [OpenCall()]
        self._running: Counter[str] = Counter()

    def stepped(self, frame: Frame, place: int) -> None:
        here = self._open[-1]
        if here.loops:
            here.leave_loops(self.places[place].loops)
        here.current.add(Step(self.step, place, frame.depth), self._line[place])

    def head(self, place: int, loop: int) -> None:
        here, frame = self._open[-1], self.frames[-1]
        here.leave_loops(self.places[place].loops)
        moved = here.current.take_last(self.step) if frame.line == self.lines[place] else None
        if here.loops and here.loops[-1].number == loop:
            here.loops[-1].next()
        else:
            here.loops.append(OpenLoop(loop, place, frame.depth))
        if moved is not None:
            here.current.add(moved, self._line[moved.place])

    def entered(self, frame: Frame) -> None:
        self._open.append(OpenCall())
        self._running[frame.function] += 1

    def left(self, frame: Frame) -> None:
        """Of a call inside another one of the same function no more is shown than that it was made."""
        done = self._open.pop().closed()
        if self._running[frame.function] > 1:
            done.items = done.items[:1]
        self._running[frame.function] -= 1
        self._open[-1].current.extend(done)

    def items(self) -> list[Item]:
        """What is shown, in order."""
        while len(self._open) > 1:
            done = self._open.pop().closed()
            self._open[-1].current.extend(done)
        return self._open[0].closed().items
