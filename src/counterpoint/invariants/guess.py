"""What all sources of candidates are made of: a function from the context to formulas by place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from counterpoint.core.budget import Budget
from counterpoint.core.records import dataclass
from counterpoint.invariants.candidates.protocol import Context
from counterpoint.logic.loop_shape import Passage, passages
from counterpoint.regions.cut_graph import START, CutGraph, Place
from counterpoint.semantics.components import variable_of
from counterpoint.semantics.facts import Fact, is_ghost
from counterpoint.term import build
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Term, V
from counterpoint.term.walk import size, variables

Guess: TypeAlias = tuple[Place, V]
"""A place and a formula over the components there."""

MAX_SIZE = 150
"""Nodes of a candidate: larger ones are hardly ever inductive and slow every query down."""


@dataclass(frozen=True, slots=True)
class GuessSource:
    """A CandidateSource by a function; what it guesses twice, what is trivial, huge or speaks of
    anything but the components of its place is left out.

    At most `per_place` facts of one place are taken, the first ones.
    """

    name: str
    stage: int
    summary: str
    guesses: Callable[[Context], Iterable[Guess]]
    per_place: int = 300

    def candidates(self, context: Context) -> Iterator[Fact]:
        seen: set[tuple[Place, Term]] = set()
        counts: dict[Place, int] = {}
        known: dict[Place, frozenset[Term]] = {}
        for place, formula in self.guesses(context):
            context.budget.spend()
            if not isinstance(formula, Term) or formula.sort != BOOL or (place, formula) in seen:
                continue
            seen.add((place, formula))
            if place not in known:
                known[place] = _variables(context.graph, place)
            if any(v not in known[place] and not is_ghost(v) for v in variables(formula)):
                continue
            if counts.get(place, 0) >= self.per_place or size(formula) > MAX_SIZE:
                continue
            counts[place] = counts.get(place, 0) + 1
            yield Fact(place[0], place[1], formula)


def _variables(graph: CutGraph, place: Place) -> frozenset[Term]:
    """What formulas at the place may speak of; nothing at the START."""
    if place not in graph.cuts:
        return frozenset()
    return frozenset(variable_of(c, graph.program.layout.pointer_bits) for c in graph.components(place))


def spread_forward(
    graph: CutGraph, seeds: Iterable[Guess], rounds: int, budget: Budget, most: int = 2000
) -> list[Guess]:
    """The guesses, and what they become further on along ways: after at most `rounds` ways, `most` in all, and as long
    as there is time."""

    def moved(place: Place, fact: V) -> Iterator[Guess]:
        for region in graph.regions_from(place):
            for way in region.ways:
                known = way.leaves and region.start_values.covers(fact)
                new = way.values.back(region.start_values.of(fact)) if known else None
                if new is not None:
                    yield way.target, new

    return _spread(seeds, rounds, most, moved, budget)


def spread_backward(
    graph: CutGraph, seeds: Iterable[Guess], rounds: int, budget: Budget, most: int = 2000, *, guarded: bool = True
) -> list[Guess]:
    """The guesses, and what has to hold before for them to hold after a way; `guarded`: also under its condition.

    Ways from a place back to itself are left out: they only give weaker and weaker unrollings.
    """
    ways_to: dict[Place, list[Passage]] = {}
    for passage in passages(graph):
        if passage.region.start not in (START, passage.way.target):
            ways_to.setdefault(passage.way.target, []).append(passage)

    def moved(place: Place, fact: V) -> Iterator[Guess]:
        for region, way in ((p.region, p.way) for p in ways_to.get(place, ())):
            new = region.start_values.back(way.values.of(fact)) if way.values.covers(fact) else None
            if new is not None:
                yield region.start, new
                condition = region.start_values.back(way.formula) if guarded else None
                if condition is not None:
                    yield region.start, build.implies(condition, new)

    return _spread(seeds, rounds, most, moved, budget)


def _spread(
    seeds: Iterable[Guess],
    rounds: int,
    most: int,
    moved: Callable[[Place, V], Iterable[Guess]],
    budget: Budget,
) -> list[Guess]:
    found: dict[Guess, None] = dict.fromkeys(seeds)
    fresh = list(found)
    for _ in range(rounds):
        following: list[Guess] = []
        for place, fact in fresh:
            if budget.remaining() <= 0:
                return list(found)
            for new in moved(place, fact):
                if new not in found and len(found) < most and size(new[1]) <= MAX_SIZE:
                    found[new] = None
                    following.append(new)
        fresh = following
    return list(found)
