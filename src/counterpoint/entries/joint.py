"""Whether clauses can be kept together, and say something then: what is proved under a contradiction is no proof.

`*p != 0`, `*p <= 0` and `*p >= 0` are kept where `p` is null, and nowhere else: three clauses about `*p` that no call
keeps which has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from counterpoint.entries.learning import is_restriction_to_null
from counterpoint.entries.literals import Clause, Rank, State, holds


def says_something(clauses: Sequence[Clause], states: Iterable[State]) -> bool:
    """Each of the clauses speaks of what one of the states chose that keeps all of them: not only of pointers that are
    null there. Clauses that ask for null pointers alone have to be kept."""
    left = set(clauses)
    for state in states:
        if not left:
            break
        if all(holds(clause, state) for clause in clauses):
            left = {clause for clause in left if not _speaks(clause, state)}
    return not left


def related(clauses: Iterable[Clause], clause: Clause) -> tuple[Clause, ...]:
    """The clause, and those that speak of what it speaks of or needs, or of what such speak of: others cannot
    contradict it."""
    found, waiting = [clause], list(dict.fromkeys(clauses))
    while more := [one for one in waiting if any(_meet(one, other) for other in found)]:
        found += more
        waiting = [one for one in waiting if one not in more]
    return tuple(found)


def _meet(one: Clause, other: Clause) -> bool:
    spoken, needed = zip(*map(_sources, (one, other)), strict=True)
    return not (spoken[0].isdisjoint(spoken[1] | needed[1]) and spoken[1].isdisjoint(needed[0]))


def _sources(clause: Clause) -> tuple[frozenset[str], frozenset[str]]:
    """What it speaks of, and the pointers that it needs."""
    spoken = {one for literal in clause for one in (literal.left, literal.right) if isinstance(one, str)}
    return frozenset(spoken), frozenset(need for literal in clause for need in literal.needs)


def with_pointers(clause: Clause, states: Iterable[State]) -> Iterable[State]:
    """The same choices, and behind each those with the pointers that the clause needs."""
    needed = {source for literal in clause for source in literal.needs}
    needed |= {literal.left for literal in clause if literal.rank is Rank.NULL}
    there = dict.fromkeys(needed, 1)
    return chain.from_iterable((state, {**state, **there}) for state in states)


def _speaks(clause: Clause, state: State) -> bool:
    """Of a clause that the state keeps."""
    if is_restriction_to_null(clause):
        return True
    if any(one.rank is Rank.NULL and one.holds(state) for one in clause):
        return False
    return any(one.rank is not Rank.NULL and one.is_met(state) for one in clause)
