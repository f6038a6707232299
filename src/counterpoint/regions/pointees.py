"""Pointees: what lies where a place's pointers point to, as terms over the components there, now and at the entry.

A pointer may mean one of several objects, so a pointee is a choice between cells of globals (where it points to them)
and elements of summaries. Pointees are guesses at what is worth saying: the terms mean what they are, whatever the
pointers point to, so that a fact over pointees is one over components.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace

from counterpoint.core.records import dataclass
from counterpoint.program import model as m
from counterpoint.program.types import PointerType
from counterpoint.regions.cut_graph import CutGraph, Place
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Elements,
    Old,
    RegisterValue,
    ResultValue,
    SummaryElements,
    SummaryLive,
    variable_of,
)
from counterpoint.semantics.cutpoint import CutPoint
from counterpoint.semantics.layout import OBJECT_ALIGNMENT
from counterpoint.semantics.stored import join_bytes
from counterpoint.semantics.summary import LIVE
from counterpoint.static.access_paths import Path, Result, Spot, access_paths
from counterpoint.static.points_to import members
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import size

MOST_POINTEES = 16
"""Pointees of one place, the first ones of its paths."""

MAX_SIZE = 60
"""Nodes of a pointee's term."""


@dataclass(frozen=True, slots=True)
class Pointee:
    """`now` is what lies at `address` (`bits` of it), `old` what lay at `old_address` when the activation began.

    `old` is None at the entry and for what only hangs on registers that change. `pointer`: it is one.
    """

    path: Path
    address: Term
    now: Term
    bits: int
    old_address: Term | None = None
    old: Term | None = None

    @property
    def pointer(self) -> bool:
        return self.path.pointer


def pointees(graph: CutGraph, place: Place) -> tuple[Pointee, ...]:
    """The pointees at the place, each once. Remembered with the program."""
    key = f"pointees {place[1]} {sorted(graph.granules.items())}"
    return graph.points.remember(key, place[0], lambda: tuple(_pointees(graph, place)))


def _pointees(graph: CutGraph, place: Place) -> list[Pointee]:
    cut = graph.cuts[place]
    here = graph.components(place)
    entry = {c.of for c in here if isinstance(c, Old)}
    bits = graph.program.layout.pointer_bits
    now = Reader(graph, cut, here, lambda c: variable_of(c, bits))
    old = Reader(graph, cut, here, lambda c: variable_of(Old(c) if c in entry else c, bits))
    found: dict[Term, Pointee] = {}
    for path in access_paths(graph.points, place[0]):
        root = now.root(path.root)
        if root is None:
            continue
        read = now.read(root, path)
        if read is None or not isinstance(read[1], Term) or not isinstance(read[0], Term) or _plain(read[1]):
            continue
        before = None
        if cut.block != 0 and (isinstance(path.root, Spot) or path.root in cut.function.parameters):
            first = old.root(path.root)
            before = None if first is None else old.read(first, path)
        address, value = before if before is not None else (None, None)
        if not isinstance(address, Term) or not isinstance(value, Term):
            address = value = None
        if read[1] not in found and len(found) < MOST_POINTEES:
            found[read[1]] = Pointee(path, read[0], read[1], 8 * path.size, address, value)
    return list(found.values())


def _plain(term: Term) -> bool:
    return term.op is Op.VARIABLE or size(term) > MAX_SIZE


def old_cells(graph: CutGraph, place: Place) -> list[tuple[Term, Term]]:
    """(now, at the entry) of the cells that the function may change."""
    bits = graph.program.layout.pointer_bits
    return [
        (variable_of(c.of, bits), variable_of(c, bits))
        for c in graph.components(place)
        if isinstance(c, Old) and isinstance(c.of, Cell)
    ]


def pointers(graph: CutGraph, place: Place) -> list[Term]:
    """The pointers of a place: registers, results, and what its paths load."""
    bits = graph.program.layout.pointer_bits
    found: dict[Term, None] = {}
    for component in graph.components(place):
        match component:
            case RegisterValue(_, m.Register(type=PointerType())) | ResultValue(type=PointerType()):
                found[variable_of(component, bits)] = None
    reader = Reader(graph, graph.cuts[place], graph.components(place), lambda c: variable_of(c, bits))
    for path in access_paths(graph.points, place[0]):
        root = reader.root(path.root)
        loaded = None if root is None else reader.loaded(root, path)
        found.update((value, None) for value in (root, loaded) if isinstance(value, Term))
    for pointee in pointees(graph, place):
        if pointee.pointer:
            found[pointee.now] = None
    return list(found)


@dataclass(slots=True)
class Reader:
    """Terms for what addresses hold, over the components of one place as `variable` gives them."""

    graph: CutGraph
    cut: CutPoint
    components: Iterable[Component]
    variable: Callable[[Component], Term]
    _bases: dict[int, Term] = field(default_factory=dict)
    _cells: dict[int, list[tuple[int, int, Term]]] = field(default_factory=dict)
    _elements: dict[int, tuple[int, Term]] = field(default_factory=dict)
    memory: dict[int, tuple[int, Term]] = field(default_factory=dict)
    _live: dict[int, Term] = field(default_factory=dict)
    _summary_of: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for component in self.components:
            match component:
                case Base(number):
                    self._bases[number] = self.variable(component)
                case Cell(number, _, offset, size_):
                    self._cells.setdefault(number, []).append((offset, size_, self.variable(component)))
                case Elements(number, _, granule):
                    self._elements[number] = granule, self.variable(component)
                case SummaryElements(number, granule):
                    self.memory[number] = granule, self.variable(component)
                case SummaryLive(number):
                    self._live[number] = self.variable(component)
        for group in self.cut.summaries:
            self._summary_of.update((member, group.number) for member in group.members)

    @property
    def bits(self) -> int:
        return self.graph.program.layout.pointer_bits

    def base(self, number: int) -> Term | None:
        """The address of a single object."""
        return self._bases.get(number)

    def summaries(self, targets: int) -> list[int]:
        """The summaries that have some of these objects."""
        numbers = (self._summary_of[one] for one in members(targets) if one in self._summary_of)
        return list(dict.fromkeys(numbers))

    def root(self, root: m.Register | Spot | Result) -> Term | None:
        """The pointer that a path begins with, if the place knows it."""
        for component in self.components:
            match component, root:
                case (RegisterValue(_, register), m.Register()) if register == root:
                    return self.variable(component)
                case (ResultValue(_, index, _), Result(wanted)) if index == wanted:
                    return self.variable(component)
                case (Cell(number, _, offset, size_), Spot(thing, at)) if (number, offset) == (thing, at):
                    if 8 * size_ == self.bits:
                        return self.variable(component)
        return None

    def read(self, root: V, path: Path) -> tuple[V, V] | None:
        """(address, contents) of what the path accesses."""
        value = root
        for position, step in enumerate(path.steps):
            address = build.add(value, step.offset & ((1 << self.bits) - 1), self.bits)
            last = position == len(path.steps) - 1
            found = self.at(address, step.targets, path.size if last else self.bits // 8)
            if found is None:
                return None
            if last:
                return address, found
            value = found
        return None

    def loaded(self, root: V, path: Path) -> V | None:
        """The pointer that the path's last access goes through."""
        if len(path.steps) == 1:
            return root
        before = replace(path, steps=path.steps[:-1], size=self.bits // 8)
        found = self.read(root, before)
        return None if found is None else found[1]

    def at(self, address: V, targets: int, count: int) -> V | None:
        """The `count` bytes at an address that points into one of these objects."""
        choices: list[tuple[V, V]] = []
        for number in members(targets):
            if number in self._bases and number not in self._summary_of:
                choices += self._in_single(address, number, count)
        every = [(number, self._in_summary(address, number, count)) for number in self.summaries(targets)]
        rest = [(number, value) for number, value in every if value is not None]
        rest.sort(key=lambda one: one[0] not in self._live)
        for number, value in rest[:-1]:
            base = build.bvand(address, -OBJECT_ALIGNMENT & ((1 << self.bits) - 1), self.bits)
            if number in self._live:
                choices.append((build.eq(build.select(self._live[number], base), LIVE, 8), value))
        if rest:
            result = rest[-1][1]
        elif choices:
            result = choices.pop()[1]
        else:
            return None
        for condition, value in reversed(choices):
            result = build.ite(condition, value, result, BitVec(8 * count))
        return result

    def _in_single(self, address: V, number: int, count: int) -> list[tuple[V, V]]:
        """The object's cells and elements of that size, each with the condition that the address is there."""
        base = self._bases[number]
        found: list[tuple[V, V]] = []
        for offset, size_, variable in self._cells.get(number, ()):
            if size_ == count:
                found.append((build.eq(address, build.add(base, offset, self.bits), self.bits), variable))
        item = self.graph.points.objects[number].item
        scalar = bool(found) and item is not None and item.size == count
        if number in self._elements and self._elements[number][0] == count and not scalar:
            distance = build.sub(address, base, self.bits)
            inside: V = 1 if item is None else build.ult(distance, item.size, self.bits)
            index = build.lshr(distance, count.bit_length() - 1, self.bits)
            found.append((inside, build.select(self._elements[number][1], index)))
        return found

    def _in_summary(self, address: V, number: int, count: int) -> V | None:
        if number not in self.memory:
            return None
        granule, array = self.memory[number]
        if count & (count - 1):
            return None
        index = build.lshr(address, granule.bit_length() - 1, self.bits)
        if count >= granule:
            parts = [
                (granule, build.select(array, build.add(index, k, self.bits))) for k in range(count // granule)
            ]
            return join_bytes(parts, self.graph.program.layout.big_endian)
        inside = build.bvand(address, granule - 1, self.bits)
        if self.graph.program.layout.big_endian:
            inside = build.sub(granule - count, inside, self.bits)
        shift, wide = build.shl(inside, 3, self.bits), 8 * granule
        shift = build.extract(wide - 1, 0, shift, self.bits) if wide < self.bits else build.zext(shift, self.bits, wide)
        return build.extract(8 * count - 1, 0, build.lshr(build.select(array, index), shift, wide), wide)
