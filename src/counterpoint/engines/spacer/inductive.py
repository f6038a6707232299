"""Whether facts make every clause hold, over bit-vectors: an engine's own check of its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterpoint.core.budget import Budget
from counterpoint.logic.horn.clauses import Atom, Clause, Horn
from counterpoint.regions.cut_graph import Place
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import substitute_all

QUERY_SECONDS = 8.0
"""Limit of one clause's query."""


def inductive(horn: Horn, facts: Sequence[Fact], budget: Budget) -> bool:
    """Each clause holds with the facts as its relations. A query without an answer counts as no."""
    meaning: dict[Place, list[V]] = {}
    for fact in facts:
        meaning.setdefault(fact.place, []).append(fact.formula)
    for clause in horn.clauses:
        for goal in _goals(clause, meaning):
            if budget.remaining() <= 0 or not _follows(clause, goal, meaning, min(QUERY_SECONDS, budget.remaining())):
                return False
    return True


def _goals(clause: Clause, meaning: Mapping[Place, list[V]]) -> list[V]:
    """One by one: wide sums in several facts at once took a solver ten times as long."""
    if clause.head is None:
        return [0]
    return _instances(clause.head, meaning)


def _follows(clause: Clause, goal: V, meaning: Mapping[Place, list[V]], seconds: float) -> bool:
    """The goal, from the clause's body with that meaning of its relations."""
    parts = [clause.formula, build.not_(goal)]
    for atom in clause.body:
        parts += (build.implies(atom.guard, fact) for fact in _instances(atom, meaning))
    if any(part == 0 for part in parts):
        return True
    solver = standard_solver()
    try:
        for part in parts:
            solver.add(part)
        return isinstance(solver.check(seconds=seconds), Unsat)
    finally:
        solver.close()


def _instances(atom: Atom, meaning: Mapping[Place, list[V]]) -> list[V]:
    return substitute_all(meaning.get(atom.place, []), dict(zip(atom.arguments, atom.values, strict=True)))
