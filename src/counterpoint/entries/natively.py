"""Runs of a function's arbitrary caller on native code, guided by coverage: texts of several right characters are found
one after the other there, thousands of runs in the time of one of the interpreter's.

    search natively, among callers that keep the precondition
      -> inputs that covered something new, or fail     ->  run again by the interpreter: samples, clauses
    again with the new clauses
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.core.source import Site
from counterpoint.entries.environment import CALLER
from counterpoint.entries.explored import Sample, is_part
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.literals import Clause
from counterpoint.execute.native.build import SearchEnd, SearchState
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.program.inline import size
from counterpoint.program.inputs import Input
from counterpoint.program.model import Program
from counterpoint.program.names import original

USUAL: Final = 0.2
MOST: Final = 0.4
ENOUGH: Final = 5.0
"""Of the time that is left, for all searches: where others wait for it, and at most if they have less than these
seconds else, or nothing waits."""

LARGE: Final = 10_000
"""Instructions of a program that is not compiled again with the clauses."""

SECONDS: Final = 3.0
"""Of one search."""

DULL: Final = 60_000
"""Runs in succession without anything new, after which it ends."""

STEPS: Final = 20_000
"""Block entries of one run."""

KEPT: Final = 60
"""Inputs of one search that the interpreter runs again."""

VARIED: Final = 3
"""Runs like one of them that took a new direction, with other choices of the caller."""

ROUNDS: Final = 6
ONWARD: Final = 40
SEEDS: Final = 30
SEARCHING: Final = 0.6
"""Searches; checks that fail in one, and are passed over then; inputs that it begins with; of the time, how much of it
is for searching, and not for the interpreter."""


def explore_natively(
    exploration: Exploration, subject_of: Callable[[tuple[Clause, ...]], Subject], budget: Budget, hurried: bool = False
) -> None:
    """Adds samples and failures to what is known, as far as the budget goes; nothing where code does not run natively.
    Where runs took all directions, nothing is looked for. `subject_of`: the program with callers that keep clauses;
    `hurried`: others wait for the time that is left."""
    if exploration.known == len(exploration.found.directions):
        return
    usual = USUAL if hurried else MOST
    budget = budget.share(min(MOST, max(usual, ENOUGH / max(ENOUGH, budget.remaining()))))
    with suppress(CounterpointError):
        for number in range(ROUNDS):
            large = sum(map(size, exploration.program.functions.values())) > LARGE
            subject = subject_of(() if large else exploration.found.clauses)
            numbers = _numbers(subject.program(UNPREPARED), exploration.program)
            if numbers is None or not _Searching(exploration, subject, numbers, budget, large).search(number):
                break


def _numbers(program: Program, other: Program) -> dict[int, int] | None:
    """The other one's numbers of the same sites, compiled again; None if these are not the same."""
    mine, theirs = (sorted(one.sites, key=lambda site: (_name(site), site.index)) for one in (program, other))
    if [_name(site) for site in mine] != [_name(site) for site in theirs]:
        return None
    return {site.index: same.index for site, same in zip(mine, theirs, strict=True)}


def _name(site: Site) -> tuple[str, str, str, int, int]:
    at = site.at
    where = ("", 0, 0) if at.file.endswith(CALLER) else (at.file, at.line, at.column)
    return (site.kind, original(site.name), *where)


class _Searching:
    """One search, of the subject; `numbers` are the exploration's numbers of its sites. `assumed`: that all checks hold
    that are known to fail, as the subject's callers do not keep the clauses."""

    def __init__(
        self, exploration: Exploration, subject: Subject, numbers: Mapping[int, int], budget: Budget, assumed: bool
    ) -> None:
        self.exploration = exploration
        self.numbers = numbers
        self.here = {there: here for here, there in numbers.items()}
        self.budget = budget
        self.executable = subject.native(UNPREPARED)
        checks = subject.program(UNPREPARED).checks
        failed = exploration.found.failures
        self.passed_over = {site.index for site in checks if exploration.is_given_up(site)}
        if assumed:
            self.passed_over |= {site.index for site in checks if any(is_part(one.site, site) for one in failed)}

    def search(self, number: int) -> bool:
        """Callers that violate none of the checks that are given up; whether there is anything new, so that it is worth
        looking again."""
        if self.budget.remaining() <= 0:
            return False
        end = SearchEnd(SearchState())
        search = self.executable.assuming(frozenset(self.passed_over)).search(
            seed=self.exploration.seed + number,
            seconds=min(SECONDS, self.budget.share(SEARCHING).remaining()),
            steps=STEPS,
            told=KEPT,
            dull=DULL,
            onward=ONWARD,
            also=[_renumbered(one, self.here) for one in self.seeds()],
        )
        with closing(search):
            for told in search:
                end = told if isinstance(told, SearchEnd) else end
        return self.learn(end)

    def seeds(self) -> list[tuple[Input, ...]]:
        """Inputs of runs that passed, each of which took what none before it took."""
        seen: set[int] = set()
        found: list[tuple[Input, ...]] = []
        for one in self.exploration.found.allowed_that_pass():
            if not one.everywhere <= seen:
                seen |= one.everywhere
                found.append(one.inputs)
        return found[-SEEDS:]

    def replayed(self, inputs: tuple[Input, ...]) -> Sample | None:
        return self.exploration.replayed(_renumbered(inputs, self.numbers), self.budget)

    def vary(self, sample: Sample) -> None:
        """The same text with other choices of the caller: with all pointers first."""
        exploration = self.exploration
        full = {**sample.state, **dict.fromkeys(exploration.pointers, 1)}
        near = (exploration.near(sample.state, exploration.found.clauses) for _ in range(VARIED))
        for state in (full, *near):
            other = exploration.sample(state, self.budget, sample, 1.0) if self.budget.remaining() > 0 else None
            if other is not None:
                exploration.found.samples.append(other)

    def learn(self, end: SearchEnd) -> bool:
        """The interpreter runs again what was found; whether there are new clauses, or directions."""
        exploration = self.exploration
        known = len(exploration.found.clauses), exploration.known
        failed: dict[int, list[Sample]] = {}
        for inputs in end.corpus:
            if self.budget.remaining() <= 0:
                break
            directions = exploration.known
            sample = self.replayed(inputs)
            if sample is not None and sample.failed is not None:
                failed.setdefault(sample.failed, []).append(sample)
            elif sample is not None and exploration.known > directions:
                self.vary(sample)
        exploration.learn(failed, self.budget)
        return (len(exploration.found.clauses), exploration.known) > known


def _renumbered(inputs: tuple[Input, ...], numbers: Mapping[int, int]) -> tuple[Input, ...]:
    return tuple(replace(one, site=numbers.get(one.site, one.site)) for one in inputs)
