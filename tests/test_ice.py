"""Clauses from examples and counterexamples: what they prove is checked, what is false is not proved."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import counterpoint
from c_programs import PRELUDE, program
from counterpoint.core.budget import Budget
from counterpoint.engines.answers import invariant_proof
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.execute.inputs import HabitualInputs
from counterpoint.execute.snapshots import Snapshot
from counterpoint.invariants.clauses import examples_of
from counterpoint.invariants.clauses.differences import stronger
from counterpoint.invariants.clauses.examples import Examples, Separation, chance_step, compared
from counterpoint.invariants.clauses.learner import GaveUp, Learner
from counterpoint.invariants.houdini import Houdini
from counterpoint.regions.cut_graph import START, CutGraph, cut_graph
from counterpoint.term import build as b
from counterpoint.term.evaluate import array_value
from counterpoint.term.sorts import BOOL, FLOAT32, ArraySort, BitVec
from counterpoint.term.term import V

RING = """
int m_pc, m_st, a_pc, a_st, b_pc, b_st, token, local;
void master(void) {
  if (m_pc == 1) check(token == local + %d);
  token = any(); local = token;
  if (a_pc == 1) a_st = 0;
  m_pc = 1; m_st = 2;
}
void first(void) { if (a_pc == 1) { token++; if (b_pc == 1) b_st = 0; } a_pc = 1; a_st = 2; }
void second(void) { if (b_pc == 1) { token++; if (m_pc == 1) m_st = 0; } b_pc = 1; b_st = 2; }
int main(void) {
  while (1) {
    if (m_st == 0 && any()) { m_st = 1; master(); }
    if (a_st == 0 && any()) { a_st = 1; first(); }
    if (b_st == 0 && any()) { b_st = 1; second(); }
    if (m_st == 2 && a_st == 2 && b_st == 2) m_st = 3;
  }
}
"""
"""Three processes pass a token round: each adds one to what the master began with."""

WAITING = """
int turn, here[2], in;
int main(void) {
  int pc[2] = {0, 0};
  while (1) {
    int i = any() != 0;
    if (pc[i] == 0) { here[i] = 1; turn = 1 - i; pc[i] = 1; }
    else if (pc[i] == 1 && (!here[1 - i] || turn == i)) { in++; pc[i] = 2; check(in == 1); }
    else if (pc[i] == 2) { in--; here[i] = 0; pc[i] = 0; }
  }
}
"""
"""Peterson's mutual exclusion."""


def learned(graph: CutGraph, examples: dict[tuple[str, int], Examples]) -> tuple[GaveUp | None, Learner, Houdini]:
    houdini = Houdini(graph, Budget(60))
    learner = Learner(houdini, {START: Examples([Snapshot({})]), **examples})
    return learner.learn(), learner, houdini


def proved(text: str) -> bool:
    """Without any run: all that is known of states is what the learner finds out by itself."""
    made = program(text)
    graph = cut_graph(made, Budget(60))
    outcome, learner, houdini = learned(graph, {})
    try:
        if outcome is not None:
            return False
        certificate = invariant_proof(graph, "flat", learner.needed()).certificate
        assert isinstance(certificate, InductiveInvariants)
        check_proof(made, certificate, Budget(60))
        return True
    finally:
        houdini.close()


def test_a_ring_is_proved_without_a_run() -> None:
    """Most clauses are wrong at first, and several are dropped at once."""
    made = program(RING % 2)
    graph = cut_graph(made, Budget(60))
    outcome, learner, houdini = learned(graph, {})
    assert outcome is None and learner.statistics.dropped > 3 and learner.statistics.examples > 3
    houdini.close()


@pytest.mark.parametrize("text", [RING % 1, WAITING.replace("turn == i", "turn != i")])
def test_what_can_fail_is_not_proved(text: str) -> None:
    assert not proved(text)


def test_mutual_exclusion_is_proved_by_the_engine(tmp_path: Path) -> None:
    file = tmp_path / "peterson.c"
    file.write_text(PRELUDE + WAITING)
    assert counterpoint.check(file, engines=("ice",), timeout=120.0, proof_runs=False).verdict == "TRUE"


# ---------------------------------------------------------------- examples


def examples(*rows: tuple[int, ...]) -> Examples:
    return Examples([Snapshot({b.variable(f"x{k}", BitVec(8)): value for k, value in enumerate(row)}) for row in rows])


def x(number: int, value: int) -> V:
    return b.eq(b.variable(f"x{number}", BitVec(8)), value, 8)


def test_conditions_that_no_example_fulfils_together() -> None:
    known = examples(*((p, q, r) for p in (0, 1) for q in (0, 1) for r in (0, 1, 2) if (p, q) != (1, 1)))
    found = known.separating([x(2, 0), x(0, 1), x(1, 1)])
    assert isinstance(found, Separation) and set(found.conditions) == {x(0, 1), x(1, 1)}
    found = known.separating([x(2, 0), x(0, 1)])
    assert isinstance(found, Snapshot) and [*found.values.values()] == [1, 0, 0]


def equal(a: int, c: int, number: int) -> V:
    return b.eq(b.variable(f"x{a}", BitVec(8)), b.add(b.variable(f"x{c}", BitVec(8)), number, 8), 8)


def test_what_examples_agree_about_is_said_of_a_difference() -> None:
    """Of the examples with x0 = 1 half are one apart, those of them with x1 = 1."""
    known = examples(*((p, q, 7 * k % 256, (7 * k + q) % 256) for p in (0, 1) for q in (0, 1) for k in range(40)))
    wrong, zero, one = equal(3, 2, 9), x(1, 0), x(1, 1)
    alone = list(stronger([one, wrong], [x(0, 1)], known))
    assert alone == [(one, b.not_(equal(3, 2, 1)))] or alone == [(one, b.not_(equal(2, 3, -1)))]
    [(first, second, excluded)] = stronger([x(0, 1), wrong], [x(0, 1), wrong, zero], known)
    assert (first, second) == (x(0, 1), zero) and known.fulfilling(excluded) & known.fulfilling(zero) == 0
    assert list(stronger([x(0, 1), wrong], [wrong], known)) == [], "they have two differences"
    assert list(stronger([one, x(0, 9)], [zero], known)) == [], "a number is no difference"
    assert list(stronger([one, wrong], [], examples((0, 1, 5, 6), (0, 1, 6, 7)))) == [], "two may agree by chance"


def test_an_unknown_difference_is_agreed_about_by_none() -> None:
    known = examples(*((0, 1, k, k + 1) for k in range(30)))
    known.add(Snapshot({b.variable("x1", BitVec(8)): 1, b.variable("x2", BitVec(8)): 3}))
    assert list(stronger([x(1, 1), equal(3, 2, 9)], [], known)) == []


def test_the_same_seed_gives_the_same_examples() -> None:
    """However long one run takes: the limit in seconds is not reached."""
    graph = cut_graph(program(RING % 2), Budget(60))
    first, second = (examples_of(graph, Budget(60), 3) for _ in range(2))
    assert {k: known.states for k, known in first.items()} == {k: known.states for k, known in second.items()}


def test_an_unknown_value_excludes_nothing() -> None:
    known = examples((1, 1))
    known.add(Snapshot({b.variable("x0", BitVec(8)): 2}))
    found = known.separating([x(0, 2), x(1, 7)])
    assert isinstance(found, Snapshot)


def test_steps_by_chance_are_steps_of_the_program() -> None:
    """From a state that was reached, with inputs that the region compares something with."""
    text = "int main(void) { unsigned s = 3; for (;;) { if (__VERIFIER_nondet_int() == 70707) s = 2 * s; } }"
    graph = cut_graph(program(text), Budget(60))
    region = next(region for region in graph.regions if region.start != START)
    state = next(v for v in region.start_values.values if v.sort == BitVec(32))
    numbers, choose = compared(region), random.Random(1)
    assert 70707 in numbers
    steps = [chance_step(region, Snapshot({state: 5}), numbers, choose) for _ in range(60)]
    assert {step[1].values[state] for step in steps if step is not None} == {5, 10}
    assert {step[0] for step in steps if step is not None} == {region.start}
    known = Examples([Snapshot({state: 5})])
    assert known.is_new(Snapshot({state: 10})) and not known.is_new(Snapshot({state: 5}))
    known.add(Snapshot({state: 10}))
    assert not known.is_new(Snapshot({state: 10}))


def test_floats_and_arrays_are_evaluated() -> None:
    bits = b.variable("f", BitVec(32))
    array = b.variable("a", ArraySort(32, 8))
    one = Snapshot({bits: 0x3F800000, array: array_value({4: 7})})
    above = b.fp_lt(0, b.fp_from_bits(bits, FLOAT32), FLOAT32)
    assert Examples([one]).fulfilling(above) == 1 and Examples([one]).fulfilling(b.not_(above)) == 0
    assert [Examples([one]).fulfilling(b.eq(b.select(array, k), 8, 8)) for k in (4, 5)] == [0, 1]


def test_examples_that_come_later_count() -> None:
    choose = random.Random(1)
    rows = [tuple(choose.randrange(3) for _ in range(4)) for _ in range(40)]
    slowly, conditions = examples(), [x(k, choose.randrange(3)) for k in range(4)]
    for row in rows:
        for one in conditions:
            slowly.fulfilling(one)
        for state in examples(row).states:
            slowly.add(state)
    at_once = examples(*rows)
    assert [slowly.fulfilling(one) for one in conditions] == [at_once.fulfilling(one) for one in conditions]
    assert slowly.fulfilling(b.variable("p", BOOL)) == slowly.all


def test_habits() -> None:
    """Most sites have a favourite; the same seed gives the same run."""
    def run(seed: int) -> list[list[int]]:
        source = HabitualInputs(seed)
        return [[source.scalar(site, 32) for _ in range(50)] for site in range(8)]

    assert run(3) == run(3) != run(4)
    usual = [max(map(values.count, values)) for seed in range(20) for values in run(seed)]
    assert sum(count > 40 for count in usual) > len(usual) // 3
