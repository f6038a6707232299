"""What engines claimed to have proved of some checks is judged, and houdini, when it was cut off, asked what it has.

Nothing of this takes time from engines: it happens when their time is over, or when nothing but claims is left.
"""

from __future__ import annotations

import select
from collections.abc import Iterator

from counterpoint.core.budget import Budget
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.composition import Composed
from counterpoint.portfolio.engine_process import Answer
from counterpoint.portfolio.ledger import Claim
from counterpoint.portfolio.processes import Child, Send, spawn
from counterpoint.portfolio.reuse import Reuse, Told, with_answers
from counterpoint.portfolio.validation import Accepted, Judgement, Refuted, Rejected, Unchecked, judge

RESERVED = 0.2
"""Seconds of the check that are left for the result."""

LAST_SHARE = 0.5
"""Of the time left, for what an engine has when it is cut off."""

SUMMARISER = "houdini"
"""The engine that has something to say then."""


def judged(
    proof: Safe | Composed,
    subject: Subject,
    budget: Budget,
    seed: int | None,
    address_space: int,
    reuse: Reuse | None = None,
    jobs: int = 1,
) -> Judgement:
    """The proof of `subject`, which is focused on what it is about, checked in a process of its own."""

    def work(send: Send) -> None:
        limit = Budget(max(0.1, budget.remaining() - RESERVED))
        with_answers(reuse, send, lambda known: judge(proof, subject, limit, seed=seed, known=known, jobs=jobs))

    for message in _messages(spawn(work, address_space), budget):
        if isinstance(message, Told) and reuse is not None:
            reuse.add(message)
        if isinstance(message, Accepted | Refuted | Rejected | Unchecked):
            return message
    return Unchecked("the proof was not checked in time")


def last_claims(child: Child, budget: Budget) -> list[Claim]:
    """What an engine whose time is over says that it proved."""
    claims: list[Claim] = []
    for message in _messages(child, Budget(LAST_SHARE * budget.remaining())):
        match message:
            case Claim():
                claims.append(message)
            case Answer():
                break
    return claims


def _messages(child: Child, budget: Budget) -> Iterator[object]:
    """What a process says, until it ends or time is over; then it is killed."""
    try:
        while (left := budget.remaining() - RESERVED) > 0:
            yield from child.receive()
            if child.ended:
                return
            select.select([child.reader], [], [], left)
    finally:
        child.kill()
