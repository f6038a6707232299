"""Pointers that lie in another object than the one that owns them, where only addresses are kept.

At a cut point a pointer is its address (semantics/summary.py): it belongs to what it points into, if that is anything
that it may have been derived from. That is its owner, unless the pointer strayed: left its object and came to lie
in (or one past) another, or in external memory. A proof has to show that no pointer that is kept across a cut point,
or handed to a function that goes by its contract, has done so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.semantics.contents import ArrayContents
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.layout import NULL_PAGE, external_base, external_end, objects_end
from counterpoint.semantics.objects import RAW, World
from counterpoint.semantics.pointers import Resolver, mentioned_objects
from counterpoint.semantics.step import State
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Op, Term, V

Where: TypeAlias = Callable[[Term, int, World], V]
"""Whether a pointer that is of the object of this index lies where it should not."""

WHAT = "a pointer in another object than its own is kept across a loop or call"


def strays_at(cut: CutPoint, state: State, results: tuple[V, ...] = ()) -> V:
    """When some pointer that is kept across the cut point has strayed. One that can only be of one object, which is not
    one of many blocks that the program's text does not tell apart, can only have strayed into external memory."""
    types = cut.function.results if cut.block == EXIT else ()
    kept = [value for value, type_ in zip(results, types, strict=False) if isinstance(type_, PointerType)]
    several, of_one = _in_registers(cut, cut.registers, state)
    return build.or_(_some([*kept, *several], state), _any_strayed(of_one, state.memory.shared.world, _in_external))


def strays_among(cut: CutPoint, registers: Iterable[m.Register], objects: Iterable[tuple[int, int]], state: State) -> V:
    """When a pointer in these registers has strayed, or one that these objects hold: abstract ones, with those of the
    encoding."""
    several, of_one = _in_registers(cut, registers, state)
    for number, index in objects:
        contents = state.memory.contents[index]
        if isinstance(contents, ArrayContents):
            if contents.owners is not None:
                return 1
            continue
        held = several if _is_of_several(cut, cut.points.contents[number]) else of_one
        held += [value for _, value in contents.map.values()]
    world = state.memory.shared.world
    return build.or_(_any_strayed(several, world, _in_another), _any_strayed(of_one, world, _in_external))


def _in_registers(cut: CutPoint, registers: Iterable[m.Register], state: State) -> tuple[list[V], list[V]]:
    """The pointers there that may be of several objects, and the others."""
    several, of_one = list[V](), list[V]()
    for register in registers:
        if isinstance(register.type, PointerType) and register.index in state.registers:
            targets = cut.points.registers.get((cut.function.name, register.index), 0)
            (several if _is_of_several(cut, targets) else of_one).append(state.registers[register.index])
    return several, of_one


def _is_of_several(cut: CutPoint, targets: int) -> bool:
    single = sum(1 << number for number in cut.singles)
    return bool(targets & (targets - 1) or targets & ~single)


def strays_at_call(arguments: Iterable[V], call: m.Call, state: State) -> V:
    """When some pointer that a function may see that is called by its contract has strayed."""
    pairs = zip(arguments, call.arguments, strict=True)
    return _some([value for value, operand in pairs if isinstance(operand.type, PointerType)], state)


def _some(values: list[V], state: State) -> V:
    """Of the values and what objects hold."""
    memory = state.memory
    world = memory.shared.world
    for contents in memory.contents.values():
        if isinstance(contents, ArrayContents):
            if contents.owners is not None:
                return 1
            continue
        values += [value for _, value in contents.map.values()]
    return _any_strayed(values, world, _in_another)


def _any_strayed(values: list[V], world: World, where: Where) -> V:
    known: dict[Term, V] = {}
    result: V = 0
    for value in values:
        if isinstance(value, Term) and mentioned_objects(value):
            result = build.or_(result, _strayed(value, world, where, known))
    return result


def _strayed(value: Term, world: World, where: Where, known: dict[Term, V]) -> V:
    """Parts of stored pointers count as these. What belongs to what it points into has not strayed.

    Linear in the new nodes, which `known` remembers.
    """
    stack = [value]
    while stack:
        term = stack[-1]
        waiting = [part for part in _parts(term) if part not in known]
        if term not in known and not waiting:
            known[term] = _known_by_parts(term, world, where, known)
        if waiting:
            stack.extend(waiting)
        else:
            stack.pop()
    return known[value]


def _parts(term: Term) -> list[Term]:
    """The arguments that carry pointers, of terms that stray if these do."""
    match term.op:
        case Op.ITE:
            args = term.args[1:]
        case Op.CONCAT | Op.EXTRACT | Op.ZEXT:
            args = term.args
        case _:
            return []
    return [arg for arg in args if isinstance(arg, Term) and mentioned_objects(arg)]


def _known_by_parts(term: Term, world: World, where: Where, known: dict[Term, V]) -> V:
    def of(arg: V) -> V:
        return known.get(arg, 0) if isinstance(arg, Term) else 0

    match term.op:
        case Op.ITE:
            return build.ite(term.args[0], of(term.args[1]), of(term.args[2]), BOOL)
        case Op.CONCAT | Op.EXTRACT | Op.ZEXT:
            return build.disjunction([of(arg) for arg in term.args])
        case Op.ADD | Op.SUB | Op.OWNED if term.sort is BitVec(world.pointer_bits):
            return _outside(term, world, where)
    return 0


def _outside(pointer: Term, world: World, where: Where) -> V:
    if pointer.op is Op.OWNED and len(pointer.args) == 1:
        return 0  # it belongs to what it points into
    bits = world.pointer_bits
    strayed: V = 0
    for guard, index, offset in Resolver(world).targets(pointer):
        if index == RAW:
            out: V = 1 if mentioned_objects(offset) else 0
        else:
            out = build.ult(world.objects[index].size, offset, bits)
        if out != 0:
            strayed = build.or_(strayed, build.conjunction([guard, out, where(pointer, index, world)]))
    return strayed


def _in_another(pointer: Term, index: int, world: World) -> V:
    """The address lies in, or one past, another object than `index`, or in external memory; of blocks from before it is
    not known where they lie."""
    bits = world.pointer_bits
    room = objects_end(bits) - NULL_PAGE
    somewhere = build.ule(build.sub(build.plain(pointer), NULL_PAGE, bits), room, bits)
    other = build.and_(somewhere, _among(pointer, index, world))
    return build.or_(other, _in_external(pointer, index, world))


def _in_external(pointer: Term, index: int, world: World) -> V:
    """The address lies in external memory, which the pointer is not of."""
    if index == RAW:
        return 0
    bits = world.pointer_bits
    low = external_base(bits)
    return build.ult(build.sub(build.plain(pointer), low, bits), external_end(bits) - low, bits)


def _among(pointer: Term, index: int, world: World) -> V:
    """The same, wherever objects may lie."""
    bits = world.pointer_bits
    found: list[V] = []
    for other in world.objects:
        if other.summary or other.block_of >= 0:
            return 1
        if other.index != index and not other.code:
            offset = build.sub(build.plain(pointer), world.base(other.index), bits)
            found.append(build.ule(offset, other.size, bits))
    return build.disjunction(found)
