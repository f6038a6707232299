"""Summaries of the acyclic regions between cut points.

A region starts at a cut point of a function and ends at the next ones: loop heads, chosen blocks, the
function's exit. Within it all paths are walked once and merged at joins (walk.py); the exits stay
separate, one per edge. Calls are entered, but for those of functions with loops or recursion: they
go by contract (semantics/contracts.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.program.graph import contract_functions, loop_heads
from counterpoint.regions.pending import Frame, first_frame
from counterpoint.regions.place import Place
from counterpoint.regions.summary import RegionSummary
from counterpoint.regions.walk import ENTERED, BackEdge, Called, Contract, Ends, Walk
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.cutpoint import EXIT, CutPoint, cut_point
from counterpoint.semantics.objects import World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State
from counterpoint.static.points_to import PointsTo
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class AtEdges(Ends):
    """Every edge to one of `blocks` of the function that the region is in is an exit, and so is its return.

    `blocks` has the function's loop heads, so that every cycle ends. At the `framed` ones the walk goes on.
    """

    points: PointsTo
    blocks: frozenset[int]
    framed: frozenset[Place] = frozenset()

    def follow(self, edge: BackEdge, so_far: RegionSummary) -> bool:
        return False

    def at_edge(self, frame: Frame, target: int) -> bool:
        return frame.caller is None and target in self.blocks

    def at_return(self, frame: Frame) -> bool:
        return frame.caller is None and frame.function.name != self.points.program.entry

    def passed(self, frame: Frame, block: int) -> CutPoint | None:
        place = frame.function.name, block
        return cut_at(self.points, place) if frame.caller is None and place in self.framed else None

    def abstracted(self, place: Place) -> CutPoint | None:
        return cut_at(self.points, place)


@dataclass(frozen=True, slots=True)
class ByContract:
    """Calls of `functions` go by contract, all others are entered."""

    points: PointsTo
    functions: frozenset[str]

    def of(self, callee: str, instance: str) -> Called:
        if callee not in self.functions:
            return ENTERED
        return Contract(cut_at(self.points, (callee, 0)), cut_at(self.points, (callee, EXIT)))


def summarise(
    cut: CutPoint, world: World, state: State, budget: Budget, also: Iterable[int] = (),
    framed: frozenset[Place] = frozenset(),
) -> RegionSummary:
    """The region from `cut`, entered in `state` (of cutpoint.first_state or arbitrary_state in `world`).

    It ends at all loop heads but the `framed` ones, at the blocks in `also`, and where the function returns. A proof
    has to show every block in `blocks` impossible. Raises OutOfBudget, and GranuleConflict: then begin again
    with a new World that shares `granules`.
    """
    points = cut.points
    ends = AtEdges(points, frozenset((*loop_heads(cut.function), *also)), framed)
    calls = ByContract(points, contract_functions(points.program))
    return Walk(world, ends, calls, budget).from_block(first_frame(cut.function), max(cut.block, 0), state)


def assumptions(world: World, formulas: Iterable[V]) -> list[V]:
    """What holds on every run, as far as the formulas talk about it: add it to each query."""
    indices: set[int] = set()
    for formula in (*formulas, *world.axioms):
        indices |= mentioned_objects(formula)
    return [*world.axioms, *address_axioms(world, indices)]


def cut_at(points: PointsTo, place: Place) -> CutPoint:
    """The cut point of a place other than START. Remembered with the program."""
    return points.remember(f"cut {place[1]}", place[0], lambda: cut_point(points, *place))
