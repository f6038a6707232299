"""Steps per second of the interpreter: straight integer code, memory, calls, floats, random inputs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from counterpoint.execute.inputs import RandomInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits
from counterpoint.program import model as p
from counterpoint.program.types import DOUBLE, TRUTH, PointerType
from tiny_programs import I32, FunctionBuilder, const, program

STEPS = 300_000
Body = Callable[[FunctionBuilder, p.Register, p.Register], p.Value]


def endless(body: Body, *others: FunctionBuilder) -> p.Program:
    """for (i = 0, x = 1;; i++) x = body(i, x);"""
    f = FunctionBuilder("main")
    f.block(0)
    block = f.allocate(400, name="a")
    f.goto(1, const(0), const(1))
    i, x = f.register(I32), f.register(I32)
    f.block(1, i, x)
    address = f.register(PointerType(64))
    scaled = f.compute("mul", I32, f.compute("urem", I32, i, const(100)), const(4))
    f.add(p.Offset(address, block, f.compute("zext", PointerType(64), scaled)))
    following = body(f, address, x)
    f.branch(const(1, TRUTH), 1, 2, (f.compute("add", I32, i, const(1)), following))
    f.block(2)
    f.stop()
    return program(f, *others)


def integers(f: FunctionBuilder, address: p.Register, x: p.Register) -> p.Value:
    for operation in ("mul", "xor", "add", "lshr", "or", "sub", "shl", "and"):
        x = f.compute(operation, I32, x, const(13))
    return x


def memory(f: FunctionBuilder, address: p.Register, x: p.Register) -> p.Value:
    f.store(address, x)
    return f.compute("add", I32, f.load(address), const(3))


def calls(f: FunctionBuilder, address: p.Register, x: p.Register) -> p.Value:
    return f.call("next", (x,), I32)[0]


def floats(f: FunctionBuilder, address: p.Register, x: p.Register) -> p.Value:
    number = f.compute("signed_to_float", DOUBLE, x)
    number = f.compute("fadd", DOUBLE, f.compute("fmul", DOUBLE, number, number), number)
    return f.compute("float_to_signed", I32, f.compute("fsqrt", DOUBLE, number))


def inputs(f: FunctionBuilder, address: p.Register, x: p.Register) -> p.Value:
    return f.nondet(I32)


def successor() -> FunctionBuilder:
    g = FunctionBuilder("next", (I32,), (I32,))
    g.block(0)
    g.ret(g.compute("add", I32, g.parameters[0], const(1)))
    return g


@pytest.mark.parametrize("body", [integers, memory, calls, floats, inputs])
def test_steps_per_second(benchmark: Callable[..., object], body: Body) -> None:
    others = (successor(),) if body is calls else ()
    code = endless(body, *others)
    benchmark(lambda: run(code, RandomInputs(1), Limits(steps=STEPS)))
    statistics = benchmark.stats.stats  # type: ignore[attr-defined]
    benchmark.extra_info["steps per second"] = round(STEPS / statistics.min)  # type: ignore[attr-defined]
