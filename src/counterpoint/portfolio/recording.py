"""The growth of an engine's graph, kept for a picture: a bounded number of whole steps from the beginning."""

from __future__ import annotations

from dataclasses import field, replace

from counterpoint.core.events import (
    AbstractGrowth,
    AbstractRefinement,
    EdgeRemoved,
    FrontierTried,
    GraphBegun,
    RegionEvent,
    RegionMade,
    RegionSplit,
    TestWalked,
)
from counterpoint.core.records import dataclass

STEPS = 400
SPLITS = 400
PLACES = 1500
"""Steps, regions split and regions (or nodes) made up to which growth is kept; the first step beyond ends it."""

TEXT = 4000
WALK = 400
"""Characters of a predicate or of inputs, and regions of a walk or trace, that are kept."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What an engine's start did to its region graph: `steps` are the first ones, whole, in order.

    `whole`: there were no others.
    """

    engine: str
    steps: tuple[tuple[RegionEvent, ...], ...]
    whole: bool


@dataclass(slots=True)
class _Graph:
    """The steps of one graph; `seen` counts all until the bounds, `tests` are their numbers."""

    steps: list[list[RegionEvent]] = field(default_factory=list)
    seen: int = 0
    tests: set[int] = field(default_factory=set)
    full: bool = False
    _waiting: bool = False
    _made: int = 0
    _splits: int = 0

    def add(self, event: RegionEvent) -> None:
        if self.full:
            return
        if self._begins_step(event):
            self.seen += 1
            if self.seen > STEPS:
                self.full = True
                return
            self.steps.append([])
        self._count(event)
        if self._made > PLACES or self._splits > SPLITS:
            self.full = True
            self.steps.pop()
        else:
            self.steps[-1].append(event)

    def _begins_step(self, event: RegionEvent) -> bool:
        """A query begins a step; so does a deed, unless it is the first one after a query. Events of an abstract
        reachability graph are steps."""
        if isinstance(event, AbstractGrowth | AbstractRefinement):
            return True
        if isinstance(event, FrontierTried):
            self._waiting = True
            return True
        if not self._is_deed(event):
            return not self.seen
        answers, self._waiting = self._waiting, False
        return not answers

    def _is_deed(self, event: RegionEvent) -> bool:
        match event:
            case RegionSplit():
                return True
            case EdgeRemoved(reason=reason):
                return bool(reason)
            case TestWalked(number=number):
                return number not in self.tests
        return False

    def _count(self, event: RegionEvent) -> None:
        match event:
            case RegionMade():
                self._made += 1
            case AbstractGrowth(made=made) | AbstractRefinement(made=made):
                self._made += len(made)
            case RegionSplit():
                self._splits += 1
            case TestWalked(number=number):
                self.tests.add(number)


@dataclass(slots=True)
class Recorder:
    """Takes an engine's region events as they come. `recording()` may be asked at any time."""

    engine: str
    _graph: _Graph = field(default_factory=_Graph)

    def add(self, event: RegionEvent) -> None:
        """Constant time; beyond the bounds nothing is kept."""
        if isinstance(event, GraphBegun):
            self._graph = _Graph()
        self._graph.add(event)

    def recording(self) -> Recording | None:
        """What was kept of the last graph; None if there was no event."""
        graph = self._graph
        if not graph.seen:
            return None
        return Recording(self.engine, tuple(map(tuple, graph.steps)), not graph.full)


def shortened(event: RegionEvent) -> RegionEvent:
    """The event with its long texts and walks cut, which it says."""
    match event:
        case RegionMade(predicate=predicate) | RegionSplit(predicate=predicate) if len(predicate) > TEXT:
            return replace(event, predicate=_cut(predicate))
        case FrontierTried(trace=trace) if len(trace) > WALK:
            return replace(event, trace=trace[:WALK])
        case TestWalked(_, regions, inputs, outcome) if len(regions) > WALK or len(inputs) > TEXT:
            kept = f" (the first {WALK} of {len(regions):,} regions)" if len(regions) > WALK else ""
            return replace(event, regions=regions[:WALK], inputs=_cut(inputs), outcome=outcome + kept)
    return event


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else text[:TEXT] + " ..."
