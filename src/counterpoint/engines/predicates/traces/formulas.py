"""The formula of a trace, in parts: one per edge, with variables of their own for the state at each cut.

Source: slides 34 to 39 and 53 to 58 (trace feasibility formulas, predicate maps), 60 to 65 (with procedure calls).
How it is made: traces/building.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.graph.edges import Edge
from counterpoint.engines.predicates.traces.activations import Activation, Position
from counterpoint.regions.instance import Instance
from counterpoint.term import build
from counterpoint.term.term import V

NOTHING: Final[Mapping[Activation, V]] = {}


@dataclass(frozen=True, slots=True, eq=False)
class TraceFormula:
    """The trace has a run if `pieces()` have a model: `parts[i]` of edge i, and before it, for each call there that is
    entered, how it begins and the formula of the activation.

    `instances[i]` says what the components before edge i, as far as they are followed, and its unknowns are in the
    parts' terms; the last one is at the end. `abstract[i]` is what the abstract state there says, and `tracked[i]` are
    the predicates it is made of; the parts imply neither.
    """

    trace: Activation
    parts: tuple[V, ...]
    instances: tuple[Instance, ...]
    abstract: tuple[V, ...]
    tracked: tuple[tuple[V, ...], ...]
    entered: Mapping[Position, Entered] = field(default_factory=dict)

    @property
    def edges(self) -> tuple[Edge, ...]:
        return self.trace.edges

    def over_components(self, cut: int, formula: V) -> V | None:
        """A formula in the parts' terms before edge `cut`, over the components there; None if it speaks of anything
        else, such as what a component was at the trace's start, which has the component's name."""
        here = self.instances[cut]
        return None if here.strangers(formula) else here.back(formula)

    # ------------------------------------------------------------ with the calls inside

    def inside(self) -> list[TraceFormula]:
        """The activations inside, innermost first."""
        found: list[TraceFormula] = []
        stack = [self]
        while stack:
            below = [entered.formula for entered in stack.pop().entered.values()]
            found += below
            stack += below
        return found[::-1]

    def pieces(self, summaries: Mapping[Activation, V] = NOTHING) -> list[V]:
        """All of it, in the order of the run; `summaries` stand for activations."""
        return [*_pieces([self], summaries)]

    def parts_with_calls(self, summaries: Mapping[Activation, V] = NOTHING) -> list[V]:
        """One formula per edge, those of entered calls inside."""
        numbers = range(len(self.parts))
        return [build.conjunction(_pieces(self._items(number), summaries)) for number in numbers]

    def split_at(self, inner: Activation, summaries: Mapping[Activation, V] = NOTHING) -> tuple[list[V], list[V]]:
        """What comes before that activation, and what comes behind."""
        before: list[V] = []
        stack: list[V | TraceFormula] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, TraceFormula) and item.trace is inner:
                return before, [*_pieces(reversed(stack), summaries)]
            if isinstance(item, TraceFormula) and item.trace not in summaries:
                stack += reversed([*item._all_items()])
            else:
                before += _pieces([item], summaries)
        raise AssertionError("no part of this trace")

    def with_pieces(self, pieces: Iterator[V]) -> TraceFormula:
        """Other formulas in the place of `pieces()`."""
        parts: list[V] = []
        entered: dict[Position, Entered] = {}
        for number in range(len(self.parts)):
            for call, _ in self.trace.at(number):
                begin = next(pieces)
                entered[number, call] = Entered(begin, self.entered[number, call].formula.with_pieces(pieces))
            parts.append(next(pieces))
        return replace(self, parts=tuple(parts), entered=entered)

    def _items(self, number: int) -> Iterator[V | TraceFormula]:
        """What belongs to an edge, in the order of the run."""
        for call, _ in self.trace.at(number):
            entered = self.entered[number, call]
            yield entered.begin
            yield entered.formula
        yield self.parts[number]

    def _all_items(self) -> Iterator[V | TraceFormula]:
        for number in range(len(self.parts)):
            yield from self._items(number)


@dataclass(frozen=True, slots=True)
class Entered:
    """A call that is entered: that it is made, with which values, and the formula of the activation."""

    begin: V
    formula: TraceFormula


def _pieces(items: Iterable[V | TraceFormula], summaries: Mapping[Activation, V]) -> Iterator[V]:
    for item in items:
        if not isinstance(item, TraceFormula):
            yield item
        elif item.trace in summaries:
            yield summaries[item.trace]
        else:
            yield from _pieces(item._all_items(), summaries)
