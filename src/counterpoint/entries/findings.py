"""What is told of one function: what it requires, which checks are proved then, and what fails all the same."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.entries.apart import places
from counterpoint.portfolio.result import Answer, CheckAnswer, Counterexample

AT_START: Final = "is as at the start of the program"
"""What is assumed of a variable that the arbitrary caller cannot name."""


class Grade(StrEnum):
    """How much a finding says, the most first. Each was replayed by its run, from where the grade says."""

    RUN = "run"
    """From `main`."""

    CALLER = "caller"
    """From a function that calls the one in which it fails."""

    MANIFEST = "manifest"
    """From the function's arbitrary caller: it fails whatever valid arguments it gets, or where its own code shows that
    it was meant not to."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation that no precondition excuses: `why` says in words what grade it has, `precondition` is what would
    have to hold ("" where nothing is known that would help)."""

    grade: Grade
    found: Counterexample
    why: str
    precondition: str = ""

    @builtins.property
    def calls(self) -> tuple[SourceLocation, ...]:
        """Those that lead to its place, the innermost first, where a small function has it that others call."""
        return tuple(places(self.found.at))[1:]

    def is_same(self, other: Finding) -> bool:
        """At the same place, and the calls of one are those that the other begins with."""
        mine, theirs = self._place, other._place
        return self.found.kind == other.found.kind and all(a == b for a, b in zip(mine, theirs, strict=False))

    @builtins.property
    def _place(self) -> list[tuple[str, int]]:
        return [(one.file, one.line) for one in places(self.found.at)]


@dataclass(frozen=True, slots=True)
class Required:
    """A latent failure: `text` has to hold, or at `at` the check fails. `text` is "" where the checker has no words for
    what would have to hold. `needed`: a call that fails was replayed which differs in what `text` speaks of alone from
    one that passes; else it fits the calls that were seen, and something else may be to blame."""

    text: str
    kind: str
    at: SourceLocation
    what: str
    needed: bool = False


def once_a_line(required: Iterable[Required]) -> tuple[Required, ...]:
    """Where a line has several accesses that fail alike, the first."""
    found: dict[tuple[str, str, str, str, int], Required] = {}
    for one in required:
        found.setdefault((one.text, one.kind, one.what, one.at.file, one.at.line), one)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Entry:
    """One function, checked from its arbitrary caller.

    `given` is taken for granted of all callers, `requires` was found, `assumed` says more in words. `checks` are those
    in the function's own code, as they are known where all that is required holds. `missing`: why nothing is known.
    `reused`: it is what an earlier command found. `relies`: it is about runs on which the checks in other functions'
    code hold, which was not proved of its calls.
    """

    function: str
    file: str
    line: int
    given: tuple[str, ...] = ()
    requires: tuple[Required, ...] = ()
    assumed: tuple[str, ...] = ()
    checks: tuple[CheckAnswer, ...] = ()
    findings: tuple[Finding, ...] = ()
    missing: str = ""
    detail: str = ""
    seconds: float = 0.0
    runs: int = 0
    reused: bool = False
    relies: bool = False
    crash_reports: tuple[str, ...] = ()

    @builtins.property
    def is_proved(self) -> bool:
        """All checks on its runs hold, requiring what is said: none fails for want of words, and none is left to those
        that it calls."""
        latent = any(not one.text for one in self.requires)
        if self.missing or self.findings or latent or self.relies:
            return False
        return all(one.answer is Answer.PROVED for one in self.checks)

    def count(self, answer: Answer) -> int:
        """So many of its checks are proved, refuted or unknown."""
        return sum(check.answer is answer for check in self.checks)


@dataclass(frozen=True, slots=True)
class Entries:
    """All functions that were asked for, in the order of the text; what runs from `main` violate."""

    property: str
    files: tuple[str, ...]
    entries: tuple[Entry, ...]
    from_main: tuple[Finding, ...] = ()
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    @builtins.property
    def findings(self) -> tuple[Finding, ...]:
        """Each once, by its best grade: what fails by some calls, whoever makes these, is one."""
        every = (*self.from_main, *(one for entry in self.entries for one in entry.findings))
        groups: list[list[Finding]] = []
        for one in sorted(every, key=lambda one: len(one.calls)):
            known = next((group for group in groups if one.is_same(group[0])), None)
            if known is None:
                groups.append([one])
            else:
                known.append(one)
        grades = list(Grade)
        told = [min(group, key=lambda one: grades.index(one.grade)) for group in groups]
        return tuple(sorted(told, key=lambda one: grades.index(one.grade)))
