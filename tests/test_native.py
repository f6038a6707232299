"""Native runs: hand-written IR with kernel calls, and C programs under all preparations."""

from __future__ import annotations

import os
import select
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from counterpoint.core import clock
from counterpoint.core.budget import Budget
from counterpoint.core.clock import Pauses
from counterpoint.core.errors import EvidenceRejected
from counterpoint.core.source import NOWHERE, CheckSite
from counterpoint.execute.native import process as native_process
from counterpoint.execute.native import toolchain
from counterpoint.execute.native.build import Executable, NativeRun, NotNative, Outcome, build, build_text
from counterpoint.execute.native.instrument import instrument
from counterpoint.execute.native.process import Process
from counterpoint.execute.native.protocol import decode, encode
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.prepare import prepare
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.replay import Confirmed, confirm
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.semantics.layout import EXTERNAL_CONTENTS, external_base, own_base

X86 = """target datalayout = "e-m:e-p:32:32-i128:128-f64:32:64-f80:32-n8:16:32-S128"
target triple = "i386-unknown-linux-musl"
"""
X86_64 = """target datalayout = "e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-musl"
"""
DECLARATIONS = """
declare void @__cp_check(i1, i32)
declare void @__cp_assume(i1)
declare void @__cp_stop(i32)
declare void @__cp_unsupported(i32)
declare void @__cp_havoc(ptr, WORD, i32)
declare void @__cp_check_access(ptr, ptr, WORD, i32)
declare void @__cp_check_free(ptr, i32)
declare void @__cp_check_leak(i32)
declare ptr @__cp_allocate(WORD, i32)
declare ptr @__cp_allocate_zeroed(WORD, i32)
declare void @__cp_free(ptr)
declare WORD @__cp_object_size(ptr)
declare ptr @__cp_nondet_ptr(i32)
declare i1 @__cp_nondet_i1(i32)
declare i8 @__cp_nondet_i8(i32)
declare i24 @__cp_nondet_i24(i32)
declare i32 @__cp_nondet_i32(i32)
declare i64 @__cp_nondet_i64(i32)
declare i128 @__cp_nondet_i128(i32)
declare float @__cp_nondet_float(i32)
declare double @__cp_nondet_double(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @llvm.lifetime.end.p0(ptr)
"""


def text(body: str, *, bits: int = 32, before: str = "") -> str:
    head = X86 if bits == 32 else X86_64
    main = f"define void @__cp_main() {{\n{body}\n}}\n"
    return head + before + main + DECLARATIONS.replace("WORD", f"i{bits}")


def run(body: str, *inputs: Input, bits: int = 32, before: str = "", kinds: tuple[str, ...] = ()) -> NativeRun:
    """The run of the counted build, after comparing it with that of the lean one."""
    checks = tuple(CheckSite(index, kind, "", NOWHERE) for index, kind in enumerate(kinds))
    module = text(body, bits=bits, before=before)
    with build_text(module, checks) as counted, build_text(module, checks, lean=True) as lean:
        run_ = counted.replay(inputs, seconds=10)
        assert lean.replay(inputs, seconds=10) == replace(run_, steps=None)
        return run_


def expect(run_: NativeRun, outcome: Outcome, detail: int = 0) -> None:
    assert (run_.outcome, run_.detail) == (outcome, detail)


def equal(type_: str, left: str, right: str, number: int = 0) -> str:
    return f"""  %equal{number} = icmp eq {type_} {left}, {right}
  call void @__cp_check(i1 %equal{number}, i32 {number})"""


# ---------------------------------------------------------------- ends of runs


def test_returning_from_main_finishes() -> None:
    expect(run("  ret void"), Outcome.FINISHED)


def test_stop_and_unreachable_finish() -> None:
    expect(run("  call void @__cp_stop(i32 3)\n  unreachable"), Outcome.FINISHED)
    expect(run("  unreachable"), Outcome.FINISHED)


def test_a_check_that_does_not_hold_is_a_violation() -> None:
    body = "  call void @__cp_check(i1 true, i32 4)\n  call void @__cp_check(i1 false, i32 5)\n  ret void"
    expect(run(body), Outcome.VIOLATED, 5)


def test_constant_expressions_are_compared() -> None:
    sums = "add (i32 ptrtoint (ptr @x to i32), i32 1)", "add (i32 ptrtoint (ptr @x to i32), i32 2)"
    body = "\n".join((equal("i32", sums[0], sums[0]), equal("i32", *sums, number=1), "  ret void"))
    expect(run(body, before="@x = internal global i32 0, align 4\n", kinds=("assertion",) * 2), Outcome.VIOLATED, 1)


def test_an_assumption_ends_the_run_before_a_violation() -> None:
    body = "  call void @__cp_assume(i1 false)\n  call void @__cp_check(i1 false, i32 0)\n  ret void"
    expect(run(body), Outcome.ASSUMPTION)


def test_an_unsupported_construct_names_its_site() -> None:
    expect(run("  call void @__cp_unsupported(i32 7)\n  unreachable"), Outcome.UNSUPPORTED, 7)


def test_steps_are_limited() -> None:
    body = "  br label %a\na:\n  %i = phi i32 [0, %0], [%j, %a]\n  %j = add i32 %i, 1\n  br label %a"
    with build_text(text(body)) as executable:
        limited = executable.replay((), steps=5000)
    assert limited.outcome is Outcome.STEPS
    assert 5000 <= limited.steps <= 5002


def test_a_cycle_in_which_nothing_changes_ends_at_once() -> None:
    body = "  br label %a\na:\n  br i1 true, label %a, label %b\nb:\n  ret void"
    assert run(body).steps < 10


def test_a_cycle_may_be_entered_again_after_it_was_left() -> None:
    body = """  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %j, %next ]
  br label %inner
inner:
  %stays = icmp eq i32 %i, 7
  br i1 %stays, label %inner, label %next
next:
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 5
  br i1 %more, label %outer, label %done
done:
  call void @__cp_check(i1 false, i32 2)
  ret void"""
    expect(run(body), Outcome.VIOLATED, 2)
    assert run(body.replace("eq i32 %i, 7", "eq i32 %i, 3")).outcome is Outcome.STEPS


def test_checks_and_assumptions_in_blocks_that_phis_come_from() -> None:
    before = """define internal i32 @f(i32 %0, i32 %n) {
  %b = icmp ult i32 %n, 50
  call void @__cp_assume(i1 %b)
  br label %"the loop"
"the loop":
  %i = phi i32 [ %0, %1 ], [ %j, %"the loop" ]
  %ok = icmp ult i32 %i, 40
  call void @__cp_check(i1 %ok, i32 3)
  %j = add i32 %i, 1
  %small = icmp ne i32 %i, 45
  call void @__cp_assume(i1 %small)
  %more = icmp ult i32 %j, %n
  br i1 %more, label %"the loop", label %out
out:
  %r = phi i32 [ %j, %"the loop" ]
  ret i32 %r
}
"""
    body = """  %n = call i32 @__cp_nondet_i32(i32 0)
  %r = call i32 @f(i32 3, i32 %n)
""" + equal("i32", "%r", "20") + "\n  ret void"
    expect(run(body, ScalarInput(0, 20, 32), before=before), Outcome.FINISHED)
    expect(run(body, ScalarInput(0, 21, 32), before=before), Outcome.VIOLATED, 0)
    expect(run(body, ScalarInput(0, 45, 32), before=before), Outcome.VIOLATED, 3)
    expect(run(body, ScalarInput(0, 60, 32), before=before), Outcome.ASSUMPTION)


def test_endless_recursion_ends_by_depth() -> None:
    before = """define internal i32 @f(i32 %x) {
  %y = call i32 @f(i32 %x)
  %z = add i32 %y, %x
  ret i32 %z
}
"""
    expect(run("  %r = call i32 @f(i32 1)\n  ret void", before=before), Outcome.DEPTH)


def test_a_trap_of_the_machine_is_no_verdict() -> None:
    """The front end guards divisions; should one slip through, nothing is concluded from it."""
    body = """  %x = call i32 @__cp_nondet_i32(i32 0)
  %y = udiv i32 7, %x
  %c = icmp eq i32 %y, 3
  call void @__cp_check(i1 %c, i32 0)
  ret void"""
    assert run(body, ScalarInput(0, 0, 32)).outcome is Outcome.CRASHED


def test_time_is_limited() -> None:
    body = "  br label %a\na:\n  %i = phi i32 [0, %0], [%j, %a]\n  %j = add i32 %i, 1\n  br label %a"
    with build_text(text(body)) as executable:
        started = time.monotonic()
        assert executable.replay((), seconds=0.2).outcome is Outcome.TIME
        assert time.monotonic() - started < 4


# ---------------------------------------------------------------- inputs


def test_a_pause_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of the waiting turns out to have been a pause of this process and its child."""
    pauses, wait = Pauses(), select.select

    def paused(*arguments: Any) -> Any:
        ready = wait(*arguments)
        pauses.add(0.0 if pauses.total() else 0.4)
        return ready

    monkeypatch.setattr(native_process, "GRACE", 0.0)
    monkeypatch.setattr(clock, "_own", pauses)
    monkeypatch.setattr(native_process, "select", SimpleNamespace(select=paused))
    body = "  br label %a\na:\n  %i = phi i32 [0, %0], [%j, %a]\n  %j = add i32 %i, 1\n  br label %a"
    with build_text(text(body), lean=True) as executable:
        started = time.monotonic()
        expect(executable.replay((), seconds=0.6), Outcome.TIME)
    assert time.monotonic() - started > 0.95


def test_inputs_are_read_by_site_and_reported_in_order() -> None:
    body = f"""  %a = call i32 @__cp_nondet_i32(i32 1)
  %b = call i32 @__cp_nondet_i32(i32 0)
  %c = call i32 @__cp_nondet_i32(i32 1)
{equal("i32", "%a", "10", 0)}
{equal("i32", "%b", "20", 1)}
{equal("i32", "%c", "30", 2)}
  ret void"""
    done = run(body, ScalarInput(0, 20, 32), ScalarInput(1, 10, 32), ScalarInput(1, 30, 32))
    expect(done, Outcome.FINISHED)
    assert done.inputs == (ScalarInput(1, 10, 32), ScalarInput(0, 20, 32), ScalarInput(1, 30, 32))
    assert done.invented == 0


def test_missing_inputs_are_zero_and_counted() -> None:
    done = run(f"  %a = call i32 @__cp_nondet_i32(i32 3)\n{equal('i32', '%a', '0')}\n  ret void")
    expect(done, Outcome.FINISHED)
    assert done.invented == 1


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("i1", 1),
        ("i8", 0xFE),
        ("i24", 0xABCDEF),
        ("i32", 2**31 + 1),
        ("i64", 2**63 + 5),
        ("i128", 2**127 + 9),
    ],
)  # fmt: skip
def test_values_of_all_widths_arrive(type_: str, value: int, bits: int) -> None:
    width = int(type_[1:])
    body = f"  %v = call {type_} @__cp_nondet_{type_}(i32 0)\n{equal(type_, '%v', str(value))}\n  ret void"
    done = run(body, ScalarInput(0, value, width), bits=bits)
    expect(done, Outcome.FINISHED)
    assert done.inputs == (ScalarInput(0, value, width),)


def test_floats_arrive_bit_by_bit() -> None:
    body = """  %f = call float @__cp_nondet_float(i32 0)
  %d = call double @__cp_nondet_double(i32 1)
  %wide = fpext float %f to double
  %sum = fadd double %wide, %d
  %c = fcmp oeq double %sum, 3.750000e+00
  call void @__cp_check(i1 %c, i32 0)
  ret void"""
    one_and_a_half, two_and_a_quarter = 0x3FC00000, 0x4002000000000000
    expect(run(body, ScalarInput(0, one_and_a_half, 32), ScalarInput(1, two_and_a_quarter, 64)), Outcome.FINISHED)
    expect(run(body, ScalarInput(0, 0, 32), ScalarInput(1, 0, 64)), Outcome.VIOLATED)


def test_inputs_survive_encoding() -> None:
    lines = ["s 3 64 0 ff", "s -1 128 1 0", "m 4 100 000a00ff", "m -2 65536 07", "m -2 0 0102"]
    inputs = decode(lines, 32)
    assert inputs[1:] == (
        ScalarInput(3, 255, 64), ScalarInput(-1, 2**64, 128), MemoryInput(4, 100, ((1, 10), (3, 255))),
    )  # fmt: skip
    assert isinstance(inputs[0], MemoryInput)
    assert inputs[0].contents == ((0, 1), (1, 2), (65536, 7))
    records = int.from_bytes(encode(inputs)[:4], "little")
    assert records == 5


# ---------------------------------------------------------------- memory


def test_an_invalid_read_is_an_input_of_its_own() -> None:
    body = f"""  %p = inttoptr i32 64 to ptr
  %v = load i32, ptr %p
{equal("i32", "%v", "77")}
  ret void"""
    expect(run(body, ScalarInput(-1, 77, 32)), Outcome.FINISHED)
    assert run(body).inputs == (ScalarInput(-1, 0, 32),)


GLOBALS = """@a = internal global i32 5, align 4
@b = internal global [3 x i32] [i32 1, i32 2, i32 3], align 4
@k = internal constant i32 9, align 4
@z = internal global [2 x i64] zeroinitializer
"""


def test_writes_past_the_end_change_nothing() -> None:
    body = f"""  %i = call i32 @__cp_nondet_i32(i32 0)
  %p = getelementptr i32, ptr @b, i32 %i
  store i32 99, ptr %p
  %a = load i32, ptr @a
  %b0 = load i32, ptr @b
  %b2 = load i32, ptr getelementptr (i32, ptr @b, i32 2)
{equal("i32", "%a", "5", 0)}
{equal("i32", "%b0", "1", 1)}
{equal("i32", "%b2", "3", 2)}
  ret void"""
    for index in (3, 4, 5, 8, 2**32 - 1, 2**32 - 4):
        expect(run(body, ScalarInput(0, index, 32), before=GLOBALS), Outcome.FINISHED)
    expect(run(body, ScalarInput(0, 2, 32), before=GLOBALS), Outcome.VIOLATED, 2)


def test_constants_cannot_be_written() -> None:
    body = f"  store i32 1, ptr @k\n  %k = load i32, ptr @k\n{equal('i32', '%k', '9')}\n  ret void"
    expect(run(body, before=GLOBALS), Outcome.FINISHED)


def test_writes_are_all_or_nothing() -> None:
    body = f"""  call void @llvm.memcpy.p0.p0.i64(ptr @z, ptr @b, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr @b, ptr @z, i64 13, i1 false)
  call void @llvm.memset.p0.i32(ptr @b, i8 1, i32 4, i1 false)
  %z = load i32, ptr @z
  %z2 = load i32, ptr getelementptr (i8, ptr @z, i32 8)
  %b = load i32, ptr @b
{equal("i32", "%z", "1", 0)}
{equal("i32", "%z2", "3", 1)}
{equal("i32", "%b", "16843009", 2)}
  ret void"""
    expect(run(body, before=GLOBALS), Outcome.FINISHED)


def test_heap_blocks_have_given_contents_until_they_are_freed() -> None:
    body = f"""  %p = call ptr @__cp_allocate(i32 8, i32 0)
  %q = getelementptr i8, ptr %p, i32 4
  %v = load i32, ptr %q
{equal("i32", "%v", "513", 0)}
  %s = call i32 @__cp_object_size(ptr %q)
{equal("i32", "%s", "4", 1)}
  call void @__cp_free(ptr %q)
  call void @__cp_check_access(ptr %q, ptr %p, i32 4, i32 2)
  call void @__cp_free(ptr %p)
  %w = load i32, ptr %q
{equal("i32", "%w", "7", 3)}
  call void @__cp_check_access(ptr %q, ptr %p, i32 4, i32 4)
  ret void"""
    done = run(body, MemoryInput(0, 8, ((4, 1), (5, 2))), ScalarInput(-1, 7, 32))
    expect(done, Outcome.VIOLATED, 4)
    assert done.inputs == (MemoryInput(0, 8, ((4, 1), (5, 2))), ScalarInput(-1, 7, 32))


def test_one_past_the_end_belongs_to_the_object() -> None:
    body = """  %p = call ptr @__cp_allocate_zeroed(i32 16, i32 0)
  %end = getelementptr i8, ptr %p, i32 16
  %back = getelementptr i8, ptr %end, i32 -4
  call void @__cp_check_access(ptr %back, ptr %end, i32 4, i32 0)
  call void @__cp_check_access(ptr %end, ptr %p, i32 0, i32 1)
  call void @__cp_check_access(ptr %end, ptr %p, i32 1, i32 2)
  ret void"""
    expect(run(body), Outcome.VIOLATED, 2)


def test_frees_are_checked() -> None:
    body = """  %p = call ptr @__cp_allocate_zeroed(i32 4, i32 0)
  call void @__cp_check_free(ptr null, i32 0)
  call void @__cp_check_free(ptr %p, i32 1)
  call void @__cp_free(ptr %p)
  call void @__cp_check_free(ptr %p, i32 2)
  ret void"""
    expect(run(body), Outcome.VIOLATED, 2)
    expect(run("  call void @__cp_check_free(ptr @a, i32 0)\n  ret void", before=GLOBALS), Outcome.VIOLATED)


LEAK = """  %p = call ptr @__cp_allocate_zeroed(i32 8, i32 0)
  %q = call ptr @__cp_allocate_zeroed(i32 8, i32 0)
  store ptr %q, ptr %p
  store ptr %p, ptr @z
  call void @__cp_check_leak(i32 0)
  store ptr null, ptr %p
  call void @__cp_check_leak(i32 1)
  ret void"""


def test_leaks_are_seen_by_the_kind_of_check() -> None:
    track = ("valid-memtrack", "valid-memtrack")
    expect(run(LEAK, before=GLOBALS, kinds=track), Outcome.VIOLATED, 1)
    expect(run(LEAK, before=GLOBALS, kinds=("valid-memcleanup",) * 2), Outcome.VIOLATED, 0)


def test_locals_die_with_their_function_and_their_block() -> None:
    before = """define internal ptr @f() {
  %x = alloca i32
  store i32 3, ptr %x
  ret ptr %x
}
"""
    body = f"""  %p = call ptr @f()
  %v = load i32, ptr %p
{equal("i32", "%v", "41", 0)}
  %y = alloca i32
  store i32 8, ptr %y
  %w = load i32, ptr %y
{equal("i32", "%w", "8", 1)}
  call void @llvm.lifetime.end.p0(ptr %y)
  %u = load i32, ptr %y
{equal("i32", "%u", "42", 2)}
  ret void"""
    expect(run(body, ScalarInput(-1, 41, 32), ScalarInput(-1, 42, 32), before=before), Outcome.FINISHED)


def test_variable_length_arrays_end_where_the_stack_is_restored() -> None:
    before = "declare ptr @llvm.stacksave.p0()\ndeclare void @llvm.stackrestore.p0(ptr)\n"
    body = """  %n = call i32 @__cp_nondet_i32(i32 0)
  %s = call ptr @llvm.stacksave.p0()
  %a = alloca i32, i32 %n
  call void @__cp_check_access(ptr %a, ptr %a, i32 4, i32 0)
  call void @llvm.stackrestore.p0(ptr %s)
  call void @__cp_check_access(ptr %a, ptr %a, i32 4, i32 1)
  ret void"""
    expect(run(body, ScalarInput(0, 5, 32), before=before), Outcome.VIOLATED, 1)


def test_variable_length_arrays_have_their_size() -> None:
    body = """  %n = call i32 @__cp_nondet_i32(i32 0)
  %a = alloca i32, i32 %n
  %p = getelementptr i32, ptr %a, i32 4
  call void @__cp_check_access(ptr %p, ptr %a, i32 4, i32 0)
  ret void"""
    expect(run(body, ScalarInput(0, 5, 32)), Outcome.FINISHED)
    expect(run(body, ScalarInput(0, 4, 32)), Outcome.VIOLATED)


@pytest.mark.parametrize("bits", [32, 64])
def test_external_objects_have_the_contents_of_their_region(bits: int) -> None:
    base = own_base(bits)
    body = f"""  %p = call ptr @__cp_nondet_ptr(i32 0)
  %q = getelementptr i32, ptr %p, i32 1
  %v = load i32, ptr %q
{equal("i32", "%v", "66")}
  store i32 5, ptr %q
  %w = load i32, ptr %q
  %same = icmp eq i32 %w, 5
  call void @__cp_check(i1 %same, i32 1)
  ret void"""
    contents = MemoryInput(EXTERNAL_CONTENTS, 1 << 32, ((base - external_base(bits) + 4, 66),))
    expect(run(body, ScalarInput(0, base, bits), contents, bits=bits), Outcome.FINISHED)


def test_functions_may_have_names_of_library_calls() -> None:
    before = """define internal i32 @memcpy(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
@a = internal global [100 x i32] zeroinitializer
@b = internal global [100 x i32] zeroinitializer
"""
    body = f"""  %v = call i32 @memcpy(i32 4)
{equal("i32", "%v", "5")}
  call void @llvm.memcpy.p0.p0.i64(ptr @a, ptr @b, i64 400, i1 false)
  ret void"""
    expect(run(body, before=before), Outcome.FINISHED)


def test_wide_division_is_there() -> None:
    body = f"""  %a = call i64 @__cp_nondet_i64(i32 0)
  %b = call i64 @__cp_nondet_i64(i32 1)
  %q = sdiv i64 %a, %b
  %r = srem i64 %a, %b
  %uq = udiv i64 %a, %b
{equal("i64", "%q", "-1431655765", 0)}
{equal("i64", "%r", "-2", 1)}
{equal("i64", "%uq", "6148914689804861440", 2)}
  ret void"""
    a = -(2**32) - 1 - 2
    q, r = abs(a) // 3, abs(a) % 3
    body = body.replace("-1431655765", str(-q)).replace(" -2", f" {-r}")
    body = body.replace("6148914689804861440", str((a % 2**64) // 3))
    expect(run(body, ScalarInput(0, a % 2**64, 64), ScalarInput(1, 3, 64)), Outcome.FINISHED)


# ---------------------------------------------------------------- search


def found(executable: Executable, **limits: float | int) -> NativeRun | None:
    end = list(executable.search(**limits))[-1]  # type: ignore[arg-type]
    return end.violation  # type: ignore[union-attr]


NEEDLE = """  %x = call i32 @__cp_nondet_i32(i32 0)
  %y = call i32 @__cp_nondet_i32(i32 1)
  %a = mul i32 %y, 3
  %b = add i32 %a, 12345
  %c = icmp eq i32 %x, %b
  br i1 %c, label %more, label %out
more:
  %d = icmp sgt i32 %y, 100000
  br i1 %d, label %bad, label %out
bad:
  call void @__cp_check(i1 false, i32 0)
  br label %out
out:
  ret void"""


def test_search_finds_a_comparison_of_computed_values_and_it_replays() -> None:
    with build_text(text(NEEDLE)) as executable:
        violation = found(executable, seconds=10)
        assert violation is not None
        expect(executable.replay(violation.inputs), Outcome.VIOLATED)


def test_search_begins_with_given_inputs() -> None:
    body = """  %x = call i64 @__cp_nondet_i64(i32 0)
  %y = mul i64 %x, %x
  %z = xor i64 %y, %x
  %p = call ptr @__cp_nondet_ptr(i32 1)
  %b = load i8, ptr %p
  %w = zext i8 %b to i64
  %s = add i64 %z, %w
  %c = icmp eq i64 %s, WANTED
  %holds = xor i1 %c, true
  call void @__cp_check(i1 %holds, i32 0)
  ret void"""
    x = 0x123456789ABCDEF
    body = body.replace("WANTED", str(((x * x) % 2**64 ^ x) + 200))
    first = own_base(32) - external_base(32)
    contents = MemoryInput(EXTERNAL_CONTENTS, 1 << 28, ((first, 200),))
    given = (ScalarInput(0, x, 64), ScalarInput(1, own_base(32), 32), contents)
    with build_text(text(body)) as executable:
        end = list(executable.search(seconds=5, start=given))[-1]
        assert end.violation is not None and end.state.runs == 1  # type: ignore[union-attr]
        expect(executable.replay(end.violation.inputs), Outcome.VIOLATED)  # type: ignore[union-attr]


MANY_VALUES = """  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %step ]
  %x = call i32 @__cp_nondet_i32(i32 0)
  %y = call i32 @__cp_nondet_i32(i32 1)
  %here = icmp eq i32 %i, 60000
  %differ = icmp ne i32 %x, %y
  %wrong = and i1 %here, %differ
  br i1 %wrong, label %bad, label %step
bad:
  call void @__cp_check(i1 false, i32 0)
  br label %step
step:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 90000
  br i1 %more, label %loop, label %out
out:
  ret void"""


def test_of_a_long_run_only_few_values_are_other_than_zero_and_none_is_behind_them() -> None:
    with build_text(text(MANY_VALUES)) as executable:
        violation = found(executable, seconds=20)
        assert violation is not None
        by_site = [[given for given in violation.inputs if given.site == site] for site in (0, 1)]
        assert sorted(map(len, by_site)) == [0, 60001]
        assert sum(given != ScalarInput(given.site, 0, 32) for given in violation.inputs) < 1000
        assert len(set(map(id, violation.inputs))) < 1000, "equal ones are one object"
        expect(executable.replay(violation.inputs), Outcome.VIOLATED)


def test_a_violation_is_not_lost_while_it_is_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Process.lines

    def slow(process: Process) -> Iterator[str]:
        for line in lines(process):
            yield line
            if line.startswith("found"):
                process.put_off(-2.5)

    monkeypatch.setattr(Process, "lines", slow)
    with build_text(text(NEEDLE)) as executable:
        assert found(executable, seconds=1.0) is not None


def test_search_is_deterministic_for_a_seed_and_a_number_of_runs() -> None:
    with build_text(text(NEEDLE.replace("i1 false", "i1 true"))) as executable:
        ends = [list(executable.search(seed=5, runs=3000, seconds=30))[-1] for _ in range(2)]
    assert ends[0] == ends[1]


def test_another_seed_tries_other_inputs() -> None:
    with build_text(text(NEEDLE)) as executable:
        first, second = (found(executable, seed=seed, seconds=10) for seed in (1, 2))
    assert first is not None and second is not None
    assert first.inputs != second.inputs


STATE_MACHINE = """@state = internal global i32 0
@other = internal global i32 7
"""
STATE_MACHINE_BODY = """  br label %loop
loop:
  %x = call i32 @__cp_nondet_i32(i32 0)
  %low = sub i32 %x, 1
  %known = icmp ult i32 %low, 6
  br i1 %known, label %step, label %out
step:
  %s = load i32, ptr @state
  %t = load i32, ptr @other
  %s5 = mul i32 %s, 5
  %sum = add i32 %s5, %t
  %want = urem i32 %sum, 6
  %is = icmp eq i32 %low, %want
  %s1 = add i32 %s, 1
  %next = select i1 %is, i32 %s1, i32 0
  store i32 %next, ptr @state
  %t3 = mul i32 %t, 3
  %t4 = add i32 %t3, %next
  %t5 = urem i32 %t4, 17
  store i32 %t5, ptr @other
  %bad = icmp eq i32 %next, 14
  br i1 %bad, label %fail, label %loop
fail:
  call void @__cp_check(i1 false, i32 0)
  br label %out
out:
  ret void"""


@pytest.mark.parametrize("bits", [32, 64])
def test_search_explores_a_state_machine_state_by_state(bits: int) -> None:
    with build_text(text(STATE_MACHINE_BODY, bits=bits, before=STATE_MACHINE)) as executable:
        violation = found(executable, seconds=60, runs=60_000)
        assert violation is not None and len(violation.inputs) >= 14
        expect(executable.replay(violation.inputs), Outcome.VIOLATED)


def test_search_goes_on_where_a_run_computes_for_long() -> None:
    body = """  br label %a
a:
  %i = phi i32 [0, %0], [%j, %a]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 5000000
  br i1 %c, label %a, label %b
b:
  call void @__cp_check(i1 false, i32 0)
  ret void"""
    with build_text(text(body)) as executable:
        assert found(executable, seconds=10) is not None


def test_a_program_without_inputs_is_run_once() -> None:
    with build_text(text("  ret void")) as executable:
        (end,) = executable.search(seconds=5)
    assert end.exhausted  # type: ignore[union-attr]


def test_closing_a_search_kills_its_process() -> None:
    body = NEEDLE.replace("i1 false", "i1 true")
    with build_text(text(body)) as executable:
        search = executable.search(seconds=30)
        next(search)
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        search.close()
        left = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert len(left) < len(children)


def test_nothing_is_left_in_the_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with build_text(text("  ret void")) as executable:
        assert list(tmp_path.glob("*")) == []
        expect(executable.replay(()), Outcome.FINISHED)
    with pytest.raises(OSError):
        os.fstat(executable.file)


def test_other_targets_are_not_native() -> None:
    arm = 'target datalayout = "e"\ntarget triple = "armv7-unknown-linux-musleabi"\n'
    with pytest.raises(NotNative, match="armv7"):
        build_text(arm + "define void @__cp_main() {\n  ret void\n}\n")


def test_what_cannot_be_compiled_is_not_native() -> None:
    with pytest.raises(NotNative):
        build_text(text("  %x = frobnicate i32 7\n  ret void"))
    with pytest.raises(NotNative):
        before = "declare i32 @unknown(i32)\n"
        build_text(text("  %x = call i32 @unknown(i32 7)\n  ret void", before=before))


def test_simple_locals_stay_plain() -> None:
    body = """  %x = alloca { i32, [2 x i32] }
  %p = getelementptr { i32, [2 x i32] }, ptr %x, i32 0, i32 1, i32 1
  store i32 4, ptr %p
  %v = load i32, ptr %p
  %q = getelementptr { i32, [2 x i32] }, ptr %x, i32 0, i32 1, i32 2
  ret void"""
    assert "__cp_rt_write(ptr" not in instrument(text(body), ()).text.partition("declare")[0]
    outside = body.replace("  ret void", "  store i32 1, ptr %q\n  ret void")
    assert "__cp_rt_write(ptr" in instrument(text(outside), ()).text.partition("declare")[0]


# ---------------------------------------------------------------- C programs


PROGRAMS = {
    "structures on the heap": (
        """#include <stdlib.h>
        struct node { int value; struct node *next; };
        int main(void) {
            struct node *list = 0;
            for (int i = 0; i < 10; i++) {
                struct node *n = malloc(sizeof *n); n->value = i; n->next = list; list = n;
            }
            int sum = 0;
            for (; list; list = list->next) sum += list->value;
            if (sum == 45) reach_error();
        }""", Outcome.VIOLATED),
    "a switch of a few right values": (
        """int main(void) {
            int state = 0;
            while (1) {
                int in = __VERIFIER_nondet_int();
                switch (state) {
                case 0: state = in == 3 ? 1 : 0; break;
                case 1: state = in == 5 ? 2 : 0; break;
                case 2: state = in == 1 ? 3 : 0; break;
                case 3: state = in == 6 ? 4 : 0; break;
                case 4: state = in == 2 ? 5 : 0; break;
                default: reach_error();
                }
            }
        }""", Outcome.VIOLATED),
    "a loop to a particular count": (
        """int main(void) {
            unsigned n = __VERIFIER_nondet_uint(), i = 0;
            if (n > 1000000) return 0;
            while (i < n) i += 3;
            if (i == n + 2 && n > 900) reach_error();
        }""", Outcome.VIOLATED),
    "strings": (
        """#include <string.h>
        int main(void) {
            char text[8];
            for (int i = 0; i < 7; i++) text[i] = __VERIFIER_nondet_char();
            text[7] = 0;
            if (text[0] == 'k' && text[1] == 'e' && text[2] == 'y') reach_error();
        }""", Outcome.VIOLATED),
    "functions by pointer, structures by value": (
        """struct pair { long long a, b; };
        static struct pair twice(struct pair p) { p.a *= 2; p.b *= 2; return p; }
        static struct pair same(struct pair p) { return p; }
        int main(void) {
            struct pair (*table[2])(struct pair) = {twice, same};
            struct pair p = {1, 2};
            p = table[__VERIFIER_nondet_bool()](p);
            if (p.a == 2 && p.b == 4) reach_error();
        }""", Outcome.VIOLATED),
    "a deterministic program without a bug": (
        "int main(void) { int a[4] = {1, 2, 3, 4}; if (a[3] != 4) reach_error(); }", Outcome.FINISHED),
}  # fmt: skip

PROTOTYPES = """extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) {}
"""


@pytest.fixture(params=["ILP32", "LP64"])
def data_model(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, data_model: str, tmp_path: Path) -> None:
    source, outcome = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + source)
    task = SourceTask((file,), data_model=data_model)
    with build(prepare(task, "flat")) as executable:
        violation = found(executable, seconds=10)
    if outcome is not Outcome.VIOLATED:
        assert violation is None
        return
    assert violation is not None
    for preparation, lean in (("none", False), ("none", True), ("modular", False), ("flat", True)):
        with build(prepare(task, preparation), lean) as executable:
            expect(executable.replay(violation.inputs), Outcome.VIOLATED, violation.detail)


LONG = """int main(void) {
    unsigned start = __VERIFIER_nondet_uint(), x = start;
    for (unsigned i = 0; i < 100000000; i++) {
        x = 3 * x + (i & 7);
        if (x == 12345678 && i < 20000000) return 0;
    }
    if (start == 9) reach_error();
}"""


def confirmed_long(tmp_path: Path, start: int) -> Confirmed:
    file = tmp_path / "program.c"
    file.write_text(PROTOTYPES + LONG)
    subject = compile_subject(SourceTask((file,), property="unreach-call"))
    (site,) = (site.index for site in subject.program("none").sites if site.kind == "call")
    return confirm(subject, (ScalarInput(site, start, 32),), Budget(90))


def test_a_violation_after_a_hundred_million_rounds_is_confirmed(tmp_path: Path) -> None:
    confirmed = confirmed_long(tmp_path, 9)
    assert confirmed.interpreted is None and len(confirmed.ways) == 2
    assert [given.value for given in confirmed.inputs if isinstance(given, ScalarInput)] == [9]


def test_a_long_run_without_violation_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(EvidenceRejected, match="finished"):
        confirmed_long(tmp_path, 8)


def test_without_a_cache_directory_the_runtime_is_compiled_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    toolchain.runtime.cache_clear()
    try:
        expect(run("  ret void"), Outcome.FINISHED)
    finally:
        toolchain.runtime.cache_clear()


def test_the_runtime_is_kept_in_the_cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    toolchain.runtime.cache_clear()
    try:
        kept = toolchain.runtime(32)
    finally:
        toolchain.runtime.cache_clear()
    assert list((tmp_path / "counterpoint").iterdir()) == [kept]
