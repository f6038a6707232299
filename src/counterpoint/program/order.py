"""Weak topological order and liveness of a function: what walking its unrolling needs."""

from __future__ import annotations

from itertools import chain

from counterpoint.core.closure import components
from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import Type


@dataclass(frozen=True, slots=True)
class Order:
    """A weak topological order [bourdoncle1993chaotic].

    `position[b]` numbers the blocks so that every edge leads to a higher position, except edges to the head
    of a loop that contains their source. `heads[b]` are the heads of the loops around b, outermost first; a
    head is in its own loop. Loops occupy consecutive positions, head first. Unreachable blocks come last.
    """

    position: tuple[int, ...]
    heads: tuple[tuple[int, ...], ...]


_orders: dict[int, tuple[m.Function, Order]] = {}
_live: dict[int, tuple[m.Function, tuple[tuple[int, ...], ...]]] = {}
_types: dict[int, tuple[m.Function, dict[int, Type]]] = {}


def weak_topological_order(function: m.Function) -> Order:
    """The function's order, by strongly connected components, each opened at its first block in reverse
    postorder; irreducible loops are handled. Remembered per function object. Blocks times loop depth."""
    known = _orders.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    successors = [tuple(dict.fromkeys(edge.target for edge in block.edges)) for block in function.blocks]
    rank = _reverse_postorder(successors)
    sequence: list[int] = []
    heads: dict[int, tuple[int, ...]] = {}
    _arrange(sorted(rank, key=rank.__getitem__), successors, rank, (), sequence, heads)
    missing = [b for b in range(len(successors)) if b not in rank]
    position = {block: number for number, block in enumerate(sequence + missing)}
    count = range(len(successors))
    order = Order(tuple(position[b] for b in count), tuple(heads.get(b, ()) for b in count))
    _orders[id(function)] = (function, order)
    return order


def _arrange(
    blocks: list[int],
    successors: list[tuple[int, ...]],
    rank: dict[int, int],
    around: tuple[int, ...],
    sequence: list[int],
    heads: dict[int, tuple[int, ...]],
) -> None:
    """Appends `blocks` (sorted by rank) to `sequence`; edges to the heads in `around` do not count."""
    inside = set(blocks)
    ignored = around[-1] if around else -1
    for component in _components(blocks, successors, inside, ignored):
        head = component[0]
        loops = len(component) > 1 or head in successors[head]
        if not loops:
            heads[head] = around
            sequence.append(head)
            continue
        heads[head] = (*around, head)
        sequence.append(head)
        _arrange(component[1:], successors, rank, (*around, head), sequence, heads)


def _components(
    blocks: list[int], successors: list[tuple[int, ...]], inside: set[int], ignored: int
) -> list[list[int]]:
    """Strongly connected components in topological order, blocks in the given order."""
    place = {block: number for number, block in enumerate(blocks)}
    graph = {block: [to for to in successors[block] if to in inside and to != ignored] for block in blocks}
    return [sorted(component, key=place.__getitem__) for component in reversed(components(graph))]


def _reverse_postorder(successors: list[tuple[int, ...]]) -> dict[int, int]:
    """Reachable block -> its number in reverse postorder from block 0."""
    seen = {0}
    post: list[int] = []
    work = [(0, iter(reversed(successors[0])))]
    while work:
        block, targets = work[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                work.append((target, iter(reversed(successors[target]))))
                break
        else:
            post.append(block)
            work.pop()
    return {block: number for number, block in enumerate(reversed(post))}


def live_in(function: m.Function) -> tuple[tuple[int, ...], ...]:
    """Per block the registers that it or a later one reads and that were defined before it, its own
    parameters excluded. Bit sets; a few passes over the blocks. Remembered per function object."""
    known = _live.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    uses, defines, passed = _local_sets(function)
    count = len(function.blocks)
    live = [0] * count
    order = sorted(range(count), key=weak_topological_order(function).position.__getitem__, reverse=True)
    changed = True
    while changed:
        changed = False
        for b in order:
            after = passed[b]
            for edge in function.blocks[b].edges:
                after |= live[edge.target]
            before = uses[b] | (after & ~defines[b])
            if before != live[b]:
                live[b] = before
                changed = True
    result = tuple(tuple(_members(bits)) for bits in live)
    _live[id(function)] = (function, result)
    return result


def _local_sets(function: m.Function) -> tuple[list[int], list[int], list[int]]:
    """Per block: registers read before being defined there, defined there, read by its terminator."""
    uses, defines, passed = [], [], []
    for block in function.blocks:
        defined = 0
        for parameter in block.parameters:
            defined |= 1 << parameter.index
        used = 0
        for instruction in block.instructions:
            for value in operands(instruction):
                if type(value) is m.Register and not defined >> value.index & 1:
                    used |= 1 << value.index
            for register in results(instruction):
                defined |= 1 << register.index
        last = 0
        for value in terminator_operands(block.terminator):
            if type(value) is m.Register:
                last |= 1 << value.index
        uses.append(used | last & ~defined)
        defines.append(defined)
        passed.append(last)
    return uses, defines, passed


def _members(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def results(instruction: m.Instruction) -> tuple[m.Register, ...]:
    """The registers that the instruction defines."""
    if isinstance(instruction, m.Call):
        return instruction.results
    register = getattr(instruction, "result", None)
    return (register,) if isinstance(register, m.Register) else ()


def register_types(function: m.Function) -> dict[int, Type]:
    """Types of the function's registers by index. Remembered per function object."""
    known = _types.get(id(function))
    if known is None or known[0] is not function:
        registers: list[m.Register] = list(function.parameters)
        for block in function.blocks:
            registers += chain(block.parameters, *map(results, block.instructions))
        known = _types[id(function)] = function, {register.index: register.type for register in registers}
    return known[1]


_OPERANDS: dict[type, tuple[str, ...]] = {
    m.Offset: ("base", "offset"),
    m.Load: ("address",),
    m.Store: ("address", "value"),
    m.Allocate: ("size",),
    m.BeginLife: ("address",),
    m.EndLife: ("address",),
    m.Free: ("address",),
    m.Copy: ("target", "source", "size"),
    m.Fill: ("target", "byte", "size"),
    m.Havoc: ("target", "size"),
    m.Nondet: (),
    m.Assume: ("condition",),
    m.Hint: ("condition",),
    m.Check: ("holds",),
    m.Unsupported: (),
    m.ValidAccess: ("address", "size"),
    m.ValidFree: ("address",),
    m.Apart: ("target", "source", "size"),
    m.NoLeak: (),
    m.ObjectSize: ("address",),
}


def operands(instruction: m.Instruction) -> tuple[m.Value, ...]:
    """The values that the instruction reads."""
    if type(instruction) is m.Compute:
        return instruction.operands
    if type(instruction) is m.Call:
        return instruction.arguments
    return tuple(getattr(instruction, name) for name in _OPERANDS[type(instruction)])


def terminator_operands(terminator: m.Terminator) -> tuple[m.Value, ...]:
    """The values that guards, edge arguments and returns read."""
    match terminator:
        case m.Return(values):
            return values
        case m.Branch(edges):
            found: list[m.Value] = []
            for edge in edges:
                if edge.guard.value is not None:
                    found.append(edge.guard.value)
                found += edge.arguments
            return tuple(found)
    return ()
