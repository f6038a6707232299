"""Traces with the runs of callees inside, and their formulas.

An edge goes over calls by contract: it assumes no more of them than what is known at the callees' EXITs. Here such a
call can be *entered*: an activation of the callee, a trace from its entry to its EXIT, stands between call and return.
Values of the callee's components at its entry are the call's `before` values, `after` values are those at its EXIT.

Source: slides 60 to 65 (traces with procedure calls). Deviation: which calls are entered is decided one level after
the other, so most traces are refuted by what is known at EXITs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.traces.formulas import Abstract
from counterpoint.regions.cut_graph import Place
from counterpoint.regions.instance import Instance
from counterpoint.term import build
from counterpoint.term.term import V

Position: TypeAlias = tuple[int, int]
"""A call in an activation: the number of the edge, and that of the call in the edge's step."""

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


@dataclass(slots=True, eq=False)
class NestedFormula:
    """The formula of an activation. `groups[i]` belong to edge i, in the order of the run: for each entered call how it
    begins and its formula, then all else. `instances[i]` says what the components before edge i, as far as they are
    followed, and its unknowns are; the last one is at the end. `summary`, if set, stands for all of it."""

    activation: Activation
    groups: list[list[V | NestedFormula]] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    inner: dict[Position, NestedFormula] = field(default_factory=dict)
    summary: V | None = None

    def parts(self) -> list[V]:
        """One formula per edge, those of entered calls inside."""
        return [build.conjunction(list(_pieces(group))) for group in self.groups]

    def pieces(self) -> list[V]:
        """All of it, in the order of the run."""
        if self.summary is not None:
            return [self.summary]
        return [piece for group in self.groups for piece in _pieces(group)]

    def replace(self, pieces: Sequence[V]) -> None:
        """Other formulas in the place of `pieces`; no activation has a summary."""
        following = iter(pieces)
        stack = _places(self)
        while stack:
            group, number = stack.pop()
            item = group[number]
            if isinstance(item, NestedFormula):
                stack += _places(item)
            else:
                group[number] = next(following)

    def split_at(self, part: NestedFormula) -> tuple[list[V], list[V]]:
        """What comes before that activation, and what comes behind."""
        before: list[V] = []
        stack: list[V | NestedFormula] = [item for group in reversed(self.groups) for item in reversed(group)]
        while stack:
            item = stack.pop()
            if item is part:
                return before, list(_pieces(reversed(stack)))
            if isinstance(item, NestedFormula) and item.summary is None:
                stack += [i for group in reversed(item.groups) for i in reversed(group)]
            else:
                before += _pieces([item])
        raise AssertionError("no part of this trace")

    def inside(self) -> list[NestedFormula]:
        """The activations inside, innermost first."""
        found: list[NestedFormula] = []
        stack = [self]
        while stack:
            here = stack.pop()
            found += here.inner.values()
            stack += here.inner.values()
        return found[::-1]

    def abstract(self, cut: int) -> tuple[V, list[V]]:
        """The abstract state before edge `cut` and its predicates, in the trace's terms."""
        there = self.activation.abstract[cut]
        formula, *tracked = self.instances[cut].of_all((there.formula, *there.tracked))
        return formula, tracked

    def place(self, cut: int) -> Place:
        """Where the run is before edge `cut`, or at the end."""
        edges = self.activation.edges
        return edges[cut].source if cut < len(edges) else edges[-1].target


def _places(trace: NestedFormula) -> list[tuple[list[V | NestedFormula], int]]:
    """Where its items stand, the last one first."""
    return [(group, number) for group in reversed(trace.groups) for number in reversed(range(len(group)))]


def _pieces(items: Sequence[V | NestedFormula] | Iterator[V | NestedFormula]) -> Iterator[V]:
    for item in items:
        if isinstance(item, NestedFormula):
            yield from item.pieces()
        else:
            yield item
