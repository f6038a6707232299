"""Whether the ends of locals' lives matter: a block graph has no word for them."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.program import model as m
from counterpoint.program.graph import successors
from counterpoint.static.points_to import PointsTo, points_to


def access_to_dead_local(program: m.Program, function: m.Function) -> m.Instruction | None:
    """An instruction that may access a local after its life ended, and before it begins again; None if there is none.

    If there is none, BeginLife and EndLife have no effect in the function. Addresses are followed by points-to
    sets; linear per round, and rounds are few.
    """
    if not any(isinstance(i, m.EndLife) for block in function.blocks for i in block.instructions):
        return None
    facts = points_to(program)
    carried = facts.escapes
    for block in function.blocks:
        for parameter in block.parameters:
            carried |= facts.targets(function.name, parameter)
    dead = {0: 0}
    work = [0]
    while work:
        index = work.pop()
        after = dead[index]
        for instruction in function.blocks[index].instructions:
            if any(facts.targets(function.name, address) & after for address in _accessed(instruction)):
                return instruction
            after = _after(instruction, after, function, facts, carried)
        for target in successors(function)[index]:
            if target not in dead or after & ~dead[target]:
                dead[target] = dead.get(target, 0) | after
                work.append(target)
    return None


def _after(instruction: m.Instruction, dead: int, function: m.Function, facts: PointsTo, carried: int) -> int:
    """The objects that may be dead after it.

    A local that is allocated again is a fresh one. Its address is the only one left, unless an older one was stored
    or went along an edge (`carried`): all other registers made from it are made anew before they are used.
    """
    match instruction:
        case m.Allocate():
            return dead & ~(1 << facts.of_allocation(instruction).number & ~carried)
        case m.EndLife(address):
            return dead | facts.targets(function.name, address)
        case m.BeginLife(address):
            begun = facts.targets(function.name, address)
            return dead & ~begun if begun.bit_count() == 1 and begun & facts.singleton else dead
    return dead


def _accessed(instruction: m.Instruction) -> Iterator[m.Value]:
    match instruction:
        case m.Load(_, address) | m.Store(address):
            yield address
        case m.Copy(target, source):
            yield target
            yield source
        case m.Fill(target) | m.Havoc(target):
            yield target
