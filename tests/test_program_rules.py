"""Validation, rendering, fingerprints, inlining."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from counterpoint.core.errors import InternalError
from counterpoint.core.source import NOWHERE, CheckSite, Site, SourceLocation
from counterpoint.frontend.lower import lower
from counterpoint.program import model as m
from counterpoint.program.inline import everything, inline, size, smaller_than
from counterpoint.program.rebuild import renumbered
from counterpoint.program.render import fingerprint, render, render_function
from counterpoint.program.types import DOUBLE, IntType, PointerType
from counterpoint.program.validate import validate

I32 = IntType(32)
TEXT = """
target datalayout = "e-p:32:32-i64:32-n8:16:32"
@g = global { i32, ptr } { i32 1, ptr @g }, align 4
define i32 @pick(i32 %0, i1 %1) {
  %3 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  br i1 %1, label %4, label %6
4:
  %5 = load i32, ptr %3, align 4
  ret i32 %5
6:
  %7 = add i32 %0, 1
  ret i32 %7
}
define i32 @twice(i32 %0) {
  %2 = call i32 @pick(i32 %0, i1 true)
  %3 = call i32 @pick(i32 %2, i1 false)
  ret i32 %3
}
define void @down(i32 %0) {
  %2 = icmp eq i32 %0, 0
  br i1 %2, label %5, label %3
3:
  %4 = sub i32 %0, 1
  call void @down(i32 %4)
  br label %5
5:
  ret void
}
define void @leave() {
  call void @__cp_stop(i32 1)
  unreachable
}
define void @__cp_main() {
  %1 = call i32 @__cp_nondet_i32(i32 0)
  br label %2
2:
  %3 = phi i32 [ %1, %0 ], [ %4, %2 ]
  %4 = call i32 @twice(i32 %3)
  %5 = icmp slt i32 %4, 100
  br i1 %5, label %2, label %6
6:
  call void @__cp_check(i1 %5, i32 0)
  call void @down(i32 %4)
  store i32 %4, ptr @g, align 4
  call void @leave()
  store i32 0, ptr @g, align 4
  ret void
}
"""


@dataclass(frozen=True)
class Prepared:
    text: str
    sites: tuple[Site, ...] = (Site(0, "call", "n", "int", NOWHERE),)
    checks: tuple[CheckSite, ...] = (CheckSite(0, "unreach-call", "reached", NOWHERE),)
    assumptions: tuple[str, ...] = ()


def sample() -> m.Program:
    return lower(Prepared(TEXT))


# ---------------------------------------------------------------- validation


def test_the_sample_is_well_formed() -> None:
    validate(sample())


def block(program: m.Program, index: int, **changes: object) -> m.Program:
    main = program.main
    blocks = list(main.blocks)
    blocks[index] = replace(blocks[index], **changes)  # type: ignore[arg-type]
    return replace(program, functions={**program.functions, "__cp_main": replace(main, blocks=tuple(blocks))})


def one_instruction(instruction: m.Instruction) -> Callable[[m.Program], m.Program]:
    return lambda program: block(program, 2, instructions=(instruction, *program.main.blocks[2].instructions))


def ending(end: m.Terminator) -> Callable[[m.Program], m.Program]:
    return lambda program: block(program, 1, terminator=end)


def object_(**changes: object) -> Callable[[m.Program], m.Program]:
    return lambda program: replace(program, globals={"g": replace(program.globals["g"], **changes)})  # type: ignore


POINTER = PointerType(32)
G = m.Address("g", 0, POINTER)
ZERO = m.Constant(0, I32)
TRUE = m.Constant(1, IntType(1))
NEXT = m.Register(1, I32)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (one_instruction(m.Store(ZERO, ZERO)), "wrong types"),
        (one_instruction(m.Store(G, m.Constant(1, IntType(1)))), "wrong types"),
        (one_instruction(m.Store(m.Address("h", 0, POINTER), ZERO)), "missing"),
        (one_instruction(m.Store(G, m.Constant(1 << 32, I32))), "does not fit"),
        (one_instruction(m.Store(G, m.Register(77, I32))), "not defined"),
        (one_instruction(m.Store(G, m.Register(0, DOUBLE))), "not defined"),
        (one_instruction(m.Assume(ZERO)), "wrong types"),
        (one_instruction(m.Check(TRUE, 1)), "wrong types"),
        (one_instruction(m.Unsupported(9)), "wrong types"),
        (one_instruction(m.Call((), "gone", ())), "wrong types"),
        (one_instruction(m.Call((), "down", ())), "wrong types"),
        (one_instruction(m.Fill(G, ZERO, ZERO)), "wrong types"),
        (one_instruction(m.Compute(NEXT, "add", (ZERO, ZERO))), "defined twice"),
        (one_instruction(m.Nondet(m.Register(40, I32), 0)), "without gaps"),
        (ending(m.Return((ZERO,))), "not the results"),
        (ending(m.Branch((m.Edge(m.ALWAYS, 2, (ZERO,)),))), "not its parameters"),
        (ending(m.Branch((m.Edge(m.ALWAYS, 9),))), "leads to block 9"),
        (ending(m.Branch((m.Edge(m.ALWAYS, 0),))), "leads to block 0"),
        (ending(m.Branch((m.Edge(m.Guard(TRUE, (1,)), 2),))), "overlap or leave a gap"),
        (ending(m.Branch((m.Edge(m.Guard(TRUE, (1,)), 2), m.Edge(m.Guard(TRUE, (1, 0)), 2)))), "overlap"),
        (ending(m.Stop()), "no path"),
        (object_(size=3), "outside"),
        (object_(alignment=3), "alignment"),
        (object_(pieces=((0, ZERO), (2, ZERO))), "overlaps"),
        (object_(pieces=((0, m.Address("x", 0, POINTER)),)), "refers to x"),
        (lambda program: replace(program, entry="twice"), "no entry"),
    ],
)
def test_broken_rules_are_found(change: Callable[[m.Program], m.Program], rule: str) -> None:
    with pytest.raises(InternalError, match=rule):
        validate(change(sample()))


def test_a_use_before_its_definition_is_found() -> None:
    program = sample()
    instructions = program.main.blocks[1].instructions
    assert len(instructions) == 2
    with pytest.raises(InternalError, match="before its definition"):
        validate(block(program, 1, instructions=instructions[::-1]))


def test_a_use_that_is_not_dominated_is_found() -> None:
    pick = sample().functions["pick"]
    other = pick.blocks[2].instructions[0]
    assert isinstance(other, m.Compute)
    wrong = replace(pick.blocks[1], terminator=m.Return((other.result,)))
    program = sample()
    broken = replace(pick, blocks=(pick.blocks[0], wrong, pick.blocks[2]))
    with pytest.raises(InternalError, match="does not dominate"):
        validate(replace(program, functions={**program.functions, "pick": broken}))


# ---------------------------------------------------------------- fingerprints and text


def test_fingerprints_are_of_the_meaning() -> None:
    program = sample()
    assert fingerprint(program) == fingerprint(sample())
    moved = replace(program, assumptions=("x",))
    assert fingerprint(moved) == fingerprint(program)
    assert fingerprint(object_(size=12)(program)) != fingerprint(program)
    assert fingerprint(
        block(program, 2, instructions=program.main.blocks[2].instructions[1:])
    ) != fingerprint(program)


def test_rendering_shows_everything_once() -> None:
    text = render(sample(), locations=True)
    assert "global @g size 8 align 4 {0: i32 1, 4: @g}" in text
    assert "if %3 in {1} goto 1(%2); if %3 in {0} goto 2" in text
    assert text.count("function ") == 5


def test_renumbering_keeps_the_function() -> None:
    main = sample().main
    assert renumbered(main) == main


# ---------------------------------------------------------------- inlining


def test_inlining_everything_keeps_only_recursive_functions() -> None:
    flat = inline(sample())
    validate(flat)
    assert list(flat.functions) == ["down", "__cp_main"]
    assert render_function(flat.main).count("call ") == 1


def test_inlined_locals_die_at_each_return_and_are_fresh_in_a_loop() -> None:
    flat = inline(sample())
    text = render_function(flat.main)
    assert text.count("allocate local") == 2
    assert text.count("end %") == 4
    heads = [b for b in flat.main.blocks if any(isinstance(i, m.Allocate) for i in b.instructions)]
    assert all(b.index != 0 for b in heads)


def test_code_after_a_call_that_never_returns_is_dropped() -> None:
    stores = [
        i
        for b in inline(sample()).main.blocks
        for i in b.instructions
        if isinstance(i, m.Store) and i.address == G
    ]
    assert len(stores) == 1


def test_choices_and_limits() -> None:
    program = sample()
    assert inline(program, lambda function: False) == program
    small = inline(program, smaller_than(size(program.functions["twice"]) + 1))
    validate(small)
    assert "pick" in small.functions and "twice" not in small.functions
    assert inline(program, everything, limit=1) == program


def test_inlined_places_carry_the_call() -> None:
    program = sample()
    inner, outer = SourceLocation("a.c", 5), SourceLocation("a.c", 9)

    def placed(function: m.Function, at: SourceLocation) -> m.Function:
        blocks = tuple(
            replace(b, instructions=tuple(replace(i, at=at) for i in b.instructions)) for b in function.blocks
        )
        return replace(function, blocks=blocks)

    functions = dict(program.functions)
    functions["pick"] = placed(functions["pick"], inner)
    functions["twice"] = placed(functions["twice"], outer)
    flat = inline(replace(program, functions=functions))
    places = {i.at for b in flat.main.blocks for i in b.instructions}
    assert replace(inner, inlined_at=outer) in places


def test_calls_may_nest_deeper_than_python_recurses() -> None:
    count = 600
    text = "".join(
        f"define void @f{i}() {{\n  call void @f{i + 1}()\n  ret void\n}}\n" for i in range(count)
    ).replace("@f0(", "@__cp_main(")
    flat = inline(lower(Prepared(text + f"define void @f{count}() {{\n  ret void\n}}\n")))
    validate(flat)
    assert len(flat.functions) == 3
