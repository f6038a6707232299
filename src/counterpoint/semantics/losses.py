"""That no memory is lost, claimed on the way to each cut point of the entry function (semantics/reached.py)."""

from __future__ import annotations

from counterpoint.program import model as m
from counterpoint.program.graph import reachable_functions
from counterpoint.program.held import may_lose_without_end
from counterpoint.semantics.cutpoint import CutPoint
from counterpoint.semantics.objects import BeyondModel
from counterpoint.semantics.reached import lost, walks_all_calls
from counterpoint.semantics.step import State
from counterpoint.static.cursors import roots_at
from counterpoint.static.pointer_slots import heap_objects
from counterpoint.static.points_to import PointsTo
from counterpoint.term.term import V

WHAT = "allocated memory is lost: nothing points to it any more"


def is_asked(points: PointsTo) -> bool:
    """The program asks for lost memory, and has some to lose."""
    return points.remember("asks for lost memory", "", lambda: _is_asked(points))


def _is_asked(points: PointsTo) -> bool:
    functions = [points.program.functions[name] for name in reachable_functions(points.program)]
    instructions = (i for function in functions for block in function.blocks for i in block.instructions)
    asked = may_lose_without_end(points.program) or any(isinstance(i, m.NoLeak) for i in instructions)
    return heap_objects(points) != 0 and asked


def lost_at_call(points: PointsTo) -> V:
    """When memory may be lost where a call goes by contract: always, where that is asked for. If none of the function's
    activations returns, no run comes to a place behind the loss, and nothing would be asked of it there."""
    return int(is_asked(points))


def lost_at(cut: CutPoint, state: State) -> V:
    """When memory is lost on arrival at the cut point, where that is asked for; always where functions go by
    contract, of which nothing is shown.

    Only what is a root in the next region is one here: of the locals made on the way, the single ones.
    """
    if not is_asked(cut.points):
        return 0
    if not walks_all_calls(cut.points):
        return 1
    wanted = roots_at(cut.points, cut.function, cut.block, cut.registers)
    roots = [state.registers[index] for index in wanted if index in state.registers]
    made, singles = state.memory.shared.world.made, frozenset(cut.singles)
    kept = {index for index, (made_by, _) in made.items() if cut.points.of_allocation(made_by).number in singles}
    try:
        return lost(state.memory, roots, kept)
    except BeyondModel:
        return 1
