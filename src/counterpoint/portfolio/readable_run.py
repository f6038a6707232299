"""A failing run in the user's words: source lines, variables that changed, inputs by name."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

from counterpoint.core.errors import InternalError, Unsupported, UnusableInput
from counterpoint.core.source import NOWHERE
from counterpoint.execute.native.harness import harness, undefined_functions
from counterpoint.execute.native.harness_build import Build
from counterpoint.execute.simpler import UNSIGNED
from counterpoint.execute.subject import UNPREPARED, WRITTEN, Subject
from counterpoint.explain.story import Line, Story, story
from counterpoint.explain.undetermined import undetermined
from counterpoint.explain.watching import is_library
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.replay import Confirmed, with_zeros
from counterpoint.portfolio.result import Change, Counterexample, ExecutedLine, InputValue
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.program.model import Program

LOWERING = 4
"""Times the seconds of LLVM's passes that the program before any of them takes."""

LEAST_SECONDS = 1.0
RUNS = 6
"""A story takes up to four runs, and some time between them."""

MAX_HARNESS_INPUTS = 50_000
"""Values that a C harness may spell out."""

MAX_TRACED_STEPS = 300_000
"""Instructions of a run that is told line by line; of longer ones only inputs and the failing check are."""


def explain(
    subject: Subject, confirmed: Confirmed, preparation: str, seconds: float = math.inf
) -> Counterexample:
    """The confirmed run of the unprepared program, told in the source's words where it could be interpreted and, as far
    as can be foreseen, in so many seconds."""
    found = _told(subject, confirmed, preparation, seconds)
    fails = f"{found.message} ({found.at})"
    return replace(found, harness=harness_of(subject.program(UNPREPARED), confirmed, subject.task, fails))


def _told(subject: Subject, confirmed: Confirmed, preparation: str, seconds: float) -> Counterexample:
    program = subject.program(UNPREPARED)
    check = program.checks[confirmed.check]
    found = Counterexample(
        check=confirmed.check,
        kind=check.kind,
        message=check.message,
        at=check.at,
        preparation=preparation,
        inputs=_input_values(program, confirmed.inputs),
        confirmed=confirmed.ways,
        notes=_notes(subject, confirmed),
    )
    told = _story(subject, confirmed, seconds)
    if told is None:
        return found
    at = told.at if is_library(check.at) or not check.at.line else check.at
    found = replace(found, at=at, steps=tuple(map(_executed, told.lines)), omitted=told.omitted)
    if told.failure is None:
        inside = f" (in {check.at.function})" if is_library(check.at) and check.at.function else ""
        return replace(found, message=check.message + inside)
    return replace(
        found, message=told.failure.message, cause=told.failure.cause, explanation=told.failure.explanation
    )


def _notes(subject: Subject, confirmed: Confirmed) -> tuple[str, ...]:
    """Those of the confirmed run; what C leaves undetermined by its name in the source, where that is known."""
    if not confirmed.notes:
        return ()
    try:
        names = undetermined(subject.program(WRITTEN), confirmed.inputs)
    except (Unsupported, InternalError, UnusableInput):
        names = ()
    if not names:
        return confirmed.notes
    return (f"the error depends on what is in uninitialised {', '.join(f'`{name}`' for name in names)}",)


def _story(subject: Subject, confirmed: Confirmed, seconds: float) -> Story | None:
    """None for a run that is too long, or whose program before any pass is beyond the model."""
    if confirmed.interpreted is None or confirmed.interpreted.steps > MAX_TRACED_STEPS:
        return None
    left = seconds - LOWERING * subject.module(UNPREPARED).timings.get("passes", 0.0)
    if left < LEAST_SECONDS:
        return None
    try:
        program, steps = subject.program(WRITTEN), confirmed.interpreted.steps
        return story(program, confirmed.check, confirmed.inputs, steps, left / RUNS)
    except (Unsupported, InternalError, UnusableInput):
        return None


def _executed(line: Line) -> ExecutedLine:
    changes = tuple(
        Change(told.name, told.text, told.hexadecimal, _outward(line.depth, told.depth)) for told in line.changes
    )
    return ExecutedLine(line.at, line.source, changes, line.depth, line.folded, line.aside)


def _outward(here: int, depth: int | None) -> int:
    """As in result.Change."""
    return 0 if depth is None else -1 if depth < 0 else max(0, here - depth)


def harness_of(program: Program, confirmed: Confirmed, task: SourceTask, fails: str = "") -> str:
    """A C file that repeats the confirmed run of the unprepared `program` of the task, and says that it `fails`.

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
    own = dict.fromkeys(word for file in task.files for word in task.options(file))
    build = Build(files, (*words, *own), std, task.entry, program.layout.pointer_bits, seen)
    return harness(inputs, program.sites, program.checks[confirmed.check], assumed, build, fails)


# ---------------------------------------------------------------- inputs


def _input_values(program: Program, inputs: tuple[Input, ...]) -> tuple[InputValue, ...]:
    """One value for all inputs that are the same object, as equal ones of long native runs are."""
    known: dict[int, InputValue] = {}
    for item in inputs:
        if id(item) not in known:
            known[id(item)] = input_value(program, item)
    return tuple(known[id(item)] for item in inputs)


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


def c_text(value: int, bits: int, type_: str) -> str:
    """A scalar as its C type shows it."""
    if type_ in ("float", "double") and bits in (32, 64):
        return _float_text(value, bits)
    if "*" in type_ or type_ == "ptr":
        return "null" if value == 0 else f"0x{value:x}"
    if bits == 1 or not value >> (bits - 1) or type_.startswith(UNSIGNED):
        return str(value)
    return str(value - (1 << bits))


def _float_text(bits: int, width: int) -> str:
    formats = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}
    if width not in formats:
        return f"0x{bits:x}"
    integer, floating = formats[width]
    return repr(struct.unpack(floating, struct.pack(integer, bits))[0])
