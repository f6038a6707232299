"""Calls that are not walked through: the callee's effect is arbitrary but for its contract.

The contract's facts (at the callee's block 0 and EXIT) speak of its parameters, its results and global objects.
Objects of the caller or of the heap that the callee may change make the call BeyondModel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from counterpoint.program import model as m
from counterpoint.program.names import original
from counterpoint.semantics.components import Base, Cell, Component, Elements, RegisterValue, ResultValue
from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells, Initial
from counterpoint.semantics.cutpoint import CutPoint, components, value_of
from counterpoint.semantics.objects import RAW, BeyondModel, World, sort_of
from counterpoint.semantics.pointers import hiding
from counterpoint.semantics.step import State, read
from counterpoint.semantics.strays import strays_at_call
from counterpoint.static.mod_ref import mod_ref
from counterpoint.static.points_to import EXTERNAL, PointsTo, members
from counterpoint.term import build
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class CallValues:
    """What the components of the callee's contract are around one call; `strayed`: when it has no meaning, because a
    pointer lies in another object than its own."""

    before: Mapping[Component, V]
    after: Mapping[Component, V]
    strayed: V


def call_by_contract(
    call: m.Call, caller: str, entry: CutPoint, exit_: CutPoint, state: State, world: World
) -> CallValues:
    """Executes the call on the state, in place: results and whatever the callee may change become arbitrary.

    `entry` and `exit_` are the callee's, `caller` is the name of the function that the call stands in. Raises
    BeyondModel if the callee may change heap objects, GranuleConflict as memory does.
    """
    points, callee = entry.points, entry.function
    arguments = [read(state, value, world) for value in call.arguments]
    passed: dict[int, V] = dict(zip((p.index for p in callee.parameters), arguments, strict=True))
    strayed = strays_at_call(arguments, call, state)
    before = _values(entry, State(dict(passed), state.memory, state.path), world, ())
    world.fresh += 1
    name = f"call{world.fresh}"
    _forget(points, callee.name, name, state, world)
    world.expose(_objects(points, points.exposed, world))
    results: list[V] = []
    for position, register in enumerate(call.results):
        hidden = _objects(points, points.registers.get((caller, register.index), 0), world)
        value = build.variable(hiding(f"{name}.result{position}", hidden), sort_of(register.type))
        results.append(value)
        state.registers[register.index] = value
    after = _values(exit_, State(dict(passed), state.memory, state.path), world, tuple(results))
    return CallValues(before, after, strayed)


def _objects(points: PointsTo, targets: int, world: World) -> list[int]:
    """All objects of the encoding for a set of abstract ones: from before its start, and made in it."""
    past = world.past
    assert past is not None
    known = {past.places[number] for number in members(targets) if number in past.places}
    known.update(i for i, (made, _) in world.made.items() if targets >> points.of_allocation(made).number & 1)
    return sorted(known)


def _forget(points: PointsTo, callee: str, name: str, state: State, world: World) -> None:
    """Makes everything that the callee may change arbitrary.

    Locals that it makes are dead again when it returns, so liveness stays; but where the caller is one of its
    activations, its own instance may have been changed through a pointer.
    """
    effects = points.remember("mod_ref", "", lambda: mod_ref(points)).functions[callee]
    past = world.past
    assert past is not None
    for number in members(effects.modified):
        thing = points.objects[number]
        suffix = hiding("", _objects(points, points.contents[number], world))
        if number == EXTERNAL:
            outside = Initial(world, "external memory", f"{name}.external", suffix=suffix)
            state.memory.set_contents(RAW, Cells(EMPTY, outside))
            continue
        if thing.heap:
            what = f"{thing.name} of {original(thing.function)}"
            raise BeyondModel(f"a call of {original(callee)}, which may change heap objects ({what})")
        if thing.item is not None and (thing.item.code or thing.item.constant):
            continue
        past.grown = past.grown or thing.allocation is not None
        for index in _objects(points, 1 << number, world):
            _forget_contents(index, f"{name}.{index}", suffix, state, world)


def _forget_contents(index: int, name: str, suffix: str, state: State, world: World) -> None:
    thing, old = world.objects[index], state.memory.contents.get(index)
    if thing.summary:
        assert isinstance(old, ArrayContents)
        state.memory.set_contents(index, ArrayContents(build.variable(f"{name}{suffix}", old.term.sort), old.granule))
    elif old is not None:
        state.memory.set_contents(index, Cells(EMPTY, Initial(world, thing.origin, name, suffix=suffix)))


def _values(cut: CutPoint, state: State, world: World, results: tuple[V, ...]) -> dict[Component, V]:
    found: dict[Component, V] = {}
    for component in components(cut, world.granules):
        match component:
            case RegisterValue(_, register) if register.index in state.registers:
                found[component] = state.registers[register.index]
            case ResultValue(_, index, _) if results:
                found[component] = results[index]
            case (Base(number) | Cell(number) | Elements(number)) if cut.points.objects[number].item is not None:
                found[component] = value_of(component, cut, state)
    return found
