"""States at cut points: what is known of them, an arbitrary one, and the named parts of any one.

A cut point is a block of a function (a loop head, the entry) or EXIT. Which objects exist there one by one
and which are in summaries depends on the program alone, so all encodings agree on it. The reasons are in
docs/decisions/0001-cut-points.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import contract_functions, successors
from counterpoint.program.names import original, plain
from counterpoint.program.order import live_in
from counterpoint.semantics import contents as store_
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
    variable_of,
)
from counterpoint.semantics.contents import EMPTY, ArrayContents, Cells, Initial
from counterpoint.semantics.folded import Arrays, Summarised, folded
from counterpoint.semantics.layout import OBJECT_ALIGNMENT, dynamic_base, objects_end
from counterpoint.semantics.memory import Memory, static_memory
from counterpoint.semantics.objects import RAW, BeyondModel, MemoryObject, Past, World, origin_of, sort_of
from counterpoint.semantics.pointers import hiding
from counterpoint.semantics.step import Begun, State
from counterpoint.semantics.stored import as_bits
from counterpoint.semantics.summary import counter_now, liveness_of
from counterpoint.static import alignment
from counterpoint.static.accesses import accesses, fixed_addresses, surely_live, widest
from counterpoint.static.cursors import roots_at
from counterpoint.static.mod_ref import effects_of
from counterpoint.static.pointer_slots import distances_of
from counterpoint.static.points_to import EXTERNAL, AbstractObject, PointsTo, among_many, members
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, ScalarSort
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute

EXIT = -1
"""The block number of a function's exit."""

@dataclass(frozen=True, slots=True)
class CutPoint:
    """`registers` are live there, or parameters of a function other than the entry; `singles` are the objects
    (numbers in `points`) that exist one by one.

    Every object is single, in one of `summaries`, or does not exist at this point.
    """

    points: PointsTo
    function: m.Function
    block: int
    registers: tuple[m.Register, ...]
    singles: tuple[int, ...]
    summaries: tuple[Summarised, ...]

    @property
    def by_contract(self) -> bool:
        """Calls of the function go by contract."""
        return self.function.name in contract_functions(self.points.program) - {self.points.program.entry}

    def label(self, number: int) -> str:
        """A name for an object that is unique in the program: the number makes it so, or that it is a global's."""
        thing = self.points.objects[number]
        return thing.name if thing.item is not None else f"{thing.function}.{plain(thing.name)}#{number}"

    @property
    def name(self) -> str:
        return f"{original(self.function.name)}:{'exit' if self.block == EXIT else self.block}"


def cut_point(points: PointsTo, function: str, block: int) -> CutPoint:
    """What states at the block (or EXIT) of the function consist of. Linear in the program."""
    body = points.program.functions[function]
    own = [
        thing.number
        for thing in points.objects
        if thing.allocation is not None and thing.function == function and points.singleton >> thing.number & 1
        and (function == points.program.entry or not thing.heap)  # a caller has its callees' blocks in summaries
        and not among_many(points, thing)
    ]  # fmt: skip
    singles = [thing.number for thing in points.objects if thing.item is not None]
    singles += [number for number in own if _may_exist(body, points.objects[number], block)]
    groups: list[Summarised] = []
    for group in points.classes:
        for heap in (False, True):
            part = [n for n in group if points.objects[n].allocation is not None and points.objects[n].heap is heap]
            rest = tuple(n for n in part if n not in own)
            if rest:
                groups.append(Summarised(min(part), rest, widest(points, part)))
    registers = _live(body, block)
    if function != points.program.entry:  # they never change, so that facts may speak of a call's arguments
        registers = (*body.parameters, *(r for r in registers if r not in body.parameters))
    return CutPoint(points, body, block, registers, tuple(singles), tuple(sorted(groups, key=lambda g: g.number)))


def _may_exist(function: m.Function, thing: AbstractObject, block: int) -> bool:
    """The block can be reached from the allocation; a local does not outlive its function."""
    if block == EXIT:
        return thing.heap
    after = successors(function)
    seen: set[int] = set()
    waiting = list(after[thing.block])
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            waiting.extend(after[here])
    return block in seen


def _live(function: m.Function, block: int) -> tuple[m.Register, ...]:
    if block == EXIT:
        return ()
    wanted = set(live_in(function)[block])
    known = {register.index: register for register in function.parameters}
    for other in function.blocks:
        for register in other.parameters:
            known[register.index] = register
        for instruction in other.instructions:
            results = instruction.results if isinstance(instruction, m.Call) else ()
            single = getattr(instruction, "result", None)
            for register in (*results, *((single,) if isinstance(single, m.Register) else ())):
                known[register.index] = register
    parameters = function.blocks[block].parameters
    return (*parameters, *(known[index] for index in sorted(wanted)))


# ---------------------------------------------------------------- states


def first_state(world: World, cut: CutPoint) -> State:
    """The state at the start of a run: `cut` is the entry of the program's entry function."""
    past = world.past = Past(dynamic_base(world.program), points=cut.points)
    memory = static_memory(world)
    past.earlier = list(range(len(world.objects)))
    places = {number: world.globals[cut.points.objects[number].name] for number in cut.singles}
    _summaries(world, cut, memory, places, nothing=True)
    past.places = places
    past.start = memory.copy()
    return State({}, memory, 1)


def arbitrary_state(world: World, cut: CutPoint, name: str = "cut") -> State:
    """A state of which nothing is known but what every state at the cut point fulfils.

    A world holds one such state. Its `name` begins the names of all variables.
    """
    if world.past is not None or world.objects:
        raise BeyondModel("an encoding has one start")
    past = world.past = Past(build.variable(f"{name}.counter", BitVec(world.pointer_bits)), points=cut.points)
    world.axiom(build.ule(past.counter, objects_end(world.pointer_bits) + 1, world.pointer_bits))
    memory = static_memory(world)
    places = {number: world.globals[t.name] for number in cut.singles if (t := cut.points.objects[number]).item}
    for number in cut.singles:
        if number not in places:
            places[number] = _single(world, cut, memory, cut.points.objects[number], name)
    past.earlier = sorted(places.values())
    _summaries(world, cut, memory, places, nothing=False, name=name)
    past.places = places
    world.expose(_hidden(world, cut.points.exposed))
    for number in cut.singles:
        thing = cut.points.objects[number]
        if (thing.item is None or cut.points.written >> number & 1) and not (thing.item and thing.item.code):
            initial = _arbitrary(world, f"{name}.{cut.label(number)}", _origin(thing), cut, cut.points.contents[number])
            memory.set_contents(places[number], Cells(EMPTY, initial))
    outside = _arbitrary(world, f"{name}.external memory", "external memory", cut, cut.points.contents[EXTERNAL])
    memory.set_contents(RAW, Cells(EMPTY, outside))
    world.outside = None
    registers = _registers(world, cut, name)
    locals_ = tuple(
        places[number]
        for number in cut.singles
        if cut.points.objects[number].allocation is not None and not cut.points.objects[number].heap
    )
    state = State(registers, memory, 1, locals_)
    if not cut.by_contract:
        past.start = memory.copy()
        past.roots = tuple(registers[index] for index in roots_at(cut.points, cut.function, cut.block, cut.registers))
    if cut.by_contract:
        state.begun = Begun(memory.copy(), past.counter) if cut.block == 0 else Begun(None, name=f"{name}.")
    return state


def _registers(world: World, cut: CutPoint, name: str) -> dict[int, V]:
    """Arbitrary values, but for what holds on all paths: fixed addresses, and powers of two that divide."""
    registers, points, function = dict[int, V](), cut.points, cut.function
    fixed = fixed_addresses(points, function)
    aligned = alignment.of_points(points).registers[function.name]
    past = world.past
    assert past is not None
    for register in cut.registers:
        index, place = register.index, fixed.get(register.index)
        if place is not None and place[0] in cut.singles:
            registers[index] = build.add(world.base(past.places[place[0]]), place[1], world.pointer_bits)
            continue
        targets = cut.points.registers.get((cut.function.name, index), 0)
        label, sort = hiding(f"{name}.%{index}", _hidden(world, targets)), sort_of(register.type)
        registers[index] = aligned_variable(label, sort, aligned[index])
        past.near[registers[index]] = distances_of(points, function.name, register)
    return registers


def aligned_variable(name: str, sort: ScalarSort, divisor: int) -> V:
    """An arbitrary value that the power of two divides: said of bit-vectors that have more bits."""
    low = divisor.bit_length() - 1
    if isinstance(sort, BitVec) and 0 < low < sort.width:
        return build.concat(build.variable(name, BitVec(sort.width - low)), sort.width - low, 0, low)
    return build.variable(name, sort)


def _hidden(world: World, targets: int) -> list[int]:
    """The world's objects for a set of abstract ones; those that do not exist at the cut point left out."""
    past = world.past
    assert past is not None
    return sorted({past.places[number] for number in members(targets) if number in past.places})


def _arbitrary(world: World, name: str, origin: str, cut: CutPoint, targets: int) -> Initial:
    return Initial(world, origin, name, suffix=hiding("", _hidden(world, targets)))


def _origin(thing: AbstractObject) -> str:
    return thing.name if thing.allocation is None else origin_of(thing.allocation)


def _single(world: World, cut: CutPoint, memory: Memory, thing: AbstractObject, name: str) -> int:
    allocation = thing.allocation
    assert allocation is not None
    size: V = build.variable(f"{name}.size {cut.label(thing.number)}", BitVec(world.pointer_bits))
    if isinstance(allocation.size, m.Constant):
        size = allocation.size.bits
    made = world.add_object(
        lambda index: MemoryObject(
            index, origin_of(allocation), size, allocation.alignment, heap=allocation.heap,
            constant_parts=allocation.constant,
        )
    )  # fmt: skip
    certain = cut.block != EXIT and surely_live(cut.points, cut.function)[cut.block] >> thing.number & 1
    live = build.variable(f"{name}.live {cut.label(thing.number)}", BOOL)
    memory.set_alive(made.index, 1 if certain else live)
    return made.index


def _summaries(
    world: World, cut: CutPoint, memory: Memory, places: dict[int, int], *, nothing: bool, name: str = "start"
) -> None:
    """Makes the summaries' objects; with `nothing`, there is none in them yet."""
    past, bits = world.past, world.pointer_bits
    assert past is not None
    made: list[tuple[int, Summarised]] = []
    for group in cut.summaries:
        index, heap = len(world.objects), cut.points.objects[group.members[0]].heap
        origin = f"summary {group.number}"
        parts = {a.constant for number in group.members if (a := cut.points.objects[number].allocation) is not None}
        known = parts.pop() if len(parts) == 1 else None
        whole = MemoryObject(index, origin, 0, OBJECT_ALIGNMENT, heap=heap, summary=True, constant_parts=known)
        world.objects.append(whole)
        world.objects.append(MemoryObject(liveness_of(index), f"live {origin}", 0, 1, summary=True))
        places.update((number, index) for number in group.members)
        made.append((index, group))
    past.places = places
    for index, group in made:
        origin = world.objects[index].origin
        granule = world.granules.get(origin, group.granule)
        targets = 0
        for number in group.members:
            targets |= cut.points.contents[number]
        hidden = () if nothing else _hidden(world, targets)
        sort, truth = ArraySort(bits, 8 * granule), ArraySort(bits, 8)
        bytes_ = build.variable(hiding(f"{name}.{origin}.array{granule}", hidden), sort)
        live = build.constant_array(truth, 0) if nothing else build.variable(f"{name}.live {origin}", truth)
        memory.set_contents(index, ArrayContents(bytes_, granule))
        memory.set_contents(liveness_of(index), ArrayContents(live, 1))
        past.live[index] = [(live, past.counter)]
        past.sizes[index] = build.variable(f"{name}.size {origin}", ArraySort(bits, bits))


# ---------------------------------------------------------------- components


def components(cut: CutPoint, granules: Mapping[str, int] | None = None) -> tuple[Component, ...]:
    """The parts of a state at the cut point that formulas may talk about, in a fixed order.

    Cells and elements are those that the program's accesses suggest; any other Cell or Elements of a single
    object that exists there has a value as well. `granules` are those of the World (bytes per element, by
    origin): they change the names and sorts of arrays, so a stored invariant needs them as well.
    """
    known = granules or {}
    found: list[Component] = [RegisterValue(cut.function.name, register) for register in cut.registers]
    if cut.block == EXIT:
        found += [ResultValue(cut.function.name, k, type_) for k, type_ in enumerate(cut.function.results)]
    shapes, interesting = accesses(cut.points), _interesting(cut)
    for number in cut.singles:
        thing, label = cut.points.objects[number], cut.label(number)
        code = thing.item is not None and thing.item.code
        if not interesting >> number & 1 or (code and not cut.by_contract):
            continue
        found.append(Base(number, label))
        if code:  # which function a pointer means, is part of contracts
            continue
        if thing.allocation is not None:
            found.append(Live(number, label))
            if not isinstance(thing.allocation.size, m.Constant):
                found.append(Size(number, label))
        if thing.allocation is not None or cut.points.written >> number & 1:
            for offset, size in shapes.get(number, ()):
                granule = min(size, known.get(_origin(thing), size))
                found.append(Elements(number, label, granule) if offset < 0 else Cell(number, label, offset, size))
    for group in cut.summaries:
        if not any(interesting >> number & 1 for number in group.members):
            continue
        granule = known.get(f"summary {group.number}", group.granule)
        found += [SummaryElements(group.number, granule), SummarySizes(group.number)]
        if cut.block != EXIT or cut.points.objects[group.members[0]].heap:  # a local dies with the activation that ends
            found.append(SummaryLive(group.number))
    found.append(Counter())
    if cut.by_contract and cut.block != 0:
        found += _entry_values(cut, known)
    return tuple(dict.fromkeys(found))


def _interesting(cut: CutPoint) -> int:
    """The objects that formulas may talk about: where calls go by contract, those that the function may change, read,
    or point to."""
    if not cut.by_contract:
        return -1
    effects = effects_of(cut.points, cut.function.name)
    return effects.modified | effects.read | effects.pointed


def _touched_by(objects: int, groups: Iterable[Summarised]) -> set[int]:
    return {group.number for group in groups if any(objects >> number & 1 for number in group.members)}


def _entry_values(cut: CutPoint, granules: Mapping[str, int]) -> list[Old]:
    """For each component at the function's entry that the function may change, what it was there."""
    effects = effects_of(cut.points, cut.function.name)
    modified = effects.modified
    changed = _touched_by(modified, cut.summaries)
    lives = _touched_by(effects.lives, cut.summaries)
    entry = entry_of(cut)
    found: list[Old] = []
    for component in components(entry, granules):
        match component:
            case Cell(number) | Elements(number) if modified >> number & 1:
                found.append(Old(component))
            case SummaryElements(number) if number in changed:
                found.append(Old(component))
            case SummaryLive(number) if number in lives:
                found.append(Old(component))
            case Counter() if effects.made:
                found.append(Old(component))
    return found


def entry_of(cut: CutPoint) -> CutPoint:
    """The entry of the cut point's function."""
    name = cut.function.name
    return cut.points.remember("entry", name, lambda: cut_point(cut.points, name, 0))


def value_of(component: Component, cut: CutPoint, state: State, results: tuple[V, ...] = ()) -> V:
    """What the component is (a pointer: its address) in a state that reached `cut`, or that arbitrary_state made.

    `results` are the returned values at EXIT. Raises BeyondModel for a component that has no value there, and
    GranuleConflict where arrays have elements of another size.
    """
    return build.plain(_value_of(component, cut, state, results))


def _value_of(component: Component, cut: CutPoint, state: State, results: tuple[V, ...]) -> V:
    world = state.memory.shared.world
    past = world.past
    assert past is not None
    match component:
        case RegisterValue(_, register):
            if register.index not in state.registers:
                raise BeyondModel(f"{component.name} has no value at {cut.name}")
            return state.registers[register.index]
        case ResultValue(_, index, _):
            return results[index]
        case Base(number):
            return _of_single(cut, state, number, lambda index: world.base(index), BitVec(world.pointer_bits))
        case Live(number):
            single = _index(cut, state, number)
            return 0 if single is None else state.memory.live(single)
        case Size(number):
            return _of_single(cut, state, number, lambda i: world.objects[i].size, BitVec(world.pointer_bits))
        case Cell(number, _, offset, size):
            return _of_single(cut, state, number, lambda i: _cell(state, i, offset, size), BitVec(8 * size))
        case Elements(number, _, granule):
            sort = ArraySort(world.pointer_bits, 8 * granule)
            return _of_single(cut, state, number, lambda i: _elements(state, i, granule), sort)
        case SummaryElements(summary, granule):
            found = _folded(cut, state, summary)
            if found.granule != granule:
                raise BeyondModel(f"{component.name} has elements of {found.granule} bytes here")
            return found.bytes
        case SummaryLive(summary):
            return _folded(cut, state, summary).live
        case SummarySizes(summary):
            return _folded(cut, state, summary).sizes
        case Counter():
            return counter_now(world)
        case Old(was):
            return _entry_value(was, component, cut, state)


def _entry_value(was: Component, component: Old, cut: CutPoint, state: State) -> V:
    begun = state.begun
    if begun is None:
        raise BeyondModel(f"{component.name} has no value at {cut.name}")
    if begun.memory is None:
        bits = cut.points.program.layout.pointer_bits
        return build.variable(f"{begun.name}{component.name}", component.sort(bits))
    if isinstance(was, Counter):
        return begun.counter
    return _value_of(was, entry_of(cut), State({}, begun.memory, 1), ())


def instantiate(formula: V, cut: CutPoint, state: State, results: tuple[V, ...] = ()) -> V:
    """A formula over components' variables, in a state at the cut point."""
    if isinstance(formula, int):
        return formula
    from counterpoint.term.walk import variables

    bits = cut.points.program.layout.pointer_bits
    used = set(variables(formula))
    granules = state.memory.shared.world.granules
    known = {variable_of(component, bits): component for component in components(cut, granules)}
    mapping = {v: value_of(c, cut, state, results) for v, c in known.items() if v in used}
    strange = [v for v in variables(formula) if v not in mapping]
    if strange:
        raise BeyondModel(f"{strange[0].payload} is no component at {cut.name}")
    return substitute(formula, mapping)


# ---------------------------------------------------------------- values of components


def _index(cut: CutPoint, state: State, number: int) -> int | None:
    """The world's object for a single one: the one made on the way here, else the one from the start."""
    world = state.memory.shared.world
    assert world.past is not None
    allocation = cut.points.objects[number].allocation
    made = [i for i, (a, _) in world.made.items() if a is allocation and i in state.memory.contents]
    if len(made) > 1 or (made and number in world.past.places):
        raise BeyondModel(f"{cut.label(number)} was made twice on the way to {cut.name}")
    return made[0] if made else world.past.places.get(number)


def _of_single(cut: CutPoint, state: State, number: int, value: object, sort: BitVec | ArraySort) -> V:
    index = _index(cut, state, number)
    if index is None:  # never made on the way here: its parts mean nothing
        return state.memory.shared.world.unknown(sort, "unmade")
    assert callable(value)
    found: V = value(index)
    return found


def _cell(state: State, index: int, offset: int, size: int) -> V:
    world = state.memory.shared.world
    thing = world.objects[index]
    found = store_.read(state.memory.contents[index], offset, size, thing.size, thing.origin, world, False)
    return as_bits(found)


def _elements(state: State, index: int, granule: int) -> Term:
    world = state.memory.shared.world
    found = state.memory.contents[index]
    if isinstance(found, Cells):
        known = world.granules.get(world.objects[index].origin, granule)
        found = found.to_array(min(known, granule), world)
    if found.granule != granule:
        raise BeyondModel(f"{world.objects[index].origin} has elements of {found.granule} bytes here")
    return found.term


def _folded(cut: CutPoint, state: State, summary: int) -> Arrays:
    """A summary once the objects made on the way here are in it."""
    group = next((g for g in cut.summaries if g.number == summary), None)
    if group is None:
        raise BeyondModel(f"no summary {summary} at {cut.name}")
    return folded(cut.points, group, state.memory)
