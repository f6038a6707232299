"""A test suite for a program: its tests, and the branches that they reach."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite
from counterpoint.execute.coverage import Direction
from counterpoint.portfolio.result import InputValue


class Ending(StrEnum):
    """How a test's run ends. Violations count where the property asks for the check that fails."""

    FINISHES = "finishes"
    VIOLATES = "violates"
    STOPPED = "goes on beyond the limit"
    UNSUPPORTED = "meets what has no meaning here"


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """One run of the unprepared program. `origin` made it: "zeros", "random" or an engine.

    `inputs` are all arbitrary values that it consumed, in order; `reached` numbers of directions. `check` is the one
    that fails, if it violates the property; `confirmed` then names the ways in which that was seen, and `harness` is
    a C file that repeats it ("" where it could not be replayed in time).
    """

    origin: str
    inputs: tuple[InputValue, ...]
    ending: Ending
    reached: frozenset[int]
    check: CheckSite | None = None
    confirmed: tuple[str, ...] = ()
    harness: str = ""


@dataclass(frozen=True, slots=True)
class TestSuite:
    """The tests in the order in which they were found: each reaches a new direction or fails a new check.

    `directions` are all ways out of the source's branches, whether a run can take them or not. `bits` is the width of
    a pointer. `ended` says why the search stopped; `statistics` counts runs and what the engine counts. `goal` is
    Test-Comp's, as its property file states it; "" where none was named.
    """

    __test__ = False

    files: tuple[str, ...]
    property: str
    entry: str
    bits: int
    directions: tuple[Direction, ...]
    tests: tuple[SuiteTest, ...] = ()
    ended: str = ""
    seconds: float = 0.0
    goal: str = ""
    statistics: Mapping[str, int | float | str] = field(default_factory=dict)

    @builtins.property
    def reached(self) -> frozenset[int]:
        """Numbers of the directions that some test takes."""
        return frozenset().union(*(test.reached for test in self.tests))


@dataclass(frozen=True, slots=True)
class Ended:
    """How the search goes: it is over, or what is counted so far (`why` is "")."""

    why: str
    statistics: Mapping[str, int | float | str]
