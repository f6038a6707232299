"""What engines tell while they work. Counting, timing and drawing are the observers' job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


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
class TestsRun(Event):
    """Native or interpreted runs made so far by the random engine, and branches covered."""

    __test__ = False

    runs: int
    branches: int


Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The observer that does nothing."""
