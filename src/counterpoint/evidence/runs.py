"""Runs certificates: what they claim about states and ways is evaluated on the visits of concrete runs.

A visit is a run's arrival at a place, with values of components there as far as the run has them; a formula that
needs others says nothing. What a certificate claims holds on every prefix of every run, so one visit is enough to
refute it. Terms are evaluated (term/partial.py), not simplified. Where visits come from is the caller's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Protocol, TypeAlias

from counterpoint.core.errors import EvidenceRejected
from counterpoint.core.records import dataclass
from counterpoint.evidence.places import Place, Places, Statement
from counterpoint.program import model as m
from counterpoint.program.graph import reachable_functions
from counterpoint.program.instances import entered_by_calls, place_of, taken
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import EXIT, CutPoint
from counterpoint.static.points_to import PointsTo
from counterpoint.term.evaluate import ArrayValue, Value
from counterpoint.term.partial import PartialEvaluation
from counterpoint.term.term import Term

Visit: TypeAlias = tuple[Place, Mapping[Term, Value]]
"""Where a run is, and what the components' variables are there (of arrays: the entries that are known)."""

Cuts: TypeAlias = Mapping[Place, CutPoint | None]
"""The places whose visits count. Where there is no CutPoint, nothing is read."""

Wanted: TypeAlias = Mapping[Place, Mapping[Term, Component]]
"""The components that are needed at a place."""

MOST_INDICES = 24
"""Values that are tried for a ghost in one state: indices at which arrays are known there."""

MOST_CHOICES = 60
"""Choices of values for all of a fact's ghosts that are tried in one state."""


class Contradicted(EvidenceRejected):
    """A run does what the certificate says no run does."""


class Claims(Protocol):
    """What a certificate says of runs.

    With `whole`, every visit of a run from its start is needed. `points`: what the proof assumes of accesses, if it
    does. `total` claims, of which `evaluated()` had a value somewhere; `work` terms were evaluated.
    """

    cuts: Cuts
    wanted: Wanted
    whole: bool
    points: PointsTo | None
    total: int
    work: int

    def see(self, visits: Sequence[Visit], most: int) -> None:
        """The visits of one run, in their order, until about `most` work is done. Raises Contradicted."""

    def evaluated(self) -> int: ...


def _begun(program: m.Program, visits: Sequence[Visit]) -> Sequence[Visit]:
    """Without the start of the run, which is no arrival."""
    return visits[1:] if visits and visits[0][0] == (program.entry, 0) else visits


def _spread(visits: Sequence[Visit]) -> Iterator[Visit]:
    """The last visit to each place, then the others: at their ends loops have been through most."""
    last = {place: number for number, (place, _) in enumerate(visits)}
    yield from (visits[number] for number in last.values())
    yield from (visit for number, visit in enumerate(visits) if last[visit[0]] != number)


def _needs(said: Iterable[Statement]) -> dict[Term, Component]:
    return {variable: component for statement in said for variable, component in statement.needs.items()}


# ---------------------------------------------------------------- facts


class FactsHold:
    """The facts at a place hold in every state in which a run gets there."""

    whole = False

    def __init__(self, places: Places, facts: Mapping[Place, Sequence[Statement]]) -> None:
        self.places = places
        self.points: PointsTo | None = places.points
        self.facts = facts
        self.cuts: Cuts = {place: places.cuts[place] for place in facts}
        self.wanted: Wanted = {place: _needs(said) for place, said in facts.items()}
        self.total = sum(len(said) for said in facts.values())
        self.work = 0
        self._met: set[tuple[Place, int]] = set()
        self._known: set[tuple[Place, frozenset[tuple[Term, Value]]]] = set()

    def evaluated(self) -> int:
        return len(self._met)

    def see(self, visits: Sequence[Visit], most: int) -> None:
        until = self.work + most
        for place, values in _spread(_begun(self.places.program, visits)):
            state, key = PartialEvaluation(values), (place, frozenset(values.items()))
            if key in self._known or self.work >= until:
                continue
            self._known.add(key)
            for number, statement in enumerate(self.facts.get(place, ())):
                self._look(place, number, statement, state)
            self.work += state.work

    def _look(self, place: Place, number: int, statement: Statement, state: PartialEvaluation) -> None:
        for one in self._states(statement, state):
            truth = one.truth(statement.formula)
            if truth is False:
                where = self.places.name(place)
                raise Contradicted(f"a run is at {where} in a state in which fact {number} there is false")
            if truth:
                self._met.add((place, number))

    def _states(self, statement: Statement, state: PartialEvaluation) -> Iterator[PartialEvaluation]:
        """The state for each choice of the fact's ghosts that is tried."""
        if not statement.ghosts:
            yield state
            return
        arrays = (state.given.get(variable) for variable in statement.needs)
        known = {index for array in arrays if isinstance(array, ArrayValue) for index in array.entries}
        indices = sorted(known)[:MOST_INDICES]
        for chosen in islice(product(indices, repeat=len(statement.ghosts)), MOST_CHOICES):
            ghosts = dict(zip(statement.ghosts, chosen, strict=True))
            one = PartialEvaluation({**state.given, **ghosts})
            yield one
            self.work += one.work


# ---------------------------------------------------------------- graphs of regions


@dataclass(slots=True)
class _Track:
    """The regions in which one activation was when it last was at a place: those in which it surely was, and those in
    which it may have been. None: not known."""

    surely: set[int]
    maybe: set[int] | None


class StaysInGraph:
    """From place to place a run goes along edges of the graph."""

    whole = True

    def __init__(
        self, places: Places, regions: Sequence[tuple[Place, Statement]], edges: Iterable[tuple[int, int]]
    ) -> None:
        self.places = places
        self.points: PointsTo | None = places.points
        self.regions = regions
        told = entered_by_calls(places.program, places.contracts)
        self.cuts: Cuts = dict(places.cuts) if told else {}
        said: dict[Place, list[Statement]] = {}
        for place, statement in regions:
            said.setdefault(place, []).append(statement)
        self.wanted: Wanted = {place: _needs(there) for place, there in said.items()}
        self.total = len(regions)
        self.work = 0
        self.after: dict[int, dict[Place, list[int]]] = {}
        for source, target in edges:
            self.after.setdefault(source, {}).setdefault(regions[target][0], []).append(target)
        self._met: set[int] = set()

    def evaluated(self) -> int:
        return len(self._met)

    def see(self, visits: Sequence[Visit], most: int) -> None:
        stack, until = [_Track({-1}, set())], self.work + most
        for place, values in _begun(self.places.program, visits):
            if self.work >= until:
                return
            now = self._step(stack[-1], place, values)
            function, block = place
            if block == EXIT:
                stack.pop()
            elif block == 0 and function in self.places.contracts:
                stack.append(now)
            else:
                stack[-1] = now

    def _step(self, before: _Track, place: Place, values: Mapping[Term, Value]) -> _Track:
        if before.maybe is None:
            return _Track(set(), None)
        state = PartialEvaluation(values)
        inside: dict[int, bool | None] = {}
        for source in (*sorted(before.surely), *sorted(before.maybe)):
            following = self.after.get(source, {}).get(place, ())
            for number in following:
                if number not in inside:
                    inside[number] = state.truth(self.regions[number][1].formula)
            if source in before.surely and all(inside[number] is False for number in following):
                where = self.places.name(place)
                which = "the start" if source < 0 else f"region {source} at {self.places.name(self.regions[source][0])}"
                raise Contradicted(f"a run goes from {which} to {where}, where it is in none of the successors")
        self.work += state.work
        self._met.update(number for number, truth in inside.items() if truth is not None)
        led = {to for source in before.surely for to in self.after.get(source, {}).get(place, ())}
        surely = {number for number, truth in inside.items() if truth and number in led}
        maybe = {number for number, truth in inside.items() if truth is not False} - surely
        return _Track(surely, maybe if surely or maybe else None)


# ---------------------------------------------------------------- complete unrolling


class UncutWays:
    """No run takes an edge or a call at which the unrolling stops. Visits are those of all blocks and exits."""

    whole = True

    def __init__(self, program: m.Program, named: frozenset[str]) -> None:
        functions = sorted(reachable_functions(program))
        told = bool(named) and entered_by_calls(program, functions)
        blocks = {name: (*range(len(program.functions[name].blocks)), EXIT) for name in functions}
        self.program = program
        self.points: PointsTo | None = None
        self.named = named
        self.cuts: Cuts = {(name, block): None for name in functions for block in blocks[name]} if told else {}
        self.wanted: Wanted = {}
        self.total = len(named)
        self.work = 0
        self._met: set[Place] = set()

    def evaluated(self) -> int:
        """Cuts in blocks that some run was in."""
        return sum(place_of(name) in self._met for name in self.named)

    def see(self, visits: Sequence[Visit], most: int) -> None:
        self.work += len(visits)
        self._met.update(place for place, _ in visits)
        for name in taken(self.program, (place for place, _ in visits)):
            if name in self.named:
                raise Contradicted(f"a run takes {name}, at which the unrolling stops")
