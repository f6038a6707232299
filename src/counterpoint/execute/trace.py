"""A run told in the user's words: source lines in order, with the variables that changed there.

Traces are not stored but reconstructed from inputs, by running again with every event observed.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import observed_run
from counterpoint.execute.outcome import Limits, Outcome
from counterpoint.execute.points import Point
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.program.types import FloatType, PointerType, Type

_FLOAT_CODES: Mapping[int, tuple[str, str]] = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}


@dataclass(frozen=True, slots=True)
class Change:
    """A variable or memory cell and the bits that it got. The source's signedness is not known."""

    name: str
    bits: int
    type: Type

    @property
    def text(self) -> str:
        """Decimal as the source would most likely show it: signed for integers, hexadecimal for pointers."""
        return value_text(self.bits, self.type)


@dataclass(frozen=True, slots=True)
class SourceStep:
    """One source line that ran, once; `depth` counts the calls around it (main's caller is 0).

    `inputs` are (name of the site, bits, type) of arbitrary values that were consumed there.
    """

    at: SourceLocation
    function: str
    depth: int
    changes: tuple[Change, ...] = ()
    inputs: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceTrace:
    """The steps of a run; `omitted` of them were left out after the first `len(head)`."""

    outcome: Outcome
    head: tuple[SourceStep, ...]
    omitted: int
    tail: tuple[SourceStep, ...]

    @property
    def steps(self) -> tuple[SourceStep, ...]:
        return self.head + self.tail


def value_text(bits: int, type_: Type) -> str:
    """Decimal text of a value of the type; pointers in hexadecimal."""
    bits = int(bits)
    match type_:
        case PointerType():
            return f"{bits:#x}" if bits else "null"
        case FloatType() if type_.bits in _FLOAT_CODES:
            whole, number = _FLOAT_CODES[type_.bits]
            return repr(struct.unpack(number, struct.pack(whole, bits))[0])
        case FloatType():
            return f"{bits:#x}"
        case _ if type_.bits == 1:
            return str(bits)
    return str(bits - (1 << type_.bits) if bits >> (type_.bits - 1) else bits)


@dataclass(slots=True)
class _Open:
    """The step that is being told."""

    at: SourceLocation
    depth: int
    changes: dict[str, Change] = field(default_factory=dict)
    inputs: list[Change] = field(default_factory=list)

    def finished(self) -> SourceStep:
        changes = tuple(self.changes.values())
        return SourceStep(self.at, self.at.function, self.depth, changes, tuple(self.inputs))


class _Teller:
    """Turns events into steps: one step lasts as long as the run stays on a line of one call."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.head: list[SourceStep] = []
        self.tail: deque[SourceStep] = deque(maxlen=last)
        self.told = 0
        self._open: _Open | None = None
        self._known: list[dict[str, tuple[int, Type]]] = [{}]

    def observe(self, point: Point, value: Any) -> None:
        match point.kind:
            case "step":
                self._move_to(point.at)
            case "call":
                self._known.append({})
            case "return":
                self._known.pop()
            case "register":
                self._change(point, point.name, value)
            case "store":
                name, bits = value
                self._change(point, name, bits)
            case "input":
                step = self._move_to(point.at)
                assert point.type is not None
                step.inputs.append(Change(point.name, int(value), point.type))

    def _move_to(self, at: SourceLocation) -> _Open:
        step, depth = self._open, len(self._known) - 1
        if step is not None and step.depth == depth and (not at.line or _line(step.at) == _line(at)):
            return step
        self._close()
        self._open = step = _Open(at, depth)
        return step

    def _close(self) -> None:
        if self._open is None or not self._open.at.line:
            return
        step = self._open.finished()
        self.told += 1
        if len(self.head) < self.first:
            self.head.append(step)
        else:
            self.tail.append(step)

    def _change(self, point: Point, name: str, bits: int) -> None:
        """Only what differs from the last value of that name in this call is a change."""
        assert point.type is not None
        known = self._known[-1]
        if known.get(name) == (bits, point.type):
            return
        known[name] = (bits, point.type)
        self._move_to(point.at).changes[name] = Change(name, int(bits), point.type)

    def finish(self, outcome: Outcome) -> SourceTrace:
        self._close()
        omitted = self.told - len(self.head) - len(self.tail)
        return SourceTrace(outcome, tuple(self.head), omitted, tuple(self.tail))


def _line(at: SourceLocation) -> tuple[str, int, SourceLocation | None]:
    return at.file, at.line, at.inlined_at


def source_trace(
    program: Program,
    inputs: Iterable[Input],
    limits: Limits | None = None,
    first: int = 500,
    last: int = 1500,
) -> SourceTrace:
    """Replays the inputs and tells the run; of a long run only the `first` and the `last` steps are kept."""
    teller = _Teller(first, last)
    found = observed_run(program, ReplayInputs(inputs), limits or Limits(), teller.observe)
    return teller.finish(found.outcome)


def source_steps(program: Program, inputs: Iterable[Input], limits: Limits | None = None) -> list[SourceStep]:
    """The steps of `source_trace`."""
    return list(source_trace(program, inputs, limits).steps)
