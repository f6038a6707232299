"""Several properties of one program, one check after the other.

Each is checked by itself, on a program that was compiled for it alone, so each verdict means what that of the property
alone means: nothing that one check found is taken for granted by another. Time is shared out: first each gets a little,
so that what is decided quickly is known soon, then those that are open share what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TypeAlias

from counterpoint.core.errors import UnusableInput
from counterpoint.core.events import Progress
from counterpoint.core.records import dataclass
from counterpoint.evidence.verdict import Reason
from counterpoint.portfolio.advice import advised
from counterpoint.portfolio.asked import asked_for
from counterpoint.portfolio.recheck import Rechecking, Stored, check_again
from counterpoint.portfolio.request import Request, source_task, stated_language
from counterpoint.portfolio.result import INTERNAL_ERROR, NO_EVIDENCE, CheckResult, Outcome, Reused, later
from counterpoint.portfolio.run import ShowProgress, run, unanswered

FIRST_SHARE = 1 / 4
"""Part of the time for the first look at all properties: what it does not decide is begun anew."""

LEAST = 1.0
"""Seconds below which no check is begun, if there are others that had more: the front end takes half of one."""

USED = 0.6
"""Part of its time from which on a check that ended without an answer may have one with more time."""

Decided: TypeAlias = Callable[[CheckResult], None]
"""Called with the result of each property as soon as it is final."""

Ask: TypeAlias = Callable[[Request], CheckResult]


def check(request: Request, show: ShowProgress | None = None) -> CheckResult:
    """The answer to the request, whose `property` may name several: then all get one within its limits.

    Who watches sees the answers that are there. Raises what `run` raises: nothing is answered then.
    """
    if request.property is None:
        return run(request, show)
    names = asked_for(request.property, stated_language(request.files))
    if len(names) == 1:
        return run(replace(request, property=names[0]), show)
    for name in names:
        source_task(replace(request, property=name))
    watched = _Watched(show, len(names))

    def ask(one: Request) -> CheckResult:
        """With advice for this property alone, which has all of the time then."""
        return advised(run(one, watched.of(one)), replace(request, property=one.property))

    parts = _shared_out(request, names, ask, watched.decided)
    return together(parts)


def check_all_again(
    origin: Path, stored: Stored, request: Request, show: ShowProgress | None = None, how: Rechecking | None = None
) -> CheckResult:
    """`check_again` for each of the properties that the request names.

    Claims are written to a folder for each property. Raises UnusableInput as `check_again` does, and where the result
    has no such evidence of any of them.
    """
    names = asked_for(request.property, stated_language(request.files)) if request.property is not None else ()
    if len(names) < 2:
        one = replace(request, property=names[0]) if names else request
        return check_again(origin, stored, one, show, how)
    how = replace(how or Rechecking(), absent=True)
    deadline = time.monotonic() + request.timeout
    watched = _Watched(show, len(names))
    parts: list[CheckResult] = []
    for position, name in enumerate(names):
        seconds = max(LEAST, (deadline - time.monotonic()) / (len(names) - position))
        one = replace(request, property=name, timeout=seconds)
        claims = how.claims / name if how.claims is not None else None
        parts.append(check_again(origin, stored, one, watched.of(one), replace(how, claims=claims)))
    with_evidence = [part for part in parts if part.reason != NO_EVIDENCE]
    if not with_evidence:
        raise UnusableInput(parts[0].detail)
    return together(parts if how.all_parts else with_evidence)


# ---------------------------------------------------------------- time


def _shared_out(request: Request, names: Sequence[str], ask: Ask, decided: Decided) -> list[CheckResult]:
    """A result for each of the names, in their order."""
    deadline = (time.monotonic() if request.begun is None else request.begun) + request.timeout
    request = replace(request, begun=None)
    share = max(LEAST, request.timeout * FIRST_SHARE / len(names))
    found: dict[str, CheckResult] = {}
    waiting: list[str] = []
    for name in names:
        seconds = min(share, deadline - time.monotonic())
        one = replace(request, property=name, timeout=seconds, listing=request.listing and name == names[0])
        found[name] = ask(one) if seconds >= min(LEAST, share) / 2 else _no_turn(one)
        if _is_final(found[name], seconds):
            decided(found[name])
        else:
            waiting.append(name)
    for position, name in enumerate(waiting):
        seconds = (deadline - time.monotonic()) / (len(waiting) - position)
        if seconds > max(LEAST, share):
            before = found[name].seconds
            longer = ask(replace(request, property=name, timeout=seconds, listing=False))
            engines = later(longer.engines, before)
            listing = found[name].listing
            found[name] = replace(
                longer,
                seconds=round(before + longer.seconds, 3),
                compiled=round(before + longer.compiled, 3),
                engines=engines,
                listing=listing,
            )
        decided(found[name])
    return [found[name] for name in names]


def _is_final(result: CheckResult, seconds: float) -> bool:
    """Whether more time would not help: there is an answer, or it was given up long before the end."""
    if result.outcome is not Outcome.UNKNOWN or result.reason == INTERNAL_ERROR:
        return True
    return result.reason != Reason.OUT_OF_TIME and result.seconds < USED * seconds


def _no_turn(request: Request) -> CheckResult:
    return unanswered(request, Reason.OUT_OF_TIME, "the time was used up by the other properties")


# ---------------------------------------------------------------- one result


def together(parts: Sequence[CheckResult]) -> CheckResult:
    """One result for several: that of the worst part, the assumptions and crash reports of all, all their time."""
    worst = min(parts, key=_rank)
    return replace(
        worst,
        property=",".join(part.property for part in parts),
        seconds=round(sum(part.seconds for part in parts), 3),
        memory=max(part.memory for part in parts),
        assumptions=tuple(dict.fromkeys(sentence for part in parts for sentence in part.assumptions)),
        crash_reports=tuple(report for part in parts for report in part.crash_reports),
        recordings=(),
        parts=tuple(parts),
        reused=_all_reused([part.reused for part in parts if part.reused is not None]),
    )


def _all_reused(parts: Sequence[Reused]) -> Reused | None:
    if not parts:
        return None
    proofs = dict.fromkeys(part.proof for part in parts if part.proof)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    counts = (sum(part.answers for part in parts), sum(part.questions for part in parts))
    functions = max(part.functions for part in parts)
    return Reused(parts[0].folder, *counts, ", ".join(proofs), functions, tuple(notes))


def _rank(part: CheckResult) -> int:
    """The worse, the smaller."""
    match part.outcome:
        case Outcome.UNKNOWN if part.reason == INTERNAL_ERROR:
            return 0
        case Outcome.FALSE:
            return 1
        case Outcome.UNKNOWN:
            return 2
        case Outcome.TRUE:
            return 3


# ---------------------------------------------------------------- progress


@dataclass(slots=True)
class _Watched:
    """Who watches sees which property it is, and no engines of the one before."""

    show: ShowProgress | None
    count: int
    seen: list[str] = field(default_factory=list)
    engines: set[str] = field(default_factory=set)

    def of(self, request: Request) -> ShowProgress | None:
        """What to call while this one's property is checked."""
        show = self.show
        if show is None:
            return None
        for engine in sorted(self.engines):
            show(Progress(engine, ""))
        self.engines.clear()
        name = request.property or ""
        if name not in self.seen:
            self.seen.append(name)
        show(Progress(name, f"{self.seen.index(name) + 1} of {self.count}"))
        self.engines.add(name)

        def noting(progress: Progress | None) -> None:
            if progress is not None:
                self.engines.add(progress.engine)
            show(progress)

        return noting

    def decided(self, part: CheckResult) -> None:
        """Its answer is seen until all are there."""
        self.engines.discard(part.property)
        if self.show is not None:
            self.show(Progress(part.property, part.verdict))
