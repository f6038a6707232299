"""What happens to an abstract reachability graph as events (core/events.py), for whoever draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Final, TypeVar

from counterpoint.core.events import (
    SEVERAL,
    AbstractGrowth,
    AbstractNode,
    AbstractRefinement,
    GraphBegun,
    Observer,
    PlacePredicates,
    Precision,
)
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.places import PlaceTexts
from counterpoint.engines.predicates.graph.reachability import Graph, Node
from counterpoint.engines.predicates.impact.labels import LabelledTree, meaning_of
from counterpoint.engines.predicates.impact.labels import Node as LabelledNode
from counterpoint.evidence.verdict import Unknown, Verdict
from counterpoint.explain.conditions import said
from counterpoint.logic.state_sets import States
from counterpoint.regions.cut_graph import Place
from counterpoint.term.term import V

MOST_STEPS: Final = 450
MOST_NODES: Final = 2000
"""Steps and nodes that are told of: more than a picture has (portfolio/recording.py)."""

N = TypeVar("N", Node, LabelledNode)

LONGEST: Final = 600
"""Characters of a node's states."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node as it is now; `parent` and `covered_by` are numbers, 0: none, SEVERAL: several cover it together."""

    number: int
    parent: int
    place: Place
    states: V
    covered_by: int


def nodes_of(graph: Graph) -> list[DrawnNode]:
    """Of an abstract reachability graph, by number."""
    states, none = graph.sets.formula, graph.sets.none
    found = _drawn(graph.nodes(), lambda node: states(node.states))
    jointly = {node.number for node in graph.nodes() if node.covered_by is None and node.ahead == none}
    return [replace(node, covered_by=SEVERAL) if node.number in jointly else node for node in found]


def labelled_nodes_of(tree: LabelledTree) -> list[DrawnNode]:
    """Of a tree of labels, by number."""
    return _drawn((node for there in tree.at.values() for node in there), lambda node: meaning_of(node.label))


def _drawn(nodes: Iterable[N], states: Callable[[N], V]) -> list[DrawnNode]:
    drawn = (DrawnNode(n.number, _number(n.parent), n.place, states(n), _number(n.covered_by)) for n in nodes)
    return sorted(drawn, key=lambda node: node.number)


def _number(node: Node | LabelledNode | None) -> int:
    return 0 if node is None else node.number


@dataclass(slots=True)
class GraphEvents:
    """Sends the events of one run of abstraction refinement if `wanted`; else `grown` and `refined` return at once. The
    graph is compared with what was told last, so that nothing else has to tell of changes.
    """

    texts: PlaceTexts
    observe: Observer
    wanted: bool
    _trace: list[Place] = field(default_factory=list)
    _steps: int = 0
    _made: int = 0
    _refinements: int = 0
    _nodes: dict[int, V] = field(default_factory=dict)
    _covered: dict[int, int] = field(default_factory=dict)
    _predicates: dict[Place, dict[V, None]] = field(default_factory=dict)
    _sets: States | None = None
    _conditions: dict[tuple[Place, V], str] = field(default_factory=dict)

    def grown(self, nodes: Callable[[], list[DrawnNode]], trace: Sequence[Node | LabelledNode] | None = None) -> None:
        """The graph grew until there was nothing left to follow (an empty trace), or the trace led to an error; without
        a trace, it was stopped before, if anything changed. Time: the graph, and the texts of what is new."""
        self._trace = [node.place for node in trace or ()] or self._trace
        if not self._goes_on():
            return
        present, way = nodes(), tuple(node.number for node in trace or ())
        made, covered = self._new(present), self._coverings(present)
        if made or covered or trace is not None:
            self.observe(AbstractGrowth(made, covered, way, trace is not None))

    def refined(
        self, nodes: Callable[[], list[DrawnNode]], predicates: Mapping[Place, Sequence[V]], verdict: Verdict | None
    ) -> None:
        """The trace led to new predicates, or to a verdict. Time: the graph."""
        if not self._goes_on():
            return
        self._refinements += 1
        new = tuple(self._new_predicates(predicates))
        present = nodes()
        kept = {node.number for node in present}
        gone = tuple(number for number in self._nodes if number not in kept)
        for number in gone:
            del self._nodes[number]
            self._covered.pop(number, None)
        made, covered = self._new(present), self._coverings(present)
        self.observe(AbstractRefinement(self._refinements, new, gone, covered, made, _ended(verdict)))

    def precision(self, predicates: Mapping[Place, Sequence[V]]) -> None:
        """The predicates at the end, whoever looks."""
        self.observe(Precision(tuple(self.texts.precision(predicates))))

    def stopped(self, progress: str) -> str:
        """How far it got, for an UNKNOWN, with the last error trace."""
        return f"{progress}; the last error trace was {self.texts.described(self._trace)}" if self._trace else progress

    def _goes_on(self) -> bool:
        if self.wanted and not self._steps:
            self.observe(GraphBegun())
        self._steps += 1
        self.wanted = self.wanted and self._steps <= MOST_STEPS and self._made < MOST_NODES
        return self.wanted

    # ------------------------------------------------------------ what is new

    def _new(self, present: Iterable[DrawnNode]) -> tuple[AbstractNode, ...]:
        """Nodes that were not told of, or had other states, parents first."""
        new = (node for node in present if self._nodes.get(node.number) != node.states)
        found: list[AbstractNode] = []
        for node in islice(new, MOST_NODES - self._made):
            self._nodes[node.number] = node.states
            name, line = self.texts.name(node.place), self.texts.at(node.place).line
            found.append(AbstractNode(node.number, node.parent, name, line, self._text(node.place, node.states)))
        self._made += len(found)
        return tuple(found)

    def _coverings(self, present: Iterable[DrawnNode]) -> tuple[tuple[int, int], ...]:
        now = ((node.number, node.covered_by) for node in present if node.number in self._nodes)
        found = tuple((number, by) for number, by in now if by != self._covered.get(number, 0))
        self._covered.update(found)
        return found

    def _new_predicates(self, predicates: Mapping[Place, Sequence[V]]) -> Iterable[PlacePredicates]:
        for place, known in predicates.items():
            before = self._predicates.setdefault(place, {})
            new = [predicate for predicate in known if predicate not in before]
            if new:
                before.update(dict.fromkeys(new))
                yield self.texts.of_place(place, new)

    def _text(self, place: Place, states: V) -> str:
        key = place, states
        if key not in self._conditions:
            self._sets = self._sets or States()
            text = "" if states == 1 else "\n".join(said(self.texts.names(place, states), states, self._sets))
            self._conditions[key] = text if len(text) <= LONGEST else text[:LONGEST] + " .."
        return self._conditions[key]


def _ended(verdict: Verdict | None) -> str:
    """How, for the sentence under the picture."""
    match verdict:
        case None:
            return ""
        case Unknown(reason, detail):
            return f"{reason}: {detail}"
    return "a run fails the check"
