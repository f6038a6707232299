"""Which predicates come together: the states of a machine, and how far one variable has run ahead of another."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from counterpoint.engines.predicates.refinement.related_constants import WIDEST, related
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.term import build as b
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from test_predicates_slides import found as checked

WIDTH = 32
x, y, z = (b.variable(f"families.{name}", BitVec(WIDTH)) for name in "xyz")
assert isinstance(x, Term) and isinstance(y, Term) and isinstance(z, Term)


def is_(variable: V, constant: int) -> V:
    return b.eq(variable, constant, WIDTH)


def ahead(constant: int) -> V:
    """x == y + constant."""
    return b.eq(x, b.add(y, constant % (1 << WIDTH), WIDTH), WIDTH)


def found(predicates: list[V], formulas: Iterable[V] = (), given: Iterable[V] = ()) -> set[V]:
    return set(related(predicates, formulas, lambda variable: given if variable is x else ()))


CODE = b.conjunction([b.not_(is_(x, constant)) for constant in (1, 2, 3, 4, 5)] + [b.not_(is_(z, 9))])


def test_two_constants_are_no_family() -> None:
    assert found([is_(x, 1), is_(x, 2), is_(y, 3)], [CODE], [7]) == set()


def test_the_constants_that_the_code_asks_about() -> None:
    assert found([is_(x, 1), is_(x, 2), is_(x, 3)], [CODE]) == {is_(x, 4), is_(x, 5)}


def test_the_constants_that_the_code_gives() -> None:
    """Also where conditions choose among them; a sum is no constant."""
    chosen = b.ite(is_(y, 0), 11, b.ite(is_(z, 0), 12, b.add(x, 1, WIDTH), BitVec(WIDTH)), BitVec(WIDTH))
    known = [is_(x, 1), is_(x, 2), is_(x, 11)]
    assert found(known, given=[chosen, 13]) == {is_(x, 12), is_(x, 13)}


@pytest.mark.parametrize("constants", [(0, 4, 6), (-3, -1, 2), (1, 2, 5)])
def test_the_differences_between(constants: tuple[int, ...]) -> None:
    """Whichever way round an equation was made."""
    known = [ahead(constant) for constant in constants]
    known[1] = b.eq(b.add(x, -constants[1] % (1 << WIDTH), WIDTH), y, WIDTH)
    between = set(range(min(constants), max(constants) + 1)) - set(constants)
    assert found(known) == {ahead(constant) for constant in between}


def test_differences_that_are_far_apart_are_no_family() -> None:
    assert found([ahead(0), ahead(1), ahead(WIDEST + 1)]) == set()
    assert found([ahead(0), ahead(2), is_(x, 1)]) == set()


MACHINE = """
int main(void) {
    int state = 100, next = 1, seen = 0;
    while (1) {
        if (state == 100) state = next;
        else if (state == 1) { next = any() ? 7 : 5; state = 100; }
        else if (state == 5) { next = 12; seen = 1; state = 100; }
        else if (state == 7) { next = 9; state = 100; }
        else if (state == 9) { next = 30; state = 100; }
        else if (state == 12) { next = 14; state = 100; }
        else if (state == 14) { next = 18; state = 100; }
        else if (state == 18) { next = 30; state = 100; }
        else if (state == 30) { next = 33; state = 100; }
        else if (state == 33) { check(next == 33); next = seen ? 41 : 44; state = 100; }
        else if (state == 41) { check(seen); next = 1; state = 100; }
        else if (state == 44) { check(!seen); next = 1; state = 100; }
        else check(0);
    }
}"""


def test_a_machine_that_keeps_its_next_state() -> None:
    """Its twelve states in `next`, which the program never asks for, take as few refinements as those of `state`."""
    plain = {"predicates.facts": "false", "predicates.trials": "false"}
    made = checked(MACHINE, plain)
    assert isinstance(made.verdict, Safe)
    assert made.numbers["refinements"] <= 4
    assert isinstance(checked(MACHINE.replace("seen ? 41", "any() ? 41"), plain).verdict, Unsafe)
