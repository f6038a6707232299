"""Numbers that a function's own text speaks of: what its callers have to choose may be said with these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from counterpoint.execute.snapshots import constants
from counterpoint.program.model import Compute, Constant, Function, Offset, Program
from counterpoint.program.names import original

LARGEST: Final = 1 << 31
"""Of the numbers that are looked at; 0 is in the vocabulary anyway."""

FARTHEST: Final = 4096
MOST_OFFSETS: Final = 8
"""Bytes behind a pointer, and how many of them are looked at."""

_EQUAL: Final = frozenset({"eq", "ne"})


def functions_of(program: Program, name: str) -> Program | None:
    """The program's functions of that name in the source alone; None if there is none."""
    mine = {key: function for key, function in program.functions.items() if original(key) == name}
    return replace(program, functions=mine) if mine else None


def numbers_in(mine: Program | None) -> tuple[int, ...]:
    """Those above 1, which is in nearly all loops."""
    return tuple(value for value in constants(mine) if 1 < value < LARGEST) if mine is not None else ()


def ones_in(mine: Program | None) -> tuple[int, ...]:
    """1, if something is compared with it, or is a case of a switch."""
    functions: Sequence[Function] = tuple(mine.functions.values()) if mine is not None else ()
    return (1,) if any(map(_tells_one, functions)) else ()


def offsets_in(mine: Program | None) -> tuple[int, ...]:
    """How many bytes behind a pointer others are made, the smallest first."""
    functions = mine.functions.values() if mine is not None else ()
    moved = (one for function in functions for block in function.blocks for one in block.instructions)
    found = {one.offset.bits for one in moved if isinstance(one, Offset) and isinstance(one.offset, Constant)}
    return tuple(sorted(value for value in found if value < FARTHEST))[:MOST_OFFSETS]


def _tells_one(function: Function) -> bool:
    computed = (one for block in function.blocks for one in block.instructions if isinstance(one, Compute))
    values = (value for one in computed if one.operation in _EQUAL for value in one.operands)
    guards = (edge.guard for block in function.blocks for edge in block.edges)
    cases = (guard for guard in guards if guard.value is not None and guard.value.type.bits > 1)
    return any(isinstance(one, Constant) and one.bits == 1 and one.type.bits > 1 for one in values) or any(
        1 in guard.cases for guard in cases
    )
