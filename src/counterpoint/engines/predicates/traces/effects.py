"""What may happen between two blocks of a function, from the program's text alone: the static questions of slicing.

Source: Jhala, Majumdar, "Path slicing" (PLDI 2005), section 3: By (can the second block be bypassed) and WrBt (what is
written before it). A run that does not end there, or violates the property, is no bypass. Deviation: of a loop that
nothing but a violation ends, an iteration counts as a run that ends; otherwise all that such a loop ever comes to could
not be bypassed.
"""

from __future__ import annotations

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import call_components, loops, postorder, successors
from counterpoint.program.order import results
from counterpoint.regions.locations import Locations
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Counter,
    Elements,
    Live,
    Old,
    RegisterValue,
    ResultValue,
    Size,
    SummaryElements,
    SummaryLive,
    SummarySizes,
)
from counterpoint.static.mod_ref import mod_ref
from counterpoint.static.points_to import PointsTo


@dataclass(frozen=True, slots=True)
class Effects:
    """`leaves`: a run may end, or return, without getting to the second block. What else it may do before: define
    `registers`, change contents of the objects `modified`, make, end or free the objects `made` (bit sets)."""

    leaves: bool
    registers: frozenset[int]
    modified: int
    made: int

    def writes(self, component: Component, points: PointsTo) -> bool:
        """It may change the component."""
        match component:
            case RegisterValue(_, register):
                return register.index in self.registers
            case ResultValue():
                return True
            case Base(number) | Live(number) | Size(number):
                return points.objects[number].allocation is not None and bool(self.made >> number & 1)
            case Cell(number) | Elements(number):
                return bool((self.modified | self.made) >> number & 1)
            case SummaryElements(number):
                return bool((self.modified | self.made) & _class_of(points, number))
            case SummaryLive(number) | SummarySizes(number):
                return bool(self.made & _class_of(points, number))
            case Counter():
                return self.made != 0
            case Old():
                return False


def _class_of(points: PointsTo, number: int) -> int:
    """The objects that may be in a summary with this one."""
    return sum(1 << other for group in points.classes if number in group for other in group)


def effects_between(where: Locations, function: str, source: int, target: int) -> Effects:
    """From the entry of one block to that of another; linear in the function, once for the two."""
    return where.points.remember(
        f"between {source} {target}", function, lambda: _effects_between(where.points, function, source, target)
    )


def _effects_between(points: PointsTo, name: str, source: int, target: int) -> Effects:
    function = points.program.functions[name]
    inside = set(_region(function, source, target))
    endless = points.remember("endless", name, lambda: _endless(points, function))
    leaves = any(head != target and block in inside for block, head in sorted(endless))
    registers: set[int] = set()
    modified = made = 0
    stopping = _stopping(points)
    effects = points.remember("mod_ref", "", lambda: mod_ref(points)).functions
    for index in sorted(inside):
        block = function.blocks[index]
        returns = isinstance(block.terminator, m.Return) and not _fails(block)
        leaves = leaves or returns or _may_stop(block, stopping)
        for following in () if _fails(block) else successors(function)[index]:
            registers.update(register.index for register in function.blocks[following].parameters)
        for instruction in block.instructions:
            registers.update(register.index for register in results(instruction))
            match instruction:
                case m.Store(address) | m.Fill(address) | m.Havoc(address) | m.Copy(address):
                    modified |= points.targets(name, address)
                case m.BeginLife(address) | m.EndLife(address) | m.Free(address):
                    made |= points.targets(name, address)
                case m.Allocate():
                    made |= 1 << points.of_allocation(instruction).number
                case m.Call(callee=callee):
                    modified |= effects[callee].modified
                    made |= effects[callee].modified
    return Effects(leaves, frozenset(registers), modified, made)


def _region(function: m.Function, source: int, target: int) -> list[int]:
    """The blocks that runs from `source` go through before `target`."""
    waiting, seen = [source], {source}
    found: list[int] = []
    while waiting:
        index = waiting.pop()
        found.append(index)
        for following in () if _fails(function.blocks[index]) else successors(function)[index]:
            if following != target and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found


def _endless(points: PointsTo, function: m.Function) -> frozenset[tuple[int, int]]:
    """The edges back to the heads of loops that nothing but violations end."""
    failing = doomed(points, function)
    after = successors(function)
    found: set[tuple[int, int]] = set()
    for loop in loops(function):
        inside = failing.union(loop.blocks)
        if all(target in inside for block in loop.blocks for target in after[block]):
            found.update((block, loop.head) for block in loop.blocks if loop.head in after[block])
    return frozenset(found)


def doomed(points: PointsTo, function: m.Function) -> frozenset[int]:
    """The blocks from which all runs come to a violation, over no loop."""
    return points.remember("doomed", function.name, lambda: _doomed(function))


def _doomed(function: m.Function) -> frozenset[int]:
    found: set[int] = set()
    for index in postorder(successors(function), 0):
        after = successors(function)[index]
        if _fails(function.blocks[index]) or (after and all(b in found for b in after)):
            found.add(index)
    return frozenset(found)


def _fails(block: m.Block) -> bool:
    """Who comes to its end violated the property before."""
    checks = (i.holds for i in block.instructions if isinstance(i, m.Check))
    return any(isinstance(holds, m.Constant) and not holds.bits for holds in checks)


def _may_stop(block: m.Block, leaving: frozenset[str]) -> bool:
    """The whole run may end in the block, or in what it calls, without a violation."""
    for instruction in block.instructions:
        match instruction:
            case m.Check(holds=m.Constant(bits=0)):
                return False
            case m.Assume() | m.Unsupported():
                return True
            case m.Call(callee=callee) if callee in leaving:
                return True
    return isinstance(block.terminator, m.Stop)


def _stopping(points: PointsTo) -> frozenset[str]:
    """The functions in which, or below which, the whole run may end without a violation."""
    return points.remember("stopping", "", lambda: _stopping_in(points.program))


def _stopping_in(program: m.Program) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for component in call_components(program):
        for _ in component:  # after so many rounds each member knows of all others
            stopping = (n for n in component if any(_may_stop(b, found) for b in program.functions[n].blocks))
            found |= frozenset(stopping)
    return found
