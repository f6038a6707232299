"""What recorded runs tell: block paths, and source steps with the values that changed."""

from __future__ import annotations

import pytest

from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Finished, Limits, StepLimit
from counterpoint.execute.trace import source_steps, source_trace, value_text
from counterpoint.program import model as p
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.types import DOUBLE, SINGLE, TRUTH, PointerType, Type
from tiny_programs import I8, I16, I32, FunctionBuilder, const, program


def doubling() -> p.Program:
    """for (i = 0; i != n; i = step(i)) a[i] = i; where step adds 1."""
    f = FunctionBuilder("main")
    f.block(0)
    n = f.nondet(I32, 3)
    array = f.allocate(16, name="a")
    f.goto(1, const(0))
    i = f.register(I32, "i")
    f.block(1, i)
    f.branch(f.compute("eq", TRUTH, i, n), 3, 2)
    f.block(2)
    cell = f.register(PointerType(64))
    wide = f.compute("zext", PointerType(64), f.compute("mul", I32, i, const(4)))
    f.add(p.Offset(cell, array, wide))
    f.store(cell, i)
    f.goto(1, *f.call("step", (i,), I32))
    f.block(3)
    f.stop()
    g = FunctionBuilder("step", (I32,), (I32,))
    g.block(0)
    g.ret(g.compute("add", I32, g.parameters[0], const(1), name="next"))
    return program(f, g)


def test_block_path() -> None:
    found = run(doubling(), ReplayInputs([ScalarInput(3, 2, 32)]), record=True)
    assert found.outcome == Finished()
    turn = [("main", 1), ("main", 2), ("step", 0)]
    assert list(found.path()) == [("main", 0), *turn, *turn, ("main", 1), ("main", 3)]
    again = run(doubling(), ReplayInputs(found.inputs))
    assert (again.outcome, again.steps, again.events) == (found.outcome, found.steps, ())


def test_source_steps() -> None:
    steps = source_steps(doubling(), [ScalarInput(3, 3, 32)])
    changes = [(step, change) for step in steps for change in step.changes]
    told = [(step.function, step.depth, change.name, change.text) for step, change in changes]
    assert told == [
        ("main", 0, "i", "0"),
        ("main", 0, "a[0]", "0"),
        ("step", 1, "next", "1"),
        ("main", 0, "i", "1"),
        ("main", 0, "a[1]", "1"),
        ("step", 1, "next", "2"),
        ("main", 0, "i", "2"),
        ("main", 0, "a[2]", "2"),
        ("step", 1, "next", "3"),
        ("main", 0, "i", "3"),
    ]
    assert [(item.name, item.text) for item in steps[0].inputs] == [("site3", "3")]


def test_long_traces_lose_their_middle() -> None:
    inputs = [ScalarInput(3, 2**31, 32)]
    whole = source_trace(doubling(), inputs, Limits(steps=2000))
    cut = source_trace(doubling(), inputs, Limits(steps=2000), first=5, last=7)
    assert whole.outcome == cut.outcome == StepLimit()
    assert whole.omitted == 0 and len(cut.head) == 5 and len(cut.tail) == 7
    assert cut.omitted == len(whole.steps) - 12
    assert cut.head == whole.steps[:5] and cut.tail == whole.steps[-7:]


@pytest.mark.parametrize(
    ("bits", "type_", "text"),
    [
        (0xFF, I8, "-1"),
        (0x7FFF, I16, "32767"),
        (1, TRUTH, "1"),
        (0, PointerType(32), "null"),
        (0x1000, PointerType(32), "0x1000"),
        (0x3FC00000, SINGLE, "1.5"),
        (0x7FF8 << 48, DOUBLE, "nan"),
        (0x8000_0000_0000_0000, DOUBLE, "-0.0"),
    ],
)
def test_value_text(bits: int, type_: Type, text: str) -> None:
    assert value_text(bits, type_) == text
