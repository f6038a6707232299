"""Runs through the execution tree: what one assignment of the arbitrary values does, place by place."""

from __future__ import annotations

from enum import StrEnum

from counterpoint.core.records import dataclass
from counterpoint.program.inputs import Input
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.inputs import inputs_from
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.term.term import V


class End(StrEnum):
    """How a run ended: normally, by failing a check, at a false assumption, at something without a meaning, or it was
    stopped at the largest depth."""

    FINISHED = "ends"
    VIOLATED = "error"
    ASSUMED_AWAY = "assumption is false"
    BLOCKED = "unsupported"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """`nodes` are the places that the run met, from START on. `check` is the check that failed (VIOLATED), `detail`
    says what was met (BLOCKED)."""

    __test__ = False

    number: int
    assignment: Assignment
    nodes: tuple[Node, ...]
    end: End
    check: int = -1
    detail: str = ""

    def inputs(self, tree: ExecutionTree) -> tuple[Input, ...]:
        """The arbitrary values that the run consumed, in its order."""
        return inputs_from(tree.world, self.assignment, tree.records(self.nodes[-1]))


def run_test(tree: ExecutionTree, assignment: Assignment, number: int, depth: int, single: bool = False) -> Test:
    """Follows the run that the assignment makes, for at most `depth` places; with `single`, along nodes of one path
    each instead of all paths between two places.

    Raises OutOfBudget and GranuleConflict, as steps do.
    """
    nodes = [tree.root]

    def holds(formula: V) -> bool:
        return bool(assignment.value(formula))

    while True:
        node = nodes[-1]
        step = tree.step(node)
        for failure in step.failures:
            if assignment.value(failure.formula):
                return Test(number, assignment, tuple(nodes), End.VIOLATED, failure.check)
        for block in step.blocks:
            if assignment.value(block.formula):
                return Test(number, assignment, tuple(nodes), End.BLOCKED, detail=block.reason)
        taken = next((n for n, exit_ in enumerate(step.exits) if assignment.value(exit_.formula)), None)
        if taken is None:
            end = End.FINISHED if assignment.value(step.ended) else End.ASSUMED_AWAY
            return Test(number, assignment, tuple(nodes), end)
        if len(nodes) > depth:
            return Test(number, assignment, tuple(nodes), End.STOPPED)
        nodes.append(tree.taken(node, taken, holds) if single else tree.child(node, taken))
