"""Summaries of the acyclic regions between cut points.

A region starts at a cut point of a function and ends at the next ones: loop heads, chosen blocks, the
function's exit. Within it all paths are walked once and merged at joins, as in unroll.py; the exits stay
separate, one per edge. Calls are walked like the rest. Deviation: a call of a function with loops or
recursion, in which a region would have to end, blocks the path (the flat preparation has no such calls
but recursive ones).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.paths.path import Path
from counterpoint.paths.unroll import BackEdge, Block, Failure, Pending, Unroller, Unrolling
from counterpoint.program import model as m
from counterpoint.program.graph import callees, loop_heads, recursive_functions
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.semantics.objects import World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State, read
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class RegionExit:
    """Runs on which `formula` holds leave block `source` for the cut point `target` (a block, or EXIT).

    They get there in `state`; at EXIT they return `results`. The state must not be changed.
    """

    source: int
    target: int
    formula: V
    state: State
    results: tuple[V, ...] = ()


@dataclass(slots=True)
class RegionSummary:
    """What all runs through the region do: exits, failing checks, and what has no encoding."""

    start: CutPoint
    exits: list[RegionExit] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    steps: int = 0


def summarise(cut: CutPoint, world: World, state: State, budget: Budget, also: Iterable[int] = ()) -> RegionSummary:
    """The region from `cut`, entered in `state` (of cutpoint.first_state or arbitrary_state in `world`).

    It ends at all loop heads, at the blocks in `also`, and where the function returns. A proof has to show
    every block in `blocks` impossible. Raises OutOfBudget, and GranuleConflict: then begin again
    with a new World that shares `granules`.
    """
    summary = RegionSummary(cut)
    walk = _Region(summary, world, budget, frozenset((*loop_heads(cut.function), *also)))
    out = walk.run_from(cut.function, max(cut.block, 0), state)
    summary.failures, summary.blocks, summary.steps = out.failures, out.blocks, out.steps
    return summary


def assumptions(world: World, formulas: Iterable[V]) -> list[V]:
    """What holds on every run, as far as the formulas talk about it: add it to each query."""
    indices: set[int] = set()
    for formula in (*formulas, *world.axioms):
        indices |= mentioned_objects(formula)
    return [*world.axioms, *address_axioms(world, indices)]


class _NoCycles:
    """Every cycle goes through a loop head, where regions end."""

    def follow(self, edge: BackEdge, unrolling: Unrolling) -> bool:
        return False


class _Region(Unroller):
    def __init__(self, summary: RegionSummary, world: World, budget: Budget, ends: frozenset[int]) -> None:
        super().__init__(Unrolling(world), _NoCycles(), budget)
        self.summary = summary
        self.ends = ends
        self.loop_free: dict[str, bool] = {}
        self.recursive = recursive_functions(world.program)

    def _follow(self, edge: m.Edge, node: Pending, path: Path, last: bool) -> None:
        if node.frame.caller is None and edge.target in self.ends:
            state = self._passed(edge, node, last)
            state.path = path.formula
            self.summary.exits.append(RegionExit(node.block, edge.target, path.formula, state))
            return
        super()._follow(edge, node, path, last)

    def _call(self, call: m.Call, position: int, node: Pending) -> None:
        if self._is_loop_free(call.callee):
            super()._call(call, position, node)
        else:
            reason = f"{call.at}: a call of {call.callee}, which has loops, inside a region"
            self.out.blocks.append(Block(node.path.formula, reason))

    def _is_loop_free(self, name: str) -> bool:
        """Neither it nor what it calls has loops or recursion."""
        known = self.loop_free.get(name)
        if known is None:
            function = self.world.program.functions[name]
            simple = name not in self.recursive and not loop_heads(function)
            known = self.loop_free[name] = simple and all(map(self._is_loop_free, callees(function)))
        return known

    def _return(self, values: tuple[m.Value, ...], node: Pending) -> None:
        if node.frame.caller is None:
            results = tuple(read(node.state, value, self.world) for value in values)
            exit_ = RegionExit(node.block, EXIT, node.path.formula, node.state, results)
            self.summary.exits.append(exit_)
            return
        super()._return(values, node)
