"""LLVM IR text to Program: what each construct becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from counterpoint.core.errors import InternalError, UnusableInput
from counterpoint.core.source import NOWHERE, CheckSite, Site, SourceLocation
from counterpoint.frontend.lower import lower
from counterpoint.program.model import Call, Compute, Function, Program, Unsupported
from counterpoint.program.render import render_function, render_global
from counterpoint.program.validate import validate

LAYOUT = {
    32: (
        'target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32-n8:16:32-S128"'
        '\ntarget triple = "i386-unknown-linux-musl"\n'
    ),
    64: (
        'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"'
        '\ntarget triple = "x86_64-unknown-linux-musl"\n'
    ),
}


@dataclass(frozen=True)
class Prepared:
    text: str
    sites: tuple[Site, ...] = (Site(0, "call", "__VERIFIER_nondet_int", "int", NOWHERE),)
    checks: tuple[CheckSite, ...] = (
        CheckSite(0, "unreach-call", "reached", NOWHERE),
        CheckSite(1, "valid-memtrack", "leak", NOWHERE),
        CheckSite(2, "valid-memcleanup", "leak", NOWHERE),
    )
    assumptions: tuple[str, ...] = ("one",)


def program(text: str, bits: int = 32) -> Program:
    result = lower(Prepared(LAYOUT[bits] + text))
    validate(result)
    return result


def body(text: str, before: str = "", bits: int = 32) -> list[str]:
    """The instructions of a `__cp_main` with this body, as text."""
    made = program(f"{before}\ndefine void @__cp_main() {{\n{indented(text)}\n}}\n", bits)
    return lines(made.main)


def indented(text: str) -> str:
    """Labels in column 0, all else indented as LLVM does it."""
    kept = [line.rstrip() for line in text.strip().split("\n")]
    return "\n".join(line if line.endswith(":") else "  " + line for line in kept)


def lines(function: Function) -> list[str]:
    return [line.strip().split("  ;")[0] for line in render_function(function).split("\n")[1:-1]]


def unsupported(made: Program) -> list[str]:
    return [site.name for site in made.sites if site.kind == "unsupported"]


NONDET = "%x = call i32 @__cp_nondet_i32(i32 0)\n"
FLOATS = "%a = call double @__cp_nondet_double(i32 0)\n%b = call double @__cp_nondet_double(i32 0)\n"

# ---------------------------------------------------------------- arithmetic


def test_flags_are_dropped_and_greater_becomes_less() -> None:
    made = body(NONDET + "%y = add nuw nsw i32 %x, -1\n%z = icmp samesign ugt i32 %y, 7\nret void")
    assert made[1:] == [
        "%0: i32 = nondet site 0",
        "%1: i32 = add %0, i32 4294967295",
        "%2: i1 = ult i32 7, %1",
        "return",
    ]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("oeq", ["feq %0, %1"]),
        ("ogt", ["flt %1, %0"]),
        ("oge", ["fle %1, %0"]),
        ("olt", ["flt %0, %1"]),
        ("ole", ["fle %0, %1"]),
        ("one", ["flt %0, %1", "flt %1, %0", "or %2, %3"]),
        ("ord", ["funordered %0, %1", "xor %2, i1 1"]),
        ("uno", ["funordered %0, %1"]),
        ("ueq", ["feq %0, %1", "funordered %0, %1", "or %2, %3"]),
        ("ugt", ["fle %0, %1", "xor %2, i1 1"]),
        ("uge", ["flt %0, %1", "xor %2, i1 1"]),
        ("ult", ["fle %1, %0", "xor %2, i1 1"]),
        ("ule", ["flt %1, %0", "xor %2, i1 1"]),
        ("une", ["feq %0, %1", "xor %2, i1 1"]),
    ],
)
def test_float_predicates(predicate: str, expected: list[str]) -> None:
    made = body(FLOATS + f"%c = fcmp nnan {predicate} double %a, %b\nret void")
    assert [line.split(" = ")[1] for line in made[3:-1]] == expected


def test_float_constants_keep_their_bits() -> None:
    made = body(
        "%a = fadd float 0x3FF19999A0000000, 1.000000e+00\n"
        "%b = fadd double 0x7FF8000000000001, -0.000000e+00\n"
        "%c = fadd float 0x7FF0000020000000, 0x7FF0000000000000\n"
        "ret void"
    )
    assert made[1:4] == [
        "%0: f32 = fadd f32 1066192077, f32 1065353216",
        f"%1: f64 = fadd f64 {0x7FF8000000000001}, f64 {1 << 63}",
        f"%2: f32 = fadd f32 {0x7F800001}, f32 {0x7F800000}",
    ]


def test_pointer_casts_go_through_the_pointer_width() -> None:
    made = body(
        "%p = call ptr @__cp_nondet_ptr(i32 0)\n%n = ptrtoint ptr %p to i64\n%q = inttoptr i64 %n to ptr\nret void"
    )
    assert made[2:6] == [
        "%1: i32 = int_from_pointer %0",
        "%2: i64 = zext %1",
        "%3: i32 = trunc %2",
        "%4: ptr = pointer_from_int %3",
    ]


def test_overflow_intrinsics_have_two_results() -> None:
    made = body(
        NONDET + "%r = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %x, i32 3)\n"
        "%o = extractvalue { i32, i1 } %r, 1\ncall void @__cp_check(i1 %o, i32 0)\nret void"
    )
    assert made[2:5] == ["%1: i32 = mul %0, i32 3", "%2: i1 = smul_overflows %0, i32 3", "check %2 number 0"]


def test_intrinsics_lose_their_poison_flags() -> None:
    made = body(
        NONDET + "%a = call i32 @llvm.abs.i32(i32 %x, i1 true)\n%b = call i32 @llvm.cttz.i32(i32 %a, i1 true)\nret void"
    )
    assert made[2:4] == ["%1: i32 = abs %0", "%2: i32 = cttz %1"]


def test_vectors_are_lanes() -> None:
    made = body(
        NONDET + "%v = insertelement <2 x i32> <i32 4, i32 5>, i32 %x, i32 1\n%w = add <2 x i32> %v, splat (i32 9)\n"
        "%e = extractelement <2 x i32> %w, i64 0\n"
        "%s = shufflevector <2 x i32> %w, <2 x i32> poison, <2 x i32> <i32 1, i32 0>\n"
        "%f = extractelement <2 x i32> %s, i32 0\n%g = sub i32 %e, %f\nret void"
    )
    assert made[2:5] == ["%1: i32 = add i32 4, i32 9", "%2: i32 = add %0, i32 9", "%3: i32 = sub %1, %2"]


def test_bitcast_joins_and_splits_lanes() -> None:
    made = body(NONDET + "%v = bitcast i32 %x to <2 x i16>\n%w = bitcast <2 x i16> %v to i32\nret void")
    assert made[2:] == [
        "%1: i16 = trunc %0",
        "%2: i32 = lshr %0, i32 16",
        "%3: i16 = trunc %2",
        "%4: i32 = zext %1",
        "%5: i32 = zext %3",
        "%6: i32 = shl %5, i32 16",
        "%7: i32 = or %4, %6",
        "return",
    ]


# ---------------------------------------------------------------- undefined values


def test_undef_is_a_fresh_value_at_each_use() -> None:
    made = body("%a = add i32 undef, 1\n%b = add i32 poison, undef\nret void")
    assert [line for line in made if "nondet" in line] == [
        "%0: i32 = nondet site 1",
        "%2: i32 = nondet site 2",
        "%3: i32 = nondet site 3",
    ]


def test_undefined_lanes_that_nothing_reads_cost_nothing() -> None:
    made = body(
        NONDET + "%s = insertvalue { i32, i32 } poison, i32 %x, 1\n%e = extractvalue { i32, i32 } %s, 1\nret void"
    )
    assert made[1:] == ["%0: i32 = nondet site 0", "return"]


def test_undef_in_a_phi_is_chosen_by_the_predecessor() -> None:
    made = body(
        NONDET + "%c = trunc i32 %x to i1\nbr i1 %c, label %a, label %b\n"
        "a:\nbr label %b\n"
        "b:\n%p = phi i32 [ undef, %0 ], [ 3, %a ]\nret void"
    )
    assert made == [
        "0():",
        "%0: i32 = nondet site 0",
        "%1: i1 = trunc %0",
        "%2: i32 = nondet site 1",
        "if %1 in {1} goto 1; if %1 in {0} goto 2(%2)",
        "1():",
        "goto 2(i32 3)",
        "2(%3: i32):",
        "return",
    ]


# ---------------------------------------------------------------- memory


TYPES = (
    "%struct.S = type { i8, i64, [3 x %struct.P], ptr }\n"
    "%struct.P = type <{ i8, i32 }>\n"
    "@s = global %struct.S zeroinitializer, align 8\n"
)


@pytest.mark.parametrize(("bits", "offset"), [(32, 12 + 5 + 1), (64, 16 + 5 + 1)])
def test_constant_addresses_fold(bits: int, offset: int) -> None:
    made = body(
        "%v = load i32, ptr getelementptr (%struct.S, ptr @s, i32 0, i32 2, i32 1, i32 1)\nret void",
        TYPES,
        bits,
    )
    assert made[1] == f"%0: i32 = load @s+{offset}"


def test_symbolic_addresses_are_index_arithmetic() -> None:
    made = body(
        NONDET + "%p = getelementptr inbounds %struct.S, ptr @s, i32 1, i32 2, i32 %x, i32 1\n"
        "store i32 7, ptr %p, align 1\nret void",
        TYPES,
        64,
    )
    assert made[2:] == [
        "%1: i64 = sext %0",
        "%2: i64 = mul %1, i64 5",
        f"%3: i64 = add %2, i64 {40 + 16 + 1}",
        "%4: ptr = offset @s, %3",
        "store i32 7 to %4",
        "return",
    ]


def test_negative_strides_wrap_in_pointer_width() -> None:
    made = body(
        "%p = call ptr @__cp_nondet_ptr(i32 0)\n%q = getelementptr i16, ptr %p, i64 -1\n%r = getelementptr i8, ptr @s, i32 -4\nstore ptr %r, ptr %q\nret void",
        TYPES,
    )
    assert made[2:4] == ["%1: ptr = offset %0, i32 4294967294", "store @s-4 to %1"]


def test_truth_values_and_odd_widths_are_whole_bytes_in_memory() -> None:
    made = body(
        "%a = load i1, ptr @s\nstore i1 %a, ptr @s\n%b = load i17, ptr @s\nstore i17 %b, ptr @s\nret void",
        TYPES,
    )
    assert made[1:-1] == [
        "%0: i8 = load @s",
        "%1: i1 = trunc %0",
        "%2: i8 = zext %1",
        "store %2 to @s as i8",
        "%3: i24 = load @s",
        "%4: i17 = trunc %3",
        "%5: i24 = zext %4",
        "store %5 to @s as i24",
    ]


def test_aggregates_are_loaded_and_stored_by_scalar() -> None:
    made = body("%a = load { i8, i32 }, ptr @s\nstore { i8, i32 } %a, ptr @s\nret void", TYPES)
    assert made[1:-1] == [
        "%0: i8 = load @s",
        "%1: i32 = load @s+4",
        "store %0 to @s as i8",
        "store %1 to @s+4 as i32",
    ]


def test_locals_and_lifetimes() -> None:
    made = body(
        NONDET + "%a = alloca [3 x i16], align 8\n%v = alloca i32, i32 %x, align 4\n"
        "%p = call ptr @__cp_nondet_ptr(i32 0)\n"
        "call void @llvm.lifetime.start.p0(ptr %a)\ncall void @llvm.lifetime.start.p0(ptr %p)\n"
        "call void @llvm.memset.p0.i64(ptr align 8 %a, i8 0, i64 6, i1 false)\n"
        "call void @llvm.memcpy.p0.p0.i32(ptr %a, ptr align 4 @s, i32 %x, i1 false)\n"
        "call void @llvm.lifetime.end.p0(ptr nonnull %a)\nret void",
        TYPES,
    )
    assert made[2:-1] == [
        "%1: ptr = allocate local i32 6 align 8 site 1",
        "%2: i32 = mul %0, i32 4",
        "%3: ptr = allocate local %2 align 4 site 2",
        "%4: ptr = nondet site 0",
        "begin %1",
        "fill %1, i8 0, i32 6",
        "copy %1, @s, %0",
        "end %1",
    ]


def test_variable_length_arrays_die_where_the_stack_is_restored() -> None:
    made = body(
        NONDET + "br label %loop\nloop:\n%s = call ptr @llvm.stacksave.p0()\n%v = alloca i8, i32 %x, align 1\n"
        "store i8 1, ptr %v\ncall void @llvm.stackrestore.p0(ptr %s)\nbr label %loop"
    )
    assert made[4:] == ["%1: ptr = allocate local %0 align 1 site 1", "store i8 1 to %1", "end %1", "goto 1"]


def test_nested_arrays_end_where_their_own_stack_is_restored() -> None:
    made = body(
        NONDET
        + "br label %loop\nloop:\n%s = call ptr @llvm.stacksave.p0()\n%v = alloca i8, i32 %x, align 1\n"
        + "%t = call ptr @llvm.stacksave.p0()\n%w = alloca i8, i32 %x, align 1\n"
        + "call void @llvm.stackrestore.p0(ptr %t)\ncall void @llvm.stackrestore.p0(ptr %s)\nbr label %loop"
    )
    assert made[4:] == [
        "%1: ptr = allocate local %0 align 1 site 1",
        "%2: ptr = allocate local %0 align 1 site 2",
        "end %1",
        "end %2",
        "goto 1",
    ]


CONDITIONAL_ARRAY = (
    "define void @__cp_main() {\n  %x = call i32 @__cp_nondet_i32(i32 0)\n  %c = trunc i32 %x to i1\n"
    "  %s = call ptr @llvm.stacksave.p0()\n  br i1 %c, label %a, label %b\n"
    "a:\n  %v = alloca i8, i32 %x, align 1\n  store i8 1, ptr %v\n  br label %b\n"
    "b:\n  call void @llvm.stackrestore.p0(ptr %s)\n  ret void\n}\n"
)


def test_an_array_whose_end_depends_on_the_run_is_unsupported_where_validity_is_checked() -> None:
    made = program(CONDITIONAL_ARRAY)
    assert lines(made.main)[4:7] == ["1():", "unsupported site 2", "stop"]
    plain = lower(Prepared(LAYOUT[32] + CONDITIONAL_ARRAY, checks=()))
    validate(plain)
    assert not unsupported(plain)


def test_atomics_are_plain_without_threads() -> None:
    made = body(
        '%a = atomicrmw add ptr @s, i32 2 syncscope("singlethread") seq_cst, align 4\n'
        "%b = cmpxchg weak ptr @s, i32 %a, i32 9 acq_rel monotonic, align 4\n"
        "%c = load atomic i32, ptr @s acquire, align 4\nstore atomic volatile i32 %c, ptr @s release, align 4\n"
        "fence seq_cst\nret void",
        TYPES,
    )
    assert made[1:-1] == [
        "%0: i32 = load @s",
        "%1: i32 = add %0, i32 2",
        "store %1 to @s as i32",
        "%2: i32 = load @s",
        "%3: i1 = eq %2, %0",
        "%4: i32 = select %3, i32 9, %2",
        "store %4 to @s as i32",
        "%5: i32 = load @s",
        "store %5 to @s as i32",
    ]


# ---------------------------------------------------------------- objects


def test_initialisers() -> None:
    made = program(
        "%struct.T = type { i8, i32, ptr, i1 }\n"
        '@text = private constant [6 x i8] c"a\\0A\\\\\\22\\00b", align 1\n'
        "@t = global %struct.T { i8 1, i32 ptrtoint (ptr @f to i32), ptr getelementptr (i8, ptr @text, i32 2), i1 true }\n"
        "@a = global [2 x <2 x i16>] [<2 x i16> <i16 0, i16 2>, <2 x i16> zeroinitializer], align 16\n"
        "@unused = global i32 5\n@b = alias i32, ptr @a\n"
        "define void @f() {\n  ret void\n}\n"
        "define void @__cp_main() {\n  %1 = load i8, ptr @t\n  %2 = load i16, ptr @b\n  ret void\n}\n"
    )
    assert sorted(map(render_global, made.globals.values())) == [
        "code @f size 0 align 16 {}",
        "constant @text size 6 align 1 {0: i8 97, 1: i8 10, 2: i8 92, 3: i8 34, 5: i8 98}",
        "global @a size 8 align 16 {2: i16 2}",
        "global @t size 16 align 4 {0: i8 1, 4: @f, 8: @text+2, 12: i8 1}",
    ]
    assert list(made.functions) == ["__cp_main"]


def test_initialisers_that_are_computed_become_stores_at_the_start() -> None:
    made = program(
        "@x = constant i32 sub (i32 ptrtoint (ptr @y to i32), i32 ptrtoint (ptr @x to i32))\n@y = global i8 0\n"
        "define void @__cp_main() {\n  %1 = load i32, ptr @x\n  ret void\n}\n"
    )
    assert lines(made.main)[1:] == [
        "%1: i32 = int_from_pointer @y",
        "%2: i32 = int_from_pointer @x",
        "%3: i32 = sub %1, %2",
        "store %3 to @x as i32",
        "%0: i32 = load @x",
        "return",
    ]
    assert not made.globals["x"].constant


def test_an_object_without_contents_stops_the_program_with_its_name() -> None:
    made = program("@gone = external global i32\ndefine void @__cp_main() {\n  store i32 1, ptr @gone\n  ret void\n}\n")
    assert lines(made.main) == ["0():", "unsupported site 1", "stop"]
    assert "gone" in unsupported(made)[0]


# ---------------------------------------------------------------- calls and control flow


def test_kernel_calls() -> None:
    made = body(
        "%p = call ptr @__cp_allocate(i32 8, i32 0)\n%z = call ptr @__cp_allocate_zeroed(i32 8, i32 0)\n"
        "call void @__cp_havoc(ptr %p, i32 8, i32 0)\n%n = call i32 @__cp_object_size(ptr %p)\n"
        "call void @__cp_check_access(ptr %z, ptr %p, i32 4, i32 0)\ncall void @__cp_check_free(ptr %p, i32 0)\n"
        "call void @__cp_free(ptr %p)\ncall void @__cp_check_leak(i32 1)\ncall void @__cp_check_leak(i32 2)\n"
        "%b = call i1 @__cp_nondet_i1(i32 0)\ncall void @__cp_assume(i1 %b)\ncall void @__cp_stop(i32 3)\nunreachable"
    )
    assert made[1:] == [
        "%0: ptr = allocate heap i32 8 align 16 site 0",
        "%1: ptr = allocate heap zeroed i32 8 align 16 site 0",
        "havoc %0, i32 8 site 0",
        "%2: i32 = object_size %0",
        "%3: i1 = valid_access %1, i32 4",
        "check %3 number 0",
        "%4: i1 = valid_free %0",
        "check %4 number 0",
        "free %0",
        "%5: i1 = no_leak unreachable",
        "check %5 number 1",
        "%6: i1 = no_leak any",
        "check %6 number 2",
        "%7: i1 = nondet site 0",
        "assume %7",
        "stop",
    ]


def test_switch_guards_cover_everything_once() -> None:
    made = body(
        NONDET + "switch i32 %x, label %d [\n  i32 -1, label %a\n  i32 2, label %d\n  i32 3, label %a\n]\n"
        "a:\nret void\nd:\nret void"
    )
    assert made[2] == "if %0 in {3, 4294967295} goto 1; if %0 not in {3, 4294967295} goto 2"


def test_constant_branches_leave_unreached_blocks_out() -> None:
    made = body(
        "br i1 false, label %a, label %b\na:\nret void\nb:\nswitch i8 2, label %a [\n  i8 2, label %c\n]\nc:\nret void"
    )
    assert made == ["0():", "goto 1", "1():", "goto 2", "2():", "return"]


def test_a_switch_that_is_cut_off_is_no_jump() -> None:
    assert body(NONDET + "switch i32 %x, label %d [\ni32 1, label %d\nd:\nret void")[2] == "unsupported site 1"


def test_struct_results_and_arguments_are_scalars() -> None:
    made = program(
        "define internal fastcc { i32, [2 x i8] } @f({ i32, i8 } noundef %a, ptr byval(i64) align 4 %p, ...) {\n"
        "  %r = insertvalue { i32, [2 x i8] } zeroinitializer, i8 5, 1, 1\n  ret { i32, [2 x i8] } %r\n}\n"
        "define void @__cp_main() {\n"
        "  %1 = tail call fastcc { i32, [2 x i8] } ({ i32, i8 }, ptr, ...) @f({ i32, i8 } { i32 1, i8 2 },"
        " ptr noundef byval(i64) align 4 null, i32 4) #3\n"
        "  %2 = extractvalue { i32, [2 x i8] } %1, 1, 1\n  store i8 %2, ptr null\n  ret void\n}\n"
    )
    assert lines(made.main)[1:3] == [
        "%0: i32, %1: i8, %2: i8 = call f(i32 1, i8 2, ptr 0)",
        "store %2 to ptr 0 as i8",
    ]
    assert lines(made.functions["f"])[1:] == [
        "%3: ptr = allocate local i32 8 align 4 site 1",
        "copy %3, %2, i32 8",
        "return i32 0, i8 0, i8 5",
    ]


def test_what_has_no_meaning_ends_its_block_only() -> None:
    made = program(
        "define void @__cp_main() {\n  %x = call i1 @__cp_nondet_i1(i32 0)\n"
        "  br i1 %x, label %a, label %b\n"
        'a:\n  call void asm sideeffect "nop, @f(", "~{flags}"()\n  %y = add i32 1, 2\n  br label %c\n'
        "b:\n  %l = load x86_fp80, ptr null\n  ret void\n"
        "c:\n  %z = add i32 %y, 2\n  ret void\n}\n"
    )
    assert unsupported(made) == ["inline assembly", "long double (80 bits)"]
    assert len(made.main.blocks) == 3
    assert made.main.registers == 1


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("%r = call i32 @gone(i32 1)", "gone"),
        ("%r = call i32 %p(i32 1)", "indirect call"),
        ("call void @llvm.va_start.p0(ptr null)", "llvm.va_start"),
        ("%r = va_arg ptr %p, i32", "va_arg"),
        ("indirectbr ptr %p, [label %a]", "computed goto"),
        ("%r = load ptr addrspace(1), ptr %p", "addrspace(1)"),
        ("%r = add <vscale x 4 x i32> zeroinitializer, zeroinitializer", "vscale"),
        ("%r = call i32 @two(i32 1)", "too few"),
        ("%r = call i32 @two(i32 1, i64 1)", "another type"),
        ("%r = call i32 @__cp_nondet_i32(i32 99)", "site"),
        ("%r = load i32, ptr blockaddress(@two, %a)", "blockaddress"),
        ("this is no instruction", "this"),
    ],
)
def test_unsupported_constructs_are_named(line: str, name: str) -> None:
    made = program(
        "define i32 @two(i32 %0, i32 %1) {\n  ret i32 %0\n}\n"
        "define void @__cp_main() {\n  %p = call ptr @__cp_nondet_ptr(i32 0)\n"
        f"  {line}\n  ret void\na:\n  ret void\n}}\n"
    )
    assert len(unsupported(made)) == 1
    assert name in unsupported(made)[0]
    assert isinstance(made.main.blocks[0].instructions[-1], Unsupported)


def test_locations_carry_the_inlining_stack_and_names() -> None:
    made = program(
        "define void @__cp_main() !dbg !4 {\n  %1 = call i32 @__cp_nondet_i32(i32 0), !dbg !6\n"
        "    #dbg_value(i32 %1, !8, !DIExpression(), !6)\n  ret void\n}\n"
        '!1 = !DIFile(filename: "a.c", directory: "/d")\n!2 = !DIFile(filename: "b.h", directory: "/d")\n'
        '!4 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3, type: !9)\n'
        '!5 = distinct !DISubprogram(name: "g", scope: !2, file: !2, line: 1, type: !9)\n'
        "!6 = !DILocation(line: 12, column: 5, scope: !7, inlinedAt: !10)\n"
        "!7 = distinct !DILexicalBlock(scope: !5, file: !2, line: 11, column: 2)\n"
        '!8 = !DILocalVariable(name: "count", scope: !7, file: !2, line: 11, type: !9)\n'
        "!10 = distinct !DILocation(line: 4, scope: !4)\n"
    )
    instruction = made.main.blocks[0].instructions[0]
    at = instruction.at
    assert (at.file, at.line, at.column, at.function) == ("/d/b.h", 12, 5, "g")
    assert at.inlined_at is not None
    assert (at.inlined_at.file, at.inlined_at.line, at.inlined_at.function) == ("/d/a.c", 4, "main")
    assert (made.main.at.file, made.main.at.line) == ("/d/a.c", 3)
    assert render_function(made.main).split("\n")[2].strip().startswith("%0.count: i32")


def test_recursion_and_order_of_functions() -> None:
    made = program(
        "define i32 @f(i32 %0) {\n  %2 = call i32 @g(i32 %0)\n  ret i32 %2\n}\n"
        'define i32 @"g"(i32 %0) {\n  %2 = call i32 @f(i32 %0)\n  ret i32 %2\n}\n'
        "define void @never() {\n  ret void\n}\n"
        "define void @__cp_main() {\n  %1 = call i32 @f(i32 3)\n  ret void\n}\n"
    )
    assert list(made.functions) == ["f", "g", "__cp_main"]
    calls = [i for f in made.functions.values() for b in f.blocks for i in b.instructions if isinstance(i, Call)]
    assert [call.callee for call in calls] == ["g", "f", "f"]


def test_assumptions_and_tables_pass_through() -> None:
    made = program("define void @__cp_main() {\n  ret void\n}\n")
    assert made.assumptions == ("one",)
    assert [check.kind for check in made.checks] == ["unreach-call", "valid-memtrack", "valid-memcleanup"]


@pytest.mark.parametrize("text", ["", "garbage", "define i32 @__cp_main() {\n  ret i32 0\n}\n"])
def test_a_module_without_the_entry_is_one_clear_line(text: str) -> None:
    with pytest.raises(UnusableInput, match="__cp_main"):
        lower(Prepared(text))


def test_lowering_is_deterministic() -> None:
    text = "define void @__cp_main() {\n  %x = call i32 @__cp_nondet_i32(i32 0)\n  %y = mul i32 %x, %x\n  ret void\n}\n"
    assert program(text) == program(text)
    assert any(isinstance(i, Compute) for i in program(text).main.blocks[0].instructions)


def test_locations_may_nest_deeper_than_python_recurses() -> None:
    depth = 3000
    made = program(
        f"define void @__cp_main() !dbg !1 {{\n  store i8 0, ptr null, !dbg !{2 * depth}\n  ret void\n}}\n"
        '!0 = !DIFile(filename: "a.c", directory: "")\n'
        '!1 = distinct !DISubprogram(name: "main", scope: !0, file: !0, line: 3)\n'
        + "".join(f"!{k} = distinct !DILexicalBlock(scope: !{k - 1}, file: !0, line: 4)\n" for k in range(2, depth))
        + f"!{depth} = !DILocation(line: 5, scope: !{depth - 1})\n"
        + "".join(
            f"!{k} = distinct !DILocation(line: 6, scope: !1, inlinedAt: !{k - 1})\n"
            for k in range(depth + 1, 2 * depth + 1)
        )
    )
    at: SourceLocation | None = made.main.blocks[0].instructions[0].at
    assert at is not None and at.function == "main"
    chain = 0
    while at is not None:
        chain, last, at = chain + 1, at, at.inlined_at
    assert chain == depth + 1
    assert (last.line, last.function) == (5, "main")


def test_a_program_that_breaks_a_rule_does_not_leave_the_front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    module = Prepared(LAYOUT[32] + CONDITIONAL_ARRAY, checks=())
    made = lower(module)
    broken = replace(made, entry="nobody")
    monkeypatch.setattr("counterpoint.frontend.lower.module.lower_module", lambda *how: broken)
    with pytest.raises(InternalError, match="no entry function nobody"):
        lower(module)
