"""The growth of an abstract reachability graph as a picture: what is there at which step, and what happened.

What is there from step `born` up to, but not including, step `died` (None: to the end) is shown at those steps. The
page's script (abstract.js) draws one step at a time from this, as slides 40 to 52 of the source do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Final

from counterpoint.core.events import AbstractGrowth, AbstractNode, AbstractRefinement, PlacePredicates, RegionEvent
from counterpoint.core.records import dataclass
from counterpoint.portfolio.recording import PLACES, Recording
from counterpoint.report.region_captions import shortened

MOST_NAMED: Final = 12
"""Nodes of a trace that a sentence names."""

MOST_PREDICATES: Final = 4
"""Predicates that it names."""


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A program place; `line` 0: not known."""

    name: str
    line: int


@dataclass(slots=True)
class DrawnNode:
    """`parent` 0: none. `states` is text, a line for each thing that holds; empty for all states."""

    number: int
    parent: int
    place: int
    states: str
    born: int
    died: int | None = None


@dataclass(slots=True)
class Frame:
    """What happened, as a sentence, and what to point at; `gone` nodes were there before it. `predicates` are (place,
    texts)."""

    text: str
    trace: tuple[int, ...] = ()
    made: list[int] = field(default_factory=list)
    gone: tuple[int, ...] = ()
    predicates: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)


@dataclass(slots=True)
class Tree:
    """All steps of one engine's start. `covers` are (node, what covers it, born, died)."""

    engine: str
    notes: list[str] = field(default_factory=list)
    places: list[DrawnPlace] = field(default_factory=list)
    nodes: list[DrawnNode] = field(default_factory=list)
    covers: list[tuple[int, int, int, int | None]] = field(default_factory=list)
    steps: list[Frame] = field(default_factory=list)


def is_tree(recording: Recording) -> bool:
    """It is of abstract states, not of regions."""
    return any(isinstance(event, AbstractGrowth | AbstractRefinement) for step in recording.steps for event in step)


def tree_of(recording: Recording) -> Tree:
    """The picture of the recorded steps, and notes on what it leaves out. Linear in the events."""
    growth = _Growth(Tree(recording.engine))
    for events in recording.steps:
        for event in events:
            growth.happens(event)
    tree = growth.tree
    tree.covers.extend((node, by, born, None) for node, (by, born) in growth.covered.items())
    if not tree.steps:
        tree.notes.append(f"There is no picture: the graph has more than {PLACES:,} nodes at the beginning.")
    elif not recording.whole:
        tree.notes.append(f"The picture ends after the first {len(tree.steps):,} steps.")
    return tree


@dataclass(slots=True)
class _Growth:
    """The present graph, and the picture of all steps up to it."""

    tree: Tree
    covered: dict[int, tuple[int, int]] = field(default_factory=dict)
    _nodes: dict[int, DrawnNode] = field(default_factory=dict)
    _places: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def _now(self) -> int:
        return len(self.tree.steps) - 1

    def happens(self, event: RegionEvent) -> None:
        match event:
            case AbstractGrowth(made, covered, trace):
                self.tree.steps.append(Frame(_grown(event), trace))
                self._make(made)
                self._cover(covered)
            case AbstractRefinement(_, predicates, gone, covered, made):
                step = Frame(_refined(event), gone=gone)
                self.tree.steps.append(step)
                step.predicates = [(self._place(new.place, new.line), new.predicates) for new in predicates]
                self._remove(gone)
                self._make(made)
                self._cover(covered)

    def _make(self, made: Iterable[AbstractNode]) -> None:
        step = self.tree.steps[-1]
        for node in made:
            before = self._nodes.get(node.number)
            if before is not None:
                before.died = self._now
            place = self._place(node.place, node.line)
            self._nodes[node.number] = kept = DrawnNode(node.number, node.parent, place, node.states, self._now)
            self.tree.nodes.append(kept)
            step.made.append(node.number)

    def _remove(self, gone: Iterable[int]) -> None:
        for number in gone:
            node = self._nodes.pop(number, None)
            if node is not None:
                node.died = self._now
            self._uncover(number)

    def _cover(self, covered: Iterable[tuple[int, int]]) -> None:
        for node, by in covered:
            self._uncover(node)
            if by:
                self.covered[node] = by, self._now

    def _uncover(self, node: int) -> None:
        by, born = self.covered.pop(node, (0, 0))
        if by and born < self._now:
            self.tree.covers.append((node, by, born, self._now))

    def _place(self, name: str, line: int) -> int:
        index = self._places.setdefault((name, line), len(self._places))
        if index == len(self.tree.places):
            self.tree.places.append(DrawnPlace(name, line))
        return index


# ---------------------------------------------------------------- sentences


def _grown(event: AbstractGrowth) -> str:
    covered = sum(1 for _, by in event.covered if by)
    made = f"{_count(len(event.made), 'node')} made" + (f", {covered:,} covered" if covered else "")
    if event.trace:
        return f"The graph grows ({made}) until an error can be reached: {_way(event.trace)}."
    if event.whole:
        return f"The graph grows ({made}) until nothing is left to follow: no error can be reached."
    return f"The graph grows ({made}) until the time is over."


def _refined(event: AbstractRefinement) -> str:
    gone = f"; {_count(len(event.gone), 'node')} removed" if event.gone else ""
    number = f"Refinement {event.number}"
    if event.ended:
        return f"{number}: {event.ended}."
    if not event.predicates:
        return f"{number}: the graph grows anew with what else was learnt{gone}."
    return f"{number}: the trace is spurious. New: {', '.join(map(_new, event.predicates))}{gone}."


def _new(new: PlacePredicates) -> str:
    texts = [shortened(text) for text in new.predicates[:MOST_PREDICATES]]
    more = f" and {new.count - len(texts):,} more" if new.count > len(texts) else ""
    return f"{'; '.join(texts)}{more} at {f'line {new.line}' if new.line else new.place}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _way(trace: Sequence[int]) -> str:
    names = [*map(str, trace), "error"]
    if len(names) > MOST_NAMED:
        names[MOST_NAMED // 2 : -MOST_NAMED // 2 + 1] = ["..."]
    return ", ".join(names)
