"""What engines claimed to have proved of some checks is judged, and houdini asked what follows from all facts told.

Nothing of this takes time from engines: it happens when their time is over, or when nothing but claims is left.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from pathlib import Path

from counterpoint import engines
from counterpoint.core.budget import Budget
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.engine_process import Answer, Assignment, engine_work
from counterpoint.portfolio.ledger import Claim
from counterpoint.portfolio.processes import Send, Work, spawn
from counterpoint.portfolio.validation import Accepted, Judgement, Refuted, Rejected, Unchecked, judge

RESERVED = 0.2
"""Seconds of the check that are left for the result."""

FACTS_SHARE = 0.4
"""Of the time left, for what follows from the facts."""

SUMMARISER = "houdini"


def judged(claim: Claim, subject: Subject, budget: Budget, seed: int | None, address_space: int) -> Judgement:
    """The claim checked as a proof of `subject`, which is focused on what it is about."""

    def work(send: Send) -> None:
        limit = Budget(max(0.1, budget.remaining() - RESERVED))
        send(judge(Safe(claim.certificate), subject, limit, seed=seed))

    for message in _messages(work, budget, address_space):
        if isinstance(message, Accepted | Refuted | Rejected | Unchecked):
            return message
    return Unchecked(f"what {claim.engine} proved was not checked in time")


def summarised(
    subject: Subject, options: dict[str, str], facts: Path, budget: Budget, address_space: int
) -> list[Claim]:
    """What follows from the facts that engines told each other, for each of the subject's checks."""
    if SUMMARISER not in engines.names():
        return []
    options = {**options, "houdini.sum-up": "true"}
    given = Assignment(SUMMARISER, FACTS_SHARE * budget.remaining(), 0, options, facts)
    claims: list[Claim] = []
    limit = Budget(given.seconds)
    for message in _messages(engine_work(subject, given), limit, address_space):
        match message:
            case Claim():
                claims.append(message)
            case Answer():
                break
    return claims


def _messages(work: Work, budget: Budget, address_space: int) -> Iterator[object]:
    """What a process says, until it ends or time is over."""
    child = spawn(work, address_space)
    try:
        while (left := budget.remaining() - RESERVED) > 0:
            yield from child.receive()
            if child.ended:
                return
            select.select([child.reader], [], [], left)
    finally:
        child.kill()
