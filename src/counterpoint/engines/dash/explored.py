"""What tests have shown: the execution tree, the runs through it, and which regions their states are in.

Regions are found by evaluating predicates on the symbolic states of the tree under a test's values; nothing is run
again (thesis, section 4.5; docs/decisions/region-mapping.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.region_graph import Region, RegionForest
from counterpoint.regions.assignment import Assignment
from counterpoint.regions.tests import Test, run_test
from counterpoint.regions.tree import ExecutionTree, Node
from counterpoint.solver.answers import Model
from counterpoint.term.evaluate import Given
from counterpoint.term.sorts import ArraySort
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute, variables


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A state that a test is known to reach."""

    test: Test
    node: Node


@dataclass(slots=True)
class Explored:
    """The tests so far, and the forest whose regions they visit. `depth`, `single`: see regions/tests.run_test."""

    tree: ExecutionTree
    depth: int
    single: bool = False
    forest: RegionForest[Visit] = field(default_factory=RegionForest)
    tests: list[Test] = field(default_factory=list)
    _said: dict[Node, dict[V, V]] = field(default_factory=dict)

    def run(self, assignment: Assignment, start: int = 0) -> Test:
        """RunTest: follows the run, and notes which regions it visits. `start` is how far it is known to get.

        Raises OutOfBudget and GranuleConflict, as steps do.
        """
        test = run_test(self.tree, assignment, len(self.tests) + 1, start + self.depth, self.single)
        self.tests.append(test)
        for node in test.nodes:
            region = self.region(Visit(test, node))
            if region is not None and all(visit.node is not node for visit in region.visits):
                region.visits.append(Visit(test, node))
        return test

    def region(self, visit: Visit) -> Region[Visit] | None:
        """The leaf that the visit's state is in; None where the abstraction has no place."""
        return self.forest.leaf(visit.node.place, lambda predicate: self.holds(visit, predicate))

    def holds(self, visit: Visit, predicate: V) -> bool:
        """The predicate in the visit's state."""
        return bool(self.value(visit, predicate))

    def value(self, visit: Visit, formula: V) -> int:
        """The value of a Bool or bit-vector over components in the visit's state."""
        return visit.test.assignment.value(self.at(visit.node, formula))

    def at(self, node: Node, formula: V) -> V:
        """A formula over components, over the inputs of the runs that get to the node.

        A component without a value there is 0: the same in all questions about the node. Remembered.
        """
        known = self._said.setdefault(node, {})
        if formula not in known:
            known[formula] = self._substituted(node, formula)
        return known[formula]

    def _substituted(self, node: Node, formula: V) -> V:
        values: dict[Term, V] = {}
        for variable in variables(formula):
            value = self.tree.value(node, variable)
            if value is not None:
                values[variable] = value
            elif not isinstance(variable.sort, ArraySort):
                values[variable] = 0
        return substitute(formula, values)

    def split(self, region: Region[Visit], predicate: V) -> tuple[Region[Visit], Region[Visit]]:
        """Figure 3.9: the halves where the predicate holds and where it fails, with the visits sorted."""
        holds, fails = self.forest.split(region, predicate)
        for visit in region.visits:
            (holds if self.holds(visit, predicate) else fails).visits.append(visit)
        return holds, fails


def given_by(model: Model, leaves: list[Term]) -> Mapping[Term, Given]:
    """The values of the variables among the leaves."""
    return {leaf: _given(model, leaf) for leaf in leaves if leaf.op is Op.VARIABLE}


def _given(model: Model, leaf: Term) -> Given:
    if isinstance(leaf.sort, ArraySort):
        found = model.array(leaf)
        assert not isinstance(found, int)
        return found
    return model.value(leaf)
