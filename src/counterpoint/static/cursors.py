"""Pointers of loops that only go along what other pointers hold: to search a list, to know its last element.

What is reachable may be asked for without them (semantics/reached.py): any choice of pointers to begin with is sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.graph import loops
from counterpoint.program.order import live_in
from counterpoint.program.types import PointerType
from counterpoint.static.pointer_slots import heap_objects
from counterpoint.static.points_to import PointsTo


def cursors(points: PointsTo, function: m.Function) -> frozenset[int]:
    """Registers at loop heads for which each edge back hands on what was loaded through them, or stored behind them,
    where the loop frees nothing at them. Remembered with `points`."""
    return points.remember("cursors", function.name, lambda: frozenset(_cursors(function)))


def roots_at(points: PointsTo, function: m.Function, block: int, registers: Iterable[m.Register]) -> list[int]:
    """The registers, of those at a cut point, that reachability begins with."""
    heap, along = heap_objects(points), cursors(points, function) | let_go(function, block)
    return [
        register.index
        for register in registers
        if isinstance(register.type, PointerType)
        and points.registers.get((function.name, register.index), 0) & heap
        and register.index not in along
    ]


def let_go(function: m.Function, head: int) -> frozenset[int]:
    """Registers that a loop leaves as they are and nobody looks at behind it, where it frees nothing at them: what they
    point to is to be reached otherwise then, as it mostly is before. Nothing of a loop without an end."""
    inside = next((frozenset(loop.blocks) for loop in loops(function) if loop.head == head), frozenset[int]())
    edges = [e for n in inside for e in function.blocks[n].edges if e.target not in inside]
    if not edges:
        return frozenset()
    needed = live_in(function)
    kept = {value.index for edge in edges for value in edge.arguments if isinstance(value, m.Register)}
    kept.update(*(needed[edge.target] for edge in edges))
    instructions = (i for n in inside for i in function.blocks[n].instructions)
    kept |= {i.address.index for i in instructions if isinstance(i, m.Free) and isinstance(i.address, m.Register)}
    return frozenset(needed[head]) - kept


def _cursors(function: m.Function) -> Iterator[int]:
    for loop in loops(function):
        inside = frozenset(loop.blocks)
        edges = [e for number in loop.blocks for e in function.blocks[number].edges if e.target == loop.head]
        waiting = {
            position: _Along(function, inside, loop.head, parameter)
            for position, parameter in enumerate(function.blocks[loop.head].parameters)
            if isinstance(parameter.type, PointerType)
        }
        waiting = {position: along for position, along in waiting.items() if not along.freed()}
        behind = set[int]()
        while found := [p for p, along in waiting.items() if _follow(along, [e.arguments[p] for e in edges], behind)]:
            for position in found:
                along = waiting.pop(position)
                behind |= along.same
                yield along.pointer.index


def _follow(along: _Along, values: Iterable[m.Value], behind: set[int]) -> bool:
    """Each of the values, or of those that are joined in it, follows the pointer, is null, or is where another one was
    that goes along as well."""
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if isinstance(value, m.Constant):
            continue
        if not isinstance(value, m.Register):
            return False
        if value.index not in behind | seen and not along.follows(value):
            seen.add(value.index)
            parts = along.sources(value)
            waiting += parts
            if not parts:
                return False
    return True


@dataclass(slots=True)
class _Along:
    """What is computed in a loop from a pointer at its head: `same` is that pointer, `near` an offset of it, `reached`
    anything loaded through it, `linked` what is stored there; `relinked`: a pointer in its block is replaced; `holders`
    are those in whose blocks the pointer itself is stored, found by `bases`, what offsets are computed from."""

    function: m.Function
    inside: frozenset[int]
    head: int
    pointer: m.Register
    same: set[int] = field(default_factory=set)
    near: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    linked: set[int] = field(default_factory=set)
    holders: set[int] = field(default_factory=set)
    bases: dict[int, int] = field(default_factory=dict)
    relinked: bool = False
    _kept: set[int] | None = None

    def __post_init__(self) -> None:
        for known in (self.same, self.near, self.reached):
            known.add(self.pointer.index)
        size = 0
        while size != (size := sum(map(len, (self.same, self.near, self.reached, self.linked, self.holders)))):
            for number in sorted(self.inside):
                block = self.function.blocks[number]
                for instruction in block.instructions:
                    self._look(instruction)
                for edge in block.edges:
                    if edge.target in self.inside:
                        self._joined(edge.target)

    def _look(self, i: m.Instruction) -> None:
        match i:
            case m.Load(result, m.Register(index)) if index in self.reached:
                self.reached.add(result.index)
            case m.Offset(result, m.Register(index)):
                self.bases[result.index] = self.bases.get(index, index)
                for known in (self.near, self.reached):
                    known.update({result.index} if index in known else ())
            case m.Store(m.Register(index), value) if isinstance(value.type, PointerType):
                given = {value.index} if isinstance(value, m.Register) else set[int]()
                self.holders.update({self.bases.get(index, index)} if given & self.same else ())
                if index in self.reached:
                    self.linked.update(given)
                    self.relinked |= index in self.near

    def _joined(self, target: int) -> None:
        """What joins values of one kind on all edges is of that kind."""
        before = [e for n in sorted(self.inside) for e in self.function.blocks[n].edges if e.target == target]
        for position, parameter in enumerate(self.function.blocks[target].parameters):
            sources = [edge.arguments[position] for edge in before]
            given = [getattr(value, "index", -1) for value in sources if not isinstance(value, m.Constant)]
            for known in (self.same, self.near, self.reached):
                if given and all(index in known for index in given):
                    known.add(parameter.index)
            if not self.linked.isdisjoint(given) and all(index in self.same | self.linked for index in given):
                self.linked.add(parameter.index)
                self.holders.update({parameter.index} if self.linked & self.holders & set(given) else ())

    def follows(self, value: m.Value) -> bool:
        if not isinstance(value, m.Register):
            return False
        return value.index in self._still() or (value.index in self.linked and not self._begins(value.index))

    def sources(self, joined: m.Register) -> list[m.Value]:
        """What is joined in the register: on the edges to its block in the loop, or by choice."""
        blocks = self.function.blocks
        for number in sorted(self.inside - {self.head}):
            for i in blocks[number].instructions:
                if isinstance(i, m.Compute) and i.operation == "select" and i.result.index == joined.index:
                    return list(i.operands[1:])
            for position, parameter in enumerate(blocks[number].parameters):
                if parameter.index == joined.index:
                    return [e.arguments[position] for n in self.inside for e in blocks[n].edges if e.target == number]
        return []

    def _still(self) -> set[int]:
        """What is `reached` at the round's end: nothing that was loaded where a pointer is replaced later on."""
        if self.relinked and self._kept is None:
            self._kept = set(self.same)
            size = 0
            while size != (size := len(self._kept)):
                for number in sorted(self.inside):
                    self._kept.update(self._kept_in(number))
        return self._kept if self._kept is not None else self.reached

    def _kept_in(self, number: int) -> Iterator[int]:
        assert self._kept is not None
        instructions = self.function.blocks[number].instructions
        for position, i in enumerate(instructions):
            match i:
                case m.Load(result, m.Register(index)) if index in self._kept and not self._replaced(number, position):
                    yield result.index
                case m.Offset(result, m.Register(index)) if index in self._kept:
                    yield result.index

    def _replaced(self, number: int, position: int) -> bool:
        """Behind that instruction, in the same round, a pointer in the block may be replaced."""
        blocks = self.function.blocks
        rest = [i for n in self._onward(number, frozenset()) for i in blocks[n].instructions]
        return any(map(self._relinks, (*blocks[number].instructions[position:], *rest)))

    def _relinks(self, i: m.Instruction) -> bool:
        match i:
            case m.Store(m.Register(index), value):
                return isinstance(value.type, PointerType) and index in self.near
        return False

    def _onward(self, number: int, without: frozenset[int]) -> set[int]:
        """Blocks of the loop that come behind this one in the same round, on ways that keep clear of some."""
        found, waiting = set[int](), [number]
        while waiting:
            for edge in self.function.blocks[waiting.pop()].edges:
                if edge.target in self.inside - without - found - {self.head}:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return found

    def _begins(self, linked: int) -> bool:
        """What the pointer becomes points back to it, and is used behind the loop: the new first element of a list that
        is linked both ways, which nobody else may hold. A new last one is usually not looked for again."""
        return linked in self.holders and self._outlives()

    def _outlives(self) -> bool:
        """The pointer is used behind the loop."""
        needed = live_in(self.function)
        edges = [e for n in self.inside for e in self.function.blocks[n].edges if e.target not in self.inside]
        handed = {v.index for e in edges for v in e.arguments if isinstance(v, m.Register)}
        return bool(self.same & handed.union(*(needed[edge.target] for edge in edges)))

    def freed(self) -> bool:
        """The block that the pointer points to, or one that it leads to, is freed in each round, as far as the text
        shows: where that is freed in some only, something else holds it in the others."""
        freeing = frozenset(number for number in self.inside if any(map(self._frees, self._in(number))))
        if self.head in freeing:
            return True
        around = {self.head, *self._onward(self.head, freeing)}
        back = any(e.target == self.head for number in around for e in self.function.blocks[number].edges)
        return bool(freeing) and not back

    def _in(self, number: int) -> tuple[m.Instruction, ...]:
        return self.function.blocks[number].instructions

    def _frees(self, i: m.Instruction) -> bool:
        return isinstance(i, m.Free) and isinstance(i.address, m.Register) and i.address.index in self.reached
