"""What one check takes from earlier ones, and leaves to later ones, in a folder (docs/reuse.md).

Answers are believed, as far as the user's own checks gave them (core/entries.py); proofs are candidates, which are
checked as any engine's are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from pathlib import Path

from counterpoint.core.entries import Entries, NotUsable, own_secret
from counterpoint.core.records import dataclass
from counterpoint.execute.subject import Subject
from counterpoint.portfolio.pool import FilePool
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.result import Reused
from counterpoint.portfolio.validation import Judgement
from counterpoint.program.render import fingerprint
from counterpoint.semantics.facts import Fact
from counterpoint.solver.known import ANSWERS, KnownAnswers

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Told:
    """What a process that checked evidence had from the folder: `found` answers, `asked` of solvers; entries that were
    `ignored`; why it could not write."""

    found: int
    asked: int
    ignored: int
    failed: str


@dataclass(slots=True)
class Reuse:
    """The folder, and what the check has had from it so far. `proofs` holds candidates; `proof` says in words which of
    them was accepted, and `functions` those whose facts were in it, or among the `candidates` of engines, which are by
    preparation."""

    folder: Path
    secret: bytes = field(repr=False)
    proofs: Entries = field(init=False)
    found: int = 0
    asked: int = 0
    ignored: int = 0
    failed: str = ""
    candidates: dict[str, list[Fact]] = field(default_factory=dict)
    proof: str = ""
    functions: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.proofs = Entries(self.folder, "proofs", self.secret, 4096, 256 * MEBIBYTE, 8 * MEBIBYTE, fans=4)

    def answers(self) -> KnownAnswers:
        """For one process."""
        return KnownAnswers(Entries(self.folder, ANSWERS, self.secret, 1 << 16, 64 * MEBIBYTE, 4096))

    def add(self, told: Told) -> None:
        self.found, self.asked = self.found + told.found, self.asked + told.asked
        self.ignored, self.failed = self.ignored + told.ignored, self.failed or told.failed

    def said(self) -> Reused:
        """For the result."""
        self.proofs.close()
        notes = []
        if ignored := self.ignored + self.proofs.ignored:
            entries = f"{ignored} entr{'y' if ignored == 1 else 'ies'}"
            notes.append(f"{entries} did not count: damaged, or not written by this user's checks")
        if failed := self.failed or self.proofs.failed:
            notes.append(f"nothing more could be kept: {failed}")
        return Reused(
            str(self.folder), self.found, self.found + self.asked, self.proof, len(self.functions), tuple(notes)
        )


def opened(folder: Path | None) -> Reuse | Reused | None:
    """The folder, made where there is none. Reused where nothing can be re-used; its note says why."""
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        return Reused(str(folder), notes=(f"the folder cannot be made: {error.strerror or error}",))
    try:
        return Reuse(folder, own_secret())
    except NotUsable as error:
        return Reused(str(folder), notes=(str(error),))


def tell_candidates(reuse: Reuse, subject: Subject, pool: Path) -> None:
    """Into the pool of facts, before engines tell theirs."""
    whole = subject.whole
    for preparation, facts in reuse.candidates.items():
        told = FilePool(pool, partial(_fingerprint, whole, preparation))
        told.tell(facts, proved=False, source="reuse")
        told.close()
        reuse.functions |= {fact.function for fact in facts}


def _fingerprint(subject: Subject, preparation: str) -> str:
    return fingerprint(subject.program(preparation))


def with_answers(reuse: Reuse | None, send: Send, judged: Callable[[KnownAnswers | None], Judgement]) -> None:
    """In a process that checks evidence: sends what it had from the folder, then its judgement."""
    if reuse is None:
        send(judged(None))
        return
    known = reuse.answers()
    judgement = judged(known)
    known.entries.close()
    send(Told(known.found, known.asked, known.entries.ignored, known.entries.failed))
    send(judgement)
