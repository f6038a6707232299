"""Formulas of a region at one time, and back: components, unknowns, tags."""

from __future__ import annotations

import pytest

from counterpoint.regions.instance import STATIC, Instance, placed, tagged
from counterpoint.semantics.facts import ghost
from counterpoint.term import build
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Term, V, address
from counterpoint.term.walk import variables

W = 32
X, Y, INPUT = (build.variable(name, BitVec(W)) for name in ("x", "y", "step|input"))
FUNCTION = build.variable(f"{STATIC}f", BitVec(W))
ARRAY = build.variable("a", ArraySort(W, 8))


def at(number: int) -> Term:
    return build.variable(f"x@{number}", BitVec(W))


def test_components_have_their_values_and_unknowns_a_copy() -> None:
    now = Instance({X: at(3), Y: 7}, "@3")
    said = build.conjunction([build.ult(X, Y, W), build.eq(X, INPUT, W)])
    copy = build.variable("step|input@3", BitVec(W))
    assert now.of(said) == build.conjunction([build.ult(at(3), 7, W), build.eq(at(3), copy, W)])


def test_instances_share_nothing_but_what_is_static() -> None:
    formula = build.eq(build.add(X, INPUT, W), FUNCTION, W)
    one, two = Instance({}, "@1").of(formula), Instance({}, "@2").of(formula)
    assert set(variables(one)) & set(variables(two)) == {FUNCTION}


def test_an_address_becomes_a_variable_unless_it_is_shared() -> None:
    one, two = address(0, W), address(5, W)
    now = Instance({}, "#b1.0", shared=lambda symbol: symbol.payload == 0)
    assert now.meaning(one) is one
    assert now.meaning(two) is build.variable("&5#b1.0", BitVec(W))


def test_without_a_tag_unknowns_stay() -> None:
    state = Instance({X: INPUT})
    assert state.of(build.ult(X, Y, W)) == build.ult(INPUT, Y, W)
    assert state.covers(build.eq(X, ghost(0, W), W))
    assert not state.covers(build.eq(X, Y, W))


def test_what_was_defined_is_used() -> None:
    now = Instance({X: at(1)}, "@1")
    now.define(INPUT, build.add(at(0), 1, W))
    assert now.of(build.eq(X, INPUT, W)) == build.eq(at(1), build.add(at(0), 1, W), W)


@pytest.mark.parametrize(
    "formula", [build.ult(X, Y, W), build.eq(build.add(X, Y, W), 9, W), build.eq(X, ghost(0, W), W), 0, 1]
)
def test_back_undoes_of(formula: V) -> None:
    now = Instance({X: at(4), Y: build.variable("y@2", BitVec(W))}, "@4")
    assert now.back(now.of(formula)) == formula


def test_back_has_no_answer_for_anything_else() -> None:
    now = Instance({X: at(4), Y: build.add(at(4), 1, W)}, "@4")
    assert now.back(build.eq(at(4), at(3), W)) is None
    assert now.back(build.eq(at(4), now.meaning(INPUT), W)) is None
    assert now.back(build.eq(at(4), address(2, W), W)) is None
    assert now.back_all([build.eq(at(4), 1, W), build.eq(at(3), 1, W)]) == [build.eq(X, 1, W), None]
    assert now.strangers(build.eq(at(4), at(3), W)) == [at(3)]


def test_the_first_component_stands_for_a_value() -> None:
    assert Instance({X: at(1), Y: at(1)}).back(build.eq(at(1), 5, W)) == build.eq(X, 5, W)


def test_an_address_goes_back_to_the_base_of_its_object() -> None:
    base = build.variable("&thing", BitVec(W))
    assert Instance({X: address(2, W), base: address(2, W)}).back(build.eq(address(2, W), 0, W)) == build.eq(base, 0, W)


def test_what_is_shifted_up_goes_back_too() -> None:
    high = build.variable("base", BitVec(28))
    now = Instance({X: build.concat(high, 28, 0, 4)})
    assert now.back(build.eq(build.concat(high, 28, 0, 4), 64, W)) in (
        build.eq(X, 64, W), build.eq(build.extract(31, 4, X, W), 4, 28),
    )
    assert now.back(build.ult(high, 9, 28)) == build.ult(build.extract(31, 4, X, W), 9, 28)


def test_elements_can_be_components() -> None:
    cell = build.select(ARRAY, 3)
    assert isinstance(cell, Term)
    now = Instance({cell: tagged(cell, "@2")}, "@2")
    assert str(tagged(cell, "@2").payload) == "a[3]@2"
    said = now.of(build.eq(cell, 5, 8))
    assert said == build.eq(tagged(cell, "@2"), 5, 8)
    assert now.back(said) == build.eq(cell, 5, 8)


def test_back_with_names_for_the_rest() -> None:
    now = Instance({X: build.variable("v!1", BitVec(W))})
    formula = build.eq(build.variable("v!1", BitVec(W)), build.add(build.variable("v!2", BitVec(W)), address(7, W), W), W)
    names = {"v!2": INPUT, "7": FUNCTION}
    (found,) = now.back_with([formula], lambda symbol: names[str(symbol.payload)])
    assert found == build.eq(X, build.add(INPUT, FUNCTION, W), W)


def test_a_component_without_a_value_is_arbitrary() -> None:
    arbitrary = build.variable("any.y", BitVec(W))
    assert placed(build.ult(X, Y, W), {X: 4}.get) == build.ult(4, arbitrary, W)


