"""Names of edge and call instances in an unrolling, as certificates write them.

`f:3[2]>1` is the edge of f from block 3 to block 1 in iteration 2 of the one loop around block 3; a call
instance `main:4.7[0,2]/` (block 4, instruction 7) is the prefix of all names inside that activation.
Iterations are counted from 0, outermost loop first.
"""

from __future__ import annotations

from collections.abc import Iterable


def edge_name(frame: str, function: str, block: int, iterations: Iterable[int], target: int) -> str:
    """The name of an edge instance."""
    return f"{frame}{function}:{block}[{','.join(map(str, iterations))}]>{target}"


def call_name(frame: str, function: str, block: int, position: int, iterations: Iterable[int]) -> str:
    """The name of a call instance."""
    return f"{frame}{function}:{block}.{position}[{','.join(map(str, iterations))}]/"
