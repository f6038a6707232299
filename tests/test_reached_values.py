"""Which values state variables have together: what is guessed, and what is proved by it."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

import counterpoint
from c_programs import PRELUDE, program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.invariants.reached_values import one_of, reached_values
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.semantics.facts import Fact
from counterpoint.term import build
from counterpoint.term.evaluate import evaluate
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from counterpoint.term.walk import variables

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import event_machines

MACHINE = """
int a = 4, b = 7;
int main(void) {
  while (1) {
    int input = any();
    if (input == 3 && a == 4 && b == 7) { a = 5; }
    else if (input == 1000000 && a == 5) { b = 9; a = 6; }
    else if (input > 70 && input < 73 && a == 6 && b == 9) { a = 4; b = 7; }
    check(%s);
  }
}
"""
"""It goes from (4, 7) by (5, 7) to (6, 9) and back."""


def guessed(text: str) -> list[Fact]:
    return list(reached_values(cut_graph(program(text), Budget(30)), Budget(30)))


def holds(formula: V, names: Sequence[Term], state: Sequence[int]) -> bool:
    return bool(evaluate(formula, {str(v.payload): value for v, value in zip(names, state, strict=True)}))


def allowed(fact: Fact, values: range) -> set[tuple[int, ...]]:
    """Of the fact's variables by their names."""
    names = sorted(variables(fact.formula), key=lambda v: str(v.payload))
    return {one for one in product(values, repeat=len(names)) if holds(fact.formula, names, one)}


def test_what_is_reached_is_guessed_as_a_whole() -> None:
    (fact,) = guessed(PRELUDE + MACHINE % "1")
    assert allowed(fact, range(12)) == {(4, 0), (5, 0), (6, 1)}, "of `b`, which has two values, LLVM keeps one bit"


def test_a_diagram_allows_just_its_states() -> None:
    choose = random.Random(5)
    names = [build.variable(f"n{k}", BitVec(3)) for k in range(3)]
    every = list(product(range(5), repeat=3))
    for count in (1, 2, 7, 40, 90, len(every)):
        states = choose.sample(every, count)
        formula = one_of(names, states)
        assert {one for one in product(range(8), repeat=3) if holds(formula, names, one)} == set(states)
    assert one_of(names, []) == 0 and one_of([], [()]) == 1


def test_states_that_go_on_alike_share_what_they_go_on_with() -> None:
    names = [build.variable(f"s{k}", BitVec(8)) for k in range(10)]
    states = list(product((3, 4), repeat=10))
    assert len(str(one_of(names, states))) < 3_000


@pytest.mark.parametrize(
    "text",
    [
        "int x; int main(void) { while (1) { x = any(); check(x || 1); } }",  # no state variable
        "int x[14]; int main(void) { while (1) {" + "".join(f"if (any()) x[{k}] = !x[{k}];" for k in range(14)) + "} }",
    ],
    ids=["none", "many"],
)
def test_where_there_is_no_telling_nothing_is_said(text: str) -> None:
    assert guessed(PRELUDE + text) == []


@pytest.mark.parametrize(
    "text",
    [
        "int a[8], x, y; int main(void) { while (1) { unsigned i = any(); a[i % 8] = 1; if (a[any() & 7]) STEP } }",
        "double d; int x, y; int main(void) { while (1) { d += any(); if (d > 3) STEP } }",
        "__int128 d; int x, y; int main(void) { while (1) { d += any(); if (d > 3) STEP } }",
    ],
    ids=["array", "float", "wide"],
)
def test_what_is_no_vector_has_any_value(text: str) -> None:
    step = "{ if (x == 0) x = 5; else if (x == 5 && y == 0) y = 7; else if (y == 7) x = 9; }"
    (fact,) = guessed(PRELUDE + text.replace("STEP", step))
    x, y = sorted(variables(fact.formula), key=lambda v: str(v.payload))
    assert {(a, b) for a in range(12) for b in range(12) if holds(fact.formula, (x, y), (a, b))} in (
        {(0, 0), (5, 0), (5, 7), (9, 7)}, {(0, 0), (5, 0), (5, 1), (9, 1)}
    )


def test_it_stops_when_its_time_is_over() -> None:
    graph = cut_graph(program(PRELUDE + MACHINE % "1"), Budget(30))
    with pytest.raises(OutOfBudget):
        list(reached_values(graph, Budget(0)))


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [("a != 6 || b == 9", "TRUE"), ("a + b != 14", "TRUE"), ("a != 6", "FALSE(unreach-call)")],
)
def test_the_set_is_a_proof(tmp_path: Path, condition: str, verdict: str) -> None:
    file = tmp_path / "machine.c"
    file.write_text(PRELUDE + MACHINE % condition)
    alone = counterpoint.check(file, engines=("ice",), timeout=30, jobs=1)
    assert alone.verdict == verdict if verdict == "TRUE" else alone.verdict.startswith("UNKNOWN")
    if verdict == "TRUE":
        assert alone.proof is not None and "1 fact" in alone.proof.summary
    else:
        assert counterpoint.check(file, timeout=30, jobs=1).verdict == verdict


def test_machines_of_the_benchmark_are_what_they_say(tmp_path: Path) -> None:
    for branches, depth in ((30, 4), (60, 9)):
        made = event_machines.machine(branches, depth, random.Random(1))
        assert len(made.branches) == branches and max(made.reached().values()) == depth
    text = event_machines.program(30, 4, True, 2)
    assert text.startswith("// TRUE model=ILP32\n") and text.count("if (") == 32
    file = tmp_path / "events.c"
    for safe in (True, False):
        file.write_text(event_machines.program(30, 4, safe, 2))
        found = counterpoint.check(file, data_model="ILP32", timeout=60, jobs=1)
        assert found.verdict == ("TRUE" if safe else "FALSE(unreach-call)")
