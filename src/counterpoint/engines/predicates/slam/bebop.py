"""Reachability in Boolean programs, procedures included.

    path edges: for each place, the pairs of a state at the procedure's entry and one at the place
    summary of a procedure: its path edges at EXIT; calls go from arguments to results by it
    loop:  take a place whose path edges are new, follow all its transitions

Source: Ball, Rajamani, "Bebop" (SPIN 2000), section 3, after Reps, Horwitz, Sagiv, "Precise interprocedural dataflow
analysis via graph reachability" (POPL 1995). Deviations: transitions are those between places, with all their calls;
the shortest trace is found afterwards, in layers (layers.py), not by rings kept on the way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import field
from typing import Any, TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import NO_CALL
from counterpoint.engines.predicates.slam.layers import Layers, Trace
from counterpoint.engines.predicates.slam.program import BooleanProgram, Transition
from counterpoint.engines.predicates.slam.relations import Bdd, Relations
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term.term import V


@dataclass(frozen=True, slots=True)
class NoError:
    """No run of the Boolean program gets to ERROR. `states` are the reachable ones of each place, over its predicates:
    an over-approximation of the states in which runs of the program are there."""

    states: Mapping[Place, V]


Checked: TypeAlias = NoError | Trace


def check(program: BooleanProgram, budget: Budget, bdd: Any = None) -> Checked:
    """Is ERROR reachable? If it is, by what shortest trace? `bdd` is a manager of package `dd`.

    Raises OutOfBudget.
    """
    exploration = Exploration(Relations(program, bdd))
    exploration.run(budget)
    if exploration.error:
        return Layers(exploration.relations, exploration.edges, budget).trace()
    return NoError(exploration.states())


@dataclass(slots=True)
class Exploration:
    """The fixpoint. `edges` are the path edges of each place; `error`: ERROR can be reached."""

    relations: Relations
    edges: dict[Place, Bdd] = field(default_factory=dict)
    error: bool = False
    _waiting: deque[Place] = field(default_factory=deque)

    def run(self, budget: Budget) -> None:
        """Raises OutOfBudget."""
        program, relations = self.relations.program, self.relations
        callers: dict[Place, list[Place]] = {}
        for place, callees in program.calls.items():
            for callee in dict.fromkeys(callees):
                callers.setdefault((callee, EXIT), []).append(place)
        self._add(START, relations.true)
        while self._waiting:
            budget.spend()
            place = self._waiting.popleft()
            for caller in callers.get(place, ()):
                if caller in self.edges and caller not in self._waiting:
                    self._waiting.append(caller)
            for transition in program.transitions[place]:
                self._follow(place, transition)

    def states(self) -> dict[Place, V]:
        """What is reachable at each place."""
        program, relations = self.relations.program, self.relations
        return {place: relations.formula(place, self._at(place)) for place in program.tracked}

    def _at(self, place: Place) -> Bdd:
        return self.edges.get(place, self.relations.false)

    def _follow(self, place: Place, transition: Transition) -> None:
        relations, edge = self.relations, transition.edge
        before = self._at(place)
        for call, callee in enumerate(relations.program.calls[place][: len(transition.made)]):
            summary = relations.summary(place, call, self._at((callee, EXIT)))
            before = relations.called(before, place, call, summary) | (before & relations.left_out(transition, call))
        if edge.target == ERROR:
            self.error = self.error or (before & relations.relation(transition)) != relations.false
            return
        after = relations.image(before, transition)
        self._add(edge.target, after if edge.call == NO_CALL else relations.entered(edge.target[0], after))

    def _add(self, place: Place, found: Bdd) -> None:
        known = self._at(place)
        new = known | found
        if new != known:
            self.edges[place] = new
            if place not in self._waiting:
                self._waiting.append(place)
