"""Formulas under plain truths mean the same, for all values under which these hold."""

from __future__ import annotations

import random
from contextlib import closing

from counterpoint.engines.houdini.literals import Literals
from counterpoint.solver.answers import Unsat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.walk import conjuncts, size
from test_lazily import some_fact


def test_under_literals_formulas_mean_the_same() -> None:
    """For all values that fulfil the literals; what is no literal is none, and a literal stays what it is."""
    choose = random.Random(7)
    shorter = 0
    for _ in range(60):
        known = [some_fact(choose) for _ in range(choose.randrange(6))]
        under = Literals(known)
        assert set(under.behind(known)) <= set(known) and all(len(conjuncts(one)) == 1 for one in under.behind(known))
        formula = build.disjunction([build.and_(some_fact(choose), choose.choice(known or [1])) for _ in range(3)])
        meant = under.simplified(formula)
        shorter += size(meant) < size(formula)
        assert [under.simplified(one) for one in under.behind(known)] == list(under.behind(known))
        with closing(standard_solver()) as solver:
            for one in (*under.behind(known), build.not_(build.iff(meant, formula))):
                solver.add(one)
            assert isinstance(solver.check(), Unsat)
    assert shorter > 10
