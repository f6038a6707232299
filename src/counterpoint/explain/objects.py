"""The objects of a run, dead ones as well: what they are in the source, where they are from, where they ended."""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.execute.memory import Memory
from counterpoint.program.model import Program
from counterpoint.program.names import original
from counterpoint.program.source_types import SourceVariable


@dataclass(slots=True)
class RunObject:
    """`kind`: local, heap, static or code; `size` in bytes. `stack`: the calls in which it was allocated, innermost
    first; `ended`: where it died ("" and no stack: it lives), in `function` for a local. `steps`: those at which it was
    allocated and freed."""

    base: int
    size: int
    kind: str
    variable: SourceVariable | None = None
    name: str = ""
    function: str = ""
    at: SourceLocation = NOWHERE
    stack: tuple[SourceLocation, ...] = ()
    model: str = ""
    ended: SourceLocation | None = None
    returned: bool = False
    end_stack: tuple[SourceLocation, ...] = ()
    steps: tuple[int, ...] = ()


@dataclass(slots=True)
class Objects:
    """All objects of a run by their base."""

    by_base: dict[int, RunObject] = field(default_factory=dict)
    _bases: list[int] = field(default_factory=list)
    _sorted: bool = True

    def add(self, item: RunObject) -> None:
        if item.base not in self.by_base:
            if self._bases and self._bases[-1] > item.base:
                insort(self._bases, item.base)
            else:
                self._bases.append(item.base)
        self.by_base[item.base] = item

    def owner(self, address: int) -> RunObject | None:
        """The object, dead or live, at or below an address: the last that starts there or before."""
        index = bisect_right(self._bases, address) - 1
        return self.by_base[self._bases[index]] if index >= 0 else None


def static_objects(program: Program, memory: Memory) -> Objects:
    """The objects that are there when a run begins."""
    found = Objects()
    for (name, item), block in zip(program.globals.items(), memory.live_blocks(), strict=False):
        variable = program.names.objects.get(name)
        known = program.names.functions.get(name)
        kind = "code" if item.code else "static"
        called = variable.name if variable is not None else known.name if known is not None else ""
        if item.code and not called:
            called = original(name)
        at = variable.at if variable is not None else item.at
        found.add(RunObject(block.base, item.size, kind, variable, called, at=at))
    return found
