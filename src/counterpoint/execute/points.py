"""What generated code tells of a run: events of a recorded one, and calls at chosen blocks."""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.program import model as p
from counterpoint.program.types import Type


@dataclass(frozen=True, slots=True)
class Point:
    """What an event of a recorded run is about.

    Kinds, with the event's value: block, step, call, return (0); register (its new bits); store ((name of
    the cell, bits)); input (bits). `name` is that of the register, callee or site.
    """

    function: str
    block: int
    kind: str
    name: str
    type: Type | None
    at: SourceLocation


@dataclass(frozen=True, slots=True)
class Probe:
    """A call `name(registers...)` whenever a run enters a block; at an exit, the returned values follow."""

    name: str
    registers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watch:
    """A call `name(values...)` before an instruction, or after it."""

    name: str
    values: tuple[p.Value, ...]
    after: bool = False


def block_location(block: p.Block) -> SourceLocation:
    """Where the block starts in the source."""
    for instruction in block.instructions:
        if instruction.at.line:
            return instruction.at
    return block.terminator.at
