"""How the program's text accesses its objects: at which offsets, and where a local is surely live."""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.program import model as m
from counterpoint.program.graph import predecessors, reverse_postorder
from counterpoint.program.types import size_in_bytes
from counterpoint.static.points_to import PointsTo, members


def accesses(points: PointsTo) -> dict[int, tuple[tuple[int, int], ...]]:
    """By object: (offset, bytes) of the accesses at fixed offsets; offset -1 for those at others."""
    return points.remember("accesses", "", lambda: _accesses_of(points))


def _accesses_of(points: PointsTo) -> dict[int, tuple[tuple[int, int], ...]]:
    found: dict[int, set[tuple[int, int]]] = {}
    for function in points.program.functions.values():
        fixed = fixed_addresses(points, function)
        for i in (i for block in function.blocks for i in block.instructions if isinstance(i, m.Load | m.Store)):
            size = size_in_bytes(i.result.type if isinstance(i, m.Load) else i.value.type)
            place = _fixed(points, fixed, i.address)
            if place is not None:
                found.setdefault(place[0], set()).add((place[1], size))
            elif size & (size - 1) == 0:
                for number in members(points.targets(function.name, i.address)):
                    found.setdefault(number, set()).add((-1, size))
    return {number: tuple(sorted(shapes)) for number, shapes in found.items()}


def widest(points: PointsTo, numbers: list[int]) -> int:
    """The bytes of the widest access to one of these objects, at most those of a pointer."""
    shapes, whole = accesses(points), points.program.layout.pointer_bits // 8
    widths = [size for number in numbers for _, size in shapes.get(number, ())]
    return max((w for w in widths if w & (w - 1) == 0 and w <= whole), default=whole) if widths else whole


def fixed_addresses(points: PointsTo, function: m.Function) -> dict[int, tuple[int, int]]:
    """Registers that are always the same offset into the same object."""
    return points.remember("fixed_addresses", function.name, lambda: _fixed_addresses_of(points, function))


def _fixed_addresses_of(points: PointsTo, function: m.Function) -> dict[int, tuple[int, int]]:
    fixed: dict[int, tuple[int, int]] = {}
    for block in function.blocks:
        for i in block.instructions:
            if isinstance(i, m.Allocate):
                fixed[i.result.index] = (points.of_allocation(i).number, 0)
            elif isinstance(i, m.Offset) and isinstance(i.offset, m.Constant):
                base = _fixed(points, fixed, i.base)
                if base is not None and base[1] + i.offset.bits < 1 << 31:
                    fixed[i.result.index] = (base[0], base[1] + i.offset.bits)
    return fixed


def _fixed(points: PointsTo, fixed: Mapping[int, tuple[int, int]], value: m.Value) -> tuple[int, int] | None:
    match value:
        case m.Register(index):
            return fixed.get(index)
        case m.Address(symbol, offset) if offset >= 0:
            return points.globals[symbol], offset
    return None


def surely_live(points: PointsTo, function: m.Function) -> list[int]:
    """By block: bit set of the objects that the function allocated and that are live at the block's start.

    Whatever may end an object counts as ending it, calls with all that any function but this one may end.
    """
    return points.remember("surely_live", function.name, lambda: _surely_live_of(points, function))


def _surely_live_of(points: PointsTo, function: m.Function) -> list[int]:
    elsewhere = 0
    for other in points.program.functions.values():
        if other is not function:
            for block in other.blocks:
                elsewhere |= _changed(points, other, block, 0)[1]
    fixed = fixed_addresses(points, function)
    effects = [_changed(points, function, block, elsewhere, fixed) for block in function.blocks]
    everything = (1 << len(points.objects)) - 1
    before = [everything] * len(function.blocks)
    before[0] = 0
    previous = predecessors(function)
    order = [number for number in reverse_postorder(function) if number]
    changed = True
    while changed:
        changed = False
        for number in order:
            live = everything
            for source in previous[number]:
                begun, ended = effects[source]
                live &= before[source] & ~ended | begun
            if live != before[number]:
                before[number] = live
                changed = True
    return before


def _changed(
    points: PointsTo,
    function: m.Function,
    block: m.Block,
    calls: int,
    fixed: Mapping[int, tuple[int, int]] | None = None,
) -> tuple[int, int]:
    """(surely begun, possibly ended) objects over a block."""
    begun = ended = 0
    for i in block.instructions:
        match i:
            case m.Allocate():
                begun |= 1 << points.of_allocation(i).number
            case m.BeginLife(address):
                place = _fixed(points, fixed or {}, address)
                if place is not None and place[1] == 0:
                    begun |= 1 << place[0]
            case m.EndLife(address) | m.Free(address):
                gone = points.targets(function.name, address)
                begun &= ~gone
                ended |= gone
            case m.Call():
                begun &= ~calls
                ended |= calls
    return begun, ended
