"""Calls that are not walked through: the callee's effect is arbitrary but for its contract.

A call sees memory as the callee's cut points divide it: the caller's objects that are in one of its summaries are put
into it (semantics/folded.py), what the callee may change of that becomes arbitrary, and the caller's objects are what
the summary then has at their addresses. The contract's facts (at the callee's block 0 and EXIT) speak of its
parameters, its results, globals and these summaries; entry values (components.Old) at EXIT are the values before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Counter,
    Elements,
    Old,
    RegisterValue,
    ResultValue,
    SummaryElements,
    SummaryLive,
    SummarySizes,
)
from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells, Initial
from counterpoint.semantics.cutpoint import CutPoint, aligned_variable, components, value_of
from counterpoint.semantics.folded import Arrays, Summarised, folded, held_by, read_back
from counterpoint.semantics.objects import RAW, World, sort_of
from counterpoint.semantics.pointers import hiding, objects_of
from counterpoint.semantics.step import Begun, State, read
from counterpoint.semantics.strays import strays_at_call
from counterpoint.semantics.summary import LIVE, call_returned, counter_now, liveness_of
from counterpoint.static import alignment
from counterpoint.static.mod_ref import Effects, effects_of
from counterpoint.static.points_to import EXTERNAL, PointsTo, members
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort
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
    BeyondModel where memory cannot be divided as the callee's, GranuleConflict as memory does.
    """
    points, callee = entry.points, entry.function
    arguments = [read(state, value, world) for value in call.arguments]
    passed: dict[int, V] = dict(zip((p.index for p in callee.parameters), arguments, strict=True))
    strayed = strays_at_call(arguments, call, state)
    effects = effects_of(points, callee.name)
    touched = effects.modified | effects.read
    groups = [group for group in entry.summaries if any(touched >> number & 1 for number in group.members)]
    was = {group.number: folded(points, group, state.memory) for group in groups}
    called = _Called(points, effects, entry, exit_, passed, state, world, was, dict(was))
    before = called.before()
    world.fresh += 1
    name = f"call{world.fresh}"
    called.forget(name)
    world.expose(objects_of(points, points.exposed, world))
    results: list[V] = []
    divisors = alignment.of_points(points).results[callee.name]
    for position, register in enumerate(call.results):
        hidden = objects_of(points, points.registers.get((caller, register.index), 0), world)
        value = aligned_variable(
            hiding(f"{name}.result{position}", hidden), sort_of(register.type), divisors[position]
        )
        results.append(value)
        state.registers[register.index] = value
    return CallValues(before, called.after(before, tuple(results)), strayed)


@dataclass(slots=True)
class _Called:
    """One call: the state, which it changes, and the callee's summaries before and after."""

    points: PointsTo
    effects: Effects
    entry: CutPoint
    exit: CutPoint
    passed: dict[int, V]
    state: State
    world: World
    was: dict[int, Arrays]
    now: dict[int, Arrays] = field(default_factory=dict)

    def before(self) -> dict[Component, V]:
        """The values of the components at the callee's entry."""
        return self._values(self.entry, State(dict(self.passed), self.state.memory, self.state.path), self.was, ())

    def after(self, before: Mapping[Component, V], results: tuple[V, ...]) -> dict[Component, V]:
        """The values of the components at the callee's EXIT."""
        state = State(dict(self.passed), self.state.memory, self.state.path, (), Begun(None))
        found = self._values(self.exit, state, self.now, results)
        for component in components(self.exit, self.world.granules):
            if isinstance(component, Old) and component.of in before:
                found[component] = before[component.of]
        return found

    def _values(
        self, cut: CutPoint, state: State, arrays: Mapping[int, Arrays], results: tuple[V, ...]
    ) -> dict[Component, V]:
        found: dict[Component, V] = {}
        for component in components(cut, self.world.granules):
            match component:
                case RegisterValue(_, register) if register.index in state.registers:
                    found[component] = build.plain(state.registers[register.index])
                case ResultValue(_, index, _) if results:
                    found[component] = build.plain(results[index])
                case (Base(number) | Cell(number) | Elements(number)) if self.points.objects[number].item is not None:
                    found[component] = value_of(component, cut, state)
                case SummaryElements(number, granule) if number in arrays and arrays[number].granule == granule:
                    found[component] = arrays[number].bytes
                case SummaryLive(number) if number in arrays:
                    found[component] = arrays[number].live
                case SummarySizes(number) if number in arrays:
                    found[component] = arrays[number].sizes
                case Counter():
                    found[component] = counter_now(self.world)
        return found

    # ------------------------------------------------------------ what the callee may change

    def forget(self, name: str) -> None:
        """Makes everything that the callee may change arbitrary."""
        points, world, memory = self.points, self.world, self.state.memory
        for number in members(self.effects.modified):
            thing = points.objects[number]
            if number == EXTERNAL:
                suffix = hiding("", objects_of(points, points.contents[number], world))
                outside = Initial(world, "external memory", f"{name}.external", suffix=suffix)
                memory.set_contents(RAW, Cells(EMPTY, outside))
            elif thing.item is not None and not (thing.item.code or thing.item.constant):
                (index,) = objects_of(points, 1 << number, world)
                suffix = hiding("", objects_of(points, points.contents[number], world))
                initial = Initial(world, world.objects[index].origin, f"{name}.{index}", suffix=suffix)
                memory.set_contents(index, Cells(EMPTY, initial))
        changed = [group for group in self.entry.summaries if self._modifies(group)]
        for group in changed:
            self.now[group.number] = self._arbitrary(group, name)
        if self.effects.made:
            call_returned(world, self.state.path, f"{name}.counter")
        for group in changed:
            self._returned(group, name)

    def _modifies(self, group: Summarised) -> bool:
        return any(self.effects.modified >> number & 1 for number in group.members)

    def _ends(self, group: Summarised) -> bool:
        """The callee may make or free heap blocks of the group."""
        heap = self.points.objects[group.members[0]].heap
        return heap and any(self.effects.lives >> number & 1 for number in group.members)

    def _arbitrary(self, group: Summarised, name: str) -> Arrays:
        """The summary's arrays behind the call.

        Liveness of locals stays: those that the callee makes are dead again when it returns, and it ends no other.
        Sizes stay: since no address is used twice, they are a function of the address for the whole run, of which the
        arrays know a part.
        """
        world, was = self.world, self.was[group.number]
        targets = 0
        for number in group.members:
            targets |= self.points.contents[number]
        suffix = hiding("", objects_of(self.points, targets, world))
        label = f"{name}.summary {group.number}"
        bytes_ = build.variable(f"{label}.array{was.granule}{suffix}", was.bytes.sort)
        live = was.live
        if self._ends(group):
            live = build.variable(f"{label}.live", ArraySort(world.pointer_bits, 8))
        return Arrays(bytes_, was.granule, live, was.sizes)

    def _returned(self, group: Summarised, name: str) -> None:
        """The caller's objects of the group are as its summary says."""
        points, world, memory = self.points, self.world, self.state.memory
        arrays = self.now[group.number]
        ends = self._ends(group)
        whole, singles = held_by(points, group, memory)
        live = arrays.live
        for index in singles:
            if memory.live(index) == 0:
                continue
            base = world.base(index)
            live = build.store(live, base, 0)
            number = self._number(index)
            if not self.effects.modified >> number & 1:
                continue
            suffix = hiding("", objects_of(points, points.contents[number], world))
            memory.set_contents(index, read_back(arrays, index, f"{name}.{index}", suffix, memory))
            if ends:
                still = build.eq(build.select(arrays.live, base), LIVE, 8)
                memory.set_alive(index, build.and_(memory.live(index), still))
        if whole is None:
            return
        past = world.past
        assert past is not None
        memory.set_contents(whole, ArrayContents(arrays.bytes, arrays.granule))
        if ends:
            memory.set_contents(liveness_of(whole), ArrayContents(live, 1))
            past.live[whole].append((live, counter_now(world)))

    def _number(self, index: int) -> int:
        """The abstract object that a single one of the encoding is an instance of."""
        if index in self.world.made:
            return self.points.of_allocation(self.world.made[index][0]).number
        past = self.world.past
        assert past is not None
        return next(number for number, place in past.places.items() if place == index)

