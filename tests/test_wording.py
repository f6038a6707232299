"""Formulas in contracts and witnesses mean what they say, in ACSL and in C."""

from __future__ import annotations

import pytest

from acsl_values import Reader, State
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
