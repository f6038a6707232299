"""Loops that an encoding walks past: what they may change becomes arbitrary, all else is what it was in front of them.

At the head of a loop of the entry function a state may be *framed*: the head's parameters, and the contents and
liveness of what mod/ref says that the loop may change (static/mod_ref.py), become arbitrary, and the walk goes on
through the loop's body and behind the loop, up to the edges that lead back to the head. Let a run come to the head by
an edge from outside, and then by edges from inside, and no other: each time its state is one of these. The first time
nothing has changed since. Each later time: what is computed outside of the loop has its value (a register has one
definition, which is not passed again), and memory has changed where the loop may change it only. So what is shown of
all these states is shown of the run, wherever it comes to the head. Facts at the head are shown of the state in front
of the loop and behind each edge that leads back, and known of the framed state, as those of a contract are behind a
call.

A pointer that goes on from what was there in front of the loop by offsets alone belongs to what it belonged to,
whatever its address becomes (static/loop_roots.py). Of all others that become arbitrary only addresses are kept:
these must not have strayed (semantics/strays.py). What does not become arbitrary stays what it is. Loops that make
objects, that change what an encoding does not tell apart from other objects, or that can be entered elsewhere, are
not framed: at their heads regions end and begin.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterpoint.program import model as m
from counterpoint.program.graph import loops
from counterpoint.semantics.components import Cell, Component, Elements, Live, RegisterValue, variable_of
from counterpoint.semantics.contents import EMPTY, Cells, Initial
from counterpoint.semantics.cutpoint import CutPoint, aligned_variable, components, cut_point, value_of
from counterpoint.semantics.objects import RAW, BeyondModel, World, sort_of
from counterpoint.semantics.pointers import Resolver, hiding, mentioned_objects, objects_of
from counterpoint.semantics.step import State, read
from counterpoint.semantics.strays import strays_among
from counterpoint.static import alignment
from counterpoint.static.loop_roots import loop_roots
from counterpoint.static.mod_ref import Effects, effects_of_loop
from counterpoint.static.points_to import EXTERNAL, PointsTo, members
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

Place = tuple[str, int]


def framed_heads(points: PointsTo) -> frozenset[Place]:
    """The loop heads of the entry function at which states can be framed. Remembered with `points`."""
    return points.remember("framed heads", "", lambda: _framed_heads(points))


def _framed_heads(points: PointsTo) -> frozenset[Place]:
    function = points.program.main
    found = (loop.head for loop in loops(function) if loop.natural and loop.head != 0)
    return frozenset((function.name, head) for head in found if _is_framed(points, function, head))


def _is_framed(points: PointsTo, function: m.Function, head: int) -> bool:
    """The loop makes no object, and what it may change exists one by one."""
    effects, cut = effects_of_loop(points, function.name, head), cut_point(points, function.name, head)
    single = sum(1 << number for number in cut.singles) | 1 << EXTERNAL
    return effects.made == 0 and not effects.modified & ~single


def strays_at_head(cut: CutPoint, state: State) -> V:
    """When a pointer that becomes arbitrary at the loop's head, and of which only the address is kept, has strayed."""
    rooted = loop_roots(cut.points, cut.function, cut.block)
    parameters = (one for one in cut.function.blocks[cut.block].parameters if one.index not in rooted)
    changed = _changed(cut, _effects(cut), state, state.memory.shared.world)
    outside = [(EXTERNAL, RAW)] if RAW in state.memory.contents else []
    return strays_among(cut, parameters, [*outside, *changed], state)


def frame(cut: CutPoint, state: State, world: World) -> None:
    """Makes what the loop may change arbitrary, in the state that got to its head from outside."""
    points, effects = cut.points, _effects(cut)
    world.fresh += 1
    name = f"loop{world.fresh}"
    aligned = alignment.of_points(points).registers[cut.function.name]
    rooted = _rooted(cut, state, world, name)
    for one in cut.function.blocks[cut.block].parameters:
        if one.index in rooted:
            state.registers[one.index] = rooted[one.index]
            continue
        targets = points.registers.get((cut.function.name, one.index), 0)
        label = hiding(f"{name}.%{one.index}", objects_of(points, targets, world))
        state.registers[one.index] = aligned_variable(label, sort_of(one.type), aligned[one.index])
    memory = state.memory
    if effects.modified >> EXTERNAL & 1:
        suffix = hiding("", objects_of(points, points.contents[EXTERNAL], world))
        memory.set_contents(RAW, Cells(EMPTY, Initial(world, "external memory", f"{name}.external", suffix=suffix)))
    for number, index in _changed(cut, effects, state, world):
        suffix = hiding("", objects_of(points, points.contents[number], world))
        initial = Initial(world, world.objects[index].origin, f"{name}.{index}", suffix=suffix)
        memory.set_contents(index, Cells(EMPTY, initial))
        if effects.lives >> number & 1:
            live = build.variable(f"{name}.live {index}", BOOL)
            memory.set_alive(index, build.and_(memory.live(index), live) if points.objects[number].heap else live)
    world.expose(objects_of(points, points.exposed, world))


def _rooted(cut: CutPoint, state: State, world: World, name: str) -> dict[int, V]:
    """Pointers of any address, each of which belongs to what one of its roots belongs to, by their registers."""
    aligned = alignment.of_points(cut.points).registers[cut.function.name]
    sort, found = BitVec(world.pointer_bits), dict[int, V]()
    for index, roots in loop_roots(cut.points, cut.function, cut.block).items():
        base, *others = (read(state, root, world) for root in roots)
        for number, other in enumerate(others):
            base = build.ite(build.variable(f"{name}.%{index}.root{number}", BOOL), other, base, sort)
        if aligned[index] > 1:
            address = aligned_variable(f"{name}.%{index}", sort, aligned[index])
            found[index] = build.owned(address, base, 0, world.pointer_bits) if mentioned_objects(base) else address
        else:
            found[index] = Resolver(world).moved(base, build.variable(f"{name}.%{index}", sort))
    return found


def values_at(cut: CutPoint, state: State) -> dict[Component, V]:
    """The values of the components at the cut point; those without one there are left out."""
    found: dict[Component, V] = {}
    for component in components(cut, state.memory.shared.world.granules):
        try:
            found[component] = value_of(component, cut, state)
        except BeyondModel:
            continue
    return found


def changed_at(cut: CutPoint, granules: Mapping[str, int]) -> frozenset[Term]:
    """The variables of the components that become arbitrary at the loop's head: of others facts there say nothing
    that is not known anyway."""
    bits, modified = cut.points.program.layout.pointer_bits, _effects(cut).modified
    parameters = {one.index for one in cut.function.blocks[cut.block].parameters}
    found: set[Term] = set()
    for component in components(cut, granules):
        match component:
            case RegisterValue(_, register):
                changed = register.index in parameters
            case Cell(number) | Elements(number) | Live(number):
                changed = bool(modified >> number & 1)
            case _:
                changed = False
        if changed:
            found.add(variable_of(component, bits))
    return frozenset(found)


def _effects(cut: CutPoint) -> Effects:
    return effects_of_loop(cut.points, cut.function.name, cut.block)


def _changed(cut: CutPoint, effects: Effects, state: State, world: World) -> list[tuple[int, int]]:
    """The objects that the loop may change: abstract ones with those of the encoding that there are on some path."""
    found: list[tuple[int, int]] = []
    for number in members(effects.modified):
        thing = cut.points.objects[number]
        if number == EXTERNAL or (thing.item is not None and (thing.item.code or thing.item.constant)):
            continue
        there = objects_of(cut.points, 1 << number, world)
        found += [(number, index) for index in there if index in state.memory.contents]
    return found
