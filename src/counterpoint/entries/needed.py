"""Whether calls fail without a clause: one that fails and one that passes differ in what it speaks of alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from counterpoint.core.budget import Budget
from counterpoint.entries.explored import Explored, Sample
from counterpoint.entries.exploring import Exploration
from counterpoint.entries.literals import Clause, State, holds
from counterpoint.entries.trials import Fate, sources

FAILING: Final = 4
PASSING: Final = 8
BROKEN: Final = 4
"""Runs that fail, that pass, and for each of these callers that do not keep the clause, that are tried."""

DRAWN: Final = 40
"""Callers that are drawn for one that does not keep it."""

NEEDLESS: Final = 12
"""Runs that pass without it, if none fails, from which on a clause is none. So it is where the others imply it."""


def review(exploration: Exploration, budget: Budget) -> None:
    """Notes which clauses are `shown`, of those that are new, and leaves out those that nothing needs."""
    found = exploration.found
    for clause in found.clauses:
        if clause in found.shown or budget.remaining() <= 0:
            continue
        shown, needless = _looked_at(exploration, clause, budget)
        if needless:
            found.failures = [one for one in found.failures if one.clause != clause]
        elif shown:
            found.shown.add(clause)


def look_again(exploration: Exploration, budget: Budget) -> None:
    """The same of clauses that proofs may rest on: none is left out."""
    found = exploration.found
    for clause in found.clauses:
        if clause not in found.shown and budget.remaining() > 0 and _looked_at(exploration, clause, budget)[0]:
            found.shown.add(clause)


def _looked_at(exploration: Exploration, clause: Clause, budget: Budget) -> tuple[bool, bool]:
    """Whether there are two such calls; whether there is none that fails, as far as runs tell."""
    failing = _failing(exploration.found, clause)
    for sample in failing[:FAILING]:
        trials = exploration.trials(sample, budget, _others(exploration.found, clause))
        for literal in clause:
            trials.try_literal(literal)
        if any(one.fate is Fate.PASSES for one in trials.made):
            return True, False
    passed = tried = 0
    for sample in exploration.found.allowed_that_pass()[:PASSING]:
        for state in islice(_broken(exploration, clause, sample.state), BROKEN):
            other = exploration.sample(state, budget, sample, 1.0) if budget.remaining() > 0 else None
            tried += 1
            if other is not None and other.failed is not None:
                exploration.found.samples.append(other)
                return True, False
            passed += other is not None
    return False, not failing and (passed >= NEEDLESS or not tried)


def _others(found: Explored, clause: Clause) -> list[Clause]:
    return [one for one in found.clauses if one != clause]


def _failing(found: Explored, clause: Clause) -> list[Sample]:
    """Runs that do not keep that clause, but all others, and fail."""
    table = found.table
    return table.among(table.keeping_all(_others(found, clause)) & ~table.keeping(clause) & ~table.passed)


def _broken(exploration: Exploration, clause: Clause, state: State) -> Iterator[State]:
    """The caller's choices with others of what the clause speaks of, so that it alone does not hold."""
    others = _others(exploration.found, clause)
    spoken = {source for literal in clause for source in sources(literal)}
    known: set[tuple[tuple[str, int], ...]] = set()
    for _ in range(DRAWN):
        drawn = exploration.drawn()
        changed = {source: drawn[source] for source in spoken if source in drawn and source in state}
        other = {**state, **changed}
        new = tuple(sorted(changed.items()))
        if new not in known and not holds(clause, other) and all(holds(one, other) for one in others):
            known.add(new)
            yield other
