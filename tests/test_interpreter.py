"""Concrete runs of small programs: control flow, inputs, outcomes, limits."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import SLICE, Run, run
from counterpoint.execute.outcome import (
    AssumptionFailed,
    Finished,
    InputsExhausted,
    Limits,
    StepLimit,
    UnsupportedAt,
    Violated,
)
from counterpoint.program import model as p
from counterpoint.program.inputs import MemoryInput, ScalarInput
from counterpoint.program.types import DOUBLE, TRUTH, Type
from counterpoint.semantics import definition
from counterpoint.semantics.algebra import Signature
from counterpoint.semantics.ints import INTS
from tiny_programs import I8, I32, I64, FunctionBuilder, const, program


def on(code: p.Program, *scalars: int, limits: Limits | None = None) -> Run:
    return run(code, ReplayInputs([ScalarInput(0, value, 32) for value in scalars]), limits)


def counting_loop() -> p.Program:
    """Sums 0..n-1 for an input n; the check fails where the sum is 45."""
    f = FunctionBuilder("main")
    f.block(0)
    n = f.nondet(I32)
    f.goto(1, const(0), const(0))
    i, total = f.register(I32, "i"), f.register(I32, "total")
    f.block(1, i, total)
    f.branch(f.compute("ult", TRUTH, i, n), 2, 3)
    f.block(2)
    f.goto(1, f.compute("add", I32, i, const(1)), f.compute("add", I32, total, i))
    f.block(3)
    f.check(f.compute("ne", TRUTH, total, const(45)))
    f.stop()
    return program(f)


def test_loop_and_check() -> None:
    code = counting_loop()
    assert on(code, 9).outcome == Finished()
    found = on(code, 10)
    assert found.outcome == Violated(0)
    assert found.inputs == (ScalarInput(0, 10, 32),)


def test_steps_are_limited_and_counted() -> None:
    code = counting_loop()
    assert on(code, 2**31, limits=Limits(steps=1000)).outcome == StepLimit()
    short, long = on(code, 5), on(code, 105)
    assert long.steps - short.steps == 100 * 5, "two instructions, and two terminators and a comparison"


def test_steps_come_in_slices() -> None:
    code = counting_loop()
    found = on(code, 2**31, limits=Limits(steps=3 * SLICE + 1000))
    assert found.outcome == StepLimit() and 0 <= found.steps - 3 * SLICE - 1000 < 10
    assert on(code, SLICE).outcome == Finished()


def test_time_is_limited() -> None:
    assert on(counting_loop(), 2**31, limits=Limits(steps=10**9, seconds=0.1)).outcome == StepLimit("seconds")


def test_parameters_are_assigned_at_once() -> None:
    """An edge that swaps two values."""
    f = FunctionBuilder("main")
    f.block(0)
    f.goto(1, const(1), const(2), const(0))
    a, b, i = (f.register(I32) for _ in range(3))
    f.block(1, a, b, i)
    j = f.compute("add", I32, i, const(1))
    f.branch(f.compute("ult", TRUTH, j, const(4)), 1, 2, (b, a, j))
    f.block(2)
    f.check_equal(a, const(2))
    f.check_equal(b, const(1))
    f.stop()
    assert run(program(f), ReplayInputs(())).outcome == Finished()


@pytest.mark.parametrize(("value", "expected"), [(3, 0), (7, 1), (2**32 - 1, 2), (5, 3)])
def test_switch(value: int, expected: int) -> None:
    f = FunctionBuilder("main")
    f.block(0)
    f.switch(f.nondet(I32), {3: 1, 7: 2, 2**32 - 1: 3}, 4)
    for block in (1, 2, 3, 4):
        f.block(block)
        f.check(const(0, TRUTH), block - 1)
        f.stop()
    code = program(f, kinds=("a", "b", "c", "d"))
    assert on(code, value).outcome == Violated(expected)


def test_switch_with_thousands_of_cases() -> None:
    f = FunctionBuilder("main")
    count = 5000
    f.block(0)
    f.switch(f.nondet(I32), {7 * case: case + 1 for case in range(count)}, count + 1)
    for index in range(1, count + 1):
        f.block(index)
        f.goto(count + 2, const(index))
    f.block(count + 1)
    f.goto(count + 2, const(0))
    chosen = f.register(I32)
    f.block(count + 2, chosen)
    f.check_equal(chosen, f.nondet(I32))
    f.stop()
    code = program(f)
    for value, index in ((0, 1), (7, 2), (8, 0), (7 * 4999, 5000), (7 * 5000, 0)):
        assert on(code, value, index).outcome == Finished()


def test_switches_inside_of_switches() -> None:
    """Ten nested switches of twenty cases each: more levels than Python indents."""
    f = FunctionBuilder("main")
    levels, width = 10, 20
    n = f.register(I32)
    for level in range(levels):
        f.block(level)
        if level == 0:
            n = f.nondet(I32)
        digit = f.compute("urem", I32, f.compute("udiv", I32, n, const(2**level)), const(width))
        below = level + 1 if level < levels - 1 else levels + 1
        f.switch(digit, dict.fromkeys(range(1, width), levels), below)
    f.block(levels)
    f.stop()
    f.block(levels + 1)
    f.check(const(0, TRUTH))
    f.stop()
    assert on(program(f), 0).outcome == Violated(0)
    assert on(program(f), 5).outcome == Finished()


def test_deep_nesting_of_blocks() -> None:
    """A chain of 300 blocks that each may leave: more levels than Python indents."""
    f = FunctionBuilder("main")
    count = 300
    f.block(0)
    n = f.nondet(I32)
    f.goto(1)
    for index in range(1, count):
        f.block(index)
        last = count if index == count - 1 else index + 1
        f.branch(f.compute("eq", TRUTH, n, const(index)), count + 1, last)
    f.block(count)
    f.stop()
    f.block(count + 1)
    f.check(const(0, TRUTH))
    f.stop()
    code = program(f)
    assert on(code, 299).outcome == Violated(0)
    assert on(code, 300).outcome == Finished()


def recursion(depth: int) -> p.Program:
    """main: checks that down(depth) = depth, where down(n) = n ? down(n - 1) + 1 : 0."""
    main = FunctionBuilder("main")
    main.block(0)
    (result,) = main.call("down", (const(depth),), I32)
    main.check_equal(result, const(depth))
    main.stop()
    down = FunctionBuilder("down", (I32,), (I32,))
    n = down.parameters[0]
    down.block(0)
    cell = down.allocate(4, name="x")
    down.store(cell, n)
    down.branch(down.compute("eq", TRUTH, n, const(0)), 1, 2)
    down.block(1)
    down.ret(const(0))
    down.block(2)
    (below,) = down.call("down", (down.compute("sub", I32, n, const(1)),), I32)
    down.check_equal(down.load(cell), n)
    down.ret(down.compute("add", I32, below, const(1)))
    return program(main, down)


def test_deep_recursion() -> None:
    assert run(recursion(100_000), ReplayInputs(())).outcome == Finished()


def test_endless_recursion_ends() -> None:
    found = run(recursion(2**32 - 1), ReplayInputs(()), Limits(depth=20_000))
    assert found.outcome == StepLimit("call depth")
    assert run(recursion(2**32 - 1), ReplayInputs(()), Limits(steps=20_000)).outcome == StepLimit()


def test_several_results() -> None:
    main = FunctionBuilder("main")
    main.block(0)
    a, b = main.call("swap", (const(1), const(2)), I32, I32)
    main.check_equal(a, const(2), 0)
    main.check_equal(b, const(1), 1)
    main.ret()
    swap = FunctionBuilder("swap", (I32, I32), (I32, I32))
    swap.block(0)
    swap.ret(swap.parameters[1], swap.parameters[0])
    assert run(program(main, swap, kinds=("a", "b")), ReplayInputs(())).outcome == Finished()


def ending_with(instruction: p.Instruction) -> p.Program:
    f = FunctionBuilder("main")
    f.block(0)
    f.add(instruction)
    f.check(const(0, TRUTH))
    f.stop()
    return program(f)


def test_ends_of_runs() -> None:
    assert run(ending_with(p.Assume(const(0, TRUTH))), ReplayInputs(())).outcome == AssumptionFailed()
    assert run(ending_with(p.Assume(const(1, TRUTH))), ReplayInputs(())).outcome == Violated(0)
    assert run(ending_with(p.Unsupported(3)), ReplayInputs(())).outcome == UnsupportedAt(3)


# ---------------------------------------------------------------- inputs


def two_sites() -> p.Program:
    """Check 0 fails if the values are 1, 2 from site 0 and 3 from site 2."""
    f = FunctionBuilder("main")
    f.block(0)
    values = [f.nondet(I32, 0), f.nondet(I32, 2), f.nondet(I32, 0)]
    wanted = [1, 3, 2]
    same = [f.compute("eq", TRUTH, v, const(w)) for v, w in zip(values, wanted, strict=True)]
    both = f.compute("and", TRUTH, f.compute("and", TRUTH, same[0], same[1]), same[2])
    f.check(f.compute("xor", TRUTH, both, const(1, TRUTH)))
    f.stop()
    return program(f)


def test_inputs_are_read_by_site() -> None:
    given_inputs = [ScalarInput(0, 1, 32), ScalarInput(0, 2, 32), ScalarInput(2, 3, 32)]
    for order in itertools.permutations(given_inputs):
        in_order = [item.value for item in order if item.site == 0] == [1, 2]
        expected = Violated(0) if in_order else Finished()
        assert run(two_sites(), ReplayInputs(order)).outcome == expected


def test_missing_inputs() -> None:
    source = ReplayInputs([ScalarInput(0, 1, 32)])
    assert run(two_sites(), source).outcome == Finished()
    assert source.missing == 2
    strict = ReplayInputs([ScalarInput(0, 1, 32)], strict=True)
    assert run(two_sites(), strict).outcome == InputsExhausted(2)


def test_values_are_cut_to_their_width() -> None:
    f = FunctionBuilder("main")
    f.block(0)
    f.check_equal(f.nondet(I8), const(0x34, I8))
    f.stop()
    found = run(program(f), ReplayInputs([ScalarInput(0, 0x1234, 16)]))
    assert found.outcome == Finished()
    assert found.inputs == (ScalarInput(0, 0x34, 8),)


@pytest.mark.parametrize("seed", range(5))
def test_random_runs_replay(seed: int) -> None:
    f = FunctionBuilder("main")
    f.block(0)
    block = f.allocate(12, heap=True)
    low, high = f.load(block), f.load(f.offset(block, 4), I64)
    f.check(f.compute("ult", TRUTH, f.compute("xor", I32, low, f.nondet(I32)), const(2**31)))
    f.check(f.compute("eq", TRUTH, high, const(0, I64)), 1)
    f.stop()
    code = program(f, kinds=("a", "b"))
    first = run(code, RandomInputs(seed))
    again = run(code, ReplayInputs(first.inputs, strict=True))
    assert (again.outcome, again.steps, again.inputs) == (first.outcome, first.steps, first.inputs)
    assert isinstance(first.inputs[0], MemoryInput) and first.inputs[0].size == 12


def test_nans_keep_their_bits() -> None:
    f = FunctionBuilder("main")
    f.block(0)
    number = f.nondet(DOUBLE)
    f.check_equal(f.compute("bits_from_float", I64, number), const(0xFFF0_0000_0000_0001, I64))
    f.stop()
    found = run(program(f), ReplayInputs([ScalarInput(0, 0xFFF0_0000_0000_0001, 64)]))
    assert found.outcome == Finished()
    assert found.inputs == (ScalarInput(0, 0xFFF0_0000_0000_0001, 64),)


# ---------------------------------------------------------------- against the definitions


OPERATIONS = ["add", "sub", "mul", "udiv", "srem", "shl", "ashr", "xor", "smax", "fshl", "ctpop", "abs"]
ARITY = {"fshl": 3, "ctpop": 1, "abs": 1}
PICKS = st.lists(st.integers(0, 30), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(OPERATIONS), PICKS)), st.data())
def test_straight_line_code(plan: list[tuple[str, list[int]]], data: st.DataObject) -> None:
    """Random expressions: generated code gives what evaluation step by step gives."""
    type_: Type = I32
    f = FunctionBuilder("main")
    f.block(0)
    numbers = [data.draw(st.integers(0, 2**32 - 1)) for _ in range(3)]
    registers: list[p.Value] = [f.nondet(type_) for _ in numbers]
    values = list(numbers)
    for name, picks in plan:
        chosen = [pick % len(values) for pick in picks[: ARITY.get(name, 2)]]
        types = Signature((type_,) * len(chosen), type_)
        values.append(definition(name)(INTS, [values[index] for index in chosen], types))
        registers.append(f.compute(name, type_, *(registers[index] for index in chosen)))
    f.check_equal(registers[-1], const(values[-1]))
    f.stop()
    assert on(program(f), *numbers).outcome == Finished()
