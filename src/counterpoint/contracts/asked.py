"""Claims about arrays that no fact says: some element is what the call leaves (`\\exists`), elements are in order, a
string ends at the result.

Each is the absence of a counterexample, in a program that chooses what would be one, a value that no element has or
an index, calls the function, and reaches an error (questions.py). What has to be kept there is said of all elements, so
that the sources of guesses and Houdini prove it as any check; the function's body stands at its call.
Soundness: for each call that refutes the claim, what it would have to be chosen was among what may be chosen, so that
the program would reach its error. Its own accesses are guarded: an invalid one would end the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from counterpoint.contracts.contract import OUTSIDE, Clause, Contract, Status
from counterpoint.contracts.views import PREFIX, Driver, Question, Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.engines.houdini import HoudiniEngine
from counterpoint.engines.protocol import Task, Tools
from counterpoint.engines.random import RandomTesting
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.execute.snapshots import Snapshot
from counterpoint.execute.subject import Subject
from counterpoint.term.term import Term

LEAST_SECONDS: Final = 1.0
"""In which nothing would be proved."""

TRYING_SECONDS: Final = 0.3
TRYING_SHARE: Final = 0.25
"""Seconds of runs that may answer a question, and the most of the time that is left that they get."""

PROVING_SHARE: Final = 0.7
"""Of a question's time, before the proof is checked."""

MOST: Final = 4
"""Questions about one function that runs do not answer."""

Samples = tuple[Mapping[Term, Seen], Sequence[Snapshot]]


def asked_clauses(
    driver: Driver, contract: Contract, samples: Callable[[View], Samples], made: Callable[[str], Subject | None],
    assumed: Collection[str], budget: Budget, seed: int,
) -> Iterator[Clause]:
    """Those that are proved. `samples`: what was seen of a view; `made`: what the text is compiled to, None where
    it would not begin in every state; `assumed`: what may be taken for granted."""
    left: list[tuple[Question, Subject]] = []
    for one in driver.questions:
        if len(left) == MOST or budget.remaining() < LEAST_SECONDS:
            break
        if not _is_likely(one, driver, samples):
            continue
        with suppress(CounterpointError):
            subject = made(one.text)
            if subject is not None and not _fails(subject, budget.share(TRYING_SHARE), seed):
                left.append((one, subject))
    for number, (one, subject) in enumerate(left):
        limit = budget.share(1 / (len(left) - number))
        if limit.remaining() >= LEAST_SECONDS and _is_safe(subject, assumed, limit, seed):
            yield Clause(one.changed if _may_change(one, contract) else one.said, Status.PROVED)


@dataclass(frozen=True, slots=True)
class Asking:
    """How programs that ask are answered: `made`, `assumed` and `seed` as asked_clauses has them."""

    made: Callable[[str], Subject | None]
    assumed: Collection[str]
    seed: int

    def is_safe(self, text: str, budget: Budget) -> bool:
        """No run with random inputs reaches the program's error, and there is a proof that none does."""
        try:
            subject = self.made(text)
        except CounterpointError:
            return False
        if subject is None or _fails(subject, budget.share(TRYING_SHARE), self.seed):
            return False
        return _is_safe(subject, self.assumed, budget, self.seed)


def _may_change(one: Question, contract: Contract) -> bool:
    """Nothing excludes that the call changes elements: something of the same variable is assigned, or it is unknown."""
    if contract.assigns is None or contract.assigns_status is not Status.PROVED:
        return True
    return any(place == OUTSIDE or _root(place) == _root(one.array) for place in contract.assigns)


def _root(text: str) -> str:
    """The variable that a place begins with."""
    found = re.search(r"[A-Za-z_]\w*", text.removeprefix("static "))
    return found[0] if found else ""


def _fails(subject: Subject, budget: Budget, seed: int) -> bool:
    """A run with random inputs reaches the error."""
    try:
        task = Task(subject, {"random.seconds": str(TRYING_SECONDS)})
        return isinstance(RandomTesting().verify(task, Tools(budget, seed=seed)), Unsafe)
    except (OutOfBudget, Unsupported):
        return False


def _is_safe(subject: Subject, assumed: Collection[str], budget: Budget, seed: int) -> bool:
    """There is a proof that it reaches no error, and other means confirm it."""
    task = Task(subject)
    try:
        if any(PREFIX not in sentence and sentence not in assumed for sentence in task.program.assumptions):
            return False
        verdict = HoudiniEngine().verify(task, Tools(budget.share(PROVING_SHARE), seed=seed))
        if not isinstance(verdict, Safe):
            return False
        check_proof(task.program, verdict.certificate, budget)
    except (OutOfBudget, Unsupported, EvidenceUnchecked, EvidenceRejected):
        return False
    return True


def _is_likely(one: Question, driver: Driver, samples: Callable[[View], Samples]) -> bool:
    """There are samples; where the claim is that some element is a value, one was, and of arrays of one always."""
    view = next((v for v in driver.views if v.array == one.array), None)
    if view is None:
        return False
    names, rows = samples(view)
    if not one.value:
        return bool(rows)
    element = next((v for v, seen in names.items() if seen.old and seen.text == view.element), None)
    value = next((v for v, seen in names.items() if not seen.old and seen.text == one.value), None)
    length = next((v for v, seen in names.items() if seen.argument and seen.text == one.length), None)
    pairs = [row.values for row in rows if element in row.values and value in row.values]
    same = [row[element] == row[value] for row in pairs if element is not None and value is not None]
    alone = [one for one, row in zip(same, pairs, strict=True) if length is not None and row.get(length) == 1]
    return any(same) and all(alone)
