"""What an arbitrary state at a cut point takes from analyses of the program, as claims about the states that arrive.

`cutpoint.arbitrary_state` believes alignment, fixed addresses, liveness, and that an object is one. A proof has to show
of each way to a cut point that what is believed there is so; as the next region begins in a state with these facts,
that is an induction on the run, as with facts of the certificate. It is mostly plain from the form of values, so that
most claims fold. Which objects values may hide (points-to) is believed without a claim: states here tell objects of
one summary apart no more, so that their values seem to carry more than points-to says.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.objects import World, sort_of
from counterpoint.semantics.step import State
from counterpoint.semantics.stored import known_alignment
from counterpoint.static import alignment
from counterpoint.static.accesses import fixed_addresses, surely_live
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V

WHAT = "a state is not as the analyses of the program say"


def wrong_at(cut: CutPoint, state: State, results: tuple[V, ...] = ()) -> V:
    """When the state, which got to the cut point (to EXIT with these results), is not what every state there is
    believed to be."""
    world = state.memory.shared.world
    numbers = alignment.of_points(cut.points).results[cut.function.name]
    returned = [_misaligned(value, low, world) for value, low in zip(results, numbers, strict=bool(results))]
    return build.disjunction([*_registers(cut, state, world), *returned, *_objects(cut, state, world)])


def _misaligned(value: V, divisor: int, world: World) -> V:
    """The number does not divide the value, which may have another sort than bit-vectors: then nothing is believed."""
    value, low = build.plain(value), divisor.bit_length() - 1
    width = value.sort.width if isinstance(value, Term) and isinstance(value.sort, BitVec) else 64
    if (isinstance(value, Term) and not isinstance(value.sort, BitVec)) or not 0 < low < width:
        return 0
    if known_alignment(value, world.base_alignment) >= divisor:
        return 0
    return build.ne(build.extract(low - 1, 0, value, width), 0, low)


def _registers(cut: CutPoint, state: State, world: World) -> Iterator[V]:
    """Powers of two that divide, and addresses that are always the same."""
    points, function, bits = cut.points, cut.function, world.pointer_bits
    aligned = alignment.of_points(points).registers[function.name]
    fixed = fixed_addresses(points, function)
    for register in cut.registers:
        value, sort = state.registers.get(register.index), sort_of(register.type)
        if value is None or not isinstance(sort, BitVec):
            continue
        place = fixed.get(register.index)
        if place is not None and place[0] in cut.singles:
            there = _instances(cut, place[0], state, world)
            always = [build.add(world.base(index), place[1], bits) for index in there]
            yield build.conjunction([build.ne(build.plain(value), address, bits) for address in always])
            continue
        yield _misaligned(value, aligned[register.index], world)


def _instances(cut: CutPoint, number: int, state: State, world: World) -> list[int]:
    """The world's objects for an abstract one that exists at the cut point."""
    allocation, past = cut.points.objects[number].allocation, world.past
    assert past is not None
    made = [i for i, (a, _) in world.made.items() if a is allocation and i in state.memory.contents]
    return [*made, *([past.places[number]] if number in past.places else [])]


def _objects(cut: CutPoint, state: State, world: World) -> Iterator[V]:
    """One object where one is believed to be, live where that is certain; none that the next state leaves out."""
    points, function = cut.points, cut.function
    certain = surely_live(points, function)[cut.block] if cut.block != EXIT else 0
    for number in cut.singles:
        if points.objects[number].allocation is None:
            continue
        there = _instances(cut, number, state, world)
        if len(there) > 1:
            yield 1
        if certain >> number & 1:
            yield from (build.not_(state.memory.live(index)) for index in there)
    known = {*cut.singles, *(number for group in cut.summaries for number in group.members)}
    for index, (allocation, _) in world.made.items():
        thing = points.of_allocation(allocation)
        over = cut.block == EXIT and thing.function == function.name and not thing.heap
        if thing.number not in known and index in state.memory.contents and not over:
            yield state.memory.live(index)
