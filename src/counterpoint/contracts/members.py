"""What the call leaves is one of the elements that an array had: `\\exists`, which no fact says.

It is the absence of a counterexample: of a value that is chosen before the call, that no element has, and that is there
behind it. In the program that looks for one, all that has to be kept is said of all elements, so that the sources of
guesses and Houdini prove it as any check; the function's body stands at its call.
Soundness: for the value that a call leaves, that very value was among those chosen; if no element had it, the program
would reach its error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from counterpoint.contracts.contract import Clause, Contract, Status
from counterpoint.contracts.views import PREFIX, Driver, Membership, Seen, View
from counterpoint.core.budget import Budget
from counterpoint.core.errors import CounterpointError, EvidenceRejected, OutOfBudget, Unsupported
from counterpoint.engines.houdini import HoudiniEngine
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.snapshots import Snapshot
from counterpoint.execute.subject import Subject
from counterpoint.term.term import Term

LEAST_SECONDS: Final = 1.0
"""In which nothing would be proved."""

PROVING_SHARE: Final = 0.7
"""Of a question's time, before the proof is checked."""

MOST: Final = 4
"""Questions about one function."""

Samples = tuple[Mapping[Term, Seen], Sequence[Snapshot]]


def member_clauses(
    driver: Driver, contract: Contract, samples: Callable[[View], Samples], made: Callable[[str], Subject | None],
    assumed: Collection[str], budget: Budget, seed: int,
) -> Iterator[Clause]:
    """Those that are proved. `samples`: what was seen of a view; `made`: what the text is compiled to, None where
    it would not begin in every state; `assumed`: what may be taken for granted."""
    changed = contract.assigns is None or contract.assigns_status is not Status.PROVED
    likely = [one for one in driver.members if _is_likely(one, driver, samples)][:MOST]
    for number, one in enumerate(likely):
        limit = budget.share(1 / (len(likely) - number))
        if limit.remaining() < LEAST_SECONDS:
            return
        try:
            subject = made(one.text)
        except CounterpointError:
            continue
        if subject is not None and _is_safe(subject, assumed, limit, seed):
            yield Clause(one.sentence(changed or one.location in (contract.assigns or ())), Status.PROVED)


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


def _is_likely(one: Membership, driver: Driver, samples: Callable[[View], Samples]) -> bool:
    """Some element was the value, and of arrays of one element that always."""
    view = next((v for v in driver.views if v.array == one.array), None)
    if view is None:
        return False
    names, rows = samples(view)
    element = next((v for v, seen in names.items() if seen.old and seen.text == view.element), None)
    value = next((v for v, seen in names.items() if not seen.old and seen.text == one.value), None)
    length = next((v for v, seen in names.items() if seen.argument and seen.text == one.length), None)
    pairs = [row.values for row in rows if element in row.values and value in row.values]
    same = [row[element] == row[value] for row in pairs if element is not None and value is not None]
    alone = [one for one, row in zip(same, pairs, strict=True) if length is not None and row.get(length) == 1]
    return any(same) and all(alone)
