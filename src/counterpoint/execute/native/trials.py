"""Many replays in one process, of inputs that are edited between them: thousands a second where a replay in a process
of its own costs milliseconds (runtime_trials.c)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from counterpoint.execute.native.instrument import NotNative
from counterpoint.execute.native.process import Process
from counterpoint.execute.native.protocol import RECORD_BYTES, NativeRun, Outcome, decode, records_of
from counterpoint.program.inputs import Input

Edit: TypeAlias = tuple[int, int, tuple[Input, ...]]
"""Positions [start, stop) of a sequence of inputs are replaced."""

Edits: TypeAlias = tuple[Edit, ...]
"""In rising order, apart from each other."""

_LIMITS = struct.Struct("<QQQ")
_COUNTS = struct.Struct("<II")


def edited(inputs: tuple[Input, ...], edits: Edits) -> tuple[Input, ...]:
    """The sequence with all edits made; positions are those before any."""
    parts: list[Input] = []
    done = 0
    for start, stop, new in edits:
        parts += inputs[done:start]
        parts += new
        done = stop
    return (*parts, *inputs[done:])


class _Records:
    """A sequence of inputs as records, in which edits are copies of bytes."""

    def __init__(self, inputs: tuple[Input, ...]) -> None:
        self.inputs = inputs
        contents, records, starts = bytearray(), bytearray(), [0]
        for given in inputs:
            records += b"".join(records_of(given, contents))
            starts.append(len(records))
        self.records, self.contents, self.starts = bytes(records), bytes(contents), starts

    def edited(self, edits: Edits, limits: bytes) -> bytes:
        contents = self.contents
        parts: list[bytes] = []
        done = 0
        for start, stop, new in edits:
            parts.append(self.records[done : self.starts[start]])
            if new:
                added = bytearray(contents)
                parts += [record for given in new for record in records_of(given, added)]
                contents = bytes(added)
            done = self.starts[stop]
        parts.append(self.records[done:])
        records = b"".join(parts)
        counts = _COUNTS.pack(len(records) // RECORD_BYTES, len(contents))
        return b"".join((counts, limits, records, contents))


class Trials:
    """A process that replays what it is handed. Leaving the `with` ends it.

    Replays are as those of Executable.replay. All methods raise NotNative if the process breaks or is late.
    """

    def __init__(self, process: Process, pointer_bits: int) -> None:
        self._process = process
        self._lines = process.lines()
        self._pointer_bits = pointer_bits
        self._base = _Records(())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.end()

    def first(
        self, base: tuple[Input, ...], candidates: Sequence[Edits], check: int, steps: int
    ) -> tuple[int, NativeRun] | None:
        """Which of the candidates, each an edited `base`, is the first whose run violates the check within so many
        steps, and this run; `invented` is not counted."""
        if base is not self._base.inputs:
            self._base = _Records(base)
        ends = [_LIMITS.pack(steps, check, 0)] * (len(candidates) - 1) + [_LIMITS.pack(steps, check, 1)]
        tries = (self._base.edited(edits, limits) for edits, limits in zip(candidates, ends, strict=True))
        self._process.send(b"".join(tries))
        answer = self._line()
        if answer == "none":
            return None
        number, taken = map(int, answer.split(" "))
        inputs = decode(self._until_end(), self._pointer_bits)
        return number - 1, NativeRun(Outcome.VIOLATED, check, inputs, taken)

    def _line(self) -> str:
        for line in self._lines:
            if not line.startswith("broken "):
                return line
            break
        raise NotNative("the process for trials ended or is late")

    def _until_end(self) -> Iterator[str]:
        while (line := self._line()) != "end":
            yield line
