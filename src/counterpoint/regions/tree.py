"""The execution tree: symbolic states at places along concrete runs, from the start of the program.

A node is a place that a run reaches by one particular path; its state is over the arbitrary values of the run. All
runs that take the same path share the node. Steps are taken when they are asked for, and once.

Source: the execution tree of dynamic symbolic execution (thesis, section 2.1). Deviations: paths between two places
are merged; memory is symbolic as well, no address or value is made concrete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.regions.locations import Locations
from counterpoint.regions.pending import Frame, first_frame
from counterpoint.regions.place import START, Place
from counterpoint.regions.specialise import Specialiser
from counterpoint.regions.steps import by_variable, component_value, concrete_step
from counterpoint.regions.summary import Exit, RegionSummary
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import first_state
from counterpoint.semantics.objects import MemoryRecord, ScalarRecord, World
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts


@dataclass(slots=True, eq=False)
class Node:
    """A state at a place: at an exit of the step from `parent` (none at START), `depth` steps from the start.

    Runs are here if all of `conditions()` hold.
    """

    at: Exit
    parent: Node | None
    depth: int
    condition: tuple[V, ...] = ()
    _step: RegionSummary | None = None
    _children: dict[int, Node] = field(default_factory=dict)
    _taken: dict[tuple[int, tuple[V, ...]], Node] = field(default_factory=dict)
    _values: dict[Term, V | None] = field(default_factory=dict)
    _axioms: list[V] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.at.target

    @property
    def frame(self) -> Frame:
        """The activation that it is in."""
        return self.at.frame

    def path(self) -> list[Node]:
        """The nodes from START to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def conditions(self) -> Iterator[V]:
        """The conjuncts of the path's condition, the last step's first."""
        node: Node | None = self
        while node is not None:
            yield from node.condition
            node = node.parent


@dataclass(slots=True)
class ExecutionTree:
    """`granules` are shared with all other encodings of the program. `steps` counts the steps taken."""

    where: Locations
    granules: dict[str, int]
    budget: Budget
    world: World = field(init=False)
    root: Node = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        program = self.where.program
        self.world = World(program, self.granules)
        state = first_state(self.world, self.where.cut(START))
        self.root = Node(Exit(START, 1, state, first_frame(program.main)), None, 0)
        self.root._axioms = list(self.world.axioms)

    def step(self, node: Node) -> RegionSummary:
        """What runs do from the node on. Raises OutOfBudget, and GranuleConflict (semantics/objects.py)."""
        if node._step is None:
            node._step = concrete_step(self.where, self.world, self.budget, node.at)
            self.steps += 1
        return node._step

    def child(self, node: Node, number: int) -> Node:
        """The node at the step's exit of that number."""
        if number not in node._children:
            at = self.step(node).exits[number]
            node._children[number] = Node(at, node, node.depth + 1, tuple(conjuncts(at.formula)))
        return node._children[number]

    def taken(self, node: Node, number: int, holds: Callable[[V], bool]) -> Node:
        """The node at the end of the one path to that exit on which a run goes; `holds` gives values of Bools in it.

        Its state has no ites: what they depended on is part of the node's condition (regions/specialise.py).
        """
        special = Specialiser(holds)
        at = special.exit(self.step(node).exits[number])
        key = number, tuple(special.conditions)
        if key not in node._taken:
            node._taken[key] = Node(at, node, node.depth + 1, tuple(special.conditions))
        return node._taken[key]

    def value(self, node: Node, variable: Term) -> V | None:
        """What a component (by its variable) is at the node; None if it has no value there."""
        if variable not in node._values:
            component = by_variable_once(self.where, node.place, self.granules).get(variable)
            before = len(self.world.axioms)
            node._values[variable] = None if component is None else component_value(self.where, node.at, component)
            node._axioms += self.world.axioms[before:]
        return node._values[variable]

    def axioms(self, node: Node) -> Iterator[V]:
        """What the world knows of the values met on the path to the node, and in its own step."""
        at: Node | None = node
        while at is not None:
            if at._step is not None:
                yield from at._step.axioms
            yield from at._axioms
            at = at.parent

    def records(self, node: Node) -> list[ScalarRecord | MemoryRecord]:
        """The arbitrary values that runs consume on the path to the node and in its step, in their order."""
        found: list[ScalarRecord | MemoryRecord] = []
        for at in node.path():
            if at._step is not None:
                found += at._step.records
        return found


def by_variable_once(where: Locations, place: Place, granules: dict[str, int]) -> dict[Term, Component]:
    """`steps.by_variable`, remembered per place and number of known granules."""
    key = f"components {place[1]} {sorted(granules.items())}"
    return where.points.remember(key, place[0], lambda: dict(by_variable(where, place, granules)))
