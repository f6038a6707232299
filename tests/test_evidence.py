"""The proof checker is attacked: certificates that prove nothing must not pass."""

from __future__ import annotations

from itertools import islice

import pytest

from attack_proofs import checker_says
from attack_unrollings import is_proof, mutants
from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.evidence.unrolling import CompleteUnrolling

pytestmark = pytest.mark.fills_memory

BOUNDED = """
int main() { int n = any(); __VERIFIER_assume(n >= 0 && n <= 3); int s = 0;
  for (int i = 0; i < n; i++) s += 2; check(s <= 6); return 0; }"""
UNSAFE_DEEP = "int main() { int n = any(), s = 0; for (int i = 0; i < n; i++) s++; check(s != 4); return 0; }"


def loop_edges(text: str, iterations: range) -> list[str]:
    """The names of the back edges of the program's only loop."""
    main = program(text).main
    for block in main.blocks:
        for edge in block.edges:
            if edge.target <= block.index:
                return [f"{main.name}:{block.index}[{k}]>{edge.target}" for k in iterations]
    raise AssertionError("no loop")


def rejects(text: str, cuts: tuple[str, ...], seconds: float = 5) -> bool:
    try:
        check_proof(program(text), CompleteUnrolling("flat", cuts), Budget(seconds))
    except EvidenceRejected:
        return True
    return False


def test_the_true_proof_passes() -> None:
    (cut,) = loop_edges(BOUNDED, range(3, 4))
    assert not rejects(BOUNDED, (cut,))


@pytest.mark.parametrize("iteration", [0, 1, 2])
def test_a_cut_that_a_run_reaches_is_refused(iteration: int) -> None:
    assert rejects(BOUNDED, tuple(loop_edges(BOUNDED, range(iteration, iteration + 1))))


@pytest.mark.parametrize("iteration", range(6))
def test_no_cut_makes_an_unsafe_program_safe(iteration: int) -> None:
    assert rejects(UNSAFE_DEEP, tuple(loop_edges(UNSAFE_DEEP, range(iteration, iteration + 1))))


def test_all_cuts_at_once_do_not_help() -> None:
    assert rejects(UNSAFE_DEEP, tuple(loop_edges(UNSAFE_DEEP, range(40))))


def test_a_missing_cut_is_no_proof_but_no_endless_check_either() -> None:
    with pytest.raises(EvidenceUnchecked):
        check_proof(program(BOUNDED), CompleteUnrolling("flat", ()), Budget(1))


@pytest.mark.parametrize("name", ["", "nonsense", "__cp_main:0[0]>0", "__cp_main:1[0]>1/", "main:99[7]>3"])
def test_invented_names_prove_nothing(name: str) -> None:
    assert rejects(UNSAFE_DEEP, (name,), seconds=1)


def test_a_proof_of_another_program_does_not_pass() -> None:
    (cut,) = loop_edges(BOUNDED, range(3, 4))
    assert rejects(BOUNDED.replace("s <= 6", "s <= 5"), (cut,))
    assert rejects(BOUNDED.replace("n <= 3", "n <= 4"), (cut,))


def test_constructs_without_a_meaning_are_claims() -> None:
    text = 'int main() { int x = any(); if (x == 5) __asm__ volatile("mov $1, %0" : "=r"(x)); return 0; }'
    assert rejects(text, ())
    assert not rejects(text.replace("x == 5", "x != x"), ())


def test_failing_assumptions_do_not_hide_earlier_checks() -> None:
    assert rejects("int main() { int x = any(); check(x != 3); __VERIFIER_assume(x != 3); return 0; }", ())
    assert not rejects("int main() { int x = any(); __VERIFIER_assume(x != 3); check(x != 3); return 0; }", ())


def test_mutants_that_prove_nothing_are_refused() -> None:
    seen = [mutant for mutant in islice(mutants(3), 8) if not is_proof(mutant)]
    assert len(seen) > 3
    assert all(checker_says(mutant) != "accepted" for mutant in seen)
