"""Which objects the values of a program may point into: inclusion-based, flow- and field-insensitive.

An abstract object stands for a global, for everything that one Allocate instruction makes, or for all memory
outside of the program. Sets are ints used as bit sets over object numbers. A set holds every object from
whose address a value may have been computed in whatever way (casts, arithmetic, single bytes), and EXTERNAL
where the value may have been computed from something that is no object's address; null is never mentioned.

Source: [andersen1994points]. Deviation: fields, contexts and the order of instructions are ignored, and
comparisons are the only operations that a pointer does not flow through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TypeAlias, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import loops, recursive_functions
from counterpoint.program.types import PointerType
from counterpoint.static.punning import numbers_of_stored_pointers

T = TypeVar("T")

EXTERNAL = 0
"""The object number of all memory that no instruction of the program allocates."""

Key: TypeAlias = tuple[str, int]
"""(function, register index)."""


@dataclass(frozen=True, slots=True)
class AbstractObject:
    """A global (`allocation` None), the objects of one Allocate, or EXTERNAL (both None).

    `function`, `block`, `position` say where the Allocate stands.
    """

    number: int
    name: str
    item: m.Global | None = None
    allocation: m.Allocate | None = None
    function: str = ""
    block: int = -1
    position: int = -1

    @property
    def heap(self) -> bool:
        return self.allocation is not None and self.allocation.heap


@dataclass(frozen=True, slots=True)
class PointsTo:
    """The least solution. `registers` and `contents` (by object number) are bit sets of object numbers.

    `classes` partition the objects that one access may touch together; `escapes` are those whose address is
    stored in memory or became an integer; `singleton` those of which at most one exists at a time, namely
    globals and allocations in a function that runs once at a time, outside of loops; of heap blocks only
    those of functions that run once in all. `exposed` are those to which an integer that was computed from any
    object's address may point once it is made into a pointer: whose address was cast to an integer, or of which a
    stored pointer may have been read at another type.
    """

    program: m.Program
    objects: tuple[AbstractObject, ...]
    globals: dict[str, int]
    sites: dict[int, int]
    registers: dict[Key, int]
    contents: tuple[int, ...]
    classes: tuple[tuple[int, ...], ...]
    escapes: int
    singleton: int
    written: int
    ended: int
    exposed: int
    remembered: dict[tuple[str, str], object] = field(default_factory=dict, compare=False, repr=False)

    def remember(self, what: str, function: str, compute: Callable[[], T]) -> T:
        """What `compute` gives, once per function: for analyses that build on this one."""
        key = (what, function)
        if key not in self.remembered:
            self.remembered[key] = compute()
        return self.remembered[key]  # type: ignore[return-value]

    def targets(self, function: str, value: m.Value) -> int:
        """The bit set of an operand of an instruction of the function."""
        match value:
            case m.Register(index):
                return self.registers.get((function, index), 0)
            case m.Address(symbol):
                return 1 << self.globals[symbol]
        return 0

    def of_allocation(self, allocation: m.Allocate) -> AbstractObject:
        """The object of this very instruction."""
        return self.objects[self.sites[id(allocation)]]


def members(bits: int) -> Iterator[int]:
    """The object numbers of a bit set, rising."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def among_many(points: PointsTo, thing: AbstractObject) -> bool:
    """A heap block that pointers do not tell from others, of which there are many: the first one of a list."""
    group = next(group for group in points.classes if thing.number in group)
    return thing.heap and any(points.objects[n].heap and not points.singleton >> n & 1 for n in group)


def points_to(program: m.Program) -> PointsTo:
    """Solves the program's constraints: instructions times objects in the worst case, near linear as a rule."""
    solver = _Constraints(program)
    solver.collect()
    solver.solve()
    return solver.result()


_COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
_RAW_RESULT = frozenset({"pointer_from_int"})


@dataclass(slots=True)
class _Constraints:
    """Nodes are registers, then the contents of objects; `copies[n]` are the nodes that include node n."""

    program: m.Program
    objects: list[AbstractObject] = field(default_factory=list)
    globals: dict[str, int] = field(default_factory=dict)
    sites: dict[int, int] = field(default_factory=dict)
    nodes: dict[Key | int, int] = field(default_factory=dict)
    sets: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    copies: list[set[int]] = field(default_factory=list)
    loads: list[list[int]] = field(default_factory=list)
    stores: list[list[int]] = field(default_factory=list)
    accesses: list[int] = field(default_factory=list)
    writes: list[tuple[str, m.Value]] = field(default_factory=list)
    ends: list[tuple[str, m.Value]] = field(default_factory=list)
    integers: list[int] = field(default_factory=list)
    casts: list[tuple[int, int]] = field(default_factory=list)
    exposing: list[int] = field(default_factory=list)
    numbers: dict[int, None] = field(default_factory=dict)
    """Integers that are addresses."""
    plain: set[int] = field(default_factory=set)
    """What is no such number, though computed from one: pointers, and distances of pointers."""
    number: int = 0
    """The bit of a set that says that such a number may be among the values; above those of objects."""

    # ------------------------------------------------------------ nodes

    def _new(self) -> int:
        self.sets.append(0)
        self.done.append(0)
        self.copies.append(set())
        self.loads.append([])
        self.stores.append([])
        return len(self.sets) - 1

    def _node(self, key: Key | int) -> int:
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = self._new()
        return node

    def _contents(self, number: int) -> int:
        return self._node(number)

    def _object(self, **parts: object) -> int:
        number = len(self.objects)
        self.objects.append(AbstractObject(number, **parts))  # type: ignore[arg-type]
        self._contents(number)
        return number

    def _value(self, function: str, value: m.Value) -> int:
        """The node of an operand; addresses of globals get one that never changes."""
        match value:
            case m.Register(index, type_):
                node = self._node((function, index))
                if isinstance(type_, PointerType):
                    self.plain.add(node)
                return node
            case m.Address(symbol):
                node = self._node(("", self.globals[symbol]))
                self.sets[node] |= 1 << self.globals[symbol]
                return node
        return self._node(("", -1))

    def _copy(self, source: int, target: int) -> None:
        if source != target:
            self.copies[source].add(target)

    # ------------------------------------------------------------ constraints

    def collect(self) -> None:
        """One constraint per instruction, edge argument, call and initial value."""
        self._object(name="external memory")
        self.sets[self._contents(EXTERNAL)] |= 1 << EXTERNAL
        for item in self.program.globals.values():
            self.globals[item.name] = self._object(name=item.name, item=item)
        for item in self.program.globals.values():
            for _, value in item.pieces:
                self._copy(self._value("", value), self._contents(self.globals[item.name]))
        for function in self.program.functions.values():
            for block in function.blocks:
                for position, instruction in enumerate(block.instructions):
                    self._instruction(function.name, block.index, position, instruction)
                for edge in block.edges:
                    for parameter, value in zip(function.blocks[edge.target].parameters, edge.arguments, strict=True):
                        self._copy(self._value(function.name, value), self._value(function.name, parameter))
        self.numbers |= dict.fromkeys(map(self._node, numbers_of_stored_pointers(self.program)))

    def _instruction(self, f: str, block: int, position: int, i: m.Instruction) -> None:
        match i:
            case m.Compute():
                self._compute(f, i)
            case m.Offset(result, base, offset):
                self._copy(self._value(f, base), self._value(f, result))
                self._copy(self._value(f, offset), self._value(f, result))
                if isinstance(base, m.Constant):
                    self.sets[self._value(f, result)] |= 1 << EXTERNAL
            case m.Load(result, address):
                self._load(f, result, address)
            case m.Store(address, value):
                self._store(f, address, value)
            case m.Allocate(result):
                number = self._object(
                    name=i.name or "block", allocation=i, function=f, block=block, position=position
                )
                self.sites[id(i)] = number
                self.sets[self._value(f, result)] |= 1 << number
                if not i.zeroed:
                    self.sets[self._contents(number)] |= 1 << EXTERNAL
            case m.Copy(target, source, _):
                between = self._new()
                self.sets[between] |= 1 << EXTERNAL  # an invalid source gives anything
                self.loads[self._access(f, source)].append(between)
                self.stores[self._access(f, target)].append(between)
                self.writes.append((f, target))
            case m.Fill(target, byte, _):
                self._store(f, target, byte)
            case m.Havoc(target, _, _):
                anything = self._node(("", -2))
                self.sets[anything] |= 1 << EXTERNAL
                self.stores[self._access(f, target)].append(anything)
                self.writes.append((f, target))
            case m.Nondet(result):
                self.sets[self._value(f, result)] |= 1 << EXTERNAL
            case m.Call():
                self._call(f, i)
            case m.BeginLife(address) | m.EndLife(address) | m.Free(address):
                self._access(f, address)
                if not isinstance(i, m.BeginLife):
                    self.ends.append((f, address))

    def _compute(self, f: str, i: m.Compute) -> None:
        if i.operation in _COMPARISONS:
            return
        result = self._value(f, i.result)
        for operand in i.operands:
            self._copy(self._value(f, operand), result)
        pointer = isinstance(i.result.type, PointerType)
        if i.operation in _RAW_RESULT or (pointer and any(isinstance(o, m.Constant) for o in i.operands)):
            self.sets[result] |= 1 << EXTERNAL
        if not pointer:
            self.integers.append(result)
        if i.operation == "int_from_pointer":
            self.exposing.append(result)
            self.numbers[result] = None
        elif i.operation == "sub" and all(self._value(f, operand) in self.numbers for operand in i.operands):
            self.plain.add(result)
        elif i.operation == "pointer_from_int":
            self.casts.append((self._value(f, i.operands[0]), result))

    def _access(self, f: str, address: m.Value) -> int:
        node = self._value(f, address)
        self.accesses.append(node)
        return node

    def _load(self, f: str, result: m.Register, address: m.Value) -> None:
        node = self._access(f, address)
        # An invalid access gives anything, which may be used as an address later on.
        self.sets[self._value(f, result)] |= 1 << EXTERNAL
        self.loads[node].append(self._value(f, result))
        if not isinstance(result.type, PointerType):
            self.exposing.append(self._value(f, result))

    def _store(self, f: str, address: m.Value, value: m.Value) -> None:
        self.stores[self._access(f, address)].append(self._value(f, value))
        self.writes.append((f, address))

    def _call(self, f: str, i: m.Call) -> None:
        callee = self.program.functions[i.callee]
        for parameter, value in zip(callee.parameters, i.arguments, strict=True):
            self._copy(self._value(f, value), self._value(callee.name, parameter))
        for block in callee.blocks:
            if isinstance(block.terminator, m.Return):
                for register, value in zip(i.results, block.terminator.values, strict=True):
                    self._copy(self._value(callee.name, value), self._value(f, register))

    # ------------------------------------------------------------ solution

    def solve(self) -> None:
        """Propagates what is new at each node until nothing changes."""
        self.number = 1 << len(self.objects)
        for node in self.numbers:
            self.sets[node] |= self.number
        waiting = [node for node, bits in enumerate(self.sets) if bits]
        while waiting:
            self._propagate(waiting)
            waiting = self._cast() + self._read_as_pointers()

    def _cast(self) -> list[int]:
        """Integers computed from an object's address, made into pointers, may point to any exposed object."""
        exposed = self.exposed()
        changed: list[int] = []
        for number, pointer in self.casts:
            if self.sets[number] & ~(1 << EXTERNAL | self.number) and exposed & ~self.sets[pointer]:
                self.sets[pointer] |= exposed
                changed.append(pointer)
        return changed

    def _read_as_pointers(self) -> list[int]:
        """The same of integers in memory, which may be read as pointers there."""
        exposed, changed = self.exposed(), list[int]()
        for number in range(len(self.objects)) if self.numbers else ():
            node = self._contents(number)
            if self.sets[node] & self.number and exposed & ~self.sets[node]:
                self.sets[node] |= exposed
                changed.append(node)
        return changed

    def exposed(self) -> int:
        bits = 0
        for node in self.exposing:
            bits |= self.sets[node]
        return bits & ~(1 << EXTERNAL | self.number)

    def _propagate(self, waiting: list[int]) -> None:
        while waiting:
            node = waiting.pop()
            new = self.sets[node] & ~self.done[node]
            if not new:
                continue
            self.done[node] |= new
            plain = new & ~self.number
            for number in members(plain):
                there = self._contents(number)
                for result in self.loads[node]:
                    self._link(there, result, waiting)
                for value in self.stores[node]:
                    self._link(value, there, waiting)
            for target in self.copies[node]:
                if new & ~self.sets[target]:
                    more = plain if target in self.plain else new
                    if more & ~self.sets[target]:
                        self.sets[target] |= more
                        waiting.append(target)

    def _link(self, source: int, target: int, waiting: list[int]) -> None:
        if source == target or target in self.copies[source]:
            return
        self.copies[source].add(target)
        bits = self.sets[source] & ~self.number if target in self.plain else self.sets[source]
        if bits & ~self.sets[target]:
            self.sets[target] |= bits
            waiting.append(target)

    def result(self) -> PointsTo:
        self.sets = [bits & ~self.number for bits in self.sets]
        registers = {key: self.sets[node] for key, node in self.nodes.items() if isinstance(key, tuple) and key[0]}
        contents = tuple(self.sets[self._contents(o.number)] for o in self.objects)
        escapes = 0
        for bits in contents:
            escapes |= bits
        for node in self.integers:
            escapes |= self.sets[node]
        classes = self._classes()
        return PointsTo(
            self.program,
            tuple(self.objects),
            self.globals,
            self.sites,
            registers,
            contents,
            classes,
            escapes,
            _singletons(self.program, self.objects),
            self._union(self.writes),
            self._union(self.ends),
            self.exposed(),
        )

    def _union(self, uses: list[tuple[str, m.Value]]) -> int:
        bits = 0
        for function, value in uses:
            bits |= self.sets[self._value(function, value)]
        return bits

    def _classes(self) -> tuple[tuple[int, ...], ...]:
        leader = list(range(len(self.objects)))

        def find(number: int) -> int:
            while leader[number] != number:
                leader[number] = leader[leader[number]]
                number = leader[number]
            return number

        for bits in dict.fromkeys(self.sets[node] for node in self.accesses):
            numbers = [number for number in members(bits) if number != EXTERNAL]
            for other in numbers[1:]:
                one, two = sorted((find(numbers[0]), find(other)))
                leader[two] = one
        groups: dict[int, list[int]] = {}
        for number in range(len(self.objects)):
            groups.setdefault(find(number), []).append(number)
        return tuple(map(tuple, groups.values()))


def _singletons(program: m.Program, objects: list[AbstractObject]) -> int:
    recursive = recursive_functions(program)
    looping = {
        name: {block for loop in loops(function) for block in loop.blocks}
        for name, function in program.functions.items()
    }
    once_only = _running_once(program, looping)
    bits = 0
    for thing in objects:
        if thing.item is not None:
            bits |= 1 << thing.number
        elif thing.allocation is not None:
            once = thing.function not in recursive and thing.block not in looping[thing.function]
            if once and (not thing.heap or thing.function in once_only):
                bits |= 1 << thing.number
    return bits


def _running_once(program: m.Program, looping: dict[str, set[int]]) -> set[str]:
    """The entry, and functions with one call in the whole program, outside of loops of such a function."""
    calls: dict[str, list[tuple[str, int]]] = {}
    for name, function in program.functions.items():
        for block in function.blocks:
            for i in block.instructions:
                if isinstance(i, m.Call):
                    calls.setdefault(i.callee, []).append((name, block.index))
    once = {program.entry} if program.entry not in calls else set()
    changed = True
    while changed:
        changed = False
        for name, sites in calls.items():
            caller, block_index = sites[0]
            if len(sites) == 1 and name not in once and caller in once and block_index not in looping[caller]:
                once.add(name)
                changed = True
    return once
