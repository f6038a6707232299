"""Runs certificates: what they claim about states and ways is evaluated on the visits of concrete runs.

A visit is a run's arrival at a place, with values of components there as far as the run has them; a formula that
needs others says nothing. What a certificate claims has to hold on every prefix of every run, so one visit that
contradicts it is enough to refute it, whatever solvers said. Nothing here is simplified or asked of a solver:
terms are evaluated (term/partial.py). Where the visits come from is the caller's business (execute/visits.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Protocol, TypeAlias, assert_never

from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.places import Place, Places, Statement, checked_granules, places_of, statements
from counterpoint.evidence.verdict import (
    Certificate,
    CompleteUnrolling,
    FunctionSummaries,
    InductiveInvariants,
    KInductive,
    RegionGraph,
)
from counterpoint.program import model as m
from counterpoint.program.graph import reachable_functions
from counterpoint.program.instances import call_name, edge_name
from counterpoint.program.order import weak_topological_order
from counterpoint.semantics.components import Component
from counterpoint.semantics.cutpoint import EXIT, CutPoint
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

    With `whole`, every visit of a run from its start is needed. `total` claims, of which `evaluated()` had a value
    somewhere; `work` terms were evaluated.
    """

    cuts: Cuts
    wanted: Wanted
    whole: bool
    total: int
    work: int

    def see(self, visits: Sequence[Visit]) -> None:
        """The visits of one run, in their order. Raises Contradicted."""

    def evaluated(self) -> int: ...


def claims_of(program: m.Program, certificate: Certificate) -> Claims:
    """What the certificate for this program says of runs. Raises EvidenceRejected where it has no meaning."""
    match certificate:
        case CompleteUnrolling(_, cuts):
            return UncutWays(program, frozenset(cuts))
        case InductiveInvariants(_, facts, granules) | FunctionSummaries(_, facts, granules):
            places = places_of(program)
            return FactsHold(places, statements(places, facts, checked_granules(granules)))
        case KInductive(_, _, facts, granules):
            places = places_of(program)
            return FactsHold(places, statements(places, facts, checked_granules(granules)))
        case RegionGraph(_, regions, edges, granules):
            places = places_of(program, dict.fromkeys(region.place for region in regions))
            said = statements(places, regions, checked_granules(granules))
            at_place = {place: iter(there) for place, there in said.items()}
            return StaysInGraph(places, [(r.place, next(at_place[r.place])) for r in regions], edges)
        case other:
            assert_never(other)


def _begun(program: m.Program, visits: Sequence[Visit]) -> Sequence[Visit]:
    """Without the start of the run, which is no arrival."""
    return visits[1:] if visits and visits[0][0] == (program.entry, 0) else visits


def _entered_by_calls(program: m.Program, functions: Iterable[str]) -> bool:
    """A visit to block 0 of these functions is a call, and nothing else."""
    blocks = (block for name in functions for block in program.functions[name].blocks)
    return all(edge.target != 0 for block in blocks for edge in block.edges)


def _needs(said: Iterable[Statement]) -> dict[Term, Component]:
    return {variable: component for statement in said for variable, component in statement.needs.items()}


# ---------------------------------------------------------------- facts


class FactsHold:
    """The facts at a place hold in every state in which a run gets there."""

    whole = False

    def __init__(self, places: Places, facts: Mapping[Place, Sequence[Statement]]) -> None:
        self.places = places
        self.facts = facts
        self.cuts: Cuts = {place: places.cuts[place] for place in facts}
        self.wanted: Wanted = {place: _needs(said) for place, said in facts.items()}
        self.total = sum(len(said) for said in facts.values())
        self.work = 0
        self._met: set[tuple[Place, int]] = set()

    def evaluated(self) -> int:
        return len(self._met)

    def see(self, visits: Sequence[Visit]) -> None:
        for place, values in _begun(self.places.program, visits):
            state = PartialEvaluation(values)
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
        self.regions = regions
        told = _entered_by_calls(places.program, places.contracts)
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

    def see(self, visits: Sequence[Visit]) -> None:
        stack = [_Track({-1}, set())]
        for place, values in _begun(self.places.program, visits):
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
        surely = {number for number, truth in inside.items() if truth and before.surely & self._before(number, before)}
        maybe = {number for number, truth in inside.items() if truth is not False} - surely
        return _Track(surely, maybe if surely or maybe else None)

    def _before(self, number: int, before: _Track) -> set[int]:
        """The regions before from which an edge leads to this one."""
        place = self.regions[number][0]
        return {source for source in before.surely if number in self.after.get(source, {}).get(place, ())}


# ---------------------------------------------------------------- complete unrolling


@dataclass(slots=True)
class _Frame:
    """An activation on the way of a run: its block, the iterations of the loops around it, calls made in the block."""

    function: m.Function
    name: str
    block: int = 0
    iterations: tuple[int, ...] = ()
    calls: int = 0


@dataclass(slots=True)
class UncutWays:
    """No run takes an edge or a call at which the unrolling stops. Visits are those of all blocks and exits."""

    program: m.Program
    named: frozenset[str]
    whole: bool = True
    work: int = 0
    cuts: Cuts = field(init=False)
    wanted: Wanted = field(default_factory=dict)
    total: int = field(init=False)
    _met: set[Place] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.total = len(self.named)
        functions = sorted(reachable_functions(self.program))
        told = self.named and _entered_by_calls(self.program, functions)
        blocks = {name: (*range(len(self.program.functions[name].blocks)), EXIT) for name in functions}
        self.cuts = {(name, block): None for name in functions for block in blocks[name]} if told else {}

    def evaluated(self) -> int:
        """Cuts in blocks that some run was in."""
        places = {f"{function}:{block}" for function, block in self._met}
        return sum(_source(name) in places for name in self.named)

    def see(self, visits: Sequence[Visit]) -> None:
        frames: list[_Frame] = []
        for place, _ in visits:
            self.work += 1
            self._met.add(place)
            function, block = place
            if not frames:
                frames.append(_Frame(self.program.functions[function], ""))
            elif block == EXIT:
                frames.pop()
                if not frames:
                    return
            elif block == 0:
                frames.append(self._called(frames[-1], function))
            else:
                self._follow(frames[-1], block)

    def _called(self, caller: _Frame, function: str) -> _Frame:
        block = caller.function.blocks[caller.block]
        positions = [at for at, instruction in enumerate(block.instructions) if isinstance(instruction, m.Call)]
        position = positions[caller.calls]
        caller.calls += 1
        name = call_name(caller.name, caller.function.name, caller.block, position, caller.iterations)
        self._refuse(name)
        return _Frame(self.program.functions[function], name)

    def _follow(self, here: _Frame, target: int) -> None:
        heads = weak_topological_order(here.function).heads
        around, inner = heads[here.block], heads[target]
        shared = 0
        while shared < min(len(around), len(inner)) and around[shared] == inner[shared]:
            shared += 1
        counts = here.iterations[:shared]
        again = bool(shared) and shared == len(inner) and inner[-1] == target
        if again:
            self._refuse(edge_name(here.name, here.function.name, here.block, here.iterations, target))
            here.iterations = (*counts[:-1], counts[-1] + 1)
        else:
            here.iterations = counts + (0,) * (len(inner) - shared)
        here.block, here.calls = target, 0

    def _refuse(self, name: str) -> None:
        if name in self.named:
            raise Contradicted(f"a run takes {name}, at which the unrolling stops")


def _source(name: str) -> str:
    """`function:block` of the last part of an instance's name."""
    last = name.removesuffix("/").rsplit("/", 1)[-1]
    function, _, block = last.partition("[")[0].rpartition(":")
    return f"{function}:{block.partition('.')[0]}"
