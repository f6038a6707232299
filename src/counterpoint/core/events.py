"""What engines tell while they work. Counting, timing and drawing are the observers' job."""

from __future__ import annotations

from collections.abc import Callable

from counterpoint.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events."""


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """One line for the person who waits: engine, and what it is at now ("bound 8", "1,200 tests"); nothing: ended."""

    engine: str
    state: str


@dataclass(frozen=True, slots=True)
class BoundReached(Event):
    """All runs within `bound` iterations per loop were decided without a violation."""

    engine: str
    bound: int


@dataclass(frozen=True, slots=True)
class SolverCall(Event):
    """One query: what it was for, its answer, its time in seconds."""

    purpose: str
    answer: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TestsBegin(Event):
    """Native runs begin, so many seconds after the engine did."""

    __test__ = False

    seconds: float


@dataclass(frozen=True, slots=True)
class TestsRun(Event):
    """Native or interpreted runs made so far by the random engine, and branches covered."""

    __test__ = False

    runs: int
    branches: int


# ---------------------------------------------------------------- a region graph that grows

START, ERROR = -1, -2
"""Names of two regions that are not made: before every run, and a check that failed."""


@dataclass(frozen=True, slots=True)
class RegionEvent(Event):
    """Base of what happens to a graph of regions (DASH; Saarikivi, "Test-Guided Proofs for C Programs on LLVM", 3.1),
    or of abstract states (below).

    An engine sends these only if `Tools.recording` says that someone will look. Regions are numbered from 0 by the
    engine and no number is used twice in a graph. Steps of the picture: a FrontierTried with the one deed that follows
    from it, or a deed alone; deeds are a RegionSplit, a new test, an EdgeRemoved with a reason. The rest belongs to the
    step it comes in; what comes before the first deed or query is the abstraction at the beginning.
    """


@dataclass(frozen=True, slots=True)
class GraphBegun(RegionEvent):
    """The engine begins, or begins anew: whatever it told of a graph before counts no more."""


@dataclass(frozen=True, slots=True)
class RegionMade(RegionEvent):
    """A region without ancestors. `place` tells program places apart ("main:3"); `line` 0: not known; `predicate` is
    C-like text, empty for all states of the place."""

    region: int
    place: str
    line: int
    predicate: str = ""


@dataclass(frozen=True, slots=True)
class EdgeMade(RegionEvent):
    """Runs may get from `source` (or START) to `target` (or ERROR)."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class RegionSplit(RegionEvent):
    """`region` gives way to `holds`, its states with `predicate`, and `fails`, those without.

    Both inherit all its edges (an edge to itself becomes four). So do walks of tests, which go on through `fails`; a
    walk that does not is told again. `predicate` is without what is known of `region`.
    """

    region: int
    predicate: str
    holds: int
    fails: int


@dataclass(frozen=True, slots=True)
class EdgeRemoved(RegionEvent):
    """No run gets from `source` to `target`; `reason` ("target unsatisfiable") where the step does not say it."""

    source: int
    target: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FrontierTried(RegionEvent):
    """The query at the frontier of an abstract error trace: "sat", "unsat" or "unknown".

    `trace` is that trace, from START or a region to ERROR; empty where it does not matter. `test` is the number of
    the test whose path was extended, 0 if there is none.
    """

    source: int
    target: int
    answer: str
    trace: tuple[int, ...] = ()
    test: int = 0


@dataclass(frozen=True, slots=True)
class TestWalked(RegionEvent):
    """Test `number` (from 1) ran with `inputs` ("38, -1") through `regions`; `outcome` is text ("ends", "error").

    A number that was told before gets a new walk through the regions there are now; it is no step of its own.
    """

    __test__ = False

    number: int
    regions: tuple[int, ...]
    inputs: str
    outcome: str


# ---------------------------------------------------------------- an abstract reachability graph that grows


SEVERAL = -1
"""Nodes that cover another one together."""


@dataclass(frozen=True, slots=True)
class AbstractNode:
    """A node, from 1; `parent` 0: the start. `place` and `line` as in RegionMade; `states` is C-like text, a line for
    each thing that holds there, empty for all states."""

    number: int
    parent: int
    place: str
    line: int
    states: str = ""


@dataclass(frozen=True, slots=True)
class PlacePredicates:
    """`predicates` are C-like texts; `count` is how many there are, where some are left out."""

    place: str
    line: int
    predicates: tuple[str, ...]
    count: int
    function: str = ""


@dataclass(frozen=True, slots=True)
class AbstractGrowth(RegionEvent):
    """Nodes were made until there was nothing left to follow, or an edge led from the last node of `trace` to an error.

    A node that was told before is told again when it has other states. `covered` are (node, what covers it now), 0 for
    nothing any longer, SEVERAL for some nodes together. Not `whole`: it was stopped before. Events of this kind and
    AbstractRefinements are steps of the picture, each by itself.
    """

    made: tuple[AbstractNode, ...]
    covered: tuple[tuple[int, int], ...] = ()
    trace: tuple[int, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True)
class AbstractRefinement(RegionEvent):
    """The trace was looked at, for the `number`th time (from 1): it is spurious, and predicates that are new at their
    places exclude it; nodes that know nothing of them are `gone`. Or it is the end, for a reason that `ended` tells.
    """

    number: int
    predicates: tuple[PlacePredicates, ...] = ()
    gone: tuple[int, ...] = ()
    covered: tuple[tuple[int, int], ...] = ()
    made: tuple[AbstractNode, ...] = ()
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Precision(Event):
    """The predicates that are tracked at each place, for the report; the last one that an engine tells of counts."""

    places: tuple[PlacePredicates, ...]


Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The observer that does nothing."""
