"""What a run of a program is listened to at: places, loops, calls, writes, lives and ends of objects.

`Watched` makes the program's code call the methods of a Listener; numbers in those calls are indices into its tables.
The program is best the one before any pass (execute/subject.WRITTEN), in which every variable is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Final, Protocol

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.inputs import InputSource
from counterpoint.execute.interpreter import ProbedProgram, Run
from counterpoint.execute.memory import Memory
from counterpoint.execute.outcome import Limits
from counterpoint.execute.points import Watch
from counterpoint.program import model as p
from counterpoint.program.graph import loops
from counterpoint.program.types import IntType, size_in_bytes

UNDETERMINED: Final = frozenset({"uninitialised", "undef", "heap"})
"""Kinds of site whose values C leaves undetermined: that they are written is no event."""

_NUMBER: Final = IntType(64)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event is: a line of a function, its block, the loops (their numbers, outermost first) that it is in."""

    function: str
    at: SourceLocation
    loops: tuple[int, ...]
    block: int = 0


@dataclass(frozen=True, slots=True)
class CallPlace:
    """A call: of which function, from where. `call` is the instruction."""

    place: int
    callee: str
    call: p.Call


class Listener(Protocol):
    """Who is told. Sizes are in bytes; `place` is an index into Watched.places, `call` into Watched.calls."""

    def at(self, place: int) -> None: ...
    def head(self, place: int, loop: int) -> None: ...
    def enter(self, call: int) -> None: ...
    def leave(self, call: int) -> None: ...
    def read(self, address: int, size: int) -> None: ...
    def wrote(self, place: int, address: int, size: int) -> None: ...
    def local(self, place: int, site: int, address: int, size: int) -> None: ...
    def block(self, place: int, address: int, size: int) -> None: ...
    def ended(self, place: int, address: int) -> None: ...
    def freed(self, place: int, address: int) -> None: ...
    def computed(self, check: int, *values: int) -> None: ...


def is_library(at: SourceLocation) -> bool:
    """Whether a place is in a library model."""
    return at.file.startswith("<libc>")


@dataclass(slots=True)
class Watched:
    """A program whose runs can be listened to; `operands` are values that are told (as `computed`) when a run is at an
    instruction: by function, block and position, with the number that they are told by."""

    program: p.Program
    operands: Mapping[tuple[str, int, int], tuple[int, tuple[p.Value, ...]]] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    calls: list[CallPlace] = field(default_factory=list)
    entries: dict[str, int] = field(default_factory=dict)
    _watches: dict[tuple[str, int, int], list[Watch]] = field(default_factory=dict)
    _numbers: dict[Place, int] = field(default_factory=dict)
    _loops: int = 0
    _probed: ProbedProgram = field(init=False)

    def __post_init__(self) -> None:
        for function in self.program.functions.values():
            _Function(self, function, is_library(function.at)).watch()
        for where, (number, values) in self.operands.items():
            self.add(where, Watch("told_computed", (_constant(number), *values)))
        self._probed = ProbedProgram(self.program, {}, {}, self._watches)

    def add(self, where: tuple[str, int, int], watch: Watch) -> None:
        self._watches.setdefault(where, []).append(watch)

    def place(self, place: Place) -> int:
        """The number of a place."""
        known = self._numbers.get(place)
        if known is None:
            known = self._numbers[place] = len(self.places)
            self.places.append(place)
        return known

    def loop(self) -> int:
        """The number of a new loop."""
        self._loops += 1
        return self._loops - 1

    def run(self, inputs: InputSource, limits: Limits, listener: Callable[[Memory], Listener]) -> Run:
        """A run that `listener`, made for its memory, is told of."""

        def observers(memory: Memory) -> Mapping[str, Callable[..., None]]:
            told = listener(memory)
            return {
                "told_at": told.at,
                "told_head": told.head,
                "told_enter": told.enter,
                "told_leave": told.leave,
                "told_read": told.read,
                "told_wrote": told.wrote,
                "told_local": told.local,
                "told_block": told.block,
                "told_ended": told.ended,
                "told_freed": told.freed,
                "told_computed": told.computed,
            }

        return self._probed.run(inputs, limits, observers)


def _constant(number: int) -> p.Constant:
    return p.Constant(number, _NUMBER)


@dataclass(slots=True)
class _Function:
    """Puts watches into one function. In a library model only what it does to objects is watched."""

    watched: Watched
    function: p.Function
    library: bool
    _own: frozenset[int] = frozenset()
    _undetermined: frozenset[int] = frozenset()
    _heads: dict[int, int] = field(default_factory=dict)
    _inside: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def watch(self) -> None:
        instructions = [i for block in self.function.blocks for i in block.instructions]
        program = self.watched.program
        names, sites = program.names, program.sites
        made = {i.result.index for i in instructions if isinstance(i, p.Allocate) and not i.heap}
        named = {i.result.index for i in instructions if isinstance(i, p.Allocate) and i.site in names.locals}
        self._own = frozenset(made if self.library else made - named)
        self._undetermined = frozenset(
            i.result.index for i in instructions if isinstance(i, p.Nondet) and sites[i.site].kind in UNDETERMINED
        )
        self.watched.entries[self.function.name] = self.watched.place(Place(self.function.name, self.function.at, ()))
        if not self.library:
            self._find_loops()
        for block in self.function.blocks:
            self._watch_block(block)

    def _find_loops(self) -> None:
        for loop in loops(self.function):
            number = self._heads[loop.head] = self.watched.loop()
            for block in loop.blocks:
                self._inside[block] = (*self._inside.get(block, ()), number)

    def _watch_block(self, block: p.Block) -> None:
        line: tuple[str, int] | None = None
        name, loops_ = self.function.name, self._inside.get(block.index, ())
        number = self.watched.place(Place(name, _first_place(block), loops_, block.index))
        if block.index in self._heads and block.instructions:
            head = (_constant(number), _constant(self._heads[block.index]))
            self.watched.add((name, block.index, 0), Watch("told_head", head))
        for position, i in enumerate(block.instructions):
            at = i.at
            if at.line:
                number = self.watched.place(Place(name, at, loops_, block.index))
                if (at.file, at.line) != line and not self.library and not isinstance(i, p.BeginLife):
                    line = (at.file, at.line)
                    self.watched.add((name, block.index, position), Watch("told_at", (_constant(number),)))
            if isinstance(i, p.Call):
                self._watch_call(block, position, i, number)
                callee = self.watched.program.functions.get(i.callee)
                line = None if callee is not None and not is_library(callee.at) else line
            else:
                for watch in self._events(i, _constant(number)):
                    self.watched.add((name, block.index, position), watch)

    def _watch_call(self, block: p.Block, position: int, i: p.Call, number: int) -> None:
        calls = self.watched.calls
        calls.append(CallPlace(number, i.callee, i))
        which = (_constant(len(calls) - 1),)
        where = (self.function.name, block.index, position)
        self.watched.add(where, Watch("told_enter", which))
        self.watched.add(where, Watch("told_leave", which, after=True))

    def _events(self, i: p.Instruction, place: p.Constant) -> Iterator[Watch]:
        match i:
            case p.Load(result, address):
                if not self.library or self._tells(address):
                    yield Watch("told_read", (address, _constant(size_in_bytes(result.type))))
            case p.Store(address, value):
                if not (isinstance(value, p.Register) and value.index in self._undetermined) and self._tells(address):
                    size = _constant(size_in_bytes(value.type))
                    yield Watch("told_wrote", (place, address, size), after=True)
            case p.Copy(target, source, size):
                yield Watch("told_read", (source, size))
                if self._tells(target):
                    yield Watch("told_wrote", (place, target, size), after=True)
            case p.Fill(target, _, size):
                if self._tells(target):
                    yield Watch("told_wrote", (place, target, size), after=True)
            case p.Havoc(target, size, site):
                if self.watched.program.sites[site].kind not in UNDETERMINED and self._tells(target):
                    yield Watch("told_wrote", (place, target, size), after=True)
            case p.Allocate(result, size, heap=True):
                yield Watch("told_block", (place, result, size), after=True)
            case p.Allocate(result, size, site=site):
                if result.index not in self._own:
                    yield Watch("told_local", (place, _constant(site), result, size), after=True)
            case p.EndLife(address):
                if not self.library:
                    yield Watch("told_ended", (place, address))
            case p.Free(address):
                yield Watch("told_freed", (place, address))

    def _tells(self, address: p.Value) -> bool:
        """Whether a write to the address may be one to an object with a name."""
        return not (isinstance(address, p.Register) and address.index in self._own)


def _first_place(block: p.Block) -> SourceLocation:
    return next((i.at for i in block.instructions if i.at.line), block.terminator.at)
