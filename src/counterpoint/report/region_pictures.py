"""The growth of a region graph as a picture: what is there at which step, where it stands, what happened.

What is there from step `born` up to, but not including, step `died` (None: to the end) is shown at those steps. The
page's script (regions.js) draws one step at a time from this; figures 3.5 and 3.6 of Saarikivi's thesis are the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from counterpoint.core.events import (
    ERROR,
    START,
    EdgeMade,
    EdgeRemoved,
    FrontierTried,
    RegionEvent,
    RegionMade,
    RegionSplit,
    TestWalked,
)
from counterpoint.core.records import dataclass
from counterpoint.portfolio.recording import PLACES, Recording
from counterpoint.report import region_captions as words
from counterpoint.report.graph_layout import layered

MOST_EDGES = 4000
"""Edges at one step up to which there is a picture."""

@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A program place, where a tree of regions stands; `line` 0: not known."""

    name: str
    line: int


@dataclass(slots=True)
class DrawnRegion:
    """`cut` is the predicate that made it out of `parent`: its index, and whether it holds here.

    `children` are what it was split into: where the predicate holds, and where it fails; walks go on in the latter.
    """

    number: int
    place: int
    born: int
    died: int | None = None
    predicate: str = ""
    parent: int | None = None
    cut: tuple[int, bool] | None = None
    children: tuple[int, int] | None = None


@dataclass(slots=True)
class Walk:
    """A test's way through regions of the time when it was told."""

    number: int
    regions: tuple[int, ...]
    inputs: str
    outcome: str
    born: int
    died: int | None = None


@dataclass(slots=True)
class Frame:
    """What happened, as a sentence, and what to point at. `removed` edges are gone after this step."""

    text: str = ""
    frontier: tuple[int, int] | None = None
    answer: str = ""
    trace: tuple[int, ...] = ()
    test: int = 0
    removed: list[tuple[int, int]] = field(default_factory=list)
    reason: str = ""


@dataclass(slots=True)
class Picture:
    """All steps of one engine's start. Edges are (source, target, born, died); `boxed` are those regions (and START)
    from which ERROR can be reached, as (region, born, died); `layers` are of places (their index), START and ERROR.

    `regions` of a place come in the order in which they stand beside each other.
    """

    engine: str
    notes: list[str] = field(default_factory=list)
    places: list[DrawnPlace] = field(default_factory=list)
    layers: list[list[int]] = field(default_factory=list)
    regions: list[DrawnRegion] = field(default_factory=list)
    predicates: list[str] = field(default_factory=list)
    edges: list[tuple[int, int, int, int | None]] = field(default_factory=list)
    boxed: list[tuple[int, int, int | None]] = field(default_factory=list)
    walks: list[Walk] = field(default_factory=list)
    steps: list[Frame] = field(default_factory=list)


def picture_of(recording: Recording) -> Picture:
    """The picture of the recorded steps, and notes on what it leaves out. Time: steps times edges."""
    growth = _Growth(Picture(recording.engine))
    for events in recording.steps:
        if growth.edges > MOST_EDGES:
            break
        growth.step(events)
    growth.end()
    shown = len(growth.picture.steps)
    if not shown:
        growth.picture.notes.append(f"There is no picture: the graph has more than {PLACES:,} places.")
    elif shown < len(recording.steps) or not recording.whole or growth.edges > MOST_EDGES:
        growth.picture.notes.append(f"The picture ends after the first {shown:,} steps.")
    return growth.picture


# ---------------------------------------------------------------- the graph, step by step


@dataclass(slots=True)
class _Growth:
    """The present graph, and the picture of all steps up to it."""

    picture: Picture
    edges: int = 0
    _regions: dict[int, DrawnRegion] = field(default_factory=dict)
    _places: dict[tuple[str, int], int] = field(default_factory=dict)
    _joins: dict[tuple[int, int], None] = field(default_factory=dict)
    _targets: dict[int, dict[int, int]] = field(default_factory=dict)
    _sources: dict[int, dict[int, None]] = field(default_factory=dict)
    _boxed: dict[int, int] = field(default_factory=dict)
    _walks: dict[int, Walk] = field(default_factory=dict)

    @property
    def now(self) -> int:
        return len(self.picture.steps) - 1

    def step(self, events: Iterable[RegionEvent]) -> None:
        self.picture.steps.append(step := Frame())
        said = [text for event in events for text in self._happens(event, step)]
        if not self.now:
            present = f"{len(self.picture.regions):,} regions, {self.edges:,} edges"
            said.insert(0, f"the abstraction at the beginning: {present}")
        if step.removed:
            said.append(words.removed(step.removed, step.reason))
        before = START in self._boxed
        self._box()
        if before and START not in self._boxed:
            said.append("no path from start to error is left")
        text = "; ".join(said) or "nothing but walks of tests changed"
        step.text = text[0].upper() + text[1:] + "."

    def end(self) -> None:
        """What is still there stays to the end; the places get their layers."""
        edges = ((source, target, born) for source, to in self._targets.items() for target, born in to.items())
        self.picture.edges.extend((*edge, None) for edge in edges)
        self.picture.boxed.extend((region, born, None) for region, born in self._boxed.items())
        nodes = [START, *range(len(self.picture.places)), ERROR]
        self.picture.layers.extend(layered(nodes, self._joins) if self.picture.regions else ())

    def _happens(self, event: RegionEvent, step: Frame) -> Iterator[str]:
        match event:
            case RegionMade(number, place, line, predicate):
                self._make(number, place, line, predicate)
            case EdgeMade(source, target):
                self._joins[self._place_of(source), self._place_of(target)] = None
                self._join(source, target)
            case FrontierTried(source, target, answer, trace, test):
                step.frontier, step.answer, step.trace, step.test = (source, target), answer, trace, test
                yield words.tried(source, target, answer)
            case RegionSplit(number, predicate, holds, fails):
                yield self._split(number, predicate, holds, fails)
            case EdgeRemoved(source, target, reason):
                self._part(source, target)
                step.removed.append((source, target))
                step.reason = step.reason or reason
            case TestWalked(number) as walk:
                if number not in self._walks:
                    step.test = number
                    yield words.walked(walk)
                self._walk(walk)

    def _make(self, number: int, place: str, line: int, predicate: str) -> None:
        if number in self._regions:
            return
        index = self._places.setdefault((place, line), len(self._places))
        if index == len(self.picture.places):
            self.picture.places.append(DrawnPlace(place, line))
        self._add(DrawnRegion(number, index, self.now, predicate=predicate))

    def _add(self, region: DrawnRegion, after: DrawnRegion | None = None) -> None:
        """Children stand behind their parent, so that regions come in the order of their trees' leaves."""
        regions = self.picture.regions
        self._regions[region.number] = region
        place = next((place for place, other in enumerate(regions) if other is after), len(regions) - 1)
        regions.insert(place + 1, region)

    def _region(self, number: int) -> DrawnRegion:
        if number not in self._regions:
            self._make(number, "unknown place", 0, "")
        return self._regions[number]

    def _place_of(self, number: int) -> int:
        return number if number in (START, ERROR) else self._region(number).place

    def _split(self, number: int, predicate: str, holds: int, fails: int) -> str:
        """The children take the region's place and inherit its edges."""
        parent = self._region(number)
        parent.died, parent.children = self.now, (holds, fails)
        index = len(self.picture.predicates)
        self.picture.predicates.append(predicate)
        for child, side in ((fails, False), (holds, True)):
            region = DrawnRegion(child, parent.place, self.now, parent=number, cut=(index, side))
            self._add(region, parent)
        targets = list(self._targets.get(number, ()))
        sources = [source for source in self._sources.get(number, ()) if source != number]
        for target in targets:
            self._part(number, target)
            for child in (holds, fails):
                for end in (holds, fails) if target == number else (target,):
                    self._join(child, end)
        for source in sources:
            self._part(source, number)
            self._join(source, holds)
            self._join(source, fails)
        return words.split(number, index + 1, predicate, holds, fails)

    def _join(self, source: int, target: int) -> None:
        targets = self._targets.setdefault(source, {})
        if target not in targets:
            targets[target] = self.now
            self._sources.setdefault(target, {})[source] = None
            self.edges += 1

    def _part(self, source: int, target: int) -> None:
        born = self._targets.get(source, {}).pop(target, None)
        if born is None:
            return
        del self._sources[target][source]
        self.edges -= 1
        if born < self.now:
            self.picture.edges.append((source, target, born, self.now))

    def _walk(self, event: TestWalked) -> None:
        before = self._walks.get(event.number)
        if before is not None:
            before.died = self.now
        walk = Walk(event.number, event.regions, event.inputs, event.outcome, self.now)
        self._walks[event.number] = walk
        self.picture.walks.append(walk)

    def _box(self) -> None:
        """Notes which regions have a path to ERROR after this step."""
        found, waiting = {ERROR}, [ERROR]
        while waiting:
            for source in self._sources.get(waiting.pop(), ()):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        for region in [region for region in self._boxed if region not in found]:
            self.picture.boxed.append((region, self._boxed.pop(region), self.now))
        for region in sorted(found - self._boxed.keys() - {ERROR}):
            self._boxed[region] = self.now
