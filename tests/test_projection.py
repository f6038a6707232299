"""What projection leaves is the formula, wherever the alias holds; and the alias holds in the concrete state."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.engines.dash.projection import Projected, compares_addresses, project
from counterpoint.regions.cut_graph import START, cut_graph
from counterpoint.term import BOOL, ArraySort, BitVec, evaluate, evaluate_all, size, variables
from counterpoint.term import build as b
from counterpoint.term.evaluate import Given
from counterpoint.term.term import Op, Term, V, variable
from counterpoint.term.walk import addresses

WIDTH = 2
P, Q = variable("&p", BitVec(WIDTH)), variable("&q", BitVec(WIDTH))
X, Y = variable("x", BitVec(WIDTH)), variable("y", BitVec(WIDTH))
T = variable("t", BOOL)
CHOOSE = compares_addresses()


def value_in(state: dict[str, Given]) -> object:
    def value(term: V) -> int:
        found = evaluate(term, state)
        assert isinstance(found, int)
        return found

    return value


def check(formula: V, state: dict[str, Given]) -> Projected:
    result = project(formula, value_in(state), CHOOSE)  # type: ignore[arg-type]
    assert all(evaluate(literal, state) for literal in result.alias)
    assert len(set(result.alias)) == len(result.alias)
    both = b.conjunction(result.alias)
    for chosen in itertools.product(range(4), range(4), range(4), range(4), range(2)):
        other = dict(zip(("&p", "&q", "x", "y", "t"), chosen, strict=True))
        aliased, says, means = evaluate_all((both, result.formula, formula), other)
        assert not aliased or says == means, f"{formula} at {other} is not {result}"
    return result


class Grower:
    """Random formulas over two addresses and two numbers, as loads and stores through them give."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def place(self) -> V:
        pick = self.random
        return b.add(pick.choice((P, Q)), pick.choice((0, 0, 1)), WIDTH)

    def bits(self, depth: int) -> V:
        pick, w = self.random, WIDTH
        kind = pick.randrange(4) if depth else 3
        if kind == 0:
            return b.ite(self.truth(depth - 1), self.bits(depth - 1), self.bits(depth - 1), w)
        if kind == 1:
            return b.add(self.bits(depth - 1), self.bits(depth - 1), w)
        if kind == 2:
            array = b.store(b.constant_array(ArraySort(w, w), 2), self.place(), self.bits(depth - 1))
            return b.select(b.store(array, self.place(), self.bits(depth - 1)), self.place())
        return pick.choice((X, Y, 1, 3))

    def truth(self, depth: int) -> V:
        pick, w = self.random, WIDTH
        kind = pick.randrange(6) if depth else 5
        if kind < 2:
            return (b.eq, b.ult)[kind](self.bits(depth - 1), self.bits(depth - 1), w)
        if kind < 5:
            return (b.and_, b.or_, b.xor_)[kind - 2](self.truth(depth - 1), self.truth(depth - 1))
        return pick.choice((b.eq(self.place(), self.place(), w), b.ult(self.place(), self.place(), w), T))


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_formulas(source: random.Random) -> None:
    formula = b.conjunction([Grower(source).truth(3) for _ in range(2)])
    state: dict[str, Given] = {name: source.randrange(4) for name in ("&p", "&q", "x", "y")}
    check(formula, {**state, "t": source.randrange(2)})


def test_only_the_branch_that_the_state_chooses() -> None:
    inner = b.ite(b.ult(P, Q, WIDTH), X, Y, WIDTH)
    formula = b.ult(b.ite(b.eq(P, Q, WIDTH), b.add(X, 1, WIDTH), inner, WIDTH), 2, WIDTH)
    state: dict[str, Given] = {"&p": 0, "&q": 1, "x": 0, "y": 0}
    result = check(formula, state)
    assert result.formula is b.ult(X, 2, WIDTH)
    assert set(result.alias) == {b.ne(P, Q, WIDTH), b.ult(P, Q, WIDTH)}
    same = check(formula, {**state, "&q": 0})
    assert (same.formula, same.alias) == (b.ult(b.add(X, 1, WIDTH), 2, WIDTH), (b.eq(P, Q, WIDTH),))


def test_a_conjunct_decides_without_alias() -> None:
    formula = b.and_(b.eq(P, Q, WIDTH), b.eq(b.ite(b.eq(P, Q, WIDTH), X, Y, WIDTH), 2, WIDTH))
    result = check(formula, {"&p": 0, "&q": 1})
    assert (result.formula, result.alias) == (b.and_(b.eq(P, Q, WIDTH), b.eq(X, 2, WIDTH)), ())


def test_many_cases_are_one_equation() -> None:
    chain: V = X
    place = variable("&r", BitVec(8))
    for k in range(5):
        chain = b.ite(b.eq(place, k, 8), k & 3, chain, WIDTH)
    result = project(b.eq(chain, Y, WIDTH), lambda term: int(evaluate(term, {"&r": 9}) or 0), CHOOSE)  # type: ignore[call-overload]
    assert (result.formula, result.alias) == (b.eq(X, Y, WIDTH), (b.eq(place, 9, 8),))


@pytest.mark.parametrize("target", [0, 1, 2])
def test_a_store_through_a_pointer_of_a_program(target: int) -> None:
    text = """
    int a, c, d;
    int main(void) {
        int k = any();
        int *p = k == 0 ? &a : k == 1 ? &c : &d;
        while (any()) { *p = *p + 1; check(a + c + d < 1000); }
        return 0;
    }"""
    graph = cut_graph(program(text), Budget(90))
    (region,) = (region for region in graph.regions if region.start != START and region.failing != 0)
    formula = region.failing
    places = {term.payload: 4096 + 256 * k for k, term in enumerate(addresses(formula))}
    assert len(places) == 3
    (pointer,) = {term for term in variables(formula) if "%" in str(term.payload)}
    assigned = next(term for term in (pointer,) if isinstance(term.sort, BitVec))
    at = list(places.values())[target]
    width = assigned.sort.width
    state = {str(assigned.payload): at >> (64 - width)}

    def value(term: V) -> int:
        found = evaluate(term, state, places)  # type: ignore[arg-type]
        assert isinstance(found, int)
        return found

    result = project(formula, value, compares_addresses())
    assert result.alias and 2 * size(result.formula) < size(formula)
    assert not [term for term in variables(result.formula) if term is assigned]
    assert all(literal.op is not Op.AND for literal in result.alias if isinstance(literal, Term))
