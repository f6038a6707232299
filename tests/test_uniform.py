"""An element's value as one term over its number, where cells were told apart by number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterpoint.contracts.uniform import Index, uniform, without_implied
from counterpoint.solver.answers import Unsat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build as b
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import substitute, variables
from test_infer_cases import found, proved

K, TOP, X, WAS = (b.variable(n, BitVec(w)) for n, w in (("k", 64), ("top", 32), ("x", 32), ("was", 32)))
CELLS = [b.variable(f"cell{i}", BitVec(32)) for i in range(8)]


def chain(values: list[V]) -> V:
    """What stands at k, by number, as reads of cells are encoded."""
    found = values[-1]
    for i in reversed(range(len(values) - 1)):
        found = b.ite(b.eq(K, i, 64), values[i], found, 32)
    return found


BEFORE = {WAS: chain(list(CELLS))}


def same(one: V, other: V) -> bool:
    return one is other or b.ne(one, other, 32) == 0 or is_impossible(b.ne(one, other, 32))


def is_impossible(formula: V) -> bool:
    solver = backend("bitwuzla").connect(Settings())
    try:
        return isinstance(solver.check([formula], 10), Unsat)
    finally:
        solver.close()


@pytest.mark.parametrize("offset", [0, 1, -1])
@pytest.mark.parametrize("factor", [1, 4, -1])
def test_an_element_that_is_written(offset: int, factor: int) -> None:
    """`top == factor * k + offset ? x : old(a[k])`, modulo 2^32."""
    values: list[V] = [
        b.ite(b.eq(TOP, (factor * i + offset) % 2**32, 32), X, cell, 32) for i, cell in enumerate(CELLS)
    ]
    found = uniform(chain(values), Index(K, 8, BEFORE), same)
    assert isinstance(found, Term) and set(variables(found)) == {K, TOP, X, WAS}
    for i, value in enumerate(values):
        assert substitute(found, {K: i, WAS: CELLS[i]}) is value


@pytest.mark.parametrize("odd", [0, 3, 7])
def test_one_that_is_different_is_seen(odd: int) -> None:
    values: list[V] = [b.ite(b.eq(TOP, i, 32), X, cell, 32) for i, cell in enumerate(CELLS)]
    values[odd] = b.ite(b.eq(TOP, odd, 32), b.add(X, 1, 32), CELLS[odd], 32)
    assert uniform(chain(values), Index(K, 8, BEFORE), same) is None


def test_numbers_have_to_lie_on_a_line() -> None:
    values: list[V] = [b.ite(b.eq(TOP, i * i, 32), X, cell, 32) for i, cell in enumerate(CELLS)]
    assert uniform(chain(values), Index(K, 8, BEFORE), same) is None


def test_what_no_number_chooses_is_left_alone() -> None:
    assert uniform(b.ite(b.eq(TOP, 3, 32), X, 0, 32), Index(K, 8, BEFORE), same) is None


def test_parts_of_conditions_that_others_imply() -> None:
    narrow, wide = b.ult(TOP, 4, 32), b.ult(TOP, 9, 32)
    value = b.ite(b.and_(narrow, wide), X, WAS, 32)
    assert without_implied(value, lambda parts, part: part is wide and narrow in parts) is b.ite(narrow, X, WAS, 32)
    assert without_implied(value, lambda parts, part: False) is value


def test_the_element_that_a_call_writes_is_said_of_all_elements(tmp_path: Path) -> None:
    text = "int items[16]; unsigned top; void put(int x) { if (top < 16) items[top] = x; }"
    said = [one for one in proved(found(tmp_path, text, "put")) if "items" in one]
    assert len(said) <= 3 and not any(re.search(r"\bk == \d", one) for one in said)
    assert any("== (unsigned int)k" in one and one.endswith("items[k] == x)") for one in said), said
    assert any("!= (unsigned int)k" in one and "items[k] == \\old(items[k])" in one for one in said), said
