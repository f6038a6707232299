"""A failing run in the user's words: source lines, variables that changed, inputs by name."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.harness import harness, undefined_functions
from counterpoint.execute.native.harness_build import Build
from counterpoint.execute.outcome import Limits
from counterpoint.execute.points import Point
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.replay import STEPS, Confirmed, with_zeros
from counterpoint.portfolio.result import Change, Counterexample, ExecutedLine, InputValue
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.program.model import Program
from counterpoint.program.source_lines import SourceLines
from counterpoint.program.types import FloatType, PointerType, Type

FIRST_STEPS = 100
LAST_STEPS = 400
"""Steps of a long run that are kept."""

MAX_HARNESS_INPUTS = 50_000
"""Values that a C harness may spell out."""

MAX_TRACED_STEPS = 300_000
"""Instructions of a run that is told line by line; of longer ones only inputs and the failing check are."""


def explain(program: Program, confirmed: Confirmed, preparation: str, task: SourceTask) -> Counterexample:
    """The confirmed run of the unprepared `program`, with its steps where it could be interpreted."""
    telling = _Telling(program)
    if confirmed.interpreted is not None and confirmed.interpreted.steps <= MAX_TRACED_STEPS:
        recorded = run(program, ReplayInputs(confirmed.inputs), Limits(steps=STEPS), record=True)
        for index, value in recorded.events:
            telling.hear(recorded.points[index], value)
    steps = telling.steps
    check = program.checks[confirmed.check]
    at, message = check.at, check.message
    if _is_library(at) or not at.line:
        last = steps[-1].at if steps else at
        if _is_library(at) and (telling.library or at.function):
            message += f" (in {telling.library or at.function})"
        at = last
    omitted = max(0, len(steps) - FIRST_STEPS - LAST_STEPS)
    kept = steps[:FIRST_STEPS] + steps[-LAST_STEPS:] if omitted else steps
    return Counterexample(
        check=confirmed.check,
        kind=check.kind,
        message=message,
        at=at,
        preparation=preparation,
        inputs=tuple(input_value(program, item) for item in confirmed.inputs),
        steps=tuple(kept),
        omitted=omitted,
        confirmed=confirmed.ways,
        notes=confirmed.notes,
        harness=harness_of(program, confirmed, task),
    )


def harness_of(program: Program, confirmed: Confirmed, task: SourceTask) -> str:
    """A C file that repeats the confirmed run of the unprepared `program` of the task.

    Where a run with zeros for what C leaves undetermined fails as well, it repeats that one: those cannot be given.
    """
    if len(confirmed.inputs) > MAX_HARNESS_INPUTS:
        return f"/* {len(confirmed.inputs)} values are too many for a harness: use `counterpoint replay`. */\n"
    if task.is_translated:
        return "/* Only programs in C have a harness: use `counterpoint replay`. */\n"
    assumed = undefined_functions(program.assumptions)
    inputs = with_zeros(program, confirmed)
    words = [word for folder in task.include for word in ("-I", folder)] + [f"-D{name}" for name in task.defines]
    std, files = task.std, tuple(map(str, task.files))
    seen = any("native" in way for way in confirmed.ways)
    build = Build(files, (*words, *task.extra), std, task.entry, program.layout.pointer_bits, seen)
    return harness(inputs, program.sites, program.checks[confirmed.check], assumed, build)


# ---------------------------------------------------------------- steps


@dataclass(slots=True)
class _Telling:
    """Turns events into steps: consecutive events of one source line are one step."""

    program: Program
    steps: list[ExecutedLine] = field(default_factory=list)
    frames: list[dict[str, int]] = field(default_factory=lambda: [{}])
    hidden: int = 0
    library: str = ""
    _sources: SourceLines = field(init=False)

    def __post_init__(self) -> None:
        self._sources = SourceLines(self.program.sources)

    def hear(self, point: Point, value: object) -> None:
        match point.kind:
            case "call":
                self.frames.append({})
                callee = self.program.functions.get(point.name)
                if self.hidden or (callee is not None and _is_library(callee.at)):
                    self.library = self.library if self.hidden else point.name
                    self.hidden += 1
            case "return":
                if len(self.frames) > 1:
                    self.frames.pop()
                self.hidden = max(0, self.hidden - 1)
            case _ if self.hidden or _is_library(point.at):
                pass
            case "step":
                self._arrive(point.at)
            case "register" if isinstance(value, int) and point.type is not None:
                self._register(point, value, point.type)
            case "store" if isinstance(value, tuple) and point.type is not None:
                name, stored = value
                self._arrive(point.at)
                self._change(name, stored, point.type)

    def _arrive(self, at: SourceLocation) -> None:
        if at.line == 0:
            return
        here = (at.file, at.line, len(self.frames))
        if self.steps:
            last = self.steps[-1]
            if (last.at.file, last.at.line, last.depth + 2) == here:
                return
        self.steps.append(ExecutedLine(at, self._sources.line(at), (), len(self.frames) - 2))

    def _register(self, point: Point, value: int, type_: Type) -> None:
        frame = self.frames[-1]
        if frame.get(point.name) == value:
            return
        self._arrive(point.at)
        frame[point.name] = value
        self._change(point.name, value, type_)

    def _change(self, name: str, value: int, type_: Type) -> None:
        if not self.steps:
            return
        last = self.steps[-1]
        changes = tuple(change for change in last.changes if change.name != name)
        bits = value & ((1 << type_.bits) - 1)
        change = Change(name, text_of(bits, type_), f"0x{bits:x}" if type_.bits > 1 else "")
        self.steps[-1] = ExecutedLine(last.at, last.source, (*changes, change), last.depth)


def _is_library(at: SourceLocation) -> bool:
    return at.file.startswith("<libc>")


def text_of(bits: int, type_: Type) -> str:
    """A value as the user would write it; integers as signed ones, since LLVM's have no sign."""
    match type_:
        case FloatType():
            return _float_text(bits, type_.bits)
        case PointerType():
            return "null" if bits == 0 else f"0x{bits:x}"
        case _:
            negative = type_.bits > 1 and bits >> (type_.bits - 1)
            return str(bits - (1 << type_.bits)) if negative else str(bits)


def _float_text(bits: int, width: int) -> str:
    formats = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}
    if width not in formats:
        return f"0x{bits:x}"
    integer, floating = formats[width]
    return repr(struct.unpack(floating, struct.pack(integer, bits))[0])


# ---------------------------------------------------------------- inputs


def input_value(program: Program, item: Input) -> InputValue:
    """The input with its site's name, type and place, for reports."""
    known = 0 <= item.site < len(program.sites)
    site = program.sites[item.site] if known else None
    kind, name, type_, at = (
        (site.kind, site.name, site.type, site.at) if site is not None else ("memory", "", "", NOWHERE)
    )
    match item:
        case ScalarInput(index, value, bits):
            text = c_text(value, bits, type_)
            return InputValue(index, kind, name, type_, at, bits=bits, value=value, text=text)
        case MemoryInput(index, size, contents):
            return InputValue(index, kind, name, type_, at, size=size, contents=contents)


_UNSIGNED = (
    "unsigned", "_Bool", "bool", "size_t", "uchar", "ushort", "uint", "ulong", "u8", "u16", "u32", "u64",
)  # fmt: skip


def c_text(value: int, bits: int, type_: str) -> str:
    """A scalar as its C type shows it."""
    if type_ in ("float", "double") and bits in (32, 64):
        return _float_text(value, bits)
    if "*" in type_ or type_ == "ptr":
        return "null" if value == 0 else f"0x{value:x}"
    if bits == 1 or not value >> (bits - 1) or type_.startswith(_UNSIGNED):
        return str(value)
    return str(value - (1 << bits))
