"""What the rewriting leaves in the IR: no promises, checks before accesses, tables that fit."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from counterpoint import property as properties
from counterpoint.core.source import Site
from counterpoint.frontend.c import clang
from counterpoint.frontend.c.diagnostics import remarks
from counterpoint.frontend.definition import padding, shifts
from counterpoint.frontend.definition.strip import strip_promises
from counterpoint.frontend.irtext import leading_type, parse, parse_call, signature
from counterpoint.frontend.passes import PREPARATIONS, inlinable_functions, recursive_functions
from counterpoint.frontend.passes.undefined_values import needs_settling, settle
from counterpoint.frontend.prepare import DefinedModule, compile_task, define_task
from counterpoint.frontend.task import SourceTask

PROGRAM = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void *outside(void);
struct S { char c; int x; } g;
int visit(int *p, unsigned n) {
    int s = 0;
    for (unsigned i = 0; i < n; i++) s += p[i] / (int)i + (s << i);
    return s;
}
int main(void) {
    struct S local; int a[4]; int n; unsigned char *h = malloc(8);
    if (n > 3) { n = a[__VERIFIER_nondet_int() & 3]; local.x = 2; }
    a[1] = 3; g.x = n; h[n] = 1; free(h);
    volatile int v = 3; *(volatile int *)0x1000 = v;
    if (visit(a, 4) + local.c == 1) reach_error();
    return outside() != 0;
}
"""


def defined(tmp_path: Path, source: str, property_: str = "unreach-call", model: str = "LP64") -> DefinedModule:
    file = tmp_path / "p.c"
    file.write_text(source)
    return compile_task(SourceTask((file,), property=property_, data_model=model))


def bodies(text: str) -> list[str]:
    """The lines of all function bodies that are instructions."""
    lines = [line for body in re.findall(r"^define [^\n]*\n(.*?)^}", text, re.M | re.S) for line in body.split("\n")]
    return [line for line in lines if re.match(r"  \S", line)]


PROMISES = re.compile(
    r" (nuw|nsw|exact|inbounds|nusw|nneg|samesign|disjoint|noundef|nonnull|fast|nnan)\b|!tbaa|!range|!noundef"
    r"|mustprogress|willreturn|!llvm\.loop"
)


@pytest.mark.parametrize("property_", ["unreach-call", "memory-safety", "no-overflow"])
@pytest.mark.parametrize("model", ["ILP32", "LP64"])
def test_no_promise_survives(property_: str, model: str, tmp_path: Path) -> None:
    """Passes may add flags that they have proved; none comes from clang."""
    module = defined(tmp_path, PROGRAM, property_, model)
    for text in (module.text, module.prepared("none").text):
        assert not [line for line in bodies(text) if PROMISES.search(line)]
        assert "null_pointer_is_valid" in text


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_nothing_reachable_is_undefined(preparation: str, tmp_path: Path) -> None:
    lines = bodies(defined(tmp_path, PROGRAM).prepared(preparation).text)
    assert not [line for line in lines if re.search(r"\b(undef|poison)\b", line) and "#dbg" not in line]


@pytest.mark.parametrize("preparation", PREPARATIONS)
@pytest.mark.parametrize("property_", ["unreach-call", "memory-safety", "no-overflow"])
def test_only_kernel_calls_are_undefined(preparation: str, property_: str, tmp_path: Path) -> None:
    text = defined(tmp_path, PROGRAM, property_).prepared(preparation).text
    declared = re.findall(r"^declare .*?@([\w.$]+)\(", text, re.MULTILINE)
    assert all(name.startswith(("__cp_", "llvm.")) for name in declared)


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_indices_refer_to_the_tables(preparation: str, tmp_path: Path) -> None:
    module = defined(tmp_path, PROGRAM, "memory-safety").prepared(preparation)
    checks = [int(n) for n in re.findall(r"@__cp_check\w*\([^\n]*i32 (\d+)\)", module.text)]
    sites = [int(n) for n in re.findall(r"@__cp_(?:nondet\w*|havoc|allocate\w*)\([^\n]*i32 (\d+)\)", module.text)]
    assert checks and sites
    assert max(checks) < len(module.checks) and max(sites) < len(module.sites)
    assert [site.index for site in module.sites] == list(range(len(module.sites)))
    assert {module.sites[n].kind for n in sites} >= {"call", "heap", "undefined"}


def test_sites_name_the_users_places(tmp_path: Path) -> None:
    module = defined(tmp_path, PROGRAM)
    (asked,) = [site for site in module.sites if site.kind == "call"]
    assert (asked.name, asked.type, asked.at.line, asked.at.function) == (
        "__VERIFIER_nondet_int",
        "int",
        12,
        "main",
    )
    (check,) = module.checks
    assert check.kind == "unreach-call" and check.at.line == 15
    assert "the undefined function outside returns any value and changes nothing" in module.assumptions


def test_volatile_survives_only_at_constant_addresses(tmp_path: Path) -> None:
    lines = [line for line in bodies(defined(tmp_path, PROGRAM).text) if " volatile " in line]
    assert len(lines) == 1 and "inttoptr" in lines[0]


CHECKED = {
    "p[2]": ("int *p = outside(); p[2] = 1;", 1),
    "a local at a constant index": ("int a[4]; a[2] = 1;", 0),
    "a local past its end": ("int a[4]; a[4] = 1;", 1),
    "a local at any index": ("int a[4]; a[n] = 1;", 1),
    "a global's member": ("g.x = 1;", 0),
    "memcpy": ("char a[4], b[4]; __builtin_memcpy(a, b, n);", 2),
}


@pytest.mark.parametrize("name", CHECKED)
def test_access_checks(name: str, tmp_path: Path) -> None:
    body, count = CHECKED[name]
    source = "struct S { char c; int x; } g; void *outside(void); int __VERIFIER_nondet_int(void);"
    source += f"int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}"
    text = defined(tmp_path, source, "memory-safety").text
    assert len(re.findall("call void @__cp_check_(?:access|write)", text)) == count


def test_check_names_the_base_of_the_address(tmp_path: Path) -> None:
    source = "int main(void) { int a[4]; int *volatile n = 0; return *(a + 1 + (long)n + 2); }"
    text = defined(tmp_path, source, "memory-safety").text
    (base,) = re.findall(r"@__cp_check_(?:access|write)\(ptr %[\w.]+, ptr (%[\w.]+), i64 4", text)
    assert re.search(rf"^  {re.escape(base)} = alloca \[4 x i32\]", text, re.MULTILINE)


def test_recursion_and_inlining_bounds() -> None:
    lines = {
        "a": ["call @b", "call @c"],
        "b": ["call @d"],
        "c": ["call @c"],
        "d": ["call @e"],
        "e": ["call @d"],
    }
    assert recursive_functions(lines) == {"c", "d", "e"}
    tower = {f"f{n}": [f"call @f{n + 1}", f"call @f{n + 1}"] for n in range(40)} | {"f40": ["ret"]}
    chosen = inlinable_functions(tower, frozenset(), "f0")
    assert "f40" in chosen and len(chosen) < 40


def test_parts_of_ir_lines() -> None:
    assert leading_type("{ i32, [2 x ptr] } %4") == "{ i32, [2 x ptr] }"
    assert leading_type("ptr addrspace(1) %4") == "ptr addrspace(1)"
    line = "  %7 = call { i64, i32 } (ptr, ...) @f(ptr byval(%struct.S) align 8 %1, i32 3), !dbg !4"
    call = parse_call(line)
    assert call is not None
    assert (call.result, call.type, call.callee, len(call.arguments)) == ("%7", "{ i64, i32 }", "@f", 2)
    header = 'define internal <2 x float> @"a b"(i32 %0, ptr align 4 %1, ...) #0 !dbg !3 {'
    assert signature(header) == ("<2 x float>", '"a b"', [("i32", "%0"), ("ptr", "%1")], True)
    assert parse_call('  %1 = call i32 asm "mov", "=r"()') is None


def test_strings_are_left_alone() -> None:
    text = '@s = constant [9 x i8] c" nsw nuw "\n\n'
    text += "define i32 @f(i32 noundef %0) #3 {\n  %2 = add nsw i32 %0, 1\n}\n"
    module = parse(strip_promises(text))
    assert '" nsw nuw "' in module.globals["s"]
    assert module.functions["f"].lines == ["  %2 = add i32 %0, 1"]


def test_large_function_is_fast(tmp_path: Path) -> None:
    """Each line is looked at a bounded number of times: 20,000 statements take seconds, not minutes."""
    steps = "".join(f"x = x * 3 + {n}; if (x == {n}) reach_error();\n" for n in range(4000))
    source = f"extern void reach_error(void); int main(void) {{ unsigned x; {steps} return 0; }}"
    started = time.process_time()
    module = defined(tmp_path, source)
    assert len(module.checks) == 4000
    assert time.process_time() - started < 6


OUTSIDE = """
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
static const int table[4] = {1, 2, 3, 4}; int global[3];
int get(const int *a, int i) { return a[i]; }
int main(void) {
    int a[4] = {1, 2, 3, 4}, n = __VERIFIER_nondet_int(), x;
    if (n == 1) x = a[7];
    else if (n == 2) x = get(a, 9);
    else if (n == 3) x = table[5];
    else if (n == 4) x = get(table, 6);
    else x = global[10];
    if (x == 77) reach_error();
    return 0;
}
"""


@pytest.mark.parametrize("preparation", PREPARATIONS)
def test_reads_outside_objects_stay_arbitrary(preparation: str, tmp_path: Path) -> None:
    """LLVM folds such reads to an undefined value and then drops the branch that depends on it."""
    module = defined(tmp_path, OUTSIDE).prepared(preparation)
    lines = bodies(module.text)
    assert not [line for line in lines if re.search(r"\b(undef|poison)\b", line) and "#dbg" not in line]
    assert [line for line in lines if "@__cp_check(i1 false" in line]
    used = {int(n) for line in lines for n in re.findall(r"@__cp_nondet_i32\(i32 (\d+)\)", line)}
    assert sum(module.sites[n].kind == "undef" for n in used) >= 3
    assert preparation == "flat" or re.search(r"^@table = .*constant", module.text, re.MULTILINE)


def test_undefined_operands_are_replaced_wherever_they_stand(tmp_path: Path) -> None:
    text = defined(tmp_path, "int main(void) { return 0; }").prepared("none").text
    body = """define void @f(ptr %0) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %0, ptr align 1 poison, i64 4, i1 false)
  %2 = add i32 3, undef
  %3 = icmp eq i32 %2, poison
  store i32 poison, ptr %0, align 4
  br i1 %3, label %4, label %5

4:
  br label %5

5:
  %6 = phi i32 [ 1, %1 ], [ undef, %4 ]
  ret void
}
"""
    sites: list[Site] = []
    settled = settle(text + body, sites, properties.named("unreach-call"), 7)
    assert not needs_settling(settled)
    assert [site.kind for site in sites] == ["undef"] * 5
    assert {site.type for site in sites} == {"ptr", "i32"}

SHIFTED = """
int f(int c, int x, long long n, unsigned char s, __int128 w) {
    int r = c ? x << n : x >> s;
    for (; c && 1LL << w; c--) r += (c ? 3 << n : 0) + (r || x >> n);
    return r + (1 << 3) + (int)(w >> n);
}
int main(void) { return f(1, 2, 3, 4, 5); }
"""


@pytest.mark.parametrize("property_", ["unreach-call", "no-overflow"])
def test_tests_of_shifts_leave_no_branches(property_: str, tmp_path: Path) -> None:
    """clang's sanitizer is there for the amounts; blocks and phis are those of the program without it."""
    text = defined(tmp_path, SHIFTED, property_).text
    assert "__ubsan" not in text and "shiftcheck" not in text
    plain = defined(tmp_path, SHIFTED.replace("<<", "+").replace(">>", "|"), property_).text
    assert count_blocks(text) <= count_blocks(plain)
    amounts = re.findall(r"icmp ule (i\d+) [^,]+, (\d+)", text)
    assert sorted(amounts) == [("i128", "63"), *[("i32", "31")], *[("i64", "127")], *[("i64", "31")] * 3]


def count_blocks(text: str) -> int:
    return sum(1 for line in text.splitlines() if re.match(r"[^ ].*:(?: +;.*)?$", line))


def test_a_test_of_a_shift_of_another_form_stays() -> None:
    """Then its handler is a call without a meaning, and the shift has a guard of its own."""
    lines = [
        "  %3 = icmp ule i64 %0, 31",
        "  br i1 %3, label %5, label %4",
        "4:",
        "  call void @__ubsan_handle_shift_out_of_bounds(ptr @1, i64 %0, i64 1)",
        "  unreachable",
        "5:",
        "  ret void",
    ]
    assert shifts.without_branches(lines, "2", {}) == lines


_REMARKED = """int object = 2147483647 + 1;
#define ABOVE(x) ((x) + 2147483647)
int main(void) {
    int i = 3, list[2] = {1, ABOVE(2)};
    if (i == 4) return ABOVE(3) + (1 << 40);
    return i + i++ + list[0];
}
"""


def test_remarks_tell_what_was_folded_and_what_has_no_order(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(_REMARKED)
    task = SourceTask((file,), property="no-overflow")
    compiled = clang.compile_all(task)
    said = remarks(compiled, properties.named("no-overflow"))
    assert [place.rpartition("p.c:")[2] for place in said.folded] == ["1:25", "4:30"]
    assert [sentence.rpartition("p.c:")[2].partition(" ")[0] for sentence in said.disordered] == ["6:17:"]
    assert any("constant expression at" in site.name for site in define_task(task, compiled).sites)
    assert remarks(compiled, properties.named("unreach-call")).folded == ()


@pytest.mark.parametrize(
    ("members", "listed"), [("char c; int x;", True), ("int c; int x;", False), ("long x; char c[3];", True)]
)
def test_padding_that_may_be_compared_is_listed(members: str, listed: bool, tmp_path: Path) -> None:
    source = f"#include <string.h>\nstruct s {{ {members} }} a, b;"
    source += "int main(void) { a.x = b.x; return memcmp(&a, &b, 4); }"
    assert (padding.ASSUMED in defined(tmp_path, source).assumptions) is listed
    assert padding.ASSUMED not in defined(tmp_path, source.replace("memcmp(&a, &b, 4)", "a.x")).assumptions
