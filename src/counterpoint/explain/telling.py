"""Tells a run: what the shown steps changed, and what objects there were."""

from __future__ import annotations

from counterpoint.core.source import SourceLocation
from counterpoint.execute.memory import Memory
from counterpoint.explain.changes import Told, changes
from counterpoint.explain.folding import Fold, Item, Step
from counterpoint.explain.naming import Naming
from counterpoint.explain.objects import RunObject, static_objects
from counterpoint.explain.walking import Frame, Walk
from counterpoint.explain.watching import Watched
from counterpoint.program.source_types import SourceVariable

MOST_EARLY = 40
"""Changes of objects that end in one step that are told."""

NAMELESS = SourceVariable("", -1)


class Telling(Walk):
    """`told` has what changed in each of `items`."""

    def __init__(self, watched: Watched, memory: Memory, items: list[Item]) -> None:
        super().__init__(watched)
        self.memory = memory
        self.objects = static_objects(watched.program, memory)
        self.told: list[tuple[Item, list[Told]]] = []
        self.operands: dict[int, tuple[int, ...]] = {}
        self._steps = {item.number: item for item in items if isinstance(item, Step)}
        self._folds = [item for item in items if isinstance(item, Fold)]
        self._next_fold = 0
        self._open: Item | None = None
        self._ranges: dict[tuple[int, int], None] = {}
        self._early: list[Told] = []

    def naming(self) -> Naming:
        """The names of now."""
        locals_ = [frame.locals for frame in reversed(self.frames) if not frame.library]
        return Naming(self.watched.program.names, self.objects, self.memory, locals_)

    # ---------------------------------------------------------------- steps

    def stepped(self, frame: Frame, place: int) -> None:
        item: Item | None = self._steps.get(self.step)
        if item is None:
            folds = self._folds
            while self._next_fold < len(folds) and folds[self._next_fold].last < self.step:
                self._next_fold += 1
            fold = folds[self._next_fold] if self._next_fold < len(folds) else None
            if fold is not None and fold.first <= self.step:
                item = fold
        if item is not self._open or item is None:
            self.close()
            self._open = item

    def close(self) -> None:
        """The open step ends here."""
        if self._open is not None:
            told = {change.name: change for change in (*self._early, *changes(self.naming(), self._ranges))}
            self.told.append((self._open, list(told.values())))
            self._open = None
        self._early.clear()
        self._ranges.clear()

    def _tell_early(self, address: int) -> None:
        """An object ends: what the open step changed in it is told now."""
        item = self.objects.by_base.get(address & self.memory.owners.mask)
        if item is None or not isinstance(self._open, Step) or len(self._early) >= MOST_EARLY:
            return
        inside = [found for found in self._ranges if item.base <= found[0] < item.base + item.size]
        if inside:
            self._early += changes(self.naming(), inside)
        for found in inside:
            del self._ranges[found]

    def wrote(self, place: int, address: int, size: int) -> None:
        if self._open is not None:
            self._ranges[address & self.memory.owners.mask, size] = None

    # ---------------------------------------------------------------- objects

    def user_place(self, place: int) -> SourceLocation:
        """The place or, in a library model, that of the user's call of it."""
        at = self.places[place].at
        if not self.in_library(place):
            return at
        stack = self.stack()
        return stack[0] if stack else at

    def _stack_above(self, place: int) -> tuple[SourceLocation, ...]:
        stack = self.stack()
        return stack[1:] if self.in_library(place) else stack

    def local(self, place: int, site: int, address: int, size: int) -> None:
        variable = self.watched.program.names.locals.get(site, NAMELESS)
        frame = self.frames[-1]
        frame.locals.append(address)
        function = self.watched.program.names.functions.get(frame.function)
        within = function.name if function is not None else ""
        item = RunObject(address, size, "local", variable, variable.name, within, variable.at)
        self.objects.add(item)

    def block(self, place: int, address: int, size: int) -> None:
        model = self.model()
        item = RunObject(address, size, "heap", at=self.user_place(place), stack=self._stack_above(place))
        item.function = item.at.function
        item.model = model.callee if model is not None else ""
        item.steps = (self.step,)
        self.objects.add(item)

    def ended(self, place: int, address: int) -> None:
        self._tell_early(address)
        self._end(address, self.places[place].at)

    def freed(self, place: int, address: int) -> None:
        self._tell_early(address)
        self._end(address, self.user_place(place), self._stack_above(place))

    def _end(self, address: int, at: SourceLocation, stack: tuple[SourceLocation, ...] = ()) -> None:
        item = self.objects.by_base.get(address & self.memory.owners.mask)
        if item is not None and item.kind in ("local", "heap"):
            item.ended, item.end_stack = at, stack
            item.steps = (*item.steps[:1], self.step)

    def left(self, frame: Frame) -> None:
        for base in frame.locals:
            item = self.objects.by_base[base]
            item.ended, item.returned = item.ended or self.places[self.place].at, True

    def computed(self, check: int, *values: int) -> None:
        self.operands[check] = values
