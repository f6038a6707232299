"""How far a run is from branches that nobody has taken: the order in which paths are explored.

Distances are numbers of edges in the control flow, calls included; where a function returns to is not followed, since
a call is also a step to what comes after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.program import model as m

CfgEdge: TypeAlias = tuple[str, int, int]
"""Function, block, block that it leads to."""

FAR = 1 << 20
"""The distance from which no wanted edge can be reached."""


@dataclass(slots=True)
class BranchDistance:
    """Distances to the nearest of the edges in `wanted`. Linear in the program after each change."""

    program: m.Program
    wanted: set[CfgEdge]
    _before: dict[tuple[str, int], list[tuple[str, int]]] = field(default_factory=dict)
    _known: dict[tuple[str, int], int] | None = None

    def __post_init__(self) -> None:
        for function in self.program.functions.values():
            for block in function.blocks:
                here = function.name, block.index
                for edge in block.edges:
                    self._before.setdefault((function.name, edge.target), []).append(here)
                for instruction in block.instructions:
                    if isinstance(instruction, m.Call):
                        self._before.setdefault((instruction.callee, 0), []).append(here)

    def drop(self, edges: Iterable[CfgEdge]) -> bool:
        """These are wanted no more; whether any was."""
        dropped = self.wanted.intersection(edges)
        if not dropped:
            return False
        self.wanted -= dropped
        self._known = None
        return True

    def of(self, edge: CfgEdge) -> int:
        """From taking this edge on: 0 if it is wanted itself."""
        return 0 if edge in self.wanted else min(FAR, 1 + self._distances().get((edge[0], edge[2]), FAR))

    def _distances(self) -> dict[tuple[str, int], int]:
        if self._known is None:
            starts = sorted({(function, block) for function, block, _ in self.wanted})
            self._known = found = dict.fromkeys(starts, 1)
            waiting = deque(starts)
            while waiting:
                here = waiting.popleft()
                for before in self._before.get(here, ()):
                    if before not in found:
                        found[before] = found[here] + 1
                        waiting.append(before)
        return self._known
