"""Lazy abstraction with interpolants: no abstract post; the tree of the program's paths is labelled with interpolants
of its error traces, until every leaf is covered by an earlier node.

    loop:
        take a leaf that is not covered; try to force an earlier node to cover it
        an edge to the error, feasible from its label: explain the trace; its interpolants strengthen the labels
        the leaf's other edges lead to new leaves

Source: McMillan, "Lazy abstraction with interpolants" (CAV 2006), section 3. Deviations: edges reach from loop head to
loop head (`predicates.block`), and those that a label rules out are not followed; only the end of a trace that is
infeasible from the label at its beginning is interpolated; leaves are covered by force wherever that is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Final

from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.graph.events import DrawnNode, labelled_nodes_of
from counterpoint.engines.predicates.impact.covering import Implications
from counterpoint.engines.predicates.impact.forced_covering import missing_formula
from counterpoint.engines.predicates.impact.labels import LabelledTree, Node, meaning_of
from counterpoint.engines.predicates.impact.proof import certificate
from counterpoint.engines.predicates.refinement.weakest import always_leads, in_variables, with_preconditions
from counterpoint.engines.predicates.reports import excluded_by_nothing
from counterpoint.engines.predicates.strategy import Strategy
from counterpoint.engines.predicates.traces.building import trace_formula
from counterpoint.engines.predicates.traces.formulas import TraceFormula
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Verdict
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.locations import ERROR
from counterpoint.solver.answers import SolverUnknown, Unsat
from counterpoint.solver.interpolation import Consistent, Interpolants
from counterpoint.term import build
from counterpoint.term.term import V

MOST_FORCED: Final = 2
"""Earlier nodes that are tried as the cover of a leaf."""

REPEATED: Final = 3
"""A trace that visits a place more often than that is explained by relations between variables, if that is possible:
constants would be a label for each visit."""


@dataclass(slots=True)
class Impact(Strategy):
    """The strategy."""

    tree: LabelledTree = field(init=False)
    implications: Implications = field(init=False)
    forced: int = 0
    forced_tries: int = 0

    def __post_init__(self) -> None:
        Strategy.__post_init__(self)
        tools = self.tools
        self.implications = Implications(self.options.solver, self.circuits.counts, tools.seed, tools.observe)
        self.tree = LabelledTree(self.implications.implied, self._order)

    def _order(self, node: Node) -> tuple[int, ...]:
        return -node.depth, self.ranked(node.place), node.number

    def run(self) -> Verdict:
        if self.formulas.encoded.where.contracts:
            return Unknown(Reason.UNSUPPORTED, "this strategy does not follow calls into recursive functions")
        while (leaf := self.tree.next()) is not None:
            self.tools.budget.spend()
            if self._force(leaf):
                continue
            verdict = self._follow(leaf)
            if verdict is not None:
                return verdict
        self.events.grown(self._drawn, ())
        return Safe(certificate(self.tree, self.options.preparation, self.granules))

    def returned(self, place: Place) -> V:
        return 1

    # ------------------------------------------------------------ growing

    def _follow(self, leaf: Node) -> Verdict | None:
        """Makes the leaf's children, after the refinement that rules out its edge to the error."""
        for edge in self.formulas.edges_from(leaf.place):
            if not self._feasible(leaf, edge):
                continue
            if edge.target != ERROR:
                self.tree.add(leaf, edge)
                continue
            self.events.grown(self._drawn, leaf.path())
            verdict = self._refine(leaf, edge)
            self.events.refined(self._drawn, self.precision() if self.events.wanted else {}, verdict)
            if verdict is not None or not leaf.alive:
                return verdict
            if any(self.tree.close(node) for node in leaf.path() if not node.settled):
                return None
        leaf.followed = True
        return None

    def _feasible(self, node: Node, edge: Edge) -> bool:
        """Some run may take the edge from a state with the node's label."""
        circuit = self.circuits.of(edge)
        return not isinstance(circuit.check([circuit.before(part) for part in node.label]), Unsat)

    # ------------------------------------------------------------ refinement

    def _refine(self, node: Node, edge: Edge) -> Verdict | None:
        """Labels the path's end, as far as it is infeasible from a label, with its interpolants; or the verdict."""
        self.refinements += 1
        self.tools.observe(Progress("predicates", self.progress()))
        path = node.path()
        edges = [*_edges(path), edge]
        for begin in _beginnings(len(path)):
            formula = _from(path[begin].label, trace_formula(self.formulas, edges[begin:]))
            match self.refinement.interpolated(formula.parts, self._repeats(path)):
                case Consistent(model) if begin == 0:
                    return self.violation(formula, model)
                case SolverUnknown(reason) if begin == 0:
                    return excluded_by_nothing(self.events.texts, path, reason)
                case Interpolants(found):
                    said = _over_components(formula, found)
                    labels = [tuple(node.label) for node in path[begin:]]
                    self._label(path[begin:], with_preconditions(formula, said, labels, self.circuits, self.returned))
                    break
        if node.alive and self._feasible(node, edge):
            return excluded_by_nothing(self.events.texts, path)
        return None

    def _repeats(self, path: Sequence[Node]) -> bool:
        visits: dict[Place, int] = {}
        for node in path:
            visits[node.place] = visits.get(node.place, 0) + 1
        return max(visits.values()) > REPEATED

    def _label(self, path: Sequence[Node], formulas: Sequence[V | None]) -> None:
        for node, formula in zip(path, formulas, strict=True):
            if formula is not None and node.alive:
                self.tree.strengthen(node, formula)

    # ------------------------------------------------------------ forced covering

    def _force(self, leaf: Node) -> bool:
        """Covers the leaf by an earlier node, if all runs to it from their nearest common ancestor have its label."""
        for other in islice(self._candidates(leaf), MOST_FORCED):
            missing = [part for part in other.label if not self.implications.implied(leaf.place, leaf.label, part)]
            self.forced_tries += 1
            found = self._between(leaf, other, meaning_of(missing))
            if found is None:
                continue
            for node, formula in found:
                self.tree.strengthen(node, formula)
                if not leaf.alive:
                    return True
            if leaf.covered:
                return True
            if not other.covered and all(self.implications.implied(leaf.place, leaf.label, p) for p in other.label):
                self.forced += 1
                self.tree.cover(leaf, other)
                return True
        return False

    def _candidates(self, leaf: Node) -> Iterator[Node]:
        """Its ancestors first, nearest first, then the latest ones."""
        earlier = list(self.tree.earlier(leaf))[::-1]
        above = set(leaf.up())
        yield from (node for node in earlier if node in above)
        yield from (node for node in earlier if node not in above)

    def _between(self, leaf: Node, other: Node, wanted: V) -> list[tuple[Node, V]] | None:
        """What to add to the labels so that the leaf has the formula; None if it has not, or that is not known."""
        above = set(other.up())
        path: list[Node] = []
        for node in leaf.up():
            if node in above:
                break
            path.append(node)
        path.reverse()
        begin = path[0].parent
        assert begin is not None and leaf.edge is not None
        if len(path) == 1:
            return [(leaf, wanted)] if always_leads(self.circuits, begin.label, leaf.edge, wanted) else None
        formula = missing_formula(self.formulas, _edges(path), meaning_of(begin.label), wanted)
        answer = self.refinement.interpolated(formula.parts)
        if not isinstance(answer, Interpolants) or not in_variables(formula):
            return None
        over = _over_components(formula, answer.formulas)[1:]
        found = [(node, part) for node, part in zip(path, over, strict=False) if part is not None]
        return [*found, (leaf, wanted)] if len(found) == len(over) else None

    # ------------------------------------------------------------ numbers

    def precision(self) -> Mapping[Place, Sequence[V]]:
        at = self.tree.at.items()
        return {place: list(dict.fromkeys(part for node in there for part in node.label)) for place, there in at}

    def progress(self) -> str:
        return f"{self.refinements} refinements, {self.tree.made} nodes, {self.tree.coverings} coverings"

    def statistics(self) -> dict[str, int | float]:
        """`predicates` are conjuncts of labels."""
        return {
            **Strategy.statistics(self),
            "nodes": self.tree.made,
            "covered": sum(node.covered_by is not None for there in self.tree.at.values() for node in there),
            "coverings": self.tree.coverings,
            "forced_covers": self.forced,
            "forced_tries": self.forced_tries,
        }

    def _drawn(self) -> list[DrawnNode]:
        return labelled_nodes_of(self.tree)

    def close(self) -> None:
        self.events.grown(self._drawn)
        Strategy.close(self)
        self.implications.close()


def _over_components(trace: TraceFormula, interpolants: Sequence[V]) -> list[V | None]:
    """What holds at the start of each part; None where an interpolant speaks of anything but components."""
    return [1, *(trace.over_components(cut, formula) for cut, formula in enumerate(interpolants, 1))]


def _beginnings(length: int) -> Iterator[int]:
    """Where to begin with the trace's last 2, 4, 8, ... edges, and all of it last."""
    count = 2
    while count < length:
        yield length - count
        count *= 2
    yield 0


def _from(label: Iterable[V], trace: TraceFormula) -> TraceFormula:
    """The trace from states with the label."""
    return replace(trace, parts=(build.conjunction([*label, trace.parts[0]]), *trace.parts[1:]))


def _edges(path: Sequence[Node]) -> list[Edge]:
    return [node.edge for node in path if node.edge is not None]
