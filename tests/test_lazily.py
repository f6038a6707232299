"""Facts that are asserted when a model violates them: the same answers as if all were asserted at first."""

from __future__ import annotations

import random
from contextlib import closing
from itertools import pairwise

from counterpoint.solver.answers import Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.layers import standard_solver
from counterpoint.solver.lazily import Lazily, chosen, parts
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
        split, few = choose.random() < 0.5, choose.random() < 0.5
        questions = [[some_fact(choose) for _ in range(2)] for _ in range(4)]
        with closing(standard_solver()) as eager, closing(Lazily(plain, parts(facts) if split else facts, few=few)) as lazy:
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


def test_later_facts_wait_for_the_others() -> None:
    """And of many that are violated few come in at first."""
    many = [build.variable(f"y{k}", BitVec(8)) for k in range(30)]
    first, later = [build.ult(x, 9, 8) for x in many[:3]], [build.ult(x, 5, 8) for x in many]
    with closing(Lazily(standard_solver(), first, later, few=True)) as lazy:
        for x in many:
            lazy.add(build.ult(6, x, 8))
        assert isinstance(lazy.check(), Unsat)
        assert set(lazy.called[:3]) == set(first) and 0 < len(lazy.called[3:]) <= 8


def test_what_is_chosen_is_enough() -> None:
    choose = random.Random(5)
    seen = set()
    for _ in range(40):
        facts = [some_fact(choose) for _ in range(choose.randrange(14))]
        goal = build.and_(some_fact(choose), build.not_(some_fact(choose)))
        found = chosen(goal, facts, 20.0, choose.choice((None, len(facts) // 2)))
        assert len(set(found.used)) == len(found.used)
        with closing(standard_solver()) as eager:
            for formula in (goal, *(facts[number] for number in found.used)):
                eager.add(formula)
            answer = eager.check()
            assert type(answer) is type(found.answer)
            if isinstance(found.answer, Sat):
                assert found.answer.model.values([goal, *facts]) == [1] * (len(facts) + 1)
        seen.add(type(answer))
    assert seen == {Sat, Unsat}


def test_what_is_given_is_there_at_once() -> None:
    x = X[0]
    said = [build.ult(x, bound, 8) for bound in (8, 9, 10)]
    for number in range(3):
        found = chosen(build.ult(20, x, 8), [*said, 1], 20.0, given=[said[number], 1])
        assert isinstance(found.answer, Unsat) and found.used == (number,)
    assert {2, 3} <= set(chosen(build.ult(x, 9, 8), [*said, 0], 20.0, given=said[2:]).used)
    found = chosen(build.ult(x, 9, 8), said, 20.0, given=said[2:])
    assert isinstance(found.answer, Sat) and found.answer.model.values(said) == [1, 1, 1]


def test_what_is_likely_needed_comes_before_what_is_small() -> None:
    """Of three hypotheses that exclude the goal, the likely one is used first, wherever it stands."""
    x = X[0]
    said = [build.ult(x, bound, 8) for bound in (10, 9, 8)]
    for number, first in ((2, 2), (1, 2), (0, 1), (2, 3)):
        found = chosen(build.ult(20, x, 8), said, 20.0, first, frozenset({said[number]}))
        assert isinstance(found.answer, Unsat) and number in found.used[:1]
