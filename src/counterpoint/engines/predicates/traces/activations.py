"""Traces: edges in the order of a run, with the runs of callees inside.

An edge goes over calls by contract: it assumes no more of them than what is known at the callees' EXITs. Here such a
call can be *entered*: an activation of the callee, a trace from its entry to its EXIT, stands between call and return.
A trace in which no call is entered is one of depth 0.

Source: slides 60 to 65 (traces with procedure calls). Deviation: which calls are entered is decided one level after
the other, so most traces are refuted by what is known at EXITs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.regions.cut_graph import Place
from counterpoint.term.term import V

Position: TypeAlias = tuple[int, int]
"""A call in an activation: the number of the edge, and that of the call in the edge's step."""


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract state: the set as a formula over components, the predicates that were tracked there, and facts: what
    holds at its place on every run."""

    formula: V = 1
    tracked: tuple[V, ...] = ()
    facts: tuple[V, ...] = ()


@dataclass(slots=True, eq=False)
class Activation:
    """A trace along `edges`, of the whole run or from a callee's entry to its EXIT. Of calls that edge i goes over and
    that are not entered, what the nodes before `limits[i]` say is assumed. `abstract` are the abstract states before
    each edge and at the end, which the formula does not imply. `name` is different for each activation of a trace."""

    name: str
    edges: tuple[Edge, ...]
    limits: tuple[float, ...]
    abstract: tuple[Abstract, ...]
    entered: dict[Position, Activation] = field(default_factory=dict)

    def at(self, number: int) -> list[tuple[int, Activation]]:
        """The calls on that edge that are entered, in their order."""
        found = ((call, inner) for (edge, call), inner in self.entered.items() if edge == number)
        return sorted(found, key=lambda one: one[0])

    def place(self, cut: int) -> Place:
        """Where the run is before edge `cut`, or at the end."""
        return self.edges[cut].source if cut < len(self.edges) else self.edges[-1].target


def flat(edges: Sequence[Edge], abstract: Sequence[Abstract] = ()) -> Activation:
    """The whole run's, with no call entered; `abstract` is the abstract state at the start of each edge."""
    there = tuple(abstract) or (Abstract(),) * len(edges)
    return Activation("", tuple(edges), (math.inf,) * len(edges), (*there, Abstract()))
