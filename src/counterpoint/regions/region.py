"""Summaries of the acyclic regions between cut points.

A region starts at a cut point of a function and ends at the next ones: loop heads, chosen blocks, the
function's exit. Within it all paths are walked once and merged at joins, as in unroll.py; the exits stay
separate, one per edge. Calls are walked like the rest, but for those of functions with loops or recursion: they
go by contract (semantics/contracts.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from counterpoint.core.budget import Budget
from counterpoint.program import model as m
from counterpoint.program.graph import contract_functions, loop_heads
from counterpoint.regions.path import Path
from counterpoint.regions.unroll import BackEdge, Block, Failure, Pending, Unroller, Unrolling
from counterpoint.semantics import strays
from counterpoint.semantics.addresses import address_axioms
from counterpoint.semantics.contracts import CallValues, call_by_contract
from counterpoint.semantics.cutpoint import EXIT, CutPoint, cut_point
from counterpoint.semantics.objects import BeyondModel, World
from counterpoint.semantics.pointers import mentioned_objects
from counterpoint.semantics.step import State, read
from counterpoint.term import build
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


@dataclass(frozen=True, slots=True)
class ContractCall:
    """A call of `callee` on runs where `formula` holds, with the values of its contract's components around it."""

    callee: str
    formula: V
    values: CallValues


@dataclass(slots=True)
class RegionSummary:
    """What all runs through the region do: exits, calls by contract, failing checks, and what has no encoding.

    `hints` are the conditions that the program suggests as invariants somewhere in it.
    """

    start: CutPoint
    exits: list[RegionExit] = field(default_factory=list)
    calls: list[ContractCall] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    hints: list[V] = field(default_factory=list)
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
        self.start: State | None = None

    def run_from(self, function: m.Function, block: int, state: State) -> Unrolling:
        self.start = State(dict(state.registers), state.memory, state.path)
        return super().run_from(function, block, state)

    def _leave(self, block: m.Block, node: Pending) -> None:
        for instruction in block.instructions:
            if type(instruction) is m.Hint:
                self.summary.hints.append(read(node.state, instruction.condition, self.world))
        super()._leave(block, node)

    def _follow(self, edge: m.Edge, node: Pending, path: Path, last: bool) -> None:
        if node.frame.caller is None and edge.target in self.ends:
            state = self._passed(edge, node, last)
            state.path = path.formula
            self._add_parameters(state)
            self._keep(edge.target, path.formula, state, ())
            self.summary.exits.append(RegionExit(node.block, edge.target, path.formula, state))
            return
        super()._follow(edge, node, path, last)

    def _keep(self, block: int, formula: V, state: State, results: tuple[V, ...]) -> None:
        cut = cut_point(self.summary.start.points, self.summary.start.function.name, block)
        self._block(build.and_(formula, strays.strays_at(cut, state, results)))

    def _block(self, formula: V) -> None:
        if formula != 0:
            self.out.blocks.append(Block(formula, strays.WHAT))

    def _add_parameters(self, state: State) -> None:
        """A function's parameters keep their values, so each of its cut points may speak of them."""
        assert self.start is not None
        for parameter in self.summary.start.function.parameters:
            if parameter.index in self.start.registers:
                state.registers.setdefault(parameter.index, self.start.registers[parameter.index])

    def _call(self, call: m.Call, position: int, node: Pending) -> None:
        points = self.summary.start.points
        if call.callee not in contract_functions(points.program):
            super()._call(call, position, node)
            return
        try:
            entry, exit_ = cut_point(points, call.callee, 0), cut_point(points, call.callee, EXIT)
            caller = node.frame.function.name
            values = call_by_contract(call, caller, entry, exit_, node.state, self.world)
        except BeyondModel as missing:
            self.out.blocks.append(Block(node.path.formula, f"{call.at}: {missing}"))
            return
        self._block(build.and_(node.path.formula, values.strayed))
        self.summary.calls.append(ContractCall(call.callee, node.path.formula, values))
        node.instruction = position + 1
        self._advance(node)

    def _return(self, values: tuple[m.Value, ...], node: Pending) -> None:
        if node.frame.caller is None:
            results = tuple(read(node.state, value, self.world) for value in values)
            self._add_parameters(node.state)
            if node.frame.function.name != self.world.program.entry:
                self._keep(EXIT, node.path.formula, node.state, results)
            exit_ = RegionExit(node.block, EXIT, node.path.formula, node.state, results)
            self.summary.exits.append(exit_)
            return
        super()._return(values, node)
