"""What each loop does, read off the cut graph: its rounds, ways in, what it changes and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from counterpoint.core.records import dataclass
from counterpoint.program.graph import loops
from counterpoint.regions.cut_graph import CutGraph, Place, Region, Way
from counterpoint.regions.instance import Instance
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import variables

MAX_LEAVES = 16
"""Values that one way may give a component, as the leaves of a choice; with more, it changes somehow."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A way with the region that it belongs to."""

    region: Region
    way: Way


class LoopShape:
    """A loop of the program, by the place of its head.

    `entries` come from outside, `rounds` close the loop, `inner` are all other passages between places in it
    (heads of inner loops). `leaving` start in it and end outside.
    """

    def __init__(self, graph: CutGraph, place: Place, blocks: frozenset[int], passages: list[Passage]) -> None:
        self.place = place
        self.blocks = blocks
        self.variables: tuple[Term, ...] = tuple(_variables_at(graph, place))

        def within(other: Place) -> bool:
            return other[0] == place[0] and other[1] in blocks

        self.entries = [p for p in passages if p.way.target == place and not within(p.region.start)]
        self.rounds = [p for p in passages if p.way.target == place and within(p.region.start)]
        self.inner = [p for p in passages if within(p.region.start) and within(p.way.target) and p.way.target != place]
        self.leaving = [p for p in passages if within(p.region.start) and not within(p.way.target)]
        self.calls = [
            Passage(region, way)
            for region in graph.regions
            if within(region.start)
            for way in region.ways
            if not way.leaves
        ]
        self.regions = [region for region in graph.regions if within(region.start)]

    @cached_property
    def modified(self) -> frozenset[Term]:
        """The component variables of the head that may differ between two visits of one run of the loop."""
        found: set[Term] = set()
        for passage in (*self.rounds, *self.inner):
            before, after = passage.region.start_values.values, passage.way.values.values
            found.update(c for c in self.variables if c in after and not same(before.get(c), after[c]))
            if passage.way.target == self.place:
                found.update(c for c in self.variables if c not in after)
        return frozenset(found)

    @cached_property
    def kept(self) -> tuple[Term, ...]:
        """The component variables of the head that the loop does not change."""
        return tuple(c for c in self.variables if c not in self.modified)

    def steps(self, variable: Term) -> list[V] | None:
        """By how much a round may change a bit-vector component: terms over components that the loop keeps.

        Each different one once; None if a round may change it in another way.
        """
        if not isinstance(variable.sort, BitVec):
            return None
        width = variable.sort.width
        for passage in self.inner:
            before, after = passage.region.start_values.values, passage.way.values.values
            if not same(before.get(variable), after.get(variable)):
                return None
        found: dict[V, None] = {}
        for passage in self.rounds:
            old = passage.region.start_values.values.get(variable)
            new = passage.way.values.values.get(variable)
            choices = None if old is None or new is None else leaves(new)
            if choices is None or old is None:
                return None
            for leaf in choices:
                step = passage.region.start_values.back(build.sub(leaf, old, width))
                if step is None or not self.keeps(step):
                    return None
                found[step] = None
        return list(found)

    def keeps(self, term: V) -> bool:
        """It only depends on what the loop does not change."""
        return all(v in self.variables and v not in self.modified for v in variables(term))

    def initial(self, variable: Term) -> list[V]:
        """Values on the ways in, as far as they are terms over components that the loop keeps; each once."""
        found: dict[V, None] = {}
        for passage in self.entries:
            value = self.entering(passage, passage.way.values.values.get(variable))
            if value is not None:
                found[value] = None
        return list(found)

    def entering(self, passage: Passage, value: V | None) -> V | None:
        """A term of an entry's region over the components that the loop keeps."""
        if value is None:
            return None
        known = passage.way.values.values
        return Instance({c: known[c] for c in self.kept if c in known}).back(value)


def same(a: V | None, b: V | None) -> bool:
    """Identical values."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def leaves(value: V) -> list[V] | None:
    """What a value may be: the leaves of its outermost choices, each once; None if there are too many."""
    found: dict[V, None] = {}
    stack = [value]
    seen: set[Term] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, Term) and item.op is Op.ITE:
            if item not in seen:
                seen.add(item)
                stack += (item.args[2], item.args[1])
        else:
            found[item] = None
        if len(found) > MAX_LEAVES or len(seen) > 4 * MAX_LEAVES:
            return None
    return list(found)


def _variables_at(graph: CutGraph, place: Place) -> Iterator[Term]:
    for region in graph.regions:
        if region.start == place:
            yield from region.start_values.values
            return


def passages(graph: CutGraph) -> list[Passage]:
    """All ways that leave their regions, in the graph's order."""
    return [Passage(region, way) for region in graph.regions for way in region.ways if way.leaves]


_remembered: list[tuple[CutGraph, Mapping[Place, LoopShape]]] = []


def loop_shapes(graph: CutGraph) -> Mapping[Place, LoopShape]:
    """The loops of the graph by place, outer ones before inner ones. The last graph's are remembered."""
    if _remembered and _remembered[0][0] is graph:
        return _remembered[0][1]
    known = passages(graph)
    found: dict[Place, LoopShape] = {}
    for name in dict.fromkeys(function for function, _ in graph.cuts):
        for loop in loops(graph.program.functions[name]):
            place = (name, loop.head)
            if place in graph.cuts:
                found[place] = LoopShape(graph, place, frozenset(loop.blocks), known)
    _remembered[:] = [(graph, found)]
    return found
