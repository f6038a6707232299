"""The two questions at a frontier: is there a run that crosses it, and can any state cross it at all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.engines.dash.explored import Explored, Visit
from counterpoint.engines.dash.region_graph import Region
from counterpoint.logic.path_queries import PathQueries
from counterpoint.logic.preimages import Crossing, Preimages
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR, following
from counterpoint.regions.tree import Node
from counterpoint.semantics.objects import ScalarRecord
from counterpoint.solver.answers import Answer, Unsat
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import substitute_all, variables

QUERY_SECONDS = 10.0
"""Limit of one query."""


@dataclass(frozen=True, slots=True)
class NoEdge:
    """No state with the literals `before` steps into a state with the literals `after`, given the `facts`."""

    before: tuple[V, ...]
    after: tuple[V, ...]
    facts: tuple[V, ...] = ()


@dataclass(slots=True)
class Questions:
    """`facts` are formulas that hold at places on every run."""

    explored: Explored
    preimages: Preimages
    paths: PathQueries
    facts: dict[Place, list[V]] = field(default_factory=dict)
    _linked: dict[Node, dict[Term, V]] = field(default_factory=dict)

    # ------------------------------------------------------------ figure 3.7

    def extend(self, visit: Visit, target: Region[Visit]) -> Answer:
        """GetCombinedConstraint and Solve: a run along the visit's path that steps into the target. An Unsat has a
        core of the target's literals."""
        literals = target.literals()
        if self.passes_calls(visit.node.place, target.place):
            crossing = self._across_calls(visit.node, target.place, literals)
        else:
            crossing = self._crossing(visit.node, target.place, literals)
        answer = self.paths.along(
            visit.node, [crossing.formula], QUERY_SECONDS, "frontier", assumptions=crossing.literals
        )
        if not isinstance(answer, Unsat):
            return answer
        chosen = set(answer.core)
        return Unsat(tuple(p for p, v in zip(literals, crossing.literals, strict=True) if v in chosen))

    def _crossing(self, node: Node, target: Place, literals: Sequence[V]) -> Crossing:
        """Over the inputs: runs that are at the node step into states of the target with these literals."""
        tree = self.explored.tree
        step = tree.step(node)
        if target == ERROR:
            return Crossing(build.disjunction(step.failing), ())
        ends = [(exit_.formula, tree.child(node, k)) for k, exit_ in enumerate(step.exits) if exit_.target == target]
        conditions = [
            build.conjunction([build.implies(formula, self.explored.at(child, literal)) for formula, child in ends])
            for literal in literals
        ]
        return Crossing(build.disjunction([formula for formula, _ in ends]), tuple(conditions))

    def passes_calls(self, place: Place, target: Place) -> bool:
        """The step may go over calls by contract before it gets there, while tests go through them."""
        following_ = following(self.preimages.encoded.where, place)
        return bool(following_.calls) and self.preimages.most_calls(place, target) > 0

    def _across_calls(self, node: Node, target: Place, literals: Sequence[V]) -> Crossing:
        """As `_crossing`, but calls leave behind whatever their contracts allow: there may be no such run."""
        crossing = self.preimages.crossing(node.place, target, literals)
        first, *rest = self.at_node(node, [crossing.formula, *crossing.literals])
        return Crossing(first, tuple(rest))

    def at_node(self, node: Node, formulas: Sequence[V]) -> list[V]:
        """Formulas of the step from the node's place, as far as they are about runs through the node: over its inputs,
        also those that it reads before the first call, and the step's own names for what comes later."""
        found = dict(self._links(node))
        if node.place != START:
            here = [v for v in variables(*formulas) if self.preimages.encoded.is_component(node.place, v)]
            found |= {variable: self.explored.at(node, variable) for variable in here}
        return substitute_all(formulas, found)

    def _links(self, node: Node) -> dict[Term, V]:
        """The step's names for inputs, and the inputs of runs through the node: by the places that read them."""
        if node not in self._linked:
            mine: dict[int, list[Term]] = {}
            for record in self.explored.tree.step(node).records:
                if isinstance(record, ScalarRecord) and isinstance(record.value, Term):
                    mine.setdefault(record.site, []).append(record.value)
            found: dict[Term, V] = {}
            for site, name in self.preimages.encoded.inputs(node.place):
                waiting = mine.get(site)
                if waiting and waiting[0].sort == name.sort and waiting[0].op is Op.VARIABLE:
                    found[name] = waiting.pop(0)
            self._linked[node] = found
        return self._linked[node]

    # ------------------------------------------------------------ section 3.4

    def impossible(self, source: Region[Visit], target: Place, literals: Sequence[V]) -> NoEdge | None:
        """No state of the region steps into states of the target with these literals, whatever path led to it; the
        answer says for which regions else. None if one may, or there is no answer."""
        mine = source.literals()
        crossing = self.preimages.crossing(source.place, target, literals)
        facts = self.facts.get(source.place, ())
        assumptions = [*mine, *crossing.literals]
        answer = self.paths.queries.check([crossing.formula], assumptions, QUERY_SECONDS, "target")
        if facts and not isinstance(answer, Unsat):  # only now: a proof with facts has to show these as well
            assumptions += facts
            answer = self.paths.queries.check([crossing.formula], assumptions, QUERY_SECONDS, "target")
        if not isinstance(answer, Unsat):
            return None
        chosen = set(answer.core)
        before = tuple(literal for literal in mine if literal in chosen)
        after = tuple(p for p, v in zip(literals, crossing.literals, strict=True) if v in chosen)
        return NoEdge(before, after, tuple(fact for fact in facts if fact in chosen))
