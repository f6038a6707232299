"""Runs a Program on concrete inputs: its functions become Python code, once per program and on first call.

Source: the meaning of instructions is that of semantics/instructions; memory is execute/memory.py.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from counterpoint.core import clock
from counterpoint.core.errors import Unsupported
from counterpoint.core.records import dataclass
from counterpoint.execute import outcome as ends
from counterpoint.execute.cells import (
    careful_load,
    careful_pack,
    careful_store,
    careful_unpack,
    machine_word,
    make_load,
    make_store,
    watchful_load,
)
from counterpoint.execute.inputs import InputSource, raw_pointers, shared_pointers
from counterpoint.execute.memory import Memory, MemoryBlock, global_image, initial_memory, strays_in_globals
from counterpoint.execute.outcome import EndOfRun, Limits, Outcome
from counterpoint.execute.outside import Outside
from counterpoint.execute.points import Point, Probe, Watch
from counterpoint.execute.program_text import ProgramText, type_key
from counterpoint.execute.pythontext import FunctionText
from counterpoint.program import model as p
from counterpoint.program.external import NOWHERE
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput
from counterpoint.program.remembered import remembered
from counterpoint.program.types import PointerType, Type, size_in_bytes
from counterpoint.semantics import layout
from counterpoint.semantics.source import namespace

Event: TypeAlias = tuple[int, Any]
"""Index into the points of a recorded run, and a value; see Point.kind."""

SLICE = 500_000
"""Steps between two looks at the clock."""

MAX_EVENTS = 1_000_000
"""Events of a recorded run that are kept: the last ones."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did. `inputs` are the arbitrary values it consumed, in order; with them and ReplayInputs
    it happens again. `missing` counts values that a replay did not have. `events` (of a recorded run) are
    (index into points, value), the last MAX_EVENTS of them.
    """

    outcome: Outcome
    steps: int
    inputs: tuple[Input, ...]
    points: tuple[Point, ...] = ()
    events: tuple[Event, ...] = ()

    def path(self) -> Iterator[tuple[str, int]]:
        """(function, block) for each block entered in a recorded run."""
        for index, _ in self.events:
            point = self.points[index]
            if point.kind == "block":
                yield point.function, point.block


@dataclass(slots=True, eq=False)
class Compiled:
    """A program's Python code; `names` is its global scope, `words` what reads and writes cells of globals."""

    text: ProgramText
    images: dict[str, bytes]
    strays: tuple[tuple[int, int], ...]
    names: dict[str, Any] = field(default_factory=dict)
    words: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names.update(namespace())
        for outcome in (ends.Violated, ends.Finished, ends.AssumptionFailed, ends.UnsupportedAt):
            self.names[outcome.__name__] = outcome
        self.names["EndOfRun"] = EndOfRun
        layout_ = self.text.program.layout
        for bits in (8, 16, 32, 64):
            word = machine_word(bits // 8, layout_.big_endian)
            keys = [f"i{bits}"] + (["ptr"] if bits == layout_.pointer_bits else [])
            for key in keys:
                self.words[f"unpack_{key}"], self.words[f"pack_{key}"] = word.unpack_from, word.pack_into
        for function in self.text.program.functions.values():
            self.names[self.text.functions[function.name]] = self._stub(function)

    def _stub(self, function: p.Function) -> Callable[..., Any]:
        """Compiles the function when it is first called."""

        def first_call(*arguments: int) -> Any:
            before = len(self.text.ranges)
            source = FunctionText(self.text, function).write()
            try:
                code = compile(source, f"<{function.name}>", "exec")
            except (SyntaxError, ValueError) as error:
                raise Unsupported(f"{function.name} is too large to interpret: {error}") from None
            self.names.update(self.text.tables)
            self.forget_ranges(before)
            exec(code, self.names)
            return self.names[self.text.functions[function.name]](*arguments)

        return first_call

    def forget_ranges(self, first: int = 0) -> None:
        """Offsets do not know of any object, as at the start of a run."""
        for least, most in self.text.ranges[first:]:
            self.names[least], self.names[most] = 1, 0

    def accessed_types(self) -> set[Type]:
        found: set[Type] = set()
        for function in self.text.program.functions.values():
            for block in function.blocks:
                for i in block.instructions:
                    if type(i) is p.Load:
                        found.add(i.result.type)
                    elif type(i) is p.Store:
                        found.add(i.value.type)
        return found


@remembered(6)
def _compiled(program: p.Program, recording: bool) -> tuple[Compiled, set[Type]]:
    return _compile(program, recording, {}, {}, {})


def _compile(
    program: p.Program,
    recording: bool,
    probes: Mapping[tuple[str, int], Probe],
    allocations: Mapping[int, int],
    watches: Mapping[tuple[str, int, int], Sequence[Watch]],
) -> tuple[Compiled, set[Type]]:
    addresses = layout.global_addresses(program)
    bits, big = program.layout.pointer_bits, program.layout.big_endian
    images = {name: global_image(item, addresses, bits, big) for name, item in program.globals.items()}
    text = ProgramText(program, addresses, recording, probes, allocations, watches)
    compiled = Compiled(text, images, strays_in_globals(program, addresses))
    return compiled, compiled.accessed_types()


class Machine:
    """One run: steps left, inputs consumed, memory; its methods are what the generated code calls."""

    __slots__ = (
        "consumed", "deadline", "granted", "left", "limits", "memory", "pointer_bits", "raw_pointers",
        "shared_pointers", "source",
    )  # fmt: skip

    def __init__(self, compiled: Compiled, source: InputSource, limits: Limits) -> None:
        program = compiled.text.program
        self.left = self.granted = min(SLICE, limits.steps)
        self.limits = limits
        self.deadline = clock.now() + limits.seconds
        self.source = source
        self.consumed: list[Input] = []
        self.pointer_bits = program.layout.pointer_bits
        images, strays = compiled.images, compiled.strays
        outside = Outside(
            self.pointer_bits, program.layout.big_endian, source.external_byte,
            lambda known: source.found(layout.EXTERNAL_CONTENTS, known),
        )  # fmt: skip
        self.memory: Memory = initial_memory(program, outside, self._invalid_copy, limits.memory, images, strays)
        self.raw_pointers = raw_pointers(program.sites, program.checks)
        self.shared_pointers = shared_pointers(program.sites)

    def more(self, left: int) -> int:
        """Steps left, from now on, to a run that has used up its slice of them."""
        self.left = left
        if clock.now() > self.deadline:
            raise EndOfRun(ends.StepLimit("seconds"))
        grant = min(SLICE, self.limits.steps - self.granted)
        if grant <= 0:
            raise EndOfRun(ends.StepLimit())
        self.granted += grant
        return self.more(left + grant) if left + grant < 0 else left + grant

    # ---------------------------------------------------------------- arbitrary values

    def nondet(self, site: int, bits: int) -> int:
        value = self.source.scalar(site, bits) & ((1 << bits) - 1)
        self.consumed.append(ScalarInput(site, value, bits))
        return value

    def nondet_pointer(self, site: int) -> int:
        """Null or an external address; anything for what memory safety calls an uninitialised value, which points at
        nothing, as in proofs."""
        bits, outside = self.pointer_bits, self.memory.outside
        before = outside.own
        if site in self.shared_pointers:
            value = self._shared_pointer(site)
        elif site in self.raw_pointers:
            value = self.source.pointer(site, bits, lambda: NOWHERE) & ((1 << bits) - 1)
        else:
            value = self.source.pointer(site, bits, outside.new_own) & ((1 << bits) - 1)
            if value and outside.own == before and not outside.claim_own(value):
                value = outside.new_own()
        self.consumed.append(ScalarInput(site, value, bits))
        return value

    def _shared_pointer(self, site: int) -> int:
        outside = self.memory.outside
        number = self.source.found(site, outside.shared)
        if number is not None:
            return outside.shared_pointer(number)
        bits = self.pointer_bits
        given = self.source.pointer(site, bits, lambda: outside.shared_pointer(outside.shared + 1))
        return outside.claim_shared(given & ((1 << bits) - 1))

    def _contents(self, site: int, address: int, size: int) -> None:
        given = self.source.memory(site, size)
        contents = tuple((offset, byte & 0xFF) for offset, byte in given if 0 <= offset < size)
        if contents:
            image = bytearray(max(contents)[0] + 1)
            for offset, byte in contents:
                image[offset] = byte
            self.memory.write(address, bytes(image))
        self.consumed.append(MemoryInput(site, size, contents))

    def havoc(self, target: int, size: int, site: int) -> None:
        if size and self.memory.writable(target, size):
            self.memory.fill(target, 0, size)
            self._contents(site, target, size)

    def _invalid_copy(self, target: int, size: int) -> None:
        self.havoc(target, size, INVALID_READ)

    # ---------------------------------------------------------------- objects

    def _place(
        self, size: int, alignment: int, heap: bool, site: int, name: str, constant: p.Ranges = ()
    ) -> MemoryBlock:
        try:
            return self.memory.allocate(size, alignment, heap, name, constant)
        except Unsupported as error:
            raise EndOfRun(ends.UnsupportedAt(site, str(error))) from None

    def allocate(self, size: int, alignment: int, arbitrary: bool, site: int, name: str) -> int:
        block = self._place(size, alignment, True, site, name)
        if arbitrary:
            self._contents(site, block.base, size)
        return block.base

    def allocate_local(
        self, size: int, alignment: int, site: int, name: str, frame: list[MemoryBlock], constant: p.Ranges = ()
    ) -> int:
        """Locals start as zeros: the front end makes them arbitrary by Nondet and Havoc."""
        block = self._place(size, alignment, False, site, name, constant)
        frame.append(block)
        return block.base

    def name_of(self, address: int, size: int) -> str:
        """The cell in the user's words: a variable, an element of it, or `*address`."""
        block = self.memory.containing(address, size)
        if block is None or not block.name:
            return f"*{address & self.memory.owners.mask:#x}"
        offset = address - block.base
        if block.size == size:
            return block.name
        if block.size % size == 0 and offset % size == 0:
            return f"{block.name}[{offset // size}]"
        return f"{block.name}+{offset}"

    def names(self, types: set[Type]) -> dict[str, Any]:
        """What the generated code calls, for this run."""
        memory = self.memory
        names: dict[str, Any] = {
            "m": self,
            "nondet": self.nondet,
            "nondet_pointer": self.nondet_pointer,
            "havoc": self.havoc,
            "allocate": self.allocate,
            "allocate_local": self.allocate_local,
            "name_of": self.name_of,
            "leave": memory.leave,
            "begin_life": memory.begin_life,
            "end_life": memory.end_life,
            "end_for_good": memory.end_for_good,
            "free": memory.free,
            "copy": memory.copy,
            "initialise": memory.initialise,
            "fill": memory.fill,
            "valid_access": memory.valid_access,
            "apart": memory.apart,
            "valid_free": memory.valid_free,
            "no_leak": memory.no_leak,
            "object_size": memory.object_size,
            "offset": memory.owners.offset,
            "outside": memory.owners.outside,
        }
        for type_ in types:
            names[f"load_{type_key(type_)}"] = make_load(memory, type_, self._invalid_read(type_))
            names[f"store_{type_key(type_)}"] = make_store(memory, type_)
        return names

    def careful_names(self, types: set[Type], compiled: Compiled) -> dict[str, Any]:
        """What the generated code calls once there are pointers in memory that left their objects."""
        memory = self.memory
        names: dict[str, Any] = {}
        for type_ in types:
            load = make_load(memory, type_, self._invalid_read(type_))
            names[f"load_{type_key(type_)}"] = careful_load(memory, type_, load)
            names[f"store_{type_key(type_)}"] = careful_store(memory, type_, make_store(memory, type_))
            if f"pack_{type_key(type_)}" in compiled.words:
                bases = self._bases(compiled)
                names[f"unpack_{type_key(type_)}"] = careful_unpack(names[f"load_{type_key(type_)}"], bases)
                names[f"pack_{type_key(type_)}"] = careful_pack(names[f"store_{type_key(type_)}"], bases)
        return names

    def watchful_names(self, types: set[Type], compiled: Compiled) -> dict[str, Any]:
        """What the generated code calls once words were copied that are no pointers (outside.py)."""
        names: dict[str, Any] = {}
        for type_ in types:
            if isinstance(type_, PointerType):
                load = make_load(self.memory, type_, self._invalid_read(type_))
                names[f"load_{type_key(type_)}"] = watchful_load(self.memory, load)
                if f"unpack_{type_key(type_)}" in compiled.words:
                    bases = self._bases(compiled)
                    names[f"unpack_{type_key(type_)}"] = careful_unpack(names[f"load_{type_key(type_)}"], bases)
        return names

    def _bases(self, compiled: Compiled) -> dict[int, int]:
        """The addresses of globals, by the ids of their data."""
        text = compiled.text
        return {id(compiled.names[variable]): text.addresses[name] for name, variable in text.statics.items()}

    def _invalid_read(self, type_: Type) -> Callable[[], int]:
        if isinstance(type_, PointerType):
            return lambda: self.nondet_pointer(INVALID_READ)
        bits = 8 * size_in_bytes(type_)
        return lambda: self.nondet(INVALID_READ, bits)

    def inputs(self) -> tuple[Input, ...]:
        """What was consumed; contents of external memory come last."""
        outside = self.memory.outside.initial
        if outside:
            contents = tuple((offset, byte) for offset, byte in sorted(outside.items()) if byte)
            self.consumed.append(MemoryInput(layout.EXTERNAL_CONTENTS, max(outside) + 1, contents))
        return tuple(self.consumed)


def run(program: p.Program, inputs: InputSource, limits: Limits | None = None, record: bool = False) -> Run:
    """Runs the program from its entry until it ends or a limit is reached.

    Not reentrant, and one thread at a time. Raises Unsupported only for a program whose static objects
    cannot be laid out; what a run meets becomes an UnsupportedAt outcome.
    """
    events: deque[Event] = deque(maxlen=MAX_EVENTS)
    found, points = _run(program, inputs, limits or Limits(), events.append if record else None)
    return replace(found, points=tuple(points), events=tuple(events)) if record else found


def observed_run(
    program: p.Program, inputs: InputSource, limits: Limits, observe: Callable[[Point, Any], None]
) -> Run:
    """A run that tells `observe` of every event as it happens, with the value that Point.kind asks for."""
    points: Sequence[Point] = _compiled(program, True)[0].text.points
    return _run(program, inputs, limits, lambda event: observe(points[event[0]], event[1]))[0]


class ProbedProgram:
    """A program whose code calls probes and watches (ProgramText says which, and when)."""

    def __init__(
        self,
        program: p.Program,
        probes: Mapping[tuple[str, int], Probe],
        allocations: Mapping[int, int],
        watches: Mapping[tuple[str, int, int], Sequence[Watch]] | None = None,
    ) -> None:
        self._compiled = _compile(program, False, probes, allocations, watches or {})

    def run(
        self, inputs: InputSource, limits: Limits, observers: Callable[[Memory], Mapping[str, Callable[..., None]]]
    ) -> Run:
        """A run; `observers` gives, for its memory, the probes and watches by their names, and `born`."""
        compiled, types = self._compiled
        machine = Machine(compiled, inputs, limits)
        compiled.names.update(observers(machine.memory))
        return _go(compiled, types, machine, limits)


def _run(
    program: p.Program, inputs: InputSource, limits: Limits, record: Callable[[Event], None] | None
) -> tuple[Run, Sequence[Point]]:
    compiled, types = _compiled(program, record is not None)
    compiled.names.update(record=record)
    return _go(compiled, types, Machine(compiled, inputs, limits), limits), compiled.text.points


def _go(compiled: Compiled, types: set[Type], machine: Machine, limits: Limits) -> Run:
    compiled.names.update(machine.names(types))
    compiled.names.update(compiled.words)
    compiled.forget_ranges()
    owners = machine.memory.owners
    owners.on_first = lambda: compiled.names.update(machine.careful_names(types, compiled))
    machine.memory.outside.on_first = lambda: compiled.names.update(
        {} if owners.shadow else machine.watchful_names(types, compiled)
    )
    if owners.shadow:
        compiled.names.update(machine.careful_names(types, compiled))
    for name, block in zip(compiled.text.program.globals, machine.memory.live_blocks(), strict=True):
        compiled.names[compiled.text.statics[name]] = block.data
    outcome = _execute(compiled, limits)
    return Run(outcome, machine.granted - machine.left, machine.inputs())


def _execute(compiled: Compiled, limits: Limits) -> Outcome:
    entry = compiled.names[compiled.text.functions[compiled.text.program.entry]]
    before = sys.getrecursionlimit()
    # Calls between generated functions take no C stack (Python 3.11), so this limit is about memory only.
    sys.setrecursionlimit(max(before, limits.depth))
    try:
        entry()
    except EndOfRun as end:
        return end.outcome
    except RecursionError:
        return ends.StepLimit("call depth")
    except MemoryError:
        return ends.StepLimit("memory")
    except Unsupported as error:
        return ends.UnsupportedAt(-1, str(error))
    finally:
        sys.setrecursionlimit(before)
    return ends.Finished()
