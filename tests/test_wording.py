"""Formulas in contracts and witnesses mean what they say, in ACSL and in C."""

from __future__ import annotations

import pytest

from acsl_values import Reader, State
from counterpoint.contracts.sentences import Sayer
from counterpoint.contracts.views import Seen, View
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from fuzz_words import Round

VALUES = {
    "x < 3 ==> \\result == \\old(g)": False,
    "(unsigned char)(x - 3) == 255": True,
    "\\forall integer k; 0 <= k < 3 ==> a[k] >= x": False,
    "\\exists integer k; 0 <= k < 3 && a[k] == x": True,
    "-7 / 2 == -3 && -7 % 2 == -1 && (x > 0 ? a[0] : 4) == 1": True,
    "1 < x < 3 && !(x == 3)": True,
}


@pytest.mark.parametrize("text", VALUES)
def test_the_reader(text: str) -> None:
    state = State({"x": 2, "g": 4, "a": [1, 2, 3]}, {"x": 2, "g": 5, "a": [1, 2, 3], "\\result": 3})
    assert bool(Reader(text, ["x", "a"]).whole()(state)) is VALUES[text]


@pytest.mark.parametrize("seed", range(2))
def test_random_formulas_say_what_they_mean(seed: int) -> None:
    """And what is said in C has no undefined behaviour."""
    done = Round(seed).run(80)
    assert not done.wrong and min(done.acsl, done.c) > 20


def test_a_condition_is_said_again_behind_parentheses() -> None:
    *given, result = (build.variable(name, BitVec(32)) for name in ("a", "b", "c", "d", "e", "f", "result"))
    ones = [build.ne(one, 3, 32) for one in given[1:]]
    premise = build.conjunction([build.or_(build.eq(given[0], 1, 32), build.conjunction(ones)), *ones[:4]])
    names = {one: Seen(str(one.payload), True, argument=True) for one in given}
    names[result] = Seen("\\result", True, result=True)
    said = Sayer(View("f", ()), names, frozenset("abcdef"), 64).sentence(
        build.implies(premise, build.eq(result, 31, 32))
    )
    assert said is not None
    for number in range(64):
        values = {name: 1 + 2 * (number >> place & 1) for place, name in enumerate("abcdef")}
        meant = (values["a"] == 1 or values["f"] != 3) and all(values[n] != 3 for n in "bcde")
        state = State(values, {**values, "\\result": 30})
        assert bool(Reader(said.whole, list("abcdef")).whole()(state)) is not meant, said.whole
