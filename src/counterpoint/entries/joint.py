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
