"""What engines said of some checks of a function, where its caller fulfils some clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from counterpoint.core.records import dataclass
from counterpoint.entries.explored import Explored, Failure
from counterpoint.entries.literals import Clause
from counterpoint.entries.spots import key, line_of
from counterpoint.execute.subject import MODULAR, Subject
from counterpoint.portfolio.answers import held_anyway
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.program.focus import lost_among


@dataclass(frozen=True, slots=True)
class Asked:
    """What engines said where the caller fulfils the clauses; `wanted`: of the checks at these places."""

    clauses: frozenset[Clause]
    wanted: frozenset[object]
    result: CheckResult


def under(asked: Asked, required: frozenset[Clause]) -> Iterator[CheckAnswer]:
    """The answers, as far as they hold of all callers that keep what is required."""
    for one in asked.result.checks:
        if one.answer is Answer.PROVED and not asked.clauses <= required:
            yield replace(one, answer=Answer.UNKNOWN, by="", why="proved only of callers that keep more than that")
        else:
            yield one


def detail(asked: Sequence[Asked]) -> str:
    """Why something is open, as the last that was asked says it."""
    if not asked or asked[-1].result.outcome is not Outcome.UNKNOWN:
        return ""
    last = asked[-1].result
    return f"{last.reason}: {last.detail}" if last.detail else last.reason


def proved_keys(asked: Asked) -> set[object]:
    """What was proved there, all that is called so."""
    answers = asked.result.checks
    return {key(one) for one in answers} - {key(one) for one in answers if one.answer is not Answer.PROVED}


def violations(result: CheckResult) -> tuple[Counterexample, ...]:
    """The runs that fail there, replayed."""
    first = (result.counterexample,) if result.counterexample is not None else ()
    return result.findings or first


def is_settled(failure: Failure, required: frozenset[Clause], explored: Explored, every: Sequence[Asked]) -> bool:
    """It has no clause of its own, and needs none: what is required for others excludes it, in all runs and by proofs.
    Where a run fails all the same it is not, whatever is said to be proved."""
    if failure.clause is not None or explored.fails(failure.site, required):
        return False
    answers = [one for asked in every for one in under(asked, required)]
    here = [one for one in answers if (one.kind, one.at.file, one.at.line) == line_of(failure.site)]
    proved = {key(one) for one in here if one.answer is Answer.PROVED}
    return bool(here) and all(key(one) in proved for one in here)


def never_lost(subject: Subject) -> frozenset[int]:
    """The checks for lost memory, where the program has none to lose (program/held.py)."""
    lost = lost_among(subject.defined.checks)
    return lost & held_anyway(subject.program(MODULAR)) if lost else lost
