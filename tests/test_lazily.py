"""Facts that are asserted when a model violates them: the same answers as if all were asserted at first."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import pairwise

from counterpoint.engines.inertial.lazily import Lazily
from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.protocol import Settings
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V

X = [build.variable(f"x{k}", BitVec(8)) for k in range(4)]


def some_fact(choose: random.Random, depth: int = 2) -> V:
    """A comparison, or an implication of several."""
    one, other = choose.sample(X, 2)
    plain = choose.choice([build.ult(one, other, 8), build.ne(one, other, 8), build.ult(one, choose.randrange(256), 8)])
    if not depth or choose.random() < 0.5:
        return plain
    return build.implies(some_fact(choose, depth - 1), build.and_(plain, some_fact(choose, depth - 1)))


def test_the_same_answers_as_with_all_asserted() -> None:
    choose = random.Random(3)
    seen = set()
    for _ in range(60):
        facts = [some_fact(choose) for _ in range(choose.randrange(12))]
        plain = backend("bitwuzla").connect(Settings(normalize=choose.random() < 0.5))
        questions = [[some_fact(choose) for _ in range(2)] for _ in range(4)]
        with closing(standard_solver()) as eager, closing(Lazily(plain, facts)) as lazy:
            for fact in facts:
                eager.add(fact)
            for question in questions:
                expected, answer = eager.check(question), lazy.check(question)
                assert type(answer) is type(expected)
                seen.add(type(answer))
                if isinstance(answer, Sat):
                    assert answer.model.values([*facts, *question]) == [1] * (len(facts) + 2)
                if isinstance(answer, Unsat):
                    assert isinstance(eager.check(answer.core), Unsat)
    assert seen == {Sat, Unsat}


def test_facts_that_wait_are_asserted_at_last() -> None:
    """A chain of which each model may violate only the next link."""
    wide = [build.variable(f"w{k}", BitVec(8)) for k in range(60)]
    facts = [build.implies(build.eq(a, k, 8), build.eq(b, k + 1, 8)) for k, (a, b) in enumerate(pairwise(wide))]
    with closing(Lazily(standard_solver(), facts)) as lazy:
        start = build.eq(wide[0], 0, 8)
        assert isinstance(lazy.check([start, build.ne(wide[-1], 59, 8)]), Unsat)
        assert isinstance(lazy.check([start]), Sat)


def test_a_limit_is_one_of_all_rounds() -> None:
    with closing(Lazily(standard_solver(), [build.ult(X[0], 3, 8)])) as lazy:
        assert isinstance(lazy.check([build.ult(X[1], X[0], 8)], seconds=0.0), SolverUnknown)
        assert isinstance(lazy.check([build.ult(X[1], X[0], 8)], seconds=10.0), Sat)
