"""A copy of the program for each value of an input: the same runs, and no proof without the values that were left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.engines import task
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Tools
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.evidence.verdict import Reason, Safe, Unknown, Unsafe
from counterpoint.execute import cases
from counterpoint.execute.cases import cases_of
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, UnsupportedAt, Violated
from counterpoint.portfolio.features import features_of
from counterpoint.program.cases import Place, split_by_value
from counterpoint.program.graph import loops
from counterpoint.program.model import Nondet, Program
from counterpoint.program.validate import validate

BUFFER = """int main(void) {
    unsigned length = any();
    __VERIFIER_assume(length >= 1 && length <= 5);
    long doubled = 2 * (long)length;
    unsigned char *p = malloc(length), sum = 0;
    for (unsigned i = 0; i < length; i++) p[i] = any();
    for (unsigned i = 0; i < length; i++) sum |= p[i];
    check(doubled == 2 * (long)length && (sum || !p[length - 1]));
    free(p);
    return 0;
}"""

BRANCHES = """int main(void) {
    int count = any(), other = any(), sum = 0;
    if (count < -1 || count > 3) return 0;
    if (other == 4) sum = 1;
    for (int i = 0; i < count; i++) sum += other;
    check(count != 3 || sum != 30);
    return 0;
}"""


def test_a_length_and_a_count_are_found() -> None:
    found = cases_of(program(BUFFER, "memory-safety"))
    assert found is not None and found.values == (1, 2, 3, 4, 5)
    found = cases_of(program(BRANCHES))
    assert found is not None and found.values == (0, 1, 2, 3, 0xFFFFFFFF)
    assert features_of(program(BRANCHES)).cases == 5


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { unsigned n = any(); char *p = malloc(n); free(p); return 0; }",
        "int main(void) { unsigned n = any(); if (n > 5000) return 0; for (unsigned i = 0; i < n; i++) check(i < n); return 0; }",
        "int main(void) { unsigned n = any(); if (n > 5) return 0; check(n < 6); return 0; }",
        "int main(void) { for (;;) { unsigned n = any(); if (n > 5) return 0; for (unsigned i = 0; i < n; i++) check(i < n); } }",
    ],
    ids=["any value", "too many", "decides nothing", "in a loop"],
)
def test_what_is_not_worth_it(text: str) -> None:
    assert cases_of(program(text)) is None
    assert program(text, preparation="cases") == program(text)


@pytest.mark.parametrize("text", [BUFFER, BRANCHES], ids=["buffer", "branches"])
@pytest.mark.parametrize("property_", ["unreach-call", "memory-safety", "no-overflow"])
def test_the_same_runs(text: str, property_: str) -> None:
    """For each input outside of loops, split at each place behind it, whether that is worth it or not."""
    whole = program(text, property_)
    inside = {block for loop in loops(whole.main) for block in loop.blocks}
    for block in whole.main.blocks:
        for position, instruction in enumerate(block.instructions):
            if isinstance(instruction, Nondet) and block.index not in inside:
                for place in {Place(block.index, position + 1), Place(block.index, len(block.instructions))}:
                    split = split_by_value(whole, place, instruction.result, (0, 1, 3, 0xFFFFFFFF))
                    validate(split)
                    runs_agree(whole, split)


def runs_agree(whole: Program, split: Program) -> None:
    ended = 0
    for seed in range(60):
        limits = Limits(steps=2_000)
        one, two = (run(made, RandomInputs(seed, (3, 1)), limits) for made in (whole, split))
        if isinstance(two.outcome, UnsupportedAt):
            continue
        ended += 1
        assert one.outcome == two.outcome
        assert one.inputs == two.inputs
    assert ended


def test_a_proof_needs_all_values() -> None:
    """The checker refuses one whose cases leave a value out."""
    made = subject(BUFFER, "memory-safety")
    flat, found = made.program("flat"), cases_of(made.program("flat"))
    assert found is not None
    for values, fine in ((found.values, True), (found.values[1:], False), (found.values[:-1], False)):
        split = split_by_value(flat, found.place, found.register, values)
        certificate = CompleteUnrolling("cases", ())
        if fine:
            check_proof(split, certificate, Budget(60))
        else:
            with pytest.raises(EvidenceRejected):
                check_proof(split, certificate, Budget(60))


def test_a_place_in_a_loop_is_refused() -> None:
    whole = program("int main(void) { while (any()) { int n = any(); check(n | 1); } return 0; }")
    inside = loops(whole.main)[0].blocks
    where, register = next(
        (block.index, i.result) for block in whole.main.blocks for i in block.instructions
        if block.index in inside and isinstance(i, Nondet)
    )
    with pytest.raises(ValueError, match="more than once"):
        split_by_value(whole, Place(where, 1), register, (0, 1))


def test_bounded_model_checking_of_the_cases() -> None:
    made = subject(BUFFER, "memory-safety")
    verdict = ENGINE.verify(task("bmc", made, {"bmc.cases": "true"}), Tools(Budget(30)))
    assert isinstance(verdict, Safe) and verdict.certificate.preparation == "cases"
    check_proof(made.program("cases"), verdict.certificate, Budget(60))
    made = subject(BRANCHES)
    verdict = ENGINE.verify(task("bmc", made, {"bmc.cases": "true"}), Tools(Budget(30)))
    assert isinstance(verdict, Unsafe)
    replayed = run(made.program("none"), ReplayInputs(verdict.violation.inputs), Limits(steps=10_000))
    assert isinstance(replayed.outcome, Violated)


def test_what_the_cases_leave_out_is_not_said_of_the_program() -> None:
    """A program without a meaning in one case is only that: no last word of the whole check."""
    text = BUFFER.replace("free(p);", 'free(p); if (length == 3) __asm__ volatile("nop" : "+r"(doubled));')
    verdict = ENGINE.verify(task("bmc", subject(text), {"bmc.cases": "true"}), Tools(Budget(30)))
    assert isinstance(verdict, Unknown) and verdict.reason is Reason.NO_PROGRESS and not verdict.exhaustive


def test_the_option_is_read() -> None:
    with pytest.raises(UnusableInput, match="cases"):
        task("bmc", subject(BUFFER), {"bmc.cases": "perhaps"})
    assert task("bmc", subject(BUFFER), {"bmc.cases": "true", "prepare": "none"}).preparation == "none"
    assert replace(features_of(program(BUFFER)), cases=0).words


def test_the_search_for_an_input_that_is_split_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(BUFFER, "memory-safety")
    assert cases_of(made) is not None
    monkeypatch.setattr(cases, "MOST_WORK", 1_000)
    assert cases_of(made) is None
