"""Runs of one function by itself, on given parameters, globals and pointees: a *unit*.

The unit of a function is the program with another entry: it makes the function's inputs arbitrary and calls it. What
an activation was given and what it left is read by probes at the function's EXIT, so that runs of the unit, runs of
the whole program and formulas speak of the same components: inputs are its parameters, entry values of what it may
change, and globals that it reads; outputs are its results, and what it may change.

Source: Yeolekar, Unadkat, Assertion checking using dynamic inference, section 2.3 (simulate) and section 3 (the
driver for execution). Deviation: a pointer is null, or leads to the start of an object that it may point to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, Site
from counterpoint.execute.inputs import Contents, InputSource
from counterpoint.execute.outcome import Finished, Limits, Outcome
from counterpoint.execute.visits import VisitedProgram
from counterpoint.program import model as m
from counterpoint.program.types import IntType, PointerType, Type
from counterpoint.semantics.components import (
    Cell,
    Component,
    Elements,
    Old,
    RegisterValue,
    ResultValue,
    variable_of,
)
from counterpoint.semantics.cutpoint import EXIT, CutPoint, components
from counterpoint.static.mod_ref import effects_of
from counterpoint.static.points_to import PointsTo, members
from counterpoint.term.evaluate import ArrayValue, Value
from counterpoint.term.term import Term

ENTRY = "unit"
"""How the name of a unit's entry function begins."""

CHOICE_BITS = 8
"""Of the input that says where a pointer leads: 0 is null, k the k-th object that it may point to."""

MOST_TARGETS = 60

State = Mapping[Term, Value]
"""Values of a function's inputs, or of its inputs and outputs, by their variables at its EXIT."""


@dataclass(frozen=True, slots=True)
class Interface:
    """What a function is given and what it leaves, as components at its EXIT. `inputs` never change in an
    activation."""

    exit: CutPoint
    inputs: Mapping[Term, Component]
    outputs: Mapping[Term, Component]

    @property
    def function(self) -> m.Function:
        return self.exit.function


def interface(exit_: CutPoint, granules: Mapping[str, int]) -> Interface:
    """Of the function that the EXIT is of, which has to go by contract."""
    points, function = exit_.points, exit_.function
    bits, effects = points.program.layout.pointer_bits, effects_of(points, function.name)
    found = components(exit_, granules)
    changed = {component.of for component in found if isinstance(component, Old)}
    inputs: dict[Term, Component] = {}
    outputs: dict[Term, Component] = {}
    for component in found:
        variable = variable_of(component, bits)
        match component:
            case RegisterValue() | Old(Cell() | Elements()):
                inputs[variable] = component
            case ResultValue():
                outputs[variable] = component
            case Cell(number) | Elements(number) if component in changed:
                outputs[variable] = component
            case Cell(number) | Elements(number) if effects.read >> number & 1:
                inputs[variable] = component
    return Interface(exit_, inputs, outputs)


# ---------------------------------------------------------------- the unit's program


@dataclass(frozen=True, slots=True)
class Unit:
    """`program` calls the function on what it reads at `sites`: of each input the value, of a pointer which of its
    `targets` (numbers of points-to, 0 for null) it leads to."""

    interface: Interface
    program: m.Program
    sites: Mapping[Term, int]
    targets: Mapping[Term, tuple[int, ...]]


def unit_of(faced: Interface) -> Unit:
    """The unit of the function: linear in what it is given."""
    return _Entry(faced).unit()


@dataclass(slots=True)
class _Entry:
    """The entry function, block by block."""

    faced: Interface
    blocks: list[m.Block] = field(default_factory=list)
    instructions: list[m.Instruction] = field(default_factory=list)
    parameters: tuple[m.Register, ...] = ()
    registers: int = 0
    sites: dict[Term, int] = field(default_factory=dict)
    made: list[Site] = field(default_factory=list)
    targets: dict[Term, tuple[int, ...]] = field(default_factory=dict)

    def unit(self) -> Unit:
        function, program = self.faced.function, self.points.program
        arguments: dict[int, m.Value] = {}
        for variable, component in self.faced.inputs.items():
            match component:
                case RegisterValue(_, register):
                    arguments[register.index] = self._argument(variable, register)
                case Cell() | Elements():
                    self._memory(variable, component)
                case Old(Cell() | Elements() as before):
                    self._memory(variable, before)
        results = tuple(self._register(type_) for type_ in function.results)
        self.instructions.append(m.Call(results, function.name, tuple(arguments[p.index] for p in function.parameters)))
        self._close(m.Return())
        name = f"{ENTRY}.{function.name}"
        entry = m.Function(name, (), (), tuple(self.blocks), self.registers)
        sites = (*program.sites, *self.made)
        unit = replace(program, functions={**program.functions, name: entry}, entry=name, sites=sites, contracts=())
        return Unit(self.faced, unit, self.sites, self.targets)

    @property
    def points(self) -> PointsTo:
        return self.faced.exit.points

    def _register(self, type_: Type) -> m.Register:
        self.registers += 1
        return m.Register(self.registers - 1, type_)

    def _site(self, variable: Term) -> int:
        index = len(self.points.program.sites) + len(self.made)
        self.made.append(Site(index, "unit", str(variable.payload), "", NOWHERE))
        self.sites[variable] = index
        return index

    def _arbitrary(self, variable: Term, type_: Type) -> m.Register:
        result = self._register(type_)
        self.instructions.append(m.Nondet(result, self._site(variable)))
        return result

    def _close(self, terminator: m.Terminator) -> None:
        number = len(self.blocks)
        self.blocks.append(m.Block(number, f"b{number}", self.parameters, tuple(self.instructions), terminator))
        self.instructions, self.parameters = [], ()

    def _argument(self, variable: Term, register: m.Register) -> m.Value:
        if not isinstance(register.type, PointerType):
            return self._arbitrary(variable, register.type)
        return self._pointer(variable, self.points.registers.get((self.faced.function.name, register.index), 0))

    def _memory(self, variable: Term, component: Cell | Elements) -> None:
        item = self.points.objects[component.thing].item
        assert item is not None
        pointer = self.points.program.layout.pointer
        match component:
            case Cell(_, _, offset, size):
                value: m.Value = self._arbitrary(variable, IntType(8 * size))
                self.instructions.append(m.Store(m.Address(item.name, offset, pointer), value))
            case Elements():
                size_ = m.Constant(item.size, IntType(pointer.bits))
                self.instructions.append(m.Havoc(m.Address(item.name, 0, pointer), size_, self._site(variable)))

    def _pointer(self, variable: Term, targets: int) -> m.Value:
        """Null or the start of a global, chosen by the input: a block for each."""
        layout = self.points.program.layout
        things = [self.points.objects[number] for number in members(targets)]
        globals_ = [thing for thing in things if thing.item is not None][:MOST_TARGETS]
        self.targets[variable] = (0, *(thing.number for thing in globals_))
        null = m.Constant(0, layout.pointer)
        values: list[m.Value] = [null, *(m.Address(thing.name, 0, layout.pointer) for thing in globals_)]
        choice = self._arbitrary(variable, IntType(CHOICE_BITS))
        first, behind = len(self.blocks) + 1, len(self.blocks) + 1 + len(values)
        cases = tuple(range(1, len(values)))
        edges = [m.Edge(m.Guard(choice, (case,)), first + case) for case in cases]
        self._close(m.Branch((m.Edge(m.Guard(choice, cases, negated=True), first), *edges)))
        for value in values:
            self._close(m.Branch((m.Edge(m.ALWAYS, behind, (value,)),)))
        result = self._register(layout.pointer)
        self.parameters = (result,)
        return result


# ---------------------------------------------------------------- runs of it


@dataclass(frozen=True, slots=True)
class UnitRun:
    """`left`: inputs and outputs when the call that was asked for returned, None if it did not; `outcome` says how the
    run ended. `seen`: those of all activations of the function that ended in the run, for it may call itself."""

    outcome: Outcome
    left: State | None
    seen: tuple[State, ...]


LIMITS = Limits(steps=200_000, depth=2_000, memory=1 << 26, seconds=1.0)
"""Of one run of a unit."""

MOST_SEEN = 200


class RunUnit:
    """Runs one unit, again and again."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        faced = unit.interface
        place = faced.function.name, EXIT
        self._visited = VisitedProgram(unit.program, {place: faced.exit}, {place: {**faced.inputs, **faced.outputs}})
        places, things = self._visited.addresses, faced.exit.points.objects
        self.addresses = {t.number: places[t.name] for t in things if t.item is not None and t.name in places}

    def run(self, given: State, others: InputSource) -> UnitRun:
        """On these inputs (0 where one is missing, null where a pointer leads nowhere); what the function reads while
        it runs comes from `others`. Raises Unsupported for what cannot be interpreted."""
        source = _Given(others)
        for variable, site in self.unit.sites.items():
            value = given.get(variable, 0)
            if isinstance(value, ArrayValue):
                source.contents[site] = self._bytes(variable, value)
            else:
                source.scalars[site] = self._chosen(variable, value)
        done = self._visited.run(source, LIMITS, most=MOST_SEEN, whole=False)
        seen = tuple(_as_ints(values) for _, values in done.visits)
        returned = isinstance(done.run.outcome, Finished) and 0 < len(seen) < MOST_SEEN
        return UnitRun(done.run.outcome, seen[-1] if returned else None, seen)

    def _chosen(self, variable: Term, value: int) -> int:
        """The input for a value: of a pointer, which of its targets it leads to."""
        targets = self.unit.targets.get(variable)
        if targets is None:
            return value
        return next((k for k, number in enumerate(targets) if number and self.addresses[number] == value), 0)

    def _bytes(self, variable: Term, value: ArrayValue) -> Contents:
        component = self.unit.interface.inputs[variable]
        array = component.of if isinstance(component, Old) else component
        assert isinstance(array, Elements)
        points = self.unit.interface.exit.points
        item, big = points.objects[array.thing].item, points.program.layout.big_endian
        assert item is not None
        found: list[tuple[int, int]] = []
        for index in range(item.size // array.granule):
            element = value[index].to_bytes(array.granule, "big" if big else "little")
            found += ((array.granule * index + k, byte) for k, byte in enumerate(element) if byte)
        return found


def _as_ints(values: State) -> State:
    """Interpreted code may leave a truth value where an int is meant."""
    return {v: int(value) if isinstance(value, int) else value for v, value in values.items()}


@dataclass(slots=True)
class _Given:
    """The unit's inputs by their sites; all else comes from `others`."""

    others: InputSource
    scalars: dict[int, int] = field(default_factory=dict)
    contents: dict[int, Contents] = field(default_factory=dict)

    def scalar(self, site: int, bits: int) -> int:
        value = self.scalars.get(site)
        return self.others.scalar(site, bits) if value is None else value

    def pointer(self, site: int, bits: int, fresh: Callable[[], int]) -> int:
        return self.others.pointer(site, bits, fresh)

    def memory(self, site: int, size: int) -> Contents:
        contents = self.contents.get(site)
        return self.others.memory(site, size) if contents is None else contents

    def external_byte(self, offset: int) -> int:
        return self.others.external_byte(offset)

    def found(self, site: int, known: int) -> int | None:
        return self.others.found(site, known)
