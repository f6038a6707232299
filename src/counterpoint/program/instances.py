"""Names of edge and call instances in an unrolling, as certificates write them.

`f:3[2]>1` is the edge of f from block 3 to block 1 in iteration 2 of the one loop around block 3; a call
instance `main:4.7[0,2]/` (block 4, instruction 7) is the prefix of all names inside that activation.
Iterations are counted from 0, outermost loop first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.order import weak_topological_order


def edge_name(frame: str, function: str, block: int, iterations: Iterable[int], target: int) -> str:
    """The name of an edge instance."""
    return f"{frame}{function}:{block}[{','.join(map(str, iterations))}]>{target}"


def call_name(frame: str, function: str, block: int, position: int, iterations: Iterable[int]) -> str:
    """The name of a call instance."""
    return f"{frame}{function}:{block}.{position}[{','.join(map(str, iterations))}]/"


def place_of(name: str) -> tuple[str, int]:
    """The function and the block in which an edge or a call instance begins."""
    function, _, block = name.removesuffix("/").rsplit("/", 1)[-1].partition("[")[0].rpartition(":")
    number = block.partition(".")[0]
    return function, int(number) if number.isdecimal() else -1


# ---------------------------------------------------------------- names along a run


@dataclass(slots=True)
class _Frame:
    """An activation: its block, the iterations of the loops around it, calls made in the block so far."""

    function: m.Function
    name: str
    block: int = 0
    iterations: tuple[int, ...] = ()
    calls: int = 0


def entered_by_calls(program: m.Program, functions: Iterable[str]) -> bool:
    """A run is in block 0 of these functions when they are called, and at no other time."""
    blocks = (block for name in functions for block in program.functions[name].blocks)
    return all(edge.target != 0 for block in blocks for edge in block.edges)


def taken(program: m.Program, places: Iterable[tuple[str, int]]) -> Iterator[str]:
    """The names of the calls, and of the edges that begin another iteration, that a run takes. `places` are all blocks
    that it enters, from its start on, and (function, -1) where one returns; all functions are `entered_by_calls`.
    """
    frames: list[_Frame] = []
    for function, block in places:
        if not frames:
            frames.append(_Frame(program.functions[function], ""))
        elif block < 0:
            frames.pop()
            if not frames:
                return
        elif block == 0:
            name = _call(frames[-1])
            yield name
            frames.append(_Frame(program.functions[function], name))
        else:
            yield from _follow(frames[-1], block)


def _call(caller: _Frame) -> str:
    instructions = caller.function.blocks[caller.block].instructions
    positions = [at for at, instruction in enumerate(instructions) if isinstance(instruction, m.Call)]
    position = positions[caller.calls]
    caller.calls += 1
    return call_name(caller.name, caller.function.name, caller.block, position, caller.iterations)


def _follow(here: _Frame, target: int) -> Iterator[str]:
    heads = weak_topological_order(here.function).heads
    around, inner = heads[here.block], heads[target]
    shared = 0
    while shared < min(len(around), len(inner)) and around[shared] == inner[shared]:
        shared += 1
    counts = here.iterations[:shared]
    if shared and shared == len(inner) and inner[-1] == target:
        yield edge_name(here.name, here.function.name, here.block, here.iterations, target)
        here.iterations = (*counts[:-1], counts[-1] + 1)
    else:
        here.iterations = counts + (0,) * (len(inner) - shared)
    here.block, here.calls = target, 0
