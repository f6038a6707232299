"""Whether facts make every clause hold, over bit-vectors: an engine's own check of its proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from counterpoint.analysis.horn.clauses import Atom, Clause, Horn
from counterpoint.core.budget import Budget
from counterpoint.paths.cut_graph import Place
from counterpoint.semantics.facts import Fact
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.term import V
from counterpoint.term.walk import substitute

QUERY_SECONDS = 5.0
"""Limit of one clause's query."""


def inductive(horn: Horn, facts: Iterable[Fact], budget: Budget) -> bool:
    """Each clause holds with the facts as its relations. A query without an answer counts as no."""
    meaning = interpretation(facts)
    for clause in horn.clauses:
        if budget.remaining() <= 0 or not holds(clause, meaning, min(QUERY_SECONDS, budget.remaining())):
            return False
    return True


def interpretation(facts: Iterable[Fact]) -> dict[Place, V]:
    """The conjunction of the facts of each place."""
    grouped: dict[Place, list[V]] = {}
    for fact in facts:
        grouped.setdefault(fact.place, []).append(fact.formula)
    return {place: build.conjunction(formulas) for place, formulas in grouped.items()}


def holds(clause: Clause, meaning: Mapping[Place, V], seconds: float) -> bool:
    """The clause with that meaning of its relations."""
    goal = 0 if clause.head is None else _instance(clause.head, meaning)
    parts = [clause.formula, build.not_(goal)]
    parts += (build.implies(atom.guard, _instance(atom, meaning)) for atom in clause.body)
    if any(part == 0 for part in parts):
        return True
    solver = standard_solver()
    try:
        for part in parts:
            solver.add(part)
        return isinstance(solver.check(seconds=seconds), Unsat)
    finally:
        solver.close()


def _instance(atom: Atom, meaning: Mapping[Place, V]) -> V:
    formula = meaning.get(atom.place, 1)
    return substitute(formula, dict(zip(atom.arguments, atom.values, strict=True)))
