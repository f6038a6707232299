"""What a run that fails is about, for each place: a null pointer, bounds, memory that is gone."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Final

from counterpoint.contracts.views import PREFIX
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.entries.environment import CALLER
from counterpoint.entries.explored import NULL, OWN, OWN_NULL, SHORT, Sample
from counterpoint.entries.exploring import STEPS, Exploration
from counterpoint.entries.given import What
from counterpoint.entries.judging import FREE
from counterpoint.execute.subject import UNPREPARED, Subject
from counterpoint.explain.failing import Failure
from counterpoint.explain.story import story
from counterpoint.program.model import Program

MENDING_SHARE: Final = 0.5
"""Of the time, for runs with other pointers."""

MORE: Final = 5
"""Runs that fail at one place, beside the simplest, of which it is looked up."""

FULL: Final = 3
"""The same of runs to which no null pointer was given."""

_BLOCK: Final = regex(rf"{PREFIX}(?:object|block)\d+_\w+")
_ALLOCATED: Final = regex(r"allocated at (\S+):(\d+)")


def look_why(subject: Subject, exploration: Exploration, budget: Budget) -> None:
    """Finds the causes, as far as the budget goes: of the simplest run at each place, then of more, and of those that
    are mended."""
    with suppress(CounterpointError):
        looking = _Looking(exploration, subject.program(UNPREPARED), budget)
        found, simplest = exploration.found, exploration.simplest()
        frees = sorted(simplest.items(), key=lambda one: one[0][0] != FREE)
        for place, sample in sorted(frees, key=lambda one: not exploration.is_own(one[1])):
            cause = looking.cause(sample) or looking.cause_of_full(sample)
            if cause:
                found.causes[place] = "bounds" if cause == SHORT else cause
                found.kinds.setdefault(place, set()).add(cause)
        looking.look_at_full()
        again = exploration.mend(budget.share(MENDING_SHARE))
        every = [one for one in found.samples if one.failed is not None]
        for place in [place for place, cause in found.causes.items() if cause in (NULL, "bounds")]:
            here = [one for one in (*again, *every) if exploration.place_of(one) == place]
            more = sorted(here, key=lambda one: -sum(map(bool, one.state.values())))
            for sample in more[:MORE]:
                if SHORT not in found.kinds[place]:
                    found.kinds[place].add(looking.cause(sample))


@dataclass(frozen=True, slots=True)
class _Looking:
    exploration: Exploration
    program: Program
    budget: Budget

    def cause(self, sample: Sample) -> str:
        """Its sub-kind, whose block it is that is left; "" if it is not found out."""
        if sample.failed is None or self.budget.remaining() <= 0:
            return ""
        with suppress(CounterpointError):
            check = self.exploration.origin(sample.failed)
            told = story(self.program, check, sample.inputs, STEPS, self.budget.remaining())
            if told is not None and told.failure is not None:
                return self.said(told.failure)
        return ""

    def cause_of_full(self, sample: Sample) -> str:
        """The same of a run that frees something at the same place, to which as many pointers were given as to any:
        null and something is no block."""
        place = self.exploration.place_of(sample)
        if place is None or place[0] != FREE:
            return ""
        here = [one for one in self.exploration.found.samples if self.exploration.place_of(one) == place]
        return self.cause(max(here, key=lambda one: sum(map(bool, one.state.values()))))

    def look_at_full(self) -> None:
        """Whether what a run follows, that fails for a null pointer, is one of its own: none was given to it."""
        found = self.exploration.found
        pointers = [one.source for one in self.exploration.environment.given if one.what is What.POINTER]
        for place in [place for place, cause in found.causes.items() if cause == NULL]:
            here = (one for one in found.samples if self.exploration.place_of(one) == place)
            full = (one for one in here if all(one.state.get(source) for source in pointers))
            for sample in islice(full, FULL):
                cause = self.cause(sample)
                found.kinds[place].add(OWN_NULL if cause == NULL else cause)

    def said(self, failure: Failure) -> str:
        """A block is one of the program's own code, or of the caller's, which may be longer or ends where a member or a
        string does."""
        if failure.cause != "bounds":
            return failure.cause
        allocated = _ALLOCATED.search(" ".join((*failure.explanation, failure.message)))
        if allocated is not None and CALLER not in allocated[1]:
            return OWN
        named = _BLOCK.search(failure.message)
        if "before the start" in failure.message:
            return failure.cause
        if named is not None:
            return SHORT if _has_no_length(self.exploration, named[0]) else failure.cause
        if allocated is not None:
            made = _BLOCK.search(self.line(allocated[1], int(allocated[2])))
            if made is not None and _has_no_length(self.exploration, made[0]):
                return SHORT
        return failure.cause

    def line(self, name: str, number: int) -> str:
        """Of the arbitrary caller's text."""
        files = (file for file in self.program.sources if file.endswith(name))
        text = [line for file in files for line in self.exploration.lines.lines(file)[number - 1 : number]]
        return text[0] if text else ""


def _has_no_length(exploration: Exploration, block: str) -> bool:
    """A valid block may be longer: its type and a zero at its end do not say where it ends, nor a member. An argument
    that tells of a number of elements is no end: `out[n] = 0` and `out[2 * i + 1]` want more of a caller."""
    text = "\n".join(exploration.environment.lines)
    if f" = {block} + {block}_length;" in text:  # a member tells where it ends
        return False
    return f"{block}[{block}_length - 1] = 0;" not in text
