"""Formulas behind names in a solver: switches, definitions, cores, scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from counterpoint.solver.answers import Answer, Sat, Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings, Solver
from counterpoint.solver.selectors import Selectors
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, BitVec
from counterpoint.term.term import Term, V

X = build.variable("x", BitVec(8))
P = build.variable("p", BOOL)


def below(limit: int) -> V:
    return build.ult(X, limit, 8)


@pytest.fixture(params=["bitwuzla", "z3"])
def solver(request: pytest.FixtureRequest) -> Iterator[Solver]:
    found = backend(request.param).connect(Settings())
    yield found
    found.close()


class Counted:
    """A solver that notes what is asserted."""

    def __init__(self, inner: Solver) -> None:
        self.inner = inner
        self.asserted: list[V] = []
        self.scope = inner.scope

    name = "counted"

    def add(self, formula: V) -> None:
        self.asserted.append(formula)
        self.inner.add(formula)

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        return self.inner.check(assumptions, seconds)

    def interrupt(self) -> None:
        self.inner.interrupt()

    def close(self) -> None:
        self.inner.close()


def test_a_switch_says_nothing_until_it_is_assumed(solver: Solver) -> None:
    facts = Selectors[str](solver, "fact")
    low, high = facts.switch("low", [below(5)]), facts.switch("high", [build.not_(below(5)), below(9)])
    assert isinstance(solver.check([low]), Sat)
    assert isinstance(solver.check([high]), Sat)
    assert isinstance(solver.check([low, high]), Unsat)
    assert isinstance(solver.check([build.not_(low), build.not_(high)]), Sat)


def test_a_switch_that_is_not_assumed_leaves_its_formula_open(solver: Solver) -> None:
    low = Selectors[int](solver, "fact").switch(0, [below(5)])
    for value in (4, 7):
        answer = solver.check([build.not_(low), build.eq(X, value, 8)])
        assert isinstance(answer, Sat)


def test_a_switch_can_be_given_more(solver: Solver) -> None:
    facts = Selectors[str](solver, "fact")
    name = facts.switch("range", [below(9)])
    assert isinstance(solver.check([name, build.eq(X, 7, 8)]), Sat)
    facts.extend("range", below(5))
    assert isinstance(solver.check([name, build.eq(X, 7, 8)]), Unsat)
    assert facts.switch("range") is name
    with pytest.raises(KeyError):
        facts.extend("unheard of", below(5))


def test_a_definition_holds_both_ways(solver: Solver) -> None:
    names = Selectors[V](solver, "label")
    name = names.define(below(5), below(5))
    assert isinstance(solver.check([name, build.eq(X, 7, 8)]), Unsat)
    assert isinstance(solver.check([build.not_(name), build.eq(X, 4, 8)]), Unsat)
    assert isinstance(solver.check([build.not_(name), build.eq(X, 7, 8)]), Sat)


@pytest.mark.parametrize("constant", [0, 1])
def test_a_constant_is_its_own_name(solver: Solver, constant: int) -> None:
    names = Selectors[str](solver, "label")
    assert names.define("settled", constant) == constant
    assert names.define("settled", P) == constant
    assert "settled" in names
    assert list(names.named()) == []


def test_each_formula_is_asserted_once(solver: Solver) -> None:
    counted = Counted(solver)
    facts = Selectors[str](counted, "fact")
    for _ in range(3):
        facts.switch("low", (below(n) for n in (5, 6)))
        facts.define("p", P)
    assert len(counted.asserted) == 3


def test_names_of_two_families_differ(solver: Solver) -> None:
    before, after = Selectors[V](solver, "before"), Selectors[V](solver, "after")
    low = before.define(below(5), below(5))
    high = after.define(below(5), build.not_(below(5)))
    assert low is not high
    assert isinstance(solver.check([low, high]), Unsat)


def test_a_core_names_the_keys_that_contradict(solver: Solver) -> None:
    facts = Selectors[str](solver, "fact")
    names = [facts.switch(key, [formula]) for key, formula in (("p", P), ("high", build.not_(below(9))), ("low", below(5)))]
    answer = solver.check(names)
    assert isinstance(answer, Unsat)
    assert facts.chosen(answer.core) == ["high", "low"]
    assert facts.chosen(()) == []


def test_one_of_several(solver: Solver) -> None:
    claims = Selectors[int](solver, "claim")
    parts = [claims.switch(n, [build.eq(X, n, 8)]) for n in (3, 4)]
    goal = claims.one_of(parts)
    answer = solver.check([goal])
    assert isinstance(answer, Sat)
    assert answer.model.value(X) in (3, 4)
    assert isinstance(solver.check([goal, build.not_(below(5))]), Unsat)
    assert isinstance(solver.check([claims.one_of([])]), Unsat)
    assert [key for key, _ in claims.named()] == [3, 4]


def test_what_is_made_in_a_scope_is_gone_behind_it(solver: Solver) -> None:
    names = Selectors[str](solver, "literal")
    outside = names.define("p", P)
    with pytest.raises(ZeroDivisionError), names.scope():
        inside = names.define("x", below(5))
        names.solver.add(build.not_(P))
        assert isinstance(solver.check([outside]), Unsat)
        raise ZeroDivisionError
    assert "x" not in names
    assert names.define("p", build.not_(P)) is outside
    assert isinstance(solver.check([outside]), Sat)
    again = names.define("x", build.not_(below(5)))  # not what it was inside
    assert isinstance(inside, Term)
    assert isinstance(solver.check([again, below(5)]), Unsat)
    assert isinstance(solver.check([again, build.not_(below(5))]), Sat)


def test_a_switch_may_stand_for_others(solver: Solver) -> None:
    """The formulas may be made while the switch is, from others of the same family."""
    parts = Selectors[V](solver, "part")

    def switch(formula: V) -> V:
        found = conjuncts_of.get(formula)
        return parts.switch(formula, (formula,) if found is None else map(switch, found))

    low, high = below(5), build.not_(below(3))
    both = build.and_(low, high)
    conjuncts_of = {both: [low, high]}
    assert isinstance(solver.check([switch(both), build.eq(X, 4, 8)]), Sat)
    assert isinstance(solver.check([switch(both), build.eq(X, 2, 8)]), Unsat)
    assert isinstance(solver.check([switch(low), build.eq(X, 2, 8)]), Sat)
