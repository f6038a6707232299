"""Closed forms of loops: the paper's examples, and agreement with the loop itself on all kinds of counters."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c_programs import program
from counterpoint.engines.bmc.acceleration import accelerate
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, StepLimit, Violated
from counterpoint.program.graph import loops
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.model import Program
from counterpoint.program.validate import validate

LINEAR = (
    "int main(void) { int n = any(), a = any(), x = any(), i = 0; while (i < n) { x = x + a; i = i + 3; }"
    " check(x != 77); return 0; }"
)
NESTED = (
    "int main(void) { int x = any(), y = x; if (x > 10) return 0; for (int i = 0; i < 100; i++) { int a = 200, b = 0;"
    " for (int j = 0; j < 100; j++) { a = a - 1; b = b + 1; } x = x + a; y = y + b; } check(x == y); return 0; }"
)
SUM = "int main(void) { unsigned n = any(), s = 0, i = 0; while (i < n) { s += i; i++; } check(s != 45); return 0; }"


def accelerated(text: str) -> Program:
    original = program(text)
    result = accelerate(original)
    assert result is not original
    validate(result)
    return result


def test_the_papers_first_example_keeps_the_loop_only_for_wrap_around() -> None:
    assert len(loops(accelerated(LINEAR).main)) == 1


@pytest.mark.parametrize("text", [NESTED, SUM])
def test_no_loop_is_left(text: str) -> None:
    assert loops(accelerated(text).main) == ()


def test_the_papers_second_example_has_no_failing_run() -> None:
    outcome = run(accelerated(NESTED), ReplayInputs((ScalarInput(0, 7, 32),)), Limits(steps=10_000)).outcome
    assert not isinstance(outcome, Violated)


def test_what_cannot_be_left_ends_the_run() -> None:
    text = "int main(void) { int x = any(); if (x) { while (1) x++; } check(x == 0); return 0; }"
    assert loops(accelerate(program(text)).main) == ()


def test_a_loop_whose_condition_it_does_not_change_is_left_at_once_or_never() -> None:
    text = (
        "int main(void) { int x = any(), y = any(), s = 0; while (x + y <= 9) s += any(); check(x + y > 9); return s; }"
    )
    result = accelerated(text)
    assert loops(result.main) == ()
    sites = [site.index for site in program(text).sites]
    for x in (4, 6):
        values = [ScalarInput(sites[0], x, 32), ScalarInput(sites[1], 5, 32)]
        assert not isinstance(run(result, ReplayInputs(values), Limits(steps=1_000)).outcome, Violated)


@pytest.mark.parametrize("body", ["while (n < 9) { check(i != 5); i++; }", "while (n < 9) { i++; n = any(); }"])
def test_loops_that_can_fail_or_end_are_not_endless(body: str) -> None:
    original = program(f"int main(void) {{ int n = any(), i = 0; {body} check(i < 9); return 0; }}")
    assert len(loops(accelerate(original).main)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "while (i < n) { check(i != 5); i++; }",
        "while (i < n) { i = i * 3 + 1; }",
        "while (i < n) { if (any()) i++; else i += 2; }",
    ],
)
def test_loops_without_a_closed_form_stay(body: str) -> None:
    original = program(f"int main(void) {{ int n = any(), i = 0; {body} check(i < 9); return 0; }}")
    assert accelerate(original) is original


TESTS = ["i < n", "i <= n", "i > n", "i >= n", "i != n", "n > i", "i - 1 < n", "!(i == n)"]
STEPS = ["i++", "i--", "i += 3", "i -= 2", "i += 5", "i += 2"]
BODIES = ["x += a;", "x += i;", "x = a;", "x = i + a;", "x -= 2 * i - a;", ""]
BASES = [0, 40, (1 << 31) - 20, 1 << 31, (1 << 32) - 20]
STEP_LIMIT = Limits(steps=3_000)


def result_bits(checked: Program, inputs: list[ScalarInput]) -> list[object]:
    """How runs end that fail exactly if bit k of the result is set, for each k."""
    sites = checked.sites[-1].index
    return [run(checked, ReplayInputs([*inputs, ScalarInput(sites, k, 32)]), STEP_LIMIT).outcome for k in range(32)]


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["unsigned", "int"]),
    st.sampled_from(TESTS),
    st.sampled_from(STEPS),
    st.sampled_from(BODIES),
    st.sampled_from(BASES),
    st.lists(st.integers(0, 39), min_size=4, max_size=4),
)
def test_the_closed_form_is_what_the_loop_computes(
    kind: str, test: str, step: str, body: str, base: int, small: list[int]
) -> None:
    text = (
        f"int main(void) {{ {kind} i = any(); {kind} n = any(); {kind} a = any(); {kind} x = any();"
        f" while ({test}) {{ {body} {step}; }} unsigned v = x * 3 + i; check(!(v >> (any() & 31) & 1)); return 0; }}"
    )
    original = program(text)
    other = accelerate(original)
    assert other is not original
    near = [base + small[0], base + small[1], small[2], small[3]]
    inputs = [ScalarInput(site.index, v % (1 << 32), 32) for site, v in zip(original.sites, near, strict=False)]
    first = run(original, ReplayInputs([*inputs]), STEP_LIMIT).outcome
    if not isinstance(first, StepLimit):
        assert result_bits(original, inputs) == result_bits(other, inputs)
